"""What a model may answer: one of eight types, or a reason why it is none of them.

    parsed(value, models) -> Advice | Rejected

A type says what is asked for and never that it happens: what it comes to is decided in advised.py,
under what is in force then. A word that is not among the eight never reaches a reader of fields.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from app.domain.events import Json
from app.domain.modes import VERDICTS, Malformed
from app.domain.restrictions import Policy, changed

Why = Literal[
    # of the call
    "budget",
    "unreachable",
    "address",
    "redirect",
    "status",
    "timeout",
    "too_large",
    "encoded",
    "no_text",
    "cut_off",
    "tool_use",
    "stopped",
    "fault",
    # of the answer
    "not_json",
    "unknown_action",
    "fields",
    # of what it would come to
    "freer",
    "changes_nothing",
    "advisory",
    "crowded",
    "session_ended",
    "taken_back",
    "file",
]
REASON: Final = 500  # characters of why a model answers as it does
WARNING: Final = 1_000  # of a warning
TITLE: Final = 120  # of an instruction or a skill
TEXT: Final = 8_000  # of its Markdown
NAME: Final = 200  # of a tool, a denied command, a pattern
LOOSEST: Final = VERDICTS[0]
# What changes how the text around it is shown.
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """Why a call to the model led nowhere: a word, and a sentence for a person."""

    why: Why
    detail: str
    attempted: str = "ask"  # one of the eight, where the answer was one
    freer: Json = None  # what would have become freer


@dataclass(frozen=True, slots=True, kw_only=True)
class Compact:
    """The agent's context should be compacted; waits for a person."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchModel:
    """The agent should go on with another model, one that the settings name; waits for a person."""

    model: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TightenPolicy:
    """The policy of the scope should be stricter: the fields in `named`, as `policy` has them."""

    policy: Policy
    named: frozenset[str]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abort:
    """The session should do nothing more than read."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WarnUser:
    """The person should read this."""

    text: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noop:
    """Nothing should be done."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposeInstruction:
    """A person might want to tell agents this from now on."""

    title: str
    text: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposeSkill:
    """A person might want to teach agents how to do this."""

    title: str
    text: str
    reason: str = ""


Advice: TypeAlias = (
    Compact
    | SwitchModel
    | TightenPolicy
    | Abort
    | WarnUser
    | Noop
    | ProposeInstruction
    | ProposeSkill
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """What one word needs beside it, each a text of so many characters, and what it makes."""

    make: Callable[..., Advice]
    texts: Mapping[str, int] = field(default_factory=dict)


FORMS: Final[Mapping[str, _Form]] = {
    "compact": _Form(make=Compact),
    "switch_model": _Form(make=SwitchModel, texts={"model": NAME}),
    "tighten_policy": _Form(make=TightenPolicy),  # has an object beside it: _tightening
    "abort": _Form(make=Abort),
    "warn_user": _Form(make=WarnUser, texts={"text": WARNING}),
    "noop": _Form(make=Noop),
    "propose_instruction": _Form(make=ProposeInstruction, texts={"title": TITLE, "text": TEXT}),
    "propose_skill": _Form(make=ProposeSkill, texts={"title": TITLE, "text": TEXT}),
}
LINES: Final = frozenset({"text"})  # the texts that may have more than one line


def parsed(value: Json, models: Collection[str]) -> Advice | Rejected:
    """The advice in a model's answer; `models` are those that the settings name."""
    if not isinstance(value, dict):
        return Rejected(why="not_json", detail="the answer is no JSON object")
    action = value.get("action")
    form = FORMS.get(action) if isinstance(action, str) else None
    if not isinstance(action, str) or form is None:
        return Rejected(why="unknown_action", detail="the answer names none of the eight actions")
    said = {name: each for name, each in value.items() if name != "action"}
    reason = said.pop("reason", "")
    wrong = _unreadable("reason", reason, REASON) if reason != "" else None
    if wrong is not None:
        return Rejected(why="fields", detail=wrong, attempted=action)
    if action == "tighten_policy":
        return _tightening(said, str(reason))
    return _texts(action, form, said, str(reason), models)


def _texts(
    action: str, form: _Form, said: Mapping[str, Json], reason: str, models: Collection[str]
) -> Advice | Rejected:
    if set(said) != set(form.texts):
        names = ", ".join(form.texts) or "nothing"
        detail = f"beside action and reason it takes {names}"
        return Rejected(why="fields", detail=detail, attempted=action)
    for name, most in form.texts.items():
        wrong = _unreadable(name, said[name], most)
        if wrong is not None:
            return Rejected(why="fields", detail=wrong, attempted=action)
    if action == "switch_model" and said["model"] not in models:
        detail = "the settings do not name this model in proposer.models"
        return Rejected(why="fields", detail=detail, attempted=action)
    return form.make(**said, reason=reason)


def _unreadable(name: str, text: Json, most: int) -> str | None:
    """What is wrong with a text; None: it can be kept and shown as it is."""
    if not isinstance(text, str) or not text.strip():
        return f"{name} is no text"
    if len(text) > most:
        return f"{name} has {len(text)} characters, at most {most} may be"
    shown = text.replace("\n", "").replace("\t", "") if name in LINES else text
    if any(unicodedata.category(sign) in _UNSEEN for sign in shown):
        return f"{name} holds signs that are not shown"
    return None


def _tightening(said: Mapping[str, Json], reason: str) -> Advice | Rejected:
    difference = said.get("policy")
    if set(said) != {"policy"} or not isinstance(difference, dict):
        return _no_policy("beside action and reason it takes policy, an object")
    policy = changed(Policy(), difference)
    if isinstance(policy, Malformed):
        return _no_policy(policy.detail)
    if LOOSEST in policy.verdicts.values():
        return _no_policy(f"a verdict of {LOOSEST} could only loosen")
    if "write_paths" in difference and policy.write_paths is None:
        return _no_policy("write_paths is a list")
    names = (*policy.verdicts, *policy.shell_denials, *(policy.write_paths or ()))
    wrong = next((why for name in names if (why := _unreadable("a name", name, NAME))), None)
    if wrong is not None:
        return _no_policy(wrong)
    return TightenPolicy(policy=policy, named=frozenset(difference), reason=reason)


def _no_policy(detail: str) -> Rejected:
    return Rejected(why="fields", detail=detail, attempted="tighten_policy")
