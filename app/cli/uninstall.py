"""`floorboss uninstall claude-code`: a harness is as it was before floorboss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from app.cli.options import DryRun, SettingsPath, Yes

if TYPE_CHECKING:
    from app.cli.settings_file import Kept, SettingsFile

uninstall = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=False,
    help="Disconnect a harness: its settings are as they were.",
)


@uninstall.callback()
def _harnesses() -> None:
    """Disconnect a harness: its settings are as they were."""


@uninstall.command("claude-code")
def claude_code(settings: SettingsPath = None, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Take the hooks out of Claude Code's settings."""
    from app.cli.claude import ask, settings_of, shown, unasked
    from app.cli.client import harness_token
    from app.cli.places import settings as places
    from app.harness.claude_settings import hooks_in

    file = settings_of(settings)
    now, before = file.now(), file.before()
    then = "" if now is None else _changed(file, now, before)
    if now is None or not hooks_in(now.text):
        print(f"{file.path} has no hook of floorboss. Nothing to do.")
        return
    shown(file, now, then, harness_token(places()))
    if dry_run:
        print("Nothing was changed.")
        return
    if yes:
        unasked(now)
    else:
        ask(file, now)
    _restore(file, now, before, then)


def _changed(file: SettingsFile, now: Kept, before: Kept | None) -> str:
    from app.cli.exits import CLOSED, fail
    from app.harness.claude_settings import Unusable, without_hooks

    changed = without_hooks(now.text, None if before is None else before.text)
    if isinstance(changed, Unusable):
        fail(CLOSED, f"{file.path} is left alone: {changed.why}. Nothing was changed.")
    return changed


def _restore(file: SettingsFile, now: Kept, before: Kept | None, then: str) -> None:
    """Write what is left, with the mode from before; what only ever held our hooks goes."""
    from app.cli.settings_file import Kept

    if not then and before is None:
        file.remove()
        print(f"{file.path} held nothing else and is gone.")
        return
    file.write(Kept(text=then, mode=now.mode if before is None else before.mode))
    if before is not None and before.text == then:
        file.forget()
        print(f"{file.path} is as it was before floorboss, byte for byte.")
    else:
        print(f"{file.path} is without floorboss; what else was changed in it stays.")
        if before is not None:
            print(f"As it was before floorboss it is kept in {file.backup}.")
