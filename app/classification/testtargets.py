"""What a test command covers: the words that select tests, and the options nobody can vouch for.

    targets(program, said)   the words of a target's key, behind the runner's name

An option that is known to change only how tests run or are shown is left out. Any other belongs to
the key: a green run with it says nothing of a run without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from app.classification.vocabulary import words

# Options that are one with the word behind them.
_SELECTORS: Final = words("-k -m -t -run --run --filter -n --tests --testNamePattern")
_SEEDS: Final = words("--seed --random-seed --randomly-seed --random-order-seed")
_HARMLESS: Final = words(
    "--trace --seed --random-seed --testdox"
    " -- -B -U -i -ntp -race -cover -failfast -json -shuffle -nologo --all --all-features"
    " --asyncio-mode --bail --basetemp --batch-mode --cache-clear --capture --ci --code-highlight"
    " --color --colors --colour --console --continue --detectOpenHandles --disable-pytest-warnings"
    " --disable-warnings --dist --durations --durations-min --exitfirst --failed-first --ff"
    " --force-sugar --forceExit --forked --full-trace --info --instafail --junit-xml --junitxml"
    " --keep-going --locked --maxWorkers --maxfail --maxprocesses --new-first --nf --no-build"
    " --no-cache --no-color --no-cov --no-coverage --no-daemon --no-fail-fast --no-header"
    " --no-progress --no-restore --no-summary --no-transfer-progress --nocapture --nologo"
    " --numprocesses --offline --output-on-failure --passWithNoTests --progress --quiet --race"
    " --random-order --random-order-seed --randomly-seed --release --reporter --reporters"
    " --rerun-tasks --runInBand --show-capture --show-output --showlocals --silent --stacktrace"
    " --strict --strict-config --strict-markers --tb --test-reporter --test-threads --timeout"
    " --timeout-method --verbose --verbosity --watch --watchAll --workspace --xml"
    " -coverprofile -parallel -timeout"
)
_HARMLESS_SHAPES: Final = re.compile(
    r"-[vqsxl]+|-j\d*|-count=[1-9]\d*|--(?:cov|coverage|log|html)(?:-[\w-]+|\.[\w.]+)?"
)
_PYTEST_SHAPES: Final = re.compile(r"-r[A-Za-z]+|-W\S+|-n\w+")
_PYTEST_PLUGINS: Final = words("no:cacheprovider no:randomly no:warnings no:xdist no:logging")
_PYTEST_VALUES: Final = words("-n --tb --maxfail --durations --color --capture --timeout")
_NO_HARM_IN_MAKE: Final = words("-- -s --silent --quiet --keep-going --no-print-directory")
_REDIRECTS: Final = re.compile(r"\d?(?:>{1,2}\|?|<)|&>{1,2}")  # the file is the next word


def targets(program: str, said: Sequence[str]) -> Iterator[str]:
    """Words that say what is tested, and options that may say so."""
    at = 0
    while at < len(said):
        word, follows = said[at], said[at + 1] if at + 1 < len(said) else None
        if _REDIRECTS.fullmatch(word) or _is_seed(word, follows):
            at += 1
        elif follows is not None and _is_one_with_the_next(program, word):
            if not _is_harmless_pair(program, word, follows):
                yield f"{word} {follows}"
            at += 1
        elif _counts(program, word):
            yield word
        at += 1


def _is_seed(word: str, follows: str | None) -> bool:
    """The order of tests, with its number behind it: no other tests, no other selection."""
    return word in _SEEDS and follows is not None and follows.isdecimal()


def _is_one_with_the_next(program: str, word: str) -> bool:
    known = program == "pytest" and (word in _PYTEST_VALUES or word == "-p")
    return known or word in _SELECTORS


def _is_harmless_pair(program: str, word: str, follows: str) -> bool:
    if program != "pytest":
        return False
    return word in _PYTEST_VALUES or (word == "-p" and follows in _PYTEST_PLUGINS)


def _counts(program: str, word: str) -> bool:
    if re.match(r"\d?[<>]|&>", word):
        return False
    return not word.startswith("-") or not _is_harmless(program, word)


def _is_harmless(program: str, word: str) -> bool:
    name = word.partition("=")[0]
    if program == "make":
        return name in _NO_HARM_IN_MAKE or re.fullmatch(r"-j\d*", word) is not None
    if program == "pytest" and _PYTEST_SHAPES.fullmatch(word):
        return True
    shaped = _HARMLESS_SHAPES.fullmatch(word) or _HARMLESS_SHAPES.fullmatch(name)
    return name in _HARMLESS or shaped is not None
