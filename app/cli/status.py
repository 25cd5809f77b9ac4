"""`floorboss status`: what waits for a person first, then the sessions and what is in force."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.options import AsJson, Url

if TYPE_CHECKING:
    from app.cli.client import Client

EVERYWHERE = "*"


def status(
    scope: Annotated[str | None, typer.Argument(help="A session or an agent; else all.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many sessions.")] = 20,
    as_json: AsJson = False,
    url: Url = None,
) -> None:
    """Show what waits for a person, and what is in force."""
    import json

    from app.cli.client import reader
    from app.cli.overview import overview

    client = reader(url)
    scopes = [scope] if scope is not None else _scopes(client, limit)
    views = [_view(client, each) for each in scopes]
    if as_json:
        for view in views:
            print(json.dumps(view, ensure_ascii=False))
        return
    for line in overview(views, _waiting(client, views), _because(client, views)):
        print(line)


def _scopes(client: Client, limit: int) -> list[str]:
    items = client.get("/controller/sessions", limit=limit)["items"]
    return [EVERYWHERE, *(str(item["scope"]) for item in items)]


def _view(client: Client, scope: str) -> Any:
    from app.cli.client import segment

    return client.get(f"/controller/sessions/{segment(scope)}")


def _waiting(client: Client, views: list[Any]) -> list[tuple[Any, Any]]:
    """Each open proposal beside its entry."""
    proposals = [proposal for view in views for proposal in view["proposals"]]
    return [(each, client.get(f"/controller/log/{each['seq']}")) for each in proposals]


def _because(client: Client, views: list[Any]) -> dict[int, str]:
    """What each entry in force says it did."""
    held = [view["seqs"] for view in views]
    held += [agent["seqs"] for view in views for agent in view.get("agents_held", ())]
    seqs = sorted({seq for each in held for seq in each})
    return {seq: client.get(f"/controller/log/{seq}")["summary"] for seq in seqs}
