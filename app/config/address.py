"""Where the daemon is, as a URL."""

from __future__ import annotations

from typing import Final

from app.config.settings import Settings

USUAL: Final = "http://127.0.0.1:8737"  # where commands look for the daemon by themselves
# What is bound to, and where it is then found on this machine.
EVERY_ADDRESS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}


def url_of(settings: Settings, port: int | None = None) -> str:
    """The URL of a daemon with these settings; `port` where the system chose it."""
    host = EVERY_ADDRESS.get(settings.host, settings.host)
    shown = f"[{host}]" if ":" in host else host
    scheme = "https" if settings.auth.tls_cert else "http"
    return f"{scheme}://{shown}:{settings.port if port is None else port}"
