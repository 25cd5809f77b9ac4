"""What a sweep tells: people in lines, programs in JSON, floorboss.toml in a fragment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.domain.events import Json
from app.domain.profiles import MEANINGS
from app.replay.fires import Fire, Identity, fire_json, fire_line
from app.replay.labels import Labels
from app.replay.report import many
from app.replay.sweep import Step, Sweep
from app.replay.tuning import Tuned


def tuned_json(tuned: Tuned) -> dict[str, Json]:
    """Everything, with every firing of every value."""
    tally, calls = tuned.base.tally, tuned.base.tally.totals.calls
    return {
        "files": tally.files,
        "sessions": len(tally.sessions),
        "calls": calls,
        "profile": tuned.base.configuration.profile,
        "digest": tuned.base.configuration.digest,
        "firings": [fire_json(fire) for fire in tuned.base.fires],
        "thresholds": [_sweep_json(sweep, calls, tuned.labels) for sweep in tuned.sweeps],
        **_unmatched_json(tuned),
    }


def _unmatched_json(tuned: Tuned) -> dict[str, Json]:
    return {} if tuned.labels is None else {"unmatched": tuned.labels.unmatched(tuned.fires)}


def _sweep_json(sweep: Sweep, calls: int, labels: Labels | None) -> dict[str, Json]:
    return {
        "threshold": sweep.threshold,
        "rule": sweep.rule,
        "meaning": MEANINGS[sweep.threshold].meaning,
        "now": sweep.now,
        "steps": [_step_json(step, sweep.rule, calls, labels) for step in sweep.steps],
    }


def _step_json(step: Step, rule: str, calls: int, labels: Labels | None) -> dict[str, Json]:
    own = step.difference.of(rule)
    others = [name for name in step.difference.rules if name != rule]
    return {
        "value": step.value,
        "firings": len(step.fires),
        "per_1000_calls": per_1000(step, calls),
        "appeared": [fire_json(fire) for fire in own.appeared],
        "vanished": [fire_json(fire) for fire in own.vanished],
        "elsewhere": {
            name: {"appeared": len(part.appeared), "vanished": len(part.vanished)}
            for name in others
            for part in (step.difference.of(name),)
        },
        **({} if labels is None else {"judged": _judged_json(labels, step.fires)}),
    }


def _judged_json(labels: Labels, fires: Iterable[Fire]) -> dict[str, Json]:
    said = labels.judged(fires)
    return {
        "right": said.right,
        "wrong": said.wrong,
        "unjudged": said.unjudged,
        "precision": said.precision,
    }


def per_1000(step: Step, calls: int) -> float:
    """Firings per 1,000 calls; 0 without a call."""
    return round(1000 * len(step.fires) / calls, 2) if calls else 0.0


def sweep_lines(sweep: Sweep, tuned: Tuned, shown: int) -> Iterator[str]:
    """One threshold: a line for each value, then the calls that a value adds or takes away.

    `shown` is how many calls of each are named; one that stands at a value nearer to now is not
    named again.
    """
    now = f"now {sweep.now:g}" if sweep.now else "now off"
    yield f"{sweep.threshold} ({now}): {MEANINGS[sweep.threshold].meaning}"
    for step in sweep.steps:
        yield _step_line(step, sweep, tuned)
    standing = next(step.fires for step in sweep.steps if step.value == sweep.now)
    yield from _listed("  fires now:", "=", standing, shown)
    told: set[tuple[str, Identity]] = set()
    for step in sorted(sweep.steps, key=lambda step: abs(step.value - sweep.now)):
        yield from _changes(step, sweep.rule, told, shown)


def _step_line(step: Step, sweep: Sweep, tuned: Tuned) -> str:
    own = step.difference.of(sweep.rule)
    mark = "*" if step.value == sweep.now else " "
    rate = per_1000(step, tuned.base.tally.totals.calls)
    firings = f"{many(len(step.fires), 'firing'):>12}  {rate:8.2f} per 1,000 calls"
    changes = f"  +{len(own.appeared)} -{len(own.vanished)}" if own.rules else ""
    others = [name for name in step.difference.rules if name != sweep.rule]
    elsewhere = f"  touches {', '.join(others)}" if others else ""
    return f"  {mark} {step.value:>8g} {firings}{changes}{elsewhere}{_judged(step, tuned.labels)}"


def _judged(step: Step, labels: Labels | None) -> str:
    if labels is None:
        return ""
    said = labels.judged(step.fires)
    if said.precision is None:
        return "  none judged"
    return f"  precision {said.precision:.0%} ({said.right} of {said.count} judged)"


def _changes(step: Step, rule: str, told: set[tuple[str, Identity]], shown: int) -> Iterator[str]:
    own = step.difference.of(rule)
    for mark, words, found in (
        ("+", "fires newly", own.appeared),
        ("-", "falls silent", own.vanished),
    ):
        fresh = [fire for fire in found if (mark, fire.identity) not in told]
        told |= {(mark, fire.identity) for fire in fresh}
        yield from _listed(f"  at {step.value:g} {words}:", mark, fresh, shown)


def _listed(head: str, mark: str, found: Iterable[Fire], shown: int) -> Iterator[str]:
    fires = list(found)
    if not fires or not shown:
        return
    yield head
    yield from (f"    {mark} {fire_line(fire)}" for fire in fires[:shown])
    if len(fires) > shown:
        yield f"    {mark} ... {len(fires) - shown:,} more; --json names all"


def closing_lines(tuned: Tuned) -> Iterator[str]:
    """What was read, and what stayed quiet."""
    tally = tuned.base.tally
    quiet = [sweep.threshold for sweep in tuned.sweeps if sweep.silent]
    if quiet:
        yield f"Nothing fires at any value tried of: {', '.join(quiet)}"
    files, sessions = many(tally.files, "file"), many(len(tally.sessions), "session")
    yield f"{files}, {sessions}, {many(tally.totals.calls, 'call')}"
    unmatched = 0 if tuned.labels is None else tuned.labels.unmatched(tuned.fires)
    if unmatched:
        named = many(unmatched, "verdict")
        yield f"{named} of yours about no firing: look at session, turn or seq, and rule"


def fragment(tuned: Tuned, chosen: Iterable[str]) -> str:
    """The swept thresholds for floorboss.toml: those `chosen` are set, the others are comments."""
    calls, picked = tuned.base.tally.totals.calls, frozenset(chosen)
    return "\n".join(
        (
            f"# Made by `floorboss tune` over {many(calls, 'call')}, for floorboss.toml.",
            "# A threshold behind a # is not set here; take the sign away to set it.",
            *_tables(tuned, calls, picked),
            "",
        )
    )


def _tables(tuned: Tuned, calls: int, picked: frozenset[str]) -> Iterator[str]:
    before = ""
    for sweep in tuned.sweeps:
        if sweep.rule != before:
            yield f"\n[rules.{sweep.rule}]"
            before = sweep.rule
        told = ", ".join(f"{step.value:g}: {_measured(step, calls, tuned)}" for step in sweep.steps)
        yield f"# firings per 1,000 calls at {told}"
        sign = "" if sweep.threshold in picked else "# "
        number = int(sweep.now) if sweep.now.is_integer() else sweep.now
        yield f"{sign}{sweep.threshold.partition('.')[2]} = {number}"


def _measured(step: Step, calls: int, tuned: Tuned) -> str:
    precision = None if tuned.labels is None else tuned.labels.judged(step.fires).precision
    rate = f"{per_1000(step, calls):g}"
    return rate if precision is None else f"{rate} (precision {precision:.0%})"
