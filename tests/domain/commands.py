"""Random histories: what harness and person may do, as commands that can be drawn and replayed."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from app.domain.decisions import Verb
from app.domain.limits import Limit
from tests.domain.floor import Floor

Command = tuple[Any, ...]

SCOPES = ("s", "s/a", "s/b", "s/c", "t")
PARENTS = {"s/c": "a"}  # an agent that another one started
MODES = ("implementation", "test_development", "debug", "review", "plan")
POSTURES = ("yolo", "auto", "ask", "read-only")
VERBS: tuple[Verb, ...] = ("apply", "approve", "revert", "dismiss")

_scope = st.sampled_from(["s", "s", "s/a", "s/a", "s/b", "s/c", "t"])
_name = st.sampled_from(["x", "y", "z"])
_value = st.one_of(
    st.tuples(st.just("mode"), st.builds(lambda m: {"mode": m}, st.sampled_from(MODES))),
    st.tuples(st.just("policy"), st.builds(lambda p: {"posture": p}, st.sampled_from(POSTURES))),
    st.tuples(st.sampled_from(["mode", "policy"]), st.just({"return": True})),
)
_limit = st.one_of(
    st.just(Limit(kind="session")),
    st.builds(lambda n: Limit(kind="minutes", amount=n), st.integers(1, 10)),
    st.builds(lambda n: Limit(kind="calls", amount=n), st.integers(1, 2)),
)
_events = st.one_of(
    st.tuples(st.just("fail"), _scope, _name),
    st.tuples(st.just("edits"), _scope, _name),
    st.tuples(st.just("denied"), _scope, _name),
    st.tuples(st.just("clean"), _scope),
    st.tuples(st.just("gap"), _scope),
    st.tuples(st.just("full"), _scope, st.sampled_from([0.5, 0.9])),
    st.tuples(st.just("compact"), _scope),
    st.tuples(st.just("prompt"), _scope, st.booleans()),
    st.tuples(st.just("run"), _scope, st.sampled_from(["red", "green"])),
    st.tuples(st.just("ask"), _scope, _name, st.sampled_from(["test", "project"])),
    st.tuples(st.just("hand"), _scope, st.sampled_from(["diagnosis", "plan"]), st.booleans()),
    st.tuples(st.just("leave"), _scope, st.sampled_from(["ok", "denied"])),
    st.tuples(st.sampled_from(["session_start", "session_end", "usage"]), _scope),
)
_decisions = st.one_of(
    st.tuples(st.sampled_from(VERBS), st.integers(0, 5), st.booleans()),
    st.tuples(st.just("wish"), st.sampled_from([*SCOPES, "*"]), _value),
    st.tuples(st.just("set"), st.sampled_from([*SCOPES, "*"]), _value),
    st.tuples(st.just("lend"), st.sampled_from([*SCOPES, "*"]), _value, _limit),
    st.tuples(st.just("lend back"), st.integers(0, 5), _limit),
    st.tuples(st.just("wait"), st.sampled_from([1, 5, 60])),
)
histories = st.lists(st.one_of(_events, _decisions), min_size=12, max_size=60)


def play(floor: Floor, command: Command) -> None:
    """Carry out one command; a decision that is refused changes nothing."""
    match command:
        case ("fail", scope, name):
            floor.failing(name, 3, scope, **_parent(scope))
        case ("edits", scope, name):
            for at in range(4):
                _edit(floor, scope, name, at)
        case ("denied", scope, name):
            for _ in range(3):
                floor.call(name, scope, outcome="denied", **_parent(scope))
        case ("clean", scope):
            for at in range(30):
                floor.call(f"clean {at}", scope, **_parent(scope))
        case ("gap", scope):
            floor.call("cover", scope, coverage={"percent": 1, "required": 2}, **_parent(scope))
        case ("full", scope, share):
            floor.call("full", scope, context_tokens=int(1000 * share), context_limit=1000)
        case ("compact", scope):
            floor.reports(scope, "compaction", kind="compact")
        case ("prompt", scope, person):
            floor.reports(scope, "prompt", kind="prompt", person=person)
        case ("run", scope, result):
            run = {"runner": "pytest", "target": "pytest", "result": result}
            floor.call("run", scope, test=run, failed=result == "red", **_parent(scope))
        case ("ask", scope, name, zone):
            floor.asks(scope, name, targets=[{"path": f"{zone}/{name}.py", "zone": zone}])
        case ("hand", scope, kind, valid):
            floor.hands(kind, scope, valid=valid, **_parent(scope))
        case ("leave", scope, outcome):
            floor.hands("plan", scope, call_id="leave", **_parent(scope))
            floor.call("leave", scope, call_id="leave", outcome=outcome, **_parent(scope))
        case ("session_start" | "session_end" as kind, scope):
            floor.reports(scope, "session", kind=kind)
        case ("usage", scope):
            floor.reports(scope, "usage", kind="usage", usage={"cost": 1.0})
        case ("wish", scope, (action, value)):
            floor.wishes(action, value, scope)
        case ("set", scope, (action, value)):
            _set(floor, scope, action, value)
        case ("lend", scope, (action, value), limit):
            _set(floor, scope, action, value, limit=limit)
        case ("lend back", at, limit):
            _decide(floor, "approve", at, latest=True, limit=limit)
        case ("wait", minutes):
            floor.waits(minutes)
        case (verb, at, latest):
            _decide(floor, verb, at, latest)
        case _:
            raise AssertionError(command)


def _set(floor: Floor, scope: str, action: Any, value: Any, **more: Any) -> None:
    state = floor.state(scope)
    floor.wishes(action, value, scope, actor="human:ann", decide=True, expected_state=state, **more)


def _parent(scope: str) -> dict[str, Any]:
    return {"parent_agent_id": PARENTS[scope]} if scope in PARENTS else {}


def _edit(floor: Floor, scope: str, name: str, at: int) -> None:
    floor.call(
        f"edit {name} {at}",
        scope,
        **{"class": "edit"},
        outcome="error",
        failed=True,
        path=name,
        edit=f"{name} {at}",
        **_parent(scope),
    )


def _decide(floor: Floor, verb: Verb, at: int, latest: bool, limit: Limit | None = None) -> None:
    """Decide about one of the proposals that wait, or about one of the applied entries."""
    if verb == "revert":
        known = [entry.seq for entry in floor.log if entry.kind == "applied"]
    else:
        known = [seq for scope in ("s", "t", "*") for seq in floor.open(scope)]
    if known:
        seq = known[-1 - at % len(known)] if latest else known[at % len(known)]
        floor.tries(verb, seq, state=floor.state(floor.entry(seq).scope), limit=limit)
