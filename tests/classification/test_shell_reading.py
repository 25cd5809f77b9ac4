"""How a line is read: words, state and structure, each by what it comes to; and never a fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.classification.paths import Place
from app.classification.shellcode.found import COMMANDS
from app.classification.shellcode.lines import LONGEST, commands_of, line_effects
from app.classification.shellcode.syntax import parse

PLACE = Place(root="/srv/project", cwd="/srv/project")
SHELL = Path(__file__).parents[1] / "cases" / "shell"
LINES = [
    case["line"]
    for name in ("writes", "ordinary")
    for case in json.loads((SHELL / f"{name}.json").read_text(encoding="utf-8"))
]
SIGNS = list("ab /.\n\\'\"|&;<>$()`#=-*?[]~{},!%:@\t\x00\x01é\udc80")


def targets(line: str, place: Place = PLACE) -> list[str]:
    return [target.path for target in line_effects(line, place).targets]


@pytest.mark.parametrize(
    "word",
    [
        "tests/a", "te''sts/a", "'te'sts/a", '"te"s"ts"/a', "te\\sts/a", "$'te\\x73ts'/a",
        "$'\\164ests'/a", '$"te"sts/a', "./tests/a", "src/../tests/a", "tests//a", "tes{ts,}/a",
        "{tests,src}/a", "$x/a", "${x}/a", '"$x"/a', "${x:-y}/a", "${y:-tests}/a", "$PWD/tests/a",
        "~+/tests/a", "$(pwd)/tests/a", "$(echo tests)/a", "`echo tests`/a", "${z}tests/a",
        "$(git rev-parse --show-toplevel)/tests/a", "tes\\\nts/a",
    ],
)  # fmt: skip
def test_a_word_is_what_the_shell_makes_of_it(word: str) -> None:
    found = line_effects(f"x=tests\nrm {word}" if "\n" not in word else f"rm {word}", PLACE)
    assert "unknown_closed" in found.effects or "tests/a" in [t.path for t in found.targets]


@pytest.mark.parametrize("word", ["'~'/a", "\\~/a", "'*'", "\\*", "'$x'", "'{a,b}'", "'a b'"])
def test_what_is_quoted_is_what_it_says(word: str) -> None:
    said = word.replace("\\", "").replace("'", "")
    assert targets(f"rm {word}") == [said]
    assert str(Path.home()) not in str(targets(f"rm {word}"))


@pytest.mark.parametrize("sign", [">", ">>", ">|", "&>", "&>>", "2>", "3>", ">&", "1>"])
def test_a_redirection_writes_wherever_it_stands(sign: str) -> None:
    for line in (
        f"echo x {sign} tests/a",
        f"echo x {sign}tests/a y",
        f"{sign}tests/a echo x",
        f"{{ echo x; }} {sign}tests/a",
        f"(echo x) {sign} tests/a",
        f"for i in a; do echo; done {sign}tests/a",
        f"if true; then echo; fi {sign}tests/a",
        f"true && echo x | cat {sign}tests/a",
        f"cat <<E {sign}tests/a\nx\nE",
        f"f() {{ echo; }} {sign}tests/a; f",
    ):
        assert "tests/a" in targets(line), line


@pytest.mark.parametrize("redirection", ["2>&1", ">&2", ">/dev/null", "2>/dev/null", "&>/dev/null",
                                         "<a", "2>&-", ">/dev/stderr", "<<< a"])  # fmt: skip
def test_some_redirections_write_nothing(redirection: str) -> None:
    assert line_effects(f"cat a {redirection}", PLACE).effects == ("read",)


@pytest.mark.parametrize(
    "line",
    [
        "(rm tests/a)", "{ rm tests/a; }", "if rm tests/a; then :; fi", "if a; then rm tests/a; fi",
        "if a; then b; elif c; then rm tests/a; fi", "if a; then b; else rm tests/a; fi",
        "while rm tests/a; do :; done", "until a; do rm tests/a; done", "! rm tests/a",
        "for i in 1 2; do rm tests/a; done", "for ((i=0;i<3;i++)); do rm tests/a; done",
        "case x in y) rm tests/a;; esac", "f() { rm tests/a; }", "f() { rm $1; }; f tests/a",
        "f() ( rm \"$@\" ); f b tests/a", "function f { rm tests/a; }; f", "a | rm tests/a",
        "rm tests/a & b", "a || rm tests/a", "echo $(rm tests/a)", "echo \"$(rm tests/a)\"",
        "echo `rm tests/a`", "cat <(rm tests/a)", "echo > >(rm tests/a)", "x=$(rm tests/a)",
        "export x=$(rm tests/a)", "x=(1 $(rm tests/a))", "echo $((1 + $(rm tests/a)))",
        "echo ${x:-$(rm tests/a)}", "[[ -f $(rm tests/a) ]]", "(( $(rm tests/a) ))",
        "cat <<E\n$(rm tests/a)\nE", "cat <<E\n`rm tests/a`\nE", "cat <<< $(rm tests/a)",
        "eval rm tests/a", "eval 'rm tests'/a", "bash -c \"bash -c 'rm tests/a'\"",
        "trap 'rm tests/a' EXIT", "select x in a; do rm tests/a; done", "coproc rm tests/a",
        "set -- tests/a; rm $1", "for i; do rm tests/a; done", "rm $e tests/a",
        "case $(rm tests/a) in x) ;; esac", "for i in $(rm tests/a); do :; done",
        "find . -exec rm tests/a \\;", "echo | xargs rm tests/a", "time rm tests/a",
        "git status; rm tests/a", "# c\nrm tests/a", "echo '#'; rm tests/a", "a=1 rm tests/a",
        "cd src && rm ../tests/a", "cd src; cd ..; rm tests/a", "pushd src; popd; rm tests/a",
        "env -C tests rm a", "cd tests && { cd ../src; rm ../tests/a; }",
    ],
)  # fmt: skip
def test_a_command_is_found_wherever_it_stands(line: str) -> None:
    assert "tests/a" in targets(line)


@pytest.mark.parametrize(
    ("line", "effects"),
    [
        ("alias ls='rm tests/a'\nls", ("unknown_closed",)),
        ("alias ls='ls -l'\nls", ("unknown",)),
        ("ls() { rm b; }; ls", ("write",)),
        ("hash -p ./x ls; ls", ("unknown",)),
        ("PATH=./x:$PATH; ls", ("unknown",)),
        ("$X a", ("unknown",)),
        ("rm $X", ("unknown",)),
        ("rm $X tests/$Y", ("unknown_closed",)),
        ("x=$(ls tests); rm $x", ("read", "unknown_closed")),
        ("for f in $(find tests); do rm $f; done", ("read", "unknown_closed")),
        ("find tests | while read f; do rm $f; done", ("read", "unknown_closed")),
        ("cd $X && rm a", ("unknown_closed",)),
        ("cd $X && pytest", ("test",)),
        ("python3 -c 'print(1)'", ("unknown_closed",)),
        ("python3 $X -c 'print(1)'", ("unknown_closed",)),
        ("cat > a.py <<'E'\nx\nE\npython3 a.py", ("write", "read", "unknown_closed")),
        ("ln -s x out && echo > out/a", ("write", "unknown_closed", "read")),
        ("if [ -f tests/a ]; then pytest; fi", ("test",)),
        ("[ -f tests/a ] && pytest", ("test",)),
        ("echo 'unclosed", ("unknown",)),
        ("rm \"tests/a", ("unknown_closed",)),
        ("f() { f | f; }; f", ("unknown_closed",)),
        ("x=$x$x; " * 100 + "ls", ("read",)),
    ],
)  # fmt: skip
def test_what_nobody_can_tell_is_said(line: str, effects: tuple[str, ...]) -> None:
    assert line_effects(line, PLACE).effects == effects


@pytest.fixture
def project(tmp_path: Path) -> Place:
    for name in ("tests/a.py", "src/b.py", "packages/foo/tests/c.ts", "src/lib/d.py", "docs/e.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "node_modules/x/test").mkdir(parents=True)
    return Place(root=str(tmp_path), cwd=str(tmp_path))


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("rm te*/a.py", "tests/a.py"),
        ("rm */[a].py", "tests/a.py"),
        ("rm -r t*", "tests"),
        ("rm -r packages/foo", "packages/foo/tests"),
        ("mv packages lib", "packages/foo/tests"),
        ("cp -r packages/foo x", "x/tests"),
        ("rm **/a.py", "tests/a.py"),
        ("find . -name '*.py' -delete", "tests/a.py"),
        ("find packages -exec rm {} +", "packages/foo/tests"),
        ("x=*/a.py; rm $x", "tests/a.py"),
        ("for f in */*.py; do rm $f; done", "tests/a.py"),
    ],
)
def test_the_file_system_says_what_a_pattern_or_a_folder_holds(
    line: str, path: str, project: Place
) -> None:
    assert path in targets(line, project)


@pytest.mark.parametrize(
    "line",
    ["rm -r src docs", "rm -rf node_modules", "rm src/*.py", "find src -name '*.py' -delete",
     "git checkout src/b.py", "sed -i s/a/b/ src/*.py src/lib/*", "mv docs src/"],
)  # fmt: skip
def test_what_holds_no_tests_may_be_written(line: str, project: Place) -> None:
    found = line_effects(line, project)
    assert found.targets
    assert {target.zone for target in found.targets} == {"project"}
    assert found.part is None


def test_more_than_can_be_looked_at_is_not_vouched_for(project: Place) -> None:
    many = Path(str(project.root), "many")
    many.mkdir()
    for number in range(3_100):
        (many / f"{number}.txt").touch()
    for line in ("rm -r many", "rm many/*", "find many -delete"):
        assert "unknown_closed" in line_effects(line, project).effects


@pytest.mark.parametrize(
    "piece",
    [
        "(", "$(", "`", "'\"", "{ ", "if a; then ", "a|", ">a ", "${a:-", "$((", "case a in b) ",
        "f() ", "a=(", "<(", "[[ a && ", "{a,", "@(a|", "cat <<a\n", "! ", "x=$x$x; ", "*?[", "../",
        "for i in a b; do ", "\\\n", "x;", "cd a; ", "rm a/b c/d ", "find . -exec rm {} +\n",
        "\\", "~", "$", "&", "((", "[[ ",
    ],
)  # fmt: skip
def test_no_line_is_too_odd_to_be_read(piece: str) -> None:
    for size in (10, 300, LONGEST):
        line = (piece * size)[:size]
        assert line_effects(f"{line}\nrm tests/a", PLACE).effects
        commands_of(line)


@pytest.mark.parametrize("sign", ["Ä", "é", "\xa0", "\u2028", "\U00081a2d", "\U0010ffff"])
def test_no_character_ends_the_process(sign: str) -> None:
    """Without the mask of syntax.py tree-sitter-bash ends it for the last two."""
    for line in (
        "rm {}",
        "{}=1; ls",
        "Ä){{{}q",
        "cat <<{}\nx\n{}\nrm tests/a",
        "echo ${}",
        "a{}(",
        "{}) x",
    ):
        assert line_effects(line.format(sign, sign), PLACE).effects
    assert targets(f"rm tests/{sign}") == [f"tests/{sign}"]
    assert "tests/a" in targets(f"echo '{sign}' {sign}; rm tests/a")


def test_only_so_many_commands_are_looked_at() -> None:
    assert "unknown_closed" not in line_effects("ls;" * (COMMANDS - 1), PLACE).effects
    assert "unknown_closed" in line_effects("ls;" * (COMMANDS + 1), PLACE).effects


def test_a_text_that_takes_the_parser_long_has_no_tree() -> None:
    assert parse("a|" * 150 + "a") is not None
    assert parse("a|" * 8_000 + "a") is None
    assert parse("a=(" * 5_000) is None


@given(st.text(alphabet=SIGNS, max_size=60) | st.text(max_size=60))
def test_no_text_is_a_fault(line: str) -> None:
    found: Any = line_effects(line, PLACE)
    assert found.effects
    assert all(target.path for target in found.targets)
    commands_of(line)


@given(
    st.sampled_from(LINES),
    st.lists(st.tuples(st.integers(0, 200), st.integers(0, 3), st.sampled_from([*SIGNS, ""]))),
)
def test_no_change_of_a_line_is_a_fault(line: str, changes: list[tuple[int, int, str]]) -> None:
    for at, length, sign in changes:
        at = at % (len(line) + 1)
        line = line[:at] + sign + line[at + length :]
    assert line_effects(line, PLACE).effects
    commands_of(line)


@given(st.sampled_from(LINES), st.sampled_from(LINES), st.sampled_from(["; ", " && ", "\n", " | "]))
def test_two_lines_are_no_fault(one: str, other: str, joiner: str) -> None:
    assert line_effects(one + joiner + other, PLACE).effects
