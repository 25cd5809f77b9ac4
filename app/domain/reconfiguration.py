"""Other settings than those in force: what holds at once, and what waits for a person.

    compared(held, wanted)                  setting by setting, by strictness.py
    reconfigured(pending, wanted, actor)    at most one `configured` entry and one open proposal
    approved(book, proposal, actor, why)    what a yes puts in force

The log has no values: everything is taken. Else what is known to be no freer holds at once, and all
that remains is one proposal of the scope `*`. The newest `configured` entry always holds what is in
force, so the same file read again writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from app.domain.bodies import held_names
from app.domain.comparisons import CHECKS
from app.domain.configuration import Configuration
from app.domain.configured import (
    DECIDING,
    Settings,
    Values,
    configuration_of,
    settings_of,
    with_settings,
    without_empty,
)
from app.domain.crossing import holds_boundary
from app.domain.entries import EVERYWHERE, Draft
from app.domain.events import Json
from app.domain.expected_state import state_of
from app.domain.modes import Mode, definition, mode_of
from app.domain.narrowing import direction
from app.domain.replacing import replace
from app.domain.returns import end
from app.domain.state import Book, Proposal, in_force
from app.domain.strictness import WAYS, no_freer
from app.domain.transaction import Pending

LEADING = frozenset(check.target for check in CHECKS if check.target) | {"review"}
LED = LEADING - {"test_development"}  # what rules apply by themselves
CROSSING = frozenset({"implementation", "test_development"})  # what a standing approval moves


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One setting as it is and as it is wanted; None: there is none."""

    old: Json
    new: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Wanted settings beside those in force: what holds now, and what a person is asked for."""

    at_once: Mapping[str, Change]
    waiting: Mapping[str, Change]
    effective: Values  # in force from now on


def compared(held: Values, wanted: Values) -> Compared:
    """Split what is wanted. Where what holds at once would not hold together, all of it waits."""
    changes = changes_between(held, wanted)
    at_once = _led_no_less(held, _at_once(held, changes))
    effective = with_settings(_outside(held, wanted), _news(at_once))
    if faults(configuration_of(effective)):
        at_once, effective = {}, _outside(held, wanted)
    waiting = {setting: each for setting, each in changes.items() if setting not in at_once}
    return Compared(at_once=at_once, waiting=waiting, effective=effective)


def changes_between(held: Values, wanted: Values) -> dict[str, Change]:
    """The deciding settings that differ; a mode differs where its definition does."""
    olds, news = settings_of(held), settings_of(wanted)
    names = dict.fromkeys((*news, *olds))
    return {
        name: Change(old=olds.get(name), new=news.get(name))
        for name in names
        if _same(name, olds.get(name)) != _same(name, news.get(name))
    }


def _same(setting: str, value: Json) -> Json:
    """The value in the words of this version; a definition of an older one may lack fields."""
    table, _, name = setting.partition(".")
    return (
        definition(mode_of(name, value)) if table == "modes" and isinstance(value, dict) else value
    )


def _at_once(held: Values, changes: Mapping[str, Change]) -> dict[str, Change]:
    """What is no freer; the start mode is judged by the definitions that then hold."""
    chosen = {name: each for name, each in changes.items() if no_freer(name, each.old, each.new)}
    start = changes.get("start_mode")
    then = with_settings(held, _news(chosen))
    if start is not None and _starts_no_freer(held, then, str(start.new)):
        chosen["start_mode"] = start
    kept = str(with_settings(then, _news(chosen))["start_mode"])
    gone = (name for name, each in changes.items() if _removed(name, each, kept))
    return {**chosen, **{name: changes[name] for name in gone}}


def _starts_no_freer(held: Values, then: Values, name: str) -> bool:
    """A mode from which the test boundary is crossed is another thing than its verdicts alone."""
    table, before = then["modes"].get(name), str(held["start_mode"])
    if table is None or name in CROSSING:
        return False
    least = [before, *(["debug"] if before == "implementation" and _first_red(then) else ())]
    wanted = mode_of(name, table)
    held_modes = (mode_of(each, held["modes"][each]) for each in least)
    return all(direction(mode, wanted) != "loosen" for mode in held_modes)


def _first_red(values: Values) -> bool:
    """Whether one red run leads to debug: from implementation alone, so that to leave it is freer.

    A mode in which nothing more than in debug is let pass has nothing to lose by that.
    """
    limits = settings_of(values)
    apart = (limits.get(f"rules.{name}") for name, way in WAYS.items() if way == "apart")
    return any(isinstance(number, int | float) and 0 < number <= 1 for number in apart)


def _led_no_less(held: Values, at_once: Mapping[str, Change]) -> Mapping[str, Change]:
    """What holds at once; no mode among it where a rule would then tighten a session no more.

    A rule's mode is applied only where it narrows: one that takes a tool from implementation which
    plan still has, is stricter, and yet no rule leads from there to plan.
    """
    before, after = configuration_of(held), configuration_of(with_settings(held, _news(at_once)))
    if all(_led(before, after, target) for target in sorted(LED) if target in after.modes):
        return at_once
    return {
        name: each
        for name, each in at_once.items()
        if name != "start_mode" and not name.startswith("modes.")
    }


def _led(before: Configuration, after: Configuration, target: str) -> bool:
    """Whether each mode from which a rule led to `target` still is led there, or is as strict."""
    pairs = [(name, name) for name in before.modes if name in after.modes]
    old, new = before.modes, after.modes
    return all(
        direction(old[was], old[target]) == "loosen"
        or direction(new[now], new[target]) != "loosen"
        or direction(new[target], new[now]) != "loosen"
        for was, now in (*pairs, (before.start_mode, after.start_mode))
    )


def _removed(setting: str, change: Change, start_mode: str) -> bool:
    """A mode that is no more: who is in it keeps it, as an applied entry holds the whole of it."""
    table, _, name = setting.partition(".")
    return table == "modes" and change.new is None and name != start_mode


def _news(changes: Mapping[str, Change]) -> Settings:
    return {setting: change.new for setting, change in changes.items()}


def _outside(held: Values, wanted: Values) -> dict[str, Any]:
    """What is in force, with everything as it is wanted that decides nothing."""
    outside = {**wanted, "soft": {}}  # which a log from before soft rules does not have
    return without_empty({**outside, **{name: held[name] for name in DECIDING if name in held}})


def faults(configuration: Configuration) -> tuple[str, ...]:
    """Why a configuration as a whole cannot hold; nothing: it can."""
    return tuple(_faults(configuration.modes, configuration.start_mode))


def _faults(modes: Mapping[str, Mode], start_mode: str) -> Iterator[str]:
    if start_mode not in modes:
        yield f'start_mode: there is no mode "{start_mode}"'
    for name in sorted((LEADING | CROSSING).difference(modes)):
        yield f'there is no mode "{name}", to which a rule leads'
    broken = holds_boundary(modes)
    if broken is not None:
        yield f"{broken}; tests and implementation are never writable together"


def reconfigured(pending: Pending, wanted: Values, actor: str) -> Pending:
    """Everything that follows from the settings that a start, or a reload, has found."""
    known = pending.book.configured
    if known is None or known.values is None:
        return pending.append(configured(wanted, actor))
    split = compared(known.values, wanted)
    if split.at_once:
        was: dict[str, Json] = {setting: each.old for setting, each in split.at_once.items()}
        pending = pending.append(configured(split.effective, actor, was))
    held = pending.book.configuration(configuration_of(wanted))
    return _proposed(pending, split.waiting, actor, held)


def configured(values: Values, actor: str, was: Mapping[str, Json] | None = None) -> Draft:
    """The entry that holds the values in force; `was`: what the changed settings were before."""
    configuration = configuration_of(values)
    return Draft(
        kind="configured",
        scope=EVERYWHERE,
        action="configuration",
        actor=actor,
        body={
            "digest": configuration.digest,
            "profile": configuration.profile,
            "enforcement": configuration.enforcement,
            "values": dict(values),
            **({"was": dict(was)} if was else {}),
        },
    )


def _proposed(
    pending: Pending, waiting: Mapping[str, Change], actor: str, configuration: Configuration
) -> Pending:
    """The one proposal for what waits; an older one for something else is over."""
    everywhere, body = pending.book.everywhere, _body(waiting)
    asked = everywhere.asked
    if asked is not None and everywhere.settled.get(asked.seq) != "approved":
        if all(asked.body.get(key) == value for key, value in body.items()):
            return pending  # it waits, or a person said no to exactly this
        pending = pending.append(_over(pending, asked, configuration))
    return pending.append(_proposal(pending, body, actor)) if waiting else pending


def _body(waiting: Mapping[str, Change]) -> dict[str, Json]:
    return {
        "values": {setting: each.new for setting, each in waiting.items()},
        "was": {setting: each.old for setting, each in waiting.items()},
        "because": [{"rule": "configuration"}],
    }


def _proposal(pending: Pending, body: Mapping[str, Json], actor: str) -> Draft:
    return Draft(
        kind="proposed",
        scope=EVERYWHERE,
        action="configuration",
        actor=actor,
        direction="loosen",
        body={**body, "state": state_of(pending.book, EVERYWHERE)},
    )


def _over(pending: Pending, asked: Proposal, configuration: Configuration) -> Draft:
    held = held_names(in_force(pending.book, EVERYWHERE, configuration))
    why = "the settings ask for something else now"
    return end(EVERYWHERE, "configuration", asked.seq, why, held)


def approved(book: Book, proposal: Proposal, actor: str, why: str) -> Draft:
    """What a yes to a proposal of settings puts in force; its ref is the approved entry before."""
    held = None if book.configured is None else book.configured.values
    assert held is not None  # what waits was compared with them
    news, was = (cast("Settings", proposal.body[key]) for key in ("values", "was"))
    draft = configured(with_settings(held, news), actor, was)
    said: dict[str, Json] = {"why": why} if why else {}
    return replace(draft, direction="loosen", body={**draft.body, **said})
