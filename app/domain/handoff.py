"""The handoff: what was tried and what failed, for whoever goes on from here.

Only counts, seqs and quoted names: no result and no argument text.
"""

from __future__ import annotations

from app.domain.checks import Trip
from app.domain.events import Json
from app.domain.signals import Stream

CHANGED_PATHS = 8  # recently written paths it names


def handoff(stream: Stream, trip: Trip, artifacts: list[Json]) -> dict[str, Json]:
    """What the next mode starts from: the calls tried, those that failed, the paths changed.

    `artifacts` names what was handed over before, by place and kind; their text stays where it is.
    """
    recent = stream.recent
    paths = [call.path for call in recent if call.path and not call.failed]
    changed: list[Json] = [*dict.fromkeys(reversed(paths))]
    return {
        "rule": trip.rule,
        "tried": [{"seq": call.seq, "tool": call.tool, "outcome": call.outcome} for call in recent],
        "failed": [call.seq for call in recent if call.failed],
        "changed": changed[:CHANGED_PATHS],
        "seqs": list(trip.seqs),
        **({"artifacts": artifacts} if artifacts else {}),
    }
