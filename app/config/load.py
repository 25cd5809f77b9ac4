"""From the sources to settings, or to one message that says what is wrong with each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from app.config import layers
from app.config.endpoint import endpoint
from app.config.endpoint import faults as faults_of
from app.config.keys import STANDING, nearest, nested
from app.config.layers import FILE_NAME, Given
from app.config.modes import redefined
from app.config.settings import Settings
from app.config.soft import made as soft_made
from app.domain.modes import Malformed, ProfileName, definition
from app.domain.profiles import THRESHOLDS
from app.domain.reconfiguration import faults
from app.domain.softrules import soft_rule_json

SHOWN = 80  # characters of a faulty value that a message repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFault:
    """Why there are no settings: one line for each thing that is wrong."""

    message: str


def load(flags: Mapping[str, object], environ: Mapping[str, str]) -> Settings | ConfigFault:
    """The settings of this process.

    `flags` holds `config`, `state_dir`, `host`, `port` and `database_url`; None is not given.
    """
    variables, options = layers.environment(environ), layers.flags(flags)
    places = {**variables.given, **options.given}
    path = _file_path(places, environ)
    written = layers.file(path, required="config" in places)
    wrong = (*variables.faults, *options.faults, *written.faults)
    if wrong:
        return ConfigFault(message="\n".join(wrong))
    given = {"config": Given(value=path, source="default"), **written.given, **places}
    return _settled(given, environ)


def _file_path(places: Mapping[str, Given], environ: Mapping[str, str]) -> Path:
    if "config" in places:
        return Path(str(places["config"].value)).expanduser()
    return _state_dir(places, environ) / FILE_NAME


def _state_dir(given: Mapping[str, Given], environ: Mapping[str, str]) -> Path:
    if "state_dir" in given:
        return Path(str(given["state_dir"].value)).expanduser()
    # The XDG base directory specification: a relative path in the variable is ignored.
    base = Path(environ.get("XDG_STATE_HOME", ""))
    home = Path(environ["HOME"]) if "HOME" in environ else Path.home()
    return (base if base.is_absolute() else home / ".local" / "state") / "floorboss"


def _settled(given: Mapping[str, Given], environ: Mapping[str, str]) -> Settings | ConfigFault:
    state_dir = _state_dir(given, environ)
    leaves: dict[str, object] = {
        **dict(_of_profile(given)),
        **{key: said.value for key, said in given.items()},
        "state_dir": state_dir,
    }
    leaves.setdefault("database_url", f"sqlite:///{state_dir.absolute() / 'controls.db'}")
    sources = {key: said.source for key, said in given.items()}
    tables = {"rules": {}, "standing": {}, **nested(leaves), "sources": sources}
    wrong = [*_with_modes(tables), *_with_soft(tables, sources)]
    if wrong:
        return ConfigFault(message="\n".join(wrong))
    try:
        settings = Settings.model_validate(tables)
    except ValidationError as fault:
        lines = [_invalid(error, sources) for error in fault.errors()]
        return ConfigFault(message="\n".join(lines))
    found = [line for check in CHECKS for line in check(settings)]
    return ConfigFault(message="\n".join(found)) if found else settings


def _with_modes(tables: dict[str, Any]) -> list[str]:
    """Put every mode's whole definition into the tables; what is wrong with them instead."""
    profile: ProfileName = "strict" if tables.get("profile") == "strict" else "default"
    made = redefined(profile, tables.get("modes", {}))
    tables["modes"] = {
        name: definition(mode) for name, mode in made.items() if not isinstance(mode, Malformed)
    }
    wrong = {name: mode for name, mode in made.items() if isinstance(mode, Malformed)}
    return [f"modes.{name}: {mode.detail}" for name, mode in wrong.items()]


def _with_soft(tables: dict[str, Any], sources: Mapping[str, str]) -> list[str]:
    """Put every soft rule whole into the tables; what is wrong with them instead."""
    made = soft_made(tables.get("soft", {}))
    rules = {name: rule for name, rule in made.items() if not isinstance(rule, Malformed)}
    tables["soft"] = {name: soft_rule_json(rule) for name, rule in rules.items()}
    source = next((said for key, said in sources.items() if key.startswith("soft.")), "default")
    wrong = {name: rule for name, rule in made.items() if isinstance(rule, Malformed)}
    return [f"{source}: soft.{name}: {rule.detail}" for name, rule in wrong.items()]


def _of_profile(given: Mapping[str, Given]) -> Iterator[tuple[str, object]]:
    chosen = given["profile"].value if "profile" in given else "default"
    for name, thresholds in THRESHOLDS.items():
        if name == chosen:
            yield from ((f"rules.{key}", number) for key, number in thresholds.items())
            yield from (
                (f"standing.{key}.uses", standing.uses) for key, standing in STANDING[name].items()
            )


def _invalid(error: ErrorDetails, sources: Mapping[str, str]) -> str:
    key = ".".join(str(part) for part in error["loc"])
    # An item of a list is placed below the list's key, which is the one that was said.
    said = next((name for name in sources if f"{key}.".startswith(f"{name}.")), key)
    value = repr(error["input"])[:SHOWN]
    return f"{sources.get(said, 'default')}: {said} = {value}: {error['msg']}"


def _whole(settings: Settings) -> Iterator[str]:
    """What the modes and the start mode are together: the test boundary first of all."""
    modes = settings.modes
    if settings.start_mode not in modes:
        near = nearest(settings.start_mode, modes)
        yield f'start_mode: there is no mode "{settings.start_mode}"; the nearest is "{near}"'
        return
    yield from (_sourced(line, settings.sources) for line in faults(settings.configuration()))


def _sourced(fault: str, sources: Mapping[str, str]) -> str:
    """A fault of the whole that begins with a key, behind where that was said."""
    source = sources.get(fault.partition(": ")[0])
    return f"{source}: {fault}" if source else fault


def _certificate(settings: Settings) -> Iterator[str]:
    if (settings.auth.tls_cert is None) != (settings.auth.tls_key is None):
        yield "auth.tls_cert and auth.tls_key belong together; one of them is missing"


def _exposed(settings: Settings) -> Iterator[str]:
    if settings.exposed:
        yield (
            f"host {settings.host} can be reached from other machines: set auth.tls_cert and"
            " auth.tls_key, or auth.published_on where a container or a proxy publishes the port"
        )


def _model(settings: Settings) -> Iterator[str]:
    """What the proposer lacks, and where it may not ask; judged as soon as anything is said."""
    asked = settings.proposer
    if asked.enabled and not asked.model:
        yield "proposer.enabled: proposer.model names the model to ask; it is missing"
    for place in asked.private_hosts:
        found = endpoint(f"http://{place}/")
        if isinstance(found, str) or found.place != place:
            yield f'proposer.private_hosts: expected "host:port", not {place[:SHOWN]!r}'
    if asked.endpoint is None:
        return
    found = endpoint(asked.endpoint)
    wrong = [found] if isinstance(found, str) else faults_of(found, asked.private_hosts)
    yield from (_sourced(f"proposer.endpoint: {why}", settings.sources) for why in wrong)


CHECKS: tuple[Callable[[Settings], Iterator[str]], ...] = (
    _whole,
    _certificate,
    _exposed,
    _model,
)
