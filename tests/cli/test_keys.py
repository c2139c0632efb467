"""Keys are made and shown by name; their secret halves never."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call


def test_keys_are_made_and_shown(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path))
    assert call("keys", "new").exit_code == 0
    assert call("keys", "new", "second").exit_code == 0
    found = call("keys", "show").stdout
    assert "custodian" in found
    assert "second" in found
    for path in (tmp_path / "keys").iterdir():
        assert path.read_text().strip() not in found
    listed = json.loads(call("keys", "show", "--json").stdout)["keys"]
    assert [key["name"] for key in listed] == ["custodian", "second"]
    again = call("keys", "new")
    assert again.exit_code == 2
    assert "exists" in again.stderr
