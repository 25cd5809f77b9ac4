"""Soft rules over random logs and settings: the band, the hard rules, the same draws again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.attempts import OURS, judge
from app.domain.entries import Draft, Entry
from app.domain.evolve import evolve
from app.domain.governor import draw, induced, rate
from app.domain.modes import TOOL_CLASSES, VERDICTS
from app.domain.softrules import SoftRule, no_freer_rule, soft_rule_json, soft_rule_of
from app.domain.state import Book
from app.domain.transaction import Pending
from tests.domain.commands import SCOPES, histories, play
from tests.domain.floor import AT, Floor, configured
from tests.domain.ledger import audit

_share = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]) | st.floats(0, 1)
_lists = {
    "tools": st.lists(st.sampled_from(TOOL_CLASSES), min_size=1, max_size=3),
    "paths": st.lists(st.sampled_from(["project/", "test/", "*.py"]), min_size=1, max_size=2),
    "programs": st.lists(st.sampled_from(["rm", "git push"]), min_size=1, max_size=2),
}


@st.composite
def soft_rules(draws: st.DrawFn, name: str = "risky") -> SoftRule:
    """Any soft rule that settings may hold."""
    low, high = sorted((draws(_share), draws(_share)))
    named = draws(st.lists(st.sampled_from([*_lists]), max_size=2, unique=True))
    about: dict[str, Any] = {key: draws(_lists[key]) for key in named} or {"tools": ["edit"]}
    numbers = {"base_rate": high, "floor": low, "strength": draws(_share)}
    window, verdict = draws(st.integers(1, 100)), draws(st.sampled_from(["ask", "deny"]))
    return soft_rule_of(name, {**about, **numbers, "window": window, "verdict": verdict})


_rules = st.lists(soft_rules(), max_size=3).map(
    lambda rules: tuple(replace(rule, name=f"r{at}") for at, rule in enumerate(rules))
)
_tries = st.tuples(
    st.just("try"),
    st.sampled_from(["s", "s", "s/a", "t"]),
    st.sampled_from(["x.py", "y.py"]),
    st.sampled_from(["project", "project", "test", "guarded"]),
)
_lifts = st.tuples(
    st.just("set"),
    st.sampled_from([*SCOPES, "*"]),
    st.tuples(st.just("policy"), st.just({"lifted": ["r0", "r1:project/x.py"]})),
)
_acts = st.lists(_tries | _tries | _lifts, min_size=4, max_size=25)


@st.composite
def logs(draws: st.DrawFn) -> Floor:
    """A floor after anything that may happen to it, attempts in particular."""
    enforcement = draws(st.sampled_from(["enforce", "enforce", "enforce", "observe"]))
    floor = Floor(configured(soft=draws(_rules), enforcement=enforcement))
    happens = [*draws(_acts), *draws(histories)[:12]]
    for command in draws(st.permutations(happens)):
        if command[0] == "try":
            _, scope, name, zone = command
            target = {"path": f"{zone}/{name}", "zone": zone}
            floor.asks(scope, identity=f"edit {name} {zone}", targets=[target])
        else:
            play(floor, command)
    return floor


def asked(entry: Entry) -> bool:
    """Whether an entry is the first verdict on an attempt."""
    return entry.kind == "decided" and entry.ref is None


def again(floor: Floor, book: Book, entry: Entry, **changes: Any) -> Any:
    """The attempt of an entry judged once more, over the log before it; what its entry says."""
    body = {key: value for key, value in entry.body.items() if key not in OURS}
    draft = Draft(kind="decided", scope=entry.scope, action="tool", actor=entry.actor, body=body)
    configuration = replace(floor.configuration, **changes)
    return judge(Pending(book=book, at=entry.at), draft, None, configuration).entry.body


@given(soft_rules(), st.lists(st.booleans(), max_size=120))
def test_the_effective_rate_stays_in_the_band_that_a_person_set(
    rule: SoftRule, draws: list[bool]
) -> None:
    share = induced(draws, rule.window)
    assert 0 <= share <= 1
    assert rule.floor <= rate(rule, share) <= rule.base_rate
    assert rate(rule, 0.0) == rule.base_rate
    assert rate(replace(rule, strength=0.0), share) == rule.base_rate


@given(st.text(min_size=1, max_size=20), st.integers(1, 2**53))
def test_a_draw_is_below_one_and_always_the_same(scope: str, seq: int) -> None:
    assert 0 <= draw(scope, seq) == draw(scope, seq) < 1


@settings(max_examples=60)
@given(logs())
def test_every_draw_of_a_log_stays_in_its_band_and_is_of_its_place(floor: Floor) -> None:
    rules = {rule.name: rule for rule in floor.configuration.soft}
    for entry in filter(asked, floor.log):
        said: Any = entry.body.get("soft", [])
        for each in (each for each in said if "draw" in each):
            rule = rules[each["rule"]]
            assert rule.floor <= each["rate"] <= rule.base_rate
            assert each["rate"] == rate(rule, each["induced"])
            assert each["draw"] == draw(entry.scope, entry.seq)
            assert each["intervened"] is (each["draw"] < each["rate"])


@settings(max_examples=60)
@given(logs())
def test_a_fold_of_the_log_and_a_second_decision_come_to_the_same(floor: Floor) -> None:
    book = Book()
    for entry in floor.log:
        if asked(entry):
            assert again(floor, book, entry) == entry.body
        book = evolve(book, entry)
    assert book == floor.book


@settings(max_examples=60)
@given(logs())
def test_hard_verdicts_and_applied_tightenings_are_out_of_reach(floor: Floor) -> None:
    book = Book()
    for entry in floor.log:
        if asked(entry):
            hard, said = again(floor, book, entry, soft=()), entry.body
            verdicts = [body.get("would", body["verdict"]) for body in (hard, said)]
            assert VERDICTS.index(verdicts[0]) <= VERDICTS.index(verdicts[1])
            if verdicts[0] == verdicts[1]:
                kept = {key: value for key, value in said.items() if key != "soft"}
                assert kept == hard
            else:
                assert str(said["rule"]).startswith("soft:")
        book = evolve(book, entry)
    assert audit(floor.log) == []
    for entry in floor.log:
        policy: Any = entry.body.get("policy") if entry.kind == "applied" else None
        was: Any = entry.body.get("was")
        if policy and entry.actor == "machine" and isinstance(was, dict):
            assert set(policy.get("lifted", ())) <= set(was.get("lifted", ()))


@given(soft_rules(), soft_rules(), st.lists(st.booleans(), max_size=120))
def test_a_rule_that_is_no_freer_is_never_laxer(
    old: SoftRule, new: SoftRule, draws: list[bool]
) -> None:
    merged = replace(
        old,
        base_rate=max(old.base_rate, new.base_rate),
        floor=max(old.floor, new.floor),
        strength=min(old.strength, new.strength),
    )
    assert no_freer_rule(old, old)
    assert no_freer_rule(old, merged)
    if no_freer_rule(old, new):
        assert rate(new, induced(draws, new.window)) >= rate(old, induced(draws, old.window))
    assert soft_rule_of(old.name, soft_rule_json(old)) == old


def test_the_properties_meet_what_they_are_about() -> None:
    """Of a hundred attempts some are stopped and some let through, or nothing was shown."""
    soft = soft_rule_of(
        "r0", {"tools": ["edit"], "verdict": "deny", "base_rate": 0.9, "floor": 0.1, "strength": 1}
    )
    floor = Floor(configured(soft=(soft,)))
    assert floor.at == AT
    path: Any = {"targets": [{"path": "a.py", "zone": "project"}]}
    verdicts = [floor.asks(identity="e", **path).verdict for _ in range(100)]
    assert 10 < verdicts.count("deny") < 90
