"""The tables of session logs, and files made of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from app.replay.lines import Counts, Line
from app.replay.readers import read

FOLDER: Final = Path(__file__).parents[1] / "cases" / "replay"
TABLES: Final[dict[str, list[dict[str, Any]]]] = {
    path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))
}
FORMS: Final = ("plain", "crlf", "bom", "no last line end")


def text_of(given: dict[str, Any]) -> str:
    """The file of a case: objects one a line, one JSON value, or lines as they are."""
    match given:
        case {"lines": list(lines)}:
            return "".join(f"{json.dumps(line)}\n" for line in lines)
        case {"document": value, "indent": int(indent)}:
            return json.dumps(value, indent=indent) + "\n"
        case {"document": value}:
            return json.dumps(value) + "\n"
        case _:
            return "".join(f"{line}\n" for line in given["text"])


def written(path: Path, given: dict[str, Any], form: str = "plain") -> Path:
    """The file of a case on disk, in one of the FORMS."""
    text = text_of(given)
    match form:
        case "crlf":
            text = text.replace("\n", "\r\n")
        case "bom":
            text = f"\ufeff{text}"
        case "no last line end":
            text = text.removesuffix("\n")
        case _:
            pass
    path.write_bytes(text.encode())
    return path


def read_file(path: Path, *, attempts: bool = False) -> tuple[list[Line], Counts]:
    """Everything a file says, and what was counted."""
    counts = Counts()
    return list(read(path, counts, attempts=attempts)), counts


def shown(line: Line, wanted: dict[str, Any]) -> dict[str, Any]:
    """What the case speaks of, as the reader says it."""
    said = {name: _plain(getattr(line.event, name)) for name in wanted if name != "line"}
    return {**said, "line": line.line_no} if "line" in wanted else said


def _plain(value: Any) -> Any:
    slots = getattr(value, "__slots__", None)
    if slots is None:
        return value
    return {name: held for name in slots if (held := getattr(value, name)) is not None}
