"""What is looked for first changes nothing: where no hint is seen, the pattern would not match."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from functools import reduce

from hypothesis import example, given
from hypothesis import strategies as st

from app.classification import outcomes
from app.classification.generated import elements_alike, named_alike
from app.classification.results import _HEADERS, _MASKS, _PREFIXES, headless, masked
from app.classification.vocabulary import folded

PIECES = (
    *("2026-11-30T10:00:01", "2026-11-30", "10:00:01.5", "3 ms", "3ms", "12 Sec", "a3s", "٣s"),
    *("elapsed", "Took", "_at", "_MS", "created_at", "span_id", '"', ":", "=", " ", ",", "{"),
    *("}", "-", "a", "7", "\n", "\t", "PID 7", "pid=7", "0xFF", "0x", "/tmp/", "/TMP/a"),
    *("x/tmp/a.b", "01234567-89ab-CDEF-0123-456789abcdef", "0123456789AB", "abcdefabcdef"),
    *("g0123456789ab", "read 3", "Retry 4 times", "spread 3", "call 2 of 5"),
    *("try 1 this session", "run 2", "run  2", "elapsed: 3", "took_at = 7", "x_ms 5"),
    *('"x_at": "y"', '"idle":0', "error", "Error:", "FATAL", "a.c:3:4: error", "error TS2"),
    *("[ERROR]", "npm ERR!", "make: ***", "make[1]: ***", "BUILD FAILED", "Traceback"),
    *("FAILED", '"is_error": true', '"ok":false', '"error": {', '"success" : False'),
    *("<tool_use_error>", "exception", "é", "Σ", "Exit code 1", "exit=0", "rc=2"),
    *("Wall time: 3", "Output:", "Command: x", "Stdout: ", "Stdout: (empty)"),
    *("Stderr: (empty)", "Error: (none)", "Signal: 9", "Chunk ID: 4", "Total output lines: 5"),
    *("Process exited with code 0", "Background PIDs: 3", "Process Group PGID: 3"),
    *("Directory: a", "Original token count: 9"),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def with_each_piece(test: Callable[..., None]) -> Callable[..., None]:
    """The test, also of every piece alone: by chance not all of them would come."""
    return reduce(lambda made, piece: example(text=piece)(made), PIECES, test)


@with_each_piece
@given(text=TEXTS)
def test_every_mask_that_was_not_tried_would_have_found_nothing(text: str) -> None:
    tried = elements_alike(named_alike(text))  # names come first
    for mask in _MASKS:
        tried = mask.pattern.sub(mask.stands, tried)
    assert masked(text) == tried


@with_each_piece
@given(text=TEXTS)
def test_every_header_is_taken_out(text: str) -> None:
    assert headless(text) == _PREFIXES.sub("", _HEADERS.sub("", text))


@with_each_piece
@given(text=TEXTS)
def test_a_failure_that_was_not_looked_for_is_not_there(text: str) -> None:
    for pattern, hints in (
        (outcomes._TOLD, outcomes._TOLD_HINTS),
        (outcomes._HARD_LINE, outcomes._HARD_HINTS),
    ):
        assert outcomes._found(pattern, hints, text) is (pattern.search(text) is not None)


def test_a_text_is_folded_as_patterns_compare_it() -> None:
    signs = [chr(number) for number in range(0x110000)]
    small = [folded(sign) for sign in signs]
    assert {len(sign) for sign in small} == {1}
    for letter in string.ascii_lowercase:
        same = re.findall(letter, "".join(signs), re.IGNORECASE)
        assert same == [sign for sign, fold in zip(signs, small, strict=True) if fold == letter]
