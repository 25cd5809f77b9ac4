"""The verdict on a shell line beside `shlex.split` of the same line, turn by turn.

Both corpora of the tests are judged as an attempt is: parsed, looked up in the tables and on the
disk, decided in implementation mode. Before each line everything that is remembered about texts is
forgotten, as if nobody had ever typed the like; a second pass shows what remembering is worth.
"""

from __future__ import annotations

import gc
import json
import shlex
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import Any, Final, TypeAlias

from app.classification.effects import commands, effects
from app.classification.paths import Place
from app.domain.events import Event
from app.domain.modes import MODES
from app.domain.policy import decide
from app.domain.restrictions import Call, InForce
from bench.servers import ROOT

Row: TypeAlias = dict[str, float]
Spent: TypeAlias = tuple[float, float]  # milliseconds of the clock, of CPU
CORPORA: Final = tuple(
    ROOT / "tests/cases/shell" / name for name in ("ordinary.json", "writes.json")
)
ROUNDS: Final = 7
# The patterns that say which paths are tests, compiled, and how a volume compares names.
LASTING: Final = frozenset({"app.domain.patterns._compiled", "app.classification.volumes._folds"})
MODE: Final = InForce(modes=(MODES["default"]["implementation"],))
FILES: Final = (
    *("src/a.py", "src/b.py", "src/notes.txt", "src/pkg/__init__.py", "docs/guide.md"),
    *("tests/test_a.py", "tests/test_b.py", "tests/data.json", "package.json", "README.md"),
    *("packages/foo/src/index.ts", "packages/foo/tests/foo.test.ts", ".claude/settings.json"),
)


def measured(folder: Path) -> Mapping[str, Row]:
    """Milliseconds for a line, of the clock and of CPU: median, 99th of a hundred, worst.

    Each line's time is the median of its rounds, so that one pause of the machine is not the worst.
    """
    project = _project(folder)
    lines, caches = _lines(folder), _caches()
    ways: dict[str, Callable[[str], object]] = {
        "cold": lambda line: _judged(line, project),
        "shlex": _split,
        "warm": lambda line: _judged(line, project),
    }
    times: dict[str, list[list[Spent]]] = {name: [[] for _ in lines] for name in ways}
    for _ in range(ROUNDS):
        for number, line in enumerate(lines):
            for name, way in ways.items():
                if name == "cold":
                    for cache in caches:
                        cache.cache_clear()
                times[name][number].append(_timed(way, line))
    return {name: _row(rounds) for name, rounds in times.items()}


def _row(lines: Sequence[Sequence[Spent]]) -> Row:
    clock, cpu = (
        sorted(statistics.median(spent[part] for spent in rounds) for rounds in lines)
        for part in (0, 1)
    )
    return {
        "lines": len(lines),
        "p50_ms": statistics.median(clock),
        "worst_ms": clock[-1],
        "cpu_p50_ms": statistics.median(cpu),
        "cpu_p99_ms": cpu[len(cpu) * 99 // 100],
        "cpu_worst_ms": cpu[-1],
    }


def _timed(way: Callable[[str], object], line: str) -> Spent:
    clock, cpu = time.perf_counter(), time.thread_time()
    way(line)
    return 1e3 * (time.perf_counter() - clock), 1e3 * (time.thread_time() - cpu)


def _judged(line: str, project: str) -> object:
    event = Event(session_id="s", kind="attempt", tool="Bash", arguments={"command": line})
    does = effects(event, "shell", Place(root=project, cwd=project))
    call = Call(
        tool="Bash",
        tool_class="shell",
        effects=does.effects,
        targets=does.targets,
        part=does.part,
        commands=commands(event, "shell"),
    )
    return decide(MODE, call)


def _split(line: str) -> object:
    try:
        return shlex.split(line)
    except ValueError:
        return None


def _lines(folder: Path) -> list[str]:
    cases: list[dict[str, Any]] = [
        case for path in CORPORA for case in json.loads(path.read_text(encoding="utf-8"))
    ]
    return [case["line"].replace("@TOP@", str(folder)) for case in cases]


def _project(folder: Path) -> str:
    """A small project on the disk, with the names that the lines have."""
    project = folder / "project"
    for name in FILES:
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (project / ".git").mkdir(exist_ok=True)
    return str(project)


def _caches() -> list[Any]:
    """What is remembered about texts: every `lru_cache` but those of what no line changes."""
    found = (each for each in gc.get_objects() if isinstance(each, _lru_cache_wrapper))
    ours = (each for each in found if str(each.__module__).startswith("app."))
    return [each for each in ours if f"{each.__module__}.{each.__qualname__}" not in LASTING]
