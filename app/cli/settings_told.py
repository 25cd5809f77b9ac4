"""What became of the settings at a start: what happened, what is in force now, what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from app.cli.invoked import program
from app.cli.layout import wrapped
from app.domain.configured import settings_of
from app.domain.entries import Entry
from app.domain.phrases import phrases
from app.domain.state import Book, Proposal
from app.domain.summaries import summary
from app.domain.tables import plain

SETTLING: Final = frozenset({"approved", "dismissed", "ended"})
SHOWN: Final = 12  # settings that the first lines name; `floorboss show SEQ` has all


def at_start(
    written: Iterable[Entry], book: Book, notes: Iterable[str], *, console: bool, there: str
) -> Iterator[str]:
    """The lines that follow a start where other settings were found than those in force.

    `there`: what commands must add to reach this daemon.
    """
    for entry in written:
        if entry.kind == "configured" and "was" in entry.body:
            yield plain(f"Settings changed and hold from now on ({entry.seq}): {summary(entry)}")
    asked = book.everywhere.asked
    if asked is not None:
        settled = book.everywhere.settled.get(asked.seq)
        yield from _asked(asked, settled, console=console, there=there)
    yield from (plain(f"Note: {note}") for note in notes)


def _asked(asked: Proposal, settled: str | None, *, console: bool, there: str) -> Iterator[str]:
    seq = asked.seq
    if settled == "dismissed":
        yield (
            f"floorboss.toml still asks for the settings that you dismissed ({seq}); the older ones"
            f" are in force. {program()} show {seq}{there} lists them"
        )
    elif settled is None:
        yield (
            f"Settings that may free a call wait for your approval ({seq}); until then the older"
            " ones are in force:"
        )
        rows = list(waiting_lines(asked.body))
        yield from rows[:SHOWN]
        if len(rows) > SHOWN:
            yield f"  and {len(rows) - SHOWN} more: {program()} show {seq}{there}"
        yes, no = (f"a {seq}", f"d {seq}") if console else _commands(seq, there)
        yield f"  type  {yes}  to approve them, or  {no}  to keep the older ones"


def _commands(seq: int, there: str) -> tuple[str, str]:
    return f"{program()} approve {seq}{there}", f"{program()} dismiss {seq}{there}"


def waiting_lines(body: Mapping[str, Any]) -> Iterator[str]:
    """A line for each setting that waits; words such as none stand behind a colon."""
    for setting, old, new in phrases(body["was"], body["values"]):
        yield from _row(f"{setting}: in force: {old}; asked for: {new}")


def _row(text: str) -> Iterator[str]:
    return wrapped(plain(text), "  ", "    ")


def entry_lines(entry: Mapping[str, Any]) -> Iterator[str]:
    """What an entry says about settings, a sentence for each; nothing for any other entry."""
    body = entry["body"]
    if entry["action"] != "configuration":
        return
    if entry["kind"] == "proposed" and not waits(entry):
        for setting, old, new in phrases(body["was"], body["values"]):
            yield from _row(f"{setting}: {old} was in force, {new} was asked for")
    elif entry["kind"] == "proposed":
        yield from waiting_lines(body)
    elif entry["kind"] == "configured" and body.get("was"):
        held = settings_of(body["values"])
        news = {setting: held.get(setting) for setting in body["was"]}
        for setting, old, new in phrases(body["was"], news):
            yield from _row(f"{setting}: {old} before, {new} from then on")


def waits(entry: Mapping[str, Any]) -> bool:
    """Whether an entry, shown with what refers to it, is a proposal that nobody decided."""
    later = {each["kind"] for each in entry.get("referred_to_by", ())}
    return entry["kind"] == "proposed" and not later & SETTLING
