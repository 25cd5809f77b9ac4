"""Escalation: the agent is told to stop retrying a step that is blocked again (docs/design.md 7).

    escalating(stream, reading, rule, thresholds)   what a denial says beside its verdict
    pressing(text, said)                            its reason, with that in front

The verdict stays what it is. A person is told by the check `escalation` (comparisons.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.calls import Reading
from app.domain.configuration import Thresholds
from app.domain.events import Json
from app.domain.interventions import row_of
from app.domain.observations import whole_of
from app.domain.stream import Stream


def escalating(
    stream: Stream, reading: Reading, rule: str | None, thresholds: Thresholds
) -> dict[str, Json]:
    """What a denial is about to say: `escalated`, how many blocks of its step in a row there are;
    `ends_turn`, how many calls were blocked since the agent was told to stop, itself included.

    Each stands there only where it reached its threshold, the latter once in a turn.
    """
    said: dict[str, Json] = {}
    row, most = row_of(stream, reading, rule), thresholds.get("escalation.blocks", 0)
    if most and row >= most:
        said["escalated"] = row
    opened, last = stream.escalation, thresholds.get("escalation.further", 0)
    if opened is not None and last and not opened.ended and opened.further + 1 >= last:
        said["ends_turn"] = opened.further + 1
    return said


def pressing(text: str, said: Mapping[str, Json]) -> str:
    """A reason that begins with what the agent has to do now, behind the entry's number."""
    seq, _, what = text.partition("] ")
    return " ".join((f"{seq}]", *_instructions(said), "Why:", what))


def _instructions(said: Mapping[str, Json]) -> tuple[str, ...]:
    row, further = whole_of(said, "escalated"), whole_of(said, "ends_turn")
    return (*((_ends(further),) if further else ()), *((_stop(row),) if row else ()))


def _stop(row: int) -> str:
    return (
        f"Stop retrying this step: it was blocked {row} times in a row. Say in your answer what you"
        " need and what for, and wait for a person, or go on with other work."
    )


def _ends(further: int) -> str:
    calls = "1 more call was" if further == 1 else f"{further} more calls were"
    return f"This turn ends here: {calls} blocked since a step was to be given up."
