"""The command line. A command's module is imported when that command is run, and no other.

There is no `run`, no `set` and no `mode`: nobody switches a mode except by deciding a proposal.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections import UserDict
from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from app.cli.exits import CLOSED, REFUSED

# In the order of the help: what runs, what shows, what decides, what keeps the house.
COMMANDS: Final[Mapping[str, str]] = {
    "serve": "app.cli.serve:serve",
    "replay": "app.cli.replay:replay",
    "tune": "app.cli.tune:tune",
    "simulate": "app.cli.simulate:simulate",
    "status": "app.cli.status:status",
    "log": "app.cli.log:log",
    "show": "app.cli.show:show",
    "approve": "app.cli.decide:approve",
    "apply": "app.cli.decide:apply",
    "revert": "app.cli.decide:revert",
    "dismiss": "app.cli.decide:dismiss",
    "propose": "app.cli.propose:propose",
    "install": "app.cli.install:install",
    "uninstall": "app.cli.uninstall:uninstall",
    "doctor": "app.cli.doctor:doctor",
    "config": "app.cli.config:config",
    "token": "app.cli.token:token",
    "verify": "app.cli.verify:verify",
}


class Commands(UserDict[str, Any]):
    """Commands by name; one is imported when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        return loaded(name, self.data[name])


def loaded(name: str, place: str) -> Any:
    """The command at `module:attribute`: a function, or an application with commands of its own."""
    module, _, attribute = place.partition(":")
    found = getattr(importlib.import_module(module), attribute)
    if isinstance(found, typer.Typer):
        command = typer.main.get_command(found)
        command.name = name
        return command
    alone = _application()
    alone.command(name=name)(found)
    return typer.main.get_command(alone)


def group() -> TyperGroup:
    """The whole command line."""
    application = _application()
    application.callback(no_args_is_help=True)(floorboss)
    found = typer.main.get_group(application)
    found.commands = Commands(COMMANDS)
    return found


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"floorboss {version('floorboss')}")
        raise typer.Exit


def floorboss(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """The floor manager of an agent system: it tightens by itself and loosens when you say so."""


def _application() -> typer.Typer:
    # Without markup typer leaves rich alone, whose import costs more than the command.
    return typer.Typer(rich_markup_mode=None, add_completion=False)


def main() -> None:
    """Run the command that the arguments name."""
    try:
        try:
            group()(prog_name="floorboss")
        finally:
            print(end="", flush=True)
    except OSError as fault:
        raise SystemExit(_unwritten(fault)) from None


def _unwritten(fault: OSError) -> int:
    """Say why the output ends here, and keep the interpreter from trying to write the rest."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(fault, BrokenPipeError):  # `| head` has seen enough
        return REFUSED
    where = "" if fault.filename is None else f"{fault.filename}: "
    print(f"floorboss: {where}{fault.strerror or fault}", file=sys.stderr)
    return CLOSED
