"""What the daemon asks of its process, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHOW = """
import ctypes, json, os, resource, sys
from app.cli.process import close_to_others, raise_file_limit
resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
os.umask(0)
close_to_others()
raise_file_limit()
PR_GET_DUMPABLE = 3
dumpable = ctypes.CDLL(None).prctl(PR_GET_DUMPABLE) if sys.platform == "linux" else 0
print(json.dumps([os.umask(0), dumpable, resource.getrlimit(resource.RLIMIT_NOFILE)[0]]))
"""


def test_files_are_private_memory_is_closed_and_connections_have_room() -> None:
    said = subprocess.run(
        [sys.executable, "-c", SHOW], cwd=ROOT, capture_output=True, text=True, check=True
    )
    mask, dumpable, files = json.loads(said.stdout)
    assert (mask, dumpable) == (0o077, 0)
    assert files > 64


@pytest.mark.parametrize("address", ["", "relative/path"])
def test_without_a_service_manager_nobody_is_told(address: str) -> None:
    from app.cli.process import notify

    notify("READY=1", {"NOTIFY_SOCKET": address})
