"""Soft rules: which calls they are about, how often they stop one, and how a person lifts them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.domain.attempts import Judged
from app.domain.calls import Target
from app.domain.governor import covers, draw, induced, intervenes, rate
from app.domain.proposing import Unclear
from app.domain.restrictions import Call
from app.domain.softrules import SoftRule, parsed_soft_rule, soft_rule_json, soft_rule_of
from app.domain.summaries import summary
from app.domain.views import escalations, session_row
from tests.domain.floor import Floor, body, configured, short
from tests.domain.ledger import audit
from tests.domain.verdict_cases import cases

WHOLE: dict[str, Any] = {"tools": ["edit"], "verdict": "deny", "base_rate": 1.0, "floor": 0.5}


def rule(**fields: Any) -> SoftRule:
    """A soft rule on edits, unless told otherwise."""
    return soft_rule_of("edits", {**WHOLE, **fields})


def ruled(*rules: SoftRule, **changes: Any) -> Floor:
    """A floor with soft rules."""
    return Floor(configured(soft=rules, **changes))


def tries(floor: Floor, path: str = "a.py", **said: Any) -> Judged:
    """An attempt to edit a file."""
    target = {"path": path, "zone": "project"}
    return floor.asks(**{"identity": f"edit {path}", "targets": [target], **said})


def drawn(judged: Judged) -> dict[str, Any]:
    """What the entry says of the only soft rule that was asked."""
    (said,) = body(judged.entry)["soft"]
    return dict(said)


@pytest.mark.parametrize("case", cases("governor"))
def test_rate_and_average_are_what_the_case_says(case: Any) -> None:
    floor, answers = ruled(rule(**case["rule"])), list[Judged]()
    for what in case["given"]:
        match what:
            case "change":
                change: dict[str, Any] = {"class": "edit", "edit": "e", "changed_state": True}
                floor.call("edit", **change)
            case "prompt":
                floor.prompts()
            case "refused" | "ran":
                last = answers[-1].entry
                outcome = "denied" if what == "refused" else "ok"
                ended: dict[str, Any] = {"class": "edit", "call_id": last.body["call_id"]}
                floor.call("edit a", ref=last.seq, outcome=outcome, **ended)
            case _:
                answers.append(tries(floor, what, call_id=f"c{len(answers)}"))
    shown = [[drawn(each)["rate"], round(drawn(each)["induced"], 4)] for each in answers]
    assert shown == case["then"], case["why"]
    assert audit(floor.log) == []
    assert floor.folded() == floor.book


@pytest.mark.parametrize(
    ("said", "matched"),
    [
        ({"tools": ["edit"]}, True),
        ({"tools": ["shell", "edit"]}, True),
        ({"tools": ["shell"]}, False),
        ({"programs": ["git push"]}, True),
        ({"programs": ["git pull", "rm"]}, False),
        ({"paths": ["infra/"]}, True),
        ({"paths": ["*.tf"]}, True),
        ({"paths": ["src/**"]}, False),
        ({"network": True}, True),
        ({"tools": ["edit"], "programs": ["git push"], "paths": ["infra/"]}, True),
        ({"tools": ["shell"], "programs": ["git push"], "paths": ["infra/"]}, False),
    ],
)
def test_a_rule_is_about_calls_where_all_that_it_names_holds(said: Any, matched: bool) -> None:
    call = Call(
        tool="x",
        tool_class="edit",
        effects=("write",),
        targets=(Target(path="infra/main.tf", zone="project"),),
        commands=("cd infra", "/usr/bin/git push origin"),
    )
    named = {key: value for key, value in WHOLE.items() if key != "tools"}
    assert covers(soft_rule_of("x", {**named, **said}), call) is matched


@pytest.mark.parametrize(
    ("tool_class", "commands", "matched"),
    [
        ("web", (), True),
        ("shell", ("curl https://example.org",), True),
        ("shell", ("git status",), False),
        ("read", (), False),
    ],
)
def test_what_uses_the_network(tool_class: Any, commands: Any, matched: bool) -> None:
    call = Call(tool="x", tool_class=tool_class, effects=("unknown",), commands=commands)
    network = rule(network=True)
    assert covers(replace(network, tools=None), call) is matched


def test_the_rate_stays_in_its_band_at_both_ends() -> None:
    soft = rule(base_rate=0.8, floor=0.2, strength=1.0)
    assert [rate(soft, share) for share in (0.0, 0.5, 1.0)] == [0.8, 0.4, 0.2]
    assert induced((), 5) == 0
    assert induced((True, False, True, True), 3) == pytest.approx(2 / 3)


def test_a_draw_is_a_function_of_scope_and_place() -> None:
    assert draw("s", 7) == draw("s", 7)
    assert len({draw("s", 7), draw("s", 8), draw("s/a", 7)}) == 3
    numbers = [draw("s", seq) for seq in range(2_000)]
    assert all(0 <= number < 1 for number in numbers)
    assert 0.45 < sum(numbers) / len(numbers) < 0.55
    assert not intervenes(0.0, 0.0)
    assert intervenes(max(numbers), 1.0)


def test_a_call_let_through_says_so_with_rate_and_average() -> None:
    floor = ruled(rule(base_rate=0.0, floor=0.0))
    judged = tries(floor)
    assert (judged.verdict, judged.rule) == ("none", None)
    assert drawn(judged) == {
        "rule": "edits",
        "base_rate": 0.0,
        "rate": 0.0,
        "induced": 0.0,
        "draw": draw("s", judged.entry.seq),
        "intervened": False,
    }
    assert summary(judged.entry).endswith("let through by soft rule edits (rate 0, induced 0)")


def test_a_soft_rule_is_named_by_verdict_and_reason() -> None:
    judged = tries(ruled(rule()))
    assert (judged.verdict, judged.rule) == ("deny", "soft:edits")
    assert judged.reason == (
        f'[floorboss {judged.entry.seq}] the soft rule "edits" denies calls like this one.'
        " Do without it, or say what you need it for."
    )


def test_hard_verdicts_come_first_and_ask_nobody() -> None:
    floor = ruled(rule(verdict="ask"))
    floor.sets("policy", {"posture": "read-only"})
    judged = tries(floor)
    assert (judged.verdict, judged.rule) == ("deny", "posture")
    assert "soft" not in judged.entry.body


def test_a_soft_denial_holds_beside_a_hard_question() -> None:
    """Or the machine's step from yolo to ask would free what the soft rule denied."""
    floor = ruled(rule(verdict="deny"))
    floor.sets("policy", {"posture": "ask"})
    assert tries(floor).rule == "soft:edits"
    asking = ruled(rule(verdict="ask"))
    asking.sets("policy", {"posture": "ask"})
    assert tries(asking).rule == "posture"


def test_of_several_rules_the_strictest_that_stops_decides_and_all_are_told() -> None:
    first, second = rule(verdict="ask"), replace(rule(verdict="deny"), name="files")
    judged = tries(ruled(first, second))
    assert (judged.verdict, judged.rule) == ("deny", "soft:files")
    assert [said["rule"] for said in body(judged.entry)["soft"]] == ["edits", "files"]


def test_the_same_attempt_asked_again_has_the_draw_it_had() -> None:
    floor = ruled(rule(base_rate=0.5, floor=0.5))
    for at in range(20):
        first = tries(floor, call_id=f"c{at}")
        again = tries(floor, call_id=f"c{at}")
        assert (again.repeated, again.verdict) == (True, first.verdict)


def test_an_attempt_asked_again_keeps_draw_and_average_though_it_was_lifted_between() -> None:
    floor = ruled(rule(floor=0.0, strength=1.0))
    first = tries(floor, call_id="c")
    for at in range(4):
        tries(floor, call_id=f"c{at}")
    floor.sets("policy", {"lifted": ["edits"]})
    assert tries(floor, call_id="c").verdict == "none"
    floor.decides("revert", next(e.seq for e in reversed(floor.log) if e.kind == "applied"))
    again = tries(floor, call_id="c")
    assert (again.repeated, again.verdict, drawn(again)) == (False, "deny", drawn(first))


def test_in_observe_it_is_said_and_nothing_is_stopped() -> None:
    judged = tries(ruled(rule(), enforcement="observe"))
    assert (judged.verdict, judged.would, judged.rule) == ("none", "deny", "soft:edits")


def test_a_yes_to_what_the_escalation_proposes_lets_exactly_this_step_pass() -> None:
    floor = ruled(rule(floor=1.0))
    for _ in range(2):
        tries(floor)
    (proposed,) = floor.open()
    assert floor.entry(proposed).body["policy"] == {
        "posture": "yolo",
        "verdicts": {},
        "shell_denials": [],
        "write_paths": None,
        "lifted": ["edits:a.py"],
    }
    assert floor.entry(proposed).body["limit"] == {"session": True}
    entries = floor.decides("approve", proposed)
    assert short(entries) == ["approved policy neutral", "applied policy yolo loosen"]
    assert tries(floor, identity="another edit").verdict == "none"
    assert body(floor.log[-1])["soft"] == [{"rule": "edits", "lifted": True}]
    assert escalations(floor.session()) == []
    assert tries(floor, "b.py").verdict == "deny"
    assert audit(floor.log) == []


def test_a_person_lifts_a_whole_rule_for_a_while_and_it_comes_back() -> None:
    floor = ruled(rule(floor=1.0))
    floor.sets("policy", {"lifted": ["edits"]})
    assert [tries(floor).verdict, tries(floor, "b.py").verdict] == ["none", "none"]
    floor.decides("revert", next(e.seq for e in reversed(floor.log) if e.kind == "applied"))
    assert tries(floor).verdict == "deny"


def test_only_a_rule_that_there_is_can_be_lifted() -> None:
    floor = ruled(rule(floor=1.0))
    for lifted in ("edit", "edit:step"):
        answer = floor.wishes("policy", {"lifted": [lifted]})
        assert isinstance(answer, Unclear)
        assert answer.detail == 'lifted: there is no soft rule "edit"; there are: edits'


def test_every_policy_in_force_must_lift_it() -> None:
    floor = ruled(rule(floor=1.0))
    floor.sets("policy", {"posture": "yolo"}, "*")
    floor.sets("policy", {"lifted": ["edits"]})
    assert tries(floor).verdict == "deny"
    tries(floor)
    assert floor.open() == []  # a yes in the session would not help


def test_no_machine_lifts_a_soft_rule() -> None:
    floor = ruled(rule())
    floor.sets("policy", {"lifted": ["edits"]})
    for at in range(3):
        floor.call("rm", outcome="denied", call_id=f"d{at}")
    held = floor.held().policies[0]
    assert held.lifted == ("edits",)  # nor does it take a person's word away without need
    assert audit(floor.log) == []


def test_interventions_of_soft_rules_are_counted_like_any_other() -> None:
    floor = ruled(rule(floor=1.0))
    for _ in range(4):
        tries(floor)
    counted: Any = session_row(floor.book, floor.session(), floor.configuration)["interventions"]
    assert counted == {
        "attempted": 4,
        "blocked": 4,
        "rate": 1.0,
        "blocked_then_blocked": 3,
        "steps_after_first_terminal_block": 2,
        "escalations": 1,
    }


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ({"verdict": "none"}, "verdict: expected one of ask, deny"),
        ({"base_rate": 1.5}, "base_rate: expected a number from 0 to 1"),
        ({"base_rate": True}, "base_rate: expected a number from 0 to 1"),
        ({"floor": -0.1}, "floor: expected a number from 0 to 1"),
        ({"floor": 0.9, "base_rate": 0.5}, "floor is at most base_rate"),
        ({"window": 0}, "window: expected a whole number from 1 to 100"),
        ({"window": 2.5}, "window: expected a whole number from 1 to 100"),
        ({"strength": float("nan")}, "strength: expected a number from 0 to 1"),
        ({"tools": []}, "tools: expected a list of 1 to 20 texts"),
        ({"tools": ["hammer"]}, "tools: expected words of read"),
        ({"paths": ["!a"]}, "paths: "),
        ({"programs": [" "]}, "programs: expected a list of 1 to 20 texts"),
        ({"network": False}, "network: expected true, or no such line"),
        ({"colour": "red"}, "colour: a soft rule has verdict"),
        ({"tools": None}, "tools: expected a list of 1 to 20 texts"),
    ],
)
def test_a_rule_that_means_nothing_is_refused(said: Any, wrong: str) -> None:
    found = parsed_soft_rule("x", {**WHOLE, **said})
    assert not isinstance(found, SoftRule)
    assert found.detail.startswith(wrong)


@pytest.mark.parametrize("missing", ["verdict", "base_rate", "floor", "tools"])
def test_a_rule_says_its_band_its_verdict_and_what_it_is_about(missing: str) -> None:
    found = parsed_soft_rule("x", {key: said for key, said in WHOLE.items() if key != missing})
    assert not isinstance(found, SoftRule)
    assert missing in found.detail


def test_a_rule_is_read_back_as_it_was_written() -> None:
    soft = rule(programs=["rm"], paths=["a/"], network=True, window=3, strength=0.25)
    assert soft_rule_of("edits", soft_rule_json(soft)) == soft
