"""`floorboss install claude-code`: a harness is told to report and to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.options import DryRun, SettingsPath, Yes

if TYPE_CHECKING:
    from app.cli.settings_file import Kept, SettingsFile
    from app.harness.claude_settings import Target

install = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=False,
    help="Connect a harness: its settings are told to report here.",
)
NO_TOKEN = (
    "there is no harness's token in {folder} that this user may read. Start floorboss once, or say "
    "--token-env to have Claude Code read FLOORBOSS_TOKEN. Nothing was changed."
)
CLOSED_NOTE = (
    "With --fail-closed every tool call is blocked while no daemon answers. Claude Code has that "
    "since {version}; older ones say nothing and let the call run (floorboss doctor looks)."
)


@install.callback()
def _harnesses() -> None:
    """Connect a harness: its settings are told to report here."""


@install.command("claude-code")
def claude_code(
    settings: SettingsPath = None,
    token_env: Annotated[
        bool,
        typer.Option("--token-env", help="Write $FLOORBOSS_TOKEN instead of the token itself."),
    ] = False,
    fail_closed: Annotated[
        bool,
        typer.Option("--fail-closed", help="Block calls while no daemon answers (from 2.1.295)."),
    ] = False,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Put the hooks into Claude Code's settings."""
    from app.cli.claude import ask, settings_of, shown, target, unasked
    from app.cli.exits import CLOSED, fail
    from app.cli.places import settings as places
    from app.cli.settings_file import PRIVATE, Kept

    found = places()
    wanted = target(found, token_env=token_env, fail_closed=fail_closed)
    if wanted.token == "":
        fail(CLOSED, NO_TOKEN.format(folder=found.state_dir))
    file = settings_of(settings)
    now = file.now()
    mode = PRIVATE if now is None or not token_env else now.mode
    then = Kept(text=_changed(file, now, wanted), mode=mode)
    _warnings(file, wanted)
    if now == then:
        print(f"{file.path} has the hooks. Nothing to do.")
        return
    shown(file, now, then.text, wanted.token or "")
    _notes(wanted, now, then)
    if dry_run:
        print("Nothing was changed.")
        return
    if yes:
        unasked(now)
    else:
        ask(file, now)
    _keep(file, now)
    file.write(then)
    print(f"{file.path}: Claude Code sessions started from now on report to {wanted.url}.")


def _changed(file: SettingsFile, now: Kept | None, wanted: Target) -> str:
    from app.cli.exits import CLOSED, fail
    from app.harness.claude_settings import Unusable, hooks, with_hooks

    before = file.before()
    text = "" if now is None else now.text
    changed = with_hooks(text, hooks(wanted), None if before is None else before.text)
    if isinstance(changed, Unusable):
        fail(CLOSED, f"{file.path} is left alone: {changed.why}. Nothing was changed.")
    return changed


def _notes(wanted: Target, now: Kept | None, then: Kept) -> None:
    from app.harness.claude_settings import BLOCKS_SINCE, hooks

    print(
        f"{len(hooks(wanted))} kinds of events are reported to {wanted.url}, which may deny calls."
    )
    if now is not None and now.mode != then.mode:
        print(f"Its mode becomes {then.mode:04o} (it was {now.mode:04o}): it holds a token.")
    if wanted.fail_closed:
        print(CLOSED_NOTE.format(version=".".join(map(str, BLOCKS_SINCE))))


def _warnings(file: SettingsFile, wanted: Target) -> None:
    """What keeps these hooks from running, in the doctor's words."""
    from app.cli.facts import MANAGED, layer, project
    from app.cli.switches import switches
    from app.domain.tables import plain

    own = (*project(file.path), layer(file.path))
    for found in switches(layer(MANAGED), own, wanted):
        print(plain(f"Warning: {found.text}. {found.do}"))


def _keep(file: SettingsFile, now: Kept | None) -> None:
    """Write the backup: the file as it would be without us, so that a second install keeps it."""
    from app.cli.settings_file import Kept
    from app.harness.claude_settings import hooks_in, without_hooks

    if now is None:
        file.forget()
        return
    before = file.before() if hooks_in(now.text) else None
    text = without_hooks(now.text, None if before is None else before.text)
    if isinstance(text, str) and (text or before is not None or not hooks_in(now.text)):
        file.keep(Kept(text=text, mode=now.mode if before is None else before.mode))
        print(f"As it was it is kept in {file.backup}.")
