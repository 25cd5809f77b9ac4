"""Tokens: who is who, what lies on disk, and what never does."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path

import pytest

from app.service.private_files import UnsafePathError
from app.service.tokens import FORM, Principal, Role, TokenRefused, Tokens


def minted(made: str | TokenRefused) -> str:
    assert isinstance(made, str)
    return made


def on_disk(folder: Path) -> bytes:
    """Everything in the folder, names included."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return b"\n".join(str(path).encode() + path.read_bytes() for path in files)


def handed(text: str) -> int:
    reading, writing = os.pipe()
    os.write(writing, text.encode())
    os.close(writing)
    return reading


@pytest.mark.parametrize(("role", "letter"), [("harness", "h"), ("operator", "o"), ("reader", "r")])
def test_a_token_says_its_role_and_carries_256_bits(
    tmp_path: Path, role: Role, letter: str
) -> None:
    tokens = Tokens(tmp_path)
    form = FORM.fullmatch(minted(tokens.mint("laptop", role)))
    assert form is not None
    assert form[1] == letter
    assert len(form[3]) * 6 >= 256


@pytest.mark.parametrize("role", ["harness", "operator", "reader"])
def test_a_token_is_known_by_its_name_and_role_after_a_restart_too(
    tmp_path: Path, role: Role
) -> None:
    text = minted(Tokens(tmp_path).mint("laptop", role))
    assert Tokens(tmp_path).authenticate(f"Bearer {text}") == Principal(name="laptop", role=role)


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "{token}",
        "Basic {token}",
        "Bearer {token}x",
        "Bearer x{token}",
        "Bearer {token},{token}",
        "Bearer {token} {token}",
        "Bearer floorboss_o_00000000_" + "A" * 43,
        "Bearer \u00e9\udc80",
    ],
)
def test_anything_but_the_whole_token_is_nobody(tmp_path: Path, header: str | None) -> None:
    tokens = Tokens(tmp_path)
    text = minted(tokens.mint("laptop", "reader"))
    assert tokens.authenticate(header and header.replace("{token}", text)) is None


def test_the_scheme_may_be_written_in_any_case(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    text = minted(tokens.mint("laptop", "reader"))
    assert tokens.authenticate(f"bearer  {text}") is not None


def test_a_digest_is_not_a_token(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    minted(tokens.mint("laptop", "operator"))
    assert tokens.authenticate(f"Bearer {tokens.all[0].sha256}") is None


def test_only_the_digest_of_an_operators_token_lies_on_disk(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    tokens.ensure_harness()
    text = minted(tokens.mint_operator())
    secret = text.split("_", 3)[3]
    assert text.encode() not in on_disk(tmp_path)
    assert secret.encode() not in on_disk(tmp_path)
    assert hashlib.sha256(text.encode()).hexdigest().encode() in on_disk(tmp_path)


def test_no_token_shows_in_what_python_prints_of_the_tokens(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    text = minted(tokens.mint_operator())
    assert text not in repr(tokens) + repr(tokens.all) + repr(vars(tokens))


def test_minting_an_operator_again_takes_the_lost_one_out_of_force(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    lost, new = minted(tokens.mint_operator()), minted(tokens.mint_operator())
    assert tokens.authenticate(f"Bearer {lost}") is None
    assert tokens.authenticate(f"Bearer {new}") == Principal(name="operator", role="operator")


def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    tokens.ensure_harness()
    assert isinstance(tokens.mint("harness", "reader"), TokenRefused)
    assert isinstance(tokens.mint_operator("harness"), TokenRefused)


@pytest.mark.parametrize("name", ["", "a b", "a\n", "\u202e", "-a", "a" * 65, "../x", "a/b"])
def test_a_name_is_plain_text(tmp_path: Path, name: str) -> None:
    tokens = Tokens(tmp_path)
    assert isinstance(tokens.mint(name, "reader"), TokenRefused)
    assert isinstance(tokens.mint_operator(name), TokenRefused)


def test_a_revoked_token_is_nobody_at_once_and_after_a_restart(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    text = minted(tokens.mint("laptop", "reader"))
    assert tokens.revoke("laptop") is None
    assert tokens.authenticate(f"Bearer {text}") is None
    assert Tokens(tmp_path).authenticate(f"Bearer {text}") is None


def test_revoking_nobody_is_refused(tmp_path: Path) -> None:
    assert isinstance(Tokens(tmp_path).revoke("nobody"), TokenRefused)


def test_the_harness_token_lies_ready_for_programs_and_for_curl(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "state")
    path = tokens.ensure_harness()
    header = (path.parent / "harness.header").read_text()
    assert header == f"Authorization: Bearer {path.read_text().strip()}\n"
    assert tokens.authenticate(header.removeprefix("Authorization: ").strip()) == Principal(
        name="harness", role="harness"
    )


def test_the_folder_is_0700_and_each_file_in_it_0600(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        Tokens(tmp_path / "state").ensure_harness()
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert modes == {
        "state": 0o700,
        "tokens.json": 0o600,
        "harness.token": 0o600,
        "harness.header": 0o600,
    }


def test_a_second_start_keeps_the_harness_token(tmp_path: Path) -> None:
    text = Tokens(tmp_path).ensure_harness().read_text()
    assert Tokens(tmp_path).ensure_harness().read_text() == text


def test_a_start_after_revoking_the_harness_makes_a_new_token(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    old = tokens.ensure_harness().read_text()
    tokens.revoke("harness")
    new = Tokens(tmp_path).ensure_harness().read_text()
    assert new != old
    assert Tokens(tmp_path).authenticate(f"Bearer {old.strip()}") is None
    assert new in (tmp_path / "harness.header").read_text()


@pytest.mark.parametrize("name", ["tokens.json", "harness.token", "harness.header"])
def test_a_link_at_the_place_of_a_token_stops_the_start(tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to("/dev/null")
    with pytest.raises(UnsafePathError, match=name):
        Tokens(tmp_path).ensure_harness()


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"tokens": [{}]}', '{"tokens": [{"id": 1}]}', "\x00", '{"tokens": 1}'],
)
def test_a_token_file_that_is_not_ours_stops_the_start(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokens.json"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(UnsafePathError, match=r"tokens\.json"):
        Tokens(tmp_path)


def test_a_role_nobody_knows_stops_the_start(tmp_path: Path) -> None:
    Tokens(tmp_path).mint("laptop", "reader")
    path = tmp_path / "tokens.json"
    path.write_text(path.read_text().replace('"reader"', '"root"'))
    with pytest.raises(UnsafePathError, match=r"tokens\.json"):
        Tokens(tmp_path)


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\nsecond line"])
def test_an_operators_token_from_a_descriptor_is_good_for_this_run_only(
    tmp_path: Path, end: str
) -> None:
    tokens, text = Tokens(tmp_path), "correct-horse-battery-staple-0042"
    operator = Principal(name="operator", role="operator")
    assert tokens.operator_from_fd(handed(text + end)) == operator
    assert tokens.authenticate(f"Bearer {text}") == operator
    assert text.encode() not in on_disk(tmp_path)
    assert Tokens(tmp_path).authenticate(f"Bearer {text}") is None


def test_a_minted_operators_token_can_be_handed_in_elsewhere(tmp_path: Path) -> None:
    text = minted(Tokens(tmp_path / "a").mint_operator())
    there = Tokens(tmp_path / "b")
    assert isinstance(there.operator_from_fd(handed(text)), Principal)


@pytest.mark.parametrize("text", ["", "short", "x" * 31, "with a blank in it " * 3, "\u00e9" * 40])
def test_a_weak_or_unsendable_operators_token_is_refused(tmp_path: Path, text: str) -> None:
    tokens = Tokens(tmp_path)
    assert isinstance(tokens.operator_from_fd(handed(text)), TokenRefused)
    assert tokens.all == ()


def test_the_token_of_a_known_operator_can_be_handed_in_again(tmp_path: Path) -> None:
    text = minted(Tokens(tmp_path).mint_operator("alice"))
    again = Tokens(tmp_path)
    assert again.operator_from_fd(handed(text)) == Principal(name="alice", role="operator")
    assert len(again.all) == 1


def test_the_harness_token_is_not_taken_for_the_operators(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    text = tokens.ensure_harness().read_text()
    assert isinstance(tokens.operator_from_fd(handed(text)), TokenRefused)
    elsewhere = Tokens(tmp_path / "elsewhere")
    assert isinstance(elsewhere.operator_from_fd(handed(text)), TokenRefused)


def test_a_descriptor_that_is_not_open_is_refused(tmp_path: Path) -> None:
    closed = handed("")
    os.close(closed)
    assert isinstance(Tokens(tmp_path).operator_from_fd(closed), TokenRefused)


def test_the_file_of_tokens_is_readable_and_says_its_version(tmp_path: Path) -> None:
    Tokens(tmp_path).mint("laptop", "reader")
    stored = json.loads((tmp_path / "tokens.json").read_text())
    assert stored["version"] == 1
    assert set(stored["tokens"][0]) == {"id", "name", "role", "sha256"}
