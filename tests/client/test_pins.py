"""The key of a server is remembered, and a file that does not hold such keys is refused, not overwritten."""

from pathlib import Path

import pytest

from starling.client.pins import pin, pinned
from starling.errors import IntegrityError
from starling.ledger.keys import Key

ONE, TWO = (Key(bytes([number] * 32)).public for number in (1, 2))


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "own"))
    return tmp_path / "own" / "servers.json"


def test_a_key_is_remembered_for_its_server(own: Path) -> None:
    assert pinned("https://a") is None
    pin("https://a", ONE)
    pin("https://b", TWO)
    first, second = pinned("https://a"), pinned("https://b")
    assert first is not None
    assert second is not None
    assert first.names(ONE)
    assert second.names(TWO)
    assert own.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("text", ["", "[]", '{"https://a": 1}', '{"https://a": "x"}', "[" * 10_000])
def test_a_file_of_another_form_is_refused_and_kept(own: Path, text: str) -> None:
    pin("https://a", ONE)
    own.write_text(text)
    with pytest.raises(IntegrityError, match=r"servers\.json cannot be read"):
        pinned("https://a")
    with pytest.raises(IntegrityError):
        pin("https://b", TWO)
    assert own.read_text() == text
