"""Charts: described as frozen values, drawn as SVG and PNG. The daemon never comes here."""

from __future__ import annotations
