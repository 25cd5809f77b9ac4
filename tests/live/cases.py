"""Scripts for a real client: what the agent does step by step, and what has to come of it.

One JSON file each in tests/cases/live:

    name, why   what it is about
    files       files of the project besides those of project.py; null: that one is not there
    toml        settings of the daemon
    prompts     [{"says", "steps": [...], "answer"}]: what a person types, what the agent does
                then, and the words it ends its turn with
    after       every file that is another one at the end, with its text; null: it is gone
    log         the entries that changed something, oldest first, as judging.py writes them
    told        words that floorboss must have said to the agent
    untold      words that must stand in nothing it said

A step is {"tool", "given", "then", "changes"}: one call, how it ends (`ran`, `failed`, `timeout`,
`denied by RULE`, `asked by RULE`) and the paths that it changes, none where the key is missing.
`$PROJECT` stands for the project's folder.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parents[1] / "cases" / "live"
PROJECT: Final = "$PROJECT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call of the agent, and what has to come of it."""

    call_id: str
    tool: str
    given: dict[str, Any]
    then: str
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a person types, and what the agent makes of it."""

    says: str
    steps: tuple[Step, ...]
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One session with all that is expected of it."""

    name: str
    why: str
    toml: str
    files: dict[str, str | None]
    prompts: tuple[Prompt, ...]
    after: dict[str, str | None]
    log: tuple[str, ...]
    told: tuple[str, ...]
    untold: tuple[str, ...]

    @property
    def steps(self) -> tuple[Step, ...]:
        """All calls, in their order."""
        return tuple(step for prompt in self.prompts for step in prompt.steps)


def names() -> list[str]:
    """The names of all scripts."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def case(name: str, project: Path) -> Case:
    """One script, for a project that lies in that folder."""
    text = (FOLDER / f"{name}.json").read_text("utf-8").replace(PROJECT, str(project))
    said = json.loads(text)
    prompts = (_prompt(place, given) for place, given in enumerate(said["prompts"], 1))
    return Case(
        name=name,
        why=said["why"],
        toml=said.get("toml", ""),
        files=said.get("files", {}),
        prompts=tuple(prompts),
        after=said.get("after", {}),
        log=tuple(said["log"]),
        told=tuple(said.get("told", ())),
        untold=tuple(said.get("untold", ())),
    )


def _prompt(place: int, said: dict[str, Any]) -> Prompt:
    steps = (_step(f"toolu_{place:02}{at:02}", given) for at, given in enumerate(said["steps"], 1))
    return Prompt(says=said["says"], steps=tuple(steps), answer=said.get("answer", "Done."))


def _step(call_id: str, said: dict[str, Any]) -> Step:
    return Step(
        call_id=call_id,
        tool=said["tool"],
        given=said["given"],
        then=said["then"],
        changes=tuple(said.get("changes", ())),
    )
