"""Claude Code as the commands find it: its settings file, and what our hooks in it should say."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from app.cli.client import harness_token
from app.cli.exits import CLOSED, REFUSED, fail
from app.cli.settings_file import Kept, SettingsFile, difference, settings_file
from app.cli.terminal import agreed
from app.config import Settings
from app.config.address import url_of
from app.harness.claude_settings import Target, hooks_in
from app.service.agent_markers import agent_markers

AN_AGENT: Final = (
    "an agent's environment was recognised ({marker}), and hooks are a person's matter. Run this "
    "in a terminal, without --yes. Nothing was changed."
)
NO_TERMINAL: Final = "there is no terminal to ask at; say --yes. Nothing was changed."


def folder() -> Path:
    """The user's own folder of Claude Code, which `CLAUDE_CONFIG_DIR` moves."""
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or "~/.claude").expanduser()


def settings_of(path: Path | None) -> SettingsFile:
    """The settings file that was named, or the user's own."""
    return settings_file(path or folder() / "settings.json")


def target(found: Settings, *, token_env: bool = False, fail_closed: bool = False) -> Target:
    """Where the hooks are to report, by these settings; the token is empty where there is none."""
    certificate = found.auth.tls_cert
    return Target(
        url=url_of(found),
        token=None if token_env else harness_token(found),
        header_file=str(found.state_dir.absolute() / "harness.header"),
        certificate=None if certificate is None else str(certificate.absolute()),
        fail_closed=fail_closed,
    )


def shown(file: SettingsFile, now: Kept | None, then: str, secret: str) -> None:
    """Print what would change in the file."""
    for line in difference(file.path, "" if now is None else now.text, then, secret):
        print(line)


def unasked(now: Kept | None) -> None:
    """Go on with --yes, unless hooks are there and an agent, as it seems, is about to touch them.

    A guard against accidents only: an agent that is denied something must not find the way out in
    the help. A build server may do what it likes with a home folder of its own.
    """
    markers = [name for name in agent_markers(os.environ) if name != "CI"]
    if markers and now is not None and hooks_in(now.text):
        fail(REFUSED, AN_AGENT.format(marker=markers[0]))


def ask(file: SettingsFile, now: Kept | None) -> None:
    """Go on only if the person agrees, and the file is still the one that was shown."""
    if not agreed(f"Write {file.path}?", NO_TERMINAL):
        fail(REFUSED, "you said no. Nothing was changed.")
    if file.now() != now:
        fail(CLOSED, f"{file.path} has changed meanwhile. Nothing was changed; look again.")
