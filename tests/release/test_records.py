"""Files are released when they were accepted, or as unvalidated; and an answer belongs to the files that it was made from."""

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import pytest

from starling.errors import OutputError, PolicyRefused
from starling.ledger.auditing import events
from starling.release.ledger_check import Charged, check
from starling.release.records import Records, accept, accept_again, accepted_files, check_same, keep
from tests.ledger.conftest import postgres_url
from tests.ledger.worlds import World, costing, postgres_world, request, sqlite_world


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def world(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A ledger in each store."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    with sqlite_world(tmp_path) if request.param == "sqlite" else postgres_world(postgres_url()) as made:
        yield made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A confidential file."""
    path = tmp_path / "persons.txt"
    path.write_text("one\n")
    return path


def test_only_accepted_files_are_validated(world: World, file: Path) -> None:
    strict, lax = (Records(lambda: (file,), unvalidated, "starling tables validate") for unvalidated in (False, True))
    with pytest.raises(
        PolicyRefused, match=r"records were not accepted as those of census, .* by starling tables validate"
    ):
        strict.accepted(world.ledger, "census")
    assert lax.accepted(world.ledger, "census") is None
    world.ledger.custody.accept("census", accepted_files(world.ledger.book.key, [file]))
    at = world.ledger.reading.head().seq
    assert strict.accepted(world.ledger, "census") == lax.accepted(world.ledger, "census") == at
    file.write_text("two\n")
    os.utime(file, ns=(1, 1))
    with pytest.raises(PolicyRefused, match="or were changed since"):
        strict.accepted(world.ledger, "census")
    assert lax.accepted(world.ledger, "census") is None


def test_attack_a28_records_accepted_after_their_charge_are_not_said_to_be_validated(world: World, file: Path) -> None:
    """A run that read other files may have been stopped after the charge; whoever says validated is refuted by the chain."""
    records = Records(lambda: (file,), True, "starling tables validate")

    def found(number: int, accepted: int | None) -> tuple[bool, str]:
        account = replace(world.ledger.account(request(number)), accepted=accepted)
        receipt = account.charge(costing(1))
        assert receipt.entry is not None
        event = list(events(world.url))[receipt.entry.position - 1]
        stated = Charged(
            world.ledger.book.id, event.seq, event.hash, f"request-{number}", "census", "people", costing(1), "", None
        )
        looked = check(replace(stated, validated=True), events(world.url))
        return receipt.validated, "\n".join(map(str, looked.findings))

    lying = "no records of that dataset before it that the custodian accepted, and the release says that they were"
    validated, findings = found(1, records.accepted(world.ledger, "census"))
    assert not validated
    assert lying in findings
    world.ledger.custody.accept("census", accepted_files(world.ledger.book.key, [file]))
    world.time.passes(10_000)
    validated, findings = found(1, records.accepted(world.ledger, "census"))
    assert not validated
    assert lying in findings
    validated, findings = found(2, records.accepted(world.ledger, "census"))
    assert validated
    assert lying not in findings


def rewritten(path: Path) -> Path:
    """The same bytes in a new file under the old name."""
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    return copy.replace(path)


def touched(path: Path) -> Path:
    """The same file, of another time."""
    os.utime(path, ns=(1, 1))
    return path


MOVED: dict[str, Callable[[Path], Path]] = {
    "touched": touched,
    "another inode": rewritten,
    "renamed": lambda path: path.rename(path.with_name("other.txt")),
    "in capital letters": lambda path: path.rename(path.with_name("OTHER.TXT")),
    "in another folder": lambda path: Path(shutil.copy2(path, mkdtemp(dir=path.parent))),
}
OTHER: dict[str, Callable[[Path], list[Path]]] = {
    "a byte more": lambda path: (path.write_bytes(path.read_bytes() + b"x"), [path])[1],
    "a byte less": lambda path: (path.write_bytes(path.read_bytes()[:-1]), [path])[1],
    "another byte": lambda path: (path.write_bytes(b"2" + path.read_bytes()[1:]), [path])[1],
    "empty": lambda path: (path.write_bytes(b""), [path])[1],
    "read otherwise": lambda path: [path.rename(path.with_suffix(".parquet"))],
    "twice": lambda path: [path, path],
    "none": lambda _: [],
}


@pytest.mark.series(3)
@pytest.mark.parametrize("change", MOVED.values(), ids=MOVED)
def test_the_same_bytes_are_accepted_again_wherever_they_lie(
    world: World, file: Path, change: Callable[[Path], Path]
) -> None:
    ledger, key = world.ledger, world.ledger.book.key
    accept(ledger, "census", key, [file], accepted_files(key, [file]))
    moved = change(file)
    strict = Records(lambda: (moved,), False, "starling tables validate")
    with pytest.raises(PolicyRefused, match="or were changed since"):
        strict.accepted(ledger, "census")
    accept_again(ledger, "census", key, [moved])
    assert strict.accepted(ledger, "census")
    with pytest.raises(PolicyRefused, match="do not hold the bytes that were accepted as those of survey"):
        accept_again(ledger, "survey", key, [moved])
    ledger.reading.verify()


@pytest.mark.series(3)
@pytest.mark.parametrize("change", OTHER.values(), ids=OTHER)
def test_other_bytes_are_not_accepted_again(world: World, file: Path, change: Callable[[Path], list[Path]]) -> None:
    ledger, key = world.ledger, world.ledger.book.key
    accept(ledger, "census", key, [file], accepted_files(key, [file]))
    files, head = change(file), ledger.reading.head()
    with pytest.raises(PolicyRefused, match="do not hold the bytes"):
        accept_again(ledger, "census", key, files)
    assert ledger.reading.head() == head


def test_what_was_accepted_before_bytes_were_kept_is_not_accepted_again(world: World, file: Path) -> None:
    world.ledger.custody.accept("census", accepted_files(world.ledger.book.key, [file]))
    with pytest.raises(PolicyRefused, match="do not hold the bytes"):
        accept_again(world.ledger, "census", world.ledger.book.key, [file])


def test_files_that_are_changed_while_somebody_looks_are_not_accepted(world: World, file: Path) -> None:
    ledger, key = world.ledger, world.ledger.book.key
    seen = accepted_files(key, [file])
    rewritten(file)
    with pytest.raises(PolicyRefused, match="were changed while they were looked at"):
        accept(ledger, "census", key, [file], seen)


def test_a_release_hashes_no_byte_before_its_charge(world: World, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time before the charge is that of a look at sizes and times, however long the files are."""
    ledger, key = world.ledger, world.ledger.book.key
    accept(ledger, "census", key, [file], accepted_files(key, [file]))
    monkeypatch.setattr(Path, "open", lambda *_, **__: pytest.fail("opened"))
    monkeypatch.setattr(hashlib, "file_digest", lambda *_: pytest.fail("hashed"))
    assert Records(lambda: (file,), False, "starling tables validate").accepted(ledger, "census")


def test_without_a_ledger_nothing_can_have_been_accepted(file: Path) -> None:
    with pytest.raises(PolicyRefused, match="records need --ledger"):
        Records(lambda: (file,), False, "starling tables validate").accepted(None, "")
    assert Records(lambda: (file,), True, "starling tables validate").accepted(None, "") is None


def test_an_answer_belongs_to_the_files_as_they_were(file: Path, tmp_path: Path) -> None:
    out, records = tmp_path / "out", Records(lambda: (file,), True, "")
    with pytest.raises(OutputError, match="about other records"):
        check_same(out, records.hashed())
    keep(out, records.hashed())
    check_same(out, records.hashed())
    (note,) = tmp_path.glob(".out*")
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    assert file.name not in note.read_text()
    os.utime(file, ns=(1, 1))
    with pytest.raises(OutputError, match="choose a new folder"):
        check_same(out, records.hashed())
