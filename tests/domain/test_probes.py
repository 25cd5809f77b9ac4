"""The probe grid: complete in what is finite, bounded where a person writes lists."""

from __future__ import annotations

from itertools import product

import pytest
from immutables import Map

from app.domain.modes import EFFECTS, TOOL_CLASSES, ZONES, Verdict
from app.domain.narrowing import direction
from app.domain.patterns import matches
from app.domain.probes import MOST, UNNAMED, Words, grid, paths_around
from app.domain.restrictions import DENIALS, PATTERNS, TOOLS, Policy


def test_every_tool_class_meets_every_effect() -> None:
    met = {(call.tool_class, effect) for call in grid() for effect in call.effects}
    assert met == set(product(TOOL_CLASSES, EFFECTS))


def test_every_tool_class_writes_into_every_zone_and_nowhere_named() -> None:
    for effect in ("write", "git_restore"):
        met = {
            (call.tool_class, *(target.zone for target in call.targets))
            for call in grid()
            if call.effects == (effect,)
        }
        assert met == {(kind, zone) for kind, zone in product(TOOL_CLASSES, ZONES)} | {
            (kind,) for kind in TOOL_CLASSES
        }


def test_every_named_tool_denial_and_pattern_is_probed() -> None:
    policy = Policy(
        verdicts=Map(Bash="ask"), shell_denials=("git push",), write_paths=("/src/", "*.md")
    )
    calls = grid((policy,))
    assert any(call.tool == "Bash" for call in calls)
    assert any(call.commands == ("git push",) for call in calls)
    paths = {target.path for call in calls for target in call.targets}
    words = Words(word="q" * 6, letter="q")  # longer than a pattern: no `?` matches it
    assert {*paths_around("/src/", words), *paths_around("*.md", words)} <= paths


def test_the_longest_two_policies_fit_the_grid() -> None:
    one, other = (
        Policy(
            verdicts=Map[str, Verdict]((f"{side}{n}", "deny") for n in range(TOOLS)),
            shell_denials=tuple(f"{side}{n}" for n in range(DENIALS)),
            write_paths=tuple(f"/{side}{n}/" for n in range(PATTERNS)),
        )
        for side in ("a", "b")
    )
    calls = grid((one, other))
    assert len(calls) < MOST
    assert {target.path for call in calls for target in call.targets} >= {
        path for pattern in other.write_paths or () for path in paths_around(pattern)
    }


def test_the_grid_never_exceeds_its_bound() -> None:
    many = tuple(Policy(shell_denials=tuple(f"{k}-{n}" for n in range(40))) for k in range(40))
    assert len(grid(many)) == MOST


def test_of_a_pattern_there_are_paths_on_it_below_beside_and_outside() -> None:
    on, short, below, beside, outside = paths_around("/src/")
    found = [matches(["/src/"], path) for path in (on, short, below, beside, outside)]
    assert found == [True, True, True, True, False]
    on, short, below, beside, outside = paths_around("docs/*.md")
    found = [matches(["docs/*.md"], path) for path in (on, short, below, beside, outside)]
    assert found == [True, True, True, False, False]


def test_a_wildcard_becomes_as_little_as_may_be_and_a_word() -> None:
    assert paths_around("/src/**/*.p?")[:2] == ("src/probe/probe.pq", "src/.pq")
    assert paths_around("/src/**")[:2] == ("src/probe", "src/q")


def test_a_policy_that_names_the_unnamed_tool_hides_nothing_behind_it() -> None:
    named = Map[str, Verdict]([(UNNAMED, "deny")])
    strict, loose = Policy(posture="read-only", verdicts=named), Policy(verdicts=named)
    assert direction(strict, loose) == "loosen"


@pytest.mark.parametrize(
    "had",
    [("/src/probe*",), ("/src/?????", "/src/??????????"), ("/src/q*", "/src/*q"), ("/src/???*",)],
)
def test_a_wider_pattern_is_found_out_whatever_stood_there_before(had: tuple[str, ...]) -> None:
    assert direction(Policy(write_paths=had), Policy(write_paths=("/src/*",))) == "loosen"
