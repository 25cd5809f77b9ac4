"""What the text of a path may mean to a tool."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.classification.spellings import spellings


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("src/a.py", ["src/a.py"]),
        ("src/%2e%2e/a", ["src/%2e%2e/a"]),
        ("a b", ["a b"]),
        (" a\n", [" a\n", "a"]),
        ("file:///srv/a", ["/srv/a"]),
        ("file://localhost/srv/a", ["/srv/a"]),
        ("FILE:/srv/%61%2Fb", ["/srv/%61%2Fb", "/srv/a/b"]),
        ("file://host/srv/a", ["host/srv/a"]),
        ("file:///%ff", ["/%ff", "/\udcff"]),
        ("file://", []),
        (" file:///srv/a", ["/srv/a"]),
        ("files:/a", ["files:/a"]),
        ("a\\b", ["a\\b", "a/b"]),
        ("C:\\a", ["C:\\a", "/C:/a", "C:/a"]),
        ("c:/a", ["c:/a", "/c:/a"]),
        ("file:///C:/a", ["/C:/a"]),
        ("c:a", ["c:a"]),
        ("\\\\host\\a", ["\\\\host\\a", "//host/a"]),
    ],
)
def test_a_path_has_these_readings(text: str, paths: list[str]) -> None:
    assert list(dict.fromkeys(spellings(text))) == paths


@given(st.text())
def test_a_path_always_counts_as_it_stands_too(text: str) -> None:
    found = list(spellings(text))
    if not text.strip().lower().startswith("file:"):
        assert text in found or not text
