"""What the scripts of sed and awk do besides printing: files they write, commands they run."""

from __future__ import annotations

import re
from typing import Final

# One command of sed with its addresses, as far as it neither writes a file nor runs anything.
_SED_ADDRESS: Final = re.compile(
    r"(?:\d+(?:~\d+)?|\$|/(?:\\.|\[[^\]\n]*\]|[^/\\\n])*/[IM]*|\\([^\w\s])(?:\\.|(?!\1).)*\1[IM]*)"
    r"(?:\s*,\s*[+~]?(?:\d+|\$|/(?:\\.|\[[^\]\n]*\]|[^/\\\n])*/[IM]*))?\s*!?\s*"
)
_SED_SIMPLE: Final = re.compile(r"[pdDgGhHxnNPlFz=](?:\s*\d+)?|[qQ]\s*\d*|[btT:]\s*[\w.-]*|[{}]")
_SED_TEXT: Final = re.compile(r"[aic](?:\\?\s*\n?|\s+)[^\n]*(?:\\\n[^\n]*)*")
_SED_FLAGS: Final = re.compile(r"[gpiIm\d]*")
_SED_GAP: Final = re.compile(r"[\s;]*(?:#[^\n]*)?[\s;]*")
_AWK_RUNS: Final = re.compile(r"\bsystem\b|\bgetline\b|@(?:load|include)|\\\n")
_AWK_TEXT: Final = re.compile(
    r'"(?:\\.|[^"\\\n])*"|(?:(?<=[{};(,!~&|\n])|^|(?<=\|\|)|(?<=&&))\s*/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+/'
)
_AWK_PRINTS: Final = re.compile(r"\bprintf?\b[^;}\n]*>")


def sed_only_edits(script: str) -> bool:
    """Whether a sed script changes nothing but the text that goes through it."""
    at = 0
    while at < len(script):
        at = _behind(_SED_GAP, script, at)
        at = _behind(_SED_ADDRESS, script, at)
        if at >= len(script):
            return True
        end = _sed_command(script, at)
        if end is None:
            return False
        at = end
    return True


def _behind(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _sed_command(script: str, at: int) -> int | None:
    """Where the command at this place ends, or None where it may do more than edit."""
    if script[at] in "sy":
        return _substitution(script, at)
    found = _SED_TEXT.match(script, at) or _SED_SIMPLE.match(script, at)
    return found.end() if found else None


def _substitution(script: str, at: int) -> int | None:
    sign = script[at + 1 : at + 2]
    if not sign or sign in "\\\n":
        return None
    end = at + 2
    for _ in range(2):
        while end < len(script) and script[end] != sign:
            end += 2 if script[end] == "\\" else 1
        end += 1
    if end > len(script):
        return None
    end = _behind(_SED_FLAGS, script, end)
    return end if end == len(script) or script[end] in " \t\n;}" else None


def awk_only_prints(program: str) -> bool:
    """Whether an awk program runs nothing and writes to no file."""
    if _AWK_RUNS.search(program):
        return False
    bare = _AWK_TEXT.sub("_", program)
    return "|" not in bare.replace("||", "") and _AWK_PRINTS.search(bare) is None
