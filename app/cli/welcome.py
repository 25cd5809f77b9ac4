"""What `serve` prints once it listens: three lines that a newcomer needs next, and the token."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import assert_never

from app.cli.invoked import program
from app.cli.operator import Known, Minted, Missing

EXAMPLE = (
    '{"session_id": "demo", "tool": "Bash", "arguments": {"command": "make"}, "outcome": "error"}'
)

EARLIER = "The operator's token that was made at an earlier start still holds; here you need none."


def lines(
    url: str, folder: Path, admitted: Known | Minted | Missing, *, usual: bool, console: bool
) -> list[str]:
    """The lines, each for one next step.

    `usual`: the other commands find `url` by themselves. `console`: this terminal takes decisions.
    """
    header = shlex.quote(str(folder / "harness.header"))
    there = "" if usual else f" --url {url}"
    decide = "type `a SEQ` here (`?` explains)" if console else f"{program()} approve SEQ{there}"
    return [
        f"Serving {url}; a harness sends the header in {header}",
        f"Post a call (three times stops the loop):  curl -H @{header} "
        f"-H 'Content-Type: application/json' -d '{EXAMPLE}' {url}/controller/events",
        f"See the log:  curl -H 'Accept: text/plain' {url}/controller/log    "
        f"Decide what waits:  {decide}",
        *_token(admitted, console=console),
    ]


def _token(admitted: Known | Minted | Missing, *, console: bool) -> list[str]:
    match admitted:
        case Known(earlier=earlier):
            return [EARLIER] if earlier and console else []
        case Minted(text=text):
            return [f"The operator's token, shown this once (keep it from the agent):  {text}"]
        case Missing(why=why):
            return [
                f"No operator's token was made: {why}. Until there is one nobody can approve: "
                "start floorboss in a terminal once, or hand one in with --operator-token-fd N"
            ]
        case _:
            assert_never(admitted)
