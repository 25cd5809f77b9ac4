"""A line's members and their words, as a slower reader of one sign after the other finds them."""

from __future__ import annotations

import re
import shlex

from hypothesis import given
from hypothesis import strategies as st

from app.classification.shell import split, words_of

SIGNS = st.text(alphabet="ab #\t\r\x0b\xa0\u2028\n\\'\"|&;<>$()`=-", max_size=30)
COMMENT = r"(?:(?<=[\s;&|()])|(?<![\s\S]))#[^\n]+|"
ONE = re.compile(
    COMMENT + r"""\\.|'[^']*'|"(?:\\.|[^"\\])*"|&&|\|\||>&|&>|<&|[;|&\n]|.""", re.DOTALL
)
JOINERS = ("&&", "||", ";", "|", "&", "\n")


@given(SIGNS)
def test_the_members_stand_between_the_operators(line: str) -> None:
    parts: list[list[str]] = [["", ""]]
    for token in ONE.findall(line):
        if token in JOINERS:
            parts[-1][1] = token
            parts.append(["", ""])
        elif len(token) == 1 or not token.startswith("#"):
            parts[-1][0] += token
    expected = [(text.strip(), joiner) for text, joiner in parts if text.strip()]
    assert [(member.text, member.joiner) for member in split(line)] == expected


@given(SIGNS)
def test_words_are_those_of_the_shell(text: str) -> None:
    try:
        expected = tuple(shlex.split(text))
    except ValueError:
        expected = ()
    assert words_of(text) == expected
