"""The probe grid: complete in what is finite, bounded where a person writes lists."""

from __future__ import annotations

from itertools import product

from immutables import Map

from app.domain.modes import EFFECTS, TOOL_CLASSES, ZONES, Verdict
from app.domain.patterns import matches
from app.domain.probes import MOST, grid, paths_around
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
    assert {*paths_around("/src/"), *paths_around("*.md")} <= paths


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


def test_a_path_lies_on_its_pattern_one_below_one_beside_and_one_outside() -> None:
    on, below, beside, outside = paths_around("/src/")
    assert [matches(["/src/"], path) for path in (on, below, beside, outside)] == [
        True, True, True, False,
    ]  # fmt: skip
    on, below, beside, outside = paths_around("docs/*.md")
    assert [matches(["docs/*.md"], path) for path in (on, below, beside, outside)] == [
        True, True, False, False,
    ]  # fmt: skip


def test_a_wildcard_becomes_a_name_that_no_other_pattern_names() -> None:
    assert paths_around("/src/**/*.p?")[0] == "src/probe-deep/probe-some.pq"
    assert paths_around("/src/**")[0] == "src/probe-any"
