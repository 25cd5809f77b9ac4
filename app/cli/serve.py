"""`floorboss serve`: the daemon, and on a terminal the operator's console."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.exits import CLOSED, MISUSED, fail
from app.cli.options import ConfigFile, DatabaseUrl, Host, Port, StateDir

if TYPE_CHECKING:
    import socket

    from app.cli.console import Console
    from app.cli.listening import Server
    from app.cli.operator import Known, Minted, Missing
    from app.config import Settings
    from app.main import Daemon


def serve(
    host: Host = None,
    port: Port = None,
    state_dir: StateDir = None,
    config: ConfigFile = None,
    database_url: DatabaseUrl = None,
    operator_token_fd: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="N", help="Accept, for this run, the token that descriptor N holds."
        ),
    ] = None,
) -> None:
    """Run the daemon; a terminal becomes the operator's console."""
    from app.cli.places import settings
    from app.cli.process import close_to_others, collect_less_often, raise_file_limit

    found = settings(host, port, state_dir, config, database_url)
    close_to_others()
    raise_file_limit()
    daemon = _opened(found)
    collect_less_often()
    try:
        _run(daemon, operator_token_fd)
    finally:
        daemon.close()


def _opened(settings: Settings) -> Daemon:
    import logging

    from app.main import CannotStart, start
    from app.service.archive import sqlite_warning
    from app.service.private_files import UnsafePathError

    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=logging.WARNING)
    try:
        daemon = start(settings, alone=True)
    except (UnsafePathError, OSError) as fault:
        fail(CLOSED, f"not started: {fault}")
    if isinstance(daemon, CannotStart):
        fail(daemon.status, f"not started: {daemon.detail}")
    warning = sqlite_warning()
    if warning is not None:
        logging.getLogger("floorboss").warning(warning)
    return daemon


def _run(daemon: Daemon, handle: int | None) -> None:
    from app.cli.listening import bound, server
    from app.cli.operator import admit, person
    from app.cli.process import notify
    from app.service.tokens import TokenRefused

    who = person(os.environ)
    admitted = admit(daemon.tokens, handle, os.environ, who)
    if isinstance(admitted, TokenRefused):
        fail(MISUSED, f"not started: {admitted.why}")
    settings = daemon.settings
    try:
        listener = bound(settings)
    except OSError as fault:
        where = f"{settings.host} port {settings.port}"
        fail(CLOSED, f"not started: {where}: {fault.strerror}; --host and --port name another")

    console: Console | None = None

    def ready() -> None:
        nonlocal console
        _welcome(settings, listener, admitted, console=who.present)
        _settings_told(daemon, listener, console=who.present)
        if who.present:
            console = _console(daemon, running)
        notify("READY=1", os.environ)

    running = server(daemon.app, settings, ready, daemon.bell.close)
    with listener:
        running.run(sockets=[listener])
    notify("STOPPING=1", os.environ)
    if console is not None:
        console.stop()


def _console(daemon: Daemon, running: Server) -> Console:
    """The operator's console on this terminal, beside the loop that runs now."""
    import asyncio

    from app.cli.console import Console
    from app.main import login

    def end() -> None:
        running.should_exit = True

    loop, actor = asyncio.get_running_loop(), f"human:{login()}"
    console = Console(daemon.control, daemon.reader, loop, actor, end)
    console.start(daemon.feed)
    return console


def _welcome(
    settings: Settings,
    listener: socket.socket,
    admitted: Known | Minted | Missing,
    *,
    console: bool,
) -> None:
    from app.cli.welcome import lines
    from app.config import ConfigFault, load
    from app.config.address import url_of

    url, plain = url_of(settings, listener.getsockname()[1]), load({}, os.environ)
    usual = not isinstance(plain, ConfigFault) and url_of(plain) == url
    for line in lines(url, settings.state_dir.absolute(), admitted, usual=usual, console=console):
        print(line, flush=True)


def _settings_told(daemon: Daemon, listener: socket.socket, *, console: bool) -> None:
    from app.cli.client import pointer
    from app.cli.settings_told import at_start
    from app.config.address import url_of

    book, notes = daemon.control.writer.book, daemon.settings.notes()
    there = pointer(url_of(daemon.settings, listener.getsockname()[1]))
    for line in at_start(daemon.configured, book, notes, console=console, there=there):
        print(line, flush=True)
