"""The part of the settings that decides something, to and from the form that the log keeps.

A `configured` entry holds the values in force, and `configuration_of` makes the configuration from
the same values: what decides is what the log says.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from immutables import Map

from app.domain.configuration import Configuration, Standing
from app.domain.modes import mode_of

# The settings that decide a verdict or a reaction; the digest covers these and nothing else.
DECIDING = (
    "profile",
    "enforcement",
    "start_mode",
    "ceiling",
    "context_limit",
    "rules",
    "standing",
    "modes",
)


def configuration_of(values: Mapping[str, Any]) -> Configuration:
    """The configuration that a `configured` entry's values describe."""
    return Configuration(
        profile=values["profile"],
        enforcement=values["enforcement"],
        start_mode=values["start_mode"],
        ceiling=values["ceiling"],
        thresholds=Map(
            (f"{rule}.{name}", float(number))
            for rule, table in values["rules"].items()
            for name, number in table.items()
        ),
        modes=Map((name, mode_of(name, table)) for name, table in values["modes"].items()),
        standing=Map(
            (name, Standing(uses=table["uses"])) for name, table in values["standing"].items()
        ),
        context_limit=values["context_limit"],
        digest=digest(values),
    )


def digest(values: Mapping[str, Any]) -> str:
    """The first 16 hex digits of the SHA-256 over the deciding settings as canonical JSON."""
    deciding = {name: values[name] for name in DECIDING}
    text = json.dumps(deciding, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
