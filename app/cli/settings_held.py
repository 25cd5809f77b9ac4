"""The settings that a running daemon has in force, beside those of the file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.cli.client import Client, Reply, segment, with_query
from app.config import Settings
from app.config.keys import flat
from app.domain.configured import DECIDING
from app.domain.tables import plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What is in force, by dotted key, and the newest proposal of settings."""

    leaves: Mapping[str, object]
    asked: Mapping[str, Any]  # the settings that it asks for
    seq: int = 0  # of the proposal; 0: there is none
    settled: str = ""  # how it was decided; empty: it waits

    def differs(self, key: str, value: object) -> bool:
        """Whether something else is in force for a key than `value`."""
        deciding = key.partition(".")[0] in DECIDING
        return deciding and self.leaves.get(key) != value

    def note(self, key: str) -> str:
        """What is in force for a key, and what becomes of the value in the file."""
        return plain(f"in force {as_json(self.leaves.get(key))}, {self._next(key)}")

    def _next(self, key: str) -> str:
        if not any(f"{key}.".startswith(f"{setting}.") for setting in self.asked):
            return "compared at the next start"
        if not self.settled:
            return f"waits for approval as {self.seq}"
        return f"{self.settled} as {self.seq}"


def as_json(value: object) -> str:
    """A value as the file may say it; a whole number without a fraction, as the docs have it."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False)


def held(client: Client, found: Settings) -> Held | None:
    """What the daemon of these settings has in force; None where none answers, or another one."""
    values = _first(client, kind="configured").get("body", {}).get("values", {})
    if values.get("database_url") != found.values()["database_url"]:
        return None
    leaves = dict(flat(values))
    proposal = _first(client, kind="proposed", action="configuration")
    if not proposal:
        return Held(leaves=leaves, asked={})
    seq = proposal["seq"]
    later = _got(client, f"/controller/log/{segment(str(seq))}").get("referred_to_by", [])
    settled = [each["kind"] for each in later if each["kind"] != "refused"]
    if settled and settled[-1] in ("approved", "ended"):
        return Held(leaves=leaves, asked={})
    return Held(
        leaves=leaves,
        asked=proposal["body"]["values"],
        seq=seq,
        settled="".join(settled[-1:]),
    )


def _first(client: Client, **query: object) -> dict[str, Any]:
    items = _got(client, with_query("/controller/log", limit=1, **query)).get("items") or [{}]
    return dict(items[0])


def _got(client: Client, path: str) -> dict[str, Any]:
    """What a path answers; nothing where no daemon of ours does."""
    reply = client.reach("GET", path)
    if not isinstance(reply, Reply) or reply.status != 200:
        return {}
    try:
        found = json.loads(reply.text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
