"""What a person is told of a model's answers: who it was, in whose words, and how to decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli.announcements import proposal, told
from app.cli.review import waiting
from app.config import Settings, load
from app.domain.entries import Entry
from app.domain.views import entry_view, session_view
from tests.domain.floor import ANN, Floor
from tests.domain.model import advice


@pytest.fixture
def floor() -> Floor:
    return Floor()


def console(floor: Floor, entry: Entry) -> str:
    return "\n".join(told(entry, ANN, lambda seq: True))


def test_the_console_shows_a_warning_in_the_model_s_words_behind_a_bar(floor: Floor) -> None:
    notice, _ = advice(floor, {"action": "warn_user", "text": "It goes\nin circles."})
    said = console(floor, notice)
    assert f"a model's warning for you: floorboss show {notice.seq}" in said
    assert '| model watcher wrote: "It goes' in said


def test_the_console_offers_what_a_model_proposes(floor: Floor) -> None:
    wish, _ = advice(floor, {"action": "switch_model", "model": "large", "reason": "cheaper"})
    said = "\n".join(proposal(floor.book, wish, floor.configuration, lambda seq: floor.entry(seq)))
    assert 'proposed: model "large"' in said
    assert '| model watcher wrote: "cheaper"' in said
    assert f"type  a {wish.seq}  to apply" in said


def test_show_says_that_a_model_proposes_it(floor: Floor) -> None:
    wish, _ = advice(floor, {"action": "compact"})
    view = session_view(floor.book, "s", floor.configuration)
    assert isinstance(view["proposals"], list)
    (shown,) = [p for p in view["proposals"] if isinstance(p, dict) and p["seq"] == wish.seq]
    assert (shown["verb"], shown["action"]) == ("apply", "compact")
    lines = waiting(entry_view(wish, text=True), None, view, shown, "")
    assert "A model that floorboss asked proposes this." in "\n".join(lines)


def notes(folder: Path, text: str) -> tuple[str, ...]:
    (folder / "floorboss.toml").write_text(text)
    found = load({}, {"FLOORBOSS_STATE_DIR": str(folder)})
    assert isinstance(found, Settings)
    return found.notes()


def test_a_start_says_who_is_asked_and_otherwise_nothing(tmp_path: Path) -> None:
    assert notes(tmp_path, '[proposer]\nmodel = "watcher"\n') == ()
    assert notes(tmp_path, '[proposer]\nenabled = true\nmodel = "watcher"\n') == (
        "when a check trips, the model watcher is asked at its usual server, at most 50 times a"
        " day (proposer.enabled)",
    )
