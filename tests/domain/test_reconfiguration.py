"""Other settings than those in force: at once, or after a person's yes."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.configured import configuration_of, settings_of
from app.domain.decisions import Refusal
from app.domain.differences import covers, difference
from app.domain.entries import EVERYWHERE
from app.domain.evolve import evolve_all
from app.domain.policy import verdict
from app.domain.probes import grid
from app.domain.reconfiguration import changes_between, compared, faults
from app.domain.state import Book
from app.domain.summaries import summary
from app.domain.views import session_view
from tests.domain.values import Started, mode, values


def kinds(entries: Any) -> list[str]:
    return [entry.kind for entry in entries]


def waiting(floor: Started) -> dict[str, Any]:
    """What the open proposal of settings asks for; empty where there is none."""
    proposals = floor.session(EVERYWHERE).proposals.values()
    return {name: v for p in proposals for name, v in p.body["values"].items()}  # type: ignore[union-attr]


def test_an_empty_log_takes_everything() -> None:
    floor = Started(values(enforcement="observe", ceiling="yolo", rules_repeated_failed=0.0))
    assert kinds(floor.log) == ["configured"]
    assert floor.configuration.enforcement == "observe"
    assert floor.configuration.thresholds["repeated.failed"] == 0


def test_the_same_settings_write_nothing() -> None:
    assert Started().starts(values()) == ()


def test_what_decides_nothing_writes_nothing() -> None:
    floor = Started()
    assert floor.starts({**values(), "port": 1, "auth": {"reads": "token"}}) == ()


def test_what_is_no_freer_holds_at_once_and_the_entry_says_what_was() -> None:
    floor = Started()
    (entry,) = floor.starts_with(ceiling="ask", rules_repeated_failed=2.0)
    assert entry.kind == "configured"
    assert entry.body["was"] == {"ceiling": "yolo", "rules.repeated.failed": 3.0}
    assert summary(entry) == "profile default, enforce: ceiling yolo -> ask, " \
        "rules.repeated.failed 3 -> 2"  # fmt: skip
    assert (floor.configuration.ceiling, waiting(floor)) == ("ask", {})


def test_what_is_freer_waits_and_the_older_values_hold() -> None:
    floor = Started(values(ceiling="ask"))
    (entry,) = floor.starts_with(ceiling="auto", rules_repeated_failed=5.0)
    assert (entry.kind, entry.scope, entry.action, entry.direction) == (
        "proposed", "*", "configuration", "loosen"
    )  # fmt: skip
    assert entry.body["values"] == {"ceiling": "auto", "rules.repeated.failed": 5.0}
    assert entry.body["was"] == {"ceiling": "ask", "rules.repeated.failed": 3.0}
    assert entry.body["because"] == [{"rule": "configuration"}]
    assert summary(entry) == (
        "settings that may free a call wait for a person: ceiling ask -> auto, "
        "rules.repeated.failed 3 -> 5"
    )
    assert floor.configuration.ceiling == "ask"
    assert floor.configuration.thresholds["repeated.failed"] == 3


def test_a_file_that_does_both_is_split() -> None:
    floor = Started()
    made = floor.starts_with(ceiling="ask", enforcement="observe")
    assert kinds(made) == ["configured", "proposed"]
    assert made[0].body["values"]["enforcement"] == "enforce"  # type: ignore[index,call-overload]
    assert made[1].body["values"] == {"enforcement": "observe"}
    assert (floor.configuration.ceiling, floor.configuration.enforcement) == ("ask", "enforce")


def test_a_profile_is_what_it_brings() -> None:
    floor = Started()
    made = floor.starts_with(profile="strict", rules_denials_same=0.0, rules_denials_rate=0.3)
    assert kinds(made) == ["configured", "proposed"]
    assert floor.configuration.profile == "strict"
    assert waiting(floor) == {"rules.denials.same": 0.0}


def test_the_same_file_again_writes_nothing_and_another_one_asks_anew() -> None:
    floor = Started()
    (first,) = floor.starts_with(rules_repeated_failed=5.0)
    assert floor.starts_with(rules_repeated_failed=5.0) == ()
    ended, second = floor.starts_with(rules_repeated_failed=6.0)
    assert (ended.kind, ended.ref, ended.actor) == ("ended", first.seq, "machine")
    assert waiting(floor) == {"rules.repeated.failed": 6.0}
    assert floor.open(EVERYWHERE) == [second.seq]


def test_a_file_that_no_longer_asks_ends_the_proposal() -> None:
    floor = Started()
    (first,) = floor.starts_with(rules_repeated_failed=5.0)
    assert [(e.kind, e.ref) for e in floor.starts(values())] == [("ended", first.seq)]
    assert floor.open(EVERYWHERE) == []


def test_a_yes_writes_approved_and_configured_and_holds_at_once() -> None:
    floor = Started()
    wanted = values(rules_repeated_failed=5.0, ceiling="yolo", enforcement="observe")
    (proposal,) = floor.starts(wanted)
    approved, entry = floor.says("approve", proposal.seq)
    assert [approved.kind, entry.kind] == ["approved", "configured"]
    assert (approved.ref, entry.ref) == (proposal.seq, approved.seq)
    assert floor.configuration == configuration_of(wanted)
    assert floor.starts(wanted) == ()


def test_a_no_is_kept_until_the_file_changes() -> None:
    floor = Started()
    (proposal,) = floor.starts_with(enforcement="observe")
    floor.says("dismiss", proposal.seq)
    assert floor.starts_with(enforcement="observe") == ()
    assert kinds(floor.starts(values())) == ["ended"]
    assert floor.starts(values()) == ()
    assert kinds(floor.starts_with(enforcement="observe")) == ["proposed"]


def test_a_no_to_one_thing_is_none_to_another() -> None:
    floor = Started()
    (proposal,) = floor.starts_with(enforcement="observe")
    floor.says("dismiss", proposal.seq)
    made = floor.starts_with(enforcement="observe", rules_repeated_failed=5.0)
    assert kinds(made) == ["ended", "proposed"]
    assert waiting(floor).keys() == {"enforcement", "rules.repeated.failed"}


def test_what_was_approved_once_and_taken_back_in_the_file_is_asked_for_again() -> None:
    floor = Started()
    floor.says("approve", floor.starts_with(rules_repeated_failed=5.0)[0].seq)
    assert kinds(floor.starts(values())) == ["configured"]
    assert kinds(floor.starts_with(rules_repeated_failed=5.0)) == ["proposed"]


def test_apply_is_refused_and_names_approve() -> None:
    floor = Started()
    (proposal,) = floor.starts_with(enforcement="observe")
    answer = floor.tries("apply", proposal.seq, state=floor.state(EVERYWHERE))
    assert isinstance(answer, Refusal)
    assert (answer.why, answer.detail) == (
        "wrong_verb", f"{proposal.seq}: this change loosens: use approve {proposal.seq}"
    )  # fmt: skip


def test_a_yes_is_given_for_the_state_after_the_start_that_asked() -> None:
    floor = Started()
    before = floor.state(EVERYWHERE)
    _, proposal = floor.starts_with(ceiling="ask", enforcement="observe")
    assert proposal.body["state"] == floor.state(EVERYWHERE)
    stale = floor.tries("approve", proposal.seq, state=before)
    assert isinstance(stale, Refusal)
    assert stale.why == "state_changed"


def test_a_tightening_of_all_sessions_leaves_the_settings_waiting() -> None:
    floor = Started()
    (proposal,) = floor.starts_with(enforcement="observe")
    floor.sets("mode", {"mode": "plan"}, EVERYWHERE)
    assert floor.open(EVERYWHERE) == [proposal.seq]
    view: dict[str, Any] = session_view(floor.book, EVERYWHERE, floor.configuration)
    (shown,) = view["proposals"]
    assert (shown["action"], shown["direction"], shown["verb"]) == (
        "configuration", "loosen", "approve"
    )  # fmt: skip


def test_agents_leave_a_place_for_the_settings() -> None:
    floor = Started()
    names = ("plan", "debug", "review", "test_development", "implementation")
    for name in names:
        floor.proposes("mode", {"mode": name}, EVERYWHERE)
    assert not isinstance(floor.wishes("policy", {"posture": "ask"}, EVERYWHERE), tuple)
    floor.starts_with(enforcement="observe")
    assert len(floor.open(EVERYWHERE)) == 6


def test_modes_are_compared_one_by_one() -> None:
    floor = Started()
    made = floor.starts_with(
        modes_implementation=mode(shell={"unknown": "ask"}),
        modes_debug=mode("debug", writes=["temporary"], shell={"write": "scope_or_deny"}),
        modes_quick=mode("plan"),
    )
    assert kinds(made) == ["configured", "proposed"]
    assert waiting(floor).keys() == {"modes.debug"}
    assert floor.configuration.modes["implementation"].shell["unknown"] == "ask"
    assert floor.configuration.modes["debug"].writes == ()
    assert "quick" in floor.configuration.modes
    assert summary(made[1]).endswith(
        "modes.debug.writes nothing -> temporary, modes.debug.shell.write deny -> scope_or_deny"
    )


def test_a_start_mode_is_judged_by_what_the_mode_it_names_permits_then() -> None:
    floor = Started()
    assert kinds(floor.starts_with(start_mode="debug")) == ["configured"]
    assert kinds(floor.starts_with(start_mode="plan")) == ["configured"]
    assert kinds(floor.starts_with(start_mode="debug")) == ["proposed"]


def test_a_start_mode_whose_definition_waits_is_judged_by_the_older_one() -> None:
    floor = Started(values(start_mode="debug"))
    made = floor.starts_with(start_mode="plan", modes_plan=mode("debug", writes=["temporary"],
                             shell={"write": "scope_or_deny"}))  # fmt: skip
    assert kinds(made) == ["configured", "proposed"]
    assert waiting(floor).keys() == {"modes.plan"}
    assert floor.configuration.modes[floor.configuration.start_mode].writes == ()


def test_a_start_mode_from_which_the_boundary_is_crossed_always_waits() -> None:
    closed = mode("plan")
    floor = Started(values(start_mode="plan", modes_implementation=closed))
    floor.starts(values(start_mode="implementation", modes_implementation=closed))
    assert waiting(floor) == {"start_mode": "implementation"}


def test_a_mode_that_is_gone_goes_at_once_unless_sessions_start_in_it() -> None:
    careful = mode("debug")
    floor = Started(values(modes_careful=careful))
    assert kinds(floor.starts(values())) == ["configured"]
    assert "careful" not in floor.configuration.modes
    floor = Started(values(modes_careful=careful, start_mode="careful"))
    assert kinds(floor.starts(values())) == ["proposed"]
    assert waiting(floor) == {"start_mode": "implementation", "modes.careful": None}
    floor.says("approve", floor.open(EVERYWHERE)[0])
    assert floor.configuration == configuration_of(values())


def test_where_what_holds_at_once_would_not_hold_together_all_of_it_waits() -> None:
    both = mode(writes=["project", "test"])
    held = values(modes_both=both)  # as an older version without the check may have left it
    split = compared(held, values(modes_both=both, ceiling="ask", enforcement="observe"))
    assert split.at_once == {}
    assert split.waiting.keys() == {"ceiling", "enforcement"}
    assert settings_of(split.effective) == settings_of(held)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"start_mode": "fast"}, 'start_mode: there is no mode "fast"'),
        ({"modes_plan": None}, 'there is no mode "plan", to which a rule leads'),
        ({"modes_implementation": None, "start_mode": "plan"}, 'no mode "implementation"'),
        ({"modes_x": mode(writes=["test", "project"])}, "mode x writes both tests and impl"),
        ({"modes_x": mode(shell={"write": "none"})}, "mode x answers write with none"),
    ],
)
def test_a_configuration_that_cannot_hold_says_why(changes: Any, said: str) -> None:
    assert said in "\n".join(faults(configuration_of(values(**changes))))


def test_a_setting_of_an_older_version_is_compared_with_what_it_meant() -> None:
    older = values()
    del older["rules"]["blocked_storm"], older["standing"]["boundary"]
    split = compared(older, values())
    assert split.at_once.keys() == {"rules.blocked_storm.same", "rules.blocked_storm.any"}
    assert split.waiting.keys() == {"standing.boundary.uses"}


PUSH: dict[str, Any] = {
    "programs": ["git push"], "verdict": "ask", "base_rate": 0.8, "floor": 0.2, "window": 20,
    "strength": 0.5,
}  # fmt: skip


def test_a_soft_rule_holds_at_once_and_one_that_is_taken_away_waits() -> None:
    floor = Started()
    (entry,) = floor.starts_with(soft_push=PUSH)
    assert summary(entry) == "profile default, enforce: soft.push nothing -> a soft rule"
    assert [rule.name for rule in floor.configuration.soft] == ["push"]
    assert kinds(floor.starts(values())) == ["proposed"]
    assert waiting(floor) == {"soft.push": None}
    assert [rule.name for rule in floor.configuration.soft] == ["push"]
    floor.says("approve", floor.open(EVERYWHERE)[0])
    assert floor.configuration == configuration_of(values())


def test_a_lower_band_waits_while_a_higher_one_holds_at_once() -> None:
    floor = Started(values(soft_push=PUSH, soft_pull=PUSH))
    news = values(soft_push={**PUSH, "floor": 0.1}, soft_pull={**PUSH, "floor": 0.3})
    assert kinds(floor.starts(news)) == ["configured", "proposed"]
    assert {rule.name: rule.floor for rule in floor.configuration.soft} == {
        "push": 0.2,
        "pull": 0.3,
    }
    assert waiting(floor).keys() == {"soft.push"}


def test_a_log_from_before_soft_rules_has_the_digest_it_had() -> None:
    before = {name: value for name, value in values().items() if name != "soft"}
    assert "soft" not in values()
    assert configuration_of(before).digest == configuration_of(values()).digest
    assert configuration_of(values(soft_push=PUSH)).digest != configuration_of(before).digest


def test_the_fold_of_the_log_gives_the_same_configuration() -> None:
    floor = Started()
    floor.starts_with(ceiling="ask", enforcement="observe")
    floor.says("approve", floor.open(EVERYWHERE)[0])
    again = evolve_all(Book(), floor.log)
    assert again.configured == floor.book.configured
    assert again.configuration(configuration_of(values())).enforcement == "observe"


@pytest.mark.parametrize(
    ("reds", "alike", "expected"),
    [
        (1.0, mode(), "implementation"),
        (1.0, mode("debug"), "own"),
        (1.0, mode("plan"), "own"),
        (5.0, mode(), "own"),
    ],
)
def test_another_start_mode_waits_where_one_red_run_would_no_longer_lead_to_debug(
    reds: float, alike: dict[str, Any], expected: str
) -> None:
    held = values(rules_test_failure_reds=reds)
    floor = Started(held)
    floor.starts(values(rules_test_failure_reds=reds, modes_own=alike, start_mode="own"))
    assert floor.configuration.start_mode == expected
    assert waiting(floor) == ({} if expected == "own" else {"start_mode": "own"})


@pytest.mark.parametrize("name", ["implementation", "plan"])
def test_settings_that_only_observe_are_shown_to_free_every_call_that_was_not_let_pass(
    name: str,
) -> None:
    floor = Started(values(start_mode=name))
    (proposal,) = floor.starts(values(start_mode=name, enforcement="observe"))
    held = floor.held(EVERYWHERE)
    floor.says("approve", proposal.seq)
    assert difference(held, floor.held(EVERYWHERE)) == ()
    found = difference(held, floor.held(EVERYWHERE), unenforced=True)
    for call in grid():
        said = verdict(held, call)
        assert said == "none" or any(covers(item, call, said, "none") for item in found)


def test_what_is_shown_of_settings_that_only_observe_says_so() -> None:
    floor = Started()
    floor.starts_with(enforcement="observe")
    view: Any = session_view(floor.book, EVERYWHERE, floor.configuration)
    (shown,) = view["proposals"]
    paths = [item["what"] for item in shown["difference"]["freer"]["paths"]]
    assert paths == ["tests", "guarded settings", "files elsewhere"]


NO_WEB = {
    f"modes_{name}": mode(name, tools=[tool for tool in mode(name)["tools"] if tool != "web"])
    for name in ("implementation", "debug", "review", "plan")
}


@pytest.mark.parametrize(
    ("news", "at_once"),
    [
        ({"modes_implementation": NO_WEB["modes_implementation"]}, set()),
        ({"modes_own": NO_WEB["modes_implementation"], "start_mode": "own"}, set()),
        (NO_WEB, {key.replace("_", ".") for key in NO_WEB}),
        ({"modes_plan": NO_WEB["modes_plan"]}, {"modes.plan"}),
        ({"start_mode": "review"}, {"start_mode"}),
    ],
)
def test_a_mode_waits_where_it_is_stricter_and_no_rule_would_lead_from_it_any_more(
    news: dict[str, Any], at_once: set[str]
) -> None:
    floor = Started()
    held = floor.configuration
    floor.starts_with(ceiling="ask", **news)
    wanted = changes_between(values(), values(ceiling="ask", **news))
    assert waiting(floor).keys() == wanted.keys() - at_once - {"ceiling"}
    assert (held.ceiling, floor.configuration.ceiling) == ("yolo", "ask")


def test_what_waits_for_that_keeps_the_rules_at_work() -> None:
    floor = Started()
    floor.starts_with(modes_implementation=NO_WEB["modes_implementation"])
    floor.failing("make", 3)
    assert floor.mode() == "plan"


def test_the_difference_of_settings_names_the_modes_that_are_not_in_force_now() -> None:
    floor = Started(values(ceiling="ask"))
    floor.starts_with(ceiling="yolo", modes_debug=mode("debug", shell={"unknown": "ask"}))
    view: Any = session_view(floor.book, EVERYWHERE, floor.configuration)
    (shown,) = view["proposals"]
    freer = [item for items in shown["difference"]["freer"].values() for item in items]
    assert [i["what"] for i in freer if i.get("mode") == "debug"] == [
        "tools nobody can vouch for (in mode debug)",
        "commands nobody can vouch for (in mode debug)",
    ]
    assert "editing tools" in [item["what"] for item in freer if "mode" not in item]
    held = [item for item in freer if item.get("mode") == "implementation"]
    assert held == []  # what is in force is told once, by itself
