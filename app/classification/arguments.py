"""What a call's arguments say: the path, the command line, and the values that identify it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from app.classification.remembering import remembered
from app.classification.vocabulary import words
from app.domain.events import Json

DIGEST = 16  # hex digits of every digest here
LONGEST_NAME: Final = 4_096  # characters of a path or a target: no system opens a longer path
_PATHS: Final = ("file_path", "path", "notebook_path", "filename", "file", "filepath")
# As harnesses spell it: filePath (OpenCode), absolute_path (Gemini CLI), target_file (Cursor).
_SPELLED: Final = frozenset({"filepath", "absolutepath", "targetfile", "notebookpath"})
_COSMETIC: Final = words(
    "description explanation brief reason justification task_progress thought timeout timeout_ms"
    " yield_time_ms max_output_tokens call_id id prefix_rule sandbox_permissions"
    " run_in_background toolsummary toolaction workdir cwd"
)
_COMMANDS: Final = ("command", "cmd", "script")


def digest(*parts: str) -> str:
    """A short digest over texts, each kept apart from the next."""
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()[:DIGEST]


def shortened(name: str, longest: int = LONGEST_NAME) -> str:
    """A name as it is; of one that is longer its beginning, and a digest of all of it."""
    return name if len(name) <= longest else f"{name[: longest - 20]}... {digest(name)}"


def path_of(arguments: Mapping[str, Json]) -> str | None:
    """The path an argument names, if any."""
    for key in _PATHS:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return value
    spelled = (value for key, value in arguments.items() if folded_key(key) in _SPELLED)
    return next((value for value in spelled if isinstance(value, str) and value), None)


@remembered
def folded_key(key: str) -> str:
    """An argument's name as every spelling of it has it: in small letters, without `_` and `-`."""
    return key.lower().replace("_", "").replace("-", "")


def command_of(arguments: Mapping[str, Json]) -> str:
    """The command line of a shell call; of `[sh, -lc, X]` it is X, of another list its words."""
    value = next((arguments[key] for key in _COMMANDS if key in arguments), "")
    if isinstance(value, str):
        return value
    words = [word for word in value if isinstance(word, str)] if isinstance(value, list) else []
    wrapped = len(words) == 3 and words[1].startswith("-") and words[1].endswith("c")
    return words[2] if wrapped else " ".join(words)


def identifying(arguments: Mapping[str, Json]) -> str:
    """The argument values that tell one call from another, as canonical JSON."""
    kept = {key: value for key, value in arguments.items() if not _cosmetic(key)}
    return _CANONICAL(kept)


@remembered
def _cosmetic(key: str) -> bool:
    return key.lower() in _COSMETIC


# made once: `json.dumps` with options makes an encoder each time, for the price of the encoding
_CANONICAL: Final = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, separators=(",", ":"), check_circular=False
).encode
