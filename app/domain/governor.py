"""The governor: soft rules intervene less often where interventions only cause more of them.

    rate(rule, share)          max(floor, base_rate * (1 - strength * induced)), inside the band
    induced(draws, window)     share of the latest draws that stopped a step stopped just before
    draw(scope, seq)           a number from 0 to 1 for one attempt, the same at every replay
    governed(decision, ...)    the verdict after the soft rules: never freer than before

Hard rules come first and are out of reach: a soft rule is asked only where it would be stricter
than what they said, so that all it can do is to stop a call (docs/design.md 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from app.domain.events import Json
from app.domain.modes import VERDICTS
from app.domain.patterns import matches
from app.domain.policy import starts
from app.domain.replacing import replace
from app.domain.restrictions import Call, Decision, Policy
from app.domain.softrules import SoftRule
from app.domain.stream import Stream

STEPS: Final = 1_000_000  # different draws: six digits, which a person can read
KEY: Final = b"floorboss soft rule"
# Programs that talk to other machines, some of them only with these words.
NETWORK: Final = (
    *("curl", "wget", "ssh", "scp", "sftp", "rsync", "ftp", "telnet", "nc", "ncat", "gh", "aws"),
    *("gcloud", "az", "kubectl", "ping", "dig", "nslookup"),
    *("git push", "git pull", "git fetch", "git clone", "git ls-remote", "git remote update"),
    *("npm install", "npm ci", "npm publish", "npx", "yarn add", "pnpm add", "pnpm install"),
    *("pip install", "pip3 install", "pip download", "uv add", "uv sync", "poetry add"),
    *("cargo install", "cargo publish", "go get", "gem install", "gem push", "docker pull"),
    *("docker push", "twine upload", "apt install", "apt-get install", "brew install"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One call that hard rules have judged, and what the governor knows of it."""

    call: Call
    identity: str
    scope: str
    seq: int  # of the first decided entry about it
    stream: Stream
    policies: Sequence[Policy]  # in force for it
    # What earlier entries about it say of soft rules, first ones first.
    said: Sequence[Mapping[str, Json]] = ()


def rate(rule: SoftRule, share: float) -> float:
    """How often a rule intervenes now, `floor` to `base_rate`; `share` is `induced`, 0 to 1."""
    wanted = rule.base_rate * (1 - rule.strength * share)
    return min(rule.base_rate, max(rule.floor, wanted))


def induced(draws: Sequence[bool], window: int) -> float:
    """The share of the latest `window` draws that stopped a step which had just been stopped.

    A draw that let a call through, or stopped a step for the first time, takes a place there, so
    that the rate comes back by itself. 0 where nothing was drawn yet.
    """
    latest = draws[-window:]
    return sum(latest) / len(latest) if latest else 0.0


def draw(scope: str, seq: int) -> float:
    """A number from 0 to below 1 that looks like chance and is a function of the entry's place."""
    text = f"{scope}\n{seq}".encode(errors="surrogatepass")
    number = int.from_bytes(blake2b(text, key=KEY, digest_size=8).digest(), "big")
    return number % STEPS / STEPS


def intervenes(drawn: float, effective: float) -> bool:
    """Whether a draw stops a call at a rate; a rate of 0 never does, one of 1 always."""
    return drawn < effective


def covers(rule: SoftRule, call: Call) -> bool:
    """Whether a rule is about a call: all that it names holds, of a list one item is enough."""
    return (
        (rule.tools is None or call.tool_class in rule.tools)
        and (rule.programs is None or _runs(call, rule.programs))
        and (rule.paths is None or _writes(call, rule.paths))
        and (not rule.network or call.tool_class == "web" or _runs(call, NETWORK))
    )


def governed(
    decision: Decision, rules: Iterable[SoftRule], attempt: Attempt
) -> tuple[Decision, list[Json]]:
    """The verdict after the soft rules, and what the entry says about each that was asked."""
    said: list[Json] = []
    for rule in rules:
        if not _stricter(rule, decision) or not covers(rule, attempt.call):
            continue
        if lifted(rule.name, attempt.policies, attempt.identity, _paths(attempt.call)):
            said.append({"rule": rule.name, "lifted": True})
            continue
        drawn = _drawn(rule, attempt)
        said.append(drawn)
        if drawn["intervened"]:
            decision = _stopped(decision, rule)
    return decision, said


def lifted(name: str, policies: Iterable[Policy], identity: str, paths: Sequence[str] = ()) -> bool:
    """Whether every policy in force lifts a rule for this call, as a whole or for its step."""
    return all(_lifts(policy, name, identity, paths) for policy in policies)


def steps_of(name: str, identity: str, paths: Sequence[str]) -> tuple[str, ...]:
    """How a policy names one step to lift a rule for it: by what it writes, else by the call."""
    return tuple(f"{name}:{step}" for step in paths or (identity,))


def _drawn(rule: SoftRule, attempt: Attempt) -> dict[str, Json]:
    """One draw; the same attempt asked again has the draw and the average that it had."""
    before = next((said for said in attempt.said if said.get("rule") == rule.name), {})
    share = before.get("induced")
    if not isinstance(share, int | float):
        share = induced(attempt.stream.draws.get(rule.name) or (), rule.window)
    effective, number = rate(rule, share), draw(attempt.scope, attempt.seq)
    return {
        "rule": rule.name,
        "base_rate": rule.base_rate,
        "rate": effective,
        "induced": share,
        "draw": number,
        "intervened": intervenes(number, effective),
    }


def _stricter(rule: SoftRule, decision: Decision) -> bool:
    return VERDICTS.index(rule.verdict) > VERDICTS.index(decision.verdict)


def _stopped(decision: Decision, rule: SoftRule) -> Decision:
    return replace(
        decision,
        verdict=rule.verdict,
        rule="soft",
        detail=rule.name,
        by="",
        handoff=None,
        effect=None,
        notice=0,
        command=True,
    )


def _lifts(policy: Policy, name: str, identity: str, paths: Sequence[str]) -> bool:
    if not policy.lifted:
        return False
    held = frozenset(policy.lifted)
    if name in held or f"{name}:{identity}" in held:
        return True
    return bool(paths) and held.issuperset(steps_of(name, identity, paths))


def _paths(call: Call) -> tuple[str, ...]:
    return tuple(dict.fromkeys(target.path for target in call.targets))


def _runs(call: Call, programs: Iterable[str]) -> bool:
    return any(starts(command, program) for program in programs for command in call.commands)


def _writes(call: Call, patterns: tuple[str, ...]) -> bool:
    return any(matches(patterns, target.path) for target in call.targets)
