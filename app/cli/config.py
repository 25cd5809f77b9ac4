"""`floorboss config`: every setting with its value and where it was said."""

from __future__ import annotations

from app.cli.options import AsJson, ConfigFile, DatabaseUrl, Host, Port, StateDir


def config(
    host: Host = None,
    port: Port = None,
    state_dir: StateDir = None,
    config: ConfigFile = None,
    database_url: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Show each setting with its value and its source."""
    import json

    from app.cli.places import settings
    from app.cli.rendering import columns

    found = settings(host, port, state_dir, config, database_url).provenance()
    if as_json:
        rows = ({"key": key, "value": value, "source": source} for key, value, source in found)
        print("\n".join(map(json.dumps, rows)))
        return
    head = ("KEY", "VALUE", "SOURCE")
    shown = [(key, json.dumps(value, ensure_ascii=False), said) for key, value, said in found]
    for line in columns([head, *shown]):
        print(line)
