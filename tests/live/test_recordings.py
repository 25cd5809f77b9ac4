"""What real clients posted while each script ran, sent once more: the same comes of it.

tests/cases/live/recordings has one folder for each version; CONTRIBUTING.md says how to record.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.live.cases import FOLDER, case, names
from tests.live.judging import findings
from tests.live.standin import again

RECORDINGS: Final = FOLDER / "recordings"
VERSIONS: Final = sorted(path.name for path in RECORDINGS.iterdir())
LARGEST: Final = 64_000  # bytes of one recording, so that a person can read it


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("version", VERSIONS)
def test_what_was_expected_of_the_client_comes_of_its_recording(
    version: str, name: str, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    script = case(name, project)
    came = again(script, RECORDINGS / version / f"{name}.jsonl", tmp_path, project)
    assert findings(script, came) == []


@pytest.mark.parametrize("version", VERSIONS)
def test_every_script_is_recorded_with_every_version(version: str) -> None:
    assert sorted(path.stem for path in (RECORDINGS / version).iterdir()) == names()


@pytest.mark.parametrize("file", sorted(RECORDINGS.rglob("*.jsonl")), ids=lambda path: path.stem)
def test_a_recording_is_small_and_says_nothing_of_a_machine(file: Path) -> None:
    text = file.read_text("utf-8")
    assert len(text) < LARGEST
    assert not [place for place in ("/tmp", "/home", "/root", "/Users") if place in text]
