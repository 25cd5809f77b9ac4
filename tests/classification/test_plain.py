"""What is taken out of a shell line before it is split, and what must stay to be looked at."""

from __future__ import annotations

from time import perf_counter

import pytest

from app.classification.plain import plain

HIDDEN = "rm tests/a.py"


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("make \\\n all", "make  all"),
        ("make 2>&1 | tail", "make  | tail"),
        ("make > /dev/null 2>&1", "make  "),
        ("make &>/dev/null; ls", "make ; ls"),
        ("echo no >&2", "echo no "),
        ("cat > a <<'EOF'\nrm b\nEOF\nls", "cat > a <<'EOF'\nls"),
        ("cat <<-END > 'a b'\n\trm b\n\tEND", "cat <<-END > 'a b'"),
        (
            "git commit -m \"$(cat <<'EOF'\nsee tests/a\n\nb\nEOF\n)\" && ls",
            'git commit -m "_" && ls',
        ),
    ],
)
def test_what_writes_nothing_and_what_is_text_go(line: str, left: str) -> None:
    assert plain(line) == left


@pytest.mark.parametrize(
    "line",
    [
        f"cat <<A\n A\ncat <<B\nA\n{HIDDEN}\nB",  # an indented word ends nothing
        f"cat <<A-B\nA-B\n{HIDDEN}\nA",  # the word is A-B
        f"cat <<'A'B\nAB\n{HIDDEN}\nA",
        f"echo $((1<<A))\n{HIDDEN}\nA",  # a shift
        f"echo $[1<<A]\n{HIDDEN}\nA",
        f"cat <<A 'x\nA\n'\n{HIDDEN}",  # a quote that is still open
        f"cat <<EOF\nEO\\\nF\n{HIDDEN}\nEOF",  # the shell joins these lines
        f"cat <<EOF\n$({HIDDEN})\nEOF",
        f"echo \"$(cat <<'EOF'\nEOF\n{HIDDEN}\nEOF\n)\"",  # it ended at the first EOF
        f'echo "$(cat <<EOF\n$({HIDDEN})\nEOF\n)"',
        f"{HIDDEN} > /dev/null/../x",
        f"cat <<A\n{HIDDEN}",  # no end at all
    ],
)
def test_what_the_shell_runs_stays(line: str) -> None:
    assert HIDDEN in plain(line)


@pytest.mark.parametrize(
    "piece",
    ["cat <<A\n", "<<a ", "cat <<A\n\n\n", "\"$(cat <<'A'\n", "'\"", '"', "\\", "#", "> ", "$(("],
)
def test_no_line_takes_long(piece: str) -> None:
    start = perf_counter()
    plain(piece * (100_000 // len(piece)))
    assert perf_counter() - start < 2
