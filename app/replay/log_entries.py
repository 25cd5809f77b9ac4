"""floorboss's own log, as `floorboss log --json` and `GET /controller/log` print it.

Entries that tell what a harness reported become those events again; what was decided about them is
decided anew. A log is printed newest first: such a file is read from its end. Stored texts are
clipped and without secrets, and a reader without a token is shown none at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, get_args

from app.domain.entries import Kind
from app.domain.events import Json
from app.harness import neutral
from app.harness.base import Fault
from app.replay.lines import Call, Counts, Fields, Line, Source, call_of, object_of, taken, word
from app.replay.neutral import asked_before

FIELDS: Final = frozenset({"seq", "kind", "scope", "body"})  # that every entry has
BLOCK: Final = 1 << 16  # bytes read at once
AROUND: Final = (b'{"items":[', b'],"next":')  # the lines around the entries of a page
EVENTS: Final[Mapping[str, str]] = {
    "compaction": "compact",
    "session": "note",
}
KINDS: Final = frozenset(get_args(Kind))


def events(source: Source, counts: Counts, *, attempts: bool = False) -> Iterator[Line]:
    """The log's events, oldest first; with `attempts` each call also as it was asked for."""
    asked: Counter[Call] = Counter()  # attempts of the log whose end has not come
    for line_no, text in _lines(source):
        if text.startswith(AROUND):
            continue
        counts.lines += 1
        entry = taken(text.removesuffix(b","))
        if isinstance(entry, str):
            counts.refuse(line_no, entry)
        elif word(entry.get("kind")) not in KINDS:
            counts.unknown[str(entry.get("kind"))] += 1
        elif entry.get("kind") in (("observed", "decided") if attempts else ("observed",)):
            yield from _told(source, counts, line_no, entry, asked if attempts else None)


def _told(
    source: Source, counts: Counts, line_no: int, entry: Fields, asked: Counter[Call] | None
) -> Iterator[Line]:
    event = neutral.event(_fields(entry))
    if isinstance(event, Fault):
        counts.refuse(line_no, event.detail)
        return
    counts.calls += event.kind == "tool"
    if asked is not None and event.kind == "attempt":
        asked[call_of(event)] += 1
    elif asked is not None and event.kind == "tool":
        yield from asked_before(event, line_no, asked)
    yield Line(event=event, line_no=line_no)


def _fields(entry: Fields) -> Fields:
    """The event that an entry tells of."""
    body, action = object_of(entry.get("body")), str(entry.get("action"))
    session, _, agent = str(entry.get("scope")).partition("/")
    kept = {name: body[name] for name in body.keys() & neutral.KNOWN[""] if _whole(body[name])}
    kind = "attempt" if entry.get("kind") == "decided" else EVENTS.get(action, action)
    actor = word(entry.get("actor")) or ""
    if "person" in body:
        kept["arguments"] = {**object_of(kept.get("arguments")), "person": body["person"]}
    return {
        "kind": kind,
        "harness": actor.removeprefix("harness:") if actor.startswith("harness:") else "custom",
        "event_id": f"log:{entry.get('seq')}",
        "occurred_at": entry.get("at"),
        **kept,
        "session_id": session,
        "agent_id": agent or None,
    }


def _whole(value: Json) -> bool:
    """Whether a field is shown; of a hidden one only its length is."""
    return not (isinstance(value, dict) and value.keys() == {"length"})


def _lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """The lines, oldest entry first."""
    return source.lines() if _forwards(source) else _backwards(source.path)


def _forwards(source: Source) -> bool:
    """Whether the file's first two entries stand in the order of their seq."""
    seqs: list[int] = []
    for _, text in source.lines():
        entry = taken(text.removesuffix(b","))
        seq = entry.get("seq") if isinstance(entry, dict) else None
        if type(seq) is int:
            seqs.append(seq)
        if len(seqs) == 2:
            return seqs[0] < seqs[1]
    return True


def _backwards(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, from the last to the first, with their numbers from 1."""
    with path.open("rb") as file:
        number = 1 + sum(line.endswith(b"\n") for line in file)
        at, held = file.seek(0, 2), b""
        while at:
            size = min(BLOCK, at)
            at = file.seek(at - size)
            first, *whole = (file.read(size) + held).split(b"\n")
            for text in reversed(whole):
                if text.strip():
                    yield number, text.strip()
                number -= 1
            held = first
        if held.strip():
            yield number, held.removeprefix(b"\xef\xbb\xbf").strip()
