"""What the shell makes of a word: quotes, variables, braces and blanks, as far as it can be told.

    expanded(word, state)   the words it becomes
    value(word, state)      the values it has behind `name=`, where nothing is split

What cannot be told stands in the result as a sign of marks.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import product, zip_longest
from typing import Final

from tree_sitter import Node

from app.classification.shellcode.braces import braced
from app.classification.shellcode.found import UnreadableError
from app.classification.shellcode.marks import (
    ANY,
    CLOSE,
    COMMA,
    DEEP,
    GAP,
    HOLE,
    NEAR,
    ONE,
    OPEN,
    STAR,
    VANISHING,
    literal,
    unbraced,
    unquoted,
)
from app.classification.shellcode.reach import names_closed
from app.classification.shellcode.state import State, Words
from app.classification.shellcode.substituted import printed
from app.classification.shellcode.syntax import text_of

MOST: Final = 64  # words that one word may become
_BARE: Final = re.compile(r"[\w./:@%+=-]+")  # most words: they are what they say
_WORD: Final = re.compile(r"(?:\\.|[^\s\\'\"`$;|&<>()])*", re.DOTALL | re.ASCII)
_SIGN: Final = re.compile(
    r"\\(?P<escaped>.)|(?P<deep>\*\*+)|(?P<star>\*)|(?P<one>\?|\[[^\]\[/]+\])"
    r"|(?P<open>\{)|(?P<comma>,)|(?P<close>\})",
    re.DOTALL,
)
_SIGNS: Final = {
    "deep": DEEP,
    "star": STAR,
    "one": ONE,
    "open": OPEN,
    "comma": COMMA,
    "close": CLOSE,
}
_IN_DOUBLE: Final = re.compile(r"\\([\"\\$`\n])")
_BARE_DOLLAR: Final = re.compile(r"(?<!\\)(?:\\\\)*\$(?=[\w{(@*#?$!'-])")
_ANSI: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|u([0-9a-fA-F]{1,4})|(.))", re.DOTALL
)
_ANSI_SIGNS: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "e": "\x1b", "E": "\x1b"}
_PLAIN: Final = frozenset({"extglob_pattern", "number", "test_operator", "variable_name", "word"})
_TOGETHER: Final = frozenset(
    {"command_name", "concatenation", "translated_string", "variable_assignment"}
)
_NAMES: Final = frozenset({"variable_name", "special_variable_name", "subscript"})
_SIGNS_WITHIN: Final = re.compile(r"[{}%#:^,!]+")
# All arguments, or all of an array: as many words as there are.
_LIST: Final = re.compile(r"\"?\$(?:([@*])|\{(\w+|@)(?:\[[@*]\])?\})\"?")


def alternatives(word: tuple[Node, ...], state: State) -> tuple[Words, ...]:
    """The words that one word becomes, once for each value that its variables may have."""
    text = text_of(word[0]) if len(word) == 1 else ""
    if _BARE.fullmatch(text):
        return ((text,),)
    found = _LIST.fullmatch(text)
    if found is not None:
        name = found[1] or found[2]
        return (state.value(name) if name in state.variables else (VANISHING,),)
    quoted = any(node.type in ("string", "raw_string", "ansi_c_string") for node in word)
    return tuple(dict.fromkeys(_fields(way, quoted) for way in _ways(word, state)))


def _fields(way: str, quoted: bool) -> Words:
    fields = tuple(field for text in braced(way, MOST) for field in text.split(GAP))
    return tuple(unbraced(field) for field in fields if field or quoted)


def expanded(word: tuple[Node, ...], state: State) -> Words:
    """All words that one word may become, whatever its variables hold."""
    return tuple(field for way in alternatives(word, state) for field in way)


def value(word: tuple[Node, ...], state: State) -> Words:
    """The values that a word has behind `name=`."""
    ways = (way.replace(VANISHING, HOLE).replace(GAP, " ") for way in _ways(word, state))
    return tuple(map(unbraced, ways))


def _ways(word: tuple[Node, ...], state: State) -> Words:
    """The texts a word may be, one for each value that its variables may have."""
    parts = list(_parts(word, state))
    count = 1
    for part in parts:
        count *= len(part)
    if count > MOST:
        return (HOLE,)
    texts = ("".join(way) for way in product(*parts))
    return tuple(_tilde(text, word[0], state) if text[:1] == "~" else text for text in texts)


def _parts(word: tuple[Node, ...], state: State) -> Iterator[Words]:
    """The parts of a word; plain text that the tree has cut is put together first."""
    plain, half = "", False
    leaves = list(_leaves(word))
    for leaf, behind in zip_longest(leaves, leaves[1:]):
        if leaf.type in _PLAIN or not (leaf.is_named or leaf.type == "$"):
            plain += text_of(leaf)
            continue
        if plain:
            yield (_plain(plain),)
            half, plain = half or "[" in plain, ""
        yield _piece(leaf, behind, state)
    if half and "]" in plain:  # a pattern with quotes in its brackets
        yield (NEAR,)
    elif plain:
        yield (_plain(plain),)


def _leaves(word: Iterable[Node]) -> Iterator[Node]:
    for node in word:
        if node.type in _TOGETHER:
            yield from _leaves(node.children)
        else:
            yield node


def _tilde(text: str, first: Node, state: State) -> str:
    if not text_of(first).startswith("~"):
        return f"./{text}"  # a file of this name
    name, slash, rest = text.partition("/")
    folder = state.place.home if name == "~" else state.value("PWD")[0] if name == "~+" else HOLE
    return f"{folder}{slash}{rest}"


def _piece(node: Node, behind: Node | None, state: State) -> Words:
    match node.type:
        case "raw_string":
            return (text_of(node)[1:-1],)
        case "ansi_c_string":
            return (_ansi(text_of(node)[2:-1]),)
        case "string":
            return _string(node, state)
        case "simple_expansion" | "expansion":
            return tuple(map(unquoted, _variable(node, state)))
        case "command_substitution":
            return tuple(map(unquoted, printed(node, state)))
        case "process_substitution":
            return ("/dev/fd/63",)
        case "arithmetic_expansion" | "brace_expression":
            return (STAR,)
        case "$":
            if behind is not None and behind.type == "string":
                return ("",)  # `$"a"` is "a", in another language
            return ("$" if behind is None else HOLE,)
        case _:
            return (HOLE,)


def _plain(text: str) -> str:
    """An unquoted text; raises UnreadableError where the tree has cut it in the wrong place."""
    if not _WORD.fullmatch(text):
        raise UnreadableError
    return _SIGN.sub(_sign, text)


def _sign(found: re.Match[str]) -> str:
    if found["escaped"] is not None:
        return "" if found["escaped"] == "\n" else found["escaped"]
    return _SIGNS[found.lastgroup or "one"]


def _ansi(text: str) -> str:
    return _ANSI.sub(_ansi_sign, text)


def _ansi_sign(found: re.Match[str]) -> str:
    digits = found[1] or found[3]
    if digits or found[2]:
        sign = chr(int(digits, 16) if digits else int(found[2], 8) % 256)
        return HOLE if ANY.match(sign) or "\ud800" <= sign <= "\udfff" else sign
    return _ANSI_SIGNS.get(found[4], found[4] if found[4] in "\\'\"?" else NEAR)


def _string(node: Node, state: State) -> Words:
    """A text in double quotes: what lies between its expansions is as it stands."""
    pieces: list[Words] = []
    source, start, at = node.text or b"", node.start_byte, 1
    for child in node.named_children:
        if child.type == "string_content":
            continue
        pieces.append(_between(source[at : child.start_byte - start]))
        pieces.append(_quoted(child, state))
        at = child.end_byte - start
    pieces.append(_between(source[at:-1]))
    return tuple(_joined(pieces))


def _joined(pieces: list[Words]) -> Iterator[str]:
    count = 1
    for piece in pieces:
        count *= len(piece)
    return iter((HOLE,)) if count > MOST else ("".join(way) for way in product(*pieces))


def _between(raw: bytes) -> Words:
    text = raw.decode()
    if "`" in text.replace("\\`", "") or _BARE_DOLLAR.search(text):
        raise UnreadableError
    return (_IN_DOUBLE.sub(lambda found: found[1].strip("\n"), text),)


def _quoted(node: Node, state: State) -> Words:
    match node.type:
        case "simple_expansion" | "expansion":
            return _variable(node, state)
        case "command_substitution":
            return printed(node, state)
        case "arithmetic_expansion":
            return (STAR,)
        case _:
            return (HOLE,)


def _variable(node: Node, state: State) -> Words:
    """What a variable holds; what is made of it is unsaid, or near."""
    inner = node.children[1:-1] if node.type == "expansion" else node.children[1:]
    named = next((c for c in inner if c.type in _NAMES), None)
    if named is None:
        return (HOLE,)
    values = state.value(text_of(named).partition("[")[0])
    if len(inner) == 1:
        return values
    if inner[0].type == "!" and len(inner) == 2:
        return tuple(
            v for name in values for v in (state.value(name) if literal(name) else (HOLE,))
        )
    if inner[0] == named and inner[1].type in (":-", "-", ":=", "="):
        return tuple(dict.fromkeys((*values, *value(tuple(inner[2:]), state))))
    said = (*_SIGNS_WITHIN.split(text_of(node)), *values)
    return (NEAR,) if names_closed(said, state) else (HOLE,)
