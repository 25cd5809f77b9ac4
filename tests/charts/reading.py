"""Reads what stands in a picture: the words of an SVG, the size and the dots of a PNG."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Final
from xml.etree import ElementTree

SVG: Final = "{http://www.w3.org/2000/svg}"


def title(svg: bytes) -> str | None:
    """The title of a picture as a reader of screens tells it."""
    return ElementTree.fromstring(svg).findtext(f"{SVG}title")


def words(svg: bytes) -> list[str]:
    """All text of a picture, in its order."""
    return ["".join(found.itertext()) for found in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def size(png: bytes) -> tuple[int, int]:
    """Width and height in pixels."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return int(width), int(height)


def dots(png: bytes) -> bytes:
    """The picture itself, row by row, without what is said about it."""
    return zlib.decompress(b"".join(part for kind, part in _parts(png) if kind == b"IDAT"))


def _parts(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        yield png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        place += 12 + length
