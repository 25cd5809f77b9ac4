"""What lines typed at the console mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli.keys import Decide, Help, Overview, Quit, Typed, Unclear, typed


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("a 42", Decide(verb=None, seq=42)),
        ("  A   42 ", Decide(verb=None, seq=42)),
        ("d 42", Decide(verb="dismiss", seq=42)),
        ("r 7", Decide(verb="revert", seq=7)),
        ("s", Overview()),
        ("?", Help()),
        ("q", Quit()),
        ("", None),
        ("a", Unclear("a")),
        ("a42", Unclear("a42")),
        ("a 42 43", Unclear("a 42 43")),
        ("a -1", Unclear("a -1")),
        ("a \u0664\u0662", Unclear("a \u0664\u0662")),
        ("a " + "9" * 17, Unclear("a " + "9" * 17)),
        ("s 1", Unclear("s 1")),
    ],
)
def test_a_line_means_one_thing(line: str, meaning: Typed) -> None:
    assert typed(line) == meaning


@given(st.text())
def test_any_line_has_a_meaning_that_can_be_printed(line: str) -> None:
    meaning = typed(line)
    assert not isinstance(meaning, Unclear) or meaning.text.isprintable()
