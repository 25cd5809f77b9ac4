"""Making the core faster, or tidier, changes no byte of the log."""

from __future__ import annotations

import json
from pathlib import Path

from tests.service.golden import GOLDEN, digests


def test_every_scenario_leaves_the_log_that_it_always_left(tmp_path: Path) -> None:
    known = json.loads(GOLDEN.read_text())
    found = digests(tmp_path)
    changed = sorted(name for name in found.keys() | known if found.get(name) != known.get(name))
    # where a change of the log is meant: .venv/bin/python -m tests.service.golden
    assert changed == []
