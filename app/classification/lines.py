"""The effect of a shell line, by the interim rule of docs/design.md 4 (the parser comes later).

    drop `2>&1` and `2>/dev/null`, join continued lines, leave out the text of here-documents
    (plain.py)
    split at `&& || ; |` and newlines outside quotes
    each member: its first words stand in a table, and no `> < $ ( ) &` or backquote remains
    else it is unknown; unknown_closed where it names a closed path or runs code inline

`cd` is followed, so that `cd tests && rm a` names tests/a. The first part nobody could vouch for is
handed on for the refusal's text.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import dropwhile
from pathlib import Path

from app.classification.commands import (
    EVAL_WORDS,
    EVALUATORS,
    INTERPRETERS,
    RULES,
    WRAPPERS,
    WRITERS,
)
from app.classification.paths import Place, closed, targets
from app.classification.plain import plain
from app.classification.remembering import remembered
from app.classification.shell import Member, split
from app.domain.calls import Effect, Target

LONGEST = 16_000  # characters of a line that is looked at, without its here-documents
TEXT = 100_000  # characters of a line with them
LOOKED_UP = 2_000  # names of one line, in each folder it may be in, that are looked up
NAMED = 200  # names of one member that are looked at, and characters of it that are handed on
FOLDERS = 16  # places `cd` may have led to
_QUOTED = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\])*\"""", re.DOTALL)
_LEFT = re.compile(r"[><$()&`]|(?<!\S)#")
_COMMENT = re.compile(r"#[^'\"\\<]*")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_NAME = re.compile(r"[^\s'\"=:,;<>|&()$`{}\[\]]+")
_URL = re.compile(r"\b(?:https?|wss?|ssh)://[^\s'\"<>|&;()$`]*")
_VALUED = re.compile(
    r"-[A-Za-z]([^-=\s]\S*)|--(?:\S+-)?(?:dir|directory|out|output|dest|target|prefix|tree|path|file)"
    r"=(\S+)"
)
_EXPANDED = re.compile(r"[*?\[{]|^~(?!/|$)")
_OF_XARGS = re.compile(r"-\S+|\d+|\{\}")  # its options, and the values they may have
_DOCUMENT = re.compile(r"<<|<\(")  # what an interpreter is handed instead of a script
_SOURCED = re.compile(r"(?:source|\.)\s+<\(")
_UPDATING = re.compile(r" (?:-u(?= |$)|--?update|--snapshot-update|--inline-snapshot)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What a line or a part of it does; `part` is set where nobody could vouch for it."""

    effects: tuple[Effect, ...]
    targets: tuple[Target, ...] = ()
    part: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """Where a member stands: the place, and the folders `cd` may have led to."""

    place: Place
    folders: tuple[str, ...] = field(default=("",))

    def named(self, path: str) -> tuple[str, ...]:
        return tuple(str(Path(folder) / path) if folder else path for folder in self.folders)


def line_effects(line: str, place: Place, folder: str = "") -> Effects:
    """The effects of all parts of a line, its known targets, and the first unvouched part."""
    looked_at = plain(line) if len(line) <= TEXT else line
    if _too_much(looked_at):
        return Effects(effects=("unknown_closed",), part=line[:NAMED])
    found = tuple(_parts(looked_at, _Standing(place=place, folders=(folder,))))
    effects = tuple(dict.fromkeys(effect for part in found for effect in part.effects))
    named = tuple(dict.fromkeys(target for part in found for target in part.targets))
    if named and any(part.effects == ("git_restore",) and not part.targets for part in found):
        effects = (*effects, "unknown_closed")  # else the other parts' names would vouch for it
    unvouched = next((part.part for part in found if part.part is not None), None)
    return Effects(effects=effects or ("read",), targets=named, part=unvouched)


@remembered
def _too_much(line: str) -> bool:
    """Whether a line names more places than can be looked up while others wait for an answer."""
    if len(line) > LONGEST:
        return True
    moves = sum(member.words[:1] == ("cd",) for member in split(line))
    return len(_NAME.findall(line)) * min(1 << min(moves, 8), FOLDERS) > LOOKED_UP


@remembered
def commands_of(line: str) -> tuple[str, ...]:
    """The simple commands of a line without assignments and wrappers, for a policy's denials."""
    members = split(plain(line[:TEXT])[:LONGEST])
    words = (_started(tuple(member.text.strip("({! )").split())) for member in members)
    return tuple(" ".join(command) for command in words if command)


def _parts(line: str, standing: _Standing) -> Iterator[Effects]:
    """Each member's effects. After `&&` a `cd` has worked; after `;` and `||` it may not have."""
    previous, visited = "", standing
    fed: tuple[Member, ...] = ()  # the members whose output this one reads
    for member in split(line):
        if previous not in ("&&", "|", ""):
            standing = visited
        if member.words[:1] == ("cd",) and previous != "|":
            there = _moved(standing, member)
            visited = _either(visited, there or standing)
            if there is None or len(visited.folders) > FOLDERS:
                yield Effects(effects=("unknown_closed",), part=member.text[:NAMED])
                return
            standing = visited if previous == "||" else there
        elif not _COMMENT.fullmatch(member.text):
            fed = fed if previous == "|" else ()
            yield _part(member, standing, fed=fed)
            fed = (*fed, member)
        previous = member.joiner


def _either(one: _Standing, other: _Standing) -> _Standing:
    folders = tuple(dict.fromkeys((*one.folders, *other.folders)))
    return _Standing(place=one.place, folders=folders)


def _moved(standing: _Standing, member: Member) -> _Standing | None:
    """Where `cd` leads, or None where that cannot be told."""
    plain = len(member.words) == 2 and not member.words[1].startswith("-")
    sequence = member.joiner in ("&&", ";", "\n", "")
    if not plain or not sequence or _remains(member) or _EXPANDED.search(member.words[1]):
        return None
    return _Standing(place=standing.place, folders=standing.named(member.words[1]))


@lru_cache(256)
def _remains(member: Member) -> bool:
    """Whether something is left that the tables cannot see through."""
    bare = _QUOTED.sub(_active, member.text)
    return not member.words or member.joiner == "&" or _LEFT.search(bare) is not None


def _active(quoted: re.Match[str]) -> str:
    """What the shell still expands within quotes; a word stands for the rest."""
    text = quoted[0]
    return "".join(sign for sign in text if sign in "$`") if text.startswith('"') else "_"


def _part(member: Member, standing: _Standing, *, fed: tuple[Member, ...]) -> Effects:
    if _remains(member):
        return _unknown(member, standing, fed=fed)
    words = _started(member.words)
    found = _written(words, standing) if words == member.words else None
    found = found or _ruled(words, standing)
    assigned = any(map(_ASSIGNMENT.match, member.words[:1]))
    if found is None or (assigned and found.effects != ("test",)):
        return _unknown(member, standing, fed=fed)
    return found


def _started(words: tuple[str, ...]) -> tuple[str, ...]:
    """The command itself, behind assignments and programs that only start another one."""
    while words:
        wrapper = WRAPPERS.get(words[0])
        if wrapper is None and not _ASSIGNMENT.match(words[0]):
            return words
        words = words[1:]
        while wrapper is not None and words and wrapper.fullmatch(words[0]):
            words = words[1:]
    return ()


def _ruled(words: tuple[str, ...], standing: _Standing) -> Effects | None:
    words, standing = _within(words, standing)
    effect = _vouched(words)
    if effect is None:
        return None
    named = _restored(words, standing) if effect == "git_restore" else ()
    return Effects(effects=(effect,), targets=named)


@lru_cache(256)  # by the words alone, at most LONGEST characters of them
def _vouched(words: tuple[str, ...]) -> Effect | None:
    """What the table of commands says a simple command does; None: nothing."""
    line = shlex.join(words)
    for rule in RULES:
        if rule.starts.match(line) and not (rule.never and rule.never.search(line)):
            return rule.effect
    return None


def _within(words: tuple[str, ...], standing: _Standing) -> tuple[tuple[str, ...], _Standing]:
    """A git command without the options before its subcommand; `-C` is followed like `cd`."""
    while words[:1] == ("git",) and len(words) > 2:
        if words[1] == "--no-pager":
            words = ("git", *words[2:])
        elif words[1] == "-C":
            folders = standing.named(words[2])
            standing = _Standing(place=standing.place, folders=folders)
            words = ("git", *words[3:])
        else:
            break
    return words, standing


def _restored(words: tuple[str, ...], standing: _Standing) -> tuple[Target, ...]:
    """The files a git command names, where it names files and nothing else; else none."""
    rest = words[2:]
    if "--" in rest:
        named = rest[rest.index("--") + 1 :]
    elif words[1] in ("rm", "mv", "restore"):
        named = tuple(word for word in rest if not word.startswith("-"))
        if any(word in ("-s", "--source") or word.startswith("--pathspec") for word in rest):
            return ()
    else:
        return ()
    paths = tuple(path for word in named for path in standing.named(word))
    open_ended = any(_EXPANDED.search(word) or word.startswith(":") for word in named)
    found = targets(paths, standing.place)
    folder = any(_is_folder(path, standing.place) for path in paths)
    return () if open_ended or folder else found


def _written(words: tuple[str, ...], standing: _Standing) -> Effects | None:
    """What mkdir, rm, cp and the like write, where they only have plain options and plain names."""
    letters = WRITERS.get(words[0]) if words else None
    if letters is None:
        return None
    end = words.index("--") if "--" in words else len(words)
    options = [word for word in words[1:end] if word.startswith("-")]
    named = [word for word in words[1:end] if not word.startswith("-")] + list(words[end + 1 :])
    allowed = all(word[1:] and set(word[1:]) <= set(letters) for word in options)
    if not named or not allowed or any(map(_EXPANDED.search, named)):
        return None
    paths = tuple(
        path for word in _places(words[0], named, standing) for path in standing.named(word)
    )
    return Effects(effects=("write",), targets=targets(paths, standing.place))


def _places(program: str, named: list[str], standing: _Standing) -> tuple[str, ...]:
    """The names a program writes: into a folder each source by its own name, a moved one too."""
    if program not in ("cp", "mv"):
        return tuple(named)
    *sources, last = named
    into = last.endswith("/") or any(_is_folder(p, standing.place) for p in standing.named(last))
    copied = tuple(_inside(last, source) for source in sources) if into else (last,)
    return (*copied, *sources) if program == "mv" else copied


def _inside(folder: str, source: str) -> str:
    """Where a source lands in a folder; what a source such as `a/.` holds lands anywhere in it."""
    name = source.rstrip("/").rpartition("/")[2]
    return folder if name in ("", ".", "..") else f"{folder}/{name}"


def _is_folder(path: str, place: Place) -> bool:
    start = place.cwd or place.root
    try:
        return path in (".", "..") or bool(start and (Path(start) / path).is_dir())
    except (OSError, ValueError):
        return True


def _unknown(member: Member, standing: _Standing, *, fed: tuple[Member, ...]) -> Effects:
    near = _inline(member, piped=bool(fed)) or _names_closed(member, standing)
    near = near or (_is_handed(member, standing) and any(_names_closed(m, standing) for m in fed))
    effect: Effect = "unknown_closed" if near else "unknown"
    return Effects(effects=(effect,), part=member.text[:NAMED])


def _is_handed(member: Member, standing: _Standing) -> bool:
    """Whether what comes down the pipe are names, for a command that does more than read them."""
    if member.words[:1] != ("xargs",):
        return False
    command = tuple(dropwhile(_OF_XARGS.fullmatch, member.words[1:]))
    found = _ruled(command, standing)
    return bool(command) and (found is None or found.effects not in (("read",), ("test",)))


def _inline(member: Member, *, piped: bool) -> bool:
    """Whether a member runs code that stands in the line itself, or updates what tests expect."""
    words = member.words or tuple(member.text.split())
    if _UPDATING.search(f" {' '.join(words)}"):
        return True
    for place, word in enumerate(words):
        program = word.rpartition("/")[2].lstrip("$(`")
        letters = INTERPRETERS.get(program.rstrip("0123456789."))
        if letters is None:
            if place == 0 and (program in EVALUATORS or _SOURCED.match(member.text)):
                return True
            continue
        rest = words[place + 1 :]
        fed = piped and _reads_its_code(words[:place], rest)
        if (
            fed
            or _DOCUMENT.search(member.text)
            or any(_holds_code(option, letters) for option in _options(rest))
        ):
            return True
    return False


def _reads_its_code(before: tuple[str, ...], rest: tuple[str, ...]) -> bool:
    """Whether an interpreter without a script reads what comes down the pipe."""
    first = all(word in ("sudo", "env", "exec", "command") or word[:1] == "-" for word in before)
    script = next((word for word in rest if not word.startswith("-")), None)
    return first and (script is None or bool({"-s", "-"} & set(rest[: rest.index(script)])))


def _options(words: tuple[str, ...]) -> Iterator[str]:
    """The options of an interpreter before its script; `-m` and `-W` take the next word."""
    skip = False
    for word in words:
        if word == "-m":
            return
        if not skip and not word.startswith("-") and word not in EVAL_WORDS:
            return
        yield word
        skip = word in ("-W", "-X", "-I", "-r", "-o")


def _holds_code(option: str, letters: str) -> bool:
    short = re.match(r"-(?!-)[A-Za-z]*", option)
    name = option.partition("=")[0]
    return name in EVAL_WORDS or bool(short and set(short[0][1:]) & set(letters))


def _names_closed(member: Member, standing: _Standing) -> bool:
    """Whether a member names a test or guarded path; a bare word only where it stands alone."""
    words = {word.strip("()`;") for word in member.words} | set(_glued(member.words))
    text = _URL.sub("", " ".join((member.text, *member.words)))
    names = dict.fromkeys((*_NAME.findall(text), *_glued(member.words)))
    if len(names) > NAMED:
        return True
    paths = (name for name in names if name in words or "/" in name or "." in name)
    found = (path for name in paths for path in standing.named(name))
    return any(closed(path, standing.place) and _is_path(path, standing.place) for path in found)


def _glued(words: tuple[str, ...]) -> tuple[str, ...]:
    """The values that stand in one word with their options: `-Ctests`, `--out-dir=tests`."""
    return tuple(value[1] or value[2] for value in map(_VALUED.fullmatch, words) if value)


def _is_path(path: str, place: Place) -> bool:
    """Whether a name is one; `test` is also what many programs are told to do."""
    start = place.cwd or place.root or ""
    return path != "test" or os.path.lexists(Path(start) / path)
