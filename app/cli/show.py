"""`floorboss show`: one entry, what it refers to and what refers to it."""

from __future__ import annotations

from app.cli.options import AsJson, Seq, Url


def show(seq: Seq, as_json: AsJson = False, url: Url = None) -> None:
    """Show one entry in full, and what refers to it."""
    import json

    from app.cli.client import reader
    from app.cli.rendering import entry_lines

    entry = reader(url).get(f"/controller/log/{seq}")
    if as_json:
        print(json.dumps(entry, ensure_ascii=False))
        return
    for line in entry_lines(entry):
        print(line)
