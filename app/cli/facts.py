"""What the doctor looks at, gathered once: Claude Code's settings, version and token."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from app.cli.claude import settings_of, target
from app.cli.settings_file import SettingsFile
from app.config import Settings
from app.harness.claude_settings import (
    TOKEN_VARIABLE,
    Found,
    Target,
    blank,
    hooks_in,
    unusable,
)

Version: TypeAlias = tuple[int, int, int]

# Where an administrator's settings are; they come before a user's.
MANAGED: Final = Path(
    "/Library/Application Support/ClaudeCode/managed-settings.json"
    if sys.platform == "darwin"
    else "/etc/claude-code/managed-settings.json"
)
PATIENCE: Final = 30.0  # seconds that `claude --version` may take


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One settings file as it is; `why` says what is wrong with it, empty: nothing."""

    path: Path
    text: str = ""
    owner: int | None = None  # user id; None: there is no such file
    mode: int = 0
    why: str = ""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What it says; nothing where it is missing, empty or unusable."""
        if self.why or blank(self.text):
            return {}
        found: Mapping[str, Any] = json.loads(self.text.lstrip("\ufeff"), parse_int=float)
        return found

    @property
    def ours(self) -> tuple[Found, ...]:
        """Our hooks in it."""
        return () if self.why else hooks_in(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Claude Code itself; `version` is None where it does not tell."""

    path: str
    version: Version | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What was found; `user` is the file that install writes, `project` those of this folder."""

    file: SettingsFile
    user: Layer
    project: tuple[Layer, ...]
    managed: Layer
    target: Target  # as the hooks that are there were meant
    token: str  # what they report with; empty: nothing
    source: str  # where that stands
    client: Client | None

    @property
    def hooked(self) -> Layer:
        """The file whose hooks count: the administrator's where it has some."""
        return self.managed if self.managed.ours else self.user

    @property
    def closed(self) -> bool:
        """Whether calls are blocked while no daemon answers, if this Claude Code knows how."""
        return self.target.fail_closed


def facts(found: Settings, path: Path | None, managed: Path = MANAGED) -> Facts:
    """Everything the checks need to know; `path` names another settings file than the user's."""
    file = settings_of(path)
    user, above = layer(file.path), layer(managed)
    hooked = above if above.ours else user
    meant = _meant(found, hooked.ours)
    token, source = _token(found, meant, hooked)
    return Facts(
        file=file,
        user=user,
        project=project(file.path),
        managed=above,
        target=meant,
        token=token,
        source=source,
        client=client(),
    )


def project(user: Path) -> tuple[Layer, ...]:
    """The settings files of the folder this runs in, without the one that `user` is."""
    own = Path.cwd() / ".claude"
    found = (own / name for name in ("settings.json", "settings.local.json"))
    return tuple(layer(path) for path in found if path.resolve() != user)


def layer(path: Path) -> Layer:
    """One settings file, whoever owns it."""
    try:
        seen = path.stat()
        text = path.read_bytes().decode()
    except FileNotFoundError:
        return Layer(path=path)
    except OSError as fault:
        return Layer(path=path, why=f"it cannot be read: {fault.strerror}")
    except UnicodeDecodeError:
        return Layer(path=path, why="it is not UTF-8")
    fault_ = unusable(text)
    return Layer(
        path=path,
        text=text,
        owner=seen.st_uid,
        mode=seen.st_mode & 0o777,
        why="" if fault_ is None else fault_.why,
    )


def client() -> Client | None:
    """The Claude Code that a shell would start, or None."""
    if (path := shutil.which("claude")) is None:
        return None
    try:
        said = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return Client(path=path, version=None)
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", said)
    numbers = None if found is None else (int(found[1]), int(found[2]), int(found[3]))
    return Client(path=path, version=numbers)


def _meant(found: Settings, ours: tuple[Found, ...]) -> Target:
    """The target that install would have been given for the hooks that are there."""
    named = any("allowedEnvVars" in each.handler for each in ours)
    closed = any("onFailure" in each.handler for each in ours if each.event == "PreToolUse")
    return target(found, token_env=named, fail_closed=closed)


def _token(found: Settings, meant: Target, hooked: Layer) -> tuple[str, str]:
    if meant.token is None:
        return os.environ.get(TOKEN_VARIABLE, ""), f"${TOKEN_VARIABLE} of this environment"
    for each in hooked.ours:
        headers = each.handler.get("headers")
        if isinstance(headers, dict):
            said = str(headers.get("Authorization", ""))
            return said.removeprefix("Bearer "), f"the hooks of {hooked.path}"
    return meant.token, str(found.state_dir / "harness.token")
