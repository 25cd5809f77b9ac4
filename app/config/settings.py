"""The settings in force, each of which knows its source."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field

from app.config.keys import flat
from app.config.modes import notes
from app.config.schema import Schema
from app.domain.configuration import Configuration
from app.domain.configured import configuration_of, without_empty
from app.domain.events import Json


class Settings(Schema):
    """Every setting with its value, and where each one was said."""

    config: Path = Field(description="The file of settings.")
    sources: Mapping[str, str] = Field(exclude=True, repr=False)

    @property
    def local(self) -> bool:
        """Whether only this machine can reach the daemon, as far as the settings say."""
        return loopback(self.auth.published_on or self.host)

    @property
    def exposed(self) -> bool:
        """Whether other machines can reach the bind address with nothing that encrypts between."""
        declared = self.auth.published_on is not None or self.auth.tls_cert is not None
        return not declared and not loopback(self.host)

    @property
    def reads(self) -> Literal["open", "outline", "token"]:
        """What a read without a token shows; beyond loopback always nothing."""
        return self.auth.reads if self.local else "token"

    @property
    def own(self) -> tuple[str, ...]:
        """What no agent may write: the state folder, the settings, and texts for a person."""
        return (str(self.state_dir), str(self.config), *self._proposals())

    def _proposals(self) -> Iterator[str]:
        if self.proposer.enabled and self.proposer.folder is not None:
            yield str(self.proposer.folder)

    def values(self) -> dict[str, Json]:
        """What a `configured` entry says: every setting, and the modes in full, without secrets."""
        shown: dict[str, Json] = self.model_dump(mode="json")
        shown["database_url"] = _without_password(self.database_url)
        return without_empty(shown)

    def configuration(self) -> Configuration:
        """What decides verdicts and reactions."""
        return configuration_of(self.values())

    def provenance(self) -> list[tuple[str, object, str]]:
        """Each setting with its value and its source, in the order of the reference."""
        return [
            (key, value, self.sources.get(key, "default")) for key, value in flat(self.values())
        ]

    def notes(self) -> tuple[str, ...]:
        """What a person may not have meant, in plain sentences; it is no fault."""
        return (*notes(self.configuration(), self.sources), *self._asked())

    def _asked(self) -> Iterator[str]:
        said = self.proposer
        if said.enabled:
            where = "its usual server" if said.endpoint is None else urlsplit(said.endpoint).netloc
            yield (
                f"when a check trips, the model {said.model} is asked at {where}, at most"
                f" {said.calls_per_day} times a day (proposer.enabled)"
            )


def loopback(address: str) -> bool:
    """Whether an address, perhaps with a port behind it, is one that only this machine reaches."""
    try:
        bare = address.count(":") > 1 and not address.startswith("[")
        host = address if bare else urlsplit(f"//{address}").hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _without_password(url: str) -> str:
    return re.sub(r"(://[^:/]*):.*@", r"\1:***@", url)
