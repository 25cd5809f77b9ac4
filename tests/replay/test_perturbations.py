"""The corpus as other harnesses would tell it, with noise in it: what fires stays what fires.

perturbing.py has the table. Where something fired nowhere as the scenario stands, nothing may fire
when it is told differently.
"""

from __future__ import annotations

import copy
from typing import Any, Final

import pytest

from tests.replay.cases import case_of, corpus
from tests.replay.perturbing import PERTURBATIONS, perturbed, places_of
from tests.replay.renaming import renamed, through_shell
from tests.replay.runs import scenarios
from tests.replay.scoring import configuration, score

RECALL: Final = 0.9


@pytest.fixture(scope="module")
def quiet() -> set[str]:
    """The scenarios in which nothing fires as they stand."""
    scored = score(corpus(), configuration())
    return {each.case.name for each in scored.results if not each.fired}


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_told_differently_the_same_agents_are_stuck(name: str, quiet: set[str]) -> None:
    told = [case_of(perturbed(raw, PERTURBATIONS[name])) for raw in scenarios()]
    scored = score(told, configuration())
    assert scored.recall >= RECALL, {each.case.name: each.fired for each in scored.missed}
    loud = {each.case.name: each.fired for each in scored.results if each.fired}
    assert loud.keys() & quiet == set(), loud


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_a_perturbation_changes_how_it_is_told_and_not_what_happened(name: str) -> None:
    raws = scenarios()
    before = copy.deepcopy(raws)
    changed = 0
    for raw in raws:
        told = [place[0] for place in places_of(raw["events"], PERTURBATIONS[name])]
        changed += perturbed(raw, PERTURBATIONS[name])["events"] != raw["events"]
        assert [each.get("outcome") for each in told] == [e.get("outcome") for e in raw["events"]]
    assert raws == before
    assert changed


def test_the_event_at_which_something_is_due_moves_along_with_what_is_put_in_between() -> None:
    (raw,) = [raw for raw in scenarios() if raw["id"] == "edf-01-old-string-missing"]
    told = perturbed(raw, PERTURBATIONS["a read after every third call"])
    due = raw["expect"]["by_turn"]
    assert told["events"][told["expect"]["by_turn"] - 1] == raw["events"][due - 1]
    assert told["expect"]["by_turn"] == due + (due - 1) // 3


def test_what_is_read_in_between_is_read_once() -> None:
    for raw in scenarios():
        told = perturbed(raw, PERTURBATIONS["a read after every third call"])
        more = [each for each in told["events"] if each not in raw["events"]]
        assert len({each["result"] for each in more}) == len(more)
        assert len({each["arguments"]["file_path"] for each in more}) == len(more)


PATCH: Final = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+z\n*** End Patch"
EDIT: Final = {"file_path": "a", "old_string": "x", "new_string": "z"}


@pytest.mark.parametrize(
    ("harness", "tool", "arguments", "expected"),
    [
        ("Codex", "Edit", EDIT, ("apply_patch", {"input": PATCH})),
        ("Codex", "BashOutput", {"bash_id": "b"}, ("write_stdin", {"session_id": "b"})),
        ("Gemini CLI", "apply_patch", {"input": PATCH}, ("replace", EDIT)),
        ("Gemini CLI", "apply_patch", {}, ("replace", {})),
        (
            "Gemini CLI",
            "Read",
            {"file_path": "a", "offset": 11, "limit": 10},
            ("read_file", {"file_path": "a", "start_line": 11, "end_line": 20}),
        ),
        ("OpenCode", "apply_patch", {"input": PATCH}, ("apply_patch", {"patchText": PATCH})),
        ("OpenCode", "mcp__crm__list", {"cursor": "c"}, ("crm_list", {"cursor": "c"})),
        ("OpenCode", "browser_click", {"index": 1}, ("browser_click", {"index": 1})),
    ],
)
def test_a_call_as_another_harness_has_it(
    harness: str, tool: str, arguments: dict[str, Any], expected: tuple[str, dict[str, Any]]
) -> None:
    told = renamed({"tool": tool, "arguments": arguments}, harness)
    assert (told["tool"], told["arguments"]) == expected


@pytest.mark.parametrize(
    ("tool", "arguments", "line"),
    [
        ("Read", {"file_path": "/w/a b.py"}, "cat '/w/a b.py'"),
        ("Read", {"file_path": "a", "offset": 11, "limit": 10}, "sed -n 11,20p a"),
        ("Grep", {"pattern": "x y", "path": "src"}, "rg -n 'x y' src"),
        ("Glob", {"pattern": "*.py"}, "rg --files -g '*.py'"),
        ("list_directory", {"path": "/w"}, "ls -la /w"),
        ("Bash", {"command": "make"}, "make"),
    ],
)
def test_a_call_as_a_shell_line_of_codex(tool: str, arguments: dict[str, Any], line: str) -> None:
    told = through_shell({"tool": tool, "arguments": arguments, "outcome": "error"})
    assert (told["tool"], told["arguments"]["cmd"]) == ("exec_command", line)
