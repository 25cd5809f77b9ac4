"""Where a model may be asked: the table of tests/cases/endpoints.json, and what names lead to."""

from __future__ import annotations

import json
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.config.endpoint import Endpoint, barred, endpoint, faults, literal, plain

CASES = json.loads((Path(__file__).parent / "cases" / "endpoints.json").read_text())
NAMED = Endpoint(scheme="https", host="models.example.com", port=443, path="/v1")
LOCAL = Endpoint(scheme="http", host="localhost", port=8080, path="/v1")
BARRED = {
    "127.0.0.1": "loopback",
    "::1": "loopback",
    "::ffff:127.0.0.1": "loopback",
    "10.1.2.3": "private",
    "192.168.0.1": "private",
    "172.16.0.1": "private",
    "fd12:3456::1": "private",
    "240.0.0.1": "private",
    "169.254.169.254": "no setting opens",
    "::ffff:169.254.169.254": "no setting opens",
    "fe80::1": "no setting opens",
    "fec0::1": "private",
    "100.100.100.200": "no setting opens",
    "fd20:ce::254": "no setting opens",
    "168.63.129.16": "no setting opens",
    "0.0.0.0": "no setting opens",
    "255.255.255.255": "private",
}


def said(url: str, listed: list[str]) -> str | None:
    found = endpoint(url)
    return found if isinstance(found, str) else next(faults(found, listed), None)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_url_is_allowed_or_told_why_not(case: dict[str, Any]) -> None:
    found = said(case["given"], case["when"]["listed"])
    if case["then"] is None:
        assert found is None
    else:
        assert found is not None
        assert case["then"] in found


@pytest.mark.parametrize(("address", "words"), BARRED.items(), ids=list(BARRED))
def test_a_name_that_leads_to_such_an_address_is_not_connected_to(address: str, words: str) -> None:
    assert words in (barred(ip_address(address), NAMED, ()) or "")


def test_a_listed_name_may_lead_to_a_private_address_and_never_to_metadata() -> None:
    listed = [NAMED.place]
    assert barred(ip_address("10.1.2.3"), NAMED, listed) is None
    assert barred(ip_address("169.254.169.254"), NAMED, listed) is not None
    assert barred(ip_address("100.100.100.200"), NAMED, listed) is not None


def test_http_by_a_loopback_name_reaches_loopback_only() -> None:
    listed = [LOCAL.place]
    assert barred(ip_address("127.0.0.1"), LOCAL, listed) is None
    assert barred(ip_address("8.8.8.8"), LOCAL, listed) is not None
    assert barred(ip_address("10.0.0.1"), LOCAL, listed) is not None


def test_a_public_address_is_open() -> None:
    assert barred(ip_address("8.8.8.8"), NAMED, ()) is None
    assert barred(ip_address("2606:4700::1111"), NAMED, ()) is None


@given(st.ip_addresses(v=4))
def test_no_ipv6_clothes_open_an_address(address: Any) -> None:
    inner = int(address)
    worn = (
        f"::ffff:{address}",
        str(ip_address((0x0064_FF9B << 96) + inner)),
        str(ip_address((0x2002 << 112) + (inner << 80))),
    )
    for clothes in worn:
        assert plain(ip_address(clothes)) == address
        assert (barred(ip_address(clothes), NAMED, ()) is None) == (
            barred(address, NAMED, ()) is None
        )


@given(st.text(max_size=60))
def test_any_text_is_a_url_or_a_sentence(text: str) -> None:
    found = endpoint(f"https://{text}")
    assert isinstance(found, str) or literal(found.host) or found.host in text.lower()
