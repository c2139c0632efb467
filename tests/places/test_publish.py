"""A release from records through a ledger: paid once, drawn once, wherever a run of it dies; no record makes it fail."""

from pathlib import Path
from typing import Any

import pytest

import starling
from starling.errors import PlanError, SourceError
from starling.ledger.opening import create_ledger
from starling.places import counts
from starling.places.plan import Plan
from starling.places.publish import release
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.release.payment import PaymentOptions
from tests.places.plans import PERSON, SLICED, plan, write_world
from tests.release.striking import AFTER, AROUND, BEFORE, check_taken_up, strike

OWN = {"while it counts": (counts, "tally", False)}
MOMENTS = {**BEFORE, **OWN, **AROUND, **AFTER}


def paid(folder: Path) -> Any:
    payment = PaymentOptions(f"sqlite:///{folder / 'ledger.sqlite'}", "trips", request_id="again", unvalidated=True)
    return release(Plan.load(folder / "plan.toml"), folder / "records.csv", folder / "out", payment=payment)


def die(folder: str, moment: str) -> None:
    """What tests/forking.py calls in a process of its own."""
    strike(*MOMENTS[moment])
    paid(Path(folder))


@pytest.mark.series(1)
@pytest.mark.parametrize("moment", ["after the charge", *OWN, "after the draw is committed to", "before the rename"])
def test_a_killed_release_is_taken_up_and_paid_once(moment: str, tmp_path: Path) -> None:
    write_world(tmp_path, PERSON)
    ledger = create_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    ledger.custody.add_population("riders", "epsilon", ADD_REMOVE_PERSON, 1)
    ledger.custody.add_dataset("trips", "riders", {})
    ledger.custody.grant("riders", "custodian", 1)
    check_taken_up("tests.places.test_publish:die", moment, tmp_path, paid, ledger)


@pytest.mark.series(1)
@pytest.mark.parametrize("changes", [(), (PERSON, SLICED)])
def test_attack_a08_no_record_can_make_a_release_fail(changes: tuple[Any, ...], tmp_path: Path) -> None:
    records = write_world(tmp_path)
    header = b"who,lon,lat,time\n"
    for number, odd in enumerate(
        (b"", b"a,nan,inf,x\n,,,\n\x00,\xff\n", b"a,0,0," + b"9" * 5000 + b"\n" + b"9" * 2_000_000)
    ):
        records.write_bytes(header + odd)
        out = release(
            plan(*changes), records, tmp_path / f"out{number}", payment=PaymentOptions(unvalidated=True)
        ).folder
        assert starling.verify(out).findings == ()


def test_the_key_of_a_run_is_in_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys: list[bytes] = []

    def known(count: int) -> bytes:
        keys.append(bytes(range(7, 7 + count)))
        return keys[-1]

    monkeypatch.setattr(counts, "fresh_bytes", known)
    out = release(
        plan(PERSON), write_world(tmp_path), tmp_path / "out", payment=PaymentOptions(unvalidated=True)
    ).folder
    assert len(keys) == 1
    assert len(keys[0]) == 32
    for path in out.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert keys[0] not in data
            assert keys[0].hex().encode() not in data


def test_what_public_facts_refuse_is_refused_before_the_charge(tmp_path: Path) -> None:
    records = write_world(tmp_path)
    unpaid = PaymentOptions(unvalidated=True)
    with pytest.raises(PlanError, match="is no parameter of the method"):
        release(plan({"method": {"depth": 3}}), records, tmp_path / "out", payment=unpaid)
    records.write_text("lon\n1\n")
    with pytest.raises(SourceError, match="lat is a missing column"):
        release(plan(), records, tmp_path / "out", payment=unpaid)
    assert not (tmp_path / "out").exists()
