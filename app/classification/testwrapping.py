"""The command that a member of a line runs in the end, without what stands around it.

unwrapped(member)   its words: no brackets, keywords, variables, wrappers and their options
inner(member)       the line that a shell is handed (`bash -c LINE`, `eval LINE`); else None
conditional(member) whether what stands around it decides, changes or hides how it ends
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from app.classification.shell import Member
from app.classification.vocabulary import phrases, words

# The longest first.
_WRAPPERS: Final = phrases(
    "docker compose run|docker compose exec|docker-compose run|docker-compose exec|docker exec"
    "|coverage run -m|uv run|poetry run|pdm run|hatch run|pipenv run|rye run|pixi run|conda run"
    "|pnpm exec|yarn exec|npm exec|bundle exec|npx|uvx|bunx|timeout|xvfb-run|sudo|env|time|nohup"
    "|command|exec|stdbuf|nice|xargs|setsid|unbuffer|catchsegv|chronic|flock"
)
_SERVICES: Final = words("docker docker-compose flock")  # the word behind names where it runs
_VALUES: Final = words(
    "-s -k -u -g -n -X -W -C -e -w -I -L -P --with --python --extra --group --signal --kill-after"
    " --name --directory --project --package --env --env-file --workdir"
)
_KEYWORDS: Final = words("if then elif else while until do ! {")
_OPENS: Final = re.compile(r"^(?:(?:[A-Za-z_]\w*=)?\"?(?:\$\(|`)|\()+")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_PYTHON: Final = re.compile(r"(?:python|pypy)[\d.]*|py")
_MODULE: Final = re.compile(r"-[A-Za-z]*m")
_SHELLS: Final = words("bash sh zsh dash ksh")
_COMMAND: Final = re.compile(r"-[A-Za-z]*c")


def unwrapped(member: Member) -> tuple[str, ...]:
    """The words of the program that runs in the end, its folder left out."""
    said = _closed(member.words or tuple(member.text.split()))
    while said:
        shorter = _without_front(said)
        if shorter is None:
            return (_based(said[0]), *said[1:])
        said = shorter
    return said


def inner(member: Member) -> str | None:
    """The line that a shell is handed by this member, as far as it is said."""
    said = unwrapped(member)
    if not said or (said[0] not in _SHELLS and said[0] != "eval"):
        return None
    if said[0] == "eval":
        return " ".join(said[1:])
    at = next((at for at, word in enumerate(said) if _COMMAND.fullmatch(word)), len(said))
    return said[at + 1] if at + 1 < len(said) else None


def conditional(member: Member) -> bool:
    """Whether a member stands behind a keyword, in a substitution or in a wrapper's loop."""
    said = member.words or tuple(member.text.split())
    first = said[0] if said else ""
    around = first in _KEYWORDS or first.lstrip("(") in _KEYWORDS or "xargs" in said
    return around or "`" in first or "$(" in first


def _closed(said: Sequence[str]) -> tuple[str, ...]:
    """A command without the brackets that close what it is the last one of."""
    if not said or "(" in said[-1].lstrip("("):
        return tuple(said)
    last = said[-1].rstrip(')"`') if said[-1].endswith((")", ')"', "`")) else said[-1]
    return (*said[:-1], last) if last else tuple(said[:-1])


def _without_front(said: tuple[str, ...]) -> tuple[str, ...] | None:
    """What is behind the first word, where that is no program of its own; None: it is one."""
    first = said[0]
    if first in _KEYWORDS or (_ASSIGNMENT.match(first) and not _OPENS.match(first)):
        return said[1:]
    if opened := _OPENS.match(first):
        rest = first[opened.end() :]
        return (rest, *said[1:]) if rest else said[1:]
    based = (_based(first), *said[1:])
    if _PYTHON.fullmatch(based[0]):
        return _module(said)
    found = next((each for each in _WRAPPERS if based[: len(each)] == each), None)
    return None if found is None else _behind(based, len(found))


def _module(said: tuple[str, ...]) -> tuple[str, ...] | None:
    """Of `python OPTIONS -m MODULE ...` what begins with the module; of `python manage.py` that."""
    at = 1
    while at < len(said) and said[at].startswith("-"):
        if _MODULE.fullmatch(said[at]):
            return said[at + 1 :]
        at += 2 if said[at] in ("-X", "-W") else 1
    return said[at:] if said[at : at + 1] and said[at].endswith("manage.py") else None


def _behind(said: tuple[str, ...], at: int) -> tuple[str, ...]:
    """What a wrapper of so many words runs: behind its options, a number and a service."""
    while at < len(said) and (said[at].startswith("-") or said[at][:1].isdigit()):
        at += 2 if said[at] in _VALUES else 1
    return said[at + (said[0] in _SERVICES) :]


def _based(word: str) -> str:
    return word.rsplit("/", 1)[-1] or word
