"""Who wrote a prompt: a person, or the harness about its own business (docs/detection.md 1.6)."""

from __future__ import annotations

import re
from typing import Final

from app.domain.events import Event

_BY_HARNESS = re.compile(r"\s*(?:<task-notification>|<system-reminder>|Stop hook feedback:)")
_WAKE_UP = re.compile(r"\s*<<autonomous-loop[\w-]*>>\s*$")
# Anything that shows: signs without a shape (U+200B and the like) are no prompt.
_SEEN: Final = re.compile(
    r"[^\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_PERSONS: Final = (None, "user", "sdk")  # what a harness calls the source of a person's prompt


def by_person(event: Event) -> bool:
    """Whether a person wrote this prompt; an empty one, a notification or a wake-up nobody did."""
    arguments = event.arguments
    if arguments.get("person") is False or arguments.get("source") not in _PERSONS:
        return False
    prompt = arguments.get("prompt")
    text = prompt if isinstance(prompt, str) else event.result or ""
    return _SEEN.search(text) is not None and not (_BY_HARNESS.match(text) or _WAKE_UP.match(text))
