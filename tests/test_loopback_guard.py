"""The guard that keeps tests off the network, tried from inside a test."""

from __future__ import annotations

import socket

import pytest

OUTSIDE = "192.0.2.1"  # reserved for documentation (RFC 5737): nobody answers there


def test_connecting_to_another_machine_is_refused() -> None:
    with (
        socket.socket() as sock,
        pytest.raises(RuntimeError, match=r"socket\.connect to '192\.0\.2\.1'"),
    ):
        sock.connect((OUTSIDE, 80))


def test_a_datagram_to_another_machine_is_refused() -> None:
    with (
        socket.socket(type=socket.SOCK_DGRAM) as sock,
        pytest.raises(RuntimeError, match=r"socket\.sendto"),
    ):
        sock.sendto(b"x", (OUTSIDE, 53))


def test_looking_up_another_machine_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"socket\.getaddrinfo to 'example\.invalid'"):
        socket.getaddrinfo("example.invalid", 80)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_can_be_reached(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection((host, port)) as sock:
            assert sock.getpeername() == ("127.0.0.1", port)
