"""A log in memory, driven as the daemon drives its own: what tests of the state machine stand on.

    floor = Floor()                     a `configured` entry, nothing else
    floor.failing("make", times=3)      three reports of one failing call; the entries they made
    floor.decides("approve", seq)       a person's decision, for the state that is in force now

Bodies are written as the edge stores them, so nothing here classifies anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from immutables import Map

from app.config.keys import STANDING
from app.domain.attempts import Earlier, Judged, judge
from app.domain.configuration import Configuration
from app.domain.controller import record
from app.domain.decisions import Command, Refusal, Verb, decide_entry
from app.domain.entries import EVERYWHERE, Action, Draft, Entry, Kind
from app.domain.evolve import evolve_all
from app.domain.expected_state import state_of
from app.domain.limits import Limit
from app.domain.modes import MODES, ProfileName
from app.domain.observations import attempt_name
from app.domain.profiles import THRESHOLDS
from app.domain.proposing import Proposed, Wish, propose
from app.domain.restrictions import InForce
from app.domain.state import Book, Session, in_force
from app.domain.transaction import Pending

AT = "2026-11-30T14:02:11.482Z"
ANN = "human:ann"


def configured(profile: ProfileName = "default", **changes: Any) -> Configuration:
    """A profile as it ships, with some settings changed; `thresholds` only those named."""
    thresholds = {**THRESHOLDS[profile], **changes.pop("thresholds", {})}
    values: dict[str, Any] = {
        "profile": profile,
        "enforcement": "enforce",
        "start_mode": "implementation",
        "ceiling": "yolo",
        "thresholds": Map(thresholds),
        "modes": MODES[profile],
        "standing": Map(STANDING[profile]),
        "digest": "c0ffee",
    }
    return Configuration(**{**values, **changes})


class Floor:
    """A log and the book it folds to."""

    def __init__(self, configuration: Configuration | None = None) -> None:
        self.configuration = configuration or configured()
        self.log: list[Entry] = []
        self.book = Book()
        self.at = AT  # the time of what comes next
        self._digests = 0
        self.writes("configured", EVERYWHERE, "configuration", ANN, {"digest": "c0ffee"})

    def writes(
        self, kind: Kind, scope: str, action: Action, actor: str, body: dict[str, Any]
    ) -> Entry:
        """One entry without anything that follows from it."""
        draft = Draft(kind=kind, scope=scope, action=action, actor=actor, body=body)
        return self.take(self._begin().append(draft))[0]

    def take(self, pending: Pending) -> tuple[Entry, ...]:
        """Make a transaction part of the log."""
        self.book = pending.book
        self.log.extend(pending.entries)
        return pending.entries

    def waits(self, minutes: int) -> None:
        """Let time pass; nobody is told."""
        moment = datetime.fromisoformat(self.at) + timedelta(minutes=minutes)
        self.at = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _begin(self) -> Pending:
        return Pending(book=self.book, at=self.at)

    def reports(self, scope: str = "s", action: Action = "tool", **body: Any) -> tuple[Entry, ...]:
        """A harness reports something; the entry and all that followed from it."""
        draft = Draft(
            kind="observed",
            scope=scope,
            action=action,
            actor="harness:test",
            ref=body.pop("ref", None),
            body=body,
        )
        return self.take(record(self._begin(), draft, self.configuration))

    def call(self, identity: str = "make", scope: str = "s", **body: Any) -> tuple[Entry, ...]:
        """A finished call with an answer that nobody had before."""
        self._digests += 1
        said: dict[str, Any] = {
            "tool": "Bash",
            "class": "shell",
            "outcome": "ok",
            "identity": identity,
            "digest": f"answer {self._digests}",
        }
        return self.reports(scope, **{**said, **body})

    def failing(
        self, identity: str = "make", times: int = 3, scope: str = "s", **body: Any
    ) -> tuple[Entry, ...]:
        """The same failing call, nothing changed in between; what the last one led to."""
        entries: tuple[Entry, ...] = ()
        for _ in range(times):
            entries = self.call(
                identity, scope, outcome="error", failed=True, digest=f"fault {identity}", **body
            )
        return entries

    def hands(
        self, kind: str = "diagnosis", scope: str = "s", *, valid: bool = True, **body: Any
    ) -> tuple[Entry, ...]:
        """An agent hands something over, as the edge stored it; the entry and what followed."""
        said = {"kind": "artifact", "handover": kind, "text": f"my {kind}", "valid": valid}
        return self.reports(scope, "artifact", **{**said, **body})

    def prompts(self, scope: str = "s", **body: Any) -> tuple[Entry, ...]:
        """A prompt, by a person unless told otherwise."""
        return self.reports(scope, "prompt", kind="prompt", **body)

    def asks(self, scope: str = "s", call_id: str | None = None, **body: Any) -> Judged:
        """A harness asks before a call; asked again with the same id, it is judged again."""
        said = {"tool": "Edit", "class": "edit", "identity": "e", "effects": ["write"], **body}
        if call_id is not None:
            said["call_id"] = call_id
        draft = Draft(kind="decided", scope=scope, action="tool", actor="machine", body=said)
        judged = judge(self._begin(), draft, self._earlier(draft), self.configuration)
        self.take(judged.pending)
        return judged

    def _earlier(self, draft: Draft) -> Earlier | None:
        name = attempt_name(draft)
        attempt = None if name is None else self.book.session(draft.scope).attempts.get(name)
        if attempt is None:
            return None
        return Earlier(first=self.entry(attempt.seq), latest=self.entry(attempt.latest))

    def tries(
        self,
        verb: Verb,
        seq: int,
        *,
        state: str | None = None,
        why: str = "",
        limit: Limit | None = None,
    ) -> tuple[Entry, ...] | Refusal:
        """A person decides, for the state given; what was written, or why nothing was."""
        command = Command(
            verb=verb, seq=seq, actor=ANN, expected_state=state, reason=why, limit=limit
        )
        answer = decide_entry(self._begin(), self.entry(seq).scope, command, self.configuration)
        return answer if isinstance(answer, Refusal) else self.take(answer)

    def decides(
        self, verb: Verb, seq: int, *, why: str = "", limit: Limit | None = None
    ) -> tuple[Entry, ...]:
        """A person decides, for the state that is in force now."""
        state = self.state(self.entry(seq).scope)
        answer = self.tries(verb, seq, state=state, why=why, limit=limit)
        assert not isinstance(answer, Refusal), answer
        return answer

    def wishes(
        self, action: Any, value: Any, scope: str = "s", **fields: Any
    ) -> tuple[Entry, ...] | object:
        """Somebody proposes; what was written, or why nothing was."""
        wish = Wish(
            scope=scope,
            action=action,
            value=value,
            reason="because",
            actor=fields.pop("actor", "harness:test"),
            **fields,
        )
        answer = propose(self._begin(), wish, self.configuration)
        return self.take(answer.pending) if isinstance(answer, Proposed) else answer

    def proposes(
        self, action: Any, value: Any, scope: str = "s", limit: Limit | None = None
    ) -> tuple[Entry, ...]:
        """A harness proposes something that may wait."""
        answer = self.wishes(action, value, scope, limit=limit)
        assert isinstance(answer, tuple), answer
        return answer

    def sets(
        self, action: Any, value: Any, scope: str = "s", limit: Limit | None = None
    ) -> tuple[Entry, ...]:
        """A person proposes and decides in one call."""
        state = self.state(scope)
        answer = self.wishes(
            action, value, scope, actor=ANN, decide=True, expected_state=state, limit=limit
        )
        assert isinstance(answer, tuple), answer
        return answer

    def state(self, scope: str = "s") -> str:
        """The state a person would be shown for a scope."""
        return state_of(self.book, scope)

    def held(self, scope: str = "s") -> InForce:
        """What judges calls of a scope."""
        return in_force(self.book, scope, self.configuration)

    def mode(self, scope: str = "s") -> str:
        """The mode of the narrowest scope that has one."""
        return self.held(scope).modes[0].name

    def posture(self, scope: str = "s") -> str:
        """The posture of the narrowest scope that has one."""
        return self.held(scope).policies[0].posture

    def session(self, scope: str = "s") -> Session:
        """The session of a scope as it is now."""
        return self.book.session(scope)

    def open(self, scope: str = "s") -> list[int]:
        """The proposals of a session that wait for a person."""
        return sorted(self.session(scope).proposals)

    def entry(self, seq: int) -> Entry:
        """The entry at one place."""
        return self.log[seq - 1]

    def folded(self) -> Book:
        """The book that the log folds to, from nothing."""
        return evolve_all(Book(), self.log)


def body(entry: Entry) -> dict[str, Any]:
    """An entry's body as a test looks into it."""
    return dict(entry.body)


def causes(entry: Entry) -> list[dict[str, Any]]:
    """Why an entry was written."""
    return list(body(entry).get("because") or ())


def short(entries: Iterable[Entry]) -> list[str]:
    """Entries in words: kind, action, value, direction."""
    return [_short(entry) for entry in entries]


def _short(entry: Entry) -> str:
    policy = entry.body.get("policy")
    value = policy["posture"] if isinstance(policy, dict) else entry.body.get("mode")
    back = "return" if "return" in entry.body else ""
    words = (entry.kind, back, entry.action, str(value or ""), entry.direction)
    return " ".join(word for word in words if word)
