"""Patterns: gitignore semantics without negation, and the two lists the product ships."""

from __future__ import annotations

import pytest

from app.domain.patterns import GUARDED_PATTERNS, TEST_PATTERNS, matches, refusal, zone_inside

ZONES = {
    "test": [
        "tests", "tests/", "tests/a.py", "pkg/tests/deep/a.py", "test/a", "__tests__/x.ts",
        "spec/a.rb", "testdata/x", "a/fixtures/x.json", "snapshots/x", "src/test/java/A.java",
        "test_a.py", "pkg/test_a.py", "a_test.go", "a.test.ts", "a.spec.tsx", "conftest.py",
        "pkg/conftest.py", "pytest.ini", "tox.ini", "jest.config.js", "vitest.config.ts",
        "phpunit.xml", ".rspec",
    ],
    "guarded": [
        ".git/config", ".git/hooks/pre-commit", ".git/info/exclude", "sub/.git/config",
        ".claude/settings.json", ".claude/settings.local.json", ".claude/hooks/x.sh",
        "home/u/.claude/settings.json", ".claude.json", ".codex/config.toml", ".codex/hooks.json",
        ".cursor/hooks.json", ".gemini/settings.json", ".github/hooks/x.json", "opencode.json",
        ".opencode/plugin/x.ts", "floorboss.toml", "tests/.claude/settings.json",
        ".config/systemd/user/floorboss.service", "etc/systemd/system/floorboss.user.service",
        "etc/systemd/system/floorboss.service.d/10.conf", ".git/config.worktree",
        ".git/modules/a/b/config", ".git/modules/a/hooks/post-commit",
    ],
    "project": [
        "src/a.py", "contest.py", "latest/a", "testing.md", "attest.py", "src/tests.py", "test.py",
        ".claude/plans/a.md", ".claude/commands/x.md", ".claude/memory/x.md", ".gitignore",
        ".github/workflows/ci.yml", "deploy/floorboss.service", ".git/modules/a/index",
        "src/%2e%2e/a", "specification/a", ".codex/prompts/x.md",
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "zone"), [(path, zone) for zone, paths in ZONES.items() for path in paths]
)
def test_a_path_inside_the_root_has_one_zone(path: str, zone: str) -> None:
    assert zone_inside(path) == zone


@pytest.mark.parametrize("pattern", [*TEST_PATTERNS, *GUARDED_PATTERNS])
def test_every_pattern_alone_decides_some_path(pattern: str) -> None:
    assert any(matches([pattern], path) for paths in ZONES.values() for path in paths) or any(
        matches([pattern], path)
        for path in (
            "a/.codex/hooks/x", "a/.codex/rules/x", "a/.cursor/hooks/x",
            "a/.cursor/cli-config.json", "a/.gemini/hooks/x", "a/.gemini/policies/x",
            "a/.copilot/config.json", "a/.copilot/hooks/x", "opencode.jsonc", ".opencode/plugins/x",
            ".pytest.ini", "a/pytest.toml", "a/.pytest.toml",
        )
    )  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("/src/", "src/a/b.py", True),
        ("/src/", "srcfoo/x", False),
        ("/src/", "src.bak/x", False),
        ("/src/", "xsrc/src/x", False),
        ("src/", "xsrc/src/x", True),
        ("src/**", "src/a/b", True),
        ("src/**", "x/src/a", False),
        ("*.md", "docs/deep/a.md", True),
        ("docs/*.md", "docs/deep/a.md", False),
        ("a?.py", "ab.py", True),
        ("a?.py", "a/.py", False),
    ],
)
def test_patterns_have_gitignore_semantics(pattern: str, path: str, expected: bool) -> None:
    assert matches([pattern], path) is expected


@pytest.mark.parametrize(
    "pattern", ["!src/", "", "/", " src/", "src/ ", "#a", "a[bc]", "a\\ b", "a\nb", "a\u202eb"]
)
def test_a_pattern_that_cannot_be_compared_is_refused(pattern: str) -> None:
    assert refusal(pattern) is not None


@pytest.mark.parametrize("pattern", ["src/", "/src/**", "*.md", "a?b", "**/x/"])
def test_an_ordinary_pattern_is_taken(pattern: str) -> None:
    assert refusal(pattern) is None
