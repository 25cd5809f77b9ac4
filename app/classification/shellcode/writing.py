"""Programs that write what they are told to: which places, by the tables of tables.py."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from app.classification.shellcode.found import READS, Effects, unknown
from app.classification.shellcode.marks import HOLE, NEAR, UNSAID, vanishes
from app.classification.shellcode.options import Told, told_apart
from app.classification.shellcode.reach import Reached, globbed, reached
from app.classification.shellcode.state import State, Words
from app.classification.shellcode.tables import (
    FORMATTERS,
    PACKED,
    PROGRAMS,
    UNFILLED,
    Formatter,
    Program,
)
from app.domain.calls import Effect

_CLOSED: Final = ("test", "guarded")
_LINKING: Final = frozenset({"s", "l", "symbolic-link", "link"})  # `cp -s`
_MODES: Final = frozenset("rwx")  # `chmod -x a`: the mode looks like an option


def writes(reach: Reached, text: str) -> Effects:
    """What writing these places comes to."""
    effects: list[Effect] = ["write"] if reach.targets else []
    if not reach.unsure:
        return Effects(effects=tuple(effects), targets=reach.targets) if effects else READS
    unsaid = unknown(text, closed=reach.closed)
    return Effects(effects=(*effects, *unsaid.effects), targets=reach.targets, part=unsaid.part)


def written_by(words: Words, state: State, text: str) -> Effects | None:
    """What a program of the tables does with these arguments; None where no table says."""
    program = PROGRAMS.get(words[0])
    if program is None:
        return formatted_by(words, state, text)
    told = told_apart(words[1:], program.flags, program.valued)
    if told is None or (program.quiet and told.has(program.quiet)):
        return READS if told is not None else None
    if program.switches and not told.has(program.switches):
        return READS
    if program.operands in ("read", "named_by_url") and _may_be_option(told.operands):
        return None
    told = replace(told, operands=globbed(told.operands, state))
    places = tuple(_places(words[0], program, told, state))
    found = reached(places, state, deep=program.deep)
    if words[0] not in UNFILLED:
        state.findings.filled.update(found.targets)
    if program.operands == "linked" or (words[0] == "cp" and told.has(_LINKING)):
        state.findings.links.update(path for place in places for path in state.named(place))
    return writes(found, text)


def _may_be_option(operands: Words) -> bool:
    return any(UNSAID.match(word) for word in operands)


def _places(name: str, program: Program, told: Told, state: State) -> Iterator[str]:
    yield from (value for value in _outputs(name, program, told) if value != "-")
    match program.operands:
        case "written":
            skip = 0 if name == "chmod" and told.has(_MODES) else program.skip
            yield from told.operands[skip:]
            if program.quiet:
                yield from _packed(PACKED.get(name, ""), told.operands)
        case "first":
            yield from told.operands[:1]
        case "copied" | "moved" | "linked":
            yield from _copied(name, program, told, state)
        case "named_by_url":
            yield from _downloaded(name, program, told)
        case "read":
            pass


def _outputs(name: str, program: Program, told: Told) -> Words:
    """The files that options name; curl puts its downloads into the folder that it is told."""
    folders = told.values(program.into)
    if name != "curl" or not folders:
        return told.values(program.outputs)
    downloads = frozenset({"o", "output"})
    others = told.values(program.outputs - downloads)
    return (*others, *(f"{folders[-1]}/{value}" for value in told.values(downloads)))


def _packed(ending: str, operands: Words) -> Iterator[str]:
    """What a packer writes beside its operand: with its ending, or without one."""
    for word in operands:
        yield f"{word}{ending}" if ending else word.rpartition(".")[0] or word


def _copied(name: str, program: Program, told: Told, state: State) -> Iterator[str]:
    """The names written: into a folder each source by its own name; a moved one, too."""
    if name == "install" and told.has(frozenset({"d", "directory"})):
        yield from told.operands
        return
    yield from _behind_vanished(told.operands, state)
    into = told.values(program.into)
    sources, last = (told.operands, into[-1]) if into else (told.operands[:-1], told.operands[-1:])
    if not sources:
        yield from _alone(name, told.operands)
        return
    last = last if isinstance(last, str) else last[0]
    if name == "rsync" and ":" in last:
        yield HOLE  # on another machine
        return
    inside = bool(into) or last.endswith("/") or len(sources) > 1 or _is_folder(last, state)
    for source in sources:
        there = _inside(last, source) if inside else last
        yield there
        yield from _held(source, there, state)
        if name == "cp" and told.has(_LINKING):
            yield from _linked(source, there, state)
        if program.operands == "moved":
            yield source
        elif program.operands == "linked":
            yield from _linked(source, there, state)
    if name == "rsync" and told.has(frozenset({"delete", "delete-after", "delete-excluded"})):
        yield last


def _behind_vanished(operands: Words, state: State) -> Iterator[str]:
    """Near, where the last word may be none at all and the one before it names a closed path."""
    left = tuple(word for word in operands if not vanishes(word))
    if operands and left and vanishes(operands[-1]):
        found = reached(left[-1:], state)
        if found.closed or any(target.zone in _CLOSED for target in found.targets):
            yield NEAR


def _alone(name: str, operands: Words) -> Iterator[str]:
    """A link whose only operand names what it leads to stands here by its name."""
    if name == "ln":
        yield from (word.rstrip("/").rpartition("/")[2] or HOLE for word in operands)
        yield from operands


def _held(source: str, there: str, state: State) -> Iterator[str]:
    """The tests that a copied folder brings along, where they land."""
    for path in state.named(source):
        if not UNSAID.search(path) and state.disk.is_folder(path):
            under = state.disk.below(path)
            yield from (HOLE,) if under is None else (f"{there}/{name}" for name in under)


def _linked(source: str, there: str, state: State) -> Iterator[str]:
    """What a link leads to, where that is closed: what is written through it is written there."""
    beside = (
        f"{there.rpartition('/')[0]}/{source}" if "/" in there and source[:1] != "/" else source
    )
    for path in (source, beside):
        found = reached((path,), state, deep=True)
        if found.unsure or any(target.zone in _CLOSED for target in found.targets):
            yield path


def _is_folder(path: str, state: State) -> bool:
    return any(state.disk.is_folder(each) for each in state.named(path))


def _inside(folder: str, source: str) -> str:
    """Where a source lands in a folder; what a source such as `a/.` holds lands anywhere in it."""
    name = source.rstrip("/").rpartition("/")[2]
    return folder if name in ("", ".", "..") else f"{folder.rstrip('/') or '/'}/{name}"


def _downloaded(name: str, program: Program, told: Told) -> Iterator[str]:
    """What a download is written to by its address, unless an option names it or prints it."""
    by_name = name == "wget" or told.has(frozenset({"O", "remote-name"}))
    quiet = told.has(frozenset({"spider"})) or (name == "wget" and told.values(program.outputs))
    if not by_name or quiet or told.has(frozenset({"J"})):
        yield from (HOLE,) if told.has(frozenset({"J"})) else ()
        return
    folder = next(iter(told.values(program.into)), "")
    for address in told.operands:
        last = address.partition("?")[0].rpartition("/")[2] or "index.html"
        yield f"{folder}/{last}" if folder else last


def formatted_by(words: Words, state: State, text: str) -> Effects | None:
    """What a program that rewrites sources does: known files it writes, below folders it may."""
    for name in (words[0], " ".join(words[:2])):
        formatter = FORMATTERS.get(name)
        if formatter is not None:
            return _formatted(formatter, words[len(name.split()) :], state, text)
    return None


def _formatted(formatter: Formatter, rest: Words, state: State, text: str) -> Effects | None:
    said = {word.partition("=")[0] for word in rest}
    if said & formatter.quiet or (formatter.switches and not said & formatter.switches):
        return READS
    places, skipped = [], False
    for word in rest:
        if not word.startswith("-") and not skipped:
            places.append(word)
        skipped = word in formatter.valued
    places = [place.removesuffix("/...") for place in places if place != "-"] or ["."]
    found = reached(places, state, deep=True)
    folders = any(_is_folder(place, state) or UNSAID.search(place) for place in places)
    if not folders:
        return writes(found, text)
    named = reached(places, state)
    if named.closed or any(t.zone in _CLOSED and t.path != "." for t in named.targets):
        return unknown(text, closed=True)
    if found.unsure or any(target.zone in _CLOSED for target in found.targets):
        return unknown(text, closed=False)  # tests keep what they say in another style
    return writes(found, text)
