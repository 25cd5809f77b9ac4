"""One daemon over HTTP. The command line never opens the database; it asks, like everyone else."""

from __future__ import annotations

import http.client
import json
import os
import shlex
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from app.cli.exits import MISUSED, REFUSED, UNREACHABLE, fail
from app.cli.places import settings
from app.cli.terminal import secret
from app.config import Settings, loopback
from app.config.address import USUAL, url_of
from app.domain.tables import plain
from app.service.private_files import UnsafePathError, read_private

PROBLEM: Final = "application/problem+json"
SCHEMES: Final = frozenset({"http", "https"})
PATIENCE: Final = 60.0  # seconds an answer may take; verifying a large log takes a while
LONGEST: Final = 4096  # bytes read from a token's descriptor
SAME: Final = "What is in force was not changed."
KEYLESS: Final = frozenset({"token_missing", "token_unknown", "wrong_role"})
NOT_KNOWN: Final = "The daemon does not know that token."
OPERATORS: Final = (
    "The operator's token is the one that `serve` printed at its first start in a terminal, or "
    "that was handed to it; in the terminal of a running `serve`, `a SEQ` needs none."
)
NO_TERMINAL: Final = (
    "there is no terminal to ask for the operator's token; hand it in with --token-fd N. "
    "Nothing was changed."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the daemon answered."""

    status: int
    text: str
    kind: str = ""  # its media type

    @property
    def problem(self) -> str | None:
        """Why it refused, in its own words; None: it did not."""
        if self.status < 400:
            return None
        if "detail" not in self.document:
            return f"status {self.status}, which is not an answer of floorboss"
        return plain(str(self.document["detail"]))

    @property
    def code(self) -> str:
        """The stable name of the problem; empty: there is none."""
        return str(self.document.get("type", "")).rpartition("/")[2] if self.problem else ""

    @property
    def document(self) -> dict[str, Any]:
        """The JSON object that it is; empty where it is none."""
        with suppress(ValueError):
            found = json.loads(self.text)
            if isinstance(found, dict):
                return found
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreached:
    """Why no daemon answered."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """The daemon at `url`, spoken to with `token`; an empty one is none."""

    url: str
    token: str
    certificate: str | None = None  # what a TLS daemon of these settings shows
    deciding: bool = False  # `token` is meant to be the operator's

    @property
    def there(self) -> str:
        """What a command that is printed for a person must add to reach this daemon."""
        return pointer(self.url)

    def ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        accept: str = "application/json",
    ) -> Reply:
        """Send one request; a daemon that cannot be reached ends the command."""
        reply = self.reach(method, path, body, accept=accept)
        if isinstance(reply, Unreached):
            fail(UNREACHABLE, _unreachable(self.url, reply.why))
        if reply.kind not in (accept, PROBLEM):
            fail(UNREACHABLE, f"what answers at {self.url} is not floorboss. Nothing was changed.")
        return reply

    def reach(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        accept: str = "application/json",
    ) -> Reply | Unreached:
        """Send one request; why there was no answer, where there was none."""
        headers = {"Accept": accept, "Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        content = None if body is None else json.dumps(body).encode()
        try:
            connection = _connection(urlsplit(self.url), self.certificate)
            connection.request(method, path, content, headers)
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
            kind = answer.headers.get_content_type()
            reply = Reply(status=answer.status, text=text, kind=kind)
            connection.close()
            return reply
        except (OSError, http.client.HTTPException, ValueError) as fault:
            why = getattr(fault, "strerror", None) or str(fault) or type(fault).__name__
            return Unreached(why=why)

    def why(self, reply: Reply) -> str:
        """Why it refused; who meant to decide is told of the operator's token, not of another."""
        if not self.deciding or reply.code not in KEYLESS:
            return reply.problem or ""
        head = reply.problem if reply.code == "wrong_role" else NOT_KNOWN
        return f"{head} {OPERATORS}"

    def get(self, path: str, **query: object) -> Any:
        """The JSON at a path; what is None is not asked for. A refusal ends the command."""
        reply = self.ask("GET", with_query(path, **query))
        if reply.problem is not None:
            fail(REFUSED, self.why(reply))
        return self.object(reply)

    def change(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """What came of a change; a refusal ends the command and says that nothing was changed."""
        reply = self.ask(method, path, body)
        if reply.problem is not None:
            fail(REFUSED, f"refused: {self.why(reply)} {SAME}")
        return self.object(reply)

    def object(self, reply: Reply) -> dict[str, Any]:
        """The JSON object of an answer; everything floorboss says is one."""
        return reply.document or fail(UNREACHABLE, f"what answers at {self.url} is not floorboss.")


def pointer(url: str) -> str:
    """The option that names a daemon, with a blank before it; empty at the usual address."""
    return "" if url.rstrip("/") == USUAL else f" --url {shlex.quote(url)}"


def with_query(path: str, **query: object) -> str:
    """A path with those parts of the query that are not None."""
    given = {name: str(value) for name, value in query.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def segment(name: str) -> str:
    """A name as a part of a path."""
    return quote(name, safe="")


def reader(url: str | None) -> Client:
    """The daemon as a reader: with the harness's token where this user has it, else in outline."""
    _addressed(url)
    found = settings()
    own = url_of(found)
    token = harness_token(found) if url is None or url.rstrip("/") == own else ""
    return _client(url or own, token, found)


def of_settings(found: Settings) -> Client:
    """The daemon that these settings describe, as its harness's token lets it be read."""
    return _client(url_of(found), harness_token(found), found)


def operator(url: str | None, handle: int | None) -> Client:
    """The daemon as its operator, whose token comes from a descriptor or the terminal."""
    _addressed(url)
    found = settings()
    where = url or url_of(found)
    if not _private(urlsplit(where)):
        fail(MISUSED, f"{where} is not encrypted; the operator's token is not sent there.")
    return replace(_client(where, _operator_token(handle), found), deciding=True)


def _addressed(url: str | None) -> None:
    """Go on only with an address that can be one; without any, the settings name it."""
    if not url:
        return
    try:
        parts = urlsplit(url)
        usable = parts.scheme in SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, brackets that do not close
        usable = False
    if not usable:
        example = USUAL if "://" in url else f"http://{url}"
        fail(MISUSED, plain(f'--url "{url}" is no address; write it like {example}'))


def _client(url: str, token: str, found: Settings) -> Client:
    certificate = found.auth.tls_cert
    return Client(url=url, token=token, certificate=str(certificate) if certificate else None)


def harness_token(found: Settings) -> str:
    """The token of the harness as this user finds it in the state folder; empty: not at all."""
    try:
        content = read_private(found.state_dir / "harness.token") or b""
    except (UnsafePathError, OSError):
        return ""
    return content.decode("ascii", "replace").strip()


def _operator_token(handle: int | None) -> str:
    if handle is None:
        return secret("Operator's token (not shown): ", NO_TERMINAL)
    try:
        with os.fdopen(handle, "rb") as file:
            return file.readline(LONGEST).decode("ascii", "replace").strip()
    except OSError as fault:
        fail(MISUSED, f"descriptor {handle} cannot be read: {fault.strerror}. Nothing was changed.")


def _private(url: SplitResult) -> bool:
    """Whether what is sent to a URL stays on this machine or is encrypted."""
    return url.scheme == "https" or loopback(url.hostname or "")


def _connection(url: SplitResult, certificate: str | None) -> http.client.HTTPConnection:
    if url.scheme not in SCHEMES or not url.hostname:
        raise ValueError("it is not an http or https address")
    if url.scheme == "http":
        return http.client.HTTPConnection(url.hostname, url.port, timeout=PATIENCE)
    trusted = ssl.create_default_context(cafile=certificate)
    return http.client.HTTPSConnection(url.hostname, url.port, timeout=PATIENCE, context=trusted)


def _unreachable(url: str, why: str) -> str:
    return (
        f"no daemon answered at {url} ({why}). Nothing was changed. Start one with `make run` or "
        "`floorboss serve`; if it is elsewhere, name it with --url or FLOORBOSS_PORT."
    )
