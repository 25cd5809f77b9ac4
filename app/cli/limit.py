"""How long a loosening shall hold, as the options of a command say it."""

from __future__ import annotations


def limit_body(minutes: int | None, calls: int | None, session: bool) -> dict[str, object]:
    """The `limit` of a request's body; empty where no option was given. Two of them: misuse."""
    from app.cli.exits import MISUSED, fail

    given: dict[str, object] = {
        **({"minutes": minutes} if minutes is not None else {}),
        **({"calls": calls} if calls is not None else {}),
        **({"session": True} if session else {}),
    }
    if len(given) > 1:
        fail(MISUSED, "say one of --minutes, --calls and --session. Nothing was changed.")
    return {"limit": given} if given else {}
