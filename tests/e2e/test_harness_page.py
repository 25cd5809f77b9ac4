"""The program in docs/harness.md does what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.e2e.process import served

PAGE = Path(__file__).parents[2] / "docs" / "harness.md"


def test_the_program_of_the_page_is_stopped_at_its_loop(tmp_path: Path) -> None:
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    place = tmp_path / "project"
    place.mkdir()
    with served(tmp_path / "state") as daemon:
        ran = subprocess.run(
            [sys.executable, "-c", found[1]],
            cwd=place,
            env={
                **os.environ,
                "FLOORBOSS_STATE_DIR": str(tmp_path / "state"),
                "FLOORBOSS_PORT": str(daemon.port),
            },
            capture_output=True,
            text=True,
        )
    assert ran.returncode == 0, ran.stderr
    assert "$ touch made.txt\n[floorboss " in ran.stdout
    assert not (place / "made.txt").exists()
