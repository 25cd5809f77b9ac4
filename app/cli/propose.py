"""`floorboss propose`: ask for a change; an operator may decide it in the same call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from app.cli.limit import limit_body
from app.cli.options import Calls, DryRun, ForSession, Minutes, TokenFd, Url, Yes
from app.domain.configuration import Posture

if TYPE_CHECKING:
    from app.cli.client import Client


def propose(
    scope: Annotated[str, typer.Argument(help="A session, session/agent, or * for all.")],
    reason: Annotated[str, typer.Option(help="Why, for the log.")],
    mode: Annotated[str | None, typer.Option(help="The mode that is wanted.")] = None,
    posture: Annotated[Posture | None, typer.Option(help="The posture that is wanted.")] = None,
    back: Annotated[
        Literal["mode", "policy"] | None,
        typer.Option("--return", help="Take back what is in force for the mode, or the policy."),
    ] = None,
    lift: Annotated[
        str | None, typer.Option(help="The soft rule that shall let calls pass.")
    ] = None,
    minutes: Minutes = None,
    calls: Calls = None,
    session: ForSession = False,
    decide: Annotated[
        bool, typer.Option("--decide", help="Decide it at once, as the operator.")
    ] = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    token_fd: TokenFd = None,
    url: Url = None,
) -> None:
    """Ask a person for a mode, posture, way back or lifted soft rule."""
    from app.cli.client import operator, reader

    wanted = {**_wanted(mode, posture, back, lift), **limit_body(minutes, calls, session)}
    body = {"scope": scope, "reason": reason, **wanted}
    if not decide and token_fd is None:
        client = reader(url)
        answer = client.change("POST", _path(dry_run), body)
        if dry_run:
            _would_wait(answer)
        else:
            _tell(answer, dry_run, client.there)
        return
    client = operator(url, token_fd)
    if decide and not dry_run:
        body |= {"decide": True, "expected_state": _shown(client, body, yes)}
    answer = client.change("POST", _path(dry_run), {**body, "decide": decide})
    if dry_run and not decide:
        _would_wait(answer)
        return
    _tell(answer, dry_run, client.there)


def _path(dry_run: bool) -> str:
    return "/controller/propose?dry_run=true" if dry_run else "/controller/propose"


def _wanted(
    mode: str | None, posture: Posture | None, back: str | None, lift: str | None
) -> dict[str, Any]:
    from app.cli.exits import MISUSED, fail

    match mode, posture, back, lift:
        case str(), None, None, None:
            return {"action": "mode", "value": {"mode": mode}}
        case None, str(), None, None:
            return {"action": "policy", "value": {"posture": posture}}
        case None, None, str(), None:
            return {"action": back, "value": {"return": True}}
        case None, None, None, str():
            return {"action": "policy", "value": {"lifted": [lift]}}
        case _:
            fail(MISUSED, "say one of --mode, --posture, --return and --lift. Nothing was changed.")


def _shown(client: Client, body: dict[str, Any], yes: bool) -> str:
    """Print what deciding it would change, and ask; the state that was shown."""
    from app.cli.exits import REFUSED, fail
    from app.cli.review import compared
    from app.cli.terminal import agreed

    now = client.get("/controller/overrides", scope=body["scope"])
    asked = {**body, "decide": True, "expected_state": now["state"]}
    would = client.change("POST", _path(True), asked)
    for line in compared(now, would, "decide", body.get("limit")):
        print(line)
    otherwise = "there is no terminal to ask at; say --yes. Nothing was changed."
    if not yes and not agreed(f"decide this for {body['scope']}?", otherwise):
        fail(REFUSED, "you said no. Nothing was changed.")
    return str(would["expected_state"])


def _would_wait(answer: dict[str, Any]) -> None:
    """A dry run of asking alone: that frees and forbids nothing, whatever is asked for."""
    from app.cli.rendering import in_force

    print(f"Nothing was changed. It would wait for a person; {in_force(answer['in_force'])} stays.")
    print("What a yes would change:  add --decide, which needs the operator's token.")


def _tell(answer: dict[str, Any], dry_run: bool, there: str) -> None:
    from app.cli.invoked import program
    from app.cli.rendering import in_force
    from app.cli.review import changes, done

    if dry_run:
        print(f"Nothing was changed. In force would be {in_force(answer['in_force'])}.")
        for line in changes(answer["difference"]):
            print(line)
        return
    again = " waits already" if answer.get("repeated") and not answer["entries"] else ""
    print(f"Proposal {answer['seq']}{again}; to see it:  {program()} show {answer['seq']}{there}")
    for line in done(answer, there):
        print(line)
