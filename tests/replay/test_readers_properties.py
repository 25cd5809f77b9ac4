"""Whatever happens to a file, reading it never raises and never invents a call."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.replay.lines import Counts
from app.replay.readers import read
from tests.replay.files import TABLES, text_of

FIXTURES = sorted((Path(__file__).parents[1] / "cases" / "claude_code").glob("*.jsonl"))
LINES = [line for path in FIXTURES for line in path.read_text().splitlines() if line[:2] == '{"']
WHOLE = [json.loads(line) for line in LINES if line.endswith("}")]
OTHERS = [text_of(case["given"]) for cases in TABLES.values() for case in cases]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) below a value."""
    keys = range(len(value)) if isinstance(value, list) else value
    inner = [(value, key) for key in keys]
    below = [value[key] for key in keys if isinstance(value[key], dict | list)]
    return inner + [place for container in below for place in places(container)]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A fixture's line with one value replaced or taken out, or with some of its text changed."""
    line = draw(st.sampled_from(WHOLE))
    value = json.loads(json.dumps(line))
    container, key = draw(st.sampled_from(places(value)))
    match draw(st.sampled_from(["as it is", "replace", "remove", "cut", "text"])):
        case "replace":
            container[key] = draw(JSON)
        case "remove":
            del container[key]
        case "cut":
            return json.dumps(value)[: draw(st.integers(0, 400))]
        case "text":
            text = json.dumps(value)
            at = draw(st.integers(0, len(text)))
            return text[:at] + draw(st.text(max_size=6)) + text[at:]
        case _:
            pass
    return json.dumps(value)


@st.composite
def mutated_log(draw: st.DrawFn) -> str:
    """A session log of another harness in which some values are others, or are gone."""
    text = draw(st.sampled_from(OTHERS))
    lines = text.splitlines()
    values = [json.loads(line) for line in lines if taken(line)]
    values = values if len(values) == len(lines) else [json.loads(text)] if taken(text) else []
    for _ in range(draw(st.integers(0, 4))):
        found = places(values)
        container, key = draw(st.sampled_from(found)) if found else (None, None)
        if container is None or container is values:
            continue
        if draw(st.booleans()):
            container[key] = draw(JSON)
        else:
            del container[key]
    return "".join(f"{json.dumps(value)}\n" for value in values) or text


def taken(text: str) -> bool:
    """Whether a text is a JSON value."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A session log of another harness, cut, or with bytes put into it."""
    data = draw(st.sampled_from(OTHERS)).encode()
    at = draw(st.integers(0, len(data)))
    end = draw(st.integers(at, len(data)))
    return data[:at] + draw(st.binary(max_size=8)) + draw(st.sampled_from([b"", data[end:]]))


def read_bytes(data: bytes) -> tuple[int, Counts]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        path.write_bytes(data)
        counts = Counts()
        return len(list(read(path, counts))), counts


@given(st.lists(mutated(), max_size=30))
def test_no_mutation_of_a_session_file_raises(lines: list[str]) -> None:
    text = "\n".join(lines)
    events, counts = read_bytes(text.encode("utf-8", "replace"))
    assert counts.calls <= events
    assert counts.calls <= text.count("tool_use")


@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    events, counts = read_bytes(data)
    assert events <= counts.lines


@given(st.lists(JSON, max_size=8))
def test_no_json_raises(values: list[Any]) -> None:
    events, counts = read_bytes("\n".join(map(json.dumps, values)).encode())
    assert events + counts.unreadable + counts.unknown.total() <= counts.lines


@given(mutated_log())
def test_no_mutation_of_another_harness_raises(text: str) -> None:
    events, counts = read_bytes(text.encode("utf-8", "replace"))
    assert counts.calls <= events


@given(damaged())
def test_no_damage_to_a_session_log_raises(data: bytes) -> None:
    events, counts = read_bytes(data)
    assert counts.calls <= events
