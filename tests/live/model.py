"""A model on loopback that does what a script says: the Messages API, as far as a client asks.

    Model(heard)         starts serving; `heard(request)` sees each request of the conversation
    model.begin(turns)   what it says from now on, a turn for each request; then "Done."

A repeated request is answered as before, as clients repeat what went wrong. A request without
tools is a side question (a title, a topic) and gets a side answer.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

Block = dict[str, Any]
Turn = Sequence[Block]  # the content blocks of one answer
SIDE: Final[Turn] = ({"type": "text", "text": '{"title": "Work", "isNewTopic": false}'},)
END: Final[Turn] = ({"type": "text", "text": "Done."},)
USAGE: Final = {
    "input_tokens": 1_000,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
    "output_tokens": 20,
}


def call(call_id: str, tool: str, given: dict[str, Any]) -> Block:
    """A call of a tool, as a model asks for it."""
    return {"type": "tool_use", "id": call_id, "name": tool, "input": given}


def text(words: str) -> Block:
    """Words, as a model says them."""
    return {"type": "text", "text": words}


class Model:
    """The scripted model; `port` is where it listens."""

    def __init__(self, heard: Callable[[dict[str, Any]], None]) -> None:
        self._heard, self._lock = heard, threading.Lock()
        self._turns: Iterator[Turn] = iter(())
        self._answered: dict[str, Turn] = {}
        self._server = _Server(self)
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def begin(self, turns: Sequence[Turn]) -> None:
        """Say these turns from now on."""
        with self._lock:
            self._turns = iter(turns)

    def turn(self, request: dict[str, Any]) -> Turn:
        """The answer to one request."""
        if not request.get("tools"):
            return SIDE
        key = sha256(json.dumps(request.get("messages")).encode()).hexdigest()
        with self._lock:
            if key not in self._answered:
                self._heard(request)
                self._answered[key] = next(self._turns, END)
            return self._answered[key]

    def stop(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: Model) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        """Whether somebody is there."""
        self._send(b"", "application/json")

    def do_GET(self) -> None:
        """What else a client may want to know: nothing."""
        self._send(b'{"data": [], "has_more": false}', "application/json")

    def do_POST(self) -> None:
        """One request of a client."""
        request = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or "{}")
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._send(b'{"input_tokens": 1000}', "application/json")
        elif not path.endswith("/messages"):
            self._send(b"{}", "application/json")
        elif request.get("stream"):
            self._send(
                b"".join(map(_event, _events(request, self._turn(request)))), "text/event-stream"
            )
        else:
            self._send(
                json.dumps(_message(request, self._turn(request))).encode(), "application/json"
            )

    def _turn(self, request: dict[str, Any]) -> Turn:
        return self.server.model.turn(request)

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _message(request: dict[str, Any], turn: Turn) -> dict[str, Any]:
    calls = any(block["type"] == "tool_use" for block in turn)
    return {
        "id": "msg_" + sha256(json.dumps(request.get("messages")).encode()).hexdigest()[:20],
        "type": "message",
        "role": "assistant",
        "model": request.get("model", ""),
        "content": list(turn),
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": USAGE,
    }


def _events(request: dict[str, Any], turn: Turn) -> Iterator[dict[str, Any]]:
    """The same answer in the pieces of a stream."""
    whole = _message(request, turn)
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(turn):
        empty, delta = _pieces(block)
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": USAGE}
    yield {"type": "message_stop"}


def _pieces(block: Block) -> tuple[Block, Block]:
    if block["type"] == "text":
        return {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    said = json.dumps(block["input"])
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": said}


def _event(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
