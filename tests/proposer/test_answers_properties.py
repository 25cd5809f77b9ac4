"""Whatever a model answers: nothing in force becomes freer, and no file is written elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.domain.advice import FORMS, Advice, Rejected
from app.domain.configuration import POSTURES
from app.domain.state import own_value
from app.proposer.folder import KINDS, write
from app.proposer.gate import understood
from app.proposer.providers import PROVIDERS
from app.service.private_files import UnsafePathError
from tests.domain.changes import DENIALS, PATTERNS, TOOLS
from tests.domain.floor import Floor
from tests.domain.ledger import audit
from tests.domain.model import MODELS, asked, came_to, tripped
from tests.domain.narrowing_oracle import frees
from tests.proposer.asking import client

_words = st.sampled_from(["yolo", "auto", "ask", "read-only", "none", "deny", "allow", "plan"])
_policy = st.fixed_dictionaries(
    {},
    optional={
        "posture": _words,
        "verdicts": st.dictionaries(st.sampled_from(TOOLS), _words, max_size=3),
        "shell_denials": st.lists(st.sampled_from(DENIALS), max_size=3),
        "write_paths": st.none() | st.lists(st.sampled_from(PATTERNS), max_size=3),
        "mode": _words,
    },
)
_close = st.fixed_dictionaries(  # what can be understood, so that narrowing has to judge it
    {"posture": st.sampled_from(POSTURES)},
    optional={
        "verdicts": st.dictionaries(st.sampled_from(TOOLS), st.sampled_from(["ask", "deny"])),
        "shell_denials": st.lists(st.sampled_from(DENIALS), max_size=2),
        "write_paths": st.lists(st.sampled_from(PATTERNS), max_size=2),
    },
)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
_tightenings = st.fixed_dictionaries({"action": st.just("tighten_policy"), "policy": _close})
_values = st.one_of(
    *[_tightenings] * 4,
    st.fixed_dictionaries({"action": st.sampled_from(["abort", "compact", "noop"])}),
    st.fixed_dictionaries({"action": st.just("tighten_policy"), "policy": _policy}),
    st.fixed_dictionaries(
        {"action": st.sampled_from([*FORMS, "learn"])},
        optional={
            "model": st.sampled_from([*MODELS, "huge"]),
            "text": st.text(max_size=20),
            "title": st.text(max_size=20) | st.just("../../.bashrc"),
            "policy": _policy,
            "reason": st.text(max_size=20),
            "scope": st.just("*"),
        },
    ),
    _json,
)
_texts = st.builds(json.dumps, _values)
_answers = st.lists(st.one_of(_texts, _texts, _texts, st.text(max_size=40)), min_size=1, max_size=4)
_held = st.fixed_dictionaries(
    {},
    optional={
        "posture": st.sampled_from(["auto", "ask", "read-only"]),
        "verdicts": st.dictionaries(st.sampled_from(TOOLS), st.sampled_from(["ask", "deny"])),
        "shell_denials": st.lists(st.sampled_from(DENIALS), max_size=2),
        "write_paths": st.lists(st.sampled_from(PATTERNS), max_size=2),
    },
)


def read(content: bytes, provider: str) -> Advice | Rejected:
    """What the bytes of a server come to, as they would after a request."""
    url = "https://models.example.com/v1/" + ("messages" if provider == "anthropic" else "x")
    found = client(url)._text(content)
    return found if isinstance(found, Rejected) else understood(found, MODELS)


@given(_answers, _held, st.sampled_from(["s", "s/a"]))
def test_no_answer_frees_a_call(answers: list[str], held: dict[str, Any], scope: str) -> None:
    floor = Floor()
    if held:
        floor.sets("policy", held, scope)
    trip = tripped(floor, scope)
    for answer in answers:
        before = {name: own_value(floor.book, name, "policy", floor.configuration)
                  for name in ("s", "s/a")}  # fmt: skip
        question = asked(floor, trip)
        entries = came_to(floor, question, understood(answer, MODELS))
        assert entries[-1].direction != "loosen" or "return" in entries[-1].body
        for name, value in before.items():
            after = own_value(floor.book, name, "policy", floor.configuration)
            assert not frees(value, after)  # type: ignore[arg-type]
    assert audit(floor.log) == []
    assert floor.folded() == floor.book


@given(st.binary(max_size=300), st.sampled_from(sorted(PROVIDERS)))
def test_any_bytes_are_advice_or_refused(content: bytes, provider: str) -> None:
    found = read(content, provider)
    assert isinstance(found, Rejected)


@given(_json, st.sampled_from(sorted(PROVIDERS)))
def test_any_json_is_advice_or_refused(value: Any, provider: str) -> None:
    found = read(json.dumps(value).encode(), provider)
    assert isinstance(found, Rejected)


@given(st.integers(1, 10**9), st.sampled_from(KINDS), st.text(max_size=30), st.text(max_size=30))
def test_a_text_is_written_to_its_own_file_and_nowhere_else(
    seq: int, kind: str, title: str, text: str
) -> None:
    with TemporaryDirectory() as place:
        folder = Path(place) / "proposals"
        try:
            write(folder, seq, kind, title, text)
        except UnicodeEncodeError:  # half a character; no answer with one comes here
            return
        found = [path for path in Path(place).rglob("*") if path.is_file()]
        assert found == [folder / f"{seq}-{kind}.md"]


@given(st.sampled_from(["file", "link", "dangling link", "folder"]))
def test_nothing_that_is_there_is_written_over_or_followed(found: str) -> None:
    with TemporaryDirectory() as place:
        folder, kept = Path(place) / "proposals", Path(place) / "kept"
        folder.mkdir(mode=0o700)
        kept.write_text("KEPT")
        target = folder / "7-skill.md"
        match found:
            case "file":
                target.write_text("KEPT")
            case "link":
                target.symlink_to(kept)
            case "dangling link":
                target.symlink_to(Path(place) / "new")
            case _:
                target.mkdir()
        try:
            write(folder, 7, "skill", "T", "X")
        except (OSError, UnsafePathError):
            assert kept.read_text() == "KEPT"
            assert not (Path(place) / "new").exists()
            assert found != "file" or target.read_text() == "KEPT"
        else:
            raise AssertionError("it was written")
