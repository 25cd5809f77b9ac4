"""What reading a shell line leaves behind: nothing, or a daemon would grow with every call."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from app.classification.shellcode.syntax import BRIEF, parse, text_of

LINES = 500


@pytest.mark.parametrize("line", ["grep -rn word src | head -5", f"echo {'a' * (BRIEF - 5)}"])
def test_a_line_that_was_read_is_let_go_of(line: str) -> None:
    def read() -> None:
        root = parse(line)
        assert root is not None
        assert [text_of(node) for node in (root, *root.children)]

    read()
    tracemalloc.start()
    try:
        for _ in range(LINES):
            read()
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < LINES * 10  # bytes
