"""No call takes long to read, whatever is in it: one writer reads for everyone."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import pytest

from app.classification.edge import see
from app.classification.reading import read
from app.classification.shellcode.found import READS
from app.domain.events import Event
from app.domain.state import Session

SIZE = 100_000
PIECES = ["\n", " ", "\t", "\r\n", "1 error ", "1 failed ", "'\"", "<<a ", "> ", "a/"]


def calls(text: str) -> dict[str, dict[str, Any]]:
    return {
        "result": {"tool": "Bash", "arguments": {"command": "pytest"}, "result": text},
        "line": {"tool": "Bash", "arguments": {"command": f"x {text} y"}},
        "header": {
            "tool": "apply_patch",
            "arguments": {"input": f"*** Begin Patch\n*** Add File: a{text}b"},
        },
        "path": {"tool": "Write", "arguments": {"file_path": text}},
    }


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("where", ["result", "line", "header", "path"])
def test_no_call_takes_long_to_read(where: str, piece: str) -> None:
    call = calls(piece * (SIZE // len(piece)))[where]
    event = Event(session_id="s", outcome="error", **call)
    start = perf_counter()
    see(event, Session(id="s"), own=(), context_limit=1)
    assert perf_counter() - start < 3


LONG = 20_000  # characters of a result that are looked at
ROWS = {
    "places": "a.b" + ":1" * 40 + "x",
    "places of two kinds": "a.b" + ":1.1" * 60 + "x",
    "one word, refused": "a" * LONG + " permission denied",
    "no word, refused": "error " + "a:" * (LONG // 2) + "permission denied",
    "a name without a value": "took" + " " * LONG,
    "one long name": "took" * (LONG // 4),
    "names in a row": "took=" * (LONG // 5),
    "blank lines": "\n" * LONG,
    "counts in a row": "1 error " * (LONG // 8),
}


@pytest.mark.parametrize("text", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("line", ["make | tail", "make build", "pytest"])
@pytest.mark.parametrize("outcome", ["ok", "error"])
def test_no_result_takes_longer_for_what_stands_in_it(outcome: Any, line: str, text: str) -> None:
    arguments = {"command": line}
    event = Event(session_id="s", outcome=outcome, tool="Bash", arguments=arguments, result=text)
    start = perf_counter()
    see(event, Session(id="s"), own=(), context_limit=1)
    assert perf_counter() - start < 0.25


def test_a_count_may_have_any_number_of_digits() -> None:
    result = f"=== {'9' * 5_000} failed in 3s"
    event = Event(
        session_id="s", outcome="error", tool="Bash", arguments={"command": "make"}, result=result
    )
    found = read(event, READS).build
    assert found is not None
    assert found.failed == 999_999_999


def test_of_a_path_that_no_system_opens_a_digest_is_kept() -> None:
    paths = [f"/{'x' * 5_000}/{name}" for name in "ab"]
    kept = [
        read(
            Event(session_id="s", tool="Read", arguments={"file_path": path, "offset": 1}),
            READS,
        ).path
        for path in paths
    ]
    assert len({path for path in kept if path and len(path) <= 4_096}) == 2
