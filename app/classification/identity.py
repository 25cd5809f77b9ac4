"""Which call this is: a digest over the tool and the argument values that matter."""

from __future__ import annotations

from collections.abc import Mapping

from app.classification.arguments import command_of, digest, identifying
from app.classification.generated import elements_alike, named_alike
from app.classification.recognition import core
from app.domain.calls import ToolClass
from app.domain.events import Json

SHORT = 1_000  # characters


def identity(tool: str, cls: ToolClass, arguments: Mapping[str, Json]) -> str:
    """16 hex digits; equal for calls that differ only in cosmetics (docs/detection.md 1.2)."""
    if cls in ("shell", "test"):  # all shells are one, whatever a harness calls its own
        return digest("shell", _alike(core(command_of(arguments))))
    return digest(tool.lower(), _alike(_elements(arguments, identifying(arguments))))


def _elements(arguments: Mapping[str, Json], text: str) -> str:
    """Without the number of an element that is named besides; alone it is what tells two apart."""
    return elements_alike(text) if arguments.get("element") else text


def _alike(text: str) -> str:
    """The text of a call without names made up for it; what is long is content, and no name."""
    return named_alike(text) if len(text) <= SHORT else text
