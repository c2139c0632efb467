"""What lies on the disk before a charge is committed to it tells nothing, and what the key opens afterwards is what was drawn."""

import hashlib
import json
from pathlib import Path

import pytest

from starling.release.encrypted import BLOCK, INDEX, CommittedFiles, EncryptedFiles
from starling.release.manifest import manifest

TEXTS = {"data/measurements/state.parquet": "secret " * 20_000, "measurements/drawn.json": '{"low": 7}'}


def drawn(folder: Path, texts: dict[str, str]) -> tuple[str, str]:
    """The texts as a draw, finished."""
    files = EncryptedFiles(folder)
    for name, text in texts.items():
        with files.create(name) as file:
            file.write(text.encode())
    return files.finish()


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_was_drawn_comes_back_and_its_hash_is_that_of_the_manifest(tmp_path: Path) -> None:
    sha256, key = drawn(tmp_path / "draw", TEXTS)
    release = tmp_path / "release"
    release.mkdir()
    files = CommittedFiles(tmp_path / "draw", sha256, key)
    assert set(files.names) == set(TEXTS)
    assert files.intact(release)
    assert files.decrypt(release)
    assert {name: (release / name).read_text() for name in TEXTS} == TEXTS
    assert sha256 == hashlib.sha256(manifest(release).encode()).hexdigest()
    # The encrypted ones are gone, so that nothing is there twice; another run finds the same.
    assert list(content(tmp_path / "draw")) == [INDEX]
    assert CommittedFiles(tmp_path / "draw", sha256, key).intact(release)
    assert CommittedFiles(tmp_path / "draw", sha256, key).decrypt(release)


def test_attack_a26_encrypted_files_of_different_draws_look_alike(tmp_path: Path) -> None:
    # Answers of another text, another length, or the same: neither bytes nor sizes tell which.
    seen = []
    for number, text in enumerate(('{"low": 7}', '{"low": 1234567}', '{"low": 7}')):
        drawn(tmp_path / str(number), {"measurements/drawn.json": text})
        seen.append(content(tmp_path / str(number)))
    assert [{name: len(data) for name, data in files.items()} for files in seen] == [
        {"measurements/drawn.json": BLOCK, INDEX: BLOCK}
    ] * 3
    for name in seen[0]:
        assert len({files[name] for files in seen}) == 3
    everything = b"".join(data for files in seen for data in files.values())
    assert b'{"low": ' not in everything, "by chance once in 10^13 runs"
    assert hashlib.sha256(b'{"low": 7}').hexdigest().encode() not in everything


def test_one_key_opens_no_file_with_the_stream_of_another(tmp_path: Path) -> None:
    drawn(tmp_path / "draw", {"a": "0" * 1000, "b": "0" * 1000})
    files = content(tmp_path / "draw")
    assert files["a"] != files["b"]


@pytest.mark.parametrize("name", [*TEXTS, INDEX])
@pytest.mark.parametrize("how", ["changed", "cut", "removed"])
def test_altered_or_missing_bytes_are_noticed(tmp_path: Path, name: str, how: str) -> None:
    sha256, key = drawn(tmp_path / "draw", TEXTS)
    path = tmp_path / "draw" / name
    data = path.read_bytes()
    if how == "removed":
        path.unlink()
    else:
        path.write_bytes(data[:5] + bytes([data[5] ^ 1]) + data[6:] if how == "changed" else data[:5])
    files = CommittedFiles(tmp_path / "draw", sha256, key)
    assert not files.intact(tmp_path / "release")
    assert not files.decrypt(tmp_path / "release")


def test_another_hash_or_key_finds_nothing(tmp_path: Path) -> None:
    sha256, key = drawn(tmp_path / "draw", TEXTS)
    assert not CommittedFiles(tmp_path / "draw", "0" * 64, key).names
    assert not CommittedFiles(tmp_path / "draw", sha256, "0" * 64).names
    assert not CommittedFiles(tmp_path / "elsewhere", sha256, key).names


def test_a_run_that_died_while_it_decrypted_is_gone_on_with(tmp_path: Path) -> None:
    sha256, key = drawn(tmp_path / "draw", TEXTS)
    release = tmp_path / "release"
    before = content(tmp_path / "draw")
    CommittedFiles(tmp_path / "draw", sha256, key).decrypt(release)
    # Of one file half was written, and the encrypted one is still there.
    (release / "measurements/drawn.json").write_text("half")
    (tmp_path / "draw" / "measurements/drawn.json").write_bytes(before["measurements/drawn.json"])
    files = CommittedFiles(tmp_path / "draw", sha256, key)
    assert files.intact(release)
    assert files.decrypt(release)
    assert json.loads((release / "measurements/drawn.json").read_text()) == {"low": 7}
