"""The state of the floor in lines: what waits for a person stands first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from app.cli.answers import awaited
from app.cli.rendering import View, columns, in_force
from app.domain.entries import EVERYWHERE
from app.domain.tables import plain, short

OBSERVING: Final = "Only observing: nothing is denied."
ENFORCED: Final = 'With enforcement = "enforce" in the settings, what stands below would hold.'
HALF: Final = 0.5  # a counter is shown once it has come this share of the way to its threshold
COMMAND: Final = "floorboss {verb} {seq}"
FALLING: Final = frozenset({"success_rate"})  # rules that trip below their threshold


def overview(
    views: Sequence[View],
    waiting: Iterable[tuple[View, View]],
    because: Mapping[int, str] | None = None,
) -> Iterator[str]:
    """Agents that wait for an answer and proposals, then each scope with its mode, posture and the
    counters that are on their way.

    `because`: the summaries of the entries that are in force, by seq.
    """
    yield from awaited([each for view in views for each in view.get("escalations", ())], COMMAND)
    yield from _waiting(list(waiting), views)
    shown = [view for view in views if view["scope"] != EVERYWHERE or _matters(view)]
    if any(map(_observed, views)):
        yield OBSERVING
        yield from (ENFORCED,) if shown else ()
    if not shown:
        yield "No session was reported yet."
    for view in shown:
        yield from _scope(view, because or {})


def _waiting(pairs: list[tuple[View, View]], views: Sequence[View]) -> Iterator[str]:
    if not pairs:
        scopes = [str(view["scope"]) for view in views]
        whole = not scopes or EVERYWHERE in scopes  # else what concerns all sessions may wait
        where = "" if whole else f" in {plain(', '.join(scopes))}; `floorboss status` shows all"
        yield f"Nothing waits for a person{where}."
        return
    yield "Waits for a person:"
    rows = [
        (f"  {p['verb']} {p['seq']}", short(p["scope"]), entry["summary"]) for p, entry in pairs
    ]
    yield from columns(rows)


def _matters(view: View) -> bool:
    return bool(view["seqs"] or view["proposals"])


def _scope(view: View, because: Mapping[int, str]) -> Iterator[str]:
    name = "all sessions" if view["scope"] == EVERYWHERE else plain(view["scope"])
    over = " (ended)" if view["ended"] else ""
    by = f", by {_numbers(view['seqs'])}" if view["seqs"] else ""
    yield f"{name}{over}: {_held(view)}{by}"
    yield from _reasons(view["seqs"], because)
    for agent in view.get("agents_held", ()):
        held = _held({**agent, "enforcement": view.get("enforcement")})
        yield f"  {plain(agent['scope'])}: {held}, by {_numbers(agent['seqs'])}"
        yield from _reasons(agent["seqs"], because)
    yield from _for_a_while(view)
    if _observed(view):
        yield from _would_have(view)
    counted = view["interventions"]
    if counted["blocked"]:
        yield (
            f"  {counted['blocked']} of {counted['attempted']} attempts blocked, "
            f"{counted['blocked_then_blocked']} of a step blocked before{_escalated(counted)}"
        )
    if view["not_vouched_for"]:
        yield f"  {view['not_vouched_for']} calls of unknown effect let pass, not vouched for"
    if view.get("tests_closed_by"):
        seq = view["tests_closed_by"]
        yield f"  tests are closed by {seq}: floorboss show {seq}, floorboss revert {seq}"
    yield from used_up(view)
    if view["advisory"]:
        yield f"  advisory only, as you took them back twice: {', '.join(view['advisory'])}"
    for rule, signal in view["signals"].items():
        if _on_its_way(rule, signal):
            yield f"  {rule} {signal['value']:g}{_bound(signal)}"


def _escalated(counted: View) -> str:
    steps = counted.get("escalations", 0)
    return f", {steps} escalated" if steps else ""


def _observed(view: View) -> bool:
    return bool(view.get("enforcement") == "observe")


def _held(view: View) -> str:
    """What judges a scope's calls, or would."""
    if _observed(view):
        return f"would be held to {in_force({**view, 'enforcement': None})}"
    return in_force(view)


def _reasons(seqs: Iterable[int], because: Mapping[int, str]) -> Iterator[str]:
    """What each entry in force did, and why."""
    for seq in seqs:
        if seq in because:
            yield plain(f"  {seq} {because[seq]}")


def _numbers(seqs: Iterable[int]) -> str:
    return ", ".join(map(str, seqs))


def _would_have(view: View) -> Iterator[str]:
    """What enforcement would have stopped so far."""
    attempted, stopped = view["interventions"]["attempted"], view.get("only_observed", {})
    for verdict, words in (("deny", "denied"), ("ask", "put to you")):
        rules = stopped.get(verdict, {})
        if rules:
            each = ", ".join(plain(f"{count} by {rule}") for rule, count in rules.items())
            count = f"{sum(rules.values())} of {attempted} calls"
            yield f"  {count} would have been {words}: {each}"
    if attempted and not any(stopped.values()):
        yield f"  none of {attempted} calls would have been stopped"


def used_up(view: View) -> Iterator[str]:
    """The standing approvals that have no use left in this session."""
    for name, counted in view.get("standing", {}).items():
        if 0 < counted["of"] <= counted["used"]:
            of = counted["of"]
            yield f"  standing approval {name} is used up ({of} of {of}): a person decides now"


def _for_a_while(view: View) -> Iterator[str]:
    """What holds with a limit, and when it is over."""
    for held in view.get("restrictions", {}).values():
        limit = held.get("limit")
        if limit:
            yield f"  {held['seq']} holds {_end(limit)}, then ends by itself"


def _end(limit: View) -> str:
    if "calls" in limit:
        return f"for {limit['calls'] - limit['used']} more of {limit['calls']} calls"
    return plain(f"until {limit['until']}") if "until" in limit else "until the session ends"


def _bound(signal: View) -> str:
    """How far it is to the threshold, or that it was passed."""
    if signal["value"] <= signal["threshold"]:
        return f" of {signal['threshold']:g}"
    return f", past its threshold of {signal['threshold']:g}"


def _on_its_way(rule: str, signal: View) -> bool:
    value, threshold = signal["value"], signal["threshold"]  # None: unknown; the check is off
    if value is None or threshold is None or rule in FALLING:
        return False
    return bool(value >= threshold * HALF)
