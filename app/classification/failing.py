"""What a test runner's output says: how many tests failed, and which."""

from __future__ import annotations

import re
from typing import Final

from app.classification.vocabulary import folded

MOST_NAMES = 64  # failing tests remembered of one run
DIGITS = 9  # of a count; nothing fails more often

_FAILED: Final = tuple(
    re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    for pattern in (
        r"^tests:?\s.*?\b(\d+) failed",  # jest, vitest: before the count of suites
        r"^(?!test (?:suites|files)).*?\b(\d+) (?:failed|failures?|failing)\b",
        r"\bfail(?:ed|ures?)?:\s*(\d+)",
        r"^# fail (\d+)",
    )
)
_ERRORS: Final = re.compile(  # the rest of a line is looked at once for each of its numbers
    r"\b(\d+) errors?\b(?=.{0,200}?\bin [\d.]+s)|\berrors:\s*(\d+)", re.IGNORECASE
)
_PASSED: Final = tuple(
    re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    for pattern in (
        r"\b(\d+) (?:passed|passing|examples?|tests? ran|tests? passed)\b",
        r"\bpass(?:ed)?:\s*(\d+)",
        r"^# pass (\d+)",
        r"tests run:\s*(\d+)",
        r"^Ran (\d+) tests?",
    )
)
# No pattern may look over the same blanks twice: a result may be nothing else.
_NAMES: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^(?:FAILED|ERROR) (\S+::\S+|\S+\.py)",  # pytest
        r"^[ \t]*--- FAIL: (\S+)",  # go
        r"^test (\S+) \.\.\. FAILED",  # cargo
        r"^rspec (\./\S+)",
        r"^(?:FAIL|ERROR): (.+)$",  # unittest
        r"^[ \t]*[\u25cf\u2715\u00d7\u2717\u2718] (.+)$",  # jest, vitest, mocha
        r"^not ok \d+ -? ?(.+)$",  # tap
        r"^[ \t]*Failed (\S+) \[",  # dotnet
        r"^[ \t]*\d+ - (\S+) \(Failed\)",  # ctest
        r"^(\S+ > .+) FAILED$",  # gradle
        r"^\[ERROR\]\s+(\w*Tests?\w*\.\w+):\d+",  # surefire
        r"^[ \t]*\d{1,3}\) (?!Failure:|Error:)(\S.*)$",  # exunit, rspec, phpunit, playwright
        r"^[ \t]*FAIL\s+(\S+\.\S+)",  # jest's files
    )
)
# What a runner adds to a name: (12 ms) by jest, 12ms by vitest; each run has another one.
_TOOK: Final = re.compile(r" (?:\(\d+(?:\.\d+)? ?m?s\)|\d+(?:\.\d+)?m?s)$")
_RED: Final = re.compile(r"^FAIL(?:ED)?\b", re.MULTILINE)


def number(digits: str) -> int:
    """A printed count; of one that is longer than any, the digits in front."""
    return int(digits[:DIGITS])


def failed_count(text: str, names: tuple[str, ...]) -> int | None:
    """Failed tests and errors of the last summary in a text; None when there is no summary.

    `names`: what `names_in` finds in the text.
    """
    small = folded(text)
    failed = _last(_FAILED, text) if "fail" in small else None
    errors = [number(a or b) for a, b in _ERRORS.findall(text)] if "error" in small else []
    if failed is None and not errors:
        told_red = names or _RED.search(text)
        return 0 if passed_count(text) and not told_red else None
    return (failed or 0) + (errors[-1] if errors else 0)


def passed_count(text: str) -> int | None:
    """Passed tests of the last summary in a text; None when there is no summary."""
    return _last(_PASSED, text)


def names_in(text: str) -> tuple[str, ...]:
    """The names of failing tests, sorted, each once."""
    for pattern in _NAMES:
        found = sorted({_TOOK.sub("", name.strip()) for name in pattern.findall(text)})
        if found:
            return tuple(found[:MOST_NAMES])
    return ()


def _last(patterns: tuple[re.Pattern[str], ...], text: str) -> int | None:
    for pattern in patterns:
        found = pattern.findall(text)
        if found:
            return number(found[-1])
    return None
