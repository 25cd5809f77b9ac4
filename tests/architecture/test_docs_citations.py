"""What the code and the documents cite exists: a page that ships, and the section named of it."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("app", "bench", "deploy", "docs", "migrations", "tests")
READ = {".py", ".md", ".toml", ".service", ".json", ".jsonl"}
FILES = sorted(
    [*(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"))]
    + [ROOT / "pyproject.toml", ROOT / "Makefile"]
    + [
        path
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.suffix in READ or path.name.startswith("Dockerfile")
    ]
)
# A page and a number; in a document the page is the target of a link.
CITED = re.compile(r"\b((?:docs/)?[\w-]+\.md)\)?,? (?:section )?(\d+(?:\.\d+)*)")
PAGE = re.compile(r"(?<![\w./$*-])((?:\.\./)*[\w][\w/-]*\.md)\b")
ALSO = re.compile(r"(?<=\d), (\d+\.\d+)")  # a second section of the same page
HEADING = re.compile(r"^#{2,3} (\d+(?:\.\d+)*)\.? ", re.MULTILINE)
CATALOGUE = re.compile(r"\b(?:AUT|BRW|CON|DUR|HAR|INP|NAR|OVR|PTH|TMP|UPG)-\d\d\b")

IN_A_NAME = re.compile(r"\bdef test_(nar)_(\d\d)_")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def prose(path: Path) -> str:
    """What a file says to its reader: of Python comments and docstrings, else everything."""
    text = path.read_text(encoding="utf-8")
    return " \n".join(said(text)) if path.suffix == ".py" else text


def said(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def missing_sections(text: str, folder: Path) -> list[str]:
    """The cited sections that no page has."""
    found = []
    for cited in CITED.finditer(text):
        also = ALSO.match(text, cited.end())
        for number in (cited[2], *([also[1]] if also else [])):
            if number not in sections(page(cited[1], folder)):
                found.append(f"{cited[1]} {number}")
    return found


def missing_pages(text: str, folder: Path) -> list[str]:
    """The named pages that do not ship."""
    return [name for name in PAGE.findall(text) if page(name, folder) is None]


def page(name: str, folder: Path) -> Path | None:
    """The file a page's name leads to, from the top or from where it is named."""
    return next((place / name for place in (ROOT, folder) if (place / name).is_file()), None)


def sections(path: Path | None) -> set[str]:
    return set() if path is None else set(HEADING.findall(path.read_text(encoding="utf-8")))


def test_every_cited_section_exists() -> None:
    missing = {name_of(path): missing_sections(prose(path), path.parent) for path in FILES}
    assert {name: cited for name, cited in missing.items() if cited} == {}


def test_every_named_page_ships() -> None:
    named = [path for path in FILES if path.suffix not in (".json", ".jsonl")]
    missing = {name_of(path): missing_pages(prose(path), path.parent) for path in named}
    assert {name: pages for name, pages in missing.items() if pages} == {}


def numbers(path: Path) -> set[str]:
    """The numbers of cases that a file cites, also in the names of its tests."""
    text = path.read_text(encoding="utf-8")
    named = {"-".join(number).upper() for number in IN_A_NAME.findall(text)}
    return {*CATALOGUE.findall(text), *named}


def test_every_number_of_a_case_stands_in_the_list_that_ships() -> None:
    listed = numbers(ROOT / "docs" / "cases.md")
    cited = {name_of(path): numbers(path) - listed for path in FILES}
    assert {name: unknown for name, unknown in cited.items() if unknown} == {}


def test_every_case_of_the_list_has_a_test_that_names_it() -> None:
    tests = [path for path in FILES if path.is_relative_to(ROOT / "tests")]
    assert numbers(ROOT / "docs" / "cases.md") == set().union(*map(numbers, tests))


def test_planted_citations_are_found() -> None:
    text = "see docs/design.md 4, docs/design.md 99 and [design.md](design.md) 12; docs/gone.md 1"
    assert missing_sections(text, ROOT / "docs") == ["docs/design.md 99", "docs/gone.md 1"]
    assert missing_sections("docs/detection.md 2.1, 2.99 count", ROOT) == ["docs/detection.md 2.99"]
    assert missing_pages("no-such-page.md 2 and docs/design.md", ROOT) == ["no-such-page.md"]
    assert CATALOGUE.findall("as in PTH" + "-01") == ["PTH" + "-01"]
    assert IN_A_NAME.findall("def test_" + "nar_08_x()") == [("nar", "08")]
    assert list(said('"""One."""\nx = "two.md"  # three\n')) == ["One.", "# three"]


def test_the_pages_whose_sections_are_cited_have_sections() -> None:
    assert {"1", "12"} <= sections(ROOT / "docs" / "design.md")
    assert {"1.6", "2.13"} <= sections(ROOT / "docs" / "detection.md")
