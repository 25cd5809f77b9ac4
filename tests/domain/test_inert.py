"""Text of others can do nothing to a terminal, and columns are as wide as they look."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli.layout import COLUMNS, wrapped
from app.cli.rendering import columns
from app.domain.inert import inert, padded, width
from app.domain.reasons import QUOTED, quoted

HOSTILE = (
    "\x1b[2K", "\x1b]0;owned\x07", "\x1b]52;c;ZXZpbA==\x07", "\x1b]8;;http://x\x1b\\", "\x07", "\r",
    "\b\b\b", "\x9b31m", "\x85", "\u202e", "\u2066", "\u200b", "\u200d", "\ufeff", "\u2028",
    "\U000e0041", "\u3164", "\x00", "\x7f",
)  # fmt: skip


@pytest.mark.parametrize("sign", HOSTILE)
def test_what_a_terminal_would_obey_is_shown_as_its_escape(sign: str) -> None:
    shown = inert(f"a{sign}b")
    assert shown.startswith("a\\")
    assert shown.isprintable()
    assert sign not in shown


@pytest.mark.parametrize("text", ["plain [red]markup[/red]", "naïve", "漢字", "नमस्ते", "e\u0301"])
def test_what_people_write_stays_as_it_is(text: str) -> None:
    assert inert(text) == text


def test_a_pile_of_marks_is_cut_to_two() -> None:
    assert inert("o" + "\u0301" * 50) == "o" + "\u0301" * 2 + "\\u0301" * 48


@given(st.text())
def test_no_text_is_anything_but_signs_to_look_at(text: str) -> None:
    shown = inert(text)
    assert shown.isprintable()
    marks = "".join("m" if unicodedata.category(c) in ("Mn", "Me") else "." for c in shown)
    assert "mmm" not in marks
    assert inert(shown) == shown


@given(st.text())
def test_a_name_is_quoted_in_at_most_eighty_signs(text: str) -> None:
    shown = quoted(text)
    assert shown[0] == shown[-1] == '"'
    assert shown.isprintable()
    assert len(shown) <= QUOTED + 2
    assert quoted("x" * 10_000 + text) == quoted("x" * 10_000)


@given(st.text(), st.text(max_size=20))
def test_lines_fit_and_lose_nothing(text: str, first: str) -> None:
    shown, before = inert(text), inert(first)[:20]
    lines = list(wrapped(shown, before, "| "))
    assert all(width(line) <= COLUMNS for line in lines)
    body = lines[0][len(before) :] + "".join(line.removeprefix("| ") for line in lines[1:])
    assert body.replace(" ", "").rstrip("|") == shown.replace(" ", "").rstrip("|")


@given(st.lists(st.tuples(st.text(max_size=30), st.just("x")), min_size=1, max_size=5))
def test_columns_stand_below_each_other(rows: list[tuple[str, str]]) -> None:
    assert len({width(line) for line in columns(rows)}) == 1


def test_a_quoted_name_is_kept_on_one_line_where_it_fits() -> None:
    name = quoted("a b " * 15)
    assert [line for line in wrapped(f"{'word ' * 6}{name} more", rest="  ") if "a b" in line] == [
        f"  {name} more"
    ]


def test_wide_signs_take_two_columns() -> None:
    assert (width("ab"), width("漢字"), width("e\u0301")) == (2, 4, 1)
    assert padded("漢", 4) == "漢  "
