"""Write the pages of docs/ that are made from tables in the code; tests compare them.

    .venv/bin/python docs/generate.py

One function a page; a page that is added stands in PAGES.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from app.api.application import routes
from app.api.reference import reference
from app.cli.reference import reference as cli_page
from app.domain.comparisons import CHECKS, Check, Response
from app.domain.modes import EFFECTS, MODE_NAMES, MODES, TOOL_CLASSES, Mode
from app.domain.narrowing import automatic
from app.domain.patterns import GUARDED_PATTERNS, TEST_PATTERNS
from app.domain.profiles import THRESHOLDS
from app.domain.restrictions import InForce

FOLDER = Path(__file__).parent
_EFFECTS = {
    "read": "only reads",
    "talk": "the agent's own bookkeeping",
    "test": "runs tests",
    "write": "writes paths that are known",
    "git_record": "git add, commit, branch, fetch, push, tag, stash list",
    "git_restore": "git checkout, restore, reset, stash, apply, merge, rebase, pull, clean",
    "unknown": "unknown, and nothing in it names a closed path",
    "unknown_closed": "unknown, and names a test or guarded path or runs code inline",
}
_RULINGS = {
    "none": "-",
    "ask": "ask",
    "deny": "deny",
    "scope_or_ask": "- if the paths are named and inside the scope, else ask",
    "scope_or_deny": "- if all are inside the scope, else deny",
}


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    columns = tuple(head)
    lines = (columns, tuple("---" for _ in columns), *map(tuple, rows))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def modes_page() -> str:
    """What each mode permits, in both profiles, and the patterns of tests and guarded paths."""
    modes = tuple(MODES["default"][name] for name in MODE_NAMES)
    permits = table(
        ("mode", "tool classes", "writes", "must hand over"),
        ((mode.name, _tools(mode), _words(mode.writes), _wanted(mode)) for mode in modes),
    )
    return "\n".join(
        (
            "# Modes",
            "",
            "Made from the tables in `app/domain/modes.py` and `app/domain/patterns.py` by "
            "`docs/generate.py`; do not edit by hand.",
            "",
            "Everything is readable in every mode. `-` is no answer: the harness's own rules "
            "decide. Guarded paths are never writable.",
            "",
            permits,
            "## Effects",
            "",
            _effects(MODES["default"]),
            "In the `strict` profile:",
            "",
            _effects(MODES["strict"], ("unknown", "unknown_closed")),
            "## Paths",
            "",
            "Patterns have the semantics of gitignore and are read from the project root.",
            "",
            f"Tests: {_marked(TEST_PATTERNS)}",
            "",
            f"Guarded: {_marked(GUARDED_PATTERNS)}, floorboss's own state folder, and as whole "
            "folders `.git` and the harnesses' own",
            "",
        )
    )


def _wanted(mode: Mode) -> str:
    parts = f", as text or as {', '.join(mode.output)}" if mode.output else ""
    return f"{mode.handoff}{parts}" if mode.handoff else "-"


def _effects(modes: Mapping[str, Mode], shown: Iterable[str] = EFFECTS) -> str:
    rows = (
        (_EFFECTS[effect], *(_RULINGS[modes[name].shell[effect]] for name in MODE_NAMES))
        for effect in EFFECTS
        if effect in shown
    )
    return table(("effect of a shell line or tool", *MODE_NAMES), rows)


def _tools(mode: Mode) -> str:
    return "all" if mode.tools == TOOL_CLASSES else _words(mode.tools)


def _words(words: Iterable[str]) -> str:
    return ", ".join(words) or "nothing"


def _marked(patterns: Iterable[str]) -> str:
    return ", ".join(f"`{pattern}`" for pattern in patterns)


def transitions_page() -> str:
    """What each check compares, what it leads to, and what a mode in force makes of that."""
    return "\n".join(
        (
            "# Transitions",
            "",
            "Made from the tables in `app/domain/comparisons.py`, `app/domain/profiles.py` and "
            "`app/domain/modes.py` by `docs/generate.py`; do not edit by hand.",
            "",
            "A change is automatic if and only if it narrows what its own scope has and makes a "
            "call stricter under all that is in force; nobody flags it. A threshold of 0 turns a "
            "check off. What fired stays quiet until it has not held for a while.",
            "",
            table(("rule", "trips at", "default", "strict", "leads to"), map(_check, CHECKS)),
            "With `review.to_mode` a green turn asks for the mode review. One red run, where the "
            "threshold is 1, counts in implementation only.",
            "",
            "## A mode in force, a mode asked for",
            "",
            _changes(),
            "Where denials find that plan narrows nothing, the posture goes the first step down "
            "the ladder that makes a call stricter.",
            "",
        )
    )


_RESPONSES: Mapping[Response, str] = {
    "mode": "mode {target}",
    "notice": "a notice",
    "compact": "the signal `compact`",
    "looser_posture": "a proposal: posture one step looser, never above the ceiling",
    "proposal": "a proposal: mode {target}",
}


def _check(check: Check) -> tuple[str, ...]:
    numbers = (f"{THRESHOLDS[profile][check.threshold]:g}" for profile in ("default", "strict"))
    leads = _RESPONSES[check.response].format(target=check.target)
    return (check.rule, check.detail.format(n="N"), *numbers, leads)


def _changes() -> str:
    modes = MODES["default"]
    targets = dict.fromkeys((*(c.target for c in CHECKS if c.response == "mode"), "review"))
    rows = (
        (mode, *(_change(modes[mode], modes[target]) for target in targets if target))
        for mode in MODE_NAMES
    )
    return table(("in force", *(f"{target} asked for" for target in targets)), rows)


def _change(own: Mode, target: Mode) -> str:
    before, after = InForce(modes=(own,)), InForce(modes=(target,))
    return f"{target.name}" if automatic(own, target, before, after) else "a notice"


PAGES: Mapping[str, Callable[[], str]] = {
    "cli.md": cli_page,
    "modes.md": modes_page,
    "routes.md": lambda: reference(routes().openapi()),
    "transitions.md": transitions_page,
}


if __name__ == "__main__":
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")
