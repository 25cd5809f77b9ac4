"""A replay into a running daemon: the same events over HTTP, the daemon's answers told alike.

    events of a file -> batches -> POST /controller/events -> what each came to

Order is kept. A batch that is refused for one event goes again without it: a reused event id is
left out, and so are the other events of a session that its hooks report. What the daemon is too
busy for is sent again when it says so; each event has an id, so nothing is stored twice.
"""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, cast
from urllib.parse import quote

from app.domain.entries import Entry
from app.replay.address import Address
from app.replay.fitting import sent
from app.replay.lines import Line
from app.replay.tally import Heard
from app.service.intake import Answer, Conflict

EVENTS: Final = 500  # of one request
BYTES: Final = 4 << 20  # of one request; the daemon takes 16 MiB
TRIES: Final = 60  # of one request, while the daemon says that it is busy
LONGEST_WAIT: Final = 30.0  # seconds between two tries, whatever the daemon asks for
PATIENCE: Final = 60.0  # seconds for one answer
ROUTE: Final = "/controller/events"
SESSIONS: Final = "/controller/sessions"
PROBLEM: Final = "/problems/"  # how the type of each no begins
BUSY: Final = frozenset({429, 503})
CUT: Final = (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError)


class PostFailed(Exception):
    """No daemon took what was posted; the text says why."""


class PostRefused(PostFailed):
    """The daemon answered, and takes nothing more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer of the daemon."""

    status: int
    wait: float  # seconds it asks to wait
    body: dict[str, Any]

    @property
    def ours(self) -> bool:
        """Whether a no is floorboss's, and not that of something else at its address."""
        return str(self.body.get("type", "")).startswith(PROBLEM)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A batch that was not taken for the event at `index`; its first `stored` events were."""

    index: int
    stored: int
    code: Literal["event_id_reused", "session_bound"]
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A proposal that nobody has decided about, and the verb for a yes."""

    seq: int
    verb: str
    scope: str


class Daemon:
    """A running daemon, over one connection that is kept open."""

    def __init__(
        self, address: Address, token: str, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._address, self._token, self._sleep = address, token, sleep
        self._connection = address.connection(PATIENCE)

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def feed(self, lines: Iterable[Line]) -> Iterator[tuple[Line, Heard]]:
        """What each event of one file comes to."""
        bound: dict[str, Conflict] = {}
        for batch in _batches(lines):
            yield from self._batch(batch, bound)

    def _batch(
        self, batch: Sequence[Line], bound: dict[str, Conflict], stored: int = 0
    ) -> Iterator[tuple[Line, Heard]]:
        """Send a batch, again without what is refused, until all of it is said.

        Its first `stored` events were kept by a request of ours that was refused or cut off.
        """
        while batch:
            if any(_bound(line, bound) for line in batch):
                yield from self._around(batch, bound)
                return
            said = self._send(batch, stored)
            if not isinstance(said, Refused):
                yield from zip(batch, said, strict=True)
                return
            # Everything before it was looked at and can be stored.
            yield from self._batch(batch[: said.index], bound, said.stored)
            conflict = _conflict(batch[said.index], said)
            if said.code == "session_bound":
                bound[conflict.session] = conflict
            yield batch[said.index], conflict
            batch, stored = batch[said.index + 1 :], 0

    def _around(
        self, batch: Sequence[Line], bound: dict[str, Conflict]
    ) -> Iterator[tuple[Line, Heard]]:
        """Send what is not of a bound session; the rest is said to be refused."""
        said = dict(self._numbered(batch, bound))
        for place, line in enumerate(batch):
            yield line, said.get(place) or bound[line.event.session_id]

    def _numbered(
        self, batch: Sequence[Line], bound: dict[str, Conflict]
    ) -> Iterator[tuple[int, Heard]]:
        places = [place for place, line in enumerate(batch) if not _bound(line, bound)]
        heard = self._batch([batch[place] for place in places], bound)
        for place, (_, answer) in zip(places, heard, strict=True):
            yield place, answer

    def _send(self, batch: Sequence[Line], stored: int) -> list[Answer] | Refused:
        body = b"\n".join(sent(line.event) for line in batch)
        for _ in range(TRIES):
            reply = self._reach("POST", ROUTE, body)
            if reply.status not in BUSY:
                return _read(reply, stored, self._address.url)
            stored = max(stored, _stored(reply))
            self._sleep(min(reply.wait, LONGEST_WAIT))
        failed = PostRefused if reply.ours else PostFailed
        raise failed(f"{self._address.url} stays busy: {reply.body.get('detail')}")

    def _reach(self, method: str, path: str, body: bytes | None = None) -> Reply:
        try:
            return self._once(method, path, body)
        except CUT:  # an idle connection that the daemon closed
            self._connection.close()
        except (OSError, http.client.HTTPException) as fault:
            raise PostFailed(f"{self._address.url} cannot be reached: {fault}") from fault
        try:
            return self._once(method, path, body)
        except (OSError, http.client.HTTPException) as fault:
            raise PostFailed(f"{self._address.url} cannot be reached: {fault}") from fault

    def _once(self, method: str, path: str, body: bytes | None) -> Reply:
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/x-ndjson",
        }
        self._connection.request(method, self._address.path + path, body, headers)
        response = self._connection.getresponse()
        wait = response.headers.get("Retry-After", "1")
        text = response.read()
        return Reply(
            status=response.status,
            wait=float(wait) if wait.isdigit() else 1.0,
            body=_object(text),
        )

    def waiting(self, sessions: Iterable[str]) -> list[Waiting]:
        """What waits for a person in these sessions now."""
        return [each for session in sessions for each in self._waiting(session)]

    def _waiting(self, session: str) -> list[Waiting]:
        reply = self._reach("GET", f"{SESSIONS}/{quote(session, safe='')}")
        proposals = reply.body.get("proposals")
        if reply.status != 200 or not isinstance(proposals, list):
            raise _refused(reply, self._address.url)
        return [Waiting(seq=p["seq"], verb=p["verb"], scope=p["scope"]) for p in proposals]


def _object(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"detail": "an answer that is no JSON object"}


def _read(reply: Reply, stored: int, url: str) -> list[Answer] | Refused:
    body, results = reply.body, reply.body.get("results")
    code, index = str(body.get("type", "")).rpartition("/")[2], body.get("index")
    if reply.status == 201 and isinstance(results, list):
        found = [_answer(result) for result in results]
        return [replace(a, duplicate=False) for a in found[:stored]] + found[stored:]
    if code in ("event_id_reused", "session_bound") and isinstance(index, int):
        detail, kept = str(body.get("detail")), max(stored, _stored(reply))
        return Refused(index=index, stored=kept, code=cast(Any, code), detail=detail)
    raise _refused(reply, url)


def _refused(reply: Reply, url: str) -> PostFailed:
    said = f"answered {reply.status}: {reply.body.get('detail')}"
    if reply.ours:
        return PostRefused(f"the daemon {said}")
    return PostFailed(f"what answers at {url} is not floorboss; it {said}")


def _stored(reply: Reply) -> int:
    """How many events of a request that failed are in the log all the same."""
    said = reply.body.get("stored")
    return said if isinstance(said, int) else 0


def _answer(result: dict[str, Any]) -> Answer:
    return Answer(
        seq=result["seq"],
        duplicate=result["duplicate"],
        mode=result["mode"],
        posture=result["posture"],
        fired=tuple(map(_entry, result["fired"])),
        verdict=result.get("verdict"),
    )


def _entry(view: dict[str, Any]) -> Entry:
    """The entry as it was shown; a view has no key."""
    return Entry(**{name: value for name, value in view.items() if name != "summary"})


def _conflict(line: Line, refused: Refused) -> Conflict:
    reason = refused.detail.partition(": ")[2] or refused.detail
    return Conflict(
        index=0,
        code=refused.code,
        detail=reason.removesuffix("."),
        session=line.event.session_id,
    )


def _bound(line: Line, bound: dict[str, Conflict]) -> bool:
    """Usage may be added to a session that its hooks report, and nothing else."""
    return line.event.kind != "usage" and line.event.session_id in bound


def _batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Lines in order, in batches that one request may hold."""
    rest = iter(lines)
    batch: list[Line] = []
    size = 0
    for line in rest:
        length = len(sent(line.event))
        if batch and (len(batch) == EVENTS or size + length > BYTES):
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += length
    if batch:
        yield batch
