"""Generated changes of modes and policies, and calls: what narrowing has to judge rightly.

Half of what is drawn stays close to what it changes, else nearly every change would loosen.
"""

from __future__ import annotations

from hypothesis import strategies as st
from immutables import Map

from app.domain.calls import Target
from app.domain.configuration import POSTURES
from app.domain.modes import EFFECTS, MODES, RULINGS, TOOL_CLASSES, VERDICTS, ZONES, Mode
from app.domain.patterns import zone_inside
from app.domain.probes import UNNAMED
from app.domain.replacing import replace
from app.domain.restrictions import Call, Policy

# Names that begin each other, the probes' own, and one that no policy of ours would have.
TOOLS = ("Bash", "Edit", "BashOutput", "mcp__files__write", UNNAMED)
DENIALS = ("git", "git push", "git push origin", "/usr/bin/git", "rm", "rm -rf", "rm -r", "gi")
PATTERNS = (
    "/src/", "/src/a/", "/src/a/b/", "src/", "docs/", "/docs", "src", "*.md", "/src/*.md", "*",
    "/src/*", "/src/**", "**/a/", "/src/?", "/src/??", "a", "/src/probe*", "/src/a/**/b.md", "**",
    "/src/*a", "q*", "/*", "lib/**", "probe",
)  # fmt: skip
PATHS = (
    "src/x", "src/a", "src/a/x", "src/a/b/x", "src/a/b.md", "src/n.md", "docs/x", "docs", "lib/x",
    "lib/src/x", "tests/x", "y", "q", "n.md", "src/probe-x", "src/xa", "a", "z/a/z", "/etc/x",
)  # fmt: skip
LINES = (
    "git", "git pull", "git push x", "/bin/git push origin m", "rm a", "rm -rf b", "gi t", "gitk",
)  # fmt: skip

_rulings = st.dictionaries(st.sampled_from(EFFECTS), st.sampled_from(RULINGS)).map(Map)
modes = st.builds(
    Mode,
    name=st.just("m"),
    tools=st.lists(st.sampled_from(TOOL_CLASSES), unique=True).map(tuple),
    writes=st.lists(st.sampled_from(ZONES), unique=True).map(tuple),
    shell=_rulings,
) | st.sampled_from([mode for table in MODES.values() for mode in table.values()])
policies = st.builds(
    Policy,
    posture=st.sampled_from(POSTURES),
    verdicts=st.dictionaries(
        st.sampled_from(TOOLS), st.sampled_from(VERDICTS), max_size=3
    ).map(Map),
    shell_denials=st.lists(st.sampled_from(DENIALS), max_size=3).map(tuple),
    write_paths=st.none() | st.lists(st.sampled_from(PATTERNS), max_size=3).map(tuple),
)  # fmt: skip


@st.composite
def _closer(draw: st.DrawFn, mode: Mode) -> Mode:
    """A mode that differs in a few words from another."""
    tools = [kind for kind in mode.tools if draw(st.integers(0, 9))]
    writes = [zone for zone in mode.writes if draw(st.integers(0, 3))]
    if not draw(st.integers(0, 5)):
        writes.append(draw(st.sampled_from(ZONES)))
    shell = mode.shell
    for effect in draw(st.lists(st.sampled_from(EFFECTS), max_size=2)):
        shell = shell.set(effect, draw(st.sampled_from(RULINGS)))
    return replace(mode, tools=tuple(tools), writes=tuple(writes), shell=shell)


@st.composite
def _narrower(draw: st.DrawFn, policy: Policy) -> Policy:
    """A policy whose every field looks as tight or tighter; it may be freer all the same."""
    posture = POSTURES[draw(st.integers(POSTURES.index(policy.posture), len(POSTURES) - 1))]
    verdicts = policy.verdicts
    for tool in draw(st.lists(st.sampled_from(TOOLS), max_size=2)):
        verdicts = verdicts.set(tool, draw(st.sampled_from(("ask", "deny"))))
    more = draw(st.lists(st.sampled_from(DENIALS), max_size=2))
    paths = policy.write_paths
    if paths is None and draw(st.booleans()):
        paths = ()
    elif paths is not None:
        paths = tuple(path for path in paths if draw(st.booleans()))
    return Policy(
        posture=posture,
        verdicts=verdicts,
        shell_denials=(*policy.shell_denials, *more),
        write_paths=paths,
    )


@st.composite
def _mixed(draw: st.DrawFn, one: Policy) -> Policy:
    """A policy that has some fields of another."""
    other = draw(policies)
    kept = draw(st.sets(st.sampled_from(Policy.__slots__)))
    mixed = {name: getattr(one if name in kept else other, name) for name in Policy.__slots__}
    return Policy(**mixed)


def _with_itself(mode: Mode) -> st.SearchStrategy[tuple[Mode, Mode]]:
    return st.tuples(st.just(mode), modes | _closer(mode) | _closer(mode))


def _changed(policy: Policy) -> st.SearchStrategy[tuple[Policy, Policy]]:
    return st.tuples(st.just(policy), _mixed(policy) | _narrower(policy) | _narrower(policy))


mode_changes = modes.flatmap(_with_itself)
policy_changes = policies.flatmap(_changed)

_places = st.sampled_from(PATHS).map(
    lambda path: Target(path=path, zone="outside" if path.startswith("/") else zone_inside(path))
)
_zones = st.builds(Target, path=st.just("p"), zone=st.sampled_from(ZONES))
calls = st.builds(
    Call,
    tool=st.sampled_from([*TOOLS, "Other"]),
    tool_class=st.sampled_from(TOOL_CLASSES),
    effects=st.lists(st.sampled_from(EFFECTS), min_size=1, max_size=3).map(tuple),
    targets=st.lists(_places | _zones, max_size=3).map(tuple),
    commands=st.lists(st.sampled_from(LINES), max_size=2).map(tuple),
)
