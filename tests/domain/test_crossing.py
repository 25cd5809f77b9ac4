"""The test boundary: who crosses, when, and which modes would tear it down."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.domain.crossing import Side, crossing, holds_boundary, open_tests
from app.domain.events import Json
from app.domain.modes import MODES, definition, mode_of
from app.domain.restrictions import InForce, policy_of
from tests.domain.verdict_cases import call_of, cases


def crossed(given: dict[str, Any], when: dict[str, Any]) -> Side | None:
    modes = MODES[given.get("profile", "default")]

    def under(side: Side) -> InForce:
        agent, star = given.get("agent"), given.get("everywhere")
        names = [name for name in (agent, side, star) if name]
        return InForce(
            modes=tuple(modes[name] for name in names),
            policies=(policy_of(given.get("policy", {})),),
        )

    return crossing(
        own=given["own"],
        movable=given["movable"],
        under=under,
        call=call_of(when),
        red=given["red"],
        uses_left=given["uses_left"],
        written_here=frozenset(given["written_here"]),
    )


@pytest.mark.parametrize("case", cases("crossing"))
def test_an_attempt_crosses_only_where_that_frees_it(case: dict[str, Any]) -> None:
    assert crossed(case["given"], case["when"]) == case["then"]


def test_nothing_is_closed_while_nothing_is_red() -> None:
    assert open_tests(False, frozenset({"tests/a.py"})) is None
    assert open_tests(True, frozenset()) == frozenset()
    assert open_tests(True, frozenset({"tests/a.py"})) == frozenset({"tests/a.py"})


@pytest.mark.parametrize("profile", ["default", "strict"])
def test_the_modes_that_ship_hold_the_boundary(profile: Any) -> None:
    assert holds_boundary(MODES[profile]) is None


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("implementation", {"writes": ("project", "test")}, "writes both"),
        ("implementation", {"writes": ("test", "given")}, "writes both"),
        ("test_development", {"writes": ("test", "outside")}, "writes both"),
        ("implementation", {"write": "none"}, "answers write with none"),
        ("implementation", {"git_restore": "none"}, "answers git_restore with none"),
        ("implementation", {"unknown_closed": "none"}, "answers unknown_closed with none"),
        ("test_development", {"unknown": "none"}, "answers unknown with none"),
        ("test_development", {"writes": ("test", "temporary")}, None),
        ("implementation", {"unknown": "deny"}, None),
    ],
)
def test_a_mode_that_writes_on_both_sides_is_refused_by_name(
    name: str, change: dict[str, Any], said: str | None
) -> None:
    mode = MODES["default"][name]
    if "writes" in change:
        mode = replace(mode, writes=change["writes"])
    else:
        shell: dict[str, Json] = {str(effect): said for effect, said in mode.shell.items()}
        mode = mode_of(name, {**definition(mode), "shell": {**shell, **change}})
    answer = holds_boundary({**MODES["default"], name: mode})
    assert answer == (said and f"modes.{name}.{_key(change)}: mode {name} {said}" + _end(said))


def _key(change: dict[str, Any]) -> str:
    return "writes" if "writes" in change else f"shell.{next(iter(change))}"


def _end(said: str) -> str:
    return " tests and implementation" if said == "writes both" else ", whatever it writes"
