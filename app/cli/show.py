"""`floorboss show`: one entry, and what refers to it; of a proposal that waits, its effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.cli.options import AsJson, Seq, Url

if TYPE_CHECKING:
    from app.cli.client import Client
    from app.cli.rendering import View


def show(seq: Seq, as_json: AsJson = False, url: Url = None) -> None:
    """Show one entry in full, and what refers to it. Of an open proposal, what it would change."""
    import json

    from app.cli.becoming import become
    from app.cli.client import reader
    from app.cli.rendering import entry_lines
    from app.cli.review import waiting

    client = reader(url)
    entry = client.get(f"/controller/log/{seq}")
    if as_json:
        print(json.dumps(entry, ensure_ascii=False))
        return
    view = _view(client, entry)
    proposal = next((each for each in view["proposals"] if each["seq"] == seq), None)
    if proposal is not None:
        cause = client.get(f"/controller/log/{entry['ref']}") if entry["ref"] else None
        for line in waiting(entry, cause, view, proposal, client.there):
            print(line)
    for line in entry_lines(entry, become(entry, view)):
        print(line)


def _view(client: Client, entry: View) -> View:
    """The session of an entry that something becomes of: a proposal, or what was applied."""
    from app.cli.client import segment

    if entry["kind"] not in ("proposed", "applied"):
        return {"proposals": []}
    found: View = client.get(f"/controller/sessions/{segment(entry['scope'])}")
    return found
