"""Every error is a problem document and repeats nothing that was sent."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from starlette.types import ASGIApp

from app.api.problems import answer, problem
from app.harness.base import Fault
from app.service.tokens import Tokens
from tests.api.small_app import SmallApp, ask


@pytest.fixture
def app(tmp_path: Path) -> ASGIApp:
    return SmallApp(Tokens(tmp_path), reads="open").build()


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nowhere-8f1c", 404, "not_found"),
        ("GET", "/controller/events", 405, "method_not_allowed"),
        ("GET", "/controller/log?limit=8f1c", 422, "invalid_request"),
        ("POST", "/controller/approve/8f1c", 422, "invalid_request"),
        ("POST", "/controller/approve/1", 401, "token_missing"),
        ("GET", "/broken", 500, "internal_error"),
    ],
)
def test_an_error_is_a_problem_document_without_any_input(
    app: ASGIApp, method: str, path: str, status: int, code: str
) -> None:
    got = ask(app, method, path)
    body = got.json()
    assert (got.status_code, body["status"], body["type"]) == (status, status, f"/problems/{code}")
    assert got.headers["content-type"] == "application/problem+json"
    assert body["title"]
    assert body["detail"]
    assert "8f1c" not in got.text


def test_a_method_that_is_not_allowed_is_answered_with_those_that_are(app: ASGIApp) -> None:
    assert ask(app, "GET", "/controller/events").headers["allow"] == "POST"


def test_a_part_of_the_request_that_is_wrong_is_named(app: ASGIApp) -> None:
    errors = ask(app, "GET", "/controller/log?limit=x").json()["errors"]
    assert errors == [{"at": "query.limit", "type": "int_parsing"}]


def test_the_log_says_where_it_broke_and_not_on_what(
    app: ASGIApp, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        ask(app, "GET", "/broken")
    assert [record.name for record in caplog.records] == ["floorboss.api"]
    assert "RuntimeError" in caplog.text
    assert "_broken" in caplog.text
    assert "8f1c" not in caplog.text.replace('raise RuntimeError("canary-8f1c")', "")


def test_a_fault_says_where_it_lies() -> None:
    fault = Fault(code="c", detail="d", status=422, at="[3].tool")
    assert b'"at": "[3].tool"' in answer(fault).body


def test_a_caller_without_a_good_token_is_told_which_scheme_to_use() -> None:
    assert problem(401, "c", "d").headers["www-authenticate"] == 'Bearer realm="floorboss"'


def test_a_connection_whose_body_did_not_come_is_closed() -> None:
    assert problem(408, "c", "d").headers["connection"] == "close"


def test_more_members_and_headers_can_be_given() -> None:
    got = problem(409, "stale", "d", headers={"Retry-After": "1"}, in_force={"mode": "plan"})
    assert got.headers["retry-after"] == "1"
    assert b'"in_force": {"mode": "plan"}' in got.body


def test_titles_are_the_same_under_every_python() -> None:
    assert b"Content Too Large" in problem(413, "c", "d").body
    assert b"Unprocessable Content" in problem(422, "c", "d").body
    assert b"Error" in problem(599, "c", "d").body
