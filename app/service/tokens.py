"""Who is calling: named tokens of 256 random bits, each with one role, kept only as SHA-256.

    tokens.json      names, roles and digests
    harness.token    the harness's token, for programs: made at the first start
    harness.header   the same as a header line, for `curl -H @harness.header`

The harness's token is the only one that lies on disk in clear: what it may do, an agent of the
same user may do anyway. The operator's token is returned once, by `mint_operator`, and is never
written; one that is handed in at start (`operator_from_fd`) is known for this run only.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from app.service.private_files import (
    UnsafePathError,
    private_folder,
    read_private,
    write_private,
)

Role = Literal["harness", "operator", "reader"]
CallerRole = Literal["harness", "operator", "reader", "outline"]  # outline: nobody in particular

ROLES: Final[tuple[Role, ...]] = get_args(Role)
HARNESS: Final = "harness"  # the name of the token that is made at the first start
OPERATOR: Final = "operator"
FORM: Final = re.compile(r"floorboss_([hor])_([0-9a-f]{8})_([A-Za-z0-9_-]{43})")
DIGEST: Final = re.compile(r"[0-9a-f]{64}")
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
SHORTEST: Final = 32  # characters of a token that is handed in
LONGEST: Final = 4096  # bytes read from a descriptor
HANDED_IN: Final = re.compile(r"[!-~]+")  # what a header can carry


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who is calling. An empty name is a caller without a token."""

    name: str
    role: CallerRole


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """What is kept of a token: never the token."""

    id: str  # 8 hex digits, also in the token's text, so that a leaked one can be found
    name: str
    role: Role
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRefused:
    """Why a token was not made, taken or revoked."""

    why: str


BAD_NAME: Final = TokenRefused(why="A token's name is 1 to 64 letters, digits or any of `._@-`.")
SHORT: Final = TokenRefused(
    why=f"The operator's token must be {SHORTEST} or more printable characters without blanks."
)
NOT_ALONE: Final = TokenRefused(why="The operator's token must not be the token of anyone else.")


class Tokens:
    """The tokens of one state folder; every change is in force and on disk when it returns."""

    def __init__(self, folder: Path) -> None:
        self._folder = private_folder(folder)
        self._path = folder / "tokens.json"
        self._lock = threading.Lock()
        self._stored = _read(self._path)
        self._this_run: tuple[Token, ...] = ()
        self._callers: Mapping[str, Principal] = {}  # in force, by the digest of their token
        self._in_force(self._stored, ())

    @property
    def all(self) -> tuple[Token, ...]:
        """Every token that is accepted now, those of this run last."""
        return self._stored + self._this_run

    def authenticate(self, header: str | None) -> Principal | None:
        """Whose token an `Authorization: Bearer ...` value carries; None: nobody's."""
        scheme, _, text = (header or "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        # How long the lookup takes may tell of the digest, from which no token follows.
        return self._callers.get(_digest(text.strip(" ")))

    def mint(self, name: str, role: Role) -> str | TokenRefused:
        """The text of a new token, shown this once; a name that is taken is refused."""
        with self._lock:
            if not NAME.fullmatch(name):
                return BAD_NAME
            if any(token.name == name for token in self.all):
                return TokenRefused(why=f"There is a token named {name}; revoke it first.")
            return self._add(name, role)

    def mint_operator(self, name: str = OPERATOR) -> str | TokenRefused:
        """The text of a new operator's token; the stored operator of that name is replaced.

        Only for a terminal at which a person sits, which the caller makes sure of.
        """
        with self._lock:
            if not NAME.fullmatch(name):
                return BAD_NAME
            if any(token.name == name and token.role != "operator" for token in self.all):
                return TokenRefused(why=f"The token named {name} is not an operator's.")
            return self._add(name, "operator")

    def revoke(self, name: str) -> TokenRefused | None:
        """From now on nobody is `name`; None: done."""
        with self._lock:
            if all(token.name != name for token in self.all):
                return TokenRefused(why="There is no token of that name.")
            this_run = tuple(token for token in self._this_run if token.name != name)
            self._in_force(self._stored, this_run)
            self._store(tuple(token for token in self._stored if token.name != name))
        return None

    def ensure_harness(self) -> Path:
        """The file with the harness's token, made if there is none that is still good."""
        path = self._folder / "harness.token"
        found = (read_private(path) or b"").decode("ascii", "replace").strip()
        text = found if self._is_harness(found) else self._renew_harness(path)
        header = self._folder / "harness.header"
        line = f"Authorization: Bearer {text}\n".encode()
        if read_private(header) != line:
            write_private(header, line)
        return path

    def operator_from_fd(self, handle: int, name: str = OPERATOR) -> Principal | TokenRefused:
        """Accept, for this run, the operator's token that descriptor `handle` holds; closes it."""
        try:
            with os.fdopen(handle, "rb") as file:
                text = file.readline(LONGEST).decode("ascii", "replace").strip("\r\n")
        except OSError as error:
            return TokenRefused(why=f"Descriptor {handle} cannot be read: {error.strerror}.")
        return self.accept_operator(text, name)

    def accept_operator(self, text: str, name: str = OPERATOR) -> Principal | TokenRefused:
        """Accept `text` as an operator's token for this run; only its digest is kept.

        The token of somebody who is operator already, handed in again, is that one's.
        """
        if len(text) < SHORTEST or not HANDED_IN.fullmatch(text):
            return SHORT
        form, digest = FORM.fullmatch(text), _digest(text)
        known = self.authenticate(f"Bearer {text}")
        if known is not None and known.role == "operator":
            return known
        with self._lock:
            if (form and form[1] != "o") or any(known.sha256 == digest for known in self.all):
                return NOT_ALONE
            token = Token(id=digest[:8], name=name, role="operator", sha256=digest)
            self._in_force(self._stored, (*self._this_run, token))
        return Principal(name=name, role="operator")

    def _add(self, name: str, role: Role) -> str:
        ident = secrets.token_hex(4)
        text = f"floorboss_{role[0]}_{ident}_{secrets.token_urlsafe(32)}"
        others = tuple(token for token in self._stored if token.name != name)
        self._store((*others, Token(id=ident, name=name, role=role, sha256=_digest(text))))
        return text

    def _store(self, tokens: tuple[Token, ...]) -> None:
        body = {"version": 1, "tokens": [asdict(token) for token in tokens]}
        write_private(self._path, json.dumps(body, indent=1).encode() + b"\n")
        self._in_force(tokens, self._this_run)

    def _in_force(self, stored: tuple[Token, ...], this_run: tuple[Token, ...]) -> None:
        self._stored, self._this_run = stored, this_run
        self._callers = {
            token.sha256: Principal(name=token.name, role=token.role) for token in self.all
        }

    def _is_harness(self, text: str) -> bool:
        caller = self.authenticate(f"Bearer {text}")
        return caller is not None and caller.role == "harness"

    def _renew_harness(self, path: Path) -> str:
        with self._lock:
            text = self._add(HARNESS, "harness")
        write_private(path, text.encode() + b"\n")
        return text


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read(path: Path) -> tuple[Token, ...]:
    content = read_private(path)
    if content is None:
        return ()
    try:
        return tuple(map(_token, json.loads(content)["tokens"]))
    except (ValueError, TypeError, KeyError) as error:
        raise UnsafePathError(f"{path} does not hold tokens as floorboss writes them.") from error


def _token(fields: dict[str, Any]) -> Token:
    token = Token(**fields)
    if token.role not in ROLES or not DIGEST.fullmatch(token.sha256):
        raise ValueError(token.name)
    return token
