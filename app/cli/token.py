"""`floorboss token list | new | revoke`: who may call the daemon."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.options import AsJson, TokenFd, Url
from app.service.tokens import Role

token = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="List, make and revoke tokens. Only the operator may.",
)
Name = Annotated[str, typer.Argument(help="The token's name, as the log shows it.")]


@token.command("list")
def tokens(as_json: AsJson = False, token_fd: TokenFd = None, url: Url = None) -> None:
    """List the tokens in force by name and role."""
    import json

    from app.cli.client import operator
    from app.cli.rendering import columns

    items = operator(url, token_fd).get("/controller/tokens")["items"]
    if as_json:
        print("\n".join(map(json.dumps, items)))
        return
    rows = [(item["name"], item["role"], item["id"]) for item in items]
    for line in columns([("NAME", "ROLE", "ID"), *rows]):
        print(line)


@token.command()
def new(
    name: Name,
    role: Annotated[Role, typer.Option(help="What it may do.")],
    token_fd: TokenFd = None,
    url: Url = None,
) -> None:
    """Make a token and print it; it is shown this once."""
    from app.cli.client import operator

    client = operator(url, token_fd)
    print(client.change("POST", "/controller/tokens", {"name": name, "role": role})["token"])


@token.command()
def revoke(name: Name, token_fd: TokenFd = None, url: Url = None) -> None:
    """Revoke a token: from now on nobody is that one."""
    from app.cli.client import operator, segment
    from app.domain.tables import plain

    client = operator(url, token_fd)
    client.change("DELETE", f"/controller/tokens/{segment(name)}")
    print(plain(f"Revoked: {name}."))
