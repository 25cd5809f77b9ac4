"""The parts of a payload, each taken as what it should be, made harmless, or taken as nothing."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Final

from app.domain.events import Json

NAME: Final = 256  # characters of a name
SESSION: Final = 128
FOLDER: Final = 4_096
LARGEST: Final = 2**53 - 1  # every reader of JSON agrees on integers up to here
LONG: Final = 128 << 10  # characters of one text; of a longer one the ends and a digest are enough
SHELLS: Final = frozenset({"Bash", "PowerShell"})
# What repeats the arguments or the file as it was: the answer is the same without it.
BULK: Final = frozenset(
    {"originalFile", "structuredPatch", "content", "oldString", "newString", "gitDiff", "prompt"}
)
DEFAULTS: Final[dict[str, dict[str, Json]]] = {"Edit": {"replace_all": False}}


def text_of(value: Json) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value else None


def name_of(value: Json) -> str | None:
    """A name as the log takes it: what is too long or cannot be printed becomes its digest."""
    return _named(value, NAME)


def session_of(value: Json) -> str | None:
    """A session's id as the log takes it; another one becomes its digest."""
    name = _named(value, SESSION)
    return digested(value) if name is not None and (name == "*" or "/" in name) else name


def folder_of(value: Json) -> str | None:
    """A folder's path."""
    text = text_of(value)
    return text if text is not None and len(text) <= FOLDER and "\0" not in text else None


def milliseconds_of(value: Json) -> int | None:
    """A duration that can be one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return round(value) if 0 <= value <= LARGEST else None


def arguments_of(tool: str | None, value: Json) -> dict[str, Json]:
    """A call's input as an object, without what one hook adds and another leaves out."""
    if not isinstance(value, dict):
        return {} if value is None else {"input": _short(value)}
    unsaid = DEFAULTS.get(tool or "", {})
    said = {k: v for k, v in value.items() if not (k in unsaid and v == unsaid[k])}
    command = said.get("command")
    if tool in SHELLS and isinstance(command, str):
        # A part nobody looked at must not be vouched for, so it stands there as code run inline.
        said["command"] = shortened(command, "\nsh -c '{}'\n")
    return {k: _short(v) for k, v in said.items()}


def shortened(text: str, between: str = "\n[... {} ...]\n") -> str:
    """The text; of one that is too long to be looked at its ends, with its digest `between`."""
    if len(text) <= LONG:
        return text
    half = LONG // 2 - 64
    return text[:half] + between.format(digested(text)) + text[-half:]


def answer_of(response: Json) -> str | None:
    """What a call answered, as text: output, a file's content, blocks; else the smaller fields."""
    text = _answer(response)
    return None if text is None else shortened(text)


def _short(value: Json) -> Json:
    """A value whose texts are not too long to be looked at."""
    match value:
        case str():
            return shortened(value)
        case dict():
            return {key: _short(inner) for key, inner in value.items()}
        case list():
            return [_short(inner) for inner in value]
        case _:
            return value


def _answer(response: Json) -> str | None:
    match response:
        case None:
            return None
        case str():
            return response
        case list():
            return "\n".join(map(_block, response))
        case {"stdout": str(out), **rest}:
            err = rest.get("stderr")
            return "\n".join(part for part in (out, err) if isinstance(part, str) and part)
        case {"file": {"content": str(content)}} | {"mode": str(), "content": str(content)}:
            return content  # of a file, or what a search found
        case {"content": list(blocks)}:
            return "\n".join(map(_block, blocks))
        case dict():
            return canonical({k: v for k, v in response.items() if k not in BULK})
        case _:
            return canonical(response)


def digested(value: Json) -> str:
    """The name that stands for a value which is none."""
    text = value if isinstance(value, str) else canonical(value)
    return f"digest-{sha256(text.encode('utf-8', 'replace')).hexdigest()[:16]}"


def canonical(value: Json) -> str:
    """A value as JSON, the same for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _named(value: Json, longest: int) -> str | None:
    text = text_of(value)
    if text is None or (len(text) <= longest and text.isprintable()):
        return text
    return digested(text)


def _block(block: Json) -> str:
    match block:
        case str():
            return block
        case {"type": "text", "text": str(text)}:
            return text
        case _:
            return f"[{digested(block)}]"
