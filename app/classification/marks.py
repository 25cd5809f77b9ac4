"""One place however it is spelt: what a denial is counted by (docs/detection.md 2.7)."""

from __future__ import annotations

import posixpath


def spelt_alike(token: str) -> str:
    """A path without `//`, `./` and a last `/`; an address without its scheme and `www.` besides.

    An address has its query sorted and no fragment, as those lead to one page, and nobody's name
    and password.
    """
    scheme, sign, rest = token.partition("://")
    if not sign or scheme not in ("http", "https"):
        return posixpath.normpath(token)
    page, _, query = rest.partition("#")[0].partition("?")
    host, slash, path = page.partition("/")
    where = f"{host.rpartition('@')[2].lower().removeprefix('www.')}{slash}{path}".rstrip("/")
    return f"{where}?{'&'.join(sorted(query.split('&')))}" if query else where
