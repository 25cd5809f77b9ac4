"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer


def _seq(text: str) -> int:
    """A place in the log, from 1."""
    if text.isascii() and text.isdecimal() and int(text[:LONGEST]) > 0 and len(text) <= LONGEST:
        return int(text)
    raise typer.BadParameter("an entry is named by its number, the first column of the log.")


LONGEST: Final = 16  # digits of a seq
Seq: TypeAlias = Annotated[
    int, typer.Argument(parser=_seq, metavar="SEQ", help="The entry's place in the log.")
]
Url: TypeAlias = Annotated[
    str | None, typer.Option(help="The daemon's address; else as FLOORBOSS_* and the file say.")
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON.")]
TokenFd: TypeAlias = Annotated[
    int | None,
    typer.Option(
        min=0, metavar="N", help="Descriptor that holds the operator's token; else you are asked."
    ),
]
Yes: TypeAlias = Annotated[bool, typer.Option("--yes", help="Do not ask; decide what is shown.")]
DryRun: TypeAlias = Annotated[
    bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")
]
ExpectedState: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="STATE", help="Decide only if this state still holds; do not ask."),
]
Reason: TypeAlias = Annotated[str, typer.Option(help="Why, for the log.")]
Minutes: TypeAlias = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="A loosening holds for N minutes only.")
]
Calls: TypeAlias = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="A loosening holds for N calls only.")
]
ForSession: TypeAlias = Annotated[
    bool, typer.Option("--session", help="A loosening holds until the session ends.")
]

Host: TypeAlias = Annotated[str | None, typer.Option(help="Address to bind.")]
Port: TypeAlias = Annotated[str | None, typer.Option(help="Port to bind. 0: any free one.")]
StateDir: TypeAlias = Annotated[
    Path | None, typer.Option(help="Folder of the log and the harness's token.")
]
ConfigFile: TypeAlias = Annotated[Path | None, typer.Option(help="The file of settings.")]
DatabaseUrl: TypeAlias = Annotated[str | None, typer.Option(help="The log's database.")]

SettingsPath: TypeAlias = Annotated[
    Path | None,
    typer.Option("--settings", help="The harness's settings; else your own, for all projects."),
]
