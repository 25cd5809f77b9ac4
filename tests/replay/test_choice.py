"""What a run is under: settings, another profile, single thresholds, in this order."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.config import Settings, load
from app.domain.configuration import Configuration
from app.domain.profiles import THRESHOLDS
from app.replay.choice import Unknown, chosen


def settings(folder: Path, toml: str = "") -> Settings:
    (folder / "floorboss.toml").write_text(toml)
    found = load({"state_dir": folder}, {})
    assert isinstance(found, Settings)
    return found


def configured(found: Configuration | Unknown) -> Configuration:
    assert isinstance(found, Configuration)
    return found


def test_without_a_choice_it_is_what_a_daemon_would_run_under(tmp_path: Path) -> None:
    own = settings(tmp_path, "[rules.repeated]\nfailed = 7\n")
    assert chosen(own) == own.configuration()


def test_a_profile_is_the_one_a_daemon_with_it_would_run_under(tmp_path: Path) -> None:
    plain = chosen(settings(tmp_path), "strict")
    assert plain == settings(tmp_path, 'profile = "strict"\n').configuration()


def test_a_threshold_of_the_persons_own_file_outlives_another_profile(tmp_path: Path) -> None:
    own = settings(tmp_path, "[rules.repeated]\nfailed = 7\n")
    strict = configured(chosen(own, "strict"))
    assert strict.thresholds["repeated.failed"] == 7
    assert strict.thresholds["repeated.ok"] == THRESHOLDS["strict"]["repeated.ok"]


def test_single_thresholds_come_last_and_change_the_digest(tmp_path: Path) -> None:
    own = settings(tmp_path)
    found = configured(chosen(own, "strict", ["repeated.failed=9", " test_failure.reds = 0 "]))
    assert (found.thresholds["repeated.failed"], found.thresholds["test_failure.reds"]) == (9, 0)
    assert found.digest != configured(chosen(own, "strict")).digest


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("repeted.failed=3", 'no threshold "repeted.failed"; the nearest is "repeated.failed"'),
        ("repeated=3", 'no threshold "repeated"; the nearest is "repeated.'),
        ("=3", "no threshold"),
        ("repeated.failed", "expected repeated.failed=NUMBER"),
        ("repeated.failed=", "expected repeated.failed=NUMBER"),
        ("repeated.failed=-1", "0 or more"),
        ("repeated.failed=nan", "0 or more"),
        ("repeated.failed=inf", "0 or more"),
    ],
)
def test_what_is_no_threshold_is_refused_and_the_nearest_named(
    text: str, why: str, tmp_path: Path
) -> None:
    found = chosen(settings(tmp_path), thresholds=[text])
    assert isinstance(found, Unknown)
    assert why in found.detail


def test_what_is_no_profile_is_refused_and_the_nearest_named(tmp_path: Path) -> None:
    found = chosen(settings(tmp_path), "stict")
    assert found == Unknown(detail='no profile "stict"; the nearest is "strict"')


def test_another_profile_keeps_the_modes_that_the_file_says(tmp_path: Path) -> None:
    text = (
        '[modes.debug]\nhandoff = "none"\noutput = []\n[modes.implementation]\n'
        'shell = { git_record = "ask", write = "deny" }\n[modes.mine]\ntools = ["read"]\n'
    )
    made = configured(chosen(settings(tmp_path, text), "strict"))
    strict = settings(tmp_path, f'profile = "strict"\n{text}')
    assert made.modes == strict.configuration().modes
