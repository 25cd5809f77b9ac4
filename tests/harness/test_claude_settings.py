"""What floorboss writes into Claude Code's settings, to the letter."""

from __future__ import annotations

import json

import pytest

from app.harness.claude_settings import (
    EVENTS,
    SESSION_START,
    Target,
    Unusable,
    hooks,
    hooks_in,
    with_hooks,
    without_hooks,
)

URL = "http://127.0.0.1:8737"
TARGET = Target(url=URL, token="t0ken", header_file="/a state/harness.header")
ONE = {"Stop": {"command": "echo X-Floorboss"}}


def test_every_event_but_the_start_of_a_session_is_posted() -> None:
    wanted = hooks(TARGET)
    assert list(wanted) == [*EVENTS, SESSION_START]
    assert {json.dumps(wanted[event]) for event in EVENTS} == {
        json.dumps(
            {
                "type": "http",
                "url": f"{URL}/hooks/claude-code",
                "timeout": 3,
                "headers": {"Authorization": "Bearer t0ken", "X-Floorboss": "1"},
            }
        )
    }


def test_the_start_of_a_session_is_told_by_a_command_that_never_fails() -> None:
    assert hooks(TARGET)[SESSION_START] == {
        "type": "command",
        "command": "curl -sf --max-time 2 -H '@/a state/harness.header' "
        "-H 'Content-Type: application/json' -H 'X-Floorboss: 1' --data-binary @- "
        f"{URL}/hooks/claude-code || true",
        "timeout": 3,
    }


def test_a_token_that_is_not_written_is_named() -> None:
    for event in EVENTS:
        wanted = hooks(Target(url=URL, token=None, header_file="/h"))[event]
        assert wanted["headers"]["Authorization"] == "Bearer $FLOORBOSS_TOKEN"
        assert wanted["allowedEnvVars"] == ["FLOORBOSS_TOKEN"]


def test_only_the_question_before_a_call_can_be_closed() -> None:
    wanted = hooks(Target(url=URL, token="t", header_file="/h", fail_closed=True))
    assert {event: each["onFailure"] for event, each in wanted.items() if "onFailure" in each} == {
        "PreToolUse": "block"
    }


def test_a_daemon_with_a_certificate_of_its_own_is_trusted_by_curl() -> None:
    wanted = hooks(Target(url=URL, token="t", header_file="/h", certificate="/c.pem"))
    assert "--cacert /c.pem" in wanted[SESSION_START]["command"]


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        (
            "",
            '{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [\n          {\n'
            '            "command": "echo X-Floorboss"\n          }\n        ]\n      }\n'
            "    ]\n  }\n}\n",
        ),
        ('{"a":1}', '{"a":1,"hooks":{"Stop":[{"hooks":[{"command":"echo X-Floorboss"}]}]}}'),
        (
            '{"a": 1, "hooks": {}}',
            '{"a": 1, "hooks": {"Stop": [{"hooks": [{"command": "echo X-Floorboss"}]}]}}',
        ),
        (
            '{\r\n\t"hooks": {\r\n\t\t"Stop": [ ]\r\n\t}\r\n}\r\n',
            '{\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{\r\n\t\t\t\t"hooks": [\r\n\t\t\t\t\t{'
            '\r\n\t\t\t\t\t\t"command": "echo X-Floorboss"\r\n\t\t\t\t\t}\r\n\t\t\t\t]'
            "\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}\r\n",
        ),
        (
            '{\n  "hooks": {\n    "Stop": [{"hooks": []}]\n  }\n}',
            '{\n  "hooks": {\n    "Stop": [{"hooks": []}, '
            '{"hooks": [{"command": "echo X-Floorboss"}]}]\n  }\n}',
        ),
    ],
    ids=["nothing", "small", "one line", "tabs", "a list on one line"],
)
def test_what_is_added_is_set_like_the_rest(text: str, changed: str) -> None:
    assert with_hooks(text, ONE, None) == changed
    assert without_hooks(changed, text) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{\n  // mine\n  "a": 1}', "it is not JSON: Expecting property name"),
        ('{"a": 1,}', "it is not JSON"),
        ('{"a": NaN}', "it is not JSON that can be read"),
        ("[" * 100_000, "it is not JSON that can be read"),
        ("[]", "it is not a JSON object"),
        ('{"hooks": null}', '"hooks" in it is not an object'),
        ('{"hooks": {"Stop": {}}}', '"hooks.Stop" in it is not a list'),
    ],
    ids=["comment", "comma", "NaN", "depth", "list", "null", "object"],
)
def test_what_cannot_be_kept_whole_is_refused(text: str, why: str) -> None:
    for refused in (with_hooks(text, ONE, None), without_hooks(text, None)):
        assert isinstance(refused, Unusable)
        assert refused.why.startswith(why)


def test_of_two_members_with_one_name_the_last_is_in_force() -> None:
    text = '{"hooks": {"Stop": []}, "hooks": {"Stop": [1]}, "b": 12345678901234567890123}'
    changed = with_hooks(text, ONE, None)
    assert isinstance(changed, str)
    assert json.loads(changed)["hooks"]["Stop"][1:] == [{"hooks": [ONE["Stop"]]}]
    assert without_hooks(changed, text) == text


def test_a_number_of_any_length_is_left_alone() -> None:
    text = '{"a": ' + "9" * 5_000 + "}"
    changed = with_hooks(text, ONE, None)
    assert isinstance(changed, str)
    assert without_hooks(changed, text) == text


def test_ours_is_taken_out_of_a_group_that_holds_others_too() -> None:
    text = '{"hooks": {"Stop": [{"hooks": [{"command": "X-Floorboss"}, {"command": "b"}]}]}}'
    assert without_hooks(text, None) == '{"hooks": {"Stop": [{"hooks": [{"command": "b"}]}]}}'


def test_a_group_that_held_only_ours_goes_with_all_it_says() -> None:
    text = '{"hooks": {"Stop": [{"matcher": "x", "hooks": [{"command": "X-Floorboss"}]}, 1]}}'
    assert without_hooks(text, None) == '{"hooks": {"Stop": [1]}}'


def test_a_hook_by_hand_to_the_same_address_is_foreign() -> None:
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "http", "url": f"{URL}/x"}]}]}})
    assert hooks_in(text) == ()
    assert without_hooks(text, None) == text


def test_a_hook_that_stands_twice_stands_once_afterwards() -> None:
    group = json.dumps({"hooks": [ONE["Stop"]]})
    changed = with_hooks(f'{{"hooks": {{"Stop": [{group}, {group}]}}}}', ONE, None)
    assert changed == f'{{"hooks": {{"Stop": [{group}]}}}}'


def test_a_file_that_claude_set_anew_gets_its_old_setting_back() -> None:
    text = '{"b":   1,\n "hooks": {"Stop": []}, "a": 2}\n'
    changed = with_hooks(text, ONE, None)
    assert isinstance(changed, str)
    anew = json.dumps(json.loads(changed), indent=2, sort_keys=True)
    assert without_hooks(anew, text) == text


@pytest.mark.parametrize(("old", "new"), [("2", "3"), ("1", "true"), ('"a"', '"c"')])
def test_a_file_that_says_something_else_now_keeps_it(old: str, new: str) -> None:
    text = '{"b": 1, "hooks": {"Stop": []}, "a": 2}'
    changed = with_hooks(text, ONE, None)
    assert isinstance(changed, str)
    assert without_hooks(changed.replace(old, new), text) == text.replace(old, new)
