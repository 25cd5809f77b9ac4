"""Recognise a test run in a command line, and what its output says of it.

    recognise(line)             which runner, which targets, which selector
    ended_run(event)            the same for a call that ended and came to something
    run_of(event, line, text)   the run with its result, its count and failing names

Lines that differ only in how tests run or are shown are runs of one target; six packages are six.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.classification.arguments import command_of, shortened
from app.classification.failing import failed_count, names_in, passed_count
from app.classification.outcomes import exit_code
from app.classification.proof import Shown, proves
from app.classification.remembering import remembered
from app.classification.shell import Member, split
from app.classification.testtargets import targets
from app.classification.testwrapping import inner, unwrapped
from app.classification.tools import tool_class
from app.classification.vocabulary import words
from app.domain.calls import TestResult, TestRun
from app.domain.events import Event

_RUNNERS: Final = words(
    "pytest py.test tox nox vitest jest mocha ava rspec phpunit ctest bats playwright cypress"
    " unittest karma behave minitest nextest gotestsum"
    " nose2 trial"
)
_SUBCOMMANDS: Final = {  # program -> its words that run tests
    **dict.fromkeys(
        words(
            "go cargo dotnet mix swift zig gradle gradlew mvn mvnw bazel rake flutter dart stack"
            " cabal sbt lein rails hatch django manage.py"
        ),
        ("test", "verify", "nextest"),
    ),
    **dict.fromkeys(words("make just task ninja"), ("test", "tests", "check")),
    **dict.fromkeys(words("npm pnpm yarn bun deno composer"), ("test", "t")),
}
_SCRIPTS: Final = words("npm pnpm yarn bun deno composer")
_GOALS: Final = words("mvn mvnw gradle gradlew")  # take several words of which one may test
# What makes a runner list its tests, or tell about itself, and run none.
_SHOWS: Final = words(
    "--collect-only --collectonly --co --version --help -h --fixtures --funcargs --markers"
    " --setup-plan --setup-only --fixtures-per-test --cache-show --listTests --list --list-tests"
    " --listenvs -list"
    " --no-run --notest --dry-run --just-print --show-only"
)
_SHOWS_BY: Final = {
    "pytest": words("-V -VV"), "make": words("-n -q -t --touch --question --recon"),
    "ctest": words("-N"), "tox": words("-l"), "vitest": words("list"),
}  # fmt: skip
_PROGRAM_IN_PROJECT: Final = re.compile(r"[^-=\s]*/[^/\s]+$")
_INSTALLED: Final = re.compile(
    r"^(?:/usr|/bin|/opt|~)/|(?:^|/)(?:\.?v?env|virtualenv|node_modules|vendor|\.\w+)/"
)
# Where no exit code is told: all that pytest says when it selected no test, which is its 5.
_NONE_RAN: Final = re.compile(
    r"^=* ?(?:no tests (?:ran|collected)|[0-9]{1,9} deselected)\b.{0,200} in [0-9.]{1,12}s\b",
    re.MULTILINE,
)
_UNKNOWN: Final = frozenset({2, 3, 4, 5, 6, 126, 127})  # pytest was stopped; no such program


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """A recognised run: its runner, its target key, and whether the shell's status is another's."""

    program: str
    runner: str  # the program, behind what else chooses what it runs
    target: str
    piped: bool
    place: int = 0  # which member of the line it is
    handed: bool = False  # another shell is handed the line in which it runs


@remembered
def recognise(line: str) -> Runner | None:
    """The first test run in a line, or None."""
    members = split(line)
    for at, member in enumerate(members):
        line_within = inner(member)
        if line_within is not None and len(line_within) < len(line):
            within = recognise(line_within)
            if within is not None:
                return replace(within, piped=True, place=at, handed=True)
        found = _runner(unwrapped(member))
        if found is not None and not _only_shows(*found):
            program, rest = found
            runner = " ".join((*_elsewhere(member), program))
            key = shortened(" ".join((runner, *sorted(targets(program.partition(" ")[0], rest)))))
            hides = member.joiner == "|" and "pipefail" not in line
            later = any(m.joiner in ("|", ";", "||", "\n") for m in members[at:-1])
            piped = hides or later
            return Runner(program=program, runner=runner, target=key, piped=piped, place=at)
    return None


def _elsewhere(member: Member) -> tuple[str, ...]:
    """The path of a runner that stands in the project itself, where no installed one does."""
    said = next((word for word in member.words if _PROGRAM_IN_PROJECT.match(word)), "")
    program = said.rpartition("/")[2]
    if program not in _RUNNERS or _INSTALLED.search(said):
        return ()
    return (f"{said}:",)


def _only_shows(runner: str, rest: Sequence[str]) -> bool:
    shows = _SHOWS | _SHOWS_BY.get(runner.partition(" ")[0], frozenset())
    return any(word.partition("=")[0] in shows for word in rest)


def _runner(said: tuple[str, ...]) -> tuple[str, tuple[str, ...]] | None:
    if not said:
        return None
    if said[0] in _RUNNERS:
        return ("pytest" if said[0] == "py.test" else said[0]), said[1:]
    plain = [word for word in said[1:] if not word.startswith("-")]
    subcommand = plain[0] if plain else ""
    if said[0] in _SCRIPTS and subcommand == "run" and plain[1:2] and "test" in plain[1]:
        return f"{said[0]} {plain[1]}", _without(said[1:], ("run", plain[1]))
    if said[0] == "node" and "--test" in said:
        return "node --test", said[1:]
    known = _SUBCOMMANDS.get(said[0], ())
    tests = next((word for word in plain if word in known or word.startswith("test:")), None)
    if tests is None or (tests != subcommand and said[0] not in _GOALS):
        return None
    return f"{said[0]} {tests}", _without(said[1:], (tests,))


def _without(said: Iterable[str], dropped: Sequence[str]) -> tuple[str, ...]:
    left = list(dropped)
    kept = []
    for word in said:
        if word in left:
            left.remove(word)
        else:
            kept.append(word)
    return tuple(kept)


def ended_run(event: Event) -> Runner | None:
    """The test run that a finished call was, where it can have come to red or green; else None."""
    if event.kind != "tool" or event.outcome not in ("ok", "error"):
        return None
    line = (
        command_of(event.arguments)
        if tool_class(event.tool or "", event.arguments) == "shell"
        else None
    )
    return None if line is None else recognise(line)


def run_of(event: Event, line: str, text: str) -> TestRun | None:
    """The test run that a finished shell call was, or None."""
    runner = recognise(line)
    if runner is None:
        return None
    names = names_in(text)
    failed, passed = _counts(event, text, names)
    result = _result(event, runner, names, failed, passed)
    if result == "red" and not failed and _none_ran(event, runner, names, text):
        result = "unknown"
    shown = Shown(program=runner.program, hidden=runner.piped, handed=runner.handed)
    if result == "green" and not proves(event, line, runner.place, shown):
        result = "unknown"
    red = result == "red"
    return TestRun(
        runner=runner.runner,
        target=runner.target,
        result=result,
        failed=failed if red and failed else None,
        names=names if red else (),
    )


def _counts(event: Event, text: str, names: tuple[str, ...]) -> tuple[int | None, int | None]:
    """Failed and passed tests: the adapter's numbers first, else the runner's summary."""
    if event.tests is not None:
        parts = [n for n in (event.tests.failed, event.tests.errors) if n is not None]
        return (sum(parts) if parts else None), event.tests.passed
    return failed_count(text, names), passed_count(text)


def _none_ran(event: Event, runner: Runner, names: tuple[str, ...], text: str) -> bool:
    """Whether an error without a code is only that no test was selected."""
    told = exit_code(event) is not None or names
    return runner.program == "pytest" and not told and _NONE_RAN.search(text) is not None


def _result(
    event: Event,
    runner: Runner,
    names: tuple[str, ...],
    failed: int | None,
    passed: int | None,
) -> TestResult:
    if event.outcome not in ("ok", "error"):
        return "unknown"
    if failed:
        return "red"
    code = exit_code(event)
    if failed == 0 and passed and (code in (0, None) or runner.piped):
        return "green"
    if runner.piped:
        return "red" if names else "unknown"
    if runner.program == "pytest" and code in _UNKNOWN:
        return "unknown"
    if code == 0 or (code is None and event.outcome == "ok"):
        return "unknown" if passed == 0 else "green"  # nothing failed, as nothing ran
    return "unknown" if code in (126, 127) else "red"
