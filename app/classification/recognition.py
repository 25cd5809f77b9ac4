"""What a shell line is about, apart from its cosmetics, and how it counts.

    core(line)      the members that matter, their flags behind their words: identity
    pace(line)      whether it waits or asks for a state instead of working
    mutates(line)   whether a success changes the world's state
    patch_of(line)  the patch that a line feeds to apply_patch

Recognition only: nothing here vouches for a line (effects.py does).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from app.classification.remembering import remembered
from app.classification.searching import searched
from app.classification.shell import Member, split
from app.classification.vocabulary import phrases, starts, words
from app.domain.calls import Pace

_REDIRECTIONS = re.compile(r"(?<!\s)\s*2>\s*(?:&1|/dev/null)")
_VIEWERS: Final = words("head tail cat tee less more nl")
_WAITS: Final = words("sleep wait watch until while")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_WRAPPERS: Final = words("sudo env time nohup command exec stdbuf nice")

# Programs (with their first words) that ask for the state of something running elsewhere.
_STATUS: Final = phrases(
    "gh run|gh pr checks|glab ci|kubectl get|kubectl describe|kubectl logs|kubectl rollout status"
    "|kubectl rollout history|kubectl wait|kubectl top|kubectl events|helm status|docker inspect"
    "|docker ps|docker logs|docker compose ps|docker compose logs|squeue|sacct|systemctl status"
    "|systemctl is-active|ps|pgrep|nvidia-smi|tail"
)
_CLOUDS: Final = (("aws",), ("gcloud",), ("az",))
_ASKING: Final = ("describe", "list", "get-", "show", "wait")
_CHANGING: Final = phrases(
    "git checkout|git switch|git stash|git apply|git am|git merge|git rebase|git pull|git reset"
    "|git cherry-pick|git revert|git restore|git bisect|git commit|git add|git mv|git rm|git clone"
    "|mv|rm|cp|touch|mkdir|ln|chmod|tee|patch|docker compose up|docker compose down"
    "|make install|make clean|make gen|pip install|pip3 install|python -m pip|uv add|uv sync"
    "|git push|kubectl apply|kubectl delete|kubectl scale|kubectl patch|kubectl set|kubectl create"
    "|kubectl rollout restart|kubectl rollout undo|helm upgrade|helm install|helm rollback"
    "|docker restart|docker stop|docker rm|docker compose restart|systemctl restart|systemctl start"
    "|systemctl stop|service|terraform apply|tofu apply|gh run rerun|gh workflow run"
    "|uv pip|npm install|npm ci|npm i|pnpm add|pnpm install|yarn add|yarn install|bun add"
    "|bun install|cargo add|go get|go mod|apt install|apt-get install|brew install|gem install"
    "|bundle install|poetry add|poetry install|composer require|composer install"
)
_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"")
_TO_FILE = re.compile(r"(?<![0-9&<>=-])>{1,2}\s*(?!&|/dev/)[\w./~Q$-]")
_PATCH = re.compile(r"^\s*(?:cd\s+\S+\s*&&\s*)?apply_?patch\b(.*)", re.DOTALL)


@remembered
def core(line: str) -> str:
    """The line without what only changes how it is shown or where it waits."""
    return " ".join(f"{_canonical(member)} {member.joiner}" for member in working(line)).strip(
        " |&;\n"
    )


def working(line: str) -> tuple[Member, ...]:
    """The members of a line that its identity is made of."""
    members = split(_REDIRECTIONS.sub("", line))
    return tuple(member for at, member in enumerate(members) if _matters(members, at))


def _matters(members: Sequence[Member], at: int) -> bool:
    member = members[at]
    program = member.words[0] if member.words else member.text
    before = members[at - 1].joiner if at else ""
    return not (
        program == "cd"
        or (program == "sleep" and at < len(members) - 1)
        or (before == "|" and program in _VIEWERS)
        or "$?" in member.text
        or (before == "||" and program == "true")
    )


def _canonical(member: Member) -> str:
    said = member.words or tuple(member.text.split())
    found = searched(said)
    if found is not None:
        return " ".join(found)
    plain = [word for word in said if not word.startswith("-")]
    return " ".join((*plain, *sorted(word for word in said if word.startswith("-"))))


def command(member: Member) -> tuple[str, ...]:
    """A member's words from its program on: assignments, wrappers and folders left out."""
    said = list(member.words or member.text.split())
    while said and (_ASSIGNMENT.match(said[0]) or said[0] in _WRAPPERS):
        said.pop(0)
    if said:
        said[0] = said[0].rsplit("/", 1)[-1] or said[0]
    return tuple(said)


@remembered
def pace(line: str) -> Pace:
    """Whether a line works, asks for a state (poll), or waits (drain)."""
    if not line.strip() or any(_waits(command(member)) for member in split(line)):
        return "drain"
    first = next((command(member) for member in working(line)), ())
    return "poll" if starts(first, _STATUS) or _asks_a_cloud(first) else "work"


def _asks_a_cloud(said: tuple[str, ...]) -> bool:
    """Whether a cloud's own program is asked how something is: `aws rds describe-db-instances`."""
    return said[:1] in _CLOUDS and any(word.startswith(_ASKING) for word in said[1:4])


def _waits(said: tuple[str, ...]) -> bool:
    return bool(said) and (said[0] in _WAITS or said[:2] == ("do", "sleep") or "--watch" in said)


@remembered
def mutates(line: str) -> bool:
    """Whether a success of this line changes the world's state, as far as a list can tell."""
    return any(_mutates(member) for member in split(_REDIRECTIONS.sub("", line)))


def _mutates(member: Member) -> bool:
    said = command(member)
    if not said:
        return False
    in_place = said[0] == "sed" and any(word.startswith("-i") for word in said[1:])
    written = _TO_FILE.search(_QUOTED.sub("Q", member.text)) is not None
    return in_place or written or starts(said, _CHANGING)


def patch_of(line: str) -> str | None:
    """What a line hands to apply_patch, or None."""
    found = _PATCH.match(line)
    return found.group(1) if found else None
