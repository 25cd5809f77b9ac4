"""What a call answered, without what changes by itself: the text that novelty is measured in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from app.classification.arguments import digest
from app.classification.generated import elements_alike, named_alike
from app.classification.vocabulary import folded, holds

LONGEST = 20_000  # characters looked at: the first and the last half of a longer text
SHORT = 40  # characters; a shorter answer says little

_HEADERS = re.compile(
    r"^(?:Exit code:? -?\d+|exit=-?\d+|rc=-?\d+|Wall time:?.*|Output:|Command:.*|Directory:.*"
    r"|Std(?:out|err): \(empty\)|Error: \(none\)|Signal:.*|Background PIDs:.*"
    r"|Process Group PGID:.*|Chunk ID:.*|Process exited with code.*|Original token count:.*"
    r"|Total output lines:.*)[ \t]*(?:\n|$)",
    re.MULTILINE,
)
_HEADED: Final = (  # what every header holds one of
    *("Exit code", "exit=", "rc=", "Wall time", "Output:", "Command:", "Directory:", "Std"),
    *("Error: (none)", "Signal:", "PIDs:", "PGID:", "Chunk ID:", "Process exited", "token count:"),
    "Total output lines:",
)
_PREFIXES = re.compile(r"^Std(?:out|err): ", re.MULTILINE)
_SAID: Final = (
    *("elapsed", "idle", "duration", "took", "uptime", "latency", "timestamp", "seconds"),
    *("nonce", "request_id", "requestid", "request-id", "trace_id", "span_id", "build_id"),
)
_HINTS: Final = (*_SAID, "_at", "_ms")
_TAIL: Final = r"\w{0,40}+"  # and not as far as a name reaches, which may be a whole text
# Between a name and its value; of the value a digit is to be seen soon.
_IS: Final = r"(?:\s*+[=:]|[^\S ]*+ )\s*+(?=[^\s\d]{0,80}+\d)"
_NAMED: Final = rf"\w*(?:{'|'.join(_SAID)}){_TAIL}|\w+_(?:at|ms)"  # its value changes by itself
_TRIES: Final = ("read", "run", "attempt", "try", "call")
_TRIED: Final = "|".join(rf"(?<=\b{word} )" for word in (*_TRIES, "retry"))


class _Mask(NamedTuple):
    """What changes by itself, what stands for it, and what must be seen for it to be tried."""

    hints: tuple[str, ...]  # one of them in the lower-cased text; () = always
    pattern: re.Pattern[str]
    stands: str
    cores: tuple[re.Pattern[str], ...]  # quickly looked for in small letters: part of any match


def _mask(hints: tuple[str, ...], pattern: str, stands: str, *cores: str) -> _Mask:
    quick = tuple(re.compile(core) for core in cores)
    return _Mask(hints, re.compile(pattern, re.IGNORECASE), stands, quick)


def _named(behind: str) -> Iterator[str]:
    """The cores of what is _NAMED, with what stands behind the name."""
    yield from (rf"{word}{_TAIL}{behind}" for word in _SAID)
    yield from (f"{end}{behind}" for end in ("_at", "_ms"))


_AGES: Final = ("second", "minute", "hour", "day", "week", "month")
_BUILDKIT: Final = (  # `#6 3.012 ...` and its own words; `#12 A title` is none
    r"(?:^|(?<=\n))#\d+ (?:\d+\.\d+ |(?=(?:ERROR|DONE|CACHED|CANCELED|sha256:|naming|\[)))"
)

# A search skips to what a pattern begins with where that is a text, a sign or a digit: hence
# `\d(?<!\w\d)` for `\b\d`, and a try is found by the blank before its number.
# Each stands for what is another one each time that the same thing is done:
_MASKS: Final = (
    # colours
    _mask(("\x1b",), r"\x1b\[[0-9;?]*[ -/]*[@-~]", ""),
    # a line that was drawn over: a terminal shows what came last
    _mask(("\r",), r"(?<!\r)\r+(?=\n|\Z)", ""),
    _mask(("\r",), r"(?<![^\n\r])[^\n\r]*\r(?=[^\n])", ""),
    # stamps and clock times, as logs, file names and compact forms of both have them
    _mask(
        (),
        r"\d{4}[-/]\d\d[-/]\d\d[T _-]\d\d[:_-]\d\d(?:[:_-]\d\d)?(?:[.,_]\d+)?(?:Z|[+-]\d\d:?\d\d)?",
        "T",
        r"-\d\d-\d\d",
        r"/\d\d/\d\d",
    ),
    _mask((), r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b", "T", r":\d\d:\d\d"),
    _mask((), r"(?<!\d)20\d{6}[T_-]\d{6}Z?(?!\d)", "T", r"20\d{6}[t_-]\d{6}"),
    _mask((), r"\b1[6-9]\d{8}\b", "T", r"1[6-9]\d{8}"),  # seconds since 1970, in our years
    # values that are named like one of these
    _mask(
        _HINTS,
        rf'"({_NAMED})"\s*:\s*("(?:\\.|[^"\\])*"|[^,}}\]\s]+)',
        r'"\1":V',
        *_named(r'"\s*:'),
    ),
    _mask(
        _HINTS,
        rf"\b({_NAMED}){_IS}[^\s,;}}\]]+",
        r"\1=V",
        *_named(_IS),
    ),
    # how long something took, and how old it is; rates of what is fetched
    _mask(
        _AGES,
        r"\b(?:about |less than |almost |over )?(?:\d+(?:\.\d+)?|an?)"
        r" (?:second|minute|hour|day|week|month)s?(?: ago)?\b",
        "D",
        r"(?:\d|\ban?) (?:second|minute|hour|day|week|month)",
    ),
    _mask(
        (),
        r"\d(?<!\w\d)\d*(?:[dhm]\d+)*(?:\.\d+)?"
        r"(?:\s?(?:ms|[uµn]s|s|secs?|mins?|m)\b|h\b|d(?=  | *\n| *\Z))",
        "D",
        r"\d(?:\s?(?:ms|[uµμn]s|s|secs?|mins?|m)\b|h\b|d(?=  | *\n| *\Z))",
    ),
    _mask(("b/s", "it/s"), r"\d+(?:\.\d+)? ?(?:[kmg]i?)?(?:b|it)/s\b", "R"),
    # processes, threads, steps of BuildKit, addresses
    _mask(("pid",), r"\bpid[ :=]*\d+", "PID"),
    _mask(("]:",), r"(?<=\bT )((?:\S+ )?[\w./-]+)\[\d+\](?=:)", r"\1[PID]", r"t (?<!\wt )"),
    _mask(
        ("==", "(node:"), r"(?<===)\d+(?===)|(?<=\(node:)\d+(?=\))", "PID", r"==\d", r"\(node:\d"
    ),
    _mask(
        ("thread", "goroutine", "tid"),
        r"\b((?:thread|goroutine|tid)[ :=#-]*)\d+",
        r"\1N",
        *(rf"{word}[ :=#-]*\d" for word in ("thread", "goroutine", "tid")),
    ),
    _mask(("#",), _BUILDKIT, "#N ", r"#\d+ [\de\[dcsn]"),
    _mask(("0x",), r"\b0x[0-9a-f]+\b", "HEX"),
    # ids, hashes, and the near end of a connection
    _mask(
        (),
        r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
        "UUID",
        r"-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-",
    ),
    _mask(
        (),
        r"\b(?<![.#])(?:(?=[a-f]*\d)[0-9a-f]{12,}|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,11})\b",
        "HEX",
        r"[0-9a-f][0-9a-f]{6}",
    ),
    _mask(("->", ' - "'), r'(?<=[\d\]]:)\d{4,5}(?=->| - ")', "PORT", r":\d{4,5}(?:->| - )"),
    _mask(_TRIES, rf" (?=\d)(?:{_TRIED})\d+(?: times)?(?: this session| of \d+)?", " N"),
)


def cut(text: str) -> str:
    """The part of a text that is looked at."""
    if len(text) <= LONGEST:
        return text
    return text[: LONGEST // 2] + "\n" + text[-LONGEST // 2 :]


def headless(text: str) -> str:
    """A text without the lines that a harness puts around a command's output."""
    if holds(text, _HEADED):
        text = _HEADERS.sub("", text)
    return _PREFIXES.sub("", text) if "Std" in text else text


def masked(text: str) -> str:
    """A text whose clock times, durations and made up names are masked; bare digits never are."""
    text = elements_alike(named_alike(text))
    lowered = text.lower()
    small = lowered if text.isascii() else folded(text)
    asked: tuple[str, ...] = ()
    held = True  # two masks in a row may have the same hints
    for hints, pattern, stands, cores in _MASKS:
        if hints is not asked:
            asked, held = hints, not hints or holds(lowered, hints)
        if not held:
            continue
        if cores and not _seen(small, cores):
            continue
        text, found = pattern.subn(stands, text)
        small = folded(text) if found else small
    return text


def _seen(small: str, cores: tuple[re.Pattern[str], ...]) -> bool:
    for core in cores:  # noqa: SIM110  # as in vocabulary.holds
        if core.search(small):
            return True
    return False


def read_over(result: str) -> tuple[str, str]:
    """What of a result is looked at, and what of it can be compared with another one."""
    if len(result) > LONGEST:
        return cut(headless(result)), settled(result)
    text = headless(result)
    return text, masked(text).strip()


def settled(result: str) -> str:
    """What of a result can be compared with another one."""
    return masked(headless(cut(result))).strip()


def result_digest(name: str, text: str) -> str:
    """The digest of a settled text; the same text from another tool is another answer."""
    return digest("result", name, text)
