"""The values of a configuration as a start finds them, with some settings replaced."""

from __future__ import annotations

from typing import Any

from app.config import Settings, load
from app.domain.configured import with_settings
from app.domain.entries import Entry
from app.domain.modes import MODES, definition
from app.domain.profiles import THRESHOLDS
from app.domain.reconfiguration import reconfigured
from app.domain.state import Book
from app.domain.transaction import Pending
from tests.domain.floor import ANN, AT, Floor


def values(**changes: Any) -> dict[str, Any]:
    """The values that ship; `rules_repeated_failed=5` stands for `rules.repeated.failed`."""
    loaded = load({}, {"HOME": "/nowhere"})
    assert isinstance(loaded, Settings)
    return with_settings(loaded.values(), {_setting(key): value for key, value in changes.items()})


def _setting(key: str) -> str:
    table, _, name = key.partition("_")
    match table:
        case "rules":
            found = next(k for k in THRESHOLDS["default"] if k.replace(".", "_") == name)
            return f"rules.{found}"
        case "standing":
            return f"standing.{name}.uses"
        case "modes" | "soft":
            return f"{table}.{name}"
        case _:
            return key


def mode(name: str = "implementation", **fields: Any) -> dict[str, Any]:
    """A shipped mode's definition with some fields replaced; of `shell` only those named."""
    held: dict[str, Any] = {**definition(MODES["default"][name])}
    shell = {**held["shell"], **fields.pop("shell", {})}
    return {**held, "shell": shell, **fields}


class Started(Floor):
    """A log that settings are read into, as at each start of the daemon."""

    def __init__(self, wanted: dict[str, Any] | None = None) -> None:
        super().__init__()
        self.log, self.book = [], Book()
        self.starts(wanted or values())

    def starts(self, wanted: dict[str, Any]) -> tuple[Entry, ...]:
        """The daemon starts with these settings; what that writes."""
        made = self.take(reconfigured(Pending(book=self.book, at=AT), wanted, ANN))
        self.configuration = self.book.configuration(self.configuration)
        return made

    def starts_with(self, **changes: Any) -> tuple[Entry, ...]:
        """The daemon starts with the values that ship, but for these."""
        return self.starts(values(**changes))

    def says(self, verb: Any, seq: int) -> tuple[Entry, ...]:
        """A person decides, for the state that is in force now."""
        made = self.decides(verb, seq)
        self.configuration = self.book.configuration(self.configuration)
        return made
