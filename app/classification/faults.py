"""What the output of a compiler, checker, linter or builder says: how many errors, and which.

    faults(text)   the errors of a masked text, their number by its own summary, and a digest of all
    sound(text)    whether a text says that nothing is wrong

An error is the same at another line of its file, in another order, and after another time.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from app.classification.arguments import digest
from app.classification.failing import MOST_NAMES, number
from app.classification.vocabulary import folded, holds

LOOKED_AT: Final = 1_000  # lines of a text that can tell of an error
_LONGEST: Final = 300  # characters of a line that are looked at
_SHOWN: Final = 60  # characters of a file's name in a fault's name

# In front of a builder's own line: a step of BuildKit with its seconds, terraform's bar.
_FRONT: Final = r"(?:#[N\d]+ (?:\d+\.\d+ )?|[ \t│|>*]|\[[^\]\n]{1,40}\] )*"
_PLACED: Final = re.compile(  # file:line:column: or file(line,column):
    _FRONT + r"(?:ERROR:? |e: )?((?:file://)?[\w@~+./\\:-]*?\.\w{1,8})[:(]\[?\d+"
    # each number behind the first in one way alone, or a row of them takes for ever
    r"(?:[:,.]\s?\d+|\(\[?\d+|:\[\d+|[)\]]+[:(]\[?\d+)*[)\]]*"
    r"(?::|\s+-)?\s+(?!(?:note|warning|info|hint|help|remark)\b)(\S.*)",
    re.IGNORECASE,
)
_LED: Final = re.compile(  # a word that begins an error's line
    _FRONT
    + r"((?:fatal |type |internal compiler |cmake |build |collect2: |ld: )?error\b(?:\[\w+\])?"
    r"|error TS\d+|e:|FAILED|FATAL|npm (?:ERR!|error)|make(?:\[\d+\])?: \*\*\*|failed to "
    r"|\*\* \(|!|[A-Z]\w*(?:Error|Exception))(?:[: ]|$)\s*(.*)",
    re.IGNORECASE,
)
_ROW: Final = re.compile(r"\s+\d+:\d+\s+(error|✖)\s+(.*)", re.IGNORECASE)  # eslint, stylelint
_LINKED: Final = re.compile(r"undefined (?:reference to|symbols?)\b(.*)")
_HEADING: Final = re.compile(r"[\w@~+./\\-]*[\w-]\.\w{1,8}:?$")  # the file that rows are of
_CODE: Final = re.compile(
    r"\b(?:TS|CS|E|F|W|C|S|RUF|SC|NU|MSB|NG)\d{2,5}\b|\[[\w-]+\]\s*$|(?<=^error\[)\w+"
)
_SUMS: Final = re.compile(  # an output may hold several such summaries, one a crate or file
    r"could not compile .* due to (?:(\d+) )?previous errors?|^(\d+) errors? generated",
    re.MULTILINE,
)
_COUNTED: Final = re.compile(
    r"(?<![#:.,\w-])(\d+) (?:errors?|problems?|offenses|issues|error\(s\)|files? would be"
    r" reformatted)(?![\w(])",
    re.IGNORECASE,
)
_TALLIES: Final = re.compile(  # lines that count errors are none
    r"\b\d+ (?:previous )?(?:errors?|problems?|offenses|issues|warnings?)\b|^errors?: \d+$"
    r"|due to previous error",
    re.IGNORECASE,
)
_NUMBERS: Final = re.compile(r"(?<=[:,(\[])\d+(?:[:,]\s?\d+)*|\bline \d+|\bexit code:? \d+")
_SOUND: Final = re.compile(
    r"\bSuccess: no issues found|All checks passed|^[ \t]*Finished `?\w|BUILD SUCCESS"
    r"|Build succeeded|ompiled successfully|\bFound 0 errors|\b0 errors\b|built in [\d.]"
    r"|no offenses detected|left unchanged|configuration is valid",
    re.MULTILINE,
)
_HINTS: Final = (
    "error",
    "exception",
    "fail",
    "fatal",
    "***",
    "undefined",
    "err!",
    "✖",
    ".",
    "** (",
)
_TOTALS: Final = ("error", "problem", "offense", "issues", "reformatted")


class Faults(NamedTuple):
    """What a text says is wrong."""

    number: int | None = None  # by its summary, else of the errors with a place; None: neither
    names: tuple[str, ...] = ()  # `file code digest` each, sorted; 64 at most
    digest: str | None = None  # of all that looks like an error; None: nothing does


def faults(text: str) -> Faults:
    """The errors of a masked text; those without a place in a file have names where it counts them.

    A builder that fails tells in some lines of its own, as do those that called it: how many such
    lines there are says nothing, so they have a digest and neither a number nor names.
    """
    placed, led = _told(text)
    count = _total(text)
    said = placed or led
    whole = digest("faults", *sorted(placed | led)) if said else None
    if count is None and not placed:
        return Faults(digest=whole)
    names = tuple(sorted(placed | led if count is not None else placed)[:MOST_NAMES])
    return Faults(number=len(placed) if count is None else count, names=names, digest=whole)


def _told(text: str) -> tuple[set[str], set[str]]:
    """The errors that name a place, and the others."""
    placed: set[str] = set()
    led: set[str] = set()
    heading = ""
    for line in text.splitlines()[-LOOKED_AT:]:
        said = line[:_LONGEST].rstrip()
        if not said or not holds(folded(said), _HINTS):
            continue
        if _HEADING.match(said):
            heading = said
        elif found := _placed(said, heading):
            placed.add(found)
        elif found := _led(said):
            led.add(found)
    return placed, led


def _placed(line: str, heading: str) -> str | None:
    if found := _PLACED.match(line):
        return _named(found[1], found[2])
    if row := _ROW.match(line):
        return _named(heading, row[2])
    linked = _LINKED.search(line)
    return None if linked is None else _named("", linked[0])


def _led(line: str) -> str | None:
    found = _LED.match(line)
    if found is None or not found[2] or _TALLIES.search(line):
        return None
    return _named("", f"{found[1]} {found[2]}")


def _named(file: str, said: str) -> str:
    code = _CODE.search(said)
    message = _NUMBERS.sub("N", said).strip()
    parts = (file[-_SHOWN:], code[0].strip(" []") if code else "", digest(message.lower())[:8])
    return " ".join(part for part in parts if part)


def _total(text: str) -> int | None:
    """Errors by the last summary in a text, those of several crates or files together."""
    if not holds(folded(text), _TOTALS):
        return None
    parts = [number(crate or file or "1") for crate, file in _SUMS.findall(text)]
    if parts:
        return sum(parts)
    counted = _COUNTED.findall(text)
    return number(counted[-1]) if counted else None


def sound(text: str) -> bool:
    """Whether a text says that all is well."""
    return _SOUND.search(text) is not None
