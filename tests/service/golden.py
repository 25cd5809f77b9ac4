"""What the log holds after every scenario of the corpus, as one digest for each.

    .venv/bin/python -m tests.service.golden    write tests/cases/golden_log.json anew

The digests change with what is stored: do that only where a change of the log is meant.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from app.domain.entries import Entry
from app.service.intake import Answer
from app.store.rows import body_text
from tests.domain.scenarios import event_of, scenarios
from tests.service.house import House, house

GOLDEN: Final = Path(__file__).parents[1] / "cases" / "golden_log.json"


def digests(folder: Path) -> dict[str, str]:
    """Each scenario's digest: of all its entries, columns and body, and of what was answered."""
    with house(folder) as home:
        return {case["id"]: _digest(home, case) for case in scenarios()}


def _digest(home: House, case: dict[str, Any]) -> str:
    first = home.reader.head()  # seqs count from here, so that a scenario stands for itself
    answers: list[Answer] = []
    for number, raw in enumerate(case["events"]):
        said = replace(event_of(raw), session_id=case["id"], event_id=f"{number}")
        answers += home.stored(*[said] * (2 if number % 11 == 1 else 1))  # the second is a repeat
    text = "\n".join(_line(entry, first) for entry in home.entries() if entry.seq > first)
    text += "\n".join(
        f"{answer.seq - first} {answer.duplicate} {answer.mode} {answer.posture} {answer.also}"
        f" {[fired.seq - first for fired in answer.fired]}"
        for answer in answers
    )
    return sha256(text.encode()).hexdigest()[:16]


def _line(entry: Entry, first: int) -> str:
    """An entry without its hash, and with the seqs that its body names left as they are made."""
    ref = None if entry.ref is None else entry.ref - first
    columns = (entry.at, entry.kind, entry.scope, entry.action, entry.direction, entry.actor)
    body = json.loads(body_text(entry.body), object_hook=lambda part: _relative(part, first))
    return json.dumps([entry.seq - first, ref, entry.dedup_key, *columns, body])


def _relative(part: dict[str, Any], first: int) -> dict[str, Any]:
    """Seqs inside a body, counted from the scenario's start; the order of keys stays."""
    if isinstance(part.get("seqs"), list):
        part["seqs"] = [seq - first for seq in part["seqs"]]
    if isinstance(part.get("return"), int):
        part["return"] -= first
    return part


def main() -> None:
    """Write the digests."""
    with tempfile.TemporaryDirectory() as folder:
        found = digests(Path(folder))
    GOLDEN.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
