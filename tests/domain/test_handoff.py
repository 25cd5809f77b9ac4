"""What the next mode starts from: counts, seqs and names."""

from __future__ import annotations

from app.domain.handoff import CHANGED_PATHS
from app.domain.stream import RECENT
from tests.domain.floor import Floor, body


def test_it_names_what_was_tried_what_failed_and_what_was_changed() -> None:
    floor = Floor()
    floor.call("edit", path="src/a.py", edit="1", changed_state=True, **{"class": "edit"})
    _, applied, _ = floor.failing("make", 3)
    assert body(applied)["handoff"] == {
        "rule": "repeated",
        "tried": [{"seq": seq, "tool": "Bash", "outcome": outcome}
                  for seq, outcome in ((2, "ok"), (3, "error"), (4, "error"), (5, "error"))],
        "failed": [3, 4, 5],
        "changed": ["src/a.py"],
        "seqs": [3, 4, 5],
    }  # fmt: skip


def test_it_looks_back_on_the_last_calls_only() -> None:
    floor = Floor()
    for at in range(20):
        floor.call(f"edit {at}", path=f"{at}.py", edit=f"{at}", **{"class": "edit"})
    _, applied, _ = floor.failing("make", 3)
    found = body(applied)["handoff"]
    assert len(found["tried"]) == RECENT
    assert found["changed"] == [f"{at}.py" for at in range(19, 12, -1)][:CHANGED_PATHS]
