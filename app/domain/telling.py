"""What floorboss says by itself where agent and person sit: what happened, and the way back.

    to_agent(entries)     what changed, and what is asked of the agent
    to_person(entries)    the same with the command that takes it back
    reminder(overrides)   what is in force, after the agent's memory was cut, and what it missed
    advised(entry, ...)   to the person: what a model's answer came to
    handed(entry, ...)    to the person: what an agent handed over, and what becomes of it
    awaits(entry, ...)    to the harness: what happens next with it

Built from summaries, which are enumerated words, numbers and quoted names: in some harnesses it
arrives as a system message, and no tool output or prompt may be lifted there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from shlex import quote
from typing import Final

from app.domain.bodies import value_body
from app.domain.entries import MACHINE, RESTRICTIONS, Entry
from app.domain.modes import Mode, mode_of
from app.domain.observations import part_of, text_of, whole_of
from app.domain.reasons import quoted
from app.domain.standing import WAYS, Outlook
from app.domain.state import Override
from app.domain.summaries import summary

LONGEST: Final = 1_500  # characters of one message; what is longer costs the agent's memory
NAMED: Final = 5  # paths; the entry holds more of them
TOLD: Final = (*RESTRICTIONS, "notice", "compact")


def to_agent(entries: Iterable[Entry]) -> str | None:
    """What an event changed; None when nothing."""
    known = tuple(entries)
    news = [_news(entry) for entry in known if _standing(entry) or _ran_out(entry)]
    return _message([*news, *(_for_agent(entry) for entry in _applied(known))])


def to_person(entries: Iterable[Entry]) -> str | None:
    """What the machine did by itself; None when nothing. A person's own choices are not news."""
    known = tuple(entries)
    returns = {whole_of(entry.body, "return"): entry.seq for entry in known}
    mine = [entry for entry in _applied(known) if entry.actor == MACHINE]
    used = [_used_for_person(entry) for entry in known if _standing(entry)]
    over = [_over_for_person(entry) for entry in known if _ran_out(entry)]
    return _message([*used, *over, *(_for_person(entry, returns.get(entry.seq)) for entry in mine)])


def reminder(overrides: Iterable[Override], missed: Entry | None = None) -> str | None:
    """What is in force by entries, narrowest first, and why; None when only the defaults are.

    `missed` is what the agent could not be told when it came: an approval that was used, or what
    its artifact lacks, or a tightening that a model asked for.
    """
    news = [] if missed is None or _for_person_only(missed) else [_missed(missed)]
    told = None if missed is None else missed.seq
    held = [_for_agent(_entry(o), "still in force: ") for o in overrides if o.seq != told]
    return _message([*news, *held])


def advised(entry: Entry, way_back: int | None) -> str:
    """To the person: what a model's answer came to, and the command that takes it back."""
    return _for_person(entry, way_back)


def handed(entry: Entry, outlook: Outlook | None) -> str | None:
    """To the person: what was handed over and what becomes of it; None: nothing waits for it."""
    kind, lacks = text_of(entry.body, "handover"), text_of(entry.body, "lacks")
    said = f"floorboss {entry.seq}: {kind} handed over"
    if outlook is None:
        return None
    if lacks:
        return f"{said}. It does not count yet: {lacks}."
    if outlook.awaited:
        use = f"use {outlook.use} of {outlook.of}"
        return f"{said}. Your next prompt uses the standing approval {outlook.name}, {use}."
    return (
        f"{said}. The way back waits for you{_spent(outlook)}: floorboss approve {outlook.way_back}"
    )


def awaits(entry: Entry, outlook: Outlook | None, used: Entry | None) -> str:
    """To the harness: what happens next with what was handed over; `used`: an approval that was."""
    if used is not None:
        return f"A {summary(used)}. {_now(used)}"
    if text_of(entry.body, "lacks"):
        return "It does not count yet: see what it lacks, and hand over another. Nothing changes."
    if outlook is None:
        return "It is kept; nothing waits for it."
    if outlook.awaited:
        use = f"use {outlook.use} of {outlook.of}"
        return f"The person's next prompt uses the standing approval {outlook.name}, {use}."
    return f"It waits for a person{_spent(outlook)}; the way back is {outlook.way_back}."


def _spent(outlook: Outlook) -> str:
    """That a standing approval is used up, where that is why a person is asked."""
    spent = outlook.name is not None and 0 < outlook.of < outlook.use
    return f", as the standing approval {outlook.name} is used up ({outlook.of})" if spent else ""


def _for_person_only(entry: Entry) -> bool:
    """Whether an entry only tells a person what a model has to say."""
    return entry.action == "notice" and "proposer" in entry.body


def _missed(entry: Entry) -> str:
    if _standing(entry):
        return _news(entry)
    if entry.kind == "applied":
        return _for_agent(entry)
    kind, lacks = text_of(entry.body, "handover"), text_of(entry.body, "lacks")
    return f"[floorboss {entry.seq}] your {kind} does not count yet: {lacks}."


def _standing(entry: Entry) -> bool:
    """Whether an entry says that a standing approval answered a return."""
    return entry.kind == "approved" and "artifact" in entry.body


def _ran_out(entry: Entry) -> bool:
    """Whether an entry says that a loosening, which a person had limited, is over."""
    return entry.kind == "ended" and entry.direction == "tighten"


def _news(entry: Entry) -> str:
    return f"[floorboss {entry.seq}] {summary(entry)}. {_now(entry)}"


def _now(entry: Entry) -> str:
    held = part_of(entry.body, "in_force")
    return f"In force now: mode {held.get('mode')}, posture {held.get('posture')}."


def _over_for_person(entry: Entry) -> str:
    return f"floorboss {entry.seq}: {summary(entry)}. {_now(entry)}"


def _used_for_person(entry: Entry) -> str:
    """What was used, and the way to undo it: there is nothing to approve, so a mode is set anew."""
    leaves = next((w.leaves for w in WAYS if w.name == entry.body.get("standing")), "plan")
    again = f"floorboss propose {quote(entry.scope)} --mode {leaves} --reason WHY --decide"
    return f"floorboss {entry.seq}: {summary(entry)}. {_now(entry)} To take it back: {again}"


def _applied(entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.kind == "applied" and entry.action in TOLD]


def _entry(override: Override) -> Entry:
    """The applied entry an override came from, as far as a summary looks at it."""
    return Entry(
        seq=override.seq,
        at="",
        kind="applied",
        scope=override.scope,
        action=override.action,
        actor=override.actor,
        direction=override.direction,
        ref=override.ref,
        body={**override.body, **value_body(override.value)},
    )


def _for_agent(entry: Entry, before: str = "") -> str:
    return f"[floorboss {entry.seq}] {before}{summary(entry)}.{_asked(entry)}{_changed(entry)}"


def _asked(entry: Entry) -> str:
    """What a mode leaves open and wants to be handed over."""
    definition = entry.body.get("definition")
    if entry.action != "mode" or not isinstance(definition, dict):
        return ""
    mode = mode_of(str(entry.body.get("mode")), definition)
    return f" Tools of this mode: {', '.join(mode.tools)}; {_writable(mode)}.{_hand_over(mode)}"


def _hand_over(mode: Mode) -> str:
    """What a mode wants, and the two ways to hand it over."""
    if mode.handoff is None:
        return ""
    parts = f", as text or as JSON with the parts {', '.join(mode.output)}" if mode.output else ""
    return (
        f" Hand over your {mode.handoff}{parts}: end your turn with a fenced block that opens with"
        f" ```floorboss {mode.handoff}, or POST it to /controller/artifacts. What was stopped"
        " stays so until a standing approval or a person answers it."
    )


def _writable(mode: Mode) -> str:
    return f"writable: {', '.join(mode.writes)}" if mode.writes else "nothing may be written"


def _for_person(entry: Entry, way_back: int | None) -> str:
    back = f" To take it back: floorboss approve {way_back}" if way_back is not None else ""
    return f"floorboss {entry.seq}: {summary(entry)}.{back}{_changed(entry)}"


def _changed(entry: Entry) -> str:
    """The test files that the notice of the boundary is about."""
    paths = entry.body.get("paths")
    if not isinstance(paths, list) or not paths:
        return ""
    names = [quoted(str(path)) for path in paths[:NAMED]]
    further = (whole_of(entry.body, "count") or 0) - len(names)
    more = f" and {further} more" if further > 0 else ""
    return f" Changed: {', '.join(names)}{more}."


def _message(lines: Sequence[str]) -> str | None:
    """The lines that fit, the first of them whole in any case but cut where it is too long."""
    if not lines:
        return None
    kept = [lines[0][:LONGEST]]
    for line in lines[1:]:
        if sum(map(len, kept)) + len(kept) + len(line) > LONGEST:
            break
        kept.append(line)
    return "\n".join(kept)
