"""One line an entry, and the table of them: plain words, whatever an agent wrote."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.entries import Action, Draft, Kind, place
from app.domain.summaries import summary
from app.domain.tables import SCOPE, plain, short, table
from tests.domain.verdict_cases import cases

AT = "2026-11-30T14:02:11.482Z"


@pytest.mark.parametrize("case", cases("summaries"))
def test_an_entry_reads_as_its_case_says(case: Any) -> None:
    entry = place(Draft(scope="s", **case["given"]), 9, AT)
    assert summary(entry) == case["then"], case["why"]


def test_every_kind_has_a_case() -> None:
    known = {case.values[0]["given"]["kind"] for case in cases("summaries")}
    assert known == set(get_args(Kind))


@given(
    st.sampled_from(get_args(Kind)),
    st.sampled_from(get_args(Action)),
    st.dictionaries(
        st.sampled_from(["tool", "why", "mode", "was", "because", "policy", "return", "notice"]),
        st.none() | st.text(max_size=5) | st.integers() | st.lists(st.integers(), max_size=2),
    ),
)
def test_any_body_has_a_summary(kind: Any, action: Any, body: Any) -> None:
    entry = place(Draft(kind=kind, scope="s", action=action, actor="machine", body=body), 9, AT)
    assert isinstance(summary(entry), str)


def entry(seq: int, scope: str, tool: str) -> Any:
    draft = Draft(
        kind="observed", scope=scope, action="tool", actor="harness:x",
        body={"tool": tool, "outcome": "ok"},
    )  # fmt: skip
    return place(draft, seq, AT)


def test_a_table_has_the_seq_first_and_its_columns_aligned() -> None:
    lines = table([entry(9, "s", "Read"), entry(10, "a session", "Edit")]).splitlines()
    assert lines == [
        "SEQ  AT                        KIND      SCOPE      SUMMARY",
        '  9  2026-11-30T14:02:11.482Z  observed  s          "Read" ok',
        ' 10  2026-11-30T14:02:11.482Z  observed  a session  "Edit" ok',
    ]


def test_an_empty_table_says_so() -> None:
    assert table([]) == "The log has no such entries.\n"


def test_a_long_scope_is_cut_and_marked() -> None:
    assert short("x" * SCOPE) == "x" * SCOPE
    assert short("x" * (SCOPE + 1)) == "x" * (SCOPE - 1) + "~"


@pytest.mark.parametrize(
    "text", ["\x1b[2K", "\x1b]0;t\x07", "\x1b]52;c;AA", "a\rb", "\u202eabc", "\u200b", "\x9b1m"]
)
def test_nothing_rewrites_what_a_person_reads(text: str) -> None:
    shown = table([entry(1, f"s{text}", f"Bash{text}")])
    assert all(sign.isprintable() or sign == "\n" for sign in shown)
    assert shown.count("\n") == 2


@given(st.text(max_size=30))
def test_a_plain_text_is_printable(text: str) -> None:
    assert plain(text).isprintable()
