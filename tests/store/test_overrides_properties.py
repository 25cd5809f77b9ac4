"""The view `overrides` and ten lines of Python agree on every log."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.entries import Entry
from app.store.chain import Verified
from app.store.log import Log
from app.store.reader import Reader
from tests.store.samples import applied, entry, overrides, reverted

SCOPES = ("*", "s", "s/a", "s-1", "t")
ACTIONS = ("mode", "policy", "notice")


@st.composite
def logs(draw: st.DrawFn) -> list[Entry]:
    """Logs in which anything that may happen to an applied entry happens to some."""
    entries: list[Entry] = []
    for seq in range(1, draw(st.integers(1, 25)) + 1):
        entries.append(_next(draw, seq, entries))
    return entries


def _next(draw: st.DrawFn, seq: int, before: list[Entry]) -> Entry:
    taken = {e.ref for e in before if e.kind == "reverted"}
    kinds = ["observed", "applied", "applied", "proposed"]
    refs = [e.seq for e in before if e.seq not in taken]
    kind = draw(st.sampled_from([*kinds, "reverted", "ended", "refused"] if refs else kinds))
    where: dict[str, Any] = {
        "scope": draw(st.sampled_from(SCOPES)),
        "action": draw(st.sampled_from(ACTIONS)),
    }
    if kind == "observed":
        return entry(seq, scope=where["scope"])
    if kind in ("applied", "proposed"):
        return applied(seq, kind=kind, body={"n": seq}, **where)
    if kind == "reverted":
        return reverted(seq, draw(st.sampled_from(refs)), **where)
    return applied(seq, kind=kind, ref=draw(st.sampled_from([e.seq for e in before])), **where)


@contextmanager
def stored(parts: list[list[Entry]]) -> Iterator[Reader]:
    """A database that holds these entries, each part one commit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "controls.db"
        with closing(Log.open(path)) as log, closing(Reader(path)) as reader:
            for part in parts:
                log.commit(part)
            yield reader


def in_force(entries: list[Entry]) -> dict[tuple[str, str], int]:
    """What the view should say: the newest applied entry that nothing took back or ended."""
    over = {e.ref for e in entries if e.kind in ("reverted", "ended")}
    return {
        (e.scope, e.action): e.seq for e in entries if e.kind == "applied" and e.seq not in over
    }


@given(logs())
@settings(max_examples=60)
def test_the_view_says_what_the_fold_says(entries: list[Entry]) -> None:
    with stored([entries]) as reader:
        assert overrides(reader) == in_force(entries)


@given(logs(), st.integers(1, 5))
@settings(max_examples=20)
def test_how_entries_are_grouped_into_commits_leaves_no_trace(
    entries: list[Entry], size: int
) -> None:
    parts = [entries[i : i + size] for i in range(0, len(entries), size)]
    with stored([entries]) as whole, stored(parts) as grouped:
        assert whole.page() == grouped.page()
        assert whole.verify() == grouped.verify()
        assert isinstance(whole.verify(), Verified)
