"""`floorboss log`: the log as a table, or one entry a line as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.options import AsJson, Url
from app.domain.entries import Action, Kind

if TYPE_CHECKING:
    from app.cli.client import Client


def log(
    scope: Annotated[
        str | None, typer.Option(help="A session, with its agents, or an agent.")
    ] = None,
    kind: Annotated[Kind | None, typer.Option(help="Entries of one kind.")] = None,
    action: Annotated[Action | None, typer.Option(help="Entries of one action.")] = None,
    before: Annotated[int | None, typer.Option(min=0, help="Entries before this one.")] = None,
    after: Annotated[
        int | None, typer.Option(min=0, help="Entries after this one, oldest first.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many entries.")] = 100,
    as_json: AsJson = False,
    url: Url = None,
) -> None:
    """Show the log, newest first; --json prints one entry a line."""
    from app.cli.client import reader, with_query
    from app.cli.exits import REFUSED, fail
    from app.domain.tables import plain

    path = with_query(
        "/controller/log",
        scope=scope, kind=kind, action=action, before=before, after=after, limit=limit,
    )  # fmt: skip
    wanted = "application/x-ndjson" if as_json else "text/plain"
    client = reader(url)
    reply = client.ask("GET", path, accept=wanted)
    if reply.problem is not None:
        fail(REFUSED, reply.problem)
    if scope is not None and _empty(reply.text):
        _known(client, scope)
    for line in reply.text.removesuffix("\n").split("\n") if reply.text else ():
        print(line if as_json else plain(line))


def _empty(text: str) -> bool:
    from app.domain.tables import EMPTY

    return text in ("", EMPTY)


def _known(client: Client, scope: str) -> None:
    """End the command where the log knows no such session, so that a typing error is noticed."""
    from app.cli.client import segment
    from app.cli.exits import REFUSED, fail
    from app.domain.reasons import quoted

    if client.ask("GET", f"/controller/sessions/{segment(scope)}").status == 404:
        fail(REFUSED, f"the log knows no session {quoted(scope)}; `floorboss status` names them.")
