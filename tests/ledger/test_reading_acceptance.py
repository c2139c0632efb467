"""That a custodian looked at some files is kept, signed, and tells nothing of them."""

import json
import os
from pathlib import Path

import pytest

from starling.errors import IntegrityError, ParameterError, SourceError
from starling.ledger.chain import signed_by
from starling.ledger.keys import Key
from starling.release.records import accepted_files
from tests.ledger.worlds import World

KEY, OTHER = Key(bytes(32)), Key(bytes(range(32)))


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two files of a study."""
    found = [tmp_path / "study.bed", tmp_path / "people.txt"]
    for path in found:
        path.write_text(path.name)
    return found


def test_files_are_the_same_as_long_as_nobody_touches_them(files: list[Path]) -> None:
    token = accepted_files(KEY, files)
    assert token == accepted_files(KEY, reversed(files))
    assert token != accepted_files(OTHER, files)
    assert token != accepted_files(KEY, files[:1])
    os.utime(files[0], ns=(1, 1))
    touched = accepted_files(KEY, files)
    assert touched != token
    files[0].write_text("longer than it was")
    os.utime(files[0], ns=(1, 1))
    assert accepted_files(KEY, files) not in (token, touched)


def test_attack_a29_other_content_of_the_same_size_under_the_old_time_is_seen(files: list[Path]) -> None:
    token, before = accepted_files(KEY, files), files[0].stat()
    while files[0].stat().st_ctime_ns == before.st_ctime_ns:
        files[0].write_text("x" * before.st_size)
        os.utime(files[0], ns=(before.st_atime_ns, before.st_mtime_ns))
    assert files[0].stat().st_mtime_ns == before.st_mtime_ns
    assert accepted_files(KEY, files) != token


def test_a_folder_is_all_of_its_files_and_what_is_missing_is_told(files: list[Path], tmp_path: Path) -> None:
    assert accepted_files(KEY, [tmp_path]) == accepted_files(KEY, files)
    with pytest.raises(SourceError, match="is not there"):
        accepted_files(KEY, [tmp_path / "none"])


def test_what_was_accepted_is_signed_once_and_found_again(world: World, files: list[Path]) -> None:
    token = accepted_files(world.ledger.book.key, files)
    assert not world.ledger.reading.accepted("census", token)
    world.ledger.custody.accept("census", token)
    head = world.ledger.reading.head()
    world.ledger.custody.accept("census", token)
    assert world.ledger.reading.head() == head
    assert world.ledger.reading.accepted("census", token)
    assert not world.ledger.reading.accepted("census", "0" * 64)
    assert not world.ledger.reading.accepted("other", token)
    event = list(world.ledger.reading.events())[-1]
    body = json.loads(event.body)
    assert event.kind == "accepted"
    assert body.keys() == {"dataset", "files", "signature"}
    assert signed_by(world.ledger.book.signer, world.ledger.book.id, "accepted", body)
    world.ledger.reading.verify()


def test_a_row_that_nobody_signed_accepts_nothing(world: World) -> None:
    world.ledger.book.store.atomically(
        lambda tx: tx.run("INSERT INTO accepted (seq, dataset, files) VALUES (3, 'census', ?)", "0" * 64)
    )
    assert not world.ledger.reading.accepted("census", "0" * 64)
    with pytest.raises(IntegrityError, match="table accepted"):
        world.ledger.reading.verify()


def test_files_of_no_dataset_and_no_token_are_refused(world: World) -> None:
    with pytest.raises(ParameterError, match="is not registered"):
        world.ledger.custody.accept("other", "0" * 64)
    with pytest.raises(ParameterError, match="accepted_files"):
        world.ledger.custody.accept("census", "people.txt")
