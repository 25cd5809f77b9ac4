"""The doctor on Claude Code: what this version can do, and whether the hooks are as installed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from app.cli.claude import folder
from app.cli.facts import Facts, Layer, Version
from app.cli.findings import Finding, fail, ok, warn
from app.cli.switches import switches
from app.harness.claude_settings import (
    BLOCKS_SINCE,
    ROUTE,
    Found,
    hooks,
)

INSTALL: Final = "Run `floorboss install claude-code`."
OLDEST: Final[Version] = (2, 1, 197)  # the oldest version that was observed with these hooks
# What is known of Claude Code: since when, None: in no version.
CAPABILITIES: Final[tuple[tuple[str, Version | None], ...]] = (
    ("denials by floorboss are obeyed, in bypassPermissions too", OLDEST),
    ("failed edits and refused inputs are reported (PostToolBatch)", OLDEST),
    ("calls of subagents are reported", OLDEST),
    ("calls are blocked while no daemon answers (--fail-closed)", BLOCKS_SINCE),
    ("a session's start is posted to a URL (a command with curl tells it)", None),
    ("a person's no, or an interrupt, is reported", None),
    ("tokens and the use of the context are reported", None),
)
# Programs that keep hooks of their own: name, folder in the home folder, what follows from it.
UNWATCHED: Final = "its calls are not reported by these hooks"
TWICE: Final = "it may run Claude Code's hooks too, and report from there"
DO: Final = {
    UNWATCHED: "Let it report over HTTP (docs/routes.md), or run its session files with replay.",
    TWICE: "Look for doubled calls in `floorboss log`.",
}
OTHERS: Final = (
    ("Codex", ".codex", UNWATCHED),
    ("Gemini CLI", ".gemini", UNWATCHED),
    ("OpenCode", ".config/opencode", UNWATCHED),
    ("Cursor", ".cursor", TWICE),
    ("Copilot CLI", ".copilot", TWICE),
    ("Grok", ".grok", TWICE),
)


def claude(facts: Facts) -> Iterator[Finding]:
    """Everything about Claude Code; one line where it is not here at all."""
    hooked = facts.hooked
    if facts.client is None and not hooked.ours and not folder().exists():
        yield ok("claude", "Claude Code is not here")
        return
    yield version(facts)
    if facts.user.why:
        yield fail("hooks", f"{facts.user.path}: {facts.user.why}", "Repair the file.")
        return
    yield installed(facts)
    yield from secret(facts)
    yield from switches(facts.managed, (*facts.project, facts.user), facts.target)
    yield from foreign(facts)
    yield from others(Path.home())


def version(facts: Facts) -> Finding:
    """What this Claude Code can and cannot do."""
    if facts.client is None:
        return warn(
            "claude",
            "it is not on PATH, so its version is unknown",
            "Run this where it is.",
            *_table(None),
        )
    known = facts.client.version
    if known is None:
        do = f"Look what `{facts.client.path} --version` says."
        return warn("claude", "it does not tell its version", do, *_table(None))
    name = f"Claude Code {_dotted(known)} ({facts.client.path})"
    if facts.closed and known < BLOCKS_SINCE:
        do = f"Update Claude Code to {_dotted(BLOCKS_SINCE)} or newer."
        return fail("claude", f"{name} ignores onFailure: calls run", do, *_table(known))
    if known < OLDEST:
        do = f"Update it: nothing is known of versions before {_dotted(OLDEST)}."
        return warn("claude", name, do, *_table(known))
    return ok("claude", name, *_table(known))


def installed(facts: Facts) -> Finding:
    """Whether every hook is there, once, and as install would write it."""
    layer, wanted = facts.hooked, hooks(facts.target)
    if not layer.ours:
        return fail("hooks", f"{layer.path} has none of floorboss", INSTALL)
    counted = Counter(each.event for each in layer.ours)
    missing = [f"{event}: missing" for event in wanted if event not in counted]
    twice = [f"{event}: {count} times" for event, count in counted.items() if count > 1]
    changed = [
        f"{each.event}: {', '.join(names)} changed"
        for each in layer.ours
        if (names := _changed(layer, each, wanted.get(each.event, {})))
    ]
    if details := (*missing, *twice, *changed):
        return fail("hooks", f"not as installed in {layer.path}", INSTALL, *details)
    then = "blocked" if facts.closed else "not blocked"
    text = f"{len(wanted)} of {len(wanted)} in {layer.path}, as installed"
    return ok("hooks", f"{text}; while no daemon answers calls are {then}")


def secret(facts: Facts) -> Iterator[Finding]:
    """Whether the token in the file is for its owner only."""
    layer = facts.user
    if layer.ours and facts.target.token is not None and layer.mode & 0o077:
        text = f"{layer.path} holds a token and is open to others ({layer.mode:04o})"
        yield fail("mode", text, f"chmod 600 {layer.path}")


def foreign(facts: Facts) -> Iterator[Finding]:
    """Hooks that are not ours: how many, and whether one of them reports here as well."""
    for layer in (facts.managed, *facts.project, facts.user):
        handlers = [each for each in _handlers(layer.settings) if each not in _ours(layer)]
        address = facts.target.url + ROUTE
        if sum(address in (each.get("url"), *_words(each)) for each in handlers):
            text = f"{layer.path}: a hook by hand reports to {address} too"
            yield warn("others", text, "Take it out, or every event comes twice.")
        elif handlers:
            yield ok("others", f"{layer.path}: {len(handlers)} hooks of others, left alone")
        if layer in facts.project and layer.ours:
            text = f"{layer.path}: floorboss's hooks stand here as well"
            do = f"Run `floorboss uninstall claude-code --settings {layer.path}`."
            yield warn("others", text, do)


def others(home: Path) -> Iterator[Finding]:
    """Other programs that run agents here."""
    for name, place, follows in OTHERS:
        if (home / place).is_dir():
            yield warn("others", f"{name} was used here (~/{place}): {follows}", DO[follows])


def _changed(layer: Layer, each: Found, wanted: Mapping[str, Any]) -> list[str]:
    names = [*wanted, *(name for name in each.handler if name not in wanted)]
    changed = [name for name in names if each.handler.get(name) != wanted.get(name)]
    group = layer.settings["hooks"][each.event][each.path[2]]
    return [*changed, *(["matcher"] if group.get("matcher", "") not in ("", "*") else [])]


def _handlers(settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for groups in settings.get("hooks", {}).values():
        for group in groups:
            handlers = group.get("hooks") if isinstance(group, dict) else None
            found = handlers if isinstance(handlers, list) else []
            yield from (each for each in found if isinstance(each, dict))


def _ours(layer: Layer) -> list[Mapping[str, Any]]:
    return [each.handler for each in layer.ours]


def _words(handler: Mapping[str, Any]) -> list[str]:
    return str(handler.get("command", "")).split()


def _table(known: Version | None) -> Iterator[str]:
    for what, since in CAPABILITIES:
        if since is None:
            yield f"no   {what}"
        elif known is None:
            yield f"?    {what}: since {_dotted(since)}"
        else:
            yield f"{'yes' if known >= since else 'no':<4} {what}"


def _dotted(version: Version) -> str:
    return ".".join(map(str, version))
