"""Settings: which source wins, where each value came from, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.config import ConfigFault, Settings, configuration_of, load, reference
from app.domain.modes import MODES
from app.domain.profiles import THRESHOLDS

ROOT = Path(__file__).parents[1]
REFUSED = json.loads((ROOT / "tests" / "cases" / "config_refused.json").read_text())


def outcome(
    folder: Path,
    text: str | None = None,
    flags: Mapping[str, object] | None = None,
    **environ: str,
) -> Settings | ConfigFault:
    """What loading comes to where the state folder's file holds `text`."""
    if text is not None:
        (folder / "floorboss.toml").write_text(text)
    return load(flags or {}, {"FLOORBOSS_STATE_DIR": str(folder), **environ})


def settings(
    folder: Path,
    text: str | None = None,
    flags: Mapping[str, object] | None = None,
    **environ: str,
) -> Settings:
    loaded = outcome(folder, text, flags, **environ)
    assert isinstance(loaded, Settings), loaded
    return loaded


def sources(loaded: Settings) -> dict[str, tuple[object, str]]:
    return {key: (value, source) for key, value, source in loaded.provenance()}


@pytest.mark.parametrize("case", REFUSED, ids=[case["name"] for case in REFUSED])
def test_what_cannot_be_meant_is_refused(case: dict[str, Any], tmp_path: Path) -> None:
    fault = outcome(tmp_path, case["given"], **case["when"])
    assert isinstance(fault, ConfigFault)
    assert [part for part in case["then"] if part not in fault.message] == []


def test_a_later_source_wins_and_each_value_names_its_own(tmp_path: Path) -> None:
    loaded = settings(
        tmp_path,
        'host = "127.0.0.2"\nport = 1\ndatabase_url = "sqlite:///a.db"\n',
        {"database_url": "sqlite:///c.db", "host": None},
        FLOORBOSS_PORT="2",
        FLOORBOSS_DATABASE_URL="sqlite:///b.db",
    )
    said = sources(loaded)
    assert said["host"] == ("127.0.0.2", "floorboss.toml")
    assert said["port"] == (2, "FLOORBOSS_PORT")
    assert said["database_url"] == ("sqlite:///c.db", "--database-url")
    assert said["state_dir"] == (str(tmp_path), "FLOORBOSS_STATE_DIR")
    assert said["profile"] == ("default", "default")


def test_without_any_source_the_defaults_hold(tmp_path: Path) -> None:
    loaded = load({}, {"HOME": str(tmp_path)})
    assert isinstance(loaded, Settings)
    folder = tmp_path / ".local" / "state" / "floorboss"
    assert (loaded.host, loaded.port) == ("127.0.0.1", 8737)
    assert loaded.state_dir == folder
    assert loaded.config == folder / "floorboss.toml"
    assert loaded.database_url == f"sqlite:///{folder}/controls.db"
    assert {source for _, _, source in loaded.provenance()} == {"default"}


def test_the_state_folder_follows_the_base_directory_specification(tmp_path: Path) -> None:
    loaded = load({}, {"HOME": "/nowhere", "XDG_STATE_HOME": str(tmp_path)})
    assert isinstance(loaded, Settings)
    assert loaded.state_dir == tmp_path / "floorboss"


def test_a_named_file_has_to_exist(tmp_path: Path) -> None:
    fault = outcome(tmp_path, FLOORBOSS_CONFIG=str(tmp_path / "gone.toml"))
    assert fault == ConfigFault(message=f"{tmp_path / 'gone.toml'} does not exist")


def test_a_flag_names_another_file_than_the_variable(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("port = 5")
    flags = {"config": str(tmp_path / "mine.toml")}
    loaded = settings(tmp_path, None, flags, FLOORBOSS_CONFIG="/nowhere.toml")
    assert sources(loaded)["port"] == (5, "mine.toml")
    assert sources(loaded)["config"] == (str(tmp_path / "mine.toml"), "--config")


def test_a_file_that_is_not_utf8_is_refused_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "floorboss.toml").write_bytes(b"profile = '\xff'")
    fault = outcome(tmp_path)
    assert isinstance(fault, ConfigFault)
    assert str(tmp_path / "floorboss.toml") in fault.message


def test_an_empty_variable_says_nothing(tmp_path: Path) -> None:
    assert settings(tmp_path, None, FLOORBOSS_PORT="", FLOORBOSS_PROT="").port == 8737


def test_the_token_that_a_harness_finds_in_its_environment_is_no_setting(tmp_path: Path) -> None:
    assert settings(tmp_path, None, FLOORBOSS_TOKEN="t") == settings(tmp_path, None)


def test_a_flag_of_the_file_is_refused(tmp_path: Path) -> None:
    fault = outcome(tmp_path, None, {"start_mode": "plan"})
    assert isinstance(fault, ConfigFault)
    assert fault.message.startswith("--start-mode: start_mode stands in the file only")


def test_relative_paths_in_the_file_count_from_its_folder(tmp_path: Path) -> None:
    loaded = settings(tmp_path, '[auth]\ntls_cert = "cert.pem"\ntls_key = "/etc/key.pem"\n')
    assert loaded.auth.tls_cert == tmp_path / "cert.pem"
    assert loaded.auth.tls_key == Path("/etc/key.pem")


def test_a_threshold_in_the_file_replaces_the_profiles_number(tmp_path: Path) -> None:
    loaded = settings(tmp_path, 'profile = "strict"\n[rules.edit_failures]\ncount = 2\n')
    expected = {**THRESHOLDS["strict"], "edit_failures.count": 2.0}
    assert dict(loaded.configuration().thresholds) == expected
    assert sources(loaded)["rules.edit_failures.count"] == (2.0, "floorboss.toml")
    assert sources(loaded)["rules.test_failure.reds"] == (1.0, "default")


def test_zero_turns_a_check_and_a_standing_approval_off(tmp_path: Path) -> None:
    text = "[rules.edit_failures]\ncount = 0\n[standing.boundary]\nuses = 0\n"
    configuration = settings(tmp_path, text).configuration()
    assert configuration.thresholds["edit_failures.count"] == 0
    assert configuration.standing["boundary"].uses == 0


@pytest.mark.parametrize(
    ("profile", "approvals"),
    [("default", {"boundary": 30, "diagnosis": 3, "plan": 3}), ("strict", {})],
)
def test_a_profile_brings_its_modes_thresholds_and_approvals(
    profile: str, approvals: dict[str, int], tmp_path: Path
) -> None:
    configuration = settings(tmp_path, f'profile = "{profile}"').configuration()
    assert dict(configuration.modes) == dict(MODES[configuration.profile])
    assert dict(configuration.thresholds) == THRESHOLDS[configuration.profile]
    assert {name: item.uses for name, item in configuration.standing.items()} == approvals


def test_the_log_gives_the_configuration_back(tmp_path: Path) -> None:
    loaded = settings(tmp_path, 'enforcement = "observe"\n[rules.context]\nshare = 0.7\n')
    stored = json.loads(json.dumps(loaded.values()))
    assert configuration_of(stored) == loaded.configuration()


def test_the_digest_names_what_decides_and_nothing_else(tmp_path: Path) -> None:
    usual = settings(tmp_path, "").configuration().digest
    elsewhere = settings(tmp_path, "port = 1\n[limits]\nrate = 5\n").configuration().digest
    spelled = settings(tmp_path, "[rules.edit_failures]\ncount = 4.0\n").configuration().digest
    stricter = settings(tmp_path, "[rules.edit_failures]\ncount = 3\n").configuration().digest
    assert (elsewhere, spelled) == (usual, usual)
    assert stricter != usual
    assert len(usual) == 16


def test_a_password_is_in_no_value_that_is_shown_or_logged(tmp_path: Path) -> None:
    url = "postgresql://boss:s3cret@db.example/floor"
    loaded = settings(tmp_path, None, FLOORBOSS_DATABASE_URL=url)
    assert loaded.database_url == url
    assert loaded.values()["database_url"] == "postgresql://boss:***@db.example/floor"
    assert "s3cret" not in str(loaded.provenance())


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ('[auth]\nreads = "open"\n', "open"),
        ('host = "::1"\n[auth]\nreads = "open"\n', "open"),
        ('host = "localhost"\n', "outline"),
        ('host = "::"\n[auth]\npublished_on = "[::1]:8737"\n', "outline"),
        ('host = "::"\n[auth]\npublished_on = "[::1"\n', "token"),
        ('host = "0.0.0.0"\n[auth]\npublished_on = "127.0.0.1:8737"\n', "outline"),
        ('host = "0.0.0.0"\n[auth]\nreads = "open"\npublished_on = "floor.example"\n', "token"),
        ('host = "10.0.0.1"\n[auth]\nreads = "open"\ntls_cert = "c"\ntls_key = "k"\n', "token"),
    ],
)
def test_reads_without_a_token_show_nothing_beyond_loopback(
    text: str, reads: str, tmp_path: Path
) -> None:
    assert settings(tmp_path, text).reads == reads


def test_the_reference_in_docs_is_the_one_the_program_makes() -> None:
    assert (ROOT / "docs" / "configuration.md").read_text() == reference()


def test_every_setting_is_in_the_reference(tmp_path: Path) -> None:
    page = reference()
    keys = [_in_reference(key) for key, _, _ in settings(tmp_path).provenance()]
    assert [key for key in keys if f"`{key}`" not in page] == []


def _in_reference(key: str) -> str:
    """A mode's key as the reference has it, for all modes and effects at once."""
    table, *path = key.split(".")
    if table != "modes":
        return key
    return f"modes.<name>.{path[1]}{'.<effect>' if len(path) > 2 else ''}"


def test_a_mode_keeps_what_its_table_does_not_say(tmp_path: Path) -> None:
    text = '[modes.implementation]\nwrites = ["project"]\n[modes.implementation.shell]\n' \
        'unknown = "deny"\n[modes.debug]\nhandoff = "none"\n'  # fmt: skip
    loaded = settings(tmp_path, text)
    modes, shipped = loaded.configuration().modes, MODES["default"]
    made = modes["implementation"]
    assert made.writes == ("project",)
    assert made.shell == shipped["implementation"].shell.set("unknown", "deny")
    assert made.tools == shipped["implementation"].tools
    assert modes["debug"] == replace(shipped["debug"], handoff=None)
    assert {name: modes[name] for name in ("plan", "review", "test_development")} == {
        name: shipped[name] for name in ("plan", "review", "test_development")
    }
    said = sources(loaded)
    assert said["modes.implementation.writes"] == (["project"], "floorboss.toml")
    assert said["modes.implementation.shell.unknown"] == ("deny", "floorboss.toml")
    assert said["modes.implementation.shell.write"] == ("scope_or_deny", "default")


def test_a_redefined_mode_keeps_the_words_of_its_profile(tmp_path: Path) -> None:
    loaded = settings(tmp_path, 'profile = "strict"\n[modes.implementation]\nwrites = ["project"]')
    shipped = MODES["strict"]["implementation"]
    assert loaded.configuration().modes["implementation"] == replace(shipped, writes=("project",))


def test_a_new_mode_denies_what_it_does_not_name_and_says_so(tmp_path: Path) -> None:
    loaded = settings(tmp_path, 'start_mode = "looking"\n[modes.looking]\ntools = ["read"]\n')
    made = loaded.configuration().modes["looking"]
    assert (made.tools, made.writes, made.handoff) == (("read",), (), None)
    assert dict(made.shell) == {"read": "none", "talk": "none"}
    first, *others = loaded.notes()
    assert first == (
        "modes.looking: shell does not name test, write, git_record, git_restore, unknown, "
        "unknown_closed; that is denied"
    )
    assert [line.partition(",")[0] for line in others] == ["mode plan", "mode debug"]


def test_settings_that_ship_need_no_note(tmp_path: Path) -> None:
    assert settings(tmp_path).notes() == ()
    assert settings(tmp_path, "[modes.plan]\n").notes() == ()


def test_an_empty_table_of_a_known_mode_says_nothing(tmp_path: Path) -> None:
    assert settings(tmp_path, "[modes.plan]\n").values() == settings(tmp_path, "").values()
