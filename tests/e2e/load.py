"""Many posts at once to a running daemon, and what became of each of them."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from tests.e2e.process import Process


@dataclass
class Outcome:
    """What became of every event that was sent, by its `event_id`."""

    stored: dict[str, int] = field(default_factory=dict)  # its seq
    refused: set[str] = field(default_factory=set)  # an answer said no
    unanswered: set[str] = field(default_factory=set)  # the connection ended first


@dataclass
class Writers:
    """Threads that post, each on one connection, until it ends or there is nothing more."""

    process: Process
    events: Callable[[int], Iterator[dict[str, Any]]]  # of the writer with this number
    outcome: Outcome = field(default_factory=Outcome)
    enough: threading.Event = field(default_factory=threading.Event)
    wanted: int = 0  # acknowledged events after which `enough` is set

    def run(self, count: int) -> list[threading.Thread]:
        """Start so many writers."""
        threads = [threading.Thread(target=self._post, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        return threads

    def _post(self, number: int) -> None:
        headers = {**self.process.harness, "Content-Type": "application/json"}
        with closing(self.process.connection()) as connection:
            connection.connect()
            connection.auto_open = 0  # a lost connection stays lost
            for event in self.events(number):
                if not self._sent(connection, event, headers):
                    return

    def _sent(
        self,
        connection: http.client.HTTPConnection,
        event: dict[str, Any],
        headers: Mapping[str, str],
    ) -> bool:
        name = event["event_id"]
        try:
            connection.request("POST", "/controller/events", json.dumps(event), dict(headers))
            response = connection.getresponse()
            body = json.loads(response.read())
        except (OSError, http.client.HTTPException):
            self.outcome.unanswered.add(name)
            return False
        if response.status == 201:
            self.outcome.stored[name] = body["results"][0]["seq"]
        else:
            self.outcome.refused.add(name)
        if len(self.outcome.stored) >= self.wanted:
            self.enough.set()
        return True
