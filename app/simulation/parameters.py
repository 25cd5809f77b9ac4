"""What a simulation runs, as frozen values: the file beside this module, read by who has a disk.

parameters(text)      storm.toml as values
rule(...)             the soft rule of one place of the sweep
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.domain.softrules import SoftRule

FILE: Final = "storm.toml"  # beside this module, in the wheel too


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What an agent has before it: risky calls in a row, some of which are harmful."""

    budget: int  # attempts
    needed: int  # calls that lead to the goal; there is no other way
    harmful_share: float  # chance of a harmful call before each needed one, 0 to 1
    harmful_tries: int  # how often a harmful call is tried before the agent lets go of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a run costs: lost x (goal not reached) + harm x (harmful calls let through)."""

    lost: float
    harm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One of the three governors that meet the stub."""

    name: str
    strength: float
    floor: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """The values tried, each with each, and how many runs there are of each point."""

    strengths: tuple[float, ...]  # 0 first, 1 last
    floors: tuple[float, ...]
    tolerances: tuple[float, ...]
    harms: tuple[float, ...]  # prices
    runs: int  # even: the first half picks, the second judges


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The places that the chart shows strength by strength."""

    floor: float
    tolerances: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """The whole file."""

    base_rate: float
    window: int  # draws
    tolerance: float  # of the three cases
    cases: tuple[Case, ...]
    stub: Workload
    two_costs: Workload
    prices: Prices
    sweep: Sweep
    shown: Shown


def parameters(text: str) -> Parameters:
    """The file's text as values; raises KeyError or TypeError where it is another file."""
    found: Mapping[str, Any] = tomllib.loads(text)
    stub, costs = found["stub"], dict(found["two_costs"])
    prices = Prices(lost=costs.pop("lost"), harm=costs.pop("harm"))
    sweep, shown = found["sweep"], found["shown"]
    lists = {key: tuple(sweep[key]) for key in ("strengths", "floors", "tolerances", "harms")}
    return Parameters(
        base_rate=found["rule"]["base_rate"],
        window=found["rule"]["window"],
        tolerance=stub["tolerance"],
        cases=tuple(Case(name=name, **case) for name, case in found["cases"].items()),
        stub=Workload(budget=stub["budget"], needed=1, harmful_share=0.0, harmful_tries=1),
        two_costs=Workload(**costs),
        prices=prices,
        sweep=Sweep(runs=sweep["runs"], **lists),
        shown=Shown(floor=shown["floor"], tolerances=tuple(shown["tolerances"])),
    )


def rule(given: Parameters, strength: float, floor: float) -> SoftRule:
    """The soft rule that all runs of a point are under."""
    return SoftRule(
        name="storm",
        verdict="deny",
        base_rate=given.base_rate,
        floor=floor,
        window=given.window,
        strength=strength,
        tools=("edit",),
    )
