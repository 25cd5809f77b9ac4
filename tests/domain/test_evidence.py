"""An agent's own words are shown apart, escaped and cut."""

from __future__ import annotations

from app.domain.events import Json
from app.domain.evidence import LINES, LONGEST, evidence, handed_over


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


def test_a_model_s_words_are_quoted_and_marked_as_well() -> None:
    asked: Json = {"asked": 7, "answer": "warn_user", "model": "watcher"}
    said: dict[str, Json] = {"proposer": asked, "advice": {"text": "It goes\nin \x1b[2Kcircles."}}
    line = evidence("machine", said) or ""
    assert line.startswith('| model watcher wrote: "It goes')
    assert line.isprintable()
    assert evidence("machine", {"proposer": asked}) is None
    assert evidence("machine", {"proposer": asked, "advice": {"length": 30}}) is None


def test_an_artifact_is_a_marked_block_that_no_terminal_obeys() -> None:
    shown: dict[str, Json] = {
        "seq": 41,
        "kind": "plan",
        "valid": True,
        "length": 9,
        "text": "first\n\x1b[2Kthen",
    }
    head, *lines = handed_over(shown)
    assert head == "The agent handed over its plan in 41. In its own words:"
    assert lines == ["first", "\\x1b[2Kthen"]


def test_a_long_artifact_is_cut_and_one_that_may_not_be_read_has_its_length() -> None:
    long: dict[str, Json] = {
        "seq": 41,
        "kind": "plan",
        "valid": False,
        "text": "\n".join("x" * (LINES + 3)),
    }
    head, *lines = handed_over(long)
    assert head.startswith("The agent handed over its plan in 41, which does not count.")
    assert (len(lines), lines[-1]) == (LINES + 1, "... 3 more lines")
    hidden: dict[str, Json] = {"seq": 41, "kind": "plan", "valid": True, "length": 9}
    assert [*handed_over(hidden)][1:] == ["9 characters; a token shows them"]
