"""Is it well: one word for everyone; numbers for whoever may read."""

from __future__ import annotations

from tests.api.running import Running


def test_health_is_one_word_and_tells_nothing_else(running: Running) -> None:
    response = running.ask("GET", "/healthz", role="outline")
    assert (response.status_code, response.json()) == (200, {"ok": True})


def test_the_metrics_count_what_the_log_holds(running: Running) -> None:
    running.tightened()
    text = running.ask("GET", "/metrics", role="outline").text
    numbers = dict(
        line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#")
    )
    entries = running.log()
    for kind in {entry["kind"] for entry in entries}:
        count = sum(entry["kind"] == kind for entry in entries)
        assert float(numbers[f'floorboss_entries_total{{kind="{kind}"}}']) == count
    assert float(numbers["floorboss_head_seq"]) == entries[-1]["seq"]
    assert float(numbers["floorboss_unlogged"]) == 0


def test_the_metrics_count_what_was_asked_and_what_was_denied(running: Running) -> None:
    guarded = {"file_path": "/shop/.git/hooks/x", "content": "x"}
    call = {"session_id": "s", "cwd": "/shop", "tool": "Write", "arguments": guarded}
    for said in (call, call, {**call, "arguments": {"file_path": "/shop/a.py", "content": "x"}}):
        running.post("/controller/decide", said, "harness")
    text = running.ask("GET", "/metrics").text
    assert "floorboss_attempts_total 3.0" in text
    assert 'floorboss_blocked_total{rule="guarded"} 2.0' in text
    assert "floorboss_blocked_again_total 1.0" in text
    listed = running.get("/controller/sessions")
    assert listed["interventions"] == listed["items"][0]["interventions"]
    assert listed["interventions"]["escalations"] == 1


def test_metrics_are_prometheus_text(shared: Running) -> None:
    response = shared.ask("GET", "/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
