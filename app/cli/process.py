"""What the daemon asks of its process: privacy, room for connections, a word to systemd."""

from __future__ import annotations

import gc
import os
import resource
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

CLOSED: Final = 0o077  # umask: everything is made for its owner only
FILES: Final = 65_536  # open files wanted; each connection is one
PR_SET_DUMPABLE: Final = 4  # from <linux/prctl.h>


def close_to_others() -> None:
    """Make new files private, and on Linux keep other processes of this user out of our memory."""
    os.umask(CLOSED)
    if sys.platform == "linux":
        # A Python without ctypes, or a service that may not map code, goes on without.
        with suppress(ImportError, MemoryError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def raise_file_limit() -> None:
    """Allow as many open files as the system lets us, up to `FILES`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def collect_less_often() -> None:
    """Keep the garbage collector from walking through what was imported, and from most of its runs.

    Nearly all our values are trees that reference counting frees; the usual thresholds cost 20 us
    an event, these a fifth of it.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def notify(state: str, environ: Mapping[str, str]) -> None:
    """Tell a service manager `READY=1` or `STOPPING=1`; without one this does nothing."""
    address = environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    name = "\0" + address[1:] if address.startswith("@") else address
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as messages:
        messages.connect(name)
        messages.sendall(state.encode())
