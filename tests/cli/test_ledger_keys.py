"""`starling keys` makes keys and shows their public halves, never the others."""

import json
from pathlib import Path

import pytest

from starling.ledger import keys
from tests.cli.conftest import Call


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_key_is_made_once_and_shown(call: Call) -> None:
    made = call("keys", "new")
    assert made.exit_code == 0
    public = keys.load().public
    assert public.text in made.stdout
    assert public.fingerprint in made.stdout
    again = call("keys", "new")
    assert again.exit_code == 2
    assert again.stderr == "starling: key custodian exists already; choose another name\n"
    assert keys.load().public == public
    call("keys", "new", "second")
    shown = json.loads(call("keys", "show", "--json").stdout)["keys"]
    assert [each["name"] for each in shown] == ["custodian", "second"]
    assert shown[0]["public"] == public.text


def test_a_private_key_is_never_shown(call: Call) -> None:
    said = [call("keys", "new").output, call("keys", "new", "b", "--json").output]
    said += [call("keys", "show").output, call("keys", "show", "--json").output]
    for name in keys.names():
        assert not any(keys.load(name).secret() in each for each in said)


@pytest.mark.parametrize("name", ["../a", "a b", "", "a/b", "."])
def test_a_name_that_is_none_is_refused(call: Call, name: str) -> None:
    result = call("keys", "new", name)
    assert result.exit_code == 2
    assert "is not a plain name" in result.stderr


def test_no_keys_is_no_error(call: Call) -> None:
    assert "starling keys new" in call("keys", "show").stdout
    assert json.loads(call("keys", "show", "--json").stdout) == {"keys": []}


def test_a_home_that_cannot_be_written_is_told(call: Call, home: Path) -> None:
    home.write_text("a file where a folder should be")
    result = call("keys", "new")
    assert result.exit_code == 74
    assert "STARLING_HOME" in result.stderr


def test_a_broken_key_is_told(call: Call, home: Path) -> None:
    call("keys", "new")
    (home / "keys" / "custodian.key").write_text("nothing")
    result = call("keys", "show")
    assert result.exit_code == 5
    assert result.stderr == "starling: key file of custodian holds no key; restore it from your backup\n"
