"""What a client's hooks post, kept on its way to the daemon, without what is one machine's own."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Final

PLACE: Final = "/srv"  # where recordings say that everything lay
ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TOOK: Final = re.compile(r"(Ran \d+ tests? in )[0-9.]+s")
OUTPUTS: Final = re.compile(r"/tmp/claude-\d+/[\w.-]+")  # where a client keeps what runs on
# Of the machine, or of no interest to any rule.
DROPPED: Final = ("transcript_path", "agent_transcript_path", "effort", "duration_ms")
PASSED_ON: Final = frozenset({"authorization", "content-type", "x-floorboss"})


class Recorder:
    """Stands between a client and a daemon; `names` says what each folder is called instead."""

    def __init__(self, daemon: str, file: Path, names: Mapping[Path, str]) -> None:
        self._daemon, self._file = int(daemon), file
        self._names, self._lock = names, threading.Lock()
        self._bodies: list[str] = []
        self._server = _Server(self)
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        if error is None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text("".join(rewritten(self._bodies, self._names)))

    def passed_on(self, path: str, headers: Mapping[str, str], body: bytes) -> tuple[int, bytes]:
        """The daemon's answer; one after the other, so that the file has their order."""
        with self._lock:
            self._bodies.append(body.decode())
            connection = HTTPConnection("127.0.0.1", self._daemon, timeout=60)
            connection.request("POST", path, body, dict(headers))
            answer = connection.getresponse()
            said = answer.read()
            connection.close()
            return answer.status, said


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        """One hook."""
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name: said for name, said in self.headers.items() if name.lower() in PASSED_ON}
        status, answer = self.server.recorder.passed_on(self.path, headers, body)
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


def rewritten(bodies: list[str], names: Mapping[Path, str]) -> list[str]:
    """The payloads as lines: folders under other names, ids counted through, times left out."""
    ids: dict[str, str] = {}

    def counted(found: re.Match[str]) -> str:
        return ids.setdefault(found[0], f"00000000-0000-4000-8000-{len(ids) + 1:012}")

    lines = []
    for body in bodies:
        kept = {key: value for key, value in json.loads(body).items() if key not in DROPPED}
        line = json.dumps(kept)
        for folder in sorted(names, key=lambda path: -len(str(path))):
            line = line.replace(str(folder), f"{PLACE}/{names[folder]}")
        line = OUTPUTS.sub(f"{PLACE}/outputs", TOOK.sub(r"\g<1>0.001s", line))
        lines.append(ID.sub(counted, line) + "\n")
    return lines


def payloads(file: Path, places: Mapping[str, Path]) -> list[dict[str, Any]]:
    """A recording's payloads, for folders that lie elsewhere."""
    text = file.read_text("utf-8")
    for name, folder in places.items():
        text = text.replace(f"{PLACE}/{name}", str(folder))
    return [json.loads(line) for line in text.splitlines()]
