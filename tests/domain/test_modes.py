"""The modes: what the tables hold, how they are written down, and the page made from them."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from app.domain.events import Json
from app.domain.modes import (
    EFFECTS,
    MODE_NAMES,
    MODES,
    TOOL_CLASSES,
    Malformed,
    Mode,
    ProfileName,
    definition,
    mode_of,
    parsed_mode,
)
from docs.generate import modes_page

ROOT = Path(__file__).parents[2]
ALL = [MODES[profile][name] for profile in get_args(ProfileName) for name in MODE_NAMES]


def test_both_profiles_hold_the_five_modes_under_their_names() -> None:
    assert set(MODES) == set(get_args(ProfileName))
    for table in MODES.values():
        assert set(table) == set(MODE_NAMES)
        assert all(mode.name == name for name, mode in table.items())


@pytest.mark.parametrize("mode", ALL, ids=lambda mode: mode.name)
def test_every_mode_answers_every_effect_and_lets_everything_be_read(mode: Mode) -> None:
    assert set(mode.shell) == set(EFFECTS)
    assert {mode.shell["read"], mode.shell["talk"]} == {"none"}
    assert {"read", "search", "talk", "web"} <= set(mode.tools) <= set(TOOL_CLASSES)


@pytest.mark.parametrize("name", MODE_NAMES)
def test_strict_closes_what_nobody_can_vouch_for_and_changes_nothing_else(name: str) -> None:
    default, strict = MODES["default"][name], MODES["strict"][name]
    differing = {effect for effect in EFFECTS if default.shell[effect] != strict.shell[effect]}
    assert differing <= {"unknown", "unknown_closed"}
    assert strict.shell["unknown"] == strict.shell["unknown_closed"] == "deny"
    assert (default.tools, default.writes) == (strict.tools, strict.writes)


@pytest.mark.parametrize("mode", ALL, ids=lambda mode: mode.name)
def test_an_entry_carries_the_whole_mode(mode: Mode) -> None:
    assert mode_of(mode.name, definition(mode)) == mode


@pytest.mark.parametrize(
    ("name", "raw", "said"),
    [
        ("", {}, "a name"),
        ("m", [], "an object"),
        ("m", {"reads": []}, "no field reads"),
        ("m", {}, "words of the tables"),
        ("m", {"tools": "read", "writes": [], "shell": {}}, "words of the tables"),
        ("m", {"tools": ["telepathy"], "writes": [], "shell": {}}, "words of the tables"),
        ("m", {"tools": [["read"]], "writes": [], "shell": {}}, "words of the tables"),
        ("m", {"tools": [], "writes": ["tests/"], "shell": {}}, "words of the tables"),
        ("m", {"tools": [], "writes": [], "shell": {"read": "allow"}}, "words of the tables"),
        ("m", {"tools": [], "writes": [], "shell": [], "handoff": None}, "words of the tables"),
        ("m", {"tools": [], "writes": [], "shell": {}, "handoff": 1}, "a word or null"),
    ],
)
def test_what_is_no_mode_is_refused_by_name(name: str, raw: Json, said: str) -> None:
    answer = parsed_mode(name, raw)
    assert isinstance(answer, Malformed)
    assert said in answer.detail


def test_a_corrupt_row_is_no_mode() -> None:
    with pytest.raises(ValueError, match="'plan'"):
        mode_of("plan", {"tools": ["read"]})


def test_the_page_of_modes_is_the_one_made_from_the_tables() -> None:
    page = (ROOT / "docs" / "modes.md").read_text(encoding="utf-8")
    assert page == modes_page(), "run .venv/bin/python docs/generate.py"
