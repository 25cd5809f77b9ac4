"""From the settings to a gate that listens."""

from __future__ import annotations

from collections.abc import Mapping

import httpx

from app.config import Settings
from app.config.endpoint import Endpoint, endpoint
from app.proposer.calls import Means, left_behind
from app.proposer.client import Client
from app.proposer.gate import Gate
from app.proposer.providers import PROVIDERS
from app.service.archive import Archive
from app.service.feed import Feed
from app.service.writer import Writer

FOLDER = "proposals"  # in the state folder, where the settings name no other


def started(
    settings: Settings, environ: Mapping[str, str], writer: Writer, feed: Feed, archive: Archive
) -> Gate:
    """A gate that listens to the feed; the settings were found whole (config, needs.py)."""
    said = settings.proposer
    means = Means(
        provider=said.provider,
        model=said.model or "",
        models=said.models,
        calls_per_day=said.calls_per_day,
    )
    texts = said.folder or settings.state_dir / FOLDER
    gate = Gate(client(settings, environ), means, texts, writer)
    gate.start(left_behind(archive))
    feed.listen(gate.hear)
    return gate


def client(settings: Settings, environ: Mapping[str, str]) -> Client:
    """Who asks the model that the settings name."""
    said = settings.proposer
    provider = PROVIDERS[said.provider]
    there = endpoint(said.endpoint or provider.url)
    assert isinstance(there, Endpoint)  # load.py judged it
    return Client(
        provider=provider,
        endpoint=there,
        private_hosts=said.private_hosts,
        model=said.model or "",
        key=None if said.key_variable is None else environ.get(said.key_variable),
        timeout=said.timeout,
        tls=httpx.create_ssl_context(trust_env=False),
    )
