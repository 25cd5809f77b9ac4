"""Whatever a settings file looks like: what is put in comes out again, byte for byte."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.harness.claude_settings import (
    EVENTS,
    SESSION_START,
    Target,
    hooks,
    hooks_in,
    with_hooks,
    without_hooks,
)

WANTED = hooks(Target(url="http://127.0.0.1:8737", token="t0ken", header_file="/s/harness.header"))
OTHER = hooks(
    Target(url="http://127.0.0.1:9", token=None, header_file="/s/harness.header", fail_closed=True)
)
INDENTS: dict[str, str | int] = {"tabs": "\t", "two": "  ", "three": 3}
SPACE = st.text(" \t\r\n", max_size=3)
NAMES = st.sampled_from(["model", "env", "permissions", "é", "\ud800", "hooks", "", 'a"b'])
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
HANDLER = st.fixed_dictionaries(
    {"type": st.sampled_from(["http", "command"])},
    optional={
        "url": st.sampled_from(["http://127.0.0.1:8737/hooks/claude-code", "http://x.test/h"]),
        "command": st.sampled_from(["true", "curl http://127.0.0.1:8737/hooks/claude-code"]),
        "headers": PLAIN,
        "timeout": st.integers(),
    },
)
GROUP = PLAIN | st.fixed_dictionaries(
    {"hooks": st.lists(HANDLER, max_size=2)}, optional={"matcher": st.just("Bash")}
)
HOOKS = st.dictionaries(
    st.sampled_from([*EVENTS, SESSION_START, "Notification"]), st.lists(GROUP, max_size=2)
)
REST = st.dictionaries(NAMES.filter(lambda name: name != "hooks"), PLAIN, max_size=3)


@st.composite
def settings(draw: st.DrawFn) -> dict[str, Any]:
    members = list(draw(REST).items())
    if draw(st.booleans()):
        members.insert(draw(st.integers(0, len(members))), ("hooks", draw(HOOKS)))
    return dict(members)


@st.composite
def laid_out(draw: st.DrawFn, value: object) -> str:
    """A document as a formatter sets it, or as nobody would."""
    how = draw(st.sampled_from(["tabs", "two", "three", "line", "small", "odd"]))
    ascii_only = draw(st.booleans()) or "\\ud" in json.dumps(value)
    if how == "small":
        return json.dumps(value, separators=(",", ":"), ensure_ascii=ascii_only)
    if how == "odd":
        return draw(oddly(value))
    text = json.dumps(value, indent=INDENTS.get(how), ensure_ascii=ascii_only)
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@st.composite
def oddly(draw: st.DrawFn, value: object) -> str:
    """A document with any space wherever JSON permits some."""
    if isinstance(value, dict):
        inside = [
            f"{draw(SPACE)}{json.dumps(name)}{draw(SPACE)}:{draw(SPACE)}{draw(oddly(each))}"
            for name, each in value.items()
        ]
        return "{" + f"{draw(SPACE)},".join(inside) + draw(SPACE) + "}"
    if isinstance(value, list):
        return "[" + ",".join(draw(SPACE) + draw(oddly(each)) for each in value) + draw(SPACE) + "]"
    return json.dumps(value)


@st.composite
def texts(draw: st.DrawFn) -> str:
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return mark + draw(SPACE) + draw(laid_out(draw(settings()))) + draw(SPACE)


def put_in(text: str, wanted: Any = WANTED, before: str | None = None) -> str:
    changed = with_hooks(text, wanted, before)
    assert isinstance(changed, str)
    return changed


def taken_out(text: str, before: str | None) -> str:
    changed = without_hooks(text, before)
    assert isinstance(changed, str)
    return changed


def read(text: str) -> Any:
    return json.loads(text.lstrip("\ufeff"))


def foreign(document: Any) -> Any:
    """All groups of hooks that are not ours, in their order."""
    return {
        event: kept
        for event, groups in document.get("hooks", {}).items()
        if (kept := [group for group in groups if "X-Floorboss" not in json.dumps(group)])
    }


@given(texts())
def test_what_was_put_in_comes_out_byte_for_byte(text: str) -> None:
    assert taken_out(put_in(text), text) == text


@given(st.text(" \t\r\n", max_size=4))
def test_a_file_without_anything_in_it_is_empty_again(text: str) -> None:
    assert taken_out(put_in(text), text) == text
    assert taken_out(put_in(text), None) == ""


@given(texts())
def test_twice_is_once(text: str) -> None:
    once = put_in(text)
    assert put_in(once, before=text) == once
    assert put_in(once, before=None) == once
    assert taken_out(text, None) == text


@given(texts())
def test_other_wishes_replace_the_earlier_ones_and_leave_no_trace(text: str) -> None:
    again = put_in(put_in(text), OTHER, text)
    assert {each.event: each.handler for each in hooks_in(again)} == OTHER
    assert len(hooks_in(again)) == len(OTHER)
    assert taken_out(again, text) == text


@given(texts())
def test_nothing_else_changes_and_foreign_hooks_keep_their_order(text: str) -> None:
    before, after = read(text), read(put_in(text))
    assert {each.event: each.handler for each in hooks_in(put_in(text))} == WANTED
    assert foreign(after) == foreign(before)
    rest = [name for name in before if name != "hooks"]
    assert [name for name in after if name != "hooks"] == rest
    assert json.dumps([after[name] for name in rest]) == json.dumps([before[n] for n in rest])


@given(texts(), st.sampled_from(EVENTS), st.booleans())
def test_what_somebody_adds_meanwhile_stays(text: str, event: str, first: bool) -> None:
    document = read(put_in(text))
    theirs = {"hooks": [{"type": "command", "command": "theirs"}]}
    document["hooks"][event].insert(0 if first else len(document["hooks"][event]), theirs)
    left = read(taken_out(json.dumps(document), text))
    assert not hooks_in(json.dumps(left))
    assert theirs in left["hooks"][event]
    left["hooks"][event].remove(theirs)
    assert foreign(left) == foreign(read(text))


@given(texts())
def test_without_the_text_from_before_only_empty_things_are_lost(text: str) -> None:
    left = taken_out(put_in(text), None)
    document = read(left) if left else {}
    assert foreign(document) == foreign(read(text))
    assert [name for name in document if name != "hooks"] == [
        name for name in read(text) if name != "hooks"
    ]


@given(st.text(max_size=40) | st.builds(json.dumps, PLAIN))
def test_any_text_is_changed_and_restored_or_refused(text: str) -> None:
    changed = with_hooks(text, WANTED, None)
    if isinstance(changed, str):
        assert taken_out(changed, text) == text
