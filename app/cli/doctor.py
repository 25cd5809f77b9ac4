"""`floorboss doctor`: whether what was set up works, and what it can and cannot do here."""

from __future__ import annotations

from app.cli.options import AsJson, SettingsPath


def doctor(settings: SettingsPath = None, as_json: AsJson = False) -> None:
    """Look at the daemon, its log and Claude Code's hooks. Say what to do."""
    import json
    from dataclasses import asdict

    import typer

    from app.cli.checkup_claude import claude
    from app.cli.checkup_daemon import daemon
    from app.cli.checkup_place import place
    from app.cli.exits import REFUSED
    from app.cli.facts import facts
    from app.cli.places import settings as places

    found = places()
    seen = facts(found, settings)
    findings = [*place(found, seen), *daemon(found, seen), *claude(seen)]
    for finding in findings:
        if as_json:
            print(json.dumps(asdict(finding), ensure_ascii=False))
        else:
            print("\n".join(finding.lines()))
    if any(finding.level == "fail" for finding in findings):
        raise typer.Exit(REFUSED)
