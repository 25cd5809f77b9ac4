"""How a call of OpenHands ended: by what kind of observation came, and by its exit code."""

from __future__ import annotations

from typing import Final

from app.domain.events import Json
from app.harness.claude_code.outcomes import ERROR, Ending
from app.replay.lines import Fields, object_of, texts, word

BY_PERSON: Final = Ending(outcome="denied", denied_by="person")
TIMEOUT: Final = Ending(outcome="timeout")
TEXTS: Final = frozenset({"edit", "read", "write", "run_ipython"})  # observations without a code
FAILED: Final = "ERROR:"
TRACEBACK: Final = "Traceback (most recent call last)"


def ended(event: Fields) -> Fields:
    """The end of a call as an event tells it."""
    extras = object_of(event.get("extras"))
    metadata = object_of(extras.get("metadata"))
    code = _code(metadata) if _code(metadata) is not None else _code(extras)
    code = _code(event) if code is None else code
    text = word(event.get("content")) or ""
    end = _ending(str(event.get("observation")), text, code)
    told: Fields = {} if metadata.get("working_dir") is None else {"cwd": metadata["working_dir"]}
    return {**_told(end, text, code), **told}


def sdk_ended(event: Fields) -> Fields:
    """The end of a call as an event tells it, from an event of the new SDK."""
    observation = object_of(event.get("observation"))
    metadata = object_of(observation.get("metadata"))
    code = _code(observation) if _code(metadata) is None else _code(metadata)
    content = observation.get("content") or observation.get("output") or event.get("error")
    text = texts(content) or word(event.get("rejection_reason")) or ""
    return _told(_sdk_ending(event, observation, code), text, code)


def _told(end: Ending, text: str, code: int | None) -> Fields:
    return {
        "outcome": end.outcome,
        "denied_by": end.denied_by,
        "exit_code": None if code == -1 else code,
        "result": text,
    }


def _ending(kind: str, text: str, code: int | None) -> Ending:
    """The exit code -1 is that of a command which did not end in its time."""
    if kind == "user_rejected":
        return BY_PERSON
    if kind == "error":
        return ERROR
    if code is not None:
        return TIMEOUT if code == -1 else Ending(outcome="ok") if code == 0 else ERROR
    broke = kind == "run_ipython" and TRACEBACK in text
    return ERROR if broke or (kind in TEXTS and text.startswith(FAILED)) else Ending(outcome="ok")


def _sdk_ending(event: Fields, observation: Fields, code: int | None) -> Ending:
    if event.get("kind") == "UserRejectObservation":
        return BY_PERSON
    if event.get("kind") == "AgentErrorEvent":
        return ERROR
    if observation.get("timeout") is True or code == -1:
        return TIMEOUT
    failed = observation.get("is_error") is True or observation.get("error") is True
    return ERROR if failed or code not in (None, 0) else Ending(outcome="ok")


def _code(held: Fields) -> int | None:
    value: Json = held.get("exit_code")
    return value if type(value) is int else None
