"""Reading files: which format, what is counted, and that memory does not grow with the file."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
from collections.abc import Iterable
from pathlib import Path

import pytest

from app.replay.lines import Counts, Line
from app.replay.readers import read

FIXTURES = Path(__file__).parents[1] / "cases" / "claude_code"
NEUTRAL = {"session_id": "s1", "event_id": "e1", "tool": "Bash", "outcome": "ok"}
PROTOTYPE = {
    "tool": "grep",
    "arguments": {"pattern": "x"},
    "success": False,
    "result": "",
    "duration_ms": 3,
    "cumulative_tokens": 1200,
}


def written(path: Path, lines: Iterable[object]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def taken(path: Path) -> tuple[list[Line], Counts]:
    counts = Counts()
    return list(read(path, counts)), counts


def name_of(path: Path) -> str:
    return f"file-{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"


def test_neutral_lines_are_read_as_the_own_routes_read_them(tmp_path: Path) -> None:
    path = written(tmp_path / "a.ndjson", [NEUTRAL, {"session_id": "s1", "kind": "turn"}])
    lines, counts = taken(path)
    assert [(line.line_no, line.event.kind, line.event.session_id) for line in lines] == [
        (1, "tool", "s1"),
        (2, "turn", "s1"),
    ]
    assert (counts.lines, counts.calls, counts.unreadable) == (2, 1, 0)


def test_the_prototypes_lines_belong_to_a_session_named_after_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "run.jsonl", [PROTOTYPE])
    (line,), _ = taken(path)
    assert line.event.session_id == name_of(path)
    assert (line.event.outcome, line.event.context_tokens) == ("error", 1200)


def test_a_line_without_an_event_id_gets_one_that_is_the_same_next_time(tmp_path: Path) -> None:
    path = written(tmp_path / "run.jsonl", [PROTOTYPE, NEUTRAL, PROTOTYPE])
    once, _ = taken(path)
    again, _ = taken(path)
    ids = [line.event.event_id for line in once]
    assert ids == [f"{name_of(path)}:1", "e1", f"{name_of(path)}:3"]
    assert ids == [line.event.event_id for line in again]


def test_a_neutral_line_that_the_routes_would_refuse_is_counted_with_its_fault(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.ndjson"
    bad = ['{"tool": "Bash", "outcom": "ok"}', '{"tool": NaN}', "{", '["tool"]']
    path.write_text("\n".join([json.dumps(NEUTRAL), *bad, "", json.dumps(NEUTRAL)]))
    lines, counts = taken(path)
    assert [line.line_no for line in lines] == [1, 7]
    assert (counts.lines, counts.calls, counts.unreadable) == (6, 2, 4)
    assert "`outcome`" in counts.faults[0]
    assert [fault.partition(":")[0] for fault in counts.faults] == [
        f"line {n}" for n in (2, 3, 4, 5)
    ]


def test_faults_are_told_up_to_a_bound_and_counted_beyond(tmp_path: Path) -> None:
    path = tmp_path / "noise.txt"
    path.write_text("noise\n" * 1000)
    lines, counts = taken(path)
    assert lines == []
    assert (counts.unreadable, len(counts.faults)) == (1000, 20)


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"\n \n")
    assert taken(tmp_path / "empty") == ([], Counts())


@pytest.mark.parametrize("fixture", ["outcomes.jsonl", "parallel.jsonl", "unfinished.jsonl"])
def test_line_ends_and_a_byte_order_mark_make_no_difference(fixture: str, tmp_path: Path) -> None:
    text = (FIXTURES / fixture).read_bytes()
    path = tmp_path / fixture
    path.write_bytes(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))
    lines, counts = taken(path)
    original, original_counts = taken(FIXTURES / fixture)
    assert [line.line_no for line in lines] == [line.line_no for line in original]
    assert [line.event for line in lines] == [line.event for line in original]
    assert counts.unreadable == original_counts.unreadable


def test_neutral_lines_take_a_byte_order_mark_too(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(NEUTRAL).encode() + b"\r\n")
    lines, counts = taken(path)
    assert (len(lines), counts.unreadable) == (1, 0)


def test_the_first_telling_line_decides_the_format(tmp_path: Path) -> None:
    session = (FIXTURES / "agents.jsonl").read_text()
    path = tmp_path / "a.jsonl"
    path.write_text('noise\n{"x": 1}\n' + session)
    lines, counts = taken(path)
    assert {line.event.harness for line in lines} == {"claude_code"}
    assert (counts.unreadable, dict(counts.unknown)) == (1, {"None": 1})


def test_what_no_text_can_hold_does_not_stop_a_session_file(tmp_path: Path) -> None:
    call = json.loads((FIXTURES / "parallel.jsonl").read_text().splitlines()[0])
    call["message"]["content"][0]["input"] = {"deep": 1, "far": 2, "half": "\ud83d"}
    result = {"type": "tool_result", "tool_use_id": "a", "content": "x\ud800y"}
    deep = "[" * 100 + "]" * 100
    text = (
        json.dumps(call).replace('"deep": 1', f'"deep": {deep}').replace('"far": 2', '"far": 1e999')
    )
    path = tmp_path / "a.jsonl"
    answer = {"type": "user", "message": {"content": [result]}}
    path.write_text(f"{text}\n{json.dumps(answer)}\n")
    (line,), _ = taken(path)
    assert line.event.arguments["far"] == "1e999"
    assert line.event.arguments["half"] == "\ufffd"
    assert line.event.result == "x\ufffdy"
    assert json.dumps(line.event.arguments).count("[") < 64


def test_nesting_that_no_parser_takes_is_one_unreadable_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"type": "user", "message": ' + "[" * 100_000 + "\n")
    assert taken(path)[1].unreadable == 1


def calls(number: int, size: int) -> Iterable[object]:
    """A session file of `number` calls, each answered with `size` characters."""
    for at in range(number):
        use = {"type": "tool_use", "id": f"c{at}", "name": "Read", "input": {"file_path": "a"}}
        yield {"type": "assistant", "sessionId": "s", "message": {"content": [use]}}
        answer = {"type": "tool_result", "tool_use_id": f"c{at}", "content": "x" * size}
        yield {"type": "user", "sessionId": "s", "uuid": f"u{at}", "message": {"content": [answer]}}


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "long.jsonl", calls(2_000, 20_000))
    tracemalloc.start()
    try:
        number = sum(1 for _ in read(path, Counts()))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert number == 2_000
    assert peak < path.stat().st_size / 10


def test_a_line_of_five_megabytes_is_read_whole(tmp_path: Path) -> None:
    path = written(tmp_path / "wide.jsonl", calls(1, 5_000_000))
    (line,), _ = taken(path)
    assert len(line.event.result or "") == 5_000_000
