"""Recognise a build, a type check or a linter in a line, and what its output says of it.

    built(line)                     which program, and what it is asked to check
    build_of(event, line, text)     the same with how it ended; None: the line is none
    tests_of(event, text)           tests that a tool ran which is no shell

A line of any program whose output holds a test runner's own summary counts as one too, and its
target is the line. None of them says anything about the test boundary, which knows test runs alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from app.classification.arguments import digest, shortened
from app.classification.failing import failed_count, names_in
from app.classification.faults import Faults, faults, sound
from app.classification.outcomes import exit_code, looks_on
from app.classification.recognition import core, pace
from app.classification.remembering import remembered
from app.classification.shell import split
from app.classification.testwrapping import inner, unwrapped
from app.classification.vocabulary import folded, holds, words
from app.domain.calls import BuildRun, TestResult
from app.domain.events import Event

LONGEST: Final = 160  # characters of a target

# Programs that do nothing else.
_CHECKERS: Final = words(
    "tsc vue-tsc svelte-check mypy dmypy pyright basedpyright pyre pytype ty ruff eslint flake8"
    " pylint black isort prettier biome oxlint stylelint rubocop standardrb shellcheck yamllint"
    " hadolint golangci-lint staticcheck phpstan psalm ktlint detekt swiftlint clang-tidy cppcheck"
    " gcc g++ cc c++ clang clang++ cl rustc javac kotlinc scalac ghc swiftc fpc nvcc ninja cmake"
    " meson webpack rollup esbuild tsup parcel xcodebuild msbuild latexmk pdflatex xelatex"
    " sphinx-build elm-make buf protoc tflint"
)
_WORDS: Final = {  # program -> its words that build or check
    "cargo": words("rustc doc"),
    "go": words("build vet install"),
    "dotnet": words("build publish restore"),
    **dict.fromkeys(
        words("gradle gradlew"),
        words("build assemble check classes compileJava compileKotlin bootJar jar lint"),
    ),
    **dict.fromkeys(words("mvn mvnw"), words("compile package install validate")),
    **dict.fromkeys(
        words("swift zig bazel stack cabal dune hatch poetry nx mkdocs"), words("build")
    ),
    **dict.fromkeys(words("next vite astro nuxt ng gatsby remix tsdown hugo"), words("build lint")),
    "turbo": words("build lint typecheck"),
    "mix": words("compile credo dialyzer"),
    "sbt": words("compile package"),
    "lein": words("compile check"),
    "flutter": words("build analyze"),
    "dart": words("analyze compile"),
    **dict.fromkeys(words("terraform tofu"), words("plan apply validate init")),
    "helm": words("lint template"),
    "packer": words("build validate"),
    "pre-commit": words("run"),
    **dict.fromkeys(words("docker podman nerdctl"), words("build buildx")),
    "docker-compose": words("build"),
}
_COMPILES: Final = words("build b check c clippy")  # of cargo: one compiler, the same errors
_SCRIPTS: Final = words("npm pnpm yarn bun deno")
_SCRIPT: Final = re.compile(r"(?:^|[:-])(?:build|compile|lint|check|type-?check|types?|tsc)")
_ENDS: Final = ("ok", "error")
_NO_BUILD: Final = words("clean distclean help test tests")  # of make and just
_ASKS: Final = words("--version -v -V --help -h -n --dry-run --list")
_VALUED: Final = words(
    "-j -o -f --jobs --color --colour --progress --output --log-level --pretty --format"
    " --output-format --message-format --max-warnings > >> 2> &>"
)
_PLACES: Final = words("--prefix --filter --cwd --dir -C -w")  # the word behind is no script
_HIDES: Final = ("|", ";", "||", "\n", "&")

_SUMMARY: Final = re.compile(
    r"^=* ?\d+ (?:passed|failed|errors?)\b[^\n]* in [\d.]+s|^test result: (?:ok|FAILED)\."
    r"|^[ \t]*Tests:?[ \t]+[^\n]*\b\d+ (?:passed|failed)\b|^(?:FAIL|ok[ ])\t\S+|^--- FAIL: "
    r"|^[ \t]+\d+ (?:passing|failing)\b|^Ran \d+ tests? in |^\d+ examples?, \d+ failures?"
    r"|Tests run: \d+, Failures: \d+|^# (?:pass|fail) \d+$|^OK \(\d+ tests?,"
    r"|^(?:Passed|Failed)! +- Failed:|tests passed, \d+ tests? failed|^\d+ tests?, \d+ failures?"
    r"|^\d+ runs, \d+ assertions, \d+ failures|^\d+ tests completed, \d+ failed",
    re.MULTILINE,
)
_SUMMED: Final = (
    *(" passed", " failed", " failures", " passing", " failing", " error in ", " errors in "),
    *("test result:", "--- fail", "fail\t", "ok  \t", "ran ", "tests run:", "# pass", "# fail"),
    *("ok (", "passed!", "failed!"),
)


class Built(NamedTuple):
    """A recognised build: its program, what it covers, and whether its status is another's."""

    runner: str
    target: str
    hidden: bool


@remembered
def built(line: str) -> Built | None:
    """The first build, type check or linter of a line, or None."""
    members = split(line)
    folder = ""
    for at, member in enumerate(members):
        within = inner(member)
        if within is not None and len(within) < len(line):
            found = built(within)
            if found is not None:
                return found
        said = unwrapped(member)
        if said[:1] == ("cd",):
            folder = _last(said)
        elif runner := _program(said):
            hidden = any(m.joiner in _HIDES for m in members[at:-1]) and "pipefail" not in line
            return Built(runner, _target(runner, said, folder), hidden)
    return None


def _last(said: Sequence[str]) -> str:
    return said[-1].rstrip("/").rsplit("/", 1)[-1] if len(said) > 1 else ""


def _program(said: tuple[str, ...]) -> str | None:
    """The program and its word that builds, where these words are a build."""
    if not said or any(word in _ASKS for word in said[1:2]):
        return None
    plain = [w for at, w in enumerate(said) if at and w[0:1] != "-" and said[at - 1] not in _PLACES]
    first = plain[0] if plain else ""
    if said[0] in _CHECKERS:
        return said[0]
    if said[0] in ("make", "gmake", "just", "task"):
        return None if any(word in _NO_BUILD for word in plain) else said[0]
    if said[0] in _SCRIPTS:
        script = plain[1] if first == "run" and plain[1:] else first
        return f"{said[0]} {script}" if _SCRIPT.search(script) else None
    if said[:2] == ("docker", "compose"):
        return "docker compose build" if "build" in plain[1:2] else None
    if said[0] == "cargo" and first in _COMPILES:
        return "cargo build"
    word = next((w for w in plain if w.rpartition(":")[2] in _WORDS.get(said[0], ())), None)
    goals = said[0] in ("mvn", "mvnw", "gradle", "gradlew", "terraform", "tofu", "turbo", "nx")
    return f"{said[0]} {word}" if word and (word == first or goals) else None


def _target(runner: str, said: Sequence[str], folder: str) -> str:
    """What tells one build from another: its words without options, and the folder it runs in."""
    kept = [word for at, word in enumerate(said) if at and not _option(said, at)]
    compiles = _COMPILES if runner == "cargo build" else frozenset[str]()
    dropped = {*runner.split(), *compiles, *(("run",) if said[0] in _SCRIPTS else ())}
    words_of_it = [word for word in kept if word not in dropped]
    where = (f"in {folder}",) if folder else ()
    return _short(" ".join((runner, *words_of_it, *where)))


def _option(said: Sequence[str], at: int) -> bool:
    return said[at].startswith("-") or "=" in said[at] or said[at - 1] in _VALUED or ">" in said[at]


def _short(text: str) -> str:
    return shortened(text, LONGEST)


def build_of(event: Event, line: str, text: str, answer: str) -> BuildRun | None:
    """What a finished shell call built or checked; None: nothing that is known to.

    `answer` is the text with what changes by itself masked.
    """
    if event.outcome not in _ENDS:
        return None
    found = built(line)
    if found is None:
        return _summarised(event, line, text)
    if _worked(event) and not found.hidden:
        return _build(found.runner, found.target, "green", Faults())
    wrong = _tests_in(text) if _has_summary(text) else Faults()
    wrong = wrong if wrong.number or wrong.names else faults(answer)
    return _build(found.runner, found.target, _result(event, found, text, wrong), wrong)


def _worked(event: Event) -> bool:
    return event.outcome == "ok" and exit_code(event) in (0, None)


def _build(runner: str, target: str, result: TestResult, wrong: Faults) -> BuildRun:
    red = result == "red"
    return BuildRun(
        runner=runner,
        target=target,
        result=result,
        failed=wrong.number if red and wrong.number else None,
        names=wrong.names if red else (),
        digest=wrong.digest if red else None,
    )


def _tests_in(text: str) -> Faults:
    """Failed tests, as a test runner's summary tells them."""
    names = names_in(text)
    told = digest("tests", *names) if names else None
    return Faults(number=failed_count(text, names), names=names, digest=told)


def _result(event: Event, found: Built, text: str, wrong: Faults) -> TestResult:
    bad = bool(wrong.number) or (wrong.number is None and wrong.digest is not None)
    if found.hidden:
        if bad and not sound(text):
            return "red"
        return "green" if sound(text) or not text.strip() else "unknown"
    code = exit_code(event)
    other = (sound(text) and not bad) or (found.runner.endswith(" plan") and code == 2)
    return "unknown" if other or code in (126, 127) else "red"


def _summarised(event: Event, line: str, text: str) -> BuildRun | None:
    """A line that is no known build and printed the summary of a test runner."""
    if pace(line) != "work" or looks_on(line):
        return None
    return _ran_tests(event, f"line {_short(core(line))}", text)


def tests_of(event: Event, text: str) -> BuildRun | None:
    """The tests that a tool ran which is no shell, told by a runner's summary in its answer."""
    return _ran_tests(event, f"tool {event.tool}", text) if event.outcome in _ENDS else None


def _ran_tests(event: Event, target: str, text: str) -> BuildRun | None:
    if not _has_summary(text):
        return None
    wrong = _tests_in(text)
    red = wrong.number or wrong.names or event.outcome == "error"
    return _build("tests", target, "red" if red else "green", wrong)


def _has_summary(text: str) -> bool:
    return holds(folded(text), _SUMMED) and _SUMMARY.search(text) is not None
