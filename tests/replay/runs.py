"""What the tests of a replay share: neutral lines as files, and a run over files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from app.config import Settings, load
from app.domain.configuration import Configuration
from app.replay.run import Core, Feed, files_of, replay
from app.replay.tally import FileReport, Tally

CASES: Final = Path(__file__).parents[1] / "cases"
CORPUS: Final = CASES / "scenarios.jsonl"
SESSION_FILES: Final = CASES / "claude_code"
LOOP: Final = {"tool": "Bash", "arguments": {"command": "./deploy all"}, "outcome": "error"}


def configuration(folder: Path) -> Configuration:
    """The configuration that the settings in a folder make, the shipped one where it has none."""
    settings = load({"state_dir": folder}, {})
    assert isinstance(settings, Settings)
    return settings.configuration()


def neutral_file(path: Path, events: Iterable[object]) -> Path:
    """A file of neutral events, one a line."""
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return path


def calls(session: str | None, count: int, **fields: Any) -> list[dict[str, Any]]:
    """The same failing call, as often as asked for."""
    named = {} if session is None else {"session_id": session}
    return [{**named, **LOOP, **fields} for _ in range(count)]


def told(paths: Sequence[Path], feed: Feed, tally: Tally) -> list[FileReport]:
    """The reports of all files."""
    return list(replay(files_of(paths), feed, tally))


def ran(folder: Path, *paths: Path) -> tuple[list[FileReport], Tally]:
    """A run without a daemon, under the settings of a folder."""
    chosen = configuration(folder)
    tally = Tally(chosen.start_mode, chosen.context_limit)
    return told(paths, Core(chosen).feed, tally), tally


def scenarios(path: Path = CORPUS) -> list[dict[str, Any]]:
    """The corpus of scenarios, each event with a session and with names as a harness has them."""
    lines = path.read_text("utf-8").splitlines()
    found: list[dict[str, Any]] = [json.loads(line) for line in lines]
    return [{**case, "events": [_event(case["id"], e) for e in case["events"]]} for case in found]


def _event(session: str, raw: dict[str, Any]) -> dict[str, Any]:
    batch = raw.get("batch_id")
    named = {} if batch is None else {"batch_id": str(batch)}
    return {**raw, **named, "session_id": session}
