"""What an agent hands over, on its way into the log: which kind it is, and whether it counts.

    checked(desk, event)              why an own route does not take it; None: it does
    handed_over(desk, event, draft)   the entry: kind, text or parts, and what was found about it

What a diagnosis has to name is looked up here, in the entries of the calls that were stopped, and
what was found is stored in the entry: the fold never looks anything up again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import cast

from app.classification.effects import commands
from app.domain.artifacts import (
    OTHER,
    Stopped,
    assessed,
    kinds,
    misfit,
    names_of,
    output_of,
    text_in,
)
from app.domain.calls import reading_of
from app.domain.entries import Draft, Entry, agent_of
from app.domain.events import Event, Json
from app.domain.modes import Mode
from app.domain.observations import causes_of, part_of, text_of
from app.domain.replacing import replace
from app.domain.state import Override, in_force, overrides_for, stream_of
from app.service.desk import Desk


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfit:
    """An artifact that an own route does not take: what was expected instead."""

    at: str  # the field
    expected: str


def checked(desk: Desk, event: Event) -> Unfit | None:
    """What is wrong with an artifact that is handed over on an own route."""
    known = kinds(desk.configuration)
    said, wanting = text_of(event.arguments, "kind"), _wanting(desk, event.scope)
    if said is not None and said not in known:
        return Unfit(at="kind", expected=f"expected one of {', '.join(known)}")
    if said is None and wanting is None:
        words = ", ".join(known)
        return Unfit(at="kind", expected=f"no mode in force wants anything; name one of {words}")
    parts = part_of(event.arguments, "parts")
    kind = _kind(desk, event)
    fault = misfit(parts, output_of(kind, wanting, desk.configuration)) if parts else None
    return None if fault is None else Unfit(at="parts", expected=fault)


def handed_over(desk: Desk, event: Event, draft: Draft) -> Draft:
    """The entry of an artifact, from the draft that the edge made of its event."""
    kind, said = _kind(desk, event), event.arguments
    parts = part_of(said, "parts")
    whole = text_in(said)
    fault = _fault(desk, event, kind, parts)
    looked = stream_of(desk.load(event.scope), agent_of(event.scope)).looked
    found = assessed(kind, whole, _stopped(desk, event.scope, kind), looked, fault)
    kept = part_of(draft.body, "arguments")
    body: dict[str, Json] = {
        **{key: value for key, value in draft.body.items() if key != "arguments"},
        "handover": kind,
        **({"parts": kept["parts"]} if parts else {"text": text_of(kept, "text") or ""}),
        "digest": sha256(whole.encode("utf-8", "replace")).hexdigest()[:16],
        "valid": found.valid,
        **({"lacks": found.why} if found.why else {}),
        **({"names": list(found.names)} if found.names else {}),
    }
    return replace(draft, body=body)


def _fault(desk: Desk, event: Event, kind: str, parts: Mapping[str, Json]) -> str | None:
    wanting = _wanting(desk, event.scope)
    return misfit(parts, output_of(kind, wanting, desk.configuration)) if parts else None


def _kind(desk: Desk, event: Event) -> str:
    """The kind that an artifact says it is, where that is one; else what is wanted now."""
    said, wanting = text_of(event.arguments, "kind"), _wanting(desk, event.scope)
    if said is not None and said in kinds(desk.configuration):
        return said
    return OTHER if wanting is None or wanting.handoff is None else wanting.handoff


def _wanting(desk: Desk, scope: str) -> Mode | None:
    """The mode in force that wants something handed over, of the narrowest scope that has one."""
    desk.load(scope)
    modes = in_force(desk.book, scope, desk.configuration).modes
    return next((mode for mode in modes if mode.handoff is not None), None)


def _stopped(desk: Desk, scope: str, kind: str) -> Stopped | None:
    """What the entry stopped that wants this kind; None where no entry does."""
    asking = (o for o in overrides_for(desk.book, scope, "mode") if _wants(o, kind))
    override = next(asking, None)
    if override is None:
        return None
    seqs = tuple(dict.fromkeys(seq for cause in causes_of(override.body) for seq in cause.seqs))
    names = (name for seq in seqs for name in _names(desk.get(seq)))
    return Stopped(seq=override.seq, seqs=seqs, names=tuple(dict.fromkeys(names)))


def _wants(override: Override, kind: str) -> bool:
    return isinstance(override.value, Mode) and override.value.handoff == kind


def _names(entry: Entry | None) -> Iterator[str]:
    """What one call is called, from its entry alone; its programs are read from its line."""
    if entry is None or entry.action != "tool":
        return
    call = Event(
        session_id=entry.session,
        tool=text_of(entry.body, "tool"),
        arguments=cast("dict[str, Json]", part_of(entry.body, "arguments")),
    )
    yield from names_of(entry.body, commands(call, reading_of(entry.body).tool_class))
