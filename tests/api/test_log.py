"""The log as it is shown: pages, filters, forms, and what nobody in particular sees."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from typing import Any

import pytest

from app.store.guards import GUARDS
from tests.api.running import Running

TEXT = "text-9d41"


def fill(running: Running) -> None:
    """Several sessions, an agent, verdicts, a tightening, a refusal."""
    for number in range(4):
        running.event("a", tool="Read", arguments={"path": f"{TEXT}{number}"}, result=TEXT)
        running.event("a", tool="Read", agent_id="helper", arguments={"path": f"{number}"})
        running.event("ab", kind="prompt")
    running.tightened("b")
    running.ask("POST", "/controller/decide", {"session_id": "b", "tool": "Write"})
    running.ask("POST", "/controller/approve/1", role="harness")


@pytest.mark.parametrize("limit", [1, 2, 7, 1000])
def test_pages_in_either_direction_show_every_entry_once(running: Running, limit: int) -> None:
    fill(running)
    everything = list(range(1, running.get("/controller/checkpoint")["seq"] + 1))
    for key, first in (("before", ""), ("after", "&after=0")):
        shown: list[int] = []
        query = first
        while True:
            page = running.get(f"/controller/log?limit={limit}{query}")
            shown += [entry["seq"] for entry in page["items"]]
            assert len(page["items"]) <= limit
            if page["next"] is None:
                break
            query = f"&{key}={page['next']}"
        assert shown == (everything[::-1] if key == "before" else everything)


def test_filters_show_what_they_say(running: Running) -> None:
    fill(running)
    everything = running.log()
    filters: dict[str, Callable[[dict[str, Any]], bool]] = {
        "&scope=a": lambda e: e["scope"] in ("a", "a/helper"),
        "&scope=a/helper": lambda e: e["scope"] == "a/helper",
        "&scope=*": lambda e: e["scope"] == "*",
        "&scope=A": lambda e: False,
        "&kind=applied": lambda e: e["kind"] == "applied",
        "&action=mode": lambda e: e["action"] == "mode",
        "&kind=observed&scope=ab": lambda e: e["kind"] == "observed" and e["scope"] == "ab",
        "&before=6": lambda e: e["seq"] < 6,
        "&before=9&after=3": lambda e: 3 < e["seq"] < 9,
    }
    for query, keeps in filters.items():
        assert running.log(query) == [entry for entry in everything if keeps(entry)], query


def test_refusals_stand_among_the_rest(running: Running) -> None:
    fill(running)
    last = running.log()[-1]
    assert (last["kind"], last["body"]["why"]) == ("refused", "wrong_role")
    assert "refused" in running.ask("GET", "/controller/log", headers=as_table()).text


def as_table() -> dict[str, str]:
    return {"Accept": "text/plain"}


@pytest.mark.parametrize(
    ("accept", "agent", "form"),
    [
        ("*/*", "python-httpx/0.28", "application/json"),
        ("*/*", "curl/8.5.0", "application/json"),
        ("application/json", "curl/8.5.0", "application/json"),
        ("text/plain", "python-httpx/0.28", "text/plain; charset=utf-8"),
        ("application/x-ndjson", "curl/8.5.0", "application/x-ndjson"),
        ("application/json, text/plain, */*", "axios/1.7", "application/json"),
        ("text/html,application/xhtml+xml,*/*;q=0.8", "Mozilla/5.0", "application/json"),
        ("application/json;q=0.5, text/plain", "x", "text/plain; charset=utf-8"),
        ("text/plain;q=0, application/json;q=0.1", "x", "application/json"),
        ("TEXT/PLAIN", "x", "text/plain; charset=utf-8"),
        ("text/plain;q=x", "x", "text/plain; charset=utf-8"),
        ("", "x", "application/json"),
    ],
)
def test_the_form_is_the_one_that_was_asked_for(
    shared: Running, accept: str, agent: str, form: str
) -> None:
    headers = {"Accept": accept, "User-Agent": agent}
    response = shared.ask("GET", "/controller/log", headers=headers)
    assert response.status_code == 200
    assert response.headers["content-type"] == form


def test_the_table_has_one_line_an_entry_and_the_seq_first(running: Running) -> None:
    fill(running)
    head, *lines = running.ask("GET", "/controller/log", headers=as_table()).text.splitlines()
    assert head.split() == ["SEQ", "AT", "KIND", "SCOPE", "SUMMARY"]
    assert [int(line.split()[0]) for line in lines] == [e["seq"] for e in running.log()[::-1]]


def test_the_table_of_an_empty_choice_says_so(shared: Running) -> None:
    response = shared.ask("GET", "/controller/log?scope=nobody", headers=as_table())
    assert response.text == "The log has no such entries.\n"


def test_a_session_cannot_rewrite_what_a_person_reads(running: Running) -> None:
    running.event("s", tool="Bash", arguments={"command": "\u001b[2K\u202e\u0007"}, result="\r")
    shown = running.ask("GET", "/controller/log", headers=as_table()).text
    assert all(sign.isprintable() or sign == "\n" for sign in shown)


def test_lines_and_items_are_the_same_entries(running: Running) -> None:
    fill(running)
    response = running.ask("GET", "/controller/log", headers={"Accept": "application/x-ndjson"})
    assert [json.loads(line) for line in response.text.splitlines()][::-1] == running.log()


def test_without_a_token_no_text_is_shown_and_with_any_token_it_is(running: Running) -> None:
    running.event("s", kind="prompt", arguments={"text": TEXT})
    running.event("s", tool="Bash", arguments={"command": TEXT}, result=TEXT)
    running.tightened("s")
    reason = {"scope": "s", "action": "policy", "value": {"posture": "ask"}, "reason": TEXT}
    running.post("/controller/propose", reason)
    head = running.get("/controller/checkpoint")["seq"]
    paths = [
        *(f"/controller/log/{seq}" for seq in range(1, head + 1)),
        "/controller/log",
        "/controller/sessions",
        "/controller/sessions/s",
        "/controller/overrides?scope=s",
        "/controller/overrides",
        "/metrics",
    ]
    for path in paths:
        assert TEXT not in running.ask("GET", path, role="outline").text, path
    for form in ("text/plain", "application/x-ndjson"):
        headers = {"Accept": form}
        outline = running.ask("GET", "/controller/log", role="outline", headers=headers).text
        assert TEXT not in outline
        assert "implementation -> plan" in outline
    for role in ("harness", "reader", "operator"):
        assert TEXT in running.ask("GET", "/controller/log", role=role).text


def test_an_entry_is_shown_with_what_refers_to_it(running: Running) -> None:
    applied, proposed = running.tightened()
    shown = running.get(f"/controller/log/{applied['seq']}")
    assert shown == {**applied, "referred_to_by": [proposed]}


def test_every_entry_has_the_same_members_in_the_same_order(running: Running) -> None:
    fill(running)
    members = "seq at kind scope action direction ref actor summary body hash"
    assert {" ".join(entry) for entry in running.log()} == {members}


def test_times_and_places_follow_each_other(running: Running) -> None:
    fill(running)
    entries = running.log()
    assert [entry["seq"] for entry in entries] == list(range(1, len(entries) + 1))
    assert all(earlier["at"] <= later["at"] for earlier, later in pairwise(entries))


def test_the_chain_is_checked_and_a_change_is_named(running: Running) -> None:
    fill(running)
    head = running.log()[-1]
    whole = {"ok": True, "count": head["seq"], "head": head["seq"], "hash": head["hash"]}
    assert running.get("/controller/verify", "outline") == whole
    checkpoint = {"seq": head["seq"], "hash": head["hash"], "at": head["at"]}
    assert running.get("/controller/checkpoint", "outline") == checkpoint
    with closing(sqlite3.connect(running.folder / "controls.db")) as bypass:
        for name in GUARDS:
            bypass.execute(f"DROP TRIGGER {name}")
        bypass.execute("UPDATE controls SET scope = 'c' WHERE seq = 5")
        bypass.commit()
    broken = running.get("/controller/verify", "outline")
    assert (broken["ok"], broken["seq"]) == (False, 5)
