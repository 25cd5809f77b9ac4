"""A live session and the replay of its file come to the same: recorded with Claude Code 2.1.332.

tests/cases/claude_live has for each session what its hooks posted and the files that Claude wrote,
under a fake model and with floorboss deciding; only what no rule reads was left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest

from app.domain.configuration import Configuration
from app.domain.entries import Entry
from app.domain.observations import causes_of
from app.harness.claude_code.reading import read
from app.replay.memory import Memory
from app.replay.run import Core, files_of
from app.replay.tally import Tally
from app.service.desk import Desk
from app.service.hooks import receive_report
from tests.replay.runs import CASES, configuration, told

SESSIONS: Final = CASES / "claude_live"
AT: Final = "2026-11-30T09:00:00.000Z"
# Each session, and what changed in it by which rule.
CHANGED: Final[Mapping[str, list[str]]] = {
    "agents_same": ["mode plan: repeated"],
    "asks": ["notice: blocked_storm", "notice: blocked_storm"],
    "background_same": ["mode plan: repeated"],
    "compact_repeat": ["mode plan: repeated"],
    "denials_parallel": [],
    "edit_storm": ["mode debug: edit_failures"],
    "review": ["notice: review"],
    "subagent_and_main": ["mode plan: repeated", "mode plan: repeated"],
    "subagent_review": [],
    "subagents": ["mode plan: repeated", "mode plan: repeated", "mode plan: repeated"],
    "tests_red": ["mode debug: test_failure"],
    "timeouts": ["mode plan: timeouts"],
}


def entries(memory: Memory) -> list[Entry]:
    found = (memory.get(seq) for seq in range(1, memory.head_seq + 1))
    return [entry for entry in found if entry is not None]


def live(folder: Path, under: Configuration) -> list[Entry]:
    """The entries that the hooks of a session make, one hook after the other."""
    memory = Memory()
    desk = Desk(memory, under)
    for line in (folder / "hooks.jsonl").read_bytes().splitlines():
        report = read(json.loads(line), sha256(line).hexdigest()[:16])
        receive_report(report, desk, AT)
        memory.append(desk.fresh)
        desk.committed()
    return entries(memory)


def replayed(folder: Path, under: Configuration) -> list[Entry]:
    """The entries that the session's files make."""
    core = Core(under)
    told([path for path in files_of([folder]) if path.name != "hooks.jsonl"], core.feed, Tally())
    return entries(core.memory)


def calls(log: Iterable[Entry]) -> dict[Any, tuple[Any, ...]]:
    """How each finished call is known: its agent, what it is, how it ended."""
    said = ("outcome", "denied_by", "exit_code", "class", "identity", "failed")
    return {
        entry.body.get("call_id"): (entry.scope, *map(entry.body.get, said))
        for entry in log
        if (entry.kind, entry.action) == ("observed", "tool")
    }


def changes(log: list[Entry]) -> list[tuple[str, ...]]:
    """What changed, was proposed or said: where, why, and at which call or turn.

    That a way back is over when the session ends is left out: no file tells of that end.
    """
    by_seq = {entry.seq: entry for entry in log}
    return sorted(
        (e.kind, e.scope, what(e), *(f"{c.rule} {c.key}" for c in causes_of(e.body)), at(e, by_seq))
        for e in log
        if e.kind in ("applied", "proposed", "reverted")
    )


def what(entry: Entry) -> str:
    mode = "return" if "return" in entry.body else entry.body.get("mode", "")
    return f"{entry.action} {mode}".strip()


def at(entry: Entry, by_seq: Mapping[int, Entry]) -> str:
    """The call, or the kind of event, that an entry goes back to."""
    while entry.kind not in ("observed", "decided"):
        entry = by_seq[entry.ref or 0]
    return str(entry.body.get("call_id") or entry.action)


@pytest.mark.parametrize("name", CHANGED)
def test_hooks_and_file_make_the_same_changes(name: str, tmp_path: Path) -> None:
    under = configuration(tmp_path)
    heard, file = live(SESSIONS / name, under), replayed(SESSIONS / name, under)
    assert calls(heard) == calls(file)
    assert changes(heard) == changes(file)
    applied = (e for e in heard if e.kind == "applied")
    said = [f"{what(e)}: {causes_of(e.body)[0].rule}" for e in applied]
    assert said == CHANGED[name]


def test_every_session_is_compared() -> None:
    assert {path.name for path in SESSIONS.iterdir()} == CHANGED.keys()
