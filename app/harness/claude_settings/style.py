"""How a JSON text is set, as far as what is added to it can follow."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from app.harness.claude_settings.places import parts, root

INDENT: Final = "  "  # where the text shows none


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The indent of one level (None: all stands on one line), the line's end, the space between."""

    indent: str | None
    newline: str
    space: str

    def gap(self, depth: int) -> str:
        """What stands before a part that is `depth` levels deep."""
        return "" if self.indent is None else self.newline + self.indent * depth

    def rendered(self, name: str | None, value: object, gap: str) -> str:
        """A part behind `gap`; `name` is None for one of a list."""
        start = "" if name is None else f"{json.dumps(name)}:{self.space}"
        if "\n" not in gap:
            between = (f",{self.space}", f":{self.space}")
            return start + json.dumps(value, separators=between, ensure_ascii=False)
        set_out = json.dumps(value, indent=self.indent or INDENT, ensure_ascii=False)
        return start + set_out.replace("\n", self.newline + gap.rpartition("\n")[2])


def style_of(text: str) -> Style:
    """The style of a text, told by its first part."""
    whole = root(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    for first in parts(text, whole)[:1]:
        gap = text[whole.value + 1 : first.start]
        space = "" if text[first.start : first.value].endswith(":") else " "
        if "\n" not in gap:
            return Style(indent=None, newline=newline, space=space)
        return Style(indent=gap.rpartition("\n")[2] or INDENT, newline=newline, space=space)
    return Style(indent=INDENT, newline=newline, space=" ")
