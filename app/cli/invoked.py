"""How this program is called, for commands that are printed to be pasted."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

NAME: Final = "floorboss"


def program() -> str:
    """The name, where the shell would find it; else the path by which it was called just now."""
    called = sys.argv[0]
    if Path(called).name != NAME or shutil.which(NAME) is not None:
        return NAME
    return shlex.quote(called)
