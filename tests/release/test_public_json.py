"""A public file has one form, and nothing else is read."""

from pathlib import Path
from typing import Any, Literal

import pytest

from starling.errors import IntegrityError
from starling.release import public_json
from starling.release.codec import decode, text, truth


def made(data: Any) -> tuple[str, int, bool]:
    return text(data["name"]), decode(Literal[8, 9], data["size"]), truth(data["open"])


def back(value: tuple[str, int, bool]) -> dict[str, Any]:
    return dict(zip(("name", "size", "open"), value, strict=True))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    public_json.write(tmp_path, "a.json", back(("x", 9, True)))
    assert public_json.read(tmp_path, "a.json", made, back) == ("x", 9, True)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        "null",
        '{"name": "x", "size": 9, "open": true}\n',
        '{\n "name": "x",\n "size": 10,\n "open": true\n}\n',
        '{\n "name": "x",\n "size": 1.0,\n "open": true\n}\n',
        '{\n "name": "x",\n "size": true,\n "open": true\n}\n',
        '{\n "name": 1,\n "size": 9,\n "open": true\n}\n',
        '{\n "name": "x",\n "size": 9,\n "open": 1\n}\n',
        '{\n "name": "x",\n "size": 9,\n "open": true,\n "more": 1\n}\n',
        "[" * 100_000,
    ],
)
def test_another_text_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(IntegrityError, match=r"a\.json is not as Starling writes it"):
        public_json.read(tmp_path, "a.json", made, back)


def test_a_file_too_long_or_missing_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    public_json.write(tmp_path, "a.json", back(("x", 9, True)))
    monkeypatch.setattr(public_json, "LARGEST", 10)
    for name in ("a.json", "none.json"):
        with pytest.raises(IntegrityError):
            public_json.read(tmp_path, name, made, back)


@pytest.mark.parametrize(
    "error", [ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError, OverflowError, RecursionError]
)
def test_a_value_that_cannot_be_made_is_refused(tmp_path: Path, error: type[Exception]) -> None:
    def fail(_: Any) -> tuple[str, int, bool]:
        raise error

    public_json.write(tmp_path, "a.json", back(("x", 9, True)))
    with pytest.raises(IntegrityError):
        public_json.read(tmp_path, "a.json", fail, back)
