"""`make live`: every script with the real Claude Code.

    python -m tests.live.run [NAME...] [--record] [--table]

Says what is missing, and ends with 2, where there is no client; with 1 where something came out
otherwise than expected. `--record` keeps what the hooks posted for the ordinary tests.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.live.cases import FOLDER, Step, case, names
from tests.live.client import Missing, live, program, version
from tests.live.judging import Run, ending, findings, told
from tests.live.project import differences


def main() -> int:
    """Run what was asked for; the exit code."""
    said = _arguments()
    claude = program()
    if isinstance(claude, Missing):
        print(claude.detail, file=sys.stderr)
        return 2
    number, wanted = version(claude), said.names or names()
    print(f"Claude Code {number}")
    bad = [name for name in wanted if not _passed(name, claude, number, said)]
    print(f"{len(bad)} of {len(wanted)} scripts came out otherwise: {', '.join(bad) or 'none'}")
    return 1 if bad else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make live")
    parser.add_argument("names", nargs="*", help="scripts of tests/cases/live; all without any")
    parser.add_argument("--record", action="store_true", help="keep what the hooks posted")
    parser.add_argument("--table", action="store_true", help="print every call")
    return parser.parse_args()


def _passed(name: str, claude: Path, number: str, said: argparse.Namespace) -> bool:
    """Run one script and say what came of it."""
    with tempfile.TemporaryDirectory(prefix="floorboss-live-") as place:
        folder = Path(place).resolve()
        script = case(name, folder / "project")
        keep = FOLDER / "recordings" / number / f"{name}.jsonl" if said.record else None
        came = live(script, claude, folder, folder / "project", keep)
        wrong = findings(script, came)
        print(f"{'ok  ' if not wrong else 'BAD '} {name}: {script.why}")
        if said.table:
            _show(name, script.steps, came)
    for words in wrong:
        print(f"     {words}")
    return not wrong


def _show(name: str, steps: tuple[Step, ...], came: Run) -> None:
    before = came.before
    for step in steps:
        after = came.at.get(step.call_id, before)
        changed = ", ".join(differences(before, after)) or "-"
        parts = (name, step.call_id[-4:], told(step), ending(step, came.log), changed)
        print(f"| {' | '.join(parts)} |")
        before = after


if __name__ == "__main__":
    sys.exit(main())
