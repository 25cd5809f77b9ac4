"""What a call answered, without what changes by itself: the text that novelty is measured in."""

from __future__ import annotations

import re
from typing import Final

from app.classification.arguments import digest

LONGEST = 20_000  # characters looked at: the first and the last half of a longer text
SHORT = 40  # characters; a shorter answer says little

_HEADERS = re.compile(
    r"^(?:Exit code:? -?\d+|exit=-?\d+|rc=-?\d+|Wall time:?.*|Output:|Command:.*|Directory:.*"
    r"|Std(?:out|err): \(empty\)|Error: \(none\)|Signal:.*|Background PIDs:.*"
    r"|Process Group PGID:.*|Chunk ID:.*|Process exited with code.*|Original token count:.*"
    r"|Total output lines:.*)[ \t]*(?:\n|$)",
    re.MULTILINE,
)
_PREFIXES = re.compile(r"^Std(?:out|err): ", re.MULTILINE)
_SAID: Final = (
    *("elapsed", "idle", "duration", "took", "uptime", "latency", "timestamp", "seconds"),
    *("nonce", "request_id", "trace_id", "span_id"),
)
_HINTS: Final = (*_SAID, "_at", "_ms")
_NAMED: Final = rf"\w*(?:{'|'.join(_SAID)})\w*|\w+_(?:at|ms)"  # its value changes by itself
_TRIES: Final = ("read", "run", "attempt", "try", "call")

# Each mask with what a lower-cased text must hold for it to be worth trying; () = always tried.
_MASKS: Final[tuple[tuple[tuple[str, ...], re.Pattern[str], str], ...]] = tuple(
    (hints, re.compile(pattern, re.IGNORECASE), mask)
    for hints, pattern, mask in (
        (("\x1b",), r"\x1b\[[0-9;?]*[ -/]*[@-~]", ""),
        (
            ("-",),
            r"\d{4}-\d\d-\d\d[T _-]\d\d[:_-]\d\d(?:[:_-]\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?",
            "T",
        ),
        ((":",), r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b", "T"),
        (_HINTS, rf'"({_NAMED})"\s*:\s*("(?:\\.|[^"\\])*"|[^,}}\]\s]+)', r'"\1":V'),
        (_HINTS, rf"\b({_NAMED})\s*[=: ]\s*(?=\S*\d)[^\s,;}}\]]+", r"\1=V"),
        ((), r"\b\d+(?:\.\d+)?\s?(?:ms|s|sec|min|m)\b", "D"),
        (("pid",), r"\bpid[ :=]*\d+", "PID"),
        (("0x",), r"\b0x[0-9a-f]+\b", "HEX"),
        (("-",), r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "UUID"),
        ((), r"\b(?=[a-f]*\d)[0-9a-f]{12,}\b", "HEX"),
        (("/tmp/",), r"/tmp/[\w./-]+", "/tmp/P"),
        (
            _TRIES,
            r"\b(read|run|attempt|try|call|retry) \d+(?: times)?(?: this session| of \d+)?",
            r"\1 N",
        ),
    )
)


def cut(text: str) -> str:
    """The part of a text that is looked at."""
    if len(text) <= LONGEST:
        return text
    return text[: LONGEST // 2] + "\n" + text[-LONGEST // 2 :]


def headless(text: str) -> str:
    """A text without the lines that a harness puts around a command's output."""
    return _PREFIXES.sub("", _HEADERS.sub("", text))


def masked(text: str) -> str:
    """A text whose clock times, durations and ids are masked; bare digits never are."""
    lowered = text.lower()
    for hints, pattern, mask in _MASKS:
        if not hints or any(hint in lowered for hint in hints):
            text = pattern.sub(mask, text)
    return text


def settled(result: str) -> str:
    """What of a result can be compared with another one."""
    return masked(headless(cut(result))).strip()


def result_digest(name: str, text: str) -> str:
    """The digest of a settled text; the same text from another tool is another answer."""
    return digest("result", name, text)
