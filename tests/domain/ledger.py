"""A second reading of the log, without the fold: what the entries alone say must hold.

    audit(entries)   every sentence about the log that is broken, in words; nothing: all hold

Written from the design's sentences over plain lists and none of the code it checks, so that the
two can disagree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from app.domain.entries import Entry
from app.domain.modes import MODES, Mode, ProfileName, mode_of
from app.domain.restrictions import Policy, policy_of
from tests.domain.narrowing_oracle import frees

CLOSING = ("approved", "dismissed", "applied", "reverted", "ended")
FIRST = ("mode", "policy")


def overrides(entries: Sequence[Entry]) -> dict[tuple[str, str], Entry]:
    """The newest applied entry of each scope and action that nothing took back or ended."""
    over = {entry.ref for entry in entries if entry.kind in ("reverted", "ended")}
    return {
        (entry.scope, entry.action): entry
        for entry in entries
        if entry.kind == "applied" and entry.seq not in over
    }


def waiting(entries: Sequence[Entry]) -> list[Entry]:
    """The proposals that nothing decided."""
    over = {entry.ref for entry in entries if entry.kind in CLOSING}
    return [entry for entry in entries if entry.kind == "proposed" and entry.seq not in over]


def audit(
    entries: Sequence[Entry],
    start: tuple[str, str] = ("implementation", "yolo"),
    profile: ProfileName = "default",
) -> list[str]:
    """What is broken, in words.

    `start`: mode and posture of a session without entries; `profile`: where that mode is defined.
    """
    return [
        *_places(entries),
        *_refs(entries),
        *_bodies(entries),
        *_loosened(entries),
        *_uncovered(entries, (MODES[profile][start[0]], policy_of({"posture": start[1]}))),
        *_ways_back(entries),
        *_wrong_ways(entries, dict(zip(FIRST, start, strict=True))),
        *_crowds(entries),
        *_uses(entries),
    ]


def _places(entries: Sequence[Entry]) -> Iterator[str]:
    if [entry.seq for entry in entries] != list(range(1, len(entries) + 1)):
        yield "seq is not contiguous"
    for entry in entries:
        if entry.ref is not None and not 0 < entry.ref < entry.seq:
            yield f"{entry.seq} refers to {entry.ref}"


def _refs(entries: Sequence[Entry]) -> Iterator[str]:
    by_seq = {entry.seq: entry for entry in entries}
    for entry in entries:
        target = by_seq.get(entry.ref or 0)
        if not _refers_well(entry, target):
            yield f"{entry.seq} {entry.kind} refers to {target and target.kind}"
        if target is not None and _repeats(entry) and _place(entry) != _place(target):
            yield f"{entry.seq} {entry.kind} stands elsewhere than {target.seq}"


SAID: dict[str, tuple[str, ...]] = {
    "decided": ("verdict", "mode", "posture"),
    "approved": ("in_force",),
    "dismissed": ("in_force",),
    "reverted": ("in_force",),
    "ended": ("why", "in_force"),
}


def _bodies(entries: Sequence[Entry]) -> Iterator[str]:
    """What each kind says, and a change the whole of its value, what was and why."""
    for entry in entries:
        wanted = SAID.get(entry.kind, ())
        if entry.kind in ("applied", "proposed") and entry.action in FIRST:
            whole = ("mode", "definition") if entry.action == "mode" else ("policy",)
            machine = entry.kind == "applied" and entry.actor == "machine"
            wanted = (*whole, "was", "because", *(("handoff", "configuration") if machine else ()))
        missing = [name for name in wanted if name not in entry.body]
        if missing:
            yield f"{entry.seq} {entry.kind} does not say {missing}"


def _refers_well(entry: Entry, target: Entry | None) -> bool:
    """Of an automatic entry the event, of its return the applied entry, of a decision the proposal,
    of a person's applied entry the approved one."""
    kind = None if target is None else target.kind
    crossing = entry.body.get("standing") == "boundary"
    match entry.kind:
        case "applied" if "void" in entry.body:
            return kind == "applied"
        case "applied" if entry.actor == "machine":
            return kind in ("observed", "decided")
        case "applied":
            return kind == ("approved" if entry.direction == "loosen" or crossing else "proposed")
        case "proposed" if "return" in entry.body:
            return kind == "applied" and entry.body["return"] == entry.ref
        case "proposed" if entry.actor == "machine":
            return kind in ("observed", "decided")
        case "approved":
            return kind == ("configured" if crossing else "proposed")
        case "dismissed":
            return kind == "proposed"
        case "reverted":
            return kind == "applied"
        case "ended":
            return kind in ("applied", "proposed")
        case _:
            return True


def _repeats(entry: Entry) -> bool:
    """Whether an entry stands in the scope and action of what it refers to."""
    crossing = entry.body.get("standing") == "boundary"
    return not crossing and (
        entry.kind in ("approved", "dismissed", "reverted", "ended")
        or (entry.kind == "applied" and entry.actor != "machine")
        or "return" in entry.body
    )


def _place(entry: Entry) -> tuple[str, str]:
    return entry.scope, entry.action


def value(entry: Entry) -> Mode | Policy:
    """What an applied or proposed entry puts in force."""
    body = entry.body
    if entry.action == "policy":
        policy = body["policy"]
        assert isinstance(policy, dict)
        return policy_of(policy)
    name, definition = body["mode"], body["definition"]
    assert isinstance(name, str)
    assert isinstance(definition, dict)
    return mode_of(name, definition)


def _loosened(entries: Sequence[Entry]) -> Iterator[str]:
    """Machine entries that free a call, judged against what their own scope had before."""
    for at, entry in enumerate(entries):
        if entry.actor == "machine" and entry.kind in ("applied", "ended"):
            before = overrides(entries[:at]).get(_place(entry))
            if entry.direction == "loosen":
                yield f"{entry.seq} says that it loosens"
            if entry.action not in FIRST or before is None:
                continue
            if entry.kind == "applied" and frees(value(before), value(entry)):
                yield f"{entry.seq} frees a call"


def _uncovered(entries: Sequence[Entry], start: tuple[Mode, Policy]) -> Iterator[str]:
    """Ends of applied entries that nobody limited, or that bring something freer back."""
    by_seq = {entry.seq: entry for entry in entries}
    for at, entry in enumerate(entries):
        over = by_seq.get(entry.ref or 0)
        if entry.kind != "ended" or over is None or over.kind != "applied":
            continue
        if over.action not in FIRST:
            continue
        if "limit" not in over.body:
            yield f"{entry.seq} ends what had no limit"
        if overrides(entries[:at])[_place(entry)].seq != over.seq:
            continue  # it was covered: nothing changes
        beneath = overrides(entries[: at + 1]).get(_place(entry))
        if frees(
            value(over), start[FIRST.index(over.action)] if beneath is None else value(beneath)
        ):
            yield f"{entry.seq} frees a call"


def _ways_back(entries: Sequence[Entry]) -> Iterator[str]:
    """Every machine tightening that is the newest of its place has exactly one way back."""
    opened = Counter(entry.body.get("return") for entry in waiting(entries))
    for (scope, action), entry in overrides(entries).items():
        if action not in FIRST or entry.actor != "machine":
            continue
        least = 0 if _over(entries, scope) or _declined(entries, entry) else 1
        most = 0 if _over(entries, scope) else 1
        if not least <= opened[entry.seq] <= most:
            yield f"{entry.seq} has {opened[entry.seq]} ways back"


def _wrong_ways(entries: Sequence[Entry], start: dict[str, str]) -> Iterator[str]:
    """Ways back that say another value than the one that would come back."""
    for back in waiting(entries):
        if "return" not in back.body:
            continue
        without = [entry for entry in entries if entry.seq != back.ref]
        beneath = overrides(without).get(_place(back))
        if _name(back) != (start[back.action] if beneath is None else _name(beneath)):
            yield f"{back.seq} leads elsewhere than it says"


def _name(entry: Entry) -> str:
    found = value(entry)
    return found.posture if isinstance(found, Policy) else found.name


def _over(entries: Sequence[Entry], scope: str) -> bool:
    """Whether a session ended, and nothing but bills, notes and ends of its agents came since."""
    session = scope.partition("/")[0]
    for entry in reversed(entries):
        if entry.session == session and entry.kind in ("observed", "decided"):
            if _of_the_session(entry):
                return entry.body.get("kind") == "session_end"
            if entry.action not in ("usage", "session", "artifact"):
                return False
    return False


def _of_the_session(entry: Entry) -> bool:
    """Whether an entry is a start or an end of a session itself, not of one of its agents."""
    return entry.scope == entry.session and entry.body.get("kind") in (
        "session_start",
        "session_end",
    )


def _declined(entries: Sequence[Entry], tightening: Entry) -> bool:
    """Whether a person dismissed a way back of this tightening since the session last began."""
    returns = {e.seq for e in entries if e.body.get("return") == tightening.seq}
    for entry in reversed(entries):
        if entry.kind == "dismissed" and entry.ref in returns:
            return True
        mine = entry.session == tightening.session and _of_the_session(entry)
        if mine and entry.body.get("kind") == "session_start":
            return False
    return False


def _uses(entries: Sequence[Entry]) -> Iterator[str]:
    """A standing approval answers only what the machine tightened by itself, within its count.

    Its entries are a person's; each follows the artifact of that mode, handed over since.
    """
    by_seq = {entry.seq: entry for entry in entries}
    counted: Counter[tuple[str, str]] = Counter()
    for entry in entries:
        artifact = by_seq.get(_number(entry, "artifact"))
        if entry.kind != "approved" or artifact is None:
            continue
        name, back = str(entry.body["standing"]), by_seq[entry.ref or 0]
        tightening = by_seq[back.ref or 0]
        counted[entry.session, name] += 1
        if entry.body["use"] != counted[entry.session, name]:
            yield f"{entry.seq} counts wrongly"
        if not entry.actor.startswith("human:") or counted[entry.session, name] > _number(
            entry, "of"
        ):
            yield f"{entry.seq} is a use that nobody allowed"
        if (tightening.actor, tightening.direction) != ("machine", "tighten"):
            yield f"{entry.seq} takes back what the machine did not do by itself"
        if entry.scope != tightening.scope or entry.scope == "*":
            yield f"{entry.seq} reaches beyond its scope"
        if artifact.seq < tightening.seq or artifact.body["valid"] is not True:
            yield f"{entry.seq} follows no artifact that counts"
        if artifact.body["handover"] != name or tightening.body["mode"] != LEFT[name]:
            yield f"{entry.seq} follows an artifact of another kind"


LEFT = {"diagnosis": "debug", "plan": "plan"}


def _number(entry: Entry, key: str) -> int:
    value = entry.body.get(key)
    return value if isinstance(value, int) else 0


def _crowds(entries: Sequence[Entry]) -> Iterator[str]:
    """At most eight open in a scope, and one of each value."""
    opened = waiting(entries)
    for scope, count in Counter(entry.scope for entry in opened).items():
        if count > 8:
            yield f"{count} proposals wait in {scope}"
    for what, count in Counter(
        (*_place(e), str(e.body.get("mode")), str(e.body.get("policy"))) for e in opened
    ).items():
        if count > 1:
            yield f"{count} proposals ask for {what}"
