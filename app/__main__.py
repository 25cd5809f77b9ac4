"""`python -m app`: the command line, for a checkout that is not installed."""

from __future__ import annotations

from app.cli.main import main

if __name__ == "__main__":
    main()
