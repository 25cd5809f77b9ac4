"""The real Claude Code, in a home of its own, with floorboss's hooks and a scripted model.

program()                                   where it is, or what is missing
live(case, program, folder, project, keep)  run a script; what came of it
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.cli.processes import Daemon, run, served
from tests.live.cases import Case, Prompt
from tests.live.judging import Run
from tests.live.model import Model, Turn, call, text
from tests.live.project import Files, files_of, make, surroundings
from tests.live.recording import Recorder

Request = dict[str, Any]
VARIABLE: Final = "CLAUDE"
PATIENCE: Final = 300  # seconds until a client is given up; nothing is judged by it
# Nobody is asked for permission but by floorboss: what it denies is denied even so.
WORDS: Final = ("-p", "--output-format", "json", "--dangerously-skip-permissions")
QUIET: Final = {
    "ANTHROPIC_API_KEY": "none",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "IS_SANDBOX": "1",  # root, too, may skip the permissions
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """What a run with the real client lacks, and what to do about it."""

    detail: str


def program() -> Path | Missing:
    """Claude Code as $CLAUDE names it, else as the PATH has it."""
    named = os.environ.get(VARIABLE)
    found = shutil.which(named or "claude")
    if found:
        return Path(found).resolve()
    if named:
        return Missing(detail=f"CLAUDE is {named}, and no program is there.")
    return Missing(
        detail="Claude Code is not on the PATH: install it, or say where it is with"
        " make live CLAUDE=/path/to/claude."
    )


def version(claude: Path) -> str:
    """The version it says it is, such as 2.1.332."""
    said = subprocess.run((claude, "--version"), capture_output=True, text=True, check=True)
    return said.stdout.split(" ")[0].strip()


def live(case: Case, claude: Path, folder: Path, project: Path, keep: Path | None = None) -> Run:
    """Run a script in `project`; `keep`: the file its hooks are recorded in."""
    home = folder / "home"
    home.mkdir(parents=True)
    make(project, case.files)
    before, at, requests = files_of(project), dict[str, Files](), list[Request]()
    with ExitStack() as stack:
        (folder / "state").mkdir(mode=0o700)
        (folder / "state" / "floorboss.toml").write_text(case.toml)
        daemon = stack.enter_context(served(folder / "state"))
        model = Model(_heard(at, requests, project))
        stack.callback(model.stop)
        port = daemon.url.rpartition(":")[2]
        if keep is not None:
            recorder = stack.enter_context(Recorder(port, keep, {project: "project", home: "home"}))
            port = str(recorder.port)
        _settle(home, project, daemon, port)
        for place, prompt in enumerate(case.prompts):
            model.begin(_turns(prompt))
            _ask(claude, prompt.says, home, project, model.port, again=place > 0)
        log = _log(daemon)
    return Run(log=log, told=_told(requests), before=before, after=files_of(project), at=at)


def _turns(prompt: Prompt) -> list[Turn]:
    calls: list[Turn] = [(call(step.call_id, step.tool, step.given),) for step in prompt.steps]
    return [*calls, (text(prompt.answer),)]


def _heard(
    at: dict[str, Files], requests: list[Request], project: Path
) -> Callable[[Request], None]:
    """What is kept of a request: itself, and the files as the calls it tells of have left them."""

    def heard(request: Request) -> None:
        requests.append(request)
        files = files_of(project)
        for block in _blocks(request["messages"][-2:]):
            if block.get("type") == "tool_result":
                at.setdefault(block["tool_use_id"], files)

    return heard


def _settle(home: Path, project: Path, daemon: Daemon, port: str) -> None:
    """A home in which nobody has to be asked anything, with the hooks as `install` writes them."""
    known = {
        "hasCompletedOnboarding": True,
        "projects": {str(project): {"hasTrustDialogAccepted": True}},
    }
    (home / ".claude.json").write_text(json.dumps(known))
    env = {**daemon.env, "HOME": str(home), "FLOORBOSS_PORT": port}
    done = run("install", "claude-code", "--yes", env=env)
    if done.returncode != 0:
        raise AssertionError(f"the hooks could not be installed:\n{done.stdout}{done.stderr}")


def _ask(claude: Path, says: str, home: Path, project: Path, port: int, *, again: bool) -> None:
    """One prompt, in the session that the last one began where there was one."""
    going_on = ("--continue",) if again else ()
    model = {"ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}", "NO_PROXY": "127.0.0.1"}
    done = subprocess.run(
        (claude, *WORDS, *going_on, says),
        cwd=project,
        env={**surroundings(home), **QUIET, **model},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        start_new_session=True,
        check=False,
    )
    if done.returncode != 0:
        raise AssertionError(
            f"Claude Code ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        )


def _log(daemon: Daemon) -> list[dict[str, Any]]:
    """All entries, oldest first, with their text."""
    found: list[dict[str, Any]] = []
    after: int | None = 0
    while after is not None:
        page = daemon.ask("GET", f"/controller/log?limit=1000&after={after}")
        found += page["items"]
        after = page["next"]
    return found


def _told(requests: list[Request]) -> list[str]:
    """All texts of ours that the model was shown: not what it said itself."""
    if not requests:
        return []
    messages = [message for message in requests[-1]["messages"] if message["role"] != "assistant"]
    said = [*_texts(_blocks(messages)), *_texts(requests[-1].get("system", ()))]
    return [words for words in said if "[floorboss" in words]


def _blocks(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for message in messages:
        content = message["content"]
        yield from [text(content)] if isinstance(content, str) else content


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case {"type": "text", "text": str(words)}:
            yield words
        case {"type": "tool_result", "content": content}:
            yield from _texts(content)
        case list() | tuple() | Iterator():
            for part in value:
                yield from _texts(part)
        case _:
            pass
