"""The scenarios of the corpus, and their events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from app.domain.events import Event, TestCounts

CASES: Final = Path(__file__).parents[1] / "cases" / "scenarios.jsonl"


def scenarios() -> list[dict[str, Any]]:
    """Every scenario of the corpus."""
    return [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]


def event_of(raw: Mapping[str, Any]) -> Event:
    """The neutral event that a scenario's line stands for."""
    tests = raw.get("tests")
    known = {key: value for key, value in raw.items() if key != "tests"}
    counts = TestCounts(**tests) if tests else None
    return Event(session_id="scenario", tests=counts, **known)
