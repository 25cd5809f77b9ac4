"""What a replay tells: each entry with which the controller changed, proposed or said something."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from app.domain.entries import MACHINE, RESTRICTIONS, Action, Entry
from app.domain.events import Json
from app.domain.observations import causes_of, part_of, text_of
from app.domain.stream import Cause
from app.domain.summaries import summary

How = Literal["automatic", "standing", "proposed", "notice"]
SAID: Final = frozenset({"notice", "compact"})  # actions that change nothing by themselves


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """One change, proposal or notice, and the evidence for it.

    `turn` counts the session's finished calls from 1, as do `calls`, those behind the counter;
    `before` and `after` are modes, or postures where `action` is `policy`, and equal for what
    changed nothing; `wanted` is the mode that the rule asks for.
    """

    turn: int
    line: int
    scope: str
    action: Action
    before: str
    after: str
    how: How
    reason: str
    rule: str | None = None
    key: str = ""  # which comparison of the rule
    value: float | None = None
    threshold: float | None = None
    wanted: str | None = None
    calls: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a transition happened, and what its evidence is counted by."""

    turn: int
    line: int
    mode: str  # in force after the event
    turns: Mapping[int, int]  # seq of a finished call -> its number in its session


def transitions(fired: tuple[Entry, ...], place: Place) -> Iterator[Transition]:
    """The transitions among the entries that one event caused; ways back are left out."""
    for entry in fired:
        how = _how(entry)
        if how is not None:
            yield _transition(entry, how, place)


def returns(entry: Entry) -> bool:
    """Whether an entry proposes a way back."""
    return entry.kind == "proposed" and entry.body.get("return") is not None


def _how(entry: Entry) -> How | None:
    match entry.kind:
        case "applied" if entry.action in SAID:
            return "notice"
        case "applied":
            return "automatic" if entry.actor == MACHINE else "standing"
        case "proposed" if not returns(entry):
            return "proposed"
        case _:
            return None


def _transition(entry: Entry, how: How, place: Place) -> Transition:
    before, after = _ends(entry, place.mode)
    cause = next(iter(causes_of(entry.body)), Cause(rule="", key="", threshold=0, target=None))
    return Transition(
        turn=place.turn,
        line=place.line,
        scope=entry.scope,
        action=entry.action,
        before=before,
        after=after,
        how=how,
        reason=_reason(entry),
        rule=cause.rule or None,
        key=cause.key,
        value=cause.value if cause.rule else None,
        threshold=cause.threshold if cause.rule else None,
        wanted=cause.target,
        calls=tuple(place.turns[seq] for seq in cause.seqs if seq in place.turns),
    )


def _ends(entry: Entry, mode: str) -> tuple[str, str]:
    body = entry.body
    match entry.action:
        case "mode":
            return text_of(body, "was") or mode, text_of(body, "mode") or mode
        case "policy":
            return _posture(part_of(body, "was")), _posture(part_of(body, "policy"))
        case _:
            return mode, mode


def _posture(policy: Mapping[str, Json]) -> str:
    return text_of(policy, "posture") or "?"


def _reason(entry: Entry) -> str:
    """The entry's summary without the change, which stands beside it."""
    words = summary(entry)
    if entry.action not in RESTRICTIONS:
        return words
    return words.partition(": ")[2] or words
