"""`/docs`: what `/openapi.json` says, as a page without scripts.

The page that FastAPI brings loads its script from another site and would run it on this origin,
where tokens are typed in; it is blank without a network besides.
"""

from __future__ import annotations

from html import escape
from typing import Final

from fastapi import Request
from starlette.responses import HTMLResponse

from app.api.reference import reference

PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>floorboss: routes</title>
<p>The same for programs: <a href="/openapi.json">/openapi.json</a></p>
<pre>{routes}</pre>
</html>
"""


async def docs(request: Request) -> HTMLResponse:
    """Every route, who may use it, what it takes and answers."""
    return HTMLResponse(PAGE.format(routes=escape(reference(request.app.openapi()))))
