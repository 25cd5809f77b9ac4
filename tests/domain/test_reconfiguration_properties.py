"""What holds for any two configurations: nothing at once makes a call freer or a check later."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.checks import tripped
from app.domain.configuration import POSTURES, Configuration
from app.domain.configured import configuration_of, digest, settings_of, with_settings
from app.domain.crossing import holds_boundary
from app.domain.entries import EVERYWHERE
from app.domain.evolve import evolve_all
from app.domain.modes import EFFECTS, RULINGS, TOOL_CLASSES, mode_of
from app.domain.profiles import THRESHOLDS
from app.domain.reconfiguration import compared
from app.domain.signals import EMPTY, Stream
from app.domain.state import Book, default_mode, default_policy
from app.domain.strictness import WAYS
from tests.domain.narrowing_oracle import frees
from tests.domain.values import Started, values

ASKING = {"streak", "coverage"}  # rules that only ask for something freer
SHIPPED = values()
NUMBERS = st.sampled_from([0.0, 0.2, 0.3, 0.5, 0.8, 1.0, 2.0, 3.0, 5.0, 30.0])
PLACES = st.sampled_from([[], ["test"], ["project"], ["project", "given"], ["temporary"]])


@st.composite
def definitions(draw: st.DrawFn) -> dict[str, Any]:
    """A mode that holds the test boundary."""
    made: dict[str, Any] = {
        "tools": draw(st.lists(st.sampled_from(TOOL_CLASSES), unique=True)),
        "writes": draw(PLACES),
        "shell": draw(st.dictionaries(st.sampled_from(EFFECTS), st.sampled_from(RULINGS))),
        "handoff": draw(st.sampled_from([None, "plan"])),
    }
    if holds_boundary({"it": mode_of("it", made)}) is not None:
        made["shell"] = {}
    return made


@st.composite
def configurations(draw: st.DrawFn) -> dict[str, Any]:
    """Values as a file may say them: some settings are other ones than those that ship."""
    news: dict[str, Any] = {
        f"rules.{key}": draw(NUMBERS)
        for key in draw(st.sets(st.sampled_from(sorted(THRESHOLDS["default"])), max_size=6))
    }
    for name in draw(st.sets(st.sampled_from(["plan", "implementation", "own"]), max_size=2)):
        news[f"modes.{name}"] = draw(definitions())
    names = [*SHIPPED["modes"], *(key[6:] for key in news if key.startswith("modes."))]
    news["start_mode"] = draw(st.sampled_from(names))
    news["ceiling"] = draw(st.sampled_from(POSTURES))
    news["enforcement"] = draw(st.sampled_from(["observe", "enforce"]))
    news["standing.boundary.uses"] = draw(st.sampled_from([None, 0, 3, 30]))
    news["context_limit"] = draw(st.sampled_from([100_000, 200_000, 1_000_000]))
    return with_settings(SHIPPED, news)


@given(configurations(), configurations())
@settings(max_examples=60)
def test_what_holds_at_once_frees_no_call(held: dict[str, Any], wanted: dict[str, Any]) -> None:
    split = compared(held, wanted)
    before, after = configuration_of(held), configuration_of(split.effective)
    assert not frees(default_mode(before), default_mode(after))
    assert not frees(default_policy(before), default_policy(after))
    for name in set(before.modes) & set(after.modes):
        assert not frees(before.modes[name], after.modes[name])
    assert (before.enforcement, after.enforcement) != ("enforce", "observe")
    assert _uses(after) <= _uses(before)
    assert holds_boundary(after.modes) is None


def _uses(configuration: Configuration) -> int:
    held = configuration.standing.get("boundary")
    return 0 if held is None else held.uses


def _streams() -> list[Stream]:
    """Counters as sessions of every rule leave them, after each of their events."""
    from app.domain.state import stream_of
    from tests.domain import trips
    from tests.domain.floor import Floor, configured

    off = configured(thresholds=dict.fromkeys(THRESHOLDS["default"], 0.0))
    found: list[Stream] = []
    for name, trip in sorted(vars(trips).items()):
        if name.startswith("_") or getattr(trip, "__module__", "") != trips.__name__:
            continue
        floor = Floor(off)
        trip(floor, "s")
        book = Book()
        for entry in floor.log:
            book = evolve_all(book, [entry])
            if entry.kind == "observed":
                found.append(stream_of(book.session("s"), ""))
    return [stream for stream in found if stream.touched]


STREAMS = _streams()


def fired(stream: Stream, configuration: Configuration) -> set[tuple[str, str, bool]]:
    """The checks that trip, and whether they ask for a mode."""
    return {
        (trip.rule, trip.key, said)
        for trip in tripped(stream, configuration.thresholds)
        for said in {False, trip.response == "mode"}
    }


def test_the_counters_of_many_rules_stand_behind_this() -> None:
    rules = {rule for stream in STREAMS for rule, _, _ in fired(stream, configuration_of(SHIPPED))}
    assert len(rules) >= 10
    assert EMPTY not in STREAMS


@given(configurations(), configurations())
@settings(max_examples=60)
def test_what_holds_at_once_makes_no_check_later(
    held: dict[str, Any], wanted: dict[str, Any]
) -> None:
    before, after = configuration_of(held), configuration_of(compared(held, wanted).effective)
    for stream in STREAMS:
        lost = fired(stream, before) - fired(stream, after)
        assert {rule for rule, _, _ in lost} <= ASKING
        more = fired(stream, after) - fired(stream, before)
        assert not {rule for rule, _, _ in more} & ASKING


@given(configurations(), configurations())
@settings(max_examples=40)
def test_a_yes_leads_to_exactly_what_the_file_wants(
    held: dict[str, Any], wanted: dict[str, Any]
) -> None:
    floor = Started(held)
    floor.starts(wanted)
    waiting = floor.open(EVERYWHERE)
    assert len(waiting) <= 1
    before = compared(held, wanted).effective
    assert floor.configuration == configuration_of(before)
    for seq in waiting:
        floor.says("approve", seq)
    assert floor.configuration == configuration_of(wanted)
    assert floor.book.configured is not None
    assert floor.book.configured.digest == digest(wanted)
    assert floor.starts(wanted) == ()
    assert evolve_all(Book(), floor.log).configured == floor.book.configured


@given(configurations(), configurations(), configurations())
@settings(max_examples=30)
def test_whatever_files_come_one_proposal_waits_for_what_the_last_one_wants(
    first: dict[str, Any], second: dict[str, Any], third: dict[str, Any]
) -> None:
    floor = Started(first)
    floor.starts(second)
    floor.starts(third)
    (*_, held) = [entry.body["values"] for entry in floor.log if entry.kind == "configured"]
    assert isinstance(held, dict)
    asked = [p.body["values"] for p in floor.session(EVERYWHERE).proposals.values()]
    news = asked[0] if asked else {}
    assert isinstance(news, dict)
    assert len(asked) <= 1
    assert configuration_of(with_settings(held, news)) == configuration_of(third)
    assert floor.starts(third) == ()


@given(configurations())
def test_settings_go_to_flat_names_and_back(wanted: dict[str, Any]) -> None:
    news = {**dict.fromkeys(settings_of(SHIPPED)), **settings_of(wanted)}
    assert settings_of(with_settings(SHIPPED, news)) == settings_of(wanted)
    assert configuration_of(with_settings(SHIPPED, news)) == configuration_of(wanted)


def test_the_exceptions_are_exceptions() -> None:
    assert "lower" not in WAYS.values()
