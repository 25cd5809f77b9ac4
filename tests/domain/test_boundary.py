"""The memory of the test boundary: which green counts, what the notice says, what stays closed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.boundary import TARGETS
from app.domain.entries import Entry
from app.domain.evolve import SIGNALS, evolve_all
from app.domain.outline import outline
from app.domain.state import Book
from app.domain.summaries import summary
from app.domain.telling import to_agent, to_person
from tests.domain.floor import Floor, body, causes
from tests.domain.verdict_cases import cases

SOURCE = [{"path": "src/a.py", "zone": "project"}]
TEST = "tests/test_a.py"
TARGET = "pytest tests/test_a.py"
RED, OTHER = "a" * 16, "b" * 16


class Table:
    """The steps of a case, taken on a floor; the verdicts that its attempts met."""

    def __init__(self) -> None:
        self.floor, self.verdicts = Floor(), list[str]()

    def take(self, step: list[Any]) -> None:
        """Take one step."""
        match step:
            case ["red" | "green" | "unknown" as result, target, tree, *moved]:
                run(self.floor, result, target, tree, *moved)
            case ["red there" | "green there" as result, target, where]:
                run(self.floor, result.split()[0], target, None, where=where)
            case ["attempt", path]:
                self._asks([{"path": path, "zone": "test"}])
            case ["source"]:
                self._asks(SOURCE)
            case ["write source"]:
                writes(self.floor, targets=SOURCE)
            case ["write", path]:
                writes(self.floor, path)
            case ["failed write", path]:
                writes(self.floor, path, outcome="error", failed=True)
            case ["restore", path]:
                writes(self.floor, path, effects=["git_restore"])
            case ["mode", name]:
                self.floor.sets("mode", {"mode": name})
            case ["revert"]:
                self.floor.decides("revert", self.floor.session().closing)
            case _:
                raise AssertionError(step)

    def _asks(self, targets: list[dict[str, str]]) -> None:
        judged = self.floor.asks(targets=targets)
        self.verdicts.append(" ".join(filter(None, (judged.verdict, judged.rule))))


def run(
    floor: Floor,
    result: str,
    target: str = TARGET,
    tree: str | None = None,
    moved: list[dict[str, Any]] | None = None,
    where: str = "",
) -> tuple[Entry, ...]:
    said: dict[str, Any] = {"runner": "pytest", "target": target, "result": result}
    said |= {"tree": tree} if tree else {}
    said |= {"moved": moved} if moved else {}
    said |= {"where": where} if where else {}
    failed = result == "red"
    return floor.call(f"run {target}", test=said, failed=failed, **{"class": "test"})


def writes(floor: Floor, path: str = TEST, **said: Any) -> None:
    fields = {"class": "edit", "effects": ["write"], "targets": [{"path": path, "zone": "test"}]}
    floor.call("e", **{**fields, **said})


def notices(floor: Floor) -> list[Entry]:
    return [entry for entry in floor.log if causes(entry)[:1] and _boundary(entry)]


def _boundary(entry: Entry) -> bool:
    return entry.action == "notice" and causes(entry)[0].get("rule") == "boundary"


def moved(*paths: str, since: str = RED) -> list[dict[str, Any]]:
    return [{"since": since, "paths": [*paths], "count": len(paths)}]


@pytest.mark.parametrize("case", cases("boundary"), ids=lambda case: case["name"])
def test_the_boundary_remembers(case: dict[str, Any]) -> None:
    table = Table()
    for step in case["when"]:
        table.take(step)
    session, then = table.floor.session(), case["then"]
    assert (sorted(session.reds), table.verdicts) == (then["red"], then["verdicts"])
    standing = body(table.floor.entry(session.closing))["paths"] if session.closing else None
    assert standing == then["notice"]
    assert len(notices(table.floor)) == then.get("notices", len(notices(table.floor)))
    assert table.floor.folded() == table.floor.book


def doubted(*paths: str) -> tuple[Floor, Entry]:
    """A floor with a green that does not count, and the notice about it."""
    floor = Floor()
    run(floor, "red", TARGET, RED)
    run(floor, "green", TARGET, OTHER, moved(*paths))
    return floor, floor.entry(floor.session().closing)


def test_the_notice_has_its_evidence_and_says_what_to_do() -> None:
    floor, notice = doubted(TEST, "tests/conftest.py")
    red, green = floor.log[1], floor.log[2]
    assert (notice.kind, notice.scope, notice.actor, notice.ref) == (
        "applied", "s", "machine", green.seq,
    )  # fmt: skip
    assert causes(notice) == [{"rule": "boundary", "value": 2, "seqs": [red.seq, green.seq]}]
    said = body(notice)
    assert (said["target"], said["paths"]) == (TARGET, [TEST, "tests/conftest.py"])
    assert "2 test files changed that no known call wrote" in said["notice"]
    assert "tests are closed in this session" in said["notice"]
    assert f"floorboss revert {notice.seq}" in said["notice"]


def test_a_verdict_by_the_notice_names_it() -> None:
    floor, notice = doubted(TEST)
    judged = floor.asks(targets=[{"path": TEST, "zone": "test"}])
    assert (judged.verdict, judged.rule) == ("deny", "boundary")
    assert f"since notice {notice.seq}" in str(judged.reason)


def test_agent_and_person_are_told_the_paths_quoted_and_not_all_of_them() -> None:
    paths = ['tests/a"b.py', *(f"tests/{at}.py" for at in range(8))]
    _, notice = doubted(*paths)
    for told in (str(to_agent([notice])), str(to_person([notice]))):
        assert '"tests/a\\"b.py", "tests/0.py"' in told
        assert told.endswith('"tests/3.py" and 4 more.')


def test_no_path_stands_in_an_outline_or_a_summary() -> None:
    floor, notice = doubted("tests/secret.py")
    for entry in (notice, floor.log[2]):
        assert "secret" not in summary(entry)
        assert "secret" not in str(outline(entry.body, entry.actor))


def test_the_counters_take_a_green_that_does_not_count_for_no_run() -> None:
    floor = Floor()
    run(floor, "red", TARGET, RED)
    before = floor.session().streams[""].targets.get(TARGET)
    run(floor, "green", TARGET, OTHER, moved(TEST))
    assert floor.session().streams[""].targets.get(TARGET) == before
    run(floor, "green", TARGET, RED)
    assert floor.session().streams[""].targets.get(TARGET) is None


def test_an_agents_green_closes_the_tests_of_its_session() -> None:
    floor = Floor()
    said = {"runner": "pytest", "target": TARGET}
    floor.call("run", test={**said, "result": "red", "tree": RED}, failed=True)
    green = {**said, "result": "green", "tree": OTHER, "moved": moved(TEST)}
    floor.call("run", scope="s/a", test=green)
    assert floor.entry(floor.session().closing).scope == "s"


def test_the_notice_can_be_taken_back_however_many_came_after_it() -> None:
    floor, notice = doubted(TEST)
    for _ in range(SIGNALS + 5):
        floor.writes("applied", "s", "notice", "machine", {"notice": "x"})
    assert len(floor.session().overrides[("s", "notice")]) == SIGNALS
    floor.decides("revert", notice.seq)
    assert floor.session().closing == 0


def test_what_only_a_harness_writes_closes_and_opens_nothing() -> None:
    floor = Floor()
    said = {"notice": "x", "because": [{"rule": "boundary"}]}
    floor.writes("applied", "s", "notice", "harness:x", said)
    assert floor.session().closing == 0


def test_a_write_that_was_denied_and_done_all_the_same_explains_nothing() -> None:
    floor = Floor()
    run(floor, "red", tree=RED)
    target = [{"path": TEST, "zone": "test"}]
    asked = floor.asks(targets=target, call_id="c")
    assert asked.verdict == "deny"
    writes(floor, ref=asked.entry.seq, call_id="c")
    run(floor, "green", tree=OTHER, moved=moved(TEST))
    assert floor.session().closing


def test_a_write_that_was_asked_for_before_the_red_run_explains_nothing() -> None:
    floor = Floor()
    target = [{"path": TEST, "zone": "test"}]
    asked = floor.asks(targets=target, call_id="c")
    assert asked.verdict == "none"
    run(floor, "red", tree=RED)
    writes(floor, ref=asked.entry.seq, call_id="c")
    assert floor.asks(targets=target, call_id="d").verdict == "deny"
    run(floor, "green", tree=OTHER, moved=moved(TEST))
    assert floor.session().closing


def test_explanations_end_with_the_last_red() -> None:
    floor = Floor()
    run(floor, "red", TARGET, RED)
    writes(floor)
    assert list(floor.session().explained) == [TEST]
    run(floor, "green", TARGET, OTHER, moved(TEST))
    assert not floor.session().explained


def test_many_red_targets_keep_the_first_run_of_each() -> None:
    floor = Floor()
    for at in range(TARGETS):
        run(floor, "red", f"pytest {at:04}", RED)
    first = floor.session().reds["pytest 0000"]
    run(floor, "red", "pytest 0000", OTHER, moved(TEST))
    assert floor.session().reds["pytest 0000"] == first


FILES = ("tests/a.py", "tests/b.py")
ONE = "pytest tests/a.py"
steps = st.sampled_from([
    *[(who, path) for who in ("script", "call") for path in FILES],
    *[(result, target) for result in ("red", "green") for target in ("pytest", ONE)],
    ("red", ONE), ("green", ONE), ("script", FILES[0]), ("back", FILES[0]), ("revert", ""),
])  # fmt: skip


class World:
    """Test files on a disk, who changed them, and what a second reading makes of each run."""

    def __init__(self) -> None:
        self.floor = Floor()
        self.files = dict.fromkeys(FILES, 0)
        self.seen: dict[str, dict[str, int]] = {}  # the listing behind each tree
        self.baseline: dict[str, tuple[dict[str, int], set[str]]] = {}  # by target: files, written

    def tree(self) -> str:
        name = "".join(f"{self.files[path]:08}" for path in FILES)
        self.seen[name] = dict(self.files)
        return name

    def differing(self, then: dict[str, int]) -> set[str]:
        return {path for path in FILES if then[path] != self.files[path]}

    def writes(self, path: str) -> None:
        self.files[path] += 1
        writes(self.floor, path)
        for _, written in self.baseline.values():
            written.add(path)

    def reverts(self) -> None:
        if self.floor.session().closing:
            self.floor.decides("revert", self.floor.session().closing)
            self.baseline.clear()

    def runs(self, target: str, result: str) -> None:
        said = [
            {"since": red.tree, "paths": sorted(paths), "count": len(paths)}
            for red in self.floor.session().reds.values()
            if red.tree and (paths := self.differing(self.seen[red.tree]))
        ]
        run(self.floor, result, target, self.tree(), said)


@given(st.lists(steps, min_size=4, max_size=30))
@settings(max_examples=300)
def test_a_target_seen_red_never_counts_green_over_files_that_nobody_explains(
    history: list[tuple[str, str]],
) -> None:
    world = World()
    for kind, name in history:
        match kind:
            case "script":
                world.files[name] += 1
            case "back":
                world.files[name] = 0
            case "call":
                world.writes(name)
            case "revert":
                world.reverts()
            case result:
                _runs(world, name, result)
    log, book = world.floor.log, world.floor.book
    assert evolve_all(Book(), log) == book
    half = evolve_all(Book(), log[: len(log) // 2])
    assert evolve_all(half, log[len(log) // 2 :]) == book


def _runs(world: World, target: str, result: str) -> None:
    """Each target that stops being red differs from its first red by known writes at the most.

    Where all that differs at a further red was written by then, the files are what counts from
    there on.
    """
    before = set(world.floor.session().reds)
    world.runs(target, result)
    for gone in before - set(world.floor.session().reds):
        if gone in world.baseline:
            files, written = world.baseline.pop(gone)
            assert world.differing(files) <= written
    if result == "red":
        files, written = world.baseline.get(target, (world.files, set()))
        if world.differing(files) <= written:
            world.baseline[target] = (dict(world.files), set())
