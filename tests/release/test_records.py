"""Files are released when they were accepted, or as unvalidated; and an answer belongs to the files that it was made from."""

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from starling.errors import OutputError, PolicyRefused
from starling.ledger.auditing import events
from starling.release.ledger_check import Charged, check
from starling.release.records import Records, accepted_files, check_same, keep
from tests.ledger.conftest import postgres_url
from tests.ledger.worlds import World, costing, postgres_world, request, sqlite_world


@pytest.fixture(params=["sqlite", "postgres"])
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
        account = world.ledger.account(request(number), accepted=accepted)
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


def test_without_a_ledger_nothing_can_have_been_accepted(file: Path) -> None:
    with pytest.raises(PolicyRefused, match="without --ledger nobody keeps that they were looked at"):
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
