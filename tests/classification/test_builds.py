"""What a build, a type check or a linter came to, and which errors are one, case by case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.classification.faults import faults
from app.classification.reading import read
from app.classification.results import masked
from app.classification.shellcode.found import Effects
from app.classification.storage import stored
from app.domain.calls import reading_of
from app.domain.events import Event

UNKNOWN: Final = Effects(effects=("unknown",))
CASES: Final = Path(__file__).parents[1] / "cases"


def cases(name: str) -> list[Any]:
    table = json.loads((CASES / name).read_text("utf-8"))
    return [pytest.param(case["given"], case["then"], id=case["name"]) for case in table]


def _event(run: dict[str, Any]) -> Event:
    said = {name: value for name, value in run.items() if name != "command"}
    return Event(session_id="s", tool="Bash", arguments={"command": run["command"]}, **said)


@pytest.mark.parametrize(("run", "then"), cases("builds.json"))
def test_a_build_is(run: dict[str, Any], then: dict[str, Any] | None) -> None:
    build = read(_event(run), UNKNOWN).build
    told = None if build is None else (build.runner, build.target, build.result, build.failed)
    assert told == (None if then is None else tuple(then[key] for key in KEYS))
    assert build is None or len(build.names) == (then or {})["names"]


KEYS: Final = ("runner", "target", "result", "failed")


@pytest.mark.parametrize(("run", "then"), cases("builds.json"))
def test_a_build_is_stored_and_read_back(run: dict[str, Any], then: object) -> None:
    event = _event(run)
    reading = read(event, UNKNOWN)
    assert reading_of(stored(event, reading)) == reading
    assert (reading.build is None) == (then is None)
    assert reading.build is None or reading.test is None  # what the boundary looks at


@pytest.mark.parametrize(("texts", "then"), cases("faults.json"))
def test_the_errors_of_two_texts_are(texts: list[str], then: str) -> None:
    one, other = (faults(masked(text)).digest for text in texts)
    assert one is not None
    assert other is not None
    assert (one == other) is (then == "same")


@given(st.text(max_size=300) | st.text(alphabet=" \t|>[]#.:(),1aE*!", max_size=300))
def test_any_text_has_errors_that_are_read_alike_twice(text: str) -> None:
    assert faults(text) == faults(text)
