"""Whatever an agent sends: classifying never raises, and names without quotes hide nowhere."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.classification.effects import commands, effects
from app.classification.paths import Place
from app.classification.shellcode.lines import line_effects
from app.domain.events import Event
from app.domain.modes import MODES, TOOL_CLASSES
from app.domain.policy import decide
from app.domain.restrictions import Call, InForce

PLACE = Place(root="/srv/project", cwd="/srv/project")
SHELL_SIGNS = st.text(alphabet="ab \n\\'\"|&;<>$()`#=-/.*~{}", max_size=40)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | SHELL_SIGNS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["command", "cmd", "path", "file_path", "edits", "changes", "patch", "input", "workdir", "x"]
)


@given(st.dictionaries(KEYS, json_values), st.sampled_from(TOOL_CLASSES))
def test_no_arguments_make_classifying_raise(arguments: object, tool_class: str) -> None:
    event = Event(session_id="s", tool="T", arguments=arguments)  # type: ignore[arg-type]
    found = effects(event, tool_class, PLACE)  # type: ignore[arg-type]
    assert found.effects
    assert all(target.path for target in found.targets)
    commands(event, tool_class)  # type: ignore[arg-type]


@given(SHELL_SIGNS)
def test_a_write_after_a_complete_line_is_always_seen(line: str) -> None:
    """Behind any text, a plain `rm` of a test is never let pass in implementation."""
    found = line_effects(f"{line}\nrm tests/x.py", PLACE)
    call = Call(tool="T", tool_class="shell", effects=found.effects, targets=found.targets)
    in_force = InForce(modes=(MODES["default"]["implementation"],))
    assert decide(in_force, call).verdict != "none"


@given(SHELL_SIGNS, st.sampled_from(["plan", "review", "debug"]))
def test_modes_that_write_nothing_let_no_redirection_pass(line: str, mode: str) -> None:
    found = line_effects(f"echo x > {line or 'a'}", PLACE)
    call = Call(tool="T", tool_class="shell", effects=found.effects, targets=found.targets)
    assert decide(InForce(modes=(MODES["default"][mode],)), call).verdict == "deny"
