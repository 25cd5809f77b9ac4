"""Effects of shell lines, and a case for every line of the tables of first words."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from app.classification.commands import RULES, Rule
from app.classification.paths import Place
from app.classification.shell import split
from app.classification.shellcode.lines import LONGEST, commands_of, line_effects

READ = json.loads(
    (Path(__file__).parents[1] / "cases" / "commands.json").read_text(encoding="utf-8")
)
CASES = [pytest.param(case, id=case["name"]) for case in READ]
PLACE = Place(root="/srv/project", cwd="/srv/project")
MEMBERS = [shlex.join(member.words) for case in READ for member in split(case["when"])]


@pytest.mark.parametrize("case", CASES)
def test_a_line_has_the_effects_of_its_parts(case: dict[str, Any]) -> None:
    found = line_effects(case["when"], PLACE)
    home = str(Path.home())
    assert {
        "effects": list(found.effects),
        "targets": [[target.path.replace(home, "~"), target.zone] for target in found.targets],
        "part": found.part,
    } == {"targets": [], "part": None, **case["then"]}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.starts.pattern[:40])
def test_every_line_of_the_table_has_a_case_for_and_one_against(rule: Rule) -> None:
    begins = [text for text in MEMBERS for start in _starts(text) if rule.starts.match(start)]
    assert begins
    if rule.never is not None:
        assert any(rule.never.search(text) for text in begins)
        assert not all(rule.never.search(text) for text in begins)


def _starts(text: str) -> tuple[str, ...]:
    """A command, and the same one behind git's options."""
    return text, re.sub(r"^git (?:--no-pager|-C \S+) ", "git ", text)


def test_a_very_long_line_is_not_looked_at() -> None:
    found = line_effects("true && " * LONGEST + "rm tests/a.py", PLACE)
    assert found.effects == ("unknown_closed",)


def test_a_long_chain_hides_nothing() -> None:
    found = line_effects("true && " * 60 + "rm tests/a.py", PLACE)
    assert found.effects == ("read", "write")
    assert [target.zone for target in found.targets] == ["test"]


def test_a_chain_beyond_what_is_looked_at_is_not_vouched_for() -> None:
    found = line_effects("true && " * 400 + "rm tests/a.py", PLACE)
    assert "unknown_closed" in found.effects


def test_cd_is_followed_only_so_far() -> None:
    line = "; ".join(f"cd d{n}" for n in range(20)) + "; rm a"
    assert "unknown_closed" in line_effects(line, PLACE).effects


def test_a_line_with_very_many_names_is_not_vouched_for() -> None:
    names = " ".join(f"n{n}" for n in range(300))
    assert line_effects(f"tool {names}", PLACE).effects == ("unknown_closed",)


def test_names_in_many_folders_are_not_looked_up_for_long() -> None:
    moves = "".join(f"cd {name}; " for name in "abcd")
    names = " ".join(f"a/{n}" for n in range(40))
    assert "unknown_closed" in line_effects(f"{moves}rm {names}", PLACE).effects
    assert line_effects(f"{moves}rm a/b", PLACE).effects == ("write",)


def test_a_document_does_not_make_a_line_too_long() -> None:
    line = f"cat <<'EOF' | wc\n{'text ' * LONGEST}\nEOF"
    assert line_effects(line, PLACE).effects == ("read",)


def test_a_document_that_was_left_out_is_run_by_nobody_we_know() -> None:
    line = f"bash <<'EOF'\n{'true;' * LONGEST} rm tests/a\nEOF"
    assert line_effects(line, PLACE).effects == ("unknown_closed",)


def test_what_a_folder_holds_lands_anywhere_in_another(tmp_path: Path) -> None:
    for name in ("src", "tests"):
        (tmp_path / name).mkdir()
    place = Place(root=str(tmp_path), cwd=str(tmp_path))
    written = {into: line_effects(f"cp -r x/. {into}", place).targets for into in ("src", ".")}
    assert [target.path for target in written["src"]] == ["src"]
    assert "guarded" in [target.zone for target in written["."]]


def test_the_word_test_is_a_path_where_there_is_one(tmp_path: Path) -> None:
    place = Place(root=str(tmp_path), cwd=str(tmp_path))
    assert line_effects("prog test", place).effects == ("unknown",)
    (tmp_path / "test").mkdir()
    assert line_effects("prog test", place).effects == ("unknown_closed",)


def test_no_number_of_stars_takes_long(tmp_path: Path) -> None:
    (tmp_path / ("a" * 200)).touch()  # tried star by star, this would take longer than anyone waits
    place = Place(root=str(tmp_path), cwd=str(tmp_path))
    stars = "*a" * 100
    assert "write" in line_effects(f"touch {stars}b {'$x' * 100}b", place).effects
    assert line_effects(f"cat {stars}", place).effects == ("read",)


def test_a_folder_a_line_starts_in_counts() -> None:
    found = line_effects("rm a.py", PLACE, "tests")
    assert [target.path for target in found.targets] == ["tests/a.py"]


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("ls -la && git push origin | tail", ("ls -la", "git push origin", "tail")),
        ("FOO=1 timeout 5 git push", ("git push",)),
        ("(cd a; git push)", ("cd a", "git push")),
        ("git push 2>&1", ("git push",)),
        ("git 'push", ("git 'push",)),
        ("FOO=1 timeout 5 git push '", ("git push '",)),
        ("sudo bash -c 'git push'", ("bash -c git push", "git push")),
        ("g''it pu\"sh\"", ("git push",)),
        ("x=$(git push)", ("git push",)),
        ("f() { git push; }", ("git push",)),
        ("true; " * 300 + "git push", ("true", "git push")),
        ("FOO=1", ()),
        ("", ()),
    ],
)
def test_a_line_is_its_simple_commands_for_the_denials(
    line: str, commands: tuple[str, ...]
) -> None:
    assert commands_of(line) == commands


def test_a_folder_that_exists_takes_what_is_moved_into_it(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    place = Place(root=str(tmp_path), cwd=str(tmp_path))
    found = line_effects("cp /elsewhere/a.test.js src", place)
    assert [(target.path, target.zone) for target in found.targets] == [("src/a.test.js", "test")]
    assert line_effects("git checkout -- src", place).targets == ()
