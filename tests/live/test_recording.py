"""A recording holds nothing of the machine, and comes back for folders that lie elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

from tests.live.recording import payloads, rewritten

NAMES = {Path("/tmp/x/project"): "project", Path("/tmp/x/home"): "home"}
ONE, TWO = "6f0e7c5a-1111-4222-8333-444455556666", "6f0e7c5a-1111-4222-9333-444455556667"


def test_folders_ids_and_times_are_not_those_of_the_machine() -> None:
    bodies = [
        json.dumps({"session_id": ONE, "cwd": "/tmp/x/project/tests", "duration_ms": 3}),
        json.dumps({"session_id": TWO, "error": "Ran 1 test in 0.173s", "transcript_path": "/t"}),
        json.dumps({"session_id": ONE, "file": "/tmp/x/home/.claude/plan.md"}),
    ]
    assert [json.loads(line) for line in rewritten(bodies, NAMES)] == [
        {"session_id": "00000000-0000-4000-8000-000000000001", "cwd": "/srv/project/tests"},
        {
            "session_id": "00000000-0000-4000-8000-000000000002",
            "error": "Ran 1 test in 0.001s",
        },
        {
            "session_id": "00000000-0000-4000-8000-000000000001",
            "file": "/srv/home/.claude/plan.md",
        },
    ]


def test_a_recording_is_read_for_other_folders(tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    file.write_text("".join(rewritten([json.dumps({"cwd": "/tmp/x/project/a"})], NAMES)))
    assert payloads(file, {"project": Path("/elsewhere")}) == [{"cwd": "/elsewhere/a"}]
