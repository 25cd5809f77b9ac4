"""The domain is pure: what import contracts cannot see is looked for in its syntax trees.

Builtins need no import, `datetime` is imported for its types, and a module-level dictionary is
state as soon as somebody writes to it. Each rule is also tried on a planted line.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOMAIN = sorted((ROOT / "app" / "domain").rglob("*.py"))

# Names that reach out of the program or around the type checker, called or passed on.
BUILTINS = {
    "__import__", "breakpoint", "compile", "eval", "exec", "globals", "input", "open", "print",
}  # fmt: skip
# These answer differently in every process, so a fold that used them would not be repeatable.
PER_PROCESS = {"hash", "id"}
CLOCKS = {"now", "utcnow", "today"}
CONTAINERS = {"bytearray", "Counter", "defaultdict", "deque", "dict", "list", "OrderedDict", "set"}
# Annotated with one of these, the type checker refuses every write.
READ_ONLY = {"Collection", "Mapping", "Sequence", "Set"}


def impurities(tree: ast.Module) -> Iterator[str]:
    """What in `tree` touches the world or keeps state, in words."""
    clocks = clock_types(tree)
    for node in ast.walk(tree):
        yield from of_expression(node, clocks)
        yield from of_statement(node)


def of_expression(node: ast.AST, clocks: set[str]) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name in BUILTINS:
            yield name
        case ast.Call(func=ast.Name(id=name)) if name in PER_PROCESS:
            yield f"{name}()"
        case ast.Attribute(value=owner, attr=method) if method in CLOCKS:
            if last_name(owner) in clocks:
                yield f"datetime.{method}"
        case ast.Call(func=ast.Attribute(attr="astimezone"), args=[], keywords=[]):
            yield "astimezone() without a zone asks the machine for its own"
        case ast.Call(func=ast.Attribute(attr="fromtimestamp"), args=[_], keywords=[]):
            yield "fromtimestamp() without a zone asks the machine for its own"
        case _:
            return


def of_statement(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Global(names=names):
            yield f"global {', '.join(names)}"
        case ast.Module(body=body) | ast.ClassDef(body=body):
            yield from (f"shared mutable {name}" for name in shared_containers(body))
        case _:
            return


def clock_types(tree: ast.Module) -> set[str]:
    """The names under which `tree` knows datetime and date, aliases included."""
    imported = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    aliases = (alias for node in imported for alias in node.names)
    known = {alias.asname or alias.name for alias in aliases if alias.name in {"datetime", "date"}}
    return {"datetime", "date"} | known


def last_name(node: ast.expr) -> str | None:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return None


def shared_containers(body: list[ast.stmt]) -> Iterator[str]:
    """Names bound to a writable container for the life of the process."""
    for statement in body:
        match statement:
            case ast.Assign(targets=[target, *_], value=value) if writable(value):
                yield ast.unparse(target)
            case ast.AnnAssign(target=target, annotation=annotation, value=ast.expr() as value):
                if writable(value) and not READ_ONLY & names_in(annotation):
                    yield ast.unparse(target)
            case _:
                continue


def writable(value: ast.expr) -> bool:
    match value:
        case ast.List() | ast.Dict() | ast.Set():
            return True
        case ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Call(func=function):
            return last_name(function) in CONTAINERS
        case _:
            return False


def names_in(annotation: ast.expr) -> set[str | None]:
    return {last_name(node) for node in ast.walk(annotation) if isinstance(node, ast.expr)}


PLANTED = (
    ("def f(): return open('x')", "open"),
    ("def f(xs): return list(map(print, xs))", "print"),
    ("def f(): return __import__('os')", "__import__"),
    ("def f(): return input()", "input"),
    ("def f(): return eval('1')", "eval"),
    ("def f(): exec('1')", "exec"),
    ("def f(): return compile('1', '', 'eval')", "compile"),
    ("def f(): breakpoint()", "breakpoint"),
    ("def f(): return globals()", "globals"),
    ("def f(x): return hash(x)", "hash()"),
    ("def f(x): return id(x)", "id()"),
    ("def f(): return datetime.now(UTC)", "datetime.now"),
    ("def f(): return datetime.datetime.utcnow()", "datetime.utcnow"),
    ("def f(): return date.today()", "datetime.today"),
    ("from datetime import datetime as dt\ndef f(): return dt.now()", "datetime.now"),
    ("def f(at): return at.astimezone()", "astimezone() without a zone"),
    ("def f(s): return datetime.fromtimestamp(s)", "fromtimestamp() without a zone"),
    ("def f():\n    global seen\n    seen = 1", "global seen"),
    ("CACHE = {}", "shared mutable CACHE"),
    ("SEEN: set[str] = set()", "shared mutable SEEN"),
    ("ROWS = [n for n in range(3)]", "shared mutable ROWS"),
    ("COUNTS = collections.Counter()", "shared mutable COUNTS"),
    ("class Book:\n    entries = []", "shared mutable entries"),
)

INNOCENT = (
    "def f(now): return now",
    "def f(world): return world.now",
    "def f(entry): return entry.hash",
    "def f(s): return datetime.fromtimestamp(s, UTC)",
    "def f():\n    rows = []\n    return tuple(rows)",
    "TABLE: Final[Mapping[str, int]] = {'a': 1}",
    "NAMES: Final = ('a', 'b')",
    "KNOWN = frozenset({'a'})",
)


@pytest.mark.parametrize("path", DOMAIN, ids=lambda path: path.stem)
def test_a_domain_module_is_pure(path: Path) -> None:
    assert list(impurities(ast.parse(path.read_text()))) == []


def test_the_walk_reads_the_domain() -> None:
    assert {"events", "entries"} <= {path.stem for path in DOMAIN}


@pytest.mark.parametrize(("source", "named"), PLANTED, ids=[named for _, named in PLANTED])
def test_a_planted_impurity_is_found_once(source: str, named: str) -> None:
    [found] = impurities(ast.parse(source))
    assert named in found


@pytest.mark.parametrize("source", INNOCENT)
def test_a_pure_line_passes(source: str) -> None:
    assert list(impurities(ast.parse(source))) == []
