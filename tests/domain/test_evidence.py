"""An agent's own words are shown apart, escaped and cut."""

from __future__ import annotations

from app.domain.evidence import LONGEST, evidence


def test_a_harness_s_reason_is_quoted_and_marked() -> None:
    line = evidence("harness:codex", {"why": "tests need writing"})
    assert line == '| harness:codex wrote: "tests need writing"'


def test_what_could_rewrite_a_terminal_is_escaped_and_what_is_long_is_cut() -> None:
    line = evidence("harness:x", {"why": "\x1b[2K\n\u202e" + "a" * 999}) or ""
    assert line.isprintable()
    assert len(line) < LONGEST + 60


def test_a_person_s_and_the_machine_s_entries_have_no_such_line() -> None:
    assert evidence("human:ann", {"why": "because"}) is None
    assert evidence("machine", {"why": "the session ended"}) is None
    assert evidence("harness:x", {"why": {"length": 4}}) is None
