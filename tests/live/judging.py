"""What came of a script, and where that is something else than was expected."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from tests.live.cases import Case, Step
from tests.live.project import Files, differences

Entry = dict[str, Any]
QUIET: Final = frozenset({"observed", "decided", "configured"})  # what changes nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What came of a script: the log, what the agent was told, and the files.

    `at` holds the project's files as they were when each call had ended; `before` at the start.
    """

    log: list[Entry]
    told: list[str]
    before: Files
    after: Files
    at: dict[str, Files] = field(default_factory=dict)


def findings(case: Case, run: Run) -> list[str]:
    """Every difference between what came and what was expected, in plain words."""
    return [*_steps(case, run), *_files(case, run), *_log(case, run), *_words(case, run)]


def _steps(case: Case, run: Run) -> Iterator[str]:
    before = run.before
    for step in case.steps:
        ended = ending(step, run.log)
        if ended != step.then:
            yield f"{step.call_id} {told(step)}: {ended}, not {step.then}"
        after = run.at.get(step.call_id, before)
        changed = tuple(differences(before, after))
        if changed != step.changes:
            yield f"{step.call_id} {told(step)}: changed {changed}, not {step.changes}"
        before = after


def _files(case: Case, run: Run) -> Iterator[str]:
    changed = differences(run.before, run.after)
    for name in sorted({**changed, **case.after}):
        if name not in case.after or name not in changed or changed[name] != case.after[name]:
            yield f"{name} is {changed.get(name, 'as it was')!r} in the end"


def _log(case: Case, run: Run) -> Iterator[str]:
    lines = tuple(line(entry) for entry in run.log if _matters(entry))
    if lines != case.log:
        yield f"the log says {list(lines)}, not {list(case.log)}"


def _matters(entry: Entry) -> bool:
    return entry["kind"] not in QUIET or entry["action"] == "artifact"


def _words(case: Case, run: Run) -> Iterator[str]:
    for words in case.told:
        if not any(words in text for text in run.told):
            yield f"the agent was never told {words!r}"
    for words in case.untold:
        for text in run.told:
            if words in text:
                yield f"the agent was told {words!r}: {text!r}"


def told(step: Step) -> str:
    """A call in few words."""
    said = step.given.get("command") or step.given.get("file_path") or ""
    return f"{step.tool} {said}".replace("\n", "\\n")[:100]


def ending(step: Step, log: list[Entry]) -> str:
    """How a call ended, by the log: what was decided, and what was heard of it."""
    mine = [entry for entry in log if entry["body"].get("call_id") == step.call_id]
    decided = next((entry["body"] for entry in mine[::-1] if entry["kind"] == "decided"), None)
    outcome = next(
        (
            e["body"]["outcome"]
            for e in mine[::-1]
            if (e["kind"], e["action"]) == ("observed", "tool")
        ),
        "unheard",
    )
    if decided is None:
        return "invalid" if outcome == "error" else f"{outcome}, never asked about"
    if decided["verdict"] == "none":
        return {"ok": "ran", "error": "failed"}.get(outcome, outcome)
    said = {"deny": "denied", "ask": "asked"}[decided["verdict"]]
    ran = "" if outcome == "blocked" else f", but {outcome}"
    return f"{said} by {decided['rule']}{ran}"


def line(entry: Entry) -> str:
    """An entry in few words, without what differs from run to run."""
    body = entry["body"]
    parts = [entry["kind"], entry["action"]]
    if body.get("standing") and entry["kind"] == "approved":
        whose = entry["actor"].partition(":")[0]
        parts += [body["standing"], f"{body['use']} of {body['of']} by", whose]
    elif "handover" in body:
        parts += [body["handover"], "valid" if body["valid"] else "not valid"]
    elif "return" in body:
        parts += ["return"]
    elif body.get("mode"):
        parts += [body["mode"]]
    parts += [cause["rule"] for cause in body.get("because", ()) if "return" not in body]
    return " ".join(parts)
