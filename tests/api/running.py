"""The real application in this process: a daemon on a folder of its own, asked without a socket."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from app.config import Settings, load
from app.main import Daemon, start
from app.service.tokens import CallerRole
from tests.api.small_app import ask

FAILING = {"tool": "Bash", "arguments": {"command": "make all"}, "outcome": "error"}


class Running:
    """A daemon with one token of each role; `toml` are its settings."""

    def __init__(self, folder: Path, toml: str = "") -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / "floorboss.toml").write_text(toml)
        settings = load({"state_dir": folder}, {})
        assert isinstance(settings, Settings)
        daemon = start(settings)
        assert isinstance(daemon, Daemon)
        self.daemon, self.folder = daemon, folder
        self.tokens: dict[CallerRole, str | None] = {
            "harness": (folder / "harness.token").read_text().strip(),
            "operator": str(daemon.tokens.mint_operator("ada")),
            "reader": str(daemon.tokens.mint("auditor", "reader")),
            "outline": None,
        }

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        role: CallerRole = "harness",
        headers: Mapping[str, str] = {},  # never changed
    ) -> httpx.Response:
        """One request by the token of `role`; a `body` is sent as JSON, bytes as they are."""
        given = {"Authorization": f"Bearer {self.tokens[role]}"} if self.tokens[role] else {}
        if body is not None:
            given["Content-Type"] = "application/json"
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return ask(
            self.daemon.app,
            method,
            path,
            headers={**given, **headers},
            content=None if body is None else content,
        )

    def get(self, path: str, role: CallerRole = "operator") -> Any:
        """The JSON of a GET that succeeds."""
        response = self.ask("GET", path, role=role)
        assert response.status_code == 200, response.text
        return response.json()

    def post(self, path: str, body: object = None, role: CallerRole = "operator") -> Any:
        """The JSON of a POST that succeeds."""
        response = self.ask("POST", path, body, role=role)
        assert response.is_success, response.text
        return response.json()

    def event(self, session: str = "s", **fields: object) -> dict[str, Any]:
        """Report one event; what came of it."""
        body = {"session_id": session, **fields}
        result: dict[str, Any] = self.post("/controller/events", body, "harness")["results"][0]
        return result

    def tightened(self, session: str = "s") -> list[dict[str, Any]]:
        """Fail until the session is put into plan mode; the entries that this wrote."""
        for _ in range(12):
            fired: list[dict[str, Any]] = self.event(session, **FAILING)["fired"]
            if any(entry["kind"] == "applied" and entry["action"] == "mode" for entry in fired):
                return fired
        raise AssertionError("nothing tripped")

    def log(self, query: str = "") -> list[dict[str, Any]]:
        """Entries as the log shows them to a person, oldest first."""
        items: list[dict[str, Any]] = self.get(f"/controller/log?limit=1000{query}")["items"]
        return items[::-1]

    def state(self, scope: str) -> str:
        """What a person has to say they saw."""
        return str(self.get(f"/controller/overrides?scope={scope}")["state"])
