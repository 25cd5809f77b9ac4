"""The doctor on the daemon: whether it answers, knows the hooks' token, and keeps its log whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from shlex import quote
from typing import Any, Final

from app.cli.client import Client, Reply, Unreached
from app.cli.facts import Facts
from app.cli.findings import Finding, fail, ok
from app.config import Settings
from app.harness.claude_settings import ROUTE, TOKEN_VARIABLE

START: Final = "Start it with `make run` or `floorboss serve`."
LOCKED_OUT: Final = (
    f"{START} Until then Claude Code blocks every tool call; "
    "`floorboss uninstall claude-code` takes the hooks out."
)
AGAIN: Final = "Run `floorboss install claude-code` again."
EXPORT: Final = (
    'Where Claude Code is started: export {variable}="$(cat {path})". The hooks are right as they '
    "are: install without --token-env would write the token into them."
)
OTHER: Final = "Stop what listens there, or give floorboss another port."


def daemon(found: Settings, facts: Facts) -> Iterator[Finding]:
    """What the daemon answers; nothing more is asked where it does not."""
    certificate = found.auth.tls_cert
    trusted = None if certificate is None else str(certificate)
    client = Client(url=facts.target.url, token=facts.token or "", certificate=trusted)
    yield (health := _health(client, facts))
    if health.level == "fail":
        return
    yield _route(client)
    yield _token(client, facts, found.state_dir.absolute() / "harness.token")
    yield _log(client)


def _health(client: Client, facts: Facts) -> Finding:
    # Without the token: whether that is known is another question.
    reply = Client(url=client.url, token="", certificate=client.certificate).reach(
        "GET", "/healthz"
    )
    if isinstance(reply, Unreached):
        do = LOCKED_OUT if facts.closed else START
        return fail("daemon", f"none answers at {client.url} ({reply.why})", do)
    if reply.status == 503:
        return fail("daemon", f"{client.url}: {reply.problem}", "Look at the disk and its output.")
    if _document(reply) != {"ok": True}:
        return fail("daemon", f"what answers at {client.url} is not floorboss", OTHER)
    return ok("daemon", f"answers at {client.url}; this program is {version('floorboss')}")


def _route(client: Client) -> Finding:
    # A GET is no report: the route says so where it is there, and nothing is logged.
    reply = client.reach("GET", ROUTE)
    if isinstance(reply, Reply) and reply.status != 404:
        return ok("route", f"the daemon takes Claude Code's hooks at {ROUTE}")
    return fail("route", f"the daemon does not know {ROUTE}", "Start this version of floorboss.")


def _token(client: Client, facts: Facts, kept: Path) -> Finding:
    exported = EXPORT.format(variable=TOKEN_VARIABLE, path=quote(str(kept)))
    do = exported if facts.target.token is None else AGAIN
    if not client.token:
        return fail("token", f"there is none to report with: {facts.source}", do)
    reply = client.reach("GET", "/controller/checkpoint")
    if isinstance(reply, Unreached) or reply.problem is not None:
        why = reply.why if isinstance(reply, Unreached) else reply.problem
        return fail("token", f"the daemon refuses the one in {facts.source}: {why}", do)
    return ok("token", f"the daemon knows the one in {facts.source}")


def _log(client: Client) -> Finding:
    reply = client.reach("GET", "/controller/verify")
    answer = _document(reply)
    if isinstance(reply, Unreached) or not isinstance(answer, dict) or reply.status != 200:
        return fail("log", "it could not be verified", "Run `floorboss verify`.")
    if not answer["ok"]:
        broken = f"the chain is broken at entry {answer['seq']}: {answer['why']}"
        return fail("log", broken, "Keep the file, and find out who changed it.")
    kept = f"{answer['head']}:{answer['hash']}"
    return ok("log", f"{answer['count']} entries, the chain holds; checkpoint {kept}")


def _document(reply: Reply | Unreached) -> Any:
    try:
        return None if isinstance(reply, Unreached) else json.loads(reply.text)
    except ValueError:
        return None
