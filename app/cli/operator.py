"""The operator's token at the daemon's start: handed in, made and shown once, or missing.

    handed in   --operator-token-fd, or a service manager's credential; for this run only
    known       made at an earlier start; only its digest is kept
    minted      made now, as nobody is operator yet and a person sits at this terminal
    missing     nobody is operator, and there is nobody to show a token to

No environment variable hands one in: an agent of the same user reads it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from app.service.agent_markers import agent_markers
from app.service.tokens import Principal, TokenRefused, Tokens

CREDENTIAL: Final = "operator-token"  # its name in $CREDENTIALS_DIRECTORY (systemd.exec(5))


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Whether a person sits at this terminal; `why_not` is empty when one does."""

    why_not: str = ""

    @property
    def present(self) -> bool:
        """Whether secrets may be shown here, and decisions taken."""
        return not self.why_not


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Somebody is operator: by a token made at an earlier start, or one handed in for this run."""

    earlier: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Minted:
    """A new operator's token, to be shown this once."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Nobody is operator; why no token was made."""

    why: str


Admission: TypeAlias = Known | Minted | Missing | TokenRefused


def person(environ: Mapping[str, str]) -> Person:
    """Whether a person sits at standard input and output, as far as this process can tell."""
    markers = agent_markers(environ)
    if markers:
        return Person(why_not=f"an agent's environment was recognised ({markers[0]})")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return Person(why_not="standard input and output are not a terminal")
    return Person()


def admit(tokens: Tokens, handle: int | None, environ: Mapping[str, str], who: Person) -> Admission:
    """Find out who is operator; make and return a token only where a person sees it."""
    handed = _handed_in(tokens, handle, environ)
    if handed is not None:
        return handed if isinstance(handed, TokenRefused) else Known(earlier=False)
    if any(token.role == "operator" for token in tokens.all):
        return Known(earlier=True)
    if not who.present:
        return Missing(why=who.why_not)
    minted = tokens.mint_operator()
    return minted if isinstance(minted, TokenRefused) else Minted(text=minted)


def _handed_in(
    tokens: Tokens, handle: int | None, environ: Mapping[str, str]
) -> Principal | TokenRefused | None:
    if handle is not None:
        return tokens.operator_from_fd(handle)
    folder = environ.get("CREDENTIALS_DIRECTORY")
    if not folder or not (Path(folder) / CREDENTIAL).exists():
        return None
    try:
        return tokens.operator_from_fd(os.open(Path(folder) / CREDENTIAL, os.O_RDONLY))
    except OSError as error:
        return TokenRefused(why=f"The credential {CREDENTIAL} cannot be read: {error.strerror}.")
