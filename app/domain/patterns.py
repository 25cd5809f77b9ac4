"""Path patterns with gitignore semantics, and the two lists the product ships (docs/design.md 4).

Patterns name paths relative to the project root, with `/` between segments: names, `*`, `**`, `?`.
There is no negation: a list that can only grow or shrink can be compared, and `!` breaks that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pathspec import PathSpec
from pathspec.pattern import Pattern

from app.domain.calls import Zone

TEST_PATTERNS: tuple[str, ...] = (
    "tests/",
    "test/",
    "__tests__/",
    "spec/",
    "testdata/",
    "fixtures/",
    "snapshots/",
    "src/test/",
    "test_*.*",
    "*_test.*",
    "*.test.*",
    "*.spec.*",
    "conftest.py",
    "pytest.ini",
    ".pytest.ini",
    "pytest.toml",
    ".pytest.toml",
    "tox.ini",
    "jest.config.*",
    "vitest.config.*",
    "phpunit.xml",
    ".rspec",
)
GUARDED_PATTERNS: tuple[str, ...] = (
    "**/.claude/settings*.json",
    "**/.claude/hooks/",
    ".claude.json",
    "**/.codex/config.toml",
    "**/.codex/hooks.json",
    "**/.codex/hooks/",
    "**/.codex/rules/",
    "**/.cursor/hooks.json",
    "**/.cursor/hooks/",
    "**/.cursor/cli*.json",
    "**/.gemini/settings.json",
    "**/.gemini/hooks/",
    "**/.gemini/policies/",
    "**/.github/hooks/",
    "**/.copilot/config.json",
    "**/.copilot/hooks/",
    "opencode.json",
    "opencode.jsonc",
    "**/.opencode/plugin/",
    "**/.opencode/plugins/",
    "floorboss.toml",
    "**/.git/config",
    "**/.git/hooks/",
    "**/.git/info/",
    "**/.git/config.worktree",
    "**/.git/modules/**/config",
    "**/.git/modules/**/hooks/",
    "**/systemd/**/floorboss*.service",
    "**/systemd/**/floorboss*.service.d/",
)


def refusal(pattern: str) -> str | None:
    """Why a pattern cannot be used, or None where it can."""
    if not pattern.strip("/ ") or pattern != pattern.strip():
        return "a pattern names something and has no blanks around it"
    if pattern.startswith("!"):
        return "patterns have no negation"
    if (
        pattern.startswith("#")
        or any(sign in pattern for sign in "[]\\")
        or not pattern.isprintable()
    ):
        return "a pattern holds names, *, ** and ? only"
    return None


@lru_cache(maxsize=256)
def _compiled(patterns: tuple[str, ...]) -> PathSpec[Pattern]:
    return PathSpec.from_lines("gitignore", patterns)


def matches(patterns: Sequence[str], path: str) -> bool:
    """Whether one of the patterns matches this relative path, or a folder above it."""
    return _compiled(tuple(patterns)).match_file(path)


def names(patterns: Sequence[str], path: str) -> bool:
    """As `matches`, and also where the path itself is a folder that a pattern names (`tests`)."""
    return matches(patterns, path) or matches(patterns, path.rstrip("/") + "/")


def zone_inside(path: str) -> Zone:
    """The zone of a path relative to the project root and inside it: guarded, test or project."""
    if names(GUARDED_PATTERNS, path):
        return "guarded"
    return "test" if names(TEST_PATTERNS, path) else "project"
