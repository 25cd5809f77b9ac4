"""A stream that is cut off and resumed, while many post: every entry once, in order."""

from __future__ import annotations

import http.client
import json
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.e2e.load import Writers
from tests.e2e.process import Process, served

POSTED = 1_500
CUTS = 12


def posts(number: int) -> Iterator[dict[str, Any]]:
    """The events of one writer; some of them trip rules."""
    for count in range(POSTED // 4):
        yield {
            "event_id": f"{number}-{count}",
            "session_id": f"s{number}",
            "tool": "Bash",
            "arguments": {"command": f"make {count % 3}"},
            "outcome": "error",
        }


def followed(process: Process, last: int, most: int, head: int | None = None) -> list[int]:
    """The seqs that one connection brings before it is cut after `most` entries, or at `head`."""
    connection = process.connection()
    headers = {**process.harness, "Last-Event-ID": str(last)}
    connection.request("GET", "/controller/stream", headers=headers)
    response = connection.getresponse()
    assert response.status == 200
    found: list[int] = []
    while len(found) < most and (head is None or last < head):
        line = response.readline()
        assert line, "the stream ended by itself"
        if line.startswith(b"data: "):
            last = json.loads(line[6:])["seq"]
            found.append(last)
    response.close()
    connection.close()  # in the middle of what comes
    return found


def test_a_client_that_is_cut_off_sees_every_entry_once_and_in_order(tmp_path: Path) -> None:
    with served(tmp_path / "state") as process:
        writers = Writers(process, posts)
        threads = writers.run(4)
        seen: list[int] = []
        for cut in range(CUTS):
            seen += followed(process, seen[-1] if seen else 0, most=37 + 11 * cut)
        for thread in threads:
            thread.join()
        _, head = process.ask("GET", "/controller/checkpoint")
        seen += followed(process, seen[-1], most=1 << 30, head=head["seq"])
        assert len(writers.outcome.stored) == POSTED
        assert seen == list(range(1, head["seq"] + 1))
        assert process.end() == 0


def test_a_client_that_reads_nothing_holds_up_nobody_and_costs_no_memory(tmp_path: Path) -> None:
    with served(tmp_path / "state") as process:
        idle = process.connection()
        idle.request("GET", "/controller/stream?after=0", headers=process.harness)
        idle.getresponse()
        large = {"session_id": "s", "kind": "tool", "tool": "Bash", "result": "x" * 4_000}
        for _ in range(10):
            status, _ = process.ask("POST", "/controller/events", [large] * 200)
            assert status == 201
        before = process.memory()
        status, _ = process.ask("POST", "/controller/events", [large] * 2_000)
        assert status == 201
        assert process.memory() - before < 64 << 20
        idle.close()


def test_open_streams_end_cleanly_with_the_daemon(tmp_path: Path) -> None:
    with served(tmp_path / "state") as process:
        rest: list[bytes] = []

        def follow() -> None:
            connection = process.connection()
            connection.request("GET", "/controller/stream?after=0", headers=process.harness)
            response = connection.getresponse()
            rest.append(response.readline())
            opened.release()
            rest.append(response.read())  # raises IncompleteRead where it was only broken off
            connection.close()

        opened = threading.Semaphore(0)
        threads = [threading.Thread(target=follow) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in threads:
            opened.acquire(timeout=30)
        assert process.end(signal.SIGTERM) == 0
        for thread in threads:
            thread.join(30)
        assert len(rest) == 6
        assert sum(b"event: configured" in each for each in rest) == 3
        assert not (process.folder / "stderr").read_text().count("Traceback")


def test_a_stream_without_a_token_shows_outlines(tmp_path: Path) -> None:
    with served(tmp_path / "state") as process:
        canary = {"session_id": "s", "tool": "Bash", "result": "canary-77"}
        process.ask("POST", "/controller/events", canary)
        connection: http.client.HTTPConnection = process.connection()
        connection.request("GET", "/controller/stream?after=1")
        response = connection.getresponse()
        lines = [response.readline() for _ in range(5)]
        assert lines[2] == b"id: 2\n"
        assert b"canary" not in b"".join(lines)
        connection.close()
