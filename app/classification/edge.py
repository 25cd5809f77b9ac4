"""The edge: everything that is found out about an event before it is stored, in one place.

It may look at the file system (where does a path really lead?) and at nothing else.
"""

from __future__ import annotations

from app.classification.effects import effects
from app.classification.paths import Place, find_root
from app.classification.reading import read
from app.classification.storage import stored
from app.classification.tools import tool_class
from app.domain.events import Event, Json


def draft_body(event: Event, *, root: str | None, cwd: str | None) -> dict[str, Json]:
    """The body of the entry that `event` becomes; the first `cwd` of a session names its root."""
    found = find_root(event.cwd) if root is None and event.cwd else None
    place = Place(root=root or found, cwd=event.cwd or cwd)
    kind = tool_class(event.tool or "", event.arguments)
    does, targets, part = effects(event, kind, place)
    body = stored(event, read(event, effects=does, targets=targets, part=part))
    if found is not None:
        body["root"] = found
    return body
