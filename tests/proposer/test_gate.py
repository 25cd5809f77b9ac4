"""The gate over a real log, with a model server on loopback: each answer, and each way to fail."""

from __future__ import annotations

import json
import stat
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from app.config.endpoint import Address
from app.domain.briefing import BRIEF, trips
from app.domain.events import Event
from app.proposer.calls import Means, ask, conclude, give_up, left_behind
from tests.domain.ledger import audit
from tests.proposer.asking import asking, client, gated
from tests.proposer.server import Reply, answer, drip, endless, hang, raw, scripted, text
from tests.service.house import House, call, failing

NOOP = answer(action="noop")
ASK = {"posture": "ask"}
ELSEWHERE = "/elsewhere"


def kinds(entries: Any) -> list[str]:
    return [f"{entry.kind} {entry.action}" for entry in entries]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"action": "noop"}, []),
        ({"action": "compact"}, ["proposed compact"]),
        ({"action": "switch_model", "model": "large"}, ["proposed model"]),
        ({"action": "tighten_policy", "policy": ASK}, ["applied policy"]),
        ({"action": "abort"}, ["applied policy"]),
        ({"action": "warn_user", "text": "It goes in circles."}, ["applied notice"]),
        ({"action": "propose_instruction", "title": "T", "text": "X"}, ["applied notice"]),
        ({"action": "propose_skill", "title": "T", "text": "X"}, ["applied notice"]),
    ],
    ids=lambda given: given.get("action") if isinstance(given, dict) else "",
)
def test_each_of_the_eight_ends_as_it_should(
    tmp_path: Path, value: dict[str, Any], written: list[str]
) -> None:
    with asking(tmp_path, answer(**value)) as (gate, server):
        gate.trips()
        assert kinds(gate.entries()) == ["applied notice", *written, "ended notice"]
        assert len(server.asked) == 1
        assert audit(gate.home.entries()) == []
        (end,) = gate.entries("ended")
        assert end.body["proposer"]["answer"] == value["action"]  # type: ignore[index, call-overload]


@pytest.mark.parametrize(
    ("reply", "why", "attempted"),
    [
        (answer(action="learn", text="x"), "unknown_action", "ask"),
        (text("{"), "not_json", "ask"),
        (text('{"action": "noop", "action": "abort"}'), "not_json", "ask"),
        (text('Sure! {"action": "noop"}'), "not_json", "ask"),
        (text('```json\n{"action": "noop"}\n```'), "not_json", "ask"),
        (text('{"action": "noop"} {"action": "abort"}'), "not_json", "ask"),
        (text("[" * 20_000), "not_json", "ask"),
        (text("  "), "no_text", "ask"),
        (
            answer(action="tighten_policy", policy={"write_paths": ["src/"]}),
            "freer",
            "tighten_policy",
        ),
        (answer(action="switch_model", model="huge"), "fields", "switch_model"),
        (answer(action="tighten_policy", policy={"posture": "yolo"}), "changes_nothing",
         "tighten_policy"),
        (text('{"action": "no', finish="length"), "cut_off", "ask"),
        (text("", tool_calls=[{"function": {"name": "Bash"}}]), "tool_use", "ask"),
        (raw(b"{}", 500), "status", "ask"),
        (raw(b"", 401), "status", "ask"),
        (raw(b"<html>"), "no_text", "ask"),
        (raw(b'{"choices": []}'), "no_text", "ask"),
        (raw(b"\xff\xfe"), "no_text", "ask"),
        (raw(b"x" * 9, Content_Encoding="gzip"), "encoded", "ask"),
        (raw(b"", 302, Location=ELSEWHERE), "redirect", "ask"),
        (raw(b"", 307, Location=ELSEWHERE), "redirect", "ask"),
        (endless, "too_large", "ask"),
        (lambda handler: handler.wfile.write(b"no protocol\r\n\r\n"), "unreachable", "ask"),
    ],
    ids=[
        "a ninth action", "malformed", "a key twice", "prose around", "a fence around",
        "two objects", "too deep", "blank", "a loosening", "a model not configured", "no change",
        "cut off", "a tool", "500", "401", "HTML", "no choice", "no UTF-8", "compressed", "302",
        "307", "ten megabytes", "no HTTP",
    ],
)  # fmt: skip
def test_whatever_goes_wrong_is_refused_and_over(
    tmp_path: Path, reply: Reply, why: str, attempted: str
) -> None:
    with asking(tmp_path, reply) as (gate, server):
        gate.trips()
        refusal = gate.refusal()
        assert (refusal["why"], refusal["attempted"]) == (why, attempted)
        assert kinds(gate.entries())[0] == "applied notice"
        assert kinds(gate.entries())[-1] == "ended notice"
        assert len(gate.entries()) == 3
        assert [request.path for request in server.asked] == ["/v1/chat/completions"]
        assert audit(gate.home.entries()) == []


@pytest.mark.parametrize("reply", [hang, drip], ids=["says nothing", "says a byte now and then"])
def test_who_does_not_answer_in_time_is_given_up(tmp_path: Path, reply: Reply) -> None:
    with asking(tmp_path, reply, timeout=0.3) as (gate, _):
        gate.trips()
        assert gate.refusal()["why"] == "timeout"
        assert gate.refusal()["detail"] == "the server did not answer within 0.3 seconds"


def test_events_and_verdicts_go_on_while_the_model_thinks(tmp_path: Path) -> None:
    with asking(tmp_path, hang) as (gate, server):
        gate.trips(wait=False)
        assert server.arrived.acquire(timeout=60)
        answers = gate.home.stored(*(call(f"look {n}") for n in range(20)))
        assert len(answers) == 20
        assert gate.entries("ended") == []  # and it still thinks


def test_a_session_has_one_call_under_way_and_another_session_its_own(tmp_path: Path) -> None:
    with asking(tmp_path, hang) as (gate, server):
        gate.trips("a", wait=False, command="one")
        assert server.arrived.acquire(timeout=60)
        for n in range(9):
            gate.home.stored(call(f"edit {n}", "a", outcome="denied"))
        gate.trips("b", wait=False)
        assert server.arrived.acquire(timeout=60)
        assert [entry.scope for entry in gate.entries("applied")] == ["a", "b"]
        trips = [e for e in gate.home.entries("applied") if e.scope == "a"]
        assert (
            len(trips) > 2
        )  # more than one check tripped there while the first call was under way


def test_a_check_that_stays_tripped_asks_once(tmp_path: Path) -> None:
    with asking(tmp_path, NOOP) as (gate, server):
        gate.trips()
        gate.home.stored(failing(), failing())
        gate.settle()
        assert len(server.asked) == 1


def test_nothing_else_than_a_tripped_check_asks(tmp_path: Path) -> None:
    with asking(tmp_path, NOOP) as (gate, server):
        gate.home.stored(*(call(f"make {n}") for n in range(5)), failing(), failing())
        gate.settle()
        assert server.asked == []
        assert gate.entries() == []


def test_a_repeated_event_is_answered_with_what_it_caused_and_not_with_a_model_s_answer(
    tmp_path: Path,
) -> None:
    with asking(tmp_path, answer(action="tighten_policy", policy=ASK)) as (gate, _):
        gate.home.stored(failing(), failing())
        last = failing(event_id="the third")
        (first,) = gate.home.stored(last)
        gate.ends()
        (again,) = gate.home.stored(last)
        assert again.duplicate
        assert [entry.seq for entry in again.fired] == [entry.seq for entry in first.fired]
        assert {entry.action for entry in again.fired} == {"mode"}


def test_nobody_is_asked_about_a_session_that_is_over(tmp_path: Path) -> None:
    means = Means(provider="openai", model="watcher", models=(), calls_per_day=50)
    with asking(tmp_path, NOOP) as (gate, _):
        gate.gate.close()
        gate.trips(wait=False)
        trip = next(entry for entry in gate.home.entries("applied") if trips(entry))
        gate.home.stored(Event(session_id="s", kind="session_end"))
        assert gate.home.writer.submit(partial(ask, means, trip)).result() is None
        assert gate.entries() == []


def test_what_is_sent_is_a_brief_and_an_outline_without_tools(tmp_path: Path) -> None:
    with asking(tmp_path, NOOP) as (gate, server):
        gate.trips()
        (request,) = server.asked
        assert set(request.json) == {"model", "max_completion_tokens", "messages"}
        system, user = request.json["messages"]
        assert system == {"role": "system", "content": BRIEF}
        sent = json.loads(user["content"])
        assert sent["checks"] == [{"rule": "repeated", "value": 3.0, "threshold": 3.0}]
        assert sent["last_calls"] == [{"tool": "Bash", "outcome": "error", "times": 3}]
        (question, *_) = gate.entries()
        assert question.body["proposer"]["sent"] == sent  # type: ignore[index, call-overload]


def test_the_calls_of_a_day_are_counted_by_the_log(tmp_path: Path) -> None:
    with asking(tmp_path, NOOP, calls_per_day=2) as (gate, server):
        gate.trips("a")
        gate.trips("b")
        gate.trips("c", wait=False)
        gate.trips("d", wait=False)
        gate.settle()
    with asking(tmp_path, NOOP, calls_per_day=2) as (again, after):
        again.trips("e", wait=False)
        again.settle()
        assert len(server.asked) == 2
        assert after.asked == []
        (refusal,) = again.entries("refused")  # said once a day
        assert (refusal.body["why"], refusal.scope) == ("budget", "c")
    with asking(tmp_path, NOOP, calls_per_day=2) as (tomorrow, later):
        tomorrow.home.at = "2026-12-01T00:00:00.000Z"
        tomorrow.trips("f")
        assert len(later.asked) == 1
        assert tomorrow.entries("applied")[-1].dedup_key == "proposer:2026-12-01:1"


def test_a_call_that_is_under_way_at_the_end_is_over_in_the_log(tmp_path: Path) -> None:
    with asking(tmp_path, hang) as (gate, server):
        gate.trips(wait=False)
        assert server.arrived.acquire(timeout=60)
        gate.gate.close()
        assert gate.refusal()["why"] == "stopped"
        assert len(gate.entries("ended")) == 1


def test_a_call_that_was_killed_is_over_at_the_next_start(tmp_path: Path) -> None:
    with asking(tmp_path, hang) as (gate, server):
        gate.trips(wait=False)
        assert server.arrived.acquire(timeout=60)
        killed = left_behind(gate.home.reader)
        assert [entry.seq for entry in killed] == [gate.entries()[0].seq]
        gate.home.writer.stop()  # as a kill would: what comes later is not written
    with asking(tmp_path, NOOP) as (again, _):
        for entry in left_behind(again.home.reader):
            again.home.writer.submit(partial(give_up, entry)).result()
        assert again.refusal()["why"] == "stopped"
        assert left_behind(again.home.reader) == ()


def test_nothing_is_sent_when_the_call_cannot_be_logged(tmp_path: Path) -> None:
    many = tuple(f"model-{n:060}" for n in range(200))  # an entry that needs pages of its own
    with asking(tmp_path, NOOP, models=many) as (gate, server):
        gate.home.feed.listen(
            lambda book, entries: gate.home.full() if any(map(trips, entries)) else None
        )
        gate.trips(wait=False)
        gate.settle()
        gate.settle()
        assert gate.entries() == []
        gate.home.freed()
        gate.gate.close()
        assert server.asked == []


def test_what_cannot_be_logged_at_once_is_logged_later(tmp_path: Path) -> None:
    texts: list[House] = []

    class Filling:
        """Answers in the moment in which the disk is full, with what needs pages of its own."""

        async def ask(self, question: str) -> str:
            texts[0].full()
            return json.dumps({"action": "propose_skill", "title": "T", "text": "x" * 8_000})

    with gated(tmp_path, Filling()) as gate:
        texts.append(gate.home)
        gate.trips(wait=False)
        while gate.home.writer.cause is None:
            gate.settle()
        gate.home.freed()
        gate.ends()
        assert kinds(gate.entries()) == ["applied notice", "applied notice", "ended notice"]


def test_a_fault_of_our_own_is_refused_like_any_other(tmp_path: Path) -> None:
    class Broken:
        """Fails as nobody foresaw."""

        async def ask(self, question: str) -> str:
            raise KeyError("secret")

    with gated(tmp_path, Broken()) as gate:
        gate.trips()
        assert gate.refusal()["why"] == "fault"
        assert gate.refusal()["detail"] == "asking failed: KeyError"
        gate.trips("another")
        assert len(gate.entries("refused")) == 2  # the gate is still open


def test_an_answer_that_cannot_be_carried_out_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No such answer is known, so the fault is planted."""
    faults = [LookupError("planted")]

    def failing_once(*given: Any) -> Any:
        if faults:
            raise faults.pop()
        return conclude(*given)

    monkeypatch.setattr("app.proposer.gate.conclude", failing_once)
    with asking(tmp_path, answer(action="abort")) as (gate, _):
        gate.trips()
        assert gate.refusal()["detail"] == "writing failed: LookupError"
        assert kinds(gate.entries()) == ["applied notice", "refused notice", "ended notice"]


def test_inp_15_an_endpoint_that_leads_elsewhere_is_one_refused_entry(tmp_path: Path) -> None:
    async def inside(host: str, port: int) -> tuple[Address, ...]:
        return (ip_address("127.0.0.1"),)

    with scripted(NOOP) as server:
        url = f"https://models.example.com:{server.port}/v1"
        with gated(tmp_path, client(url, resolve=inside)) as gate:
            gate.trips()
            assert gate.refusal()["why"] == "address"
            assert "its address is loopback" in gate.refusal()["detail"]
            assert server.asked == []


def test_a_text_for_a_person_becomes_a_file_named_after_its_entry(tmp_path: Path) -> None:
    value = {"action": "propose_skill", "title": "../../CLAUDE", "text": "# Do it\n\nSo."}
    with asking(tmp_path, answer(**value)) as (gate, _):
        gate.trips()
        (notice,) = [e for e in gate.entries("applied") if "advice" in e.body]
        gate.gate.close()
        (file,) = gate.folder.iterdir()
        assert file.name == f"{notice.seq}-skill.md"
        assert file.read_text() == (
            f"<!-- skill proposed by a model: floorboss show {notice.seq}."
            " Nothing reads this but you. -->\n\n# ../../CLAUDE\n\n# Do it\n\nSo.\n"
        )
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_that_cannot_be_written_is_refused_and_its_text_is_in_the_log(
    tmp_path: Path,
) -> None:
    value = {"action": "propose_instruction", "title": "T", "text": "KEPT"}
    (tmp_path / "proposals").symlink_to(tmp_path / "elsewhere")
    with asking(tmp_path, answer(**value)) as (gate, _):
        gate.trips()
        gate.gate.close()
        assert gate.refusal()["why"] == "file"
        (notice,) = [e for e in gate.entries("applied") if "advice" in e.body]
        assert notice.body["advice"]["text"] == "KEPT"  # type: ignore[index, call-overload]
        assert not (tmp_path / "elsewhere").exists()
