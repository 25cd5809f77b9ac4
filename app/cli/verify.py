"""`floorboss verify`: the hash chain, by the daemon or offline on a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.cli.options import Url

HASH = 64  # hex digits


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check found; `kept` is the hash now at the checkpoint's place, None: no such entry."""

    fault: str | None
    count: int = 0
    head: int = 0
    hash: str = ""
    kept: str | None = None


def verify(
    database: Annotated[
        Path | None, typer.Option(help="Check this file, without a daemon.")
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(metavar="SEQ:HASH", help="What an earlier check printed; compare with it."),
    ] = None,
    url: Url = None,
) -> None:
    """Check the log's hash chain, and a checkpoint kept earlier."""
    from app.cli.exits import REFUSED, fail

    place = _place(checkpoint)
    found = _by_daemon(url, place) if database is None else _offline(database, place)
    if found.fault is not None:
        fail(REFUSED, f"the chain is broken: {found.fault}")
    if place is not None and found.kept != place[1]:
        what = "is missing" if found.kept is None else "is another one now"
        fail(REFUSED, f"the chain holds, but the entry of the checkpoint, {place[0]}, {what}.")
    print(f"{found.count} entries, the chain holds. Keep this checkpoint somewhere else:")
    print(f"{found.head}:{found.hash}")


def _place(checkpoint: str | None) -> tuple[int, str] | None:
    from app.cli.exits import MISUSED, fail

    if checkpoint is None:
        return None
    seq, _, digest = checkpoint.strip().partition(":")
    if not seq.isdecimal() or len(digest) != HASH:
        fail(MISUSED, "--checkpoint: expected SEQ:HASH, as an earlier verify printed it.")
    return int(seq), digest


def _by_daemon(url: str | None, place: tuple[int, str] | None) -> Checked:
    from app.cli.client import reader

    client = reader(url)
    answer = client.get("/controller/verify")
    if not answer["ok"]:
        return Checked(fault=f"entry {answer['seq']}: {answer['why']}")
    kept = None
    if place is not None and place[0] <= answer["head"]:
        kept = client.get(f"/controller/log/{place[0]}")["hash"]
    return Checked(
        fault=None, count=answer["count"], head=answer["head"], hash=answer["hash"], kept=kept
    )


def _offline(database: Path, place: tuple[int, str] | None) -> Checked:
    from app.cli.exits import CLOSED, fail
    from app.service.archive import Archive, Broken, StoreError

    if not database.is_file():
        fail(CLOSED, f"{database}: there is no such file.")
    archive = Archive(database)
    try:
        result = archive.verify()
        if isinstance(result, Broken):
            return Checked(fault=f"entry {result.seq}: {result.why}")
        entry = None if place is None else archive.get(place[0])
    except StoreError as fault:
        fail(CLOSED, f"{database} cannot be read: {fault}")
    finally:
        archive.close()
    return Checked(
        fault=None,
        count=result.count,
        head=result.head_seq,
        hash=result.head_hash,
        kept=entry.hash if entry else None,
    )
