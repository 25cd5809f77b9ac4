"""One search however it is spelt: by grep, rg, ag or git grep, with other flags, quotes or `./`.

searched(said)   the words of a command as what is looked for and where; None: no such search
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import Final

from app.classification.vocabulary import words

_PROGRAMS: Final = words("grep egrep fgrep rg ag ack ugrep")
_VALUED: Final = words("-A -B -C -m -j --max-count --color --colour --context --sort")
_PLACES: Final = words("-g -t -T --glob --type --include --exclude --exclude-dir --iglob")
_PATTERNS: Final = words("-e --regexp -f --file")
_OTHER: Final = frozenset("vLciowxF")  # short flags with another question, hence another answer


def searched(said: Sequence[str]) -> tuple[str, ...] | None:
    """What a search looks for, and where; the folder it stands in is not said."""
    if said[:2] == ("git", "grep"):
        said = said[1:]
    if not said or said[0].rsplit("/", 1)[-1] not in _PROGRAMS:
        return None
    plain, asked = _read(tuple(said[1:]))
    if not plain:
        return None
    places = (posixpath.normpath(word) for word in plain[1:])
    return ("search", plain[0], *(place for place in places if place != "."), *sorted(asked))


def _read(said: tuple[str, ...]) -> tuple[list[str], set[str]]:
    """The words that are no options, and the options that ask something else."""
    plain: list[str] = []
    asked: set[str] = set()
    given = iter(said)
    for word in given:
        name, sign, value = word.partition("=")
        if word in _VALUED:
            next(given, None)
        elif word in _PATTERNS:
            plain.insert(0, next(given, ""))
        elif name in _PLACES:
            asked.add(f"{name.lstrip('-')} {value if sign else next(given, '')}")
        elif word.startswith("-") and word != "-":
            asked.update(_questions(word))
        else:
            plain.append(word)
    return plain, asked


def _questions(flag: str) -> Iterator[str]:
    if flag.startswith("--"):
        yield from (flag,) if flag in ("--invert-match", "--files-without-match", "--count") else ()
    else:
        yield from (letter for letter in flag[1:] if letter in _OTHER)
