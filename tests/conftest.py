"""What holds for every test: no network but loopback, no settings but the test's own."""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# No deadline and no "too slow": a test never judges a duration, least of all on a busy machine.
settings.register_profile(
    "floorboss", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
# `make check-long`: five times as many examples wherever a test does not name a number of its own.
settings.register_profile("long", settings.get_profile("floorboss"), max_examples=500)
settings.load_profile("floorboss")


class OutsideWorldError(RuntimeError):
    """A test tried to reach a machine other than this one."""


def _is_loopback(host: str) -> bool:
    if host in {"", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _host_of(event: str, args: tuple[object, ...]) -> str | None:
    """The host an audit event is about to reach, or None when it reaches none."""
    match event, args:
        case "socket.connect" | "socket.sendto", (_, (str(host), *_)):
            return host
        case "socket.getaddrinfo", (str(host), *_):
            return host
        case _:
            return None


def _refuse_outside_world(event: str, args: tuple[object, ...]) -> None:
    host = _host_of(event, args)
    if host is not None and not _is_loopback(host):
        raise OutsideWorldError(f"{event} to {host!r}: tests may use loopback only")


# An audit hook and not a patched socket class: it also sees who kept a reference of their own.
sys.addaudithook(_refuse_outside_world)


@pytest.fixture(scope="session", autouse=True)
def _own_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test sees the settings, or touches the state folder, of the person who runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("FLOORBOSS_")]:
            patch.delenv(name)
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state-home")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config-home")))
        yield
