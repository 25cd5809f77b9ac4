"""Is it well, and how much has it done."""

from __future__ import annotations

from fastapi import APIRouter, Request
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.responses import PlainTextResponse, Response

from app.api.problems import answer as faulty
from app.api.problems import problem
from app.api.schemas import access
from app.api.wiring import Wiring, answer, caller, wiring
from app.harness.base import Fault

router = APIRouter(tags=["health"])


@router.get("/healthz", openapi_extra={"security": []})
async def healthz(request: Request) -> Response:
    """`ok`, or 503 while the log cannot be written; no counts, paths or versions."""
    if wiring(request).control.writer.cause is not None:
        return problem(503, "log_unavailable", "The log cannot be written.")
    return answer({"ok": True})


@router.get("/metrics", openapi_extra=access("reader"), response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """Prometheus text: entries by kind since start, the head, what could not be logged."""
    who = caller(request, "reader")
    if isinstance(who, Fault):
        return faulty(who)
    registry = CollectorRegistry()
    registry.register(_Now(wiring(request)))
    return Response(generate_latest(registry), media_type="text/plain; version=0.0.4")


class _Now(Collector):
    """The numbers as they are when somebody asks; nothing is counted twice."""

    def __init__(self, parts: Wiring) -> None:
        self._parts = parts

    def collect(self) -> list[GaugeMetricFamily | CounterMetricFamily]:
        """Every metric with its value now."""
        control = self._parts.control
        entries = CounterMetricFamily(
            "floorboss_entries", "Entries committed since the start, by kind.", labels=["kind"]
        )
        for kind, count in sorted(control.written.items()):
            entries.add_metric([kind], count)
        head = GaugeMetricFamily("floorboss_head_seq", "The newest seq of the log.")
        head.add_metric([], control.writer.book.head)
        lost = GaugeMetricFamily("floorboss_unlogged", "Reports the next gap entry will count.")
        lost.add_metric([], control.writer.lost)
        return [entries, head, lost, *self._verdicts()]

    def _verdicts(self) -> list[CounterMetricFamily]:
        """What was asked and what was denied: a denial is no failure of a call, and counts here."""
        control = self._parts.control
        attempts = CounterMetricFamily("floorboss_attempts", "Verdicts given since the start.")
        attempts.add_metric([], control.attempts)
        blocked = CounterMetricFamily(
            "floorboss_blocked", "Attempts denied since the start, by rule.", labels=["rule"]
        )
        for rule, count in sorted(control.blocked.items()):
            blocked.add_metric([rule], count)
        pressed = CounterMetricFamily(
            "floorboss_blocked_again", "Denials that told the agent to stop retrying a step."
        )
        pressed.add_metric([], control.pressed)
        return [attempts, blocked, pressed]
