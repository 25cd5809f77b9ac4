"""No call takes long to read, whatever is in it: one writer reads for everyone."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import pytest

from app.classification.edge import see
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
