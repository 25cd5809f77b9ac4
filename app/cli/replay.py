"""`floorboss replay`: session files through the core, or into a running daemon."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from app.cli.exits import CLOSED, MISUSED, REFUSED, UNREACHABLE, fail

if TYPE_CHECKING:
    from app.cli.progress import Progress
    from app.config import Settings
    from app.replay.post import Daemon, Waiting
    from app.replay.run import Feed
    from app.replay.tally import FileReport, Tally

NO_SESSION: Final = "none of the {lines:,} lines can be read: no file named holds a session"


def replay(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Session files, or folders of them.", show_default=False),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, at the end.")] = False,
    profile: Annotated[
        list[str] | None, typer.Option(help="Thresholds and modes: default or strict.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="RULE.THRESHOLD=N", help="One threshold. 0: off."),
    ] = None,
    verdicts: Annotated[
        bool,
        typer.Option("--verdicts", help="Judge each call before it runs, as hooks would have it."),
    ] = False,
    diff: Annotated[
        bool,
        typer.Option("--diff", help="What --set or --profile (or two of them) makes different."),
    ] = False,
    post: Annotated[
        str | None, typer.Option(metavar="URL", help="Feed the calls to the daemon there.")
    ] = None,
    token_fd: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="With --post: descriptor N holds the token."),
    ] = None,
    state_dir: Annotated[
        Path | None, typer.Option(help="Folder of the settings and the harness's token.")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="The file of settings.")] = None,
) -> None:
    """Run session files through the rules. Tell what would have changed, and why."""
    from app.cli import places

    files = session_files(paths or [])
    settings = places.settings(state_dir=state_dir, config=config)
    if post is None:
        if token_fd is not None:
            fail(MISUSED, "--token-fd goes with --post")
        profiles, thresholds = profile or [], set_ or []
        if diff:
            from app.cli.comparing import compared

            compared(files, settings, profiles, thresholds, json_=json_, attempts=verdicts)
            return
        if len(profiles) > 1:
            fail(MISUSED, "one --profile is what a run is under; two are compared with --diff")
        feed, tally = _core(settings, next(iter(profiles), None), thresholds)
        _told(files, feed, tally, json_=json_, attempts=verdicts)
        return
    if diff:
        fail(MISUSED, "--diff is for runs without a daemon; a daemon has one configuration")
    if profile or set_:
        fail(MISUSED, "--profile and --set are for a run without a daemon; it has its own settings")
    if verdicts:
        fail(MISUSED, "--verdicts is for a run without a daemon; nothing may be asked of it twice")
    _posted(files, _daemon(post, token_fd, settings), json_=json_)


def session_files(paths: list[Path]) -> list[Path]:
    """The files to read; where there is none the command ends with its reason."""
    from app.replay.run import files_of

    if not paths:
        fail(MISUSED, "no files: name session files, or a folder of them")
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        fail(MISUSED, f"no such file: {', '.join(missing)}")
    files = files_of(paths)
    if not files:
        fail(MISUSED, "no session file below the folders named")
    return files


def _core(settings: Settings, profile: str | None, thresholds: list[str]) -> tuple[Feed, Tally]:
    from app.cli.comparing import configuration
    from app.replay.run import Core
    from app.replay.tally import Tally

    under = configuration(settings, profile, thresholds)
    core = Core(under, own=settings.own)
    tally = Tally(under.start_mode, under.context_limit, core.interventions)
    return core.feed, tally


def _daemon(url: str, token_fd: int | None, settings: Settings) -> Daemon:
    from app.replay.address import address_of
    from app.replay.post import Daemon

    address = address_of(url)
    if isinstance(address, str):
        fail(MISUSED, address)
    return Daemon(address, _token(token_fd, settings))


def _token(token_fd: int | None, settings: Settings) -> str:
    """The harness's token, from a descriptor or from where the daemon left it."""
    from app.service.private_files import UnsafePathError, read_private

    path = settings.state_dir / "harness.token"
    try:
        if token_fd is None:
            found = read_private(path)
        else:
            with os.fdopen(token_fd, "rb") as file:
                found = file.readline(4096)
    except (OSError, UnsafePathError) as fault:
        fail(CLOSED, f"the token cannot be read: {fault}")
    text = (found or b"").decode("ascii", "replace").strip()
    if not text:
        fail(MISUSED, f"no token: start the daemon once, which writes {path}, or use --token-fd")
    return text


def _posted(files: list[Path], daemon: Daemon, *, json_: bool) -> None:
    from app.replay.post import PostFailed, PostRefused
    from app.replay.tally import Tally

    tally = Tally()
    try:
        _told(files, daemon.feed, tally, json_=json_, waiting=daemon.waiting)
    except PostRefused as fault:
        fail(REFUSED, str(fault))
    except PostFailed as fault:
        fail(UNREACHABLE, str(fault))
    finally:
        daemon.close()
    if tally.totals.refused["session_bound"]:
        raise typer.Exit(REFUSED)


def _told(
    files: list[Path],
    feed: Feed,
    tally: Tally,
    *,
    json_: bool,
    attempts: bool = False,
    waiting: Callable[[Iterable[str]], list[Waiting]] | None = None,
) -> None:
    """Print the report, file after file; as JSON, when all is done.

    `waiting` tells what waits in some sessions, where there is somebody to decide about it.
    """
    import json

    from app.cli.progress import Progress
    from app.replay.report import as_json, totals_lines, waiting_json, waiting_line

    progress = Progress(len(files), "files")
    found = _reports(files, lambda lines: progress.watching(feed(lines)), tally, attempts)
    try:
        reports = [_printed(report, progress, quiet=json_) for report in found]
    finally:
        progress.clear()
    if not json_:
        print("\n".join(totals_lines(tally)), flush=True)
    waits = None if waiting is None else waiting(tally.proposed)
    if json_:
        more = {} if waits is None else {"waits": waiting_json(waits)}
        print(json.dumps({**as_json(reports, tally), **more}, indent=2))
    elif waits is not None:
        print(waiting_line(waits))
    if tally.nothing_readable:
        fail(MISUSED, NO_SESSION.format(lines=tally.totals.lines))


def _reports(files: list[Path], feed: Feed, tally: Tally, attempts: bool) -> Iterator[FileReport]:
    from app.replay.run import replay as reports

    try:
        yield from reports(files, feed, tally, attempts=attempts)
    except OSError as fault:
        fail(MISUSED, f"{fault.filename}: {fault.strerror}")


def _printed(report: FileReport, progress: Progress, *, quiet: bool) -> FileReport:
    from app.replay.report import file_lines

    progress.step()
    if not quiet:
        print("\n".join(file_lines(report)), flush=True)
    return report
