"""Steps of a case, as they stand in tests/cases: what harness and person did before.

    ["fail", scope?]                      a rule trips and the mode is tightened to plan
    ["deny", scope?]                      one call is denied three times
    ["wish" | "set", action, value, scope?]   a harness asks; a person proposes and decides
    ["approve" | "apply" | "revert" | "dismiss", which]
    ["start" | "end" | "bill"]            the session begins again, ends, is billed late
    ["look"]                              a person is shown the state; "stale" means this one

`which` names an entry: return, wish (the newest open one), applied, first applied, observed.
"""

from __future__ import annotations

from typing import Any

from app.domain.decisions import Refusal
from app.domain.entries import Entry
from tests.domain.floor import Floor
from tests.domain.ledger import waiting

SESSION = {"start": "session_start", "end": "session_end"}


class Steps:
    """A floor on which the steps of a case were taken."""

    def __init__(self, floor: Floor) -> None:
        self.floor = floor
        self.seen = floor.state()

    def take(self, steps: list[list[Any]]) -> None:
        """Take the steps in order; each of them is one that is allowed."""
        for step in steps:
            self._take(step)

    def _take(self, step: list[Any]) -> None:
        match step:
            case ["look"]:
                self.seen = self.floor.state()
            case ["fail", *scope]:
                self.floor.failing("make", 3, *scope)
            case ["fail as", identity, *scope]:
                self.floor.failing(identity, 3, *scope)
            case ["deny", *scope]:
                for _ in range(3):
                    self.floor.call("rm", *scope, outcome="denied")
            case ["quiet", times]:
                for at in range(times):
                    self.floor.call(f"quiet {at}")
            case ["wish", action, value, *scope]:
                answer = self.floor.wishes(action, value, *scope)
                assert isinstance(answer, tuple), answer
            case ["set", action, value, *scope]:
                self.floor.sets(action, value, *scope)
            case ["start" | "end" as kind]:
                self.floor.reports("s", "session", kind=SESSION[kind])
            case ["bill"]:
                self.floor.reports("s", "usage", kind="usage", usage={"cost": 1.0})
            case [verb, which]:
                self.floor.decides(verb, self.named(which))
            case _:
                raise AssertionError(step)

    def named(self, which: str) -> int:
        """The seq of the entry that a case calls `which`; a number beyond the log for unknown."""
        found = [entry.seq for entry in self._kind(which)]
        return found[0] if which.startswith("first") else found[-1]

    def _kind(self, which: str) -> list[Entry]:
        match which.removeprefix("first "):
            case "return":
                return [e for e in waiting(self.floor.log) if "return" in e.body]
            case "wish":
                return [e for e in waiting(self.floor.log) if "return" not in e.body]
            case kind:
                return [e for e in self.floor.log if e.kind == kind]

    def state(self, which: str) -> str | None:
        """The state a person names: the one now, one that is stale, or none."""
        return {"now": self.floor.state(), "stale": self.seen, "none": None}[which]


def outcome(answer: tuple[Entry, ...] | Refusal) -> Any:
    """What came of a decision, as a case writes it down."""
    if isinstance(answer, Refusal):
        return {"refused": answer.why}
    return {"writes": [f"{entry.kind} {entry.action} {entry.direction}" for entry in answer]}
