"""A signature answers for every file, has one form, and holds for its own key alone."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import IntegrityError
from starling.ledger.keys import Key
from starling.ledger.witness import message as head_message
from starling.release.manifest import SIGNATURE, Signature, message, read_signature, sign

KEY = Key(bytes(32))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three files, signed."""
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("z", "a", "ledger.sqlite"):
        (folder / name).write_text(name)
    sign(folder, KEY)
    return folder


def test_it_lists_every_other_file_and_holds(folder: Path) -> None:
    signature = read_signature(folder / SIGNATURE)
    assert list(signature.files) == ["a", "ledger.sqlite", "z"]
    assert signature.holds
    assert signature.key == KEY.public
    said = json.loads((folder / SIGNATURE).read_text())
    assert said["fingerprint"] == KEY.public.fingerprint
    assert said["format"] == "starling-signature/1"


def test_it_can_be_checked_with_nothing_but_the_standard_and_the_key(folder: Path) -> None:
    said = json.loads((folder / SIGNATURE).read_text())
    text = json.dumps(said["files"], sort_keys=True, separators=(",", ":"))
    assert KEY.public.holds(f"starling release\n{text}".encode(), said["signature"])


def test_it_is_the_same_each_time_and_never_overwritten(folder: Path) -> None:
    before = (folder / SIGNATURE).read_bytes()
    with pytest.raises(FileExistsError):
        sign(folder, KEY)
    (folder / SIGNATURE).unlink()
    sign(folder, KEY)
    assert (folder / SIGNATURE).read_bytes() == before


def test_it_does_not_hold_for_other_files_or_another_key(folder: Path) -> None:
    signature = read_signature(folder / SIGNATURE)
    assert not Signature(signature.files | {"a": "0" * 64}, signature.key, signature.signature).holds
    assert not Signature(signature.files, Key(bytes([1] * 32)).public, signature.signature).holds


def test_a_signature_of_a_release_is_none_of_a_head() -> None:
    # One key signs releases, heads and custodian events: no message of one kind is a message of another.
    from starling.ledger.chain import Head

    assert message({}).split(b"\n")[0] != head_message("x", Head(1, "y")).split(b"\n")[0]


@given(place=st.integers(0, 10**6), mask=st.integers(1, 255))
def test_no_byte_of_it_can_change_unseen(place: int, mask: int) -> None:
    """Whatever is flipped, the file is refused or does not hold."""
    files = {"a": "1" * 64, "b": "2" * 64}
    text = bytearray(Signature(files, KEY.public, KEY.sign(message(files))).text().encode())
    text[place % len(text)] ^= mask
    assert not _passes(bytes(text), files)


def _passes(text: bytes, files: dict[str, str]) -> bool:
    class Bytes:
        """A path that holds `text`."""

        def stat(self) -> Any:
            return type("Stat", (), {"st_size": len(text)})

        def read_bytes(self) -> bytes:
            return text

    try:
        signature = read_signature(Bytes())  # type: ignore[arg-type]
    except IntegrityError:
        return False
    return signature.holds and signature.files == files and signature.key == KEY.public


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said.pop("files"),
        lambda said: said.update(files=[]),
        lambda said: said.update(files={"a": "x"}),
        lambda said: said.update(files={"a": 1}),
        lambda said: said.update(key="00"),
        lambda said: said.update(key=None),
        lambda said: said.update(signature=said["signature"].upper() + " "),
        lambda said: said.update(fingerprint="0000-0000-0000-0000"),
        lambda said: said.update(more=1),
        lambda said: said.update(format="starling-signature/2"),
    ],
)
def test_another_shape_is_refused(folder: Path, change: Any) -> None:
    said = json.loads((folder / SIGNATURE).read_text())
    change(said)
    (folder / SIGNATURE).write_text(json.dumps(said, indent=1))
    with pytest.raises(IntegrityError, match="is not a signature file"):
        read_signature(folder / SIGNATURE)


@pytest.mark.parametrize("text", ["", "[]", "null", "[" * 100_000, "\xff"])
def test_what_is_no_json_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / SIGNATURE).write_text(text, encoding="latin-1")
    with pytest.raises(IntegrityError, match="is not a signature file"):
        read_signature(tmp_path / SIGNATURE)
