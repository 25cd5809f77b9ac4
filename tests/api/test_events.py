"""Events in: stored once, in order, whole requests or nothing, and what comes back."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.api.events import result_json
from app.domain.events import Event
from app.service.control import Stored
from app.service.intake import Answer, Arrival
from tests.api.running import FAILING, Running

CALL = {"session_id": "s", "tool": "Read", "outcome": "ok"}


def observed(running: Running) -> list[dict[str, Any]]:
    return running.log("&kind=observed")


def test_one_event_an_array_and_lines_are_all_stored_in_order(running: Running) -> None:
    calls = [{**CALL, "event_id": f"{n}", "arguments": {"path": f"{n}"}} for n in range(5)]
    one = running.ask("POST", "/controller/events", calls[0])
    array = running.ask("POST", "/controller/events", calls[1:3])
    lines = running.ask(
        "POST",
        "/controller/events",
        b"\n".join(json.dumps(call).encode() for call in calls[3:]),
        headers={"Content-Type": "application/x-ndjson"},
    )
    assert [each.status_code for each in (one, array, lines)] == [201, 201, 201]
    results = [result for each in (one, array, lines) for result in each.json()["results"]]
    assert [entry["body"]["event_id"] for entry in observed(running)] == list("01234")
    assert [result["seq"] for result in results] == [e["seq"] for e in observed(running)]
    assert {(r["duplicate"], r["mode"], r["posture"]) for r in results} == {
        (False, "implementation", "yolo")
    }


def test_a_line_of_the_older_form_takes_its_session_from_the_query(running: Running) -> None:
    line = {"tool": "Bash", "arguments": {"command": "ls"}, "success": False, "duration_ms": 3}
    assert running.ask("POST", "/controller/events?session=old", line).status_code == 201
    header = {"X-Session-Id": "older"}
    assert running.ask("POST", "/controller/events", line, headers=header).status_code == 201
    scopes = [(entry["scope"], entry["body"]["outcome"]) for entry in observed(running)]
    assert scopes == [("old", "error"), ("older", "error")]


def test_what_fired_is_what_the_log_says_with_its_hashes(running: Running) -> None:
    fired = running.tightened()
    logged = {entry["seq"]: entry for entry in running.log()}
    assert [entry["kind"] for entry in fired] == ["applied", "proposed"]
    assert fired == [logged[entry["seq"]] for entry in fired]
    assert running.event("s", tool="Read")["mode"] == "plan"


def test_a_repeated_event_answers_with_the_first_and_writes_nothing(running: Running) -> None:
    events = [{"session_id": "s", **FAILING, "event_id": str(number)} for number in range(3)]
    first = [running.post("/controller/events", event)["results"][0] for event in events]
    before = running.log()
    again = [running.post("/controller/events", event)["results"][0] for event in events]
    assert running.log() == before
    assert [result["seq"] for result in again] == [result["seq"] for result in first]
    assert [result["fired"] for result in again] == [result["fired"] for result in first]
    assert [result["duplicate"] for result in again] == [True] * 3
    assert [result["mode"] for result in again] == ["plan"] * 3  # as it is now


def test_a_repeat_within_one_request_is_stored_once(running: Running) -> None:
    event = {**CALL, "event_id": "e"}
    results = running.post("/controller/events", [event, event])["results"]
    assert [result["duplicate"] for result in results] == [False, True]
    assert results[0]["seq"] == results[1]["seq"]
    assert len(observed(running)) == 1


def test_an_event_without_ids_is_never_a_repeat(running: Running) -> None:
    running.post("/controller/events", [CALL, CALL])
    assert len(observed(running)) == 2


def test_one_key_in_two_sessions_is_two_events(running: Running) -> None:
    running.post(
        "/controller/events", [{**CALL, "event_id": "e", "session_id": s} for s in ("a", "b")]
    )
    assert len(observed(running)) == 2


def test_one_phase_of_one_call_is_stored_once_and_other_arguments_are_another_call(
    running: Running,
) -> None:
    call = {**CALL, "call_id": "c", "arguments": {"file_path": "a"}}
    other = {**call, "arguments": {"file_path": "b"}}
    results = running.post("/controller/events", [call, call, other])["results"]
    assert [result["duplicate"] for result in results] == [False, True, False]


@pytest.mark.parametrize("together", [True, False])
def test_a_key_with_another_body_refuses_the_whole_request(
    running: Running, together: bool
) -> None:
    first, other = {**CALL, "event_id": "e"}, {**CALL, "event_id": "e", "tool": "Bash"}
    if not together:
        running.post("/controller/events", first)
    before = running.log()
    response = running.ask("POST", "/controller/events", [CALL, first, other])
    assert response.status_code == 409
    assert response.json()["type"] == "/problems/event_id_reused"
    assert response.json()["detail"].startswith("Event 2, counted from 0")
    assert running.log() == before


@pytest.mark.parametrize("faulty", [0, 250, 499])
def test_one_bad_event_of_five_hundred_stores_nothing_and_is_named(
    running: Running, faulty: int
) -> None:
    events: list[dict[str, Any]] = [dict(CALL) for _ in range(500)]
    events[faulty]["duration_ms"] = "soon"
    response = running.ask("POST", "/controller/events", events)
    assert response.status_code == 422
    assert response.json()["at"] == f"[{faulty}].duration_ms"
    assert observed(running) == []


def test_a_request_holds_ten_thousand_events_and_not_one_more(running: Running) -> None:
    event = b'{"session_id": "s", "kind": "prompt"}'  # trips nothing
    lines = {"Content-Type": "application/x-ndjson"}
    refused = running.ask("POST", "/controller/events", b"\n".join([event] * 10_001), headers=lines)
    assert refused.status_code == 413
    assert observed(running) == []
    taken = running.ask("POST", "/controller/events", b"\n".join([event] * 10_000), headers=lines)
    assert taken.status_code == 201
    seqs = [result["seq"] for result in taken.json()["results"]]
    assert seqs == list(range(seqs[0], seqs[0] + 10_000))
    assert running.get("/controller/verify")["ok"]


def test_who_sends_too_much_is_told_when_to_come_again(tmp_path: Path) -> None:
    running = Running(tmp_path / "state", "[limits]\nrate = 0.5\nburst = 3\n")
    statuses = [running.ask("POST", "/controller/events", [CALL]).status_code for _ in range(4)]
    assert statuses == [201, 201, 201, 429]
    refused = running.ask("POST", "/controller/decide", CALL)
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) >= 1
    assert running.ask("POST", "/controller/events", [CALL], role="operator").status_code == 201
    assert len(observed(running)) == 4
    running.daemon.close()


def bind(running: Running, session: str) -> None:
    event = Event(session_id=session, kind="session_start", harness="claude-code")
    arrival = Arrival(event=event, origin="hooks")
    assert isinstance(asyncio.run(running.daemon.control.ingest([arrival])), Stored)


def test_a_session_that_hooks_report_takes_usage_from_others_and_nothing_else(
    running: Running,
) -> None:
    running.event("bound", tool="Read")
    bind(running, "bound")
    usage = {"session_id": "bound", "kind": "usage", "usage": {"cost": 0.1}}
    assert running.ask("POST", "/controller/events", usage).status_code == 201
    before = len(observed(running))
    for kind in ("tool", "prompt", "turn", "compact"):
        event = {"session_id": "bound", "kind": kind, "tool": "Read"}
        refused = running.ask("POST", "/controller/events", [CALL, event])
        assert refused.status_code == 409
        assert refused.json()["type"] == "/problems/session_bound"
    assert len(observed(running)) == before
    (kept,) = running.log("&kind=refused")
    assert (kept["scope"], kept["body"]["by"]) == ("bound", "harness:harness")


def test_twenty_at_once_are_stored_once_each_in_one_unbroken_chain(running: Running) -> None:
    sent = [{**CALL, "event_id": f"{n % 10}", "tool": f"T{n % 10}"} for n in range(20)]
    results = together(running, sent)
    assert len({result["seq"] for result in results}) == 10
    assert sum(result["duplicate"] for result in results) == 10
    assert len(observed(running)) == 10
    assert running.get("/controller/verify")["ok"]


def test_one_key_with_two_bodies_at_once_takes_exactly_one_of_them(running: Running) -> None:
    def arrival(tool: str) -> Arrival:
        return Arrival(event=Event(session_id="s", tool=tool, event_id="e"))

    async def both() -> list[object]:
        control = running.daemon.control
        return await asyncio.gather(*(control.ingest([arrival(t)]) for t in ("Read", "Bash") * 5))

    kinds = sorted(type(answer).__name__ for answer in asyncio.run(both()))
    assert kinds == ["Conflict"] * 5 + ["Stored"] * 5
    assert len(observed(running)) == 1


def together(running: Running, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The results of events that are sent at the same time, each in a request of its own."""

    async def run() -> list[dict[str, Any]]:
        transport = httpx.ASGITransport(running.daemon.app)
        headers = {"Authorization": f"Bearer {running.tokens['harness']}"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1", headers=headers
        ) as client:
            sent = [client.post("/controller/events", json=event) for event in events]
            return [each.json()["results"][0] for each in await asyncio.gather(*sent)]

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("result", "more"),
    [
        (Answer(seq=7, duplicate=False, mode="implementation", posture="yolo"), {}),
        (Answer(seq=2**53, duplicate=False, mode="implementation", posture="yolo"), {}),
        (Answer(seq=7, duplicate=True, mode="implementation", posture="yolo"), {}),
        (Answer(seq=7, duplicate=False, mode="plan", posture="ask"), {}),
        (Answer(seq=7, duplicate=False, mode='a "\u2028\u00e4" \\', posture="yolo"), {}),
        (
            Answer(seq=7, duplicate=False, mode="plan", posture="yolo", also=("s/a", "s/b")),
            {"also": ["s/a", "s/b"]},
        ),
        (
            Answer(seq=7, duplicate=False, mode="plan", posture="yolo", verdict="none"),
            {"verdict": "none", "rule": None, "reason": None},
        ),
    ],
)
def test_a_result_is_the_json_of_its_parts(result: Answer, more: dict[str, Any]) -> None:
    parts = {
        "seq": result.seq,
        "duplicate": result.duplicate,
        "mode": result.mode,
        "posture": result.posture,
        "fired": [],
        **more,
    }
    expected = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    assert [result_json(result), result_json(result)] == [expected, expected]
