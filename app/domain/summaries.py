"""One line per entry, for people: what happened, in plain words.

Built from enumerated words, numbers and quoted names only, so that a reader without a token may
see it: no argument, result or prompt text stands in a summary.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, assert_never

from app.domain.configured import settings_of
from app.domain.entries import Entry, agent_of
from app.domain.events import Json
from app.domain.limits import limit_of, worded
from app.domain.observations import part_of, text_of, whole_of
from app.domain.phrases import line
from app.domain.reasons import quoted

LISTS: Final = ("verdicts", "shell_denials", "write_paths", "lifted")  # of a policy

NAMED: Final[Mapping[str, str]] = MappingProxyType({"lifted": "lifted soft rules"})


def summary(entry: Entry) -> str:
    """The entry in one line of plain words."""
    body = entry.body
    match entry.kind:
        case "observed":
            return _observed(entry)
        case "decided":
            return _decided(entry)
        case "applied":
            return _applied(entry)
        case "proposed":
            return _proposed(entry)
        case "approved":
            return _approved(entry)
        case "dismissed":
            return f"proposal {entry.ref} dismissed{_why(entry)}"
        case "reverted":
            return f"{entry.ref} taken back{_by_standing(entry)}{_why(entry)}"
        case "ended":
            return f"{entry.ref} is over{_why(entry)}"
        case "refused":
            return _refused(entry)
        case "configured":
            return _configured(body)
        case "gap":
            return (
                f"{whole_of(body, 'count')} reports could not be logged between "
                f"{text_of(body, 'from')} and {text_of(body, 'to')}"
            )
        case _:
            assert_never(entry.kind)


def _configured(body: Mapping[str, Json]) -> str:
    profile, enforcement = text_of(body, "profile"), text_of(body, "enforcement")
    was = part_of(body, "was")
    held = settings_of(part_of(body, "values")) if was else {}
    changed = line(was, {setting: held.get(setting) for setting in was})
    return f"profile {profile}, {enforcement}{f': {changed}' if changed else ''}"


def _observed(entry: Entry) -> str:
    body = entry.body
    match entry.action:
        case "tool":
            code = whole_of(body, "exit_code")
            ended = f"{text_of(body, 'outcome') or 'unknown'}{f' ({code})' if code else ''}"
            return f"{quoted(text_of(body, 'tool') or '?')} {ended}{_test(entry)}"
        case "prompt":
            return "prompt by a person" if body.get("person") is not False else "prompt"
        case "turn":
            return "turn ended"
        case "compaction":
            return "context compacted"
        case "session":
            return _session(entry)
        case "artifact":
            lacks = "" if body.get("valid") is True else ", which does not count yet"
            return f"{text_of(body, 'handover') or 'artifact'} handed over{lacks}"
        case _:
            return str(entry.action)


def _session(entry: Entry) -> str:
    whose = "agent" if agent_of(entry.scope) else "session"
    match text_of(entry.body, "kind"):
        case "session_end":
            return f"{whose} ended"
        case "note":
            return quoted(text_of(part_of(entry.body, "arguments"), "hook") or "note")
        case _:
            return f"{whose} started"


def _test(entry: Entry) -> str:
    run = part_of(entry.body, "test")
    result = text_of(run, "result")
    return f", tests {result}" if result and result != "unknown" else ""


def _decided(entry: Entry) -> str:
    body = entry.body
    verdict, would, rule = (text_of(body, key) for key in ("verdict", "would", "rule"))
    tool = quoted(text_of(body, "tool") or "?")
    passed = "".join(map(_passed, _soft(body))) if verdict == "none" else ""
    if would:
        return f"{tool}: would be {would} by {rule}, but only observing"
    row = whole_of(body, "escalated")
    again = f", {row} times in a row" if row else ""
    ends = ", ends the turn" if "ends_turn" in body else ""
    return f"{tool}: {verdict} by {rule}{again}{ends}" if rule else f"{tool}: {verdict}{passed}"


def _soft(body: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """What the soft rules that were asked came to."""
    said = body.get("soft")
    return [each for each in said if isinstance(each, dict)] if isinstance(said, list) else []


def _passed(said: Mapping[str, Json]) -> str:
    """That a soft rule let a call through, and why."""
    rule, rate, induced = text_of(said, "rule"), said.get("rate"), said.get("induced")
    if said.get("lifted") is True:
        return f", soft rule {rule} is lifted"
    if isinstance(rate, int | float) and isinstance(induced, int | float):
        return f", let through by soft rule {rule} (rate {rate:g}, induced {induced:g})"
    return ""


def _applied(entry: Entry) -> str:
    if entry.action == "notice":
        wanted = next((f", {t} would fit" for t in _targets(entry)), "")
        return f"{text_of(entry.body, 'notice') or 'notice'}{wanted}"
    if entry.action == "compact":
        return text_of(entry.body, "notice") or "compact"
    if entry.action == "model":
        return f"model {quoted(text_of(entry.body, 'model') or '?')}{_reason(entry)}"
    older = whole_of(entry.body, "from")
    kept = f", kept from {older} as the session goes on under another id" if older else ""
    return f"{_change(entry)}{_while(entry)}{kept}{_reason(entry)}"


def _while(entry: Entry) -> str:
    limit = limit_of(entry.body.get("limit"))
    return f" {worded(limit)}" if limit else ""


def _targets(entry: Entry) -> list[str]:
    return [t for c in _causes(entry) if isinstance(c, dict) and (t := text_of(c, "target"))]


def _change(entry: Entry) -> str:
    if entry.action == "policy":
        return _policy_change(part_of(entry.body, "was"), part_of(entry.body, "policy"))
    return f"{text_of(entry.body, 'was')} -> {text_of(entry.body, 'mode')}"


def _policy_change(was: Mapping[str, Json], now: Mapping[str, Json]) -> str:
    """The step of the posture, and the names of the lists that change; their text is a person's."""
    step = f"posture {text_of(was, 'posture')} -> {text_of(now, 'posture')}"
    changed = [key for key in LISTS if now.get(key) != was.get(key)]
    parts = [NAMED.get(key, key.replace("_", " ")) for key in changed]
    if not parts:
        return step
    other = "" if was.get("posture") == now.get("posture") else f"{step}, "
    return f"{other}policy with other {' and '.join(parts)}"


def _reason(entry: Entry) -> str:
    details = [detail for cause in _causes(entry) if (detail := _detail(cause, entry.actor))]
    return f": {'; '.join(details)}" if details else ""


def _causes(entry: Entry) -> list[Json]:
    because = entry.body.get("because")
    return because if isinstance(because, list) else []


def _detail(cause: Json, actor: str) -> str:
    if not isinstance(cause, dict):
        return ""
    rule = text_of(cause, "rule") or ""
    if rule == "person":
        return "asked for by a harness" if actor.startswith("harness:") else "by a person"
    if rule.startswith("standing:"):
        return f"standing approval {rule.removeprefix('standing:')}"
    return text_of(cause, "detail") or rule


def _proposed(entry: Entry) -> str:
    if entry.action == "configuration":
        said = line(part_of(entry.body, "was"), part_of(entry.body, "values"))
        return f"settings that may free a call wait for a person: {said}"
    if entry.action == "compact":
        return f"proposed to compact the context{_reason(entry)}"
    if entry.action == "model":
        return f"proposed model {quoted(text_of(entry.body, 'model') or '?')}{_reason(entry)}"
    taken_back = whole_of(entry.body, "return")
    if taken_back is not None:
        return f"return {_change(entry)} waits for a person (takes back {taken_back})"
    return f"proposed {_change(entry)}{_while(entry)}{_reason(entry)}"


def _approved(entry: Entry) -> str:
    standing = text_of(entry.body, "standing")
    if standing:
        use, limit = whole_of(entry.body, "use"), whole_of(entry.body, "of")
        artifact = whole_of(entry.body, "artifact")
        who = quoted(entry.actor.partition(":")[2])
        handed = f", allowed by {who}, for what {artifact} handed over" if artifact else ""
        return f"standing approval {standing}, use {use} of {limit}{handed}"
    return f"proposal {entry.ref} approved{_why(entry)}"


def _by_standing(entry: Entry) -> str:
    standing = text_of(entry.body, "standing")
    return f": standing approval {standing}" if standing else ""


def _refused(entry: Entry) -> str:
    attempted, by = text_of(entry.body, "attempted"), text_of(entry.body, "by")
    count = whole_of(entry.body, "count")
    again = f", {count} more times" if count else ""
    return f"refused: {attempted} by {quoted(by or '?')} ({text_of(entry.body, 'why')}){again}"


def _why(entry: Entry) -> str:
    """Why, where the machine says so; a person's own words stay in the body."""
    why = text_of(entry.body, "why")
    return f": {why}" if why and entry.actor == "machine" else ""
