"""What has become of an entry by now: in force, covered or over; open, decided or void."""

from __future__ import annotations

from typing import Final

from app.cli.rendering import View
from app.domain.entries import RESTRICTIONS

OVER: Final = frozenset({"reverted", "ended"})  # entries that end what they refer to
DECIDED: Final = frozenset({"approved", "applied", "dismissed"})


def become(entry: View, session: View) -> str | None:
    """What has become of an entry, from what refers to it and its session as it is now.

    None: an entry of another kind, or a notice, which nothing can become of.
    """
    if entry["kind"] == "proposed":
        return _proposed(entry)
    if entry["kind"] == "applied" and entry["action"] in RESTRICTIONS:
        return _applied(entry, session)
    return None


def _proposed(entry: View) -> str:
    for later in entry.get("referred_to_by", ()):
        if later["kind"] in DECIDED:
            return f"decided: {later['kind']} by {later['seq']}"
        if later["kind"] == "ended":
            return f"void by {later['seq']}: {later['summary'].partition(': ')[2]}"
    return "open: it waits for a person"


def _applied(entry: View, session: View) -> str:
    for later in entry.get("referred_to_by", ()):
        if later["kind"] in OVER:
            return f"over: {later['kind']} by {later['seq']}"
    newest = session["restrictions"].get(entry["action"], {}).get("seq")
    if newest != entry["seq"]:
        return f"not in force now: covered by {newest}"
    return f"in force now{', though the session ended' if session['ended'] else ''}"
