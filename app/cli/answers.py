"""The agents that were told to stop retrying and wait for an answer, in lines for a person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.cli.rendering import View
from app.domain.reasons import quoted
from app.domain.tables import plain, short


def awaited(escalations: Iterable[View], spelled: str) -> Iterator[str]:
    """What each of them wanted, and what to type; `spelled` is a command before its seq."""
    for number, view in enumerate(escalations):
        if not number:
            yield "An agent waits for an answer:"
        yield f"  {short(view['scope'])}  {_wanted(view)}"
        yield from _ways(view, spelled)


def _wanted(view: View) -> str:
    """The step, and what came of it since."""
    since = f", {view['further']} more calls blocked since" if view["further"] else ""
    ended = "; its turn was ended" if view["turn_ended"] else ""
    tool, rule = quoted(str(view["tool"])), plain(str(view["rule"]))
    return f"{view['seq']} {tool} was blocked by {rule} again{since}{ended}"


def _ways(view: View, spelled: str) -> Iterator[str]:
    yield "      it was told to say what it needs: answer it in its session"
    if view["notice"]:
        yield f"      {spelled.format(verb='revert', seq=view['notice'])}  when it is dealt with"
