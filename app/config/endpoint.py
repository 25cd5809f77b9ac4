"""Where a model may be asked: which URLs settings may name, and which addresses may be reached.

    endpoint(url)                    its parts, or what is wrong with it
    faults(endpoint, listed)         why the settings may not name it
    barred(address, place, listed)   why a connection to it is not opened

The settings' own words are judged at start. A name says nothing until it is looked up, so every
address that it leads to is judged again, before each connection.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final, TypeAlias
from urllib.parse import urlsplit

Address: TypeAlias = IPv4Address | IPv6Address

PORTS: Final = {"https": 443, "http": 80}
NAME: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?\.?")
PATH: Final = re.compile(r"/[A-Za-z0-9_.~/:@-]{0,500}")
LOCAL_NAMES: Final = ("localhost", ".localhost")  # RFC 6761: loopback, whoever is asked
# Where machines of a cloud tell their secrets to whoever asks; the first two are beside link-local.
METADATA: Final = frozenset(
    map(
        ip_address,
        ("100.100.100.200", "fd00:ec2::254", "fd20:ce::254", "168.63.129.16", "192.0.0.192"),
    )
)
SITE_LOCAL: Final = IPv6Network("fec0::/10")  # RFC 3879: private once, and still not the internet's
TRANSLATED: Final = IPv6Network("64:ff9b::/96")  # RFC 6052: the last 32 bits are an IPv4 address


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One URL, in its parts; `host` is a name or an address without brackets, in small letters."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def place(self) -> str:
        """Host and port as the settings list them."""
        return f"{bracketed(self.host)}:{self.port}"

    @property
    def local(self) -> bool:
        """Whether the host is loopback by its very words."""
        address = literal(self.host)
        if address is not None:
            return plain(address).is_loopback
        return self.host.rstrip(".") == LOCAL_NAMES[0] or self.host.endswith(LOCAL_NAMES[1])


def bracketed(host: str) -> str:
    """A host as a URL has it."""
    return f"[{host}]" if ":" in host else host


def literal(host: str) -> Address | None:
    """The address that a host is; None: it is a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def endpoint(url: str) -> Endpoint | str:
    """The parts of a URL, or what is wrong with it, in words that do not repeat it."""
    if not (url.isascii() and url.isprintable() and " " not in url):  # urlsplit would drop some
        return "it holds signs that no URL has"
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return "it is no URL"
    if parts.scheme not in PORTS:
        return "only https, and http on loopback, can be asked"
    if parts.username is not None or parts.password is not None:
        return "it holds a name or a password; keys come from the environment"
    if parts.query or parts.fragment or url.endswith(("?", "#")):
        return "it has a query or a fragment; keys come from the environment"
    if literal(host) is None and (not NAME.fullmatch(host) or "%" in host):
        return "its host is neither a name nor an address"
    if not PATH.fullmatch(parts.path) or port == 0:
        return "it names no path, like /v1/messages, or a port that nobody has"
    port = PORTS[parts.scheme] if port is None else port
    return Endpoint(scheme=parts.scheme, host=host, port=port, path=parts.path)


def faults(found: Endpoint, listed: Collection[str]) -> Iterator[str]:
    """Why the settings may not name this endpoint, as far as its words say."""
    address = literal(found.host)
    if found.scheme == "http" and not found.local:
        yield "http is for loopback only; use https"
    elif address is not None and (why := barred(address, found, listed)):
        yield why
    elif address is None and found.local and found.place not in listed:
        yield _unlisted("loopback", found)


def barred(address: Address, found: Endpoint, listed: Collection[str]) -> str | None:
    """Why no connection to `address` is opened for this endpoint; None: it may be."""
    inner = plain(address)
    if inner in METADATA or inner.is_link_local or inner.is_multicast or inner.is_unspecified:
        return "its address is one that no setting opens: link-local, metadata or no single machine"
    if found.scheme == "http" and not inner.is_loopback:
        return "http is for loopback only, and its address is elsewhere"
    if inner.is_global and not inner.is_reserved and inner not in SITE_LOCAL:
        return None
    kind = "loopback" if inner.is_loopback else "private"
    return None if found.place in listed else _unlisted(kind, found)


def plain(address: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for, whichever way; else itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in TRANSLATED:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    teredo = address.teredo[1] if address.teredo else None
    return address.ipv4_mapped or address.sixtofour or teredo or address


def _unlisted(kind: str, found: Endpoint) -> str:
    return f'its address is {kind}; proposer.private_hosts = ["{found.place}"] opens it'
