"""What a person decides on, in sentences, and what came of it.

    what happened      from the stored entry
    what is in force   now, and after a yes
    the difference     tools, paths and commands
    who asked          and, marked, what they wrote
    afterwards         what was done, what is in force, what takes it back

Everything is made from entries: our words, numbers and quoted names. What somebody else wrote
stands in one block behind bars, where it cannot pass for ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from app.cli.invoked import program
from app.cli.layout import wrapped
from app.cli.rendering import View, headed, in_force
from app.cli.settings_told import entry_lines
from app.domain.entries import EVERYWHERE
from app.domain.evidence import handed_over, written
from app.domain.limits import limit_of, worded
from app.domain.reasons import quoted
from app.domain.standing import WAYS
from app.domain.tables import plain

INDENT: Final = "  "  # before the further lines of a sentence: what begins a line is ours
LABEL: Final = 17  # columns before what is in force
CHANGE: Final = re.compile(r"(?P<what>posture )?(?P<was>\w[\w-]*) -> (?P<now>\w[\w-]*)")
TURNS: Final[Mapping[tuple[str, str], str]] = {
    ("deny", "none"): "no longer denied",
    ("deny", "ask"): "asked about instead of denied",
    ("ask", "none"): "no longer asked about",
    ("none", "ask"): "asked about from then on",
    ("none", "deny"): "denied from then on",
    ("ask", "deny"): "denied instead of asked about",
}
LABELS: Final = (("tools", "tools"), ("paths", "paths"), ("commands", "commands"))
HEADS: Final = {"freer": "This would become freer:", "stricter": "This would become stricter:"}
AFTER: Final = {"freer": "this becomes freer:", "stricter": "this becomes stricter:"}


def review(
    entry: View, cause: View | None, now: View, would: View, verb: str, limit: Any = None
) -> Iterator[str]:
    """Everything a person should know before a decision, the question excepted."""
    yield from happened(entry, cause)
    own = entry["body"].get("limit") if verb == "approve" else None
    yield from compared(now, would, verb, limit or own)
    yield from others(entry, now["mode"])
    yield ""
    yield from asked(entry)


def compared(now: View, would: View, verb: str, limit: Any = None) -> Iterator[str]:
    """What is in force now and after a yes, for how long, and the difference."""
    yield from wrapped(f"{in_force(now)}{_by(now)}.", "In force now:".ljust(LABEL))
    yield from wrapped(f"{in_force(would['in_force'])}.", f"If you {verb}:".ljust(LABEL))
    held = limit_of(limit)
    if held is not None:
        yield f"{'How long:'.ljust(LABEL)}{worded(held)}."
    yield ""
    yield from changes(would["difference"])


def waiting(
    entry: View, cause: View | None, now: View, proposal: View, there: str
) -> Iterator[str]:
    """A proposal that waits, for whoever looks at it: as for a decision, and how to decide it."""
    yield from happened(entry, cause)
    yield from wrapped(f"{in_force(now)}{_by(now)}.", "In force now:".ljust(LABEL))
    yield ""
    yield from changes(proposal["difference"], verb=proposal["verb"])
    yield from others(entry, now["mode"])
    if proposal.get("returns") is not None:
        yield from _used_up(now)
    yield ""
    yield from asked(entry)
    yield ""
    for verb in (proposal["verb"], "dismiss"):
        yield f"To {verb} it:".ljust(LABEL) + f"{program()} {verb} {entry['seq']}{there}"
    yield ""


def _used_up(now: View) -> Iterator[str]:
    """Why a person is asked: the standing approval that leads out of the mode has no use left."""
    for way in WAYS:
        counted = now.get("standing", {}).get(way.name, {"used": 0, "of": 0})
        if way.leaves == now["mode"] and 0 < counted["of"] <= counted["used"]:
            yield from wrapped(
                f"The standing approval {way.name} is used up ({counted['of']} of"
                f" {counted['of']}), so a person decides."
            )


def others(entry: Mapping[str, Any], mode: str, indent: str = "") -> Iterator[str]:
    """Of which mode the difference of a proposal about settings speaks, where it changes others.

    What a session has in force keeps the words that it was applied with.
    """
    news = entry["body"].get("values", {}) if entry["action"] == "configuration" else {}
    changed = sorted(key.removeprefix("modes.") for key in news if key.startswith("modes."))
    beside = [name for name in changed if name != mode]
    if beside:
        yield from wrapped(
            f"What names no mode is about mode {mode}, which is in force now. Also changed, for"
            f" sessions that go there later: mode {', '.join(beside)}, as listed above.",
            indent,
        )


def happened(entry: View, cause: View | None) -> Iterator[str]:
    """The one sentence of what led here: the change to take back, or what is wished for."""
    said = cause if cause is not None and cause["kind"] == "applied" else entry
    yield from wrapped(_story(said), rest=INDENT)
    yield from entry_lines(said)
    yield f"That is entry {said['seq']}, of {said['at'][:10]} {said['at'][11:19]} UTC."
    if said is entry and cause is not None:
        line = plain(f"{cause['seq']} {headed(cause['kind'], cause['summary'])}")
        yield from wrapped(f"It came after {line}.", rest=INDENT)


def _story(entry: View) -> str:
    """One entry as a sentence."""
    summary = plain(entry["summary"])
    if entry["kind"] not in ("applied", "proposed"):
        return f"{_where(entry['scope'], 'In')}: {summary}."
    if entry["action"] == "configuration":
        return f"{summary[0].upper()}{summary[1:]}."
    change, _, why = summary.removeprefix("proposed ").partition(": ")
    step = CHANGE.sub(_step, change)
    if entry["kind"] == "proposed":
        return f"Proposed for {_where(entry['scope'])}, {why or 'without a reason'}: {step}."
    return f"{_where(entry['scope'], '')} went {step}{f': {why}' if why else ''}."


def _step(found: re.Match[str]) -> str:
    return f"from {found['what'] or 'mode '}{found['was']} to {found['now']}"


def _where(scope: str, before: str | None = None) -> str:
    """A scope in words; its name was chosen by a harness, so it is quoted."""
    session, slash, agent = scope.partition("/")
    if scope == EVERYWHERE:
        words = "all sessions"
    elif slash:
        words = f"agent {quoted(agent)} of session {quoted(session)}"
    else:
        words = f"session {quoted(session)}"
    if before is None:
        return words
    return f"{before} {words}" if before else f"{words[0].upper()}{words[1:]}"


def _by(view: View) -> str:
    return f" (by {', '.join(map(str, view['seqs']))})" if view["seqs"] else ""


def changes(difference: View, indent: str = "", verb: str = "") -> Iterator[str]:
    """What becomes freer and what stricter, a line or two for each kind of thing.

    `verb`: by which decision, where no line before it says so.
    """
    heads = {way: f"If you {verb}, {AFTER[way]}" if verb else HEADS[way] for way in HEADS}
    lines = [line for way in heads for line in _way(heads[way], difference[way], indent)]
    yield from lines
    if not lines:
        yield f"{indent}No call would be judged differently as long as the rest stays in force."


def _way(head: str, parts: View, indent: str) -> Iterator[str]:
    if any(parts.values()):
        yield f"{indent}{head}"
        yield from freed(parts, f"{indent}  ")


def freed(parts: View, indent: str = "  ") -> Iterator[str]:
    """One direction of a difference: tools, paths, commands."""
    for part, label in LABELS:
        before = f"{indent}{label:<10}"
        for turn, names in _turns(parts[part]).items():
            yield from wrapped(f"{TURNS[turn]}: {'; '.join(names)}", before)
            before = " " * len(before)


def _turns(items: Iterable[View]) -> dict[tuple[str, str], list[str]]:
    turns: dict[tuple[str, str], list[str]] = {}
    for item in items:
        turns.setdefault((item["before"], item["after"]), []).append(plain(item["what"]))
    return turns


def asked(entry: View) -> Iterator[str]:
    """Who wants it, and in a block of its own what they wrote."""
    yield from wrapped(_asked(entry), rest=INDENT)
    yield from behind_bars(entry["actor"], entry["body"])
    yield from handed(entry.get("artifact"))


def handed(artifact: View | None) -> Iterator[str]:
    """What an agent handed over for a way back, behind bars; nothing where none did."""
    if not artifact:
        return
    head, *lines = handed_over(artifact)
    yield from wrapped(head)
    for line in lines:
        yield from wrapped(line, "| ", "| ")


def _asked(entry: View) -> str:
    kind, _, name = entry["actor"].partition(":")
    who = {"harness": f"The harness {quoted(name)}", "human": f"A person, {quoted(name)},"}.get(
        kind, "floorboss itself"
    )
    if "proposer" in entry["body"]:
        who = "A model that floorboss asked"
    if entry["kind"] == "applied":
        return f"{who} put this in force."
    taken_back = entry["body"].get("return")
    if isinstance(taken_back, int):
        return f"{who} {'asks for' if name else 'offers'} this, as the way back from {taken_back}."
    return f"{who} {'asks for' if name else 'proposes'} this."


def behind_bars(actor: str, body: Mapping[str, Any]) -> Iterator[str]:
    """What somebody wrote, behind bars; nothing where it is floorboss's own."""
    text = written(actor, body)
    if text is not None:
        yield "Their own words, which floorboss does not vouch for:"
        yield from wrapped(text, "| ", "| ")


def done(answer: View, there: str) -> Iterator[str]:
    """What was written, what is in force now, and what takes it back; `there`: how to say where."""
    entries = answer["entries"]
    wrote = ", ".join(f"{each['seq']} {each['kind']}" for each in entries) or "nothing new"
    held = answer["in_force"]
    yield from wrapped(f"Written: {wrote}.", rest=INDENT)
    yield from wrapped(f"In force for {_where(held['scope'])} now: {in_force(held)}.", rest=INDENT)
    yield from dict.fromkeys(line for each in entries for line in _next(each, there))
    yield from _void(entries)


def _void(entries: Iterable[View]) -> Iterator[str]:
    """Why a proposal that was just written is over already."""
    written = {each["seq"] for each in entries if each["kind"] == "proposed"}
    for each in entries:
        if each["kind"] == "ended" and each["ref"] in written:
            over = plain(each["summary"]).partition(": ")[2]
            yield from wrapped(f"{each['ref']} is void, as {over}.", rest=INDENT)


def _next(entry: View, there: str) -> Iterator[str]:
    """What came of an entry of a decision; a command that undoes it stands on its own line."""
    match entry["kind"]:
        case "proposed" if entry["direction"] == "neutral":
            yield "It would change nothing that a call is judged by now."
        case "applied" if entry["action"] in ("mode", "policy"):
            yield f"To take it back:  {program()} revert {entry['seq']}{there}"
        case "configured":
            yield "To take it back, write the older values into floorboss.toml and restart."
        case "dismissed" if entry["action"] == "configuration":
            yield "It is not asked for again until floorboss.toml asks for something else."
        case "dismissed":
            yield f"It can be proposed again; to see it:  {program()} show {entry['ref']}{there}"
        case "reverted":
            yield f"To see what was taken back:  {program()} show {entry['ref']}{there}"
        case _:
            return


def refused(
    problem: View, verb: str, seq: int, there: str, seen: View | None, now: View | None
) -> Iterator[str]:
    """What a person needs after a refusal: what changed, or what it would free, and the command."""
    match str(problem.get("type", "")).rpartition("/")[2]:
        case "state_changed" if now is not None:
            if seen is not None:
                yield from wrapped(f"{in_force(seen)}{_by(seen)}.", "When you looked:".ljust(LABEL))
            yield from wrapped(f"{in_force(now)}{_by(now)}.", "In force now:".ljust(LABEL))
            yield f"To look again:   {program()} {verb} {seq}{there}"
        case "wrong_verb":
            if problem.get("freer"):
                yield HEADS["freer"]
                yield from freed(problem["freer"])
            right = "apply" if verb == "approve" else "approve"
            yield f"To decide it:    {program()} {right} {seq}{there}"
        case "already_decided" | "void" | "not_a_proposal" | "not_applied":
            yield f"To see why:      {program()} show {seq}{there}"
        case _:
            return
