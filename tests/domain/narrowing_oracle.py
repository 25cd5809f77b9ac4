"""A second judge of narrowing, from the design's sentences and without the first one's code.

It knows nothing of probes or of `decide`: it compares what each value says about a kind of call.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from app.domain.calls import Effect, ToolClass, Zone
from app.domain.modes import Mode
from app.domain.restrictions import Policy

STRICTNESS = {"none": 0, "ask": 1, "deny": 2}
# What a posture says to a call that is known to change something, and to one nobody vouches for.
KNOWN = {"yolo": 0, "auto": 0, "ask": 1, "read-only": 2}
UNVOUCHED = {"yolo": 0, "auto": 1, "ask": 1, "read-only": 2}
EFFECTS: tuple[Effect, ...] = (
    "read", "talk", "test", "write", "git_record", "git_restore", "unknown", "unknown_closed",
)  # fmt: skip
ZONES: tuple[Zone, ...] = ("project", "test", "given", "temporary", "outside")
CLASSES: tuple[ToolClass, ...] = (
    "read", "search", "edit", "write", "shell", "test", "web", "subagent", "talk", "mcp", "other",
)  # fmt: skip


def frees(current: Mode | Policy, change: Mode | Policy) -> bool:
    """Whether some call is freer under the change."""
    if isinstance(current, Mode) and isinstance(change, Mode):
        return _mode_frees(current, change)
    assert isinstance(current, Policy)
    assert isinstance(change, Policy)
    return _policy_frees(current, change)


def may_narrow(current: Mode | Policy, change: Mode | Policy) -> bool:
    """Whether a machine may make the change."""
    if isinstance(current, Policy) and isinstance(change, Policy) and _adds(current, change):
        return False
    return not frees(current, change)


def _adds(current: Policy, change: Policy) -> bool:
    if change.write_paths is None:
        return current.write_paths is not None
    return not set(change.write_paths) <= set(current.write_paths or ())


def _mode_frees(current: Mode, change: Mode) -> bool:
    return any(
        _said(change, kind, effect, zone) < _said(current, kind, effect, zone)
        for kind in CLASSES
        for effect in EFFECTS
        for zone in (None, *ZONES)
    )


def _said(mode: Mode, kind: ToolClass, effect: Effect, zone: Zone | None) -> int:
    if kind not in ("mcp", "other") and kind not in mode.tools:
        return 2
    ruling = mode.shell.get(effect, "deny")
    if ruling.startswith("scope_or_"):
        inside = effect in ("write", "git_restore") and zone in mode.writes
        return 0 if inside else STRICTNESS[ruling.removeprefix("scope_or_")]
    return STRICTNESS[ruling]


def _policy_frees(current: Policy, change: Policy) -> bool:
    tools = {*current.verdicts, *change.verdicts}
    return (
        KNOWN[change.posture] < KNOWN[current.posture]
        or _unvouched(change) < _unvouched(current)
        or any(_tool(change, tool) < _tool(current, tool) for tool in tools)
        or any(not _denies(change, denial) for denial in current.shell_denials)
        or (change.posture != "read-only" and _opens(current, change))
    )


def _unvouched(policy: Policy) -> int:
    """Write paths put to a person what may write anywhere."""
    return max(UNVOUCHED[policy.posture], 0 if policy.write_paths is None else 1)


def _tool(policy: Policy, tool: str) -> int:
    return STRICTNESS[policy.verdicts.get(tool, "none")]


def _denies(policy: Policy, command: str) -> bool:
    words = command.split()
    return any(words[: len(d.split())] == d.split() for d in policy.shell_denials)


def _opens(current: Policy, change: Policy) -> bool:
    """Whether a path may be written that was closed; for folders and names without wildcards."""
    if current.write_paths is None:
        return False
    if change.write_paths is None:
        return True
    return any(not _covered(path, current.write_paths) for path in change.write_paths)


def _covered(pattern: str, others: tuple[str, ...]) -> bool:
    """Whether an anchored folder lies within one of the others."""
    folder = PurePosixPath(pattern)
    return any(folder.is_relative_to(PurePosixPath(other)) for other in others)
