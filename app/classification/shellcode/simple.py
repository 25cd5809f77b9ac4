"""One simple command: what its words come to, after its variables and redirections.

a function of the line      what its body does
a wrapper                   the command behind it
a word of the shell         builtins.py: `cd`, `export`, `eval` and the like
a program of the tables     commands.py, tables.py, special.py, git.py
anything else               unknown
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final

from app.classification.commands import RULES, UPDATES
from app.classification.shellcode import git
from app.classification.shellcode.builtins import BUILTIN
from app.classification.shellcode.found import PART, READS, Effects, UnreadableError, unknown
from app.classification.shellcode.inner import Inner
from app.classification.shellcode.interpreting import runs_inline, shell_text
from app.classification.shellcode.marks import ANY, UNSAID, literal
from app.classification.shellcode.patterns import find, xargs
from app.classification.shellcode.reach import globbed, messages_aside, names_closed, reached
from app.classification.shellcode.special import SPECIAL
from app.classification.shellcode.state import After, State, Words, same, with_arguments
from app.classification.shellcode.tables import BUILTINS, SHELLS
from app.classification.shellcode.variables import is_harmless
from app.classification.shellcode.wrapping import Wrapped, wrapped
from app.classification.shellcode.writing import writes, written_by
from app.domain.calls import Effect

_SYSTEM: Final = frozenset(
    {"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/opt/homebrew/bin"}
)
# tree-sitter takes these for programs where they open or close nothing.
_RESERVED: Final = frozenset({"do", "done", "elif", "else", "esac", "fi", "then", "}"})
_NAME: Final = re.compile(r"[\w./~@+-]+")
_TOOLS: Final = ("venv/bin", "node_modules/.bin", "vendor/bin")
_WITHIN: Final[Mapping[str, Callable[..., After]]] = {"find": find, "xargs": xargs}


def run(words: Words, text: str, state: State, inner: Inner) -> After:
    """What is known behind a command; what it does is added to the findings."""
    state.findings.count()
    if not words:
        return same(state)
    if words[0] in _RESERVED:
        raise UnreadableError
    name = _program(words[0])
    words = (name, *words[1:])
    if name in state.functions:
        return _called(name, words[1:], state, inner)
    if state.renamed.get(name):
        return _add(unknown(text, closed=True), words, state)
    if ANY.search(name) or name in state.renamed:
        return _add(unvouched(words, text, state), words, state)
    if state.bent and name not in BUILTIN:
        return _add(_bent(words, text, state), words, state)
    behind = wrapped(words) if not _asks(words) else None
    if behind is not None:
        return _behind(behind, text, state, inner)
    return _by_name(name, words, text, state, inner)


def _bent(words: Words, text: str, state: State) -> Effects:
    """A command under a variable that may make another one of it; git may still do what it says."""
    found = unvouched(words, text, state)
    if words[0] != "git":
        return found
    effect = ruled(shlex.join(git.plain(words, state).words))
    return found if effect in (None, "read") else replace(found, effects=(effect, *found.effects))


def _asks(words: Words) -> bool:
    """Whether a wrapper only shows something: `command -v x`, `env` alone."""
    return words[:2] in (("command", "-v"), ("command", "-V")) or words == ("env",)


def _program(word: str) -> str:
    """A program without the folder it stands in, where that is one of the system or of tools."""
    folder, _, name = word.rpartition("/")
    return name if folder in _SYSTEM or folder.endswith(_TOOLS) else word


def _called(name: str, arguments: Words, state: State, inner: Inner) -> After:
    """A call of a function that the line defines."""
    state.findings.called.add(name)
    variables = with_arguments(state.variables, arguments)
    start = replace(state.deeper(), variables=variables)
    ends = [inner.node(body, start) for body in state.functions[name]]
    return After(
        ok=replace(ends[0].ok, depth=state.depth), any=replace(ends[0].any, depth=state.depth)
    )


def _behind(behind: Wrapped, text: str, state: State, inner: Inner) -> After:
    inside = state
    for variable, value in behind.variables:
        if not is_harmless(variable, (value,), state):
            return _add(_bent(behind.words or ("env",), text, state), behind.words, state)
        inside = inside.assigned(variable, (value,))
    if behind.folder is not None:
        inside = inside.moved(inside.named(behind.folder))
    if not behind.words:
        return _add(READS, (), state)
    after = run(behind.words, text, inside, inner)
    return same(state) if inside is not state else after


def _by_name(name: str, words: Words, text: str, state: State, inner: Inner) -> After:
    state.findings.commands.append(" ".join(words))
    if name in BUILTIN:
        return BUILTIN[name](words, text, state, inner)
    if name in _WITHIN:
        return _WITHIN[name](words, text, state, inner)
    if name in SHELLS:
        return _shell(words, text, state, inner)
    state.findings.add(_does(name, words, text, state))
    return same(state)


def _add(part: Effects, words: Words, state: State) -> After:
    if words:
        state.findings.commands.append(" ".join(words))
    state.findings.add(part)
    return same(state)


def _shell(words: Words, text: str, state: State, inner: Inner) -> After:
    """A shell that is handed its text in the line is read like the line itself."""
    told = shell_text(words)
    handed = state.feed.text
    if told is not None:
        inside = replace(state, variables=with_arguments(state.variables, told[1], first=0))
        inner.text(told[0], inside)
    elif handed is not None and literal(handed) and words[1:] in ((), ("-s",), ("-",), ("-e",)):
        inner.text(handed, replace(state, variables=with_arguments(state.variables, ())))
    elif words[1:2] == ("-n",) and len(words) > 2:
        state.findings.add(READS)
    else:
        state.findings.add(_does(words[0], words, text, state))
    return same(state)


def _does(name: str, words: Words, text: str, state: State) -> Effects:
    """What a program does by the tables."""
    if name == "git":
        return _git(words, text, state)
    if name in ("make", "gmake") and words[1:2] == ("-C",) and len(words) > 3:
        inside = replace(state, folders=state.named(words[2]))
        if ruled(shlex.join(("make", *words[3:]))) == "test":
            return _does(name, ("make", *words[3:]), text, inside)
    if name in BUILTINS:
        return READS
    effect = ruled(shlex.join(words))
    if effect is not None and not (_has_limits(name) and any(map(UNSAID.match, words[1:]))):
        return Effects(effects=(effect,))
    if _updates(words):
        return unvouched(words, text, state)
    special = SPECIAL.get(name)
    found: Effects | None
    found = special(words, state, text) if special else written_by(words, state, text)
    return found if found is not None else unvouched(words, text, state)


@lru_cache(4096)
def ruled(line: str) -> Effect | None:
    """The effect of a command by the table of first words."""
    for rule in RULES:
        if rule.starts.match(line) and not (rule.never and rule.never.search(line)):
            return rule.effect
    return None


@lru_cache(1024)
def _has_limits(name: str) -> bool:
    """Whether an option may make a program do more than its first words say."""
    return any(rule.never is not None and rule.starts.match(name) for rule in RULES)


def unvouched(words: Words, text: str, state: State) -> Effects:
    """A command that nobody can vouch for; closed by what it names, runs or is handed."""
    words = globbed(words, state)
    near = (
        runs_inline(words, state)
        or _updates(words)
        or names_closed(messages_aside(words), state)
        or names_closed((state.feed.text or "").split(), state)
        or _tells_of_closed(messages_aside(words), state)
        or _runs_written(words, state)
    )
    return unknown(text, closed=near)


def _tells_of_closed(words: Words, state: State) -> bool:
    """Whether a text among the words, which may be run, names a closed folder that is there."""
    names = (name for word in words if " " in word for name in _NAME.findall(word))
    return any(
        state.disk.is_folder(path) and names_closed((path,), state)
        for name in dict.fromkeys(names)
        for path in state.named(name)
    )


def _runs_written(words: Words, state: State) -> bool:
    """Whether a command is handed a file that the line itself has written before."""
    filled = state.findings.filled
    return bool(filled) and not filled.isdisjoint(reached(words, state).targets)


def _updates(words: Words) -> bool:
    """Whether a test runner would write what its tests expect."""
    line = shlex.join(words)
    return UPDATES.search(line) is not None and any(
        rule.effect == "test" and rule.starts.match(line) for rule in RULES
    )


def _git(words: Words, text: str, state: State) -> Effects:
    plain = git.plain(words, state)
    effect = ruled(shlex.join(plain.words))
    if plain.bent:
        closed = any("!" in word or "=" in word for word in words) or names_closed(words, state)
        bent = unknown(text, closed=closed)
        return bent if effect in (None, "read") else replace(bent, effects=(effect, *bent.effects))
    made = git.created(plain.words, plain.state) if len(plain.words) > 1 else None
    if made is not None:
        return writes(made, text)
    if effect is None and git.sets(plain.words):
        return unknown(text, closed=True)
    if any(map(UNSAID.match, plain.words[1:2])):
        return unknown(text, closed=True)
    if effect is None:
        return unvouched(words, text, state)
    if effect != "git_restore":
        return Effects(effects=(effect,))
    found = git.restored(plain.words, plain.state)
    return Effects(
        effects=(effect,),
        targets=found.targets,
        part=None if found.targets else text.strip()[:PART],
    )
