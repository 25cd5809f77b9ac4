"""Who may do what, on a real application."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import get_args

import pytest

from app.api.auth import MAY, Reads, forbidden
from app.service.tokens import ROLES, CallerRole, Principal, Role, Tokens
from tests.api.small_app import SmallApp, ask

EVENT = b'{"session_id": "s", "tool": "Bash"}'
ROUTES: dict[Role, tuple[str, str]] = {
    "harness": ("POST", "/controller/events"),
    "operator": ("POST", "/controller/approve/1"),
    "reader": ("GET", "/controller/log"),
}


def status(small: SmallApp, route: Role, authorization: str | None) -> int:
    headers = {"Content-Type": "application/json"}
    if authorization is not None:
        headers["Authorization"] = authorization
    method, path = ROUTES[route]
    return ask(small.build(), method, path, headers=headers, content=EVENT).status_code


@pytest.mark.parametrize(
    ("caller", "answers"),
    [
        ("harness", {"harness": 201, "operator": 403, "reader": 200}),
        ("operator", {"harness": 201, "operator": 200, "reader": 200}),
        ("reader", {"harness": 403, "operator": 403, "reader": 200}),
    ],
)
def test_each_role_may_do_what_is_its_own_and_no_more(
    tmp_path: Path, caller: Role, answers: dict[Role, int]
) -> None:
    small = SmallApp(Tokens(tmp_path))
    text = small.tokens.mint("someone", caller)
    got = {route: status(small, route, f"Bearer {text}") for route in ROUTES}
    assert got == answers
    assert small.approved == (["1 by someone"] if answers["operator"] == 200 else [])
    assert len(small.stored) == (1 if answers["harness"] == 201 else 0)


@pytest.mark.parametrize(
    ("reads", "answers"),
    [
        ("open", {"harness": 401, "operator": 401, "reader": 200}),
        ("outline", {"harness": 401, "operator": 401, "reader": 200}),
        ("token", {"harness": 401, "operator": 401, "reader": 401}),
    ],
)
def test_without_a_token_nobody_does_more_than_read(
    tmp_path: Path, reads: Reads, answers: dict[Role, int]
) -> None:
    small = SmallApp(Tokens(tmp_path), reads=reads)
    assert {route: status(small, route, None) for route in ROUTES} == answers
    assert small.stored == []


@pytest.mark.parametrize(
    ("reads", "with_token", "seen"),
    [
        ("open", False, "text"),
        ("outline", False, "outline"),
        ("outline", True, "text"),
        ("token", True, "text"),
    ],
)
def test_any_token_shows_the_text(
    tmp_path: Path, reads: Reads, with_token: bool, seen: str
) -> None:
    small = SmallApp(Tokens(tmp_path), reads=reads)
    headers = {"Authorization": f"Bearer {small.tokens.mint('someone', 'reader')}"}
    got = ask(small.build(), "GET", "/controller/log", headers=headers if with_token else {})
    assert got.text == seen


@pytest.mark.parametrize("reads", get_args(Reads))
@pytest.mark.parametrize("header", ["Bearer floorboss_r_x", "Basic eA==", "", "Bearer", "\u00e9"])
def test_a_token_that_is_not_in_force_is_refused_where_none_is_needed(
    tmp_path: Path, reads: Reads, header: str
) -> None:
    small = SmallApp(Tokens(tmp_path), reads=reads)
    headers = [(b"Authorization", header.encode("latin-1"))]
    got = ask(small.build(), "GET", "/controller/log", headers=headers)
    assert got.status_code == 401
    assert got.headers["www-authenticate"].startswith("Bearer")


def test_two_tokens_are_none(tmp_path: Path) -> None:
    small = SmallApp(Tokens(tmp_path))
    bearer = f"Bearer {small.tokens.mint('someone', 'operator')}"
    headers = [("Authorization", bearer), ("Authorization", bearer)]
    got = ask(small.build(), "POST", "/controller/approve/1", headers=headers)
    assert got.status_code == 401


def test_a_token_in_the_query_is_none(tmp_path: Path) -> None:
    small = SmallApp(Tokens(tmp_path))
    text = small.tokens.mint("someone", "operator")
    got = ask(small.build(), "POST", f"/controller/approve/1?token={text}&access_token={text}")
    assert got.status_code == 401


def test_a_revoked_token_is_refused_from_the_next_request_on(tmp_path: Path) -> None:
    small = SmallApp(Tokens(tmp_path))
    bearer = f"Bearer {small.tokens.mint('someone', 'harness')}"
    assert status(small, "harness", bearer) == 201
    small.tokens.revoke("someone")
    assert status(small, "harness", bearer) == 401


def test_no_token_shows_in_an_answer_or_in_the_log_of_the_program(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    small = SmallApp(Tokens(tmp_path))
    text = str(small.tokens.mint_operator())
    headers = {"Authorization": f"Bearer {text}"}
    shown = ""
    with caplog.at_level(logging.DEBUG):
        for method, path in [*ROUTES.values(), ("GET", "/broken"), ("GET", "/nowhere")]:
            got = ask(small.build(), method, path, headers=headers)
            shown += got.text + str(got.headers)
    out, err = capfd.readouterr()
    assert text not in shown + caplog.text + out + err
    assert text.split("_", 3)[3] not in shown + caplog.text + out + err


def test_the_wrong_role_is_named_beside_the_right_one() -> None:
    fault = forbidden(Principal(name="laptop", role="harness"), "operator")
    assert fault is not None
    assert fault.status == 403
    assert "operator" in fault.detail
    assert "laptop" in fault.detail


def test_the_table_has_a_row_for_every_role_and_nobody_in_particular_only_reads() -> None:
    assert set(MAY) == set(ROLES)
    assert {needs for needs, callers in MAY.items() if "outline" in callers} == {"reader"}
    assert set().union(*MAY.values()) == set(get_args(CallerRole))
