"""The fold and the view of the database say the same; and no entry the service writes breaks it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.calls import Pace, ToolClass
from app.domain.entries import Entry
from app.domain.events import Json, Outcome
from app.domain.evolve import evolve_all
from app.domain.modes import ProfileName
from app.domain.state import Book
from app.store.chain import Verified
from app.store.log import Log
from app.store.reader import Reader
from tests.domain.commands import Command, histories, play
from tests.domain.floor import Floor, configured
from tests.store.samples import overrides

profiles = st.sampled_from(["default", "strict"])


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database, to be copied: making one takes longer than filling it."""
    path = tmp_path_factory.mktemp("empty") / "controls.db"
    Log.open(path).close()
    return path


@contextmanager
def stored(empty: Path, entries: Sequence[Entry]) -> Iterator[Reader]:
    """A database that took these entries."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "controls.db"
        shutil.copy(empty, path)
        with closing(Log.open(path)) as log, closing(Reader(path)) as reader:
            log.commit(entries)
            yield reader


@given(histories, profiles)
@settings(max_examples=25)
def test_the_database_takes_every_entry_and_its_view_says_what_the_fold_says(
    empty: Path, history: list[Command], profile: ProfileName
) -> None:
    floor = Floor(configured(profile))
    for command in history:
        play(floor, command)
    sessions = [floor.book.everywhere, *floor.book.sessions.values()]
    folded = {
        place: stack[-1].seq for session in sessions for place, stack in session.overrides.items()
    }
    with stored(empty, floor.log) as reader:
        viewed = overrides(reader)
        again = tuple(entry for entry in reader.page(newest_first=False, limit=100_000))
        assert isinstance(reader.verify(), Verified)
    assert viewed == folded
    assert evolve_all(Book(), again) == floor.book  # what was stored means what was folded


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 2**53) | st.text(max_size=8) | st.floats(-1, 1e9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
FIELDS = (
    "kind", "identity", "digest", "failed", "timed_out", "changed_state", "short",
    "path", "lines", "edit", "reverse", "error", "marks", "test", "effects", "targets", "part",
    "person", "call_id", "event_id", "cwd", "root", "parent_agent_id", "coverage",
    "usage", "context_tokens", "context_limit", "occurred_at", "hooks", "exit_code", "batch_id",
    "verdict", "rule", "because", "return", "standing", "approved", "why", "count", "notice",
)  # fmt: skip
# Words of closed sets: the edge writes no others.
CLOSED = {
    "outcome": get_args(Outcome),
    "class": get_args(ToolClass),
    "pace": get_args(Pace),
}


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, Json]:
    """Any fields of a body with anything in them, but for the words of closed sets."""
    body: dict[str, Json] = draw(st.dictionaries(st.sampled_from(FIELDS), json_values, max_size=8))
    return body | {name: draw(st.sampled_from(words)) for name, words in CLOSED.items()}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["observed", "decided", "refused", "gap", "dismissed", "approved"]),
            st.sampled_from(["tool", "prompt", "turn", "compaction", "session", "usage"]),
            st.sampled_from(["s", "s/a", "*"]),
            bodies(),
        ),
        max_size=12,
    )
)
@settings(max_examples=200)
def test_a_body_in_any_shape_is_folded_without_a_fault(entries: list[tuple[object, ...]]) -> None:
    floor = Floor()
    for kind, action, scope, body in entries:
        floor.writes(kind, scope, action, "machine", body)  # type: ignore[arg-type]
    assert floor.folded().head == len(floor.log)
