"""What the system itself said no to, whichever program passes it on: a phrase and its object.

refusal(line)   `EACCES /etc/app.conf` for each program's way to say it; None: no such phrase
"""

from __future__ import annotations

import re
from typing import Final

# As errno(3) and getaddrinfo(3) name them; MISSING and MODULE are shells' and loaders' own.
_PHRASES: Final = (
    ("MODULE", r"no module named|cannot find module|can't resolve(?= ['\"])"),
    ("MISSING", r"command not found|executable file not found|^\S*sh: (?:\d+: )?\S+: not found"),
    ("EACCES", r"permission denied|\beacces"),
    ("EPERM", r"operation not permitted|\beperm"),
    ("EROFS", r"read-only file ?system|\berofs"),
    ("ENOSPC", r"no space left on device|\benospc"),
    ("ECONNREFUSED", r"connection refused|\beconnrefused"),
    ("ECONNRESET", r"connection reset|\beconnreset"),
    ("ETIMEDOUT", r"connection timed out|operation timed out|i/o timeout|\betimedout"),
    ("EADDRINUSE", r"address already in use|\beaddrinuse"),
    ("EHOST", r"no route to host|network is unreachable|\behostunreach|\benetunreach"),
    (
        "ENOTFOUND",
        r"could not resolve|name or service not known|no such host|nodename nor servname"
        r"|\benotfound|\beai_again|name resolution",
    ),
    ("EEXIST", r"file exists|\beexist"),
    ("ENOTDIR", r"not a directory|\benotdir"),
    ("EISDIR", r"is a directory|\beisdir"),
    ("ENOTEMPTY", r"directory not empty|\benotempty"),
    ("EMFILE", r"too many open files|\bemfile"),
    ("ENOMEM", r"cannot allocate memory|\benomem"),
    ("ENOENT", r"no such file or directory|cannot find the (?:path|file)|\benoent"),
)
_SAID: Final = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _PHRASES))
_QUOTED: Final = re.compile(r"['\"`\u2018]([^'\"`\u2018\u2019]+)['\"`\u2019]")
_BEFORE: Final = re.compile(  # looked for from the beginnings of words only: one may be very long
    r"(?<![^\s:'\"])([^\s:'\"]+)(?: \(\S+\))?:\s*(?:cannot write: |\S{1,60} error )?$", re.I
)
_BEHIND: Final = re.compile(r"[:,]?\s*(?:host(?:name)?)?:?\s*([\w@./~+-]+)")
_PATH: Final = re.compile(r"(?<![\w:])(?:~|\.{1,2})?/[^\s:'\",)]+")
_PORT: Final = re.compile(r"(?:port[ =:]+['\"]?|(?<=[\w.\]:' ]):|, )(\d{2,5})\b")
_HOST: Final = re.compile(
    r"\b(?:to(?! connect| server)|host(?:name)?[=:]?|lookup|server at|tcp(?! lookup)|enotfound"
    r"|econnrefused|etimedout|econnreset|eai_again)(?: |(?<==))['\"]?"
    r"(\[[\da-f:]+\]|[\w-]+(?:\.[\w-]+)*)"
)
_HERE: Final = frozenset({"localhost", "127.0.0.1", "[::1]", "::1", "0.0.0.0", "[::]"})
_NET: Final = frozenset({"ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EHOST"})


_FORBIDDEN: Final = re.compile(
    r"permission denied|\beacces\b|\beperm\b|operation not permitted|read-only (?:file|transaction)"
    r"|\bforbidden\b|not authori[sz]ed|unauthori[sz]ed|not authenticated|access denied"
    r"|accessdenied|authentication (?:failed|required)|insufficient (?:privilege|permission|scope)"
)
_TOLD_WITHIN: Final = 2_000  # characters at the end of a text


def forbidden(text: str) -> bool:
    """Whether a failed call's text says that it wanted a permission."""
    return _FORBIDDEN.search(text[-_TOLD_WITHIN:].lower()) is not None


def refusal(line: str) -> str | None:
    """The phrase of a line with the path, host, port, program or module it is about."""
    small = line.lower()
    said = _SAID.search(small)
    if said is None or said.lastgroup is None:
        return None
    about = _about(said.lastgroup, small, said.start(), said.end())
    return None if about is None else f"{said.lastgroup} {about}"


def _about(kind: str, line: str, start: int, end: int) -> str | None:
    if kind in _NET:
        return _address(line)
    if kind == "EADDRINUSE":
        return _last(_PORT, line)
    if kind == "ENOTFOUND":
        return _first(_HOST, line) or _first(_BEHIND, line[end:])
    if kind == "MODULE":
        return _first(_QUOTED, line[end:]) or _first(_BEHIND, line[end:])
    if kind == "MISSING":
        return _program(line, start, end)
    return _path(line, start, end)


def _last(pattern: re.Pattern[str], line: str) -> str | None:
    found = pattern.findall(line)
    return str(found[-1]) if found else None


def _first(pattern: re.Pattern[str], line: str) -> str | None:
    found = pattern.search(line)
    return None if found is None else found[1]


def _address(line: str) -> str | None:
    """Host and port; a host without a port is said so by what is left."""
    host, port = _first(_HOST, line), _last(_PORT, line)
    if host is None and port is None:
        return None
    return f"{'here' if host in _HERE or host is None else host}:{port or ''}"


def _program(line: str, start: int, end: int) -> str | None:
    quoted = _first(_QUOTED, line)
    if quoted is not None:
        return quoted
    if line[start:].startswith("command not found: "):
        return _first(_BEHIND, line[end:])
    return _first(_BEFORE, line[:start]) or line[start:end].removesuffix(": not found").split()[-1]


def _path(line: str, start: int, end: int) -> str | None:
    quoted = _QUOTED.findall(line)
    if quoted:
        return str(quoted[-1])
    before = _BEFORE.search(line[:start])
    if before is not None and not before[1].isdigit():
        return before[1]
    paths = _PATH.findall(line)
    return str(paths[-1]) if paths else None
