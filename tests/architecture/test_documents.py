"""The documents name files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.replay.readers import READERS

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").glob("*.md")]
)
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#]+)(?:#[^)]*)?\)")
PATH = re.compile(r"`((?:app|bench|deploy|docs|migrations|tests)/[\w./-]*)`")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_every_link_leads_somewhere(document: Path) -> None:
    links = LINK.findall(document.read_text())
    assert [link for link in links if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_every_path_in_code_marks_exists(document: Path) -> None:
    paths = PATH.findall(document.read_text())
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_patterns_find_what_they_look_for() -> None:
    text = "[a](docs/x.md#part) [b](https://example.org/x) [c](#here) `app/domain/gone.py` `apply`"
    assert LINK.findall(text) == ["docs/x.md"]
    assert PATH.findall(text) == ["app/domain/gone.py"]


def test_contributing_shows_one_change_from_end_to_end() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    shown = re.search(r"<!-- one change walked .*?-->(.*)<!-- end of the change", text, re.DOTALL)
    assert shown is not None
    assert len(set(PATH.findall(shown[1]))) >= 4


def test_the_page_of_session_logs_names_every_format_that_is_read_and_no_other() -> None:
    page = (ROOT / "docs" / "session-logs.md").read_text()
    assert re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE) == list(READERS)
