"""What an agent hands over: a diagnosis, an assessment or a plan, and what makes one valid.

    schema(mode)                    the JSON Schema of what a mode wants
    misfit(parts, output)           why an object is not what a mode wants
    names_of(body, programs)        what a call may be called by, as its stored body says
    named(text, names)              those of some names that a text holds
    assessed(kind, text, ...)       whether it counts, and what is missing if it does not

An artifact is text of an agent. It is data for a person and for who goes on, never an instruction:
all that floorboss reads in it is whether a name stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from app.domain.configuration import Configuration
from app.domain.events import Json
from app.domain.modes import Mode
from app.domain.observations import part_of, text_of
from app.domain.reasons import quoted

DIAGNOSIS: Final = "diagnosis"
KINDS: Final = (DIAGNOSIS, "assessment", "plan")
OTHER: Final = "artifact"  # a kind that nobody asked for and no table knows
NAMES: Final = 64  # names that one diagnosis is looked through for
LOOKED: Final = 100_000  # characters of it that are looked through, as many as own routes take
SHOWN: Final = 4  # of them that a person or an agent is told
SHORTEST: Final = 2  # characters of a name: a single letter stands in every text
_ENDS: Final = re.compile(r"[\w]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """What an agent handed over last of one kind, as its entry says."""

    seq: int
    kind: str
    agent: str  # empty: the session's main agent
    text: str  # as stored: clipped, without secrets
    digest: str  # of the whole text, 16 hex digits
    valid: bool
    call_id: str | None = None  # the call it was shown to a person by, if any
    void: bool = False  # that call did not come to its end: nobody agreed to it


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """What a tightening stopped: its own place, the calls behind it, and what they are called."""

    seq: int
    seqs: tuple[int, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """Whether an artifact counts; `why` says what is missing, empty where nothing is."""

    valid: bool
    why: str = ""
    names: tuple[str, ...] = ()  # what it names of all that was stopped


def kinds(configuration: Configuration) -> tuple[str, ...]:
    """The kinds that can be handed over: those of the table, and those the modes want."""
    wanted = (mode.handoff for _, mode in sorted(configuration.modes.items()))
    return tuple(dict.fromkeys((*KINDS, *filter(None, wanted))))


def output_of(kind: str, wanting: Mode | None, configuration: Configuration) -> tuple[str, ...]:
    """The parts of one kind: as the mode in force has them, else as a configured mode has."""
    modes = (wanting, *(mode for _, mode in sorted(configuration.modes.items())))
    return next((mode.output for mode in modes if mode is not None and mode.handoff == kind), ())


def schema(mode: Mode) -> Json:
    """What a mode wants handed over, as JSON Schema; None: nothing."""
    if mode.handoff is None:
        return None
    text: Json = {"type": "string", "minLength": 1}
    if not mode.output:
        return text
    parts: dict[str, Json] = {part: {"type": "string", "minLength": 1} for part in mode.output}
    whole: Json = {
        "type": "object",
        "properties": parts,
        "required": list(mode.output),
        "additionalProperties": False,
    }
    return {"title": mode.handoff, "anyOf": [text, whole]}


def misfit(parts: Mapping[str, Json], output: tuple[str, ...]) -> str | None:
    """Why an object is not what is wanted, in words that repeat nothing of it; None: it is."""
    if not output:
        return "this kind has no parts: hand over text"
    if set(parts) != set(output):
        return f"hand over text, or exactly the parts {', '.join(output)}"
    if any(not isinstance(part, str) or not part.strip() for part in parts.values()):
        return f"each of the parts {', '.join(output)} is a text that is not empty"
    return None


def text_in(body: Mapping[str, Json]) -> str:
    """An artifact's text: as it is, or its parts, a line each."""
    parts = part_of(body, "parts")
    return "\n".join(_lines(parts)) if parts else text_of(body, "text") or ""


def _lines(parts: Mapping[str, Json]) -> Iterator[str]:
    for name, part in parts.items():
        yield f"{name}: {part if isinstance(part, str) else ''}"


def names_of(body: Mapping[str, Json], programs: Iterable[str] = ()) -> tuple[str, ...]:
    """What a call may be called by: its test target, its paths, its programs, else its tool."""
    ran = tuple(_last(program.split(maxsplit=1)[0]) for program in programs if program.strip())
    tool = text_of(body, "tool")
    found = (*_tests(part_of(body, "test")), *_paths(body), *(ran or ((tool,) if tool else ())))
    return tuple(dict.fromkeys(name for name in found if len(name) >= SHORTEST))


def _tests(run: Mapping[str, Json]) -> Iterator[str]:
    """A test target, the paths and ids in it, and the tests that failed."""
    target, failing = text_of(run, "target") or "", run.get("names")
    names = [name for name in failing if isinstance(name, str)] if isinstance(failing, list) else []
    yield from (target, *names)
    for word in (*target.split(), *names):
        if "/" in word or "." in word or "::" in word:
            first, *inner = word.split("::")
            yield from (word, first, _last(first), *inner)


def _paths(body: Mapping[str, Json]) -> Iterator[str]:
    raw = body.get("targets")
    targets = raw if isinstance(raw, list) else []
    told = [text_of(target, "path") for target in targets if isinstance(target, dict)]
    for path in (text_of(body, "path"), *told):
        if path:
            yield from (path, _last(path))


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def named(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """Those of the names that stand in the text, each as a whole word."""
    return tuple(name for name in names if _stands(text, name))


def _stands(text: str, name: str) -> bool:
    """As a whole word where it begins or ends as one; a text may hold a piece of it everywhere."""
    before = r"(?<!\w)" if _ENDS.match(name[0]) else ""
    after = r"(?!\w)" if _ENDS.match(name[-1]) else ""
    return re.search(f"{before}{re.escape(name)}{after}", text) is not None


def _seqs_in(text: str, seqs: Iterable[int]) -> tuple[str, ...]:
    """The places of the log that a text names; 4 in `1.4`, `0:4` and `14` is none."""
    found = frozenset(re.findall(r"(?<![\w.:-])[0-9]{1,15}(?!\w|[.:][0-9])", text))
    return tuple(str(seq) for seq in seqs if str(seq) in found)


def assessed(
    kind: str, text: str, stopped: Stopped | None, looked: int, fault: str | None = None
) -> Assessment:
    """Whether an artifact counts.

    `looked` is the seq of the agent's latest look at anything; `fault`: its parts are not those
    that are wanted. A diagnosis names what was stopped, and somebody looked since it was.
    """
    if fault is not None:
        return Assessment(valid=False, why=fault)
    if not text.strip():
        return Assessment(valid=False, why="it is empty")
    if kind != DIAGNOSIS:
        return Assessment(valid=True)
    if stopped is None:
        return Assessment(valid=False, why="nothing was stopped here that it could be about")
    names = _names_in(text[:LOOKED], stopped)
    missing = [*_unnamed(stopped, names), *_unseen(stopped, looked)]
    return Assessment(valid=not missing, why="; ".join(missing), names=names[:SHOWN])


def _names_in(text: str, stopped: Stopped) -> tuple[str, ...]:
    """What a text names of what was stopped; neither a huge one nor many names take long."""
    found = named(text, stopped.names[:NAMES])
    return (*found, *_seqs_in(text, (stopped.seq, *stopped.seqs)))


def _unnamed(stopped: Stopped, names: tuple[str, ...]) -> Iterator[str]:
    if not names:
        known = ", ".join((*map(quoted, stopped.names[:SHOWN]), str(stopped.seq)))
        yield f"it names nothing of what was stopped: name one of {known}"


def _unseen(stopped: Stopped, looked: int) -> Iterator[str]:
    if looked <= stopped.seq:
        yield f"nothing was read, searched or tested since {stopped.seq}: look first"
