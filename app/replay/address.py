"""Where a daemon is: an URL that a token may be sent to."""

from __future__ import annotations

import http.client
from dataclasses import dataclass
from urllib.parse import urlsplit

from app.config import loopback


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A daemon's address; `path` is what stands before its routes, often nothing."""

    url: str
    secure: bool
    host: str
    port: int | None
    path: str

    def connection(self, timeout: float) -> http.client.HTTPConnection:
        """A connection, opened with its first request; `timeout` in seconds."""
        kind = http.client.HTTPSConnection if self.secure else http.client.HTTPConnection
        return kind(self.host, self.port, timeout=timeout)


def address_of(url: str) -> Address | str:
    """The address that an URL names, or why no token goes there."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return f"{url}: not an URL"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return f"{url}: expected http:// or https:// and a host"
    if parts.scheme == "http" and not loopback(parts.hostname):
        return f"{url}: a token leaves this machine over https only"
    return Address(
        url=url,
        secure=parts.scheme == "https",
        host=parts.hostname,
        port=port,
        path=parts.path.rstrip("/"),
    )
