"""How a model is asked over two kinds of interfaces, and where the text of its answer stands.

Neither request has tools. An answer that wants to use one anyway, or was cut off, is no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from app.domain.advice import Rejected
from app.domain.events import Json

TOKENS: Final = 4_096  # of an answer; some models think in them first

CUT_OFF: Final = Rejected(why="cut_off", detail="the model stopped before its answer was whole")
TOOL_USE: Final = Rejected(why="tool_use", detail="the model wants to use a tool; it has none")
NO_TEXT: Final = Rejected(why="no_text", detail="the server's answer holds no text of a model")


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One kind of interface: its usual place, a request to it, and its answers."""

    url: str
    headers: Callable[[str | None], Mapping[str, str]]  # by the key; None: no key is sent
    request: Callable[[str, str, str], dict[str, Json]]  # model, brief, question
    text: Callable[[Json], str | Rejected]


def _anthropic_headers(key: str | None) -> Mapping[str, str]:
    return {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}


def _anthropic_request(model: str, brief: str, question: str) -> dict[str, Json]:
    return {
        "model": model,
        "max_tokens": TOKENS,
        "system": brief,
        "messages": [{"role": "user", "content": question}],
    }


def _anthropic_text(answer: Json) -> str | Rejected:
    if not isinstance(answer, dict) or not isinstance(answer.get("content"), list):
        return NO_TEXT
    if answer.get("stop_reason") == "max_tokens":
        return CUT_OFF
    blocks = list(_objects(answer["content"]))
    if answer.get("stop_reason") == "tool_use" or any(_uses_tool(block) for block in blocks):
        return TOOL_USE
    return _joined(block.get("text") for block in blocks if block.get("type") == "text")


def _uses_tool(block: Mapping[str, Json]) -> bool:
    return str(block.get("type", "")).endswith("tool_use")


def _openai_headers(key: str | None) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def _openai_request(model: str, brief: str, question: str) -> dict[str, Json]:
    return {
        "model": model,
        "max_completion_tokens": TOKENS,
        "messages": [
            {"role": "system", "content": brief},
            {"role": "user", "content": question},
        ],
    }


def _openai_text(answer: Json) -> str | Rejected:
    choices = answer.get("choices") if isinstance(answer, dict) else None
    choice = next(_objects(choices), None)
    message = None if choice is None else choice.get("message")
    if choice is None or not isinstance(message, dict):
        return NO_TEXT
    if choice.get("finish_reason") == "length":
        return CUT_OFF
    if message.get("tool_calls") or message.get("function_call"):
        return TOOL_USE
    return _joined([message.get("content")])


def _objects(value: Json) -> Iterator[Mapping[str, Json]]:
    yield from (part for part in value if isinstance(part, dict)) if isinstance(value, list) else ()


def _joined(texts: Iterator[Json] | list[Json]) -> str | Rejected:
    text = "".join(each for each in texts if isinstance(each, str))
    return text if text.strip() else NO_TEXT


PROVIDERS: Final[Mapping[str, Provider]] = {
    "anthropic": Provider(
        url="https://api.anthropic.com/v1/messages",
        headers=_anthropic_headers,
        request=_anthropic_request,
        text=_anthropic_text,
    ),
    "openai": Provider(
        url="https://api.openai.com/v1/chat/completions",
        headers=_openai_headers,
        request=_openai_request,
        text=_openai_text,
    ),
}
