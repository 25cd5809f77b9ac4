"""`floorboss config`: every setting with its value, where it was said, and what holds instead."""

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
    """Show each setting with its value and its source. Beside it, what a running daemon holds."""
    import json

    from app.cli.client import of_settings
    from app.cli.places import settings
    from app.cli.settings_held import as_json as written
    from app.cli.settings_held import held
    from app.cli.settings_table import table

    found = settings(host, port, state_dir, config, database_url)
    running = held(of_settings(found), found)
    rows = [
        (key, value, source, running is not None and running.differs(key, value))
        for key, value, source in found.provenance()
    ]
    if as_json:
        for key, value, source, differs in rows:
            more = {"note": running.note(key)} if running is not None and differs else {}
            print(json.dumps({"key": key, "value": value, "source": source, **more}))
        return
    shown = [
        (
            key,
            written(value),
            f"{source}; {running.note(key)}" if running is not None and differs else source,
        )
        for key, value, source, differs in rows
    ]
    for line in table([("KEY", "VALUE", "SOURCE"), *shown]):
        print(line)
    for note in found.notes():
        print(f"Note: {note}")
