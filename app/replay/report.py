"""A replay's report, for people as lines and for programs as JSON.

The JSON of a file has the keys of the seed prototype with their meaning (`log total_turns
final_mode counters transitions`, of a transition `turn from to reason automatic`) and more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from app.domain.entries import session_of
from app.domain.events import Json
from app.replay.tally import FileReport, Numbers, Tally
from app.replay.transitions import Transition
from app.replay.verdicts import stopped_json, stopped_line

if TYPE_CHECKING:
    from app.replay.post import Waiting  # what speaks HTTP is loaded by who posts

NAMED: Final = 10  # proposals that the line of what waits names


def as_json(reports: Sequence[FileReport], tally: Tally) -> dict[str, Json]:
    """Everything; with one file its own keys stand at the top as well."""
    files: list[Json] = [file_json(report) for report in reports]
    whole: dict[str, Json] = {"files": files, "totals": totals_json(tally)}
    return {**file_json(reports[0]), **whole} if len(reports) == 1 else whole


def waiting_json(waiting: Iterable[Waiting]) -> list[Json]:
    """What waits for a person in the daemon that was posted to."""
    return [{"seq": each.seq, "verb": each.verb, "scope": each.scope} for each in waiting]


def waiting_line(waiting: Sequence[Waiting]) -> str:
    """How many proposals wait, and what to type for a yes to each."""
    if not waiting:
        return "Nothing waits for a person."
    count = f"{len(waiting):,} {'waits' if len(waiting) == 1 else 'wait'}"
    named = ", ".join(f"{each.verb} {each.seq}" for each in waiting[:NAMED])
    more = ", ...; `floorboss status` names all" if len(waiting) > NAMED else ""
    return f"{count}: {named}{more}"


def file_json(report: FileReport) -> dict[str, Json]:
    """One file."""
    return {
        "log": report.log,
        "format": report.format or None,
        "total_turns": report.numbers.calls,
        "final_mode": report.final_mode,
        "counters": {**report.counters},
        "interventions": report.interventions,
        "transitions": [transition_json(found) for found in report.transitions],
        "stopped": [stopped_json(found) for found in report.stopped],
        "sessions": [*report.sessions],
        **_numbers_json(report.numbers),
        "faults": [*report.faults],
        "refusals": [*report.refusals],
    }


def transition_json(found: Transition) -> dict[str, Json]:
    """One transition."""
    return {
        "turn": found.turn,
        "from": found.before,
        "to": found.after,
        "reason": found.reason,
        "automatic": found.how == "automatic",
        "how": found.how,
        "action": found.action,
        "scope": found.scope,
        "rule": found.rule,
        "value": found.value,
        "threshold": found.threshold,
        "wanted": found.wanted,
        "calls": [*found.calls],
        "line": found.line,
    }


def totals_json(tally: Tally) -> dict[str, Json]:
    """All files together."""
    numbers = tally.totals
    return {
        "files": tally.files,
        "formats": _counted(_named(tally)),
        "sessions": len(tally.sessions),
        "calls": numbers.calls,
        "interventions": tally.interventions(tally.sessions),
        **_numbers_json(numbers),
        "firings_per_100_calls": _rate(numbers.firings.total(), numbers),
        "firings_per_100_calls_by_rule": _rates(numbers.firings, numbers),
        "stopped_per_100_calls": _rate(numbers.stopped.total(), numbers),
        "stopped_per_100_calls_by_rule": _rates(numbers.stopped, numbers),
    }


def _numbers_json(numbers: Numbers) -> dict[str, Json]:
    return {
        "outcomes": _counted(numbers.outcomes),
        "verdicts": _counted(numbers.verdicts),
        "stopped_by_verdict": _counted(numbers.stopping),
        "stopped_by_rule": _counted(numbers.stopped),
        "firings": _counted(numbers.firings),
        "applied": _counted(numbers.applied),
        "standing": numbers.standing,
        "proposals": _counted(numbers.proposals),
        "notices": _counted(numbers.notices),
        "duplicates": numbers.duplicates,
        "refused": _counted(numbers.refused),
        "lines": numbers.lines,
        "unknown": _counted(numbers.unknown),
        "unreadable": numbers.unreadable,
    }


def _named(tally: Tally) -> Counter[str]:
    """How many files have each format; `none`: no session log that is read here."""
    return Counter({name or "none": count for name, count in tally.formats.items()})


def _counted(counter: Counter[str]) -> dict[str, Json]:
    return {name: count for name, count in counter.most_common() if count}


def _rate(count: int, numbers: Numbers) -> float:
    return round(100 * count / numbers.calls, 2) if numbers.calls else 0.0


def _rates(counter: Counter[str], numbers: Numbers) -> dict[str, Json]:
    return {name: _rate(count, numbers) for name, count in counter.most_common()}


def file_lines(report: FileReport) -> Iterator[str]:
    """One file: how much was in it and how it ends, then a line for each transition."""
    yield f"{plain(report.log)}{_content(report)}{_end(report)}"
    several = len(report.sessions) > 1
    for found in report.transitions:
        yield f"  {transition_line(found, several=several)}"
    for call in report.stopped:
        yield f"  {plain(stopped_line(call, several=several))}"
    for why in report.refusals:
        yield f"  left out: {plain(why)}"


def _content(report: FileReport) -> str:
    """What wrote a file, and how many calls it tells of."""
    if not report.format:
        return ": no session log that is read here" if report.numbers.lines else ": empty"
    return f" ({report.format}): {many(report.numbers.calls, 'call')}"


def _end(report: FileReport) -> str:
    """The mode and the counters at the end of a file's last session."""
    if not report.numbers.calls:
        return ""
    at = report.counters
    mode = f"ends in {report.final_mode}, " if report.final_mode else ""  # a daemon knew it all
    return (
        f"; {mode}success rate {at['success_rate']:.0%}, denial rate "
        f"{at['denial_rate']:.0%}, timeouts {at['timeout_count']:g}, context "
        f"{at['scope_utilization']:.0%}"
    )


def transition_line(found: Transition, *, several: bool = False) -> str:
    """One transition; where there are `several` sessions, with its own."""
    named = several or found.scope != session_of(found.scope)
    where = f"turn {found.turn}{f' of {plain(found.scope)}' if named else ''}"
    change = f"{found.before} -> {found.after}" if found.before != found.after else found.before
    numbers = ", ".join(map(str, found.calls))
    calls = f" (turn{'s' if len(found.calls) > 1 else ''} {numbers})" if numbers else ""
    return f"{where}  {change}  {found.how}  {found.rule or '-'}: {found.reason}{calls}"


def totals_lines(tally: Tally) -> Iterator[str]:
    """All files together, in a few lines."""
    numbers = tally.totals
    files, sessions = many(tally.files, "file"), many(len(tally.sessions), "session")
    yield f"{files}, {sessions}, {many(numbers.calls, 'call')}{_listed(numbers.outcomes)}"
    if len(tally.formats) > 1:
        yield f"{len(tally.formats)} formats{_listed(_named(tally))}"
    firings = many(numbers.firings.total(), "firing")
    rate = f" ({_rate(numbers.firings.total(), numbers):g} per 100 calls)"
    yield f"{firings}{rate}{_listed(numbers.firings)}"
    if numbers.firings:
        rates = {name: _rate(count, numbers) for name, count in numbers.firings.most_common()}
        each = ", ".join(f"{plain(name)} {found:g}" for name, found in rates.items())
        yield f"per 100 calls: {each}"
    yield f"{many(numbers.applied.total(), 'change')} applied{_listed(numbers.applied)}"
    yield f"{many(numbers.proposals.total(), 'proposal')}{_listed(numbers.proposals)}"
    yield f"{many(numbers.notices.total(), 'notice')}{_listed(numbers.notices)}"
    yield from _blocked(tally)
    yield from _rarer(numbers)


def _blocked(tally: Tally) -> Iterator[str]:
    """What interventions came to, where there were any."""
    counted = tally.interventions(tally.sessions)
    if counted is not None and counted["blocked"]:
        yield (
            f"{counted['blocked']} of {counted['attempted']} attempts blocked ({counted['rate']}): "
            f"{counted['blocked_then_blocked']} of a step blocked before, "
            f"{counted['steps_after_first_terminal_block']} calls after the first of those, "
            f"{counted['escalations']} escalated"
        )


def _rarer(numbers: Numbers) -> Iterator[str]:
    """What most runs have none of."""
    if numbers.verdicts:
        yield f"{many(numbers.verdicts.total(), 'verdict')}{_listed(numbers.verdicts)}"
        calls, rate = many(numbers.stopped.total(), "call"), _rate(numbers.stopped.total(), numbers)
        would = f"{calls} would be denied or asked about ({rate:g} per 100 calls)"
        yield f"{would}{_listed(numbers.stopped)}"
    if numbers.standing:
        yield f"{many(numbers.standing, 'change')} by a standing approval"
    if numbers.duplicates:
        yield f"{many(numbers.duplicates, 'event')} known already, counted once"
    if numbers.refused:
        yield f"{many(numbers.refused.total(), 'event')} left out{_listed(numbers.refused)}"
    if numbers.unknown:
        kinds = _listed(numbers.unknown)
        yield f"{many(numbers.unknown.total(), 'line')} of unknown type{kinds}"
    if numbers.unreadable:
        yield f"{many(numbers.unreadable, 'line')} unreadable of {numbers.lines:,}"


def many(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _listed(counter: Mapping[str, int]) -> str:
    ordered = sorted(counter.items(), key=lambda item: (-item[1], item[0]))
    words: Iterable[str] = (f"{plain(name)} {count:,}" for name, count in ordered if count)
    text = ", ".join(words)
    return f": {text}" if text else ""


def plain(text: str) -> str:
    """A name from a file, without anything that a terminal would obey."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)
