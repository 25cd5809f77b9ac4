"""What real disks hold: cut lines, unknown types, copies, megabytes on a line, endless nesting."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.replay.lines import Counts
from app.replay.pairing import HELD
from app.replay.readers import READERS, read
from tests.replay.files import TABLES, read_file, text_of
from tests.replay.many import WRITERS, many

BY_LINE = [
    (table, case) for table, cases in TABLES.items() for case in cases if "lines" in case["given"]
]
# Whose calls have ids.
BY_ID = ("Claude Code stream", "Codex", "Copilot CLI", "Gemini CLI", "OpenCode", "pi")
CUT = "Claude Code hooks"  # read as the daemon reads them, which cuts what is too long to look at


def names(cases: list[tuple[str, dict[str, Any]]]) -> list[str]:
    return [f"{table}: {case['name']}" for table, case in cases]


def test_every_format_is_tried() -> None:
    assert WRITERS.keys() == READERS.keys() - {"neutral", "Claude Code"}


@pytest.mark.parametrize(("table", "case"), BY_LINE, ids=names(BY_LINE))
def test_a_last_line_that_is_cut_off_costs_nothing_but_itself(
    table: str, case: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "a"
    path.write_text(text_of(case["given"]))
    whole, counts = read_file(path)
    path.write_text(text_of(case["given"]) + '{"type": "user", "mess')
    lines, cut = read_file(path)
    assert [line.event.kind for line in lines] == [line.event.kind for line in whole], table
    assert (cut.format, cut.unreadable) == (counts.format, counts.unreadable + 1)


@pytest.mark.parametrize("name", WRITERS)
def test_an_unknown_type_is_counted_and_nothing_else(name: str, tmp_path: Path) -> None:
    path = many(tmp_path / "a", name, 2, 5)
    if name == "Gemini CLI document":
        path.write_text(path.read_text()[:-2] + ', {"id": "h", "type": "hologram"}]}')
    elif name == "OpenCode export":
        path.write_text(path.read_text().replace('"tool", "tool"', '"hologram", "tool"', 1))
    elif name == "SWE-agent":
        path.write_text(path.read_text().replace("[{", '[{"action": "ls"}, {"x": 1}, {', 1))
    elif name == "OpenHands":
        path.write_text(path.read_text().replace("]", ', {"action": "hologram"}]'))
    else:
        kind = {"type": "hologram", "seq": 9, "kind": "hologram", "payload": {}}
        path.write_text(path.read_text() + json.dumps(kind) + "\n")
    _, counts = read_file(path)
    assert (counts.format, counts.unreadable) == (name, 0)
    assert counts.unknown.total() == 1


@pytest.mark.parametrize("name", BY_ID)
def test_what_a_resume_copied_counts_once(name: str, tmp_path: Path) -> None:
    path = many(tmp_path / "a", name, 3, 5)
    path.write_text(path.read_text() * 2)
    lines, counts = read_file(path)
    assert [line.event.call_id for line in lines] == ["c0", "c1", "c2"]
    assert counts.unreadable == 0


@pytest.mark.parametrize("name", WRITERS)
def test_a_line_of_five_megabytes_is_read_whole(name: str, tmp_path: Path) -> None:
    lines, counts = read_file(many(tmp_path / "a", name, 1, 5_000_000))
    (result,) = [line.event.result or "" for line in lines]
    assert len(result) == 5_000_000 or (name == CUT and 20_000 < len(result) < 1_000_000)
    assert (counts.format, counts.unreadable) == (name, 0)


@pytest.mark.parametrize("depth", [100, 900, *range(930, 1_000, 7), 100_000])
@pytest.mark.parametrize("name", WRITERS)
def test_nesting_of_any_depth_raises_nothing(name: str, depth: int, tmp_path: Path) -> None:
    path = many(tmp_path / "a", name, 2, 5)
    deep = "[" * depth + "]" * depth
    text = path.read_text()
    path.write_text(text.replace('"xxxxx"', deep) + text.replace("{}", f'{{"a": {deep}}}'))
    _, counts = read_file(path)
    assert counts.lines > 0


def test_a_file_of_calls_that_never_end_holds_only_some_of_them(tmp_path: Path) -> None:
    asked = [
        {"type": "function_call", "name": "shell", "call_id": f"c{at}", "arguments": "{}"}
        for at in range(HELD + 3)
    ]
    path = tmp_path / "a"
    path.write_text("".join(f"{json.dumps(item)}\n" for item in asked))
    counts = Counts()
    lines = read(path, counts)
    assert next(lines).event.call_id == "c0"
    assert counts.lines == HELD + 1
    assert {line.event.outcome for line in lines} == {"interrupted"}
    assert counts.calls == HELD + 3


def test_bytes_that_are_no_text_cost_a_value_nothing_but_themselves(tmp_path: Path) -> None:
    path = many(tmp_path / "a", "SWE-agent", 2, 5)
    path.write_bytes(path.read_bytes().replace(b"xxxxx", b"xx\xffxx", 1))
    lines, counts = read_file(path)
    assert [line.event.result for line in lines] == ["xx\ufffdxx", "xxxxx"]
    assert counts.unreadable == 0


def test_reading_goes_on_at_the_next_line_that_begins_a_value(tmp_path: Path) -> None:
    row = '{"instance_id": "i", "history": [{"action": "message", "content": "Go"}]}\n'
    path = tmp_path / "a"
    path.write_text(row + row[:40] + "\n  {\n" + row)
    lines, counts = read_file(path)
    assert [line.event.kind for line in lines] == ["prompt", "prompt"]
    assert counts.unreadable == 1
