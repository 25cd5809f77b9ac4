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


def test_metrics_are_prometheus_text(shared: Running) -> None:
    response = shared.ask("GET", "/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
