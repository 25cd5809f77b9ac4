"""Who a request comes from, and whether that one may do what the route is for.

| route's role | who may |
|---|---|
| harness | the harness, the operator |
| operator | the operator |
| reader | anyone with a token; without one as `auth.reads` says |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from app.api.headers import Headers
from app.harness.base import Fault
from app.service.tokens import CallerRole, Principal, Role, Tokens

Reads = Literal["open", "outline", "token"]  # what a read without a token shows

MAY: Final[Mapping[Role, frozenset[CallerRole]]] = {
    "harness": frozenset({"harness", "operator"}),
    "operator": frozenset({"operator"}),
    "reader": frozenset({"reader", "harness", "operator", "outline"}),
}
NOBODY: Final[Mapping[Reads, Principal | None]] = {
    "open": Principal(name="", role="reader"),
    "outline": Principal(name="", role="outline"),
    "token": None,
}
MISSING: Final = Fault(
    code="token_missing",
    detail="This needs a token, as `Authorization: Bearer ...`; a harness finds its own in the"
    " file harness.token of the state folder.",
    status=401,
)
UNKNOWN: Final = Fault(
    code="token_unknown",
    detail="The token that was sent is not in force; a harness finds its own in the file"
    " harness.token of the state folder.",
    status=401,
)


def principal(headers: Headers, tokens: Tokens, reads: Reads) -> Principal | Fault:
    """Who is calling; without a token nobody, as far as `reads` lets nobody in.

    A token that is not in force is a fault even where none is needed: whoever sends one expects
    to be known.
    """
    match headers.get(b"authorization", ()):
        case []:
            return NOBODY[reads] or MISSING
        case [header]:
            return tokens.authenticate(header.decode("latin-1")) or UNKNOWN
        case _:
            return UNKNOWN


def forbidden(who: Principal, needs: Role) -> Fault | None:
    """Why `who` may not use a route for the role `needs`: 401 without a token, else 403."""
    if who.role in MAY[needs]:
        return None
    if not who.name:
        return MISSING
    return Fault(
        code="wrong_role",
        detail=f"This is for the role {needs}; the token named {who.name} has {who.role}.",
        status=403,
    )


def sees_text(who: Principal) -> bool:
    """Whether prompts, arguments, results and handoffs are shown, or their digests only."""
    return who.role != "outline"
