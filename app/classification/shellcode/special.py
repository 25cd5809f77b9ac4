"""Programs whose arguments are a language of their own: sed, awk, dd, tar, unzip, patch."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Final

from app.classification.patches import diffed, headers
from app.classification.shellcode.found import READS, Effects, unknown
from app.classification.shellcode.marks import HOLE, literal
from app.classification.shellcode.options import told_apart
from app.classification.shellcode.reach import holds_closed, names_closed, reached
from app.classification.shellcode.scripts import awk_only_prints, sed_only_edits
from app.classification.shellcode.state import State, Words
from app.classification.shellcode.writing import writes, written_by

_SED_FLAGS: Final = frozenset("nErsuz") | {
    "quiet", "silent", "regexp-extended", "separate", "null-data", "unbuffered", "posix",
}  # fmt: skip
_SED_IN_PLACE: Final = re.compile(r"-[nErsuz]*i[^/*]*|--in-place(?:=[^/*]*)?")
_AWK_FLAGS: Final = frozenset("S") | {"sandbox", "posix", "re-interval"}
_AWK_VALUED: Final = frozenset("Fv") | {"field-separator", "assign"}
_METHOD: Final = ("-X", "--request")
_VENV_FLAGS: Final = frozenset({"clear", "upgrade-deps", "without-pip", "system-site-packages"})
_TAR_FLAGS: Final = frozenset("ctxvzjJapPkmhSZ") | {
    "create", "list", "extract", "get", "verbose", "gzip", "bzip2", "xz", "no-same-owner",
    "overwrite", "keep-old-files", "no-same-permissions", "wildcards", "zstd",
}  # fmt: skip
_TAR_VALUED: Final = frozenset("fCTX") | {
    "file", "directory", "strip-components", "exclude", "transform", "strip", "exclude-from",
    "exclude-vcs", "files-from",
}  # fmt: skip


def sed(words: Words, state: State, text: str) -> Effects | None:
    """sed prints, or edits its files in place; a script that does more is unknown."""
    in_place = any(_SED_IN_PLACE.fullmatch(word) for word in words[1:])
    rest = tuple(word for word in words[1:] if not _SED_IN_PLACE.fullmatch(word))
    told = told_apart(rest, _SED_FLAGS, frozenset({"e", "expression", "l"}))
    if told is None:
        return None
    scripts, files = told.values(frozenset({"e", "expression"})), told.operands
    if in_place and files[:1] == ("",):  # `sed -i '' s/a/b/ a`, as on macOS
        files = files[1:]
    if not scripts:
        scripts, files = files[:1], files[1:]
    if not scripts or not all(_is_harmless(script) for script in scripts):
        return None
    return writes(reached(files, state), text) if in_place else READS


def _is_harmless(script: str) -> bool:
    """Whether a script only edits; a variable in it could say anything, to sed as well."""
    return literal(script) and sed_only_edits(script)


def awk(words: Words, state: State, text: str) -> Effects | None:
    """awk prints; a program that runs something or writes a file is unknown."""
    told = told_apart(words[1:], _AWK_FLAGS, _AWK_VALUED, leading=True)
    if told is None or not told.operands or not literal(told.operands[0]):
        return None
    options = any(word.startswith("-") for word in told.operands[1:])
    return READS if awk_only_prints(told.operands[0]) and not options else None


def dd(words: Words, state: State, text: str) -> Effects | None:
    """dd writes what `of=` names."""
    if any(HOLE in word.partition("=")[0] for word in words[1:]):
        return None
    named = tuple(word[3:] for word in words[1:] if word.startswith("of="))
    return writes(reached(named, state), text)


def tar(words: Words, state: State, text: str) -> Effects | None:
    """tar lists, packs into a file, or unpacks into a folder nobody knows which files."""
    rest = words[1:]
    if rest and not rest[0].startswith("-"):
        rest = (f"-{rest[0]}", *rest[1:])
    told = told_apart(rest, _TAR_FLAGS, _TAR_VALUED)
    if told is None:
        return None
    if told.has(frozenset({"t", "list"})):
        return READS
    if told.has(frozenset({"c", "create"})):
        packed = (name for name in told.values(frozenset({"f", "file"})) if name != "-")
        return writes(reached(packed, state), text)
    folders = told.values(frozenset({"C", "directory"}))
    return unpacked(folders[-1] if folders else ".", state, text)


def unzip(words: Words, state: State, text: str) -> Effects | None:
    """unzip lists, or unpacks into a folder."""
    told = told_apart(words[1:], frozenset("oqnjvultpLaCZ1"), frozenset("dx"))
    if told is None:
        return None
    if told.has(frozenset("lvtpZ")):
        return READS
    folders = told.values(frozenset("d"))
    return unpacked(folders[-1] if folders else ".", state, text)


def unpacked(folder: str, state: State, text: str) -> Effects:
    """What unpacking into a folder comes to: it may write whatever lies there."""
    if holds_closed((folder,), state):
        return unknown(text, closed=True)
    found = reached((folder,), state)
    if found.unsure or any(target.path == "." for target in found.targets):
        return unknown(text, closed=found.closed)
    return writes(found, text)


def patch(words: Words, state: State, text: str) -> Effects | None:
    """patch writes the file it is given, else what the patch names; else it is as `git apply`."""
    told = told_apart(
        words[1:],
        frozenset("EsNRflubctTvZ") | {"dry-run", "forward", "reverse", "silent", "verbose"},
        frozenset("pidor") | {"input", "directory", "strip", "output", "reject-file"},
    )
    if told is None:
        return None
    if told.has(frozenset({"dry-run"})):
        return READS
    outputs = told.values(frozenset({"o", "output", "r", "reject-file"}))
    folders = told.values(frozenset({"d", "directory"}))
    if told.operands:
        within = "".join(f"{folder}/" for folder in folders[-1:])
        names = (*told.operands[:1], *outputs)
        places = (name if name.startswith("/") else f"{within}{name}" for name in names)
        return writes(reached(places, state), text)
    named = diffed(state.feed.text or "")
    if not named or folders:
        return Effects(effects=("git_restore",), part=None)
    return writes(reached((*named, *outputs), state), text)


def apply_patch(words: Words, state: State, text: str) -> Effects | None:
    """apply_patch writes what the headers of its patch name."""
    handed = words[1] if len(words) == 2 else state.feed.text
    named = headers(handed) if handed and literal(handed) else ()
    if named:
        return writes(reached(named, state), text)
    unsaid = handed is not None and not literal(handed)
    return unknown(text, closed=unsaid or names_closed(words, state))


def curl(words: Words, state: State, text: str) -> Effects | None:
    """curl fetches; what it sends with another method changes something elsewhere."""
    sent = [word for before, word in pairwise(words) if before in _METHOD]
    if any(word not in ("GET", "HEAD") for word in sent) or "%output" in "".join(words):
        return None
    return written_by(words, state, text)


def venv(words: Words, state: State, text: str) -> Effects | None:
    """`python -m venv` writes the folder it names; python itself is nobody's."""
    rest = words[3:] if words[1:3] == ("-m", "venv") else ()
    told = told_apart(rest, _VENV_FLAGS, frozenset({"prompt"}))
    return writes(reached(told.operands, state), text) if told and told.operands else None


SPECIAL: Final[Mapping[str, Callable[[Words, State, str], Effects | None]]] = {
    "apply_patch": apply_patch,
    "applypatch": apply_patch,
    "awk": awk,
    "curl": curl,
    "dd": dd,
    "gawk": awk,
    "gsed": sed,
    "gtar": tar,
    "mawk": awk,
    "patch": patch,
    "python": venv,
    "python3": venv,
    "sed": sed,
    "tar": tar,
    "unzip": unzip,
}
