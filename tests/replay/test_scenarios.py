"""The corpus of scenarios through everything that an event passes: edge, log, fold, reaction.

scoring.py says what a firing is, and what is right; the bars stand here.
"""

from __future__ import annotations

import pytest

from tests.replay.cases import Case, corpus
from tests.replay.scoring import Result, Score, configuration, result, score

RECALL = 0.95  # of the stuck sessions must be right


@pytest.fixture(scope="module")
def scored() -> Score:
    return score(corpus(), configuration())


def found(score: Score, name: str) -> Result:
    return next(each for each in score.results if each.case.name == name)


def test_a_stuck_agent_is_noticed_in_time_and_put_into_the_right_mode(scored: Score) -> None:
    assert scored.recall >= RECALL, {each.case.name: each.fired for each in scored.missed}
    assert [each.case.name for each in scored.stuck if not each.in_time] == []


def test_honest_work_keeps_its_mode_and_nothing_asks_for_another(scored: Score) -> None:
    assert {each.case.name: each.fired for each in scored.alarms} == {}
    assert scored.honest


def test_what_fires_first_is_a_diagnosis_that_the_author_accepts(scored: Score) -> None:
    assert {each.case.name: each.fired for each in scored.results if each.wrong} == {}


def test_nothing_fires_more_often_than_its_author_allows(scored: Score) -> None:
    bounded = [each for each in scored.results if each.case.most is not None]
    assert {each.case.name: each.fired for each in scored.over} == {}
    assert bounded
    assert all(each.fired for each in bounded)


def test_blocks_never_ask_for_a_mode(scored: Score) -> None:
    storms = [each for each in scored.stuck if "blocked_storm" in (each.case.rules or ())]
    assert {one.mode for each in storms for one in each.fired} == {None}


def test_one_agent_in_a_loop_leaves_its_siblings_alone(scored: Score) -> None:
    loop = found(scored, "n2-f10-subagent-grep-loop")
    assert {one.agent for one in loop.fired} == {loop.case.agent}


@pytest.mark.parametrize(
    ("profile", "thresholds", "mode"),
    [("default", [], None), ("strict", ["test_failure.reds=0"], "review")],
)
def test_a_green_end_is_a_notice_in_default_and_the_review_mode_in_strict(
    profile: str, thresholds: list[str], mode: str | None
) -> None:
    (case,) = [case for case in corpus() if case.name == "rev-01-green-then-stop"]
    under = configuration(profile, thresholds)
    assert [(one.rule, one.mode) for one in result(case, under).fired] == [("review", mode)]


def test_the_corpus_is_whole() -> None:
    cases = corpus()
    assert sum(case.stuck for case in cases) >= 58
    assert sum(not case.stuck for case in cases) >= 69
    assert all(_due(case) for case in cases)


def _due(case: Case) -> bool:
    """A stuck session says by when, an honest one does not."""
    return 0 < case.due <= len(case.lines) if case.stuck else case.due == 0
