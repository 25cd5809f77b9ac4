"""The scripted model says what it is told to, in one piece and in a stream, and repeats itself."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests.live.model import Model, call, text

ASKED: dict[str, Any] = {
    "tools": [{"name": "Bash"}],
    "messages": [{"role": "user", "content": "go"}],
}
HEARD: list[dict[str, Any]] = []


@pytest.fixture
def model() -> Iterator[Model]:
    HEARD.clear()
    serving = Model(HEARD.append)
    serving.begin([(call("t1", "Bash", {"command": "ls"}),), (text("So."),)])
    yield serving
    serving.stop()


def asked(model: Model, **more: Any) -> str:
    body = json.dumps({**ASKED, **more}).encode()
    url = f"http://127.0.0.1:{model.port}/v1/messages?beta=true"
    with urllib.request.urlopen(urllib.request.Request(url, body), timeout=60) as answer:
        said: bytes = answer.read()
    return said.decode()


def test_each_request_gets_the_next_turn_and_the_same_one_the_same(model: Model) -> None:
    first = json.loads(asked(model))
    assert first["stop_reason"] == "tool_use"
    assert first["content"] == [call("t1", "Bash", {"command": "ls"})]
    assert json.loads(asked(model)) == first
    following = [{"role": "user", "content": text} for text in ("b", "c")]
    said = [json.loads(asked(model, messages=[message])) for message in following]
    assert [answer["content"][0]["text"] for answer in said] == ["So.", "Done."]
    assert [answer["stop_reason"] for answer in said] == ["end_turn", "end_turn"]
    assert len(HEARD) == 3


def test_a_stream_has_the_same_in_pieces(model: Model) -> None:
    lines = asked(model, stream=True).split("\n")
    events = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
    assert [line[7:] for line in lines if line.startswith("event: ")] == [e["type"] for e in events]
    pieces = [e["delta"]["partial_json"] for e in events if e["type"] == "content_block_delta"]
    assert json.loads("".join(pieces)) == {"command": "ls"}
    assert [e["type"] for e in events][-2:] == ["message_delta", "message_stop"]


def test_a_side_question_uses_no_turn(model: Model) -> None:
    assert "title" in asked(model, tools=[])
    assert json.loads(asked(model))["content"][0]["type"] == "tool_use"
