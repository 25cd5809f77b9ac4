"""docs/cli.md, made from the commands themselves; a test holds it so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import typer

from app.cli.exits import MEANINGS
from app.cli.main import group

WIDTH: Final = 96  # characters of a line of help
OPENING: Final = """# The command line

Made from `app/cli` by `.venv/bin/python docs/generate.py`; do not edit by hand.

`serve` is the daemon; `replay`, `tune`, `simulate`, `config`, `verify --database`, `install` and
`uninstall` need none; `doctor` looks at what it can reach; all the others ask the daemon over HTTP
and never open its database. There is deliberately no `run`, no `set` and no `mode`: nobody switches
a mode except by deciding a proposal. `floorboss --version` tells the version.

The daemon is looked for where `FLOORBOSS_HOST`, `FLOORBOSS_PORT` and the file of settings say, or
at `--url`. What only reads shows outlines, or whole entries where the harness's token in the state
folder can be read. What decides needs the operator's token. It is asked for at the terminal and not
shown, or read from the descriptor that `--token-fd` names; never taken from an argument or the
environment, and never kept:

```sh
floorboss approve 6 --token-fd 3 3< <(pass show floorboss/operator)
```

A daemon that runs in no terminal is handed the operator's token at its start:

```sh
(umask 077; python3 -c 'import secrets; print(secrets.token_urlsafe(32))' > operator.token)
floorboss serve --operator-token-fd 3 3< operator.token
floorboss approve 6 --yes --token-fd 3 3< operator.token
```

A decision shows what happened, what is in force and what would be, and asks. It holds for the state
that was shown; if that has changed, nothing happens. In a terminal `serve` itself is the operator's
console and needs no token: `?` explains its letters.

| status | when |
| --- | --- |
"""


def reference() -> str:
    """The whole page, as Markdown."""
    rows = "".join(f"| {status} | {meaning} |\n" for status, meaning in MEANINGS.items())
    return "\n".join((OPENING + rows, *_commands(group(), "floorboss")))


def _commands(commands: Any, path: str) -> Iterator[str]:
    for name in commands.commands:
        command = commands.commands[name]
        full = f"{path} {name}"
        if hasattr(command, "commands"):
            yield from _commands(command, full)
        else:
            yield _section(command, full)


def _section(command: Any, full: str) -> str:
    context = typer.Context(command, info_name=full, terminal_width=WIDTH)
    lines = (line.rstrip() for line in command.get_help(context).splitlines())
    text = "\n".join(lines)
    return f"## {full}\n\n```text\n{text}\n```\n"
