"""A release from records through a ledger: paid once, drawn once, wherever a run of it dies; both ways of counting; wrong records."""

from pathlib import Path
from typing import Any

import pytest

import starling
from starling.errors import SourceError
from starling.groups import counts, release
from starling.groups.plan import Plan
from starling.ledger.opening import create_ledger
from starling.privacy.neighbours import ADD_REMOVE_MEMBER
from starling.release.payment import PaymentOptions
from tests.groups.test_counts import KINDS, ODD
from tests.groups.worlds import write_world
from tests.release.striking import AFTER, AROUND, BEFORE, check_taken_up, strike

OWN = {
    "while it counts": (counts, "tally", False),
    "after it counted": (counts, "fitted", True),
}
POINTS = {**BEFORE, **OWN, **AROUND, **AFTER}


def paid(folder: Path) -> Any:
    payment = PaymentOptions(f"sqlite:///{folder / 'ledger.sqlite'}", "homes", request_id="again", unvalidated=True)
    return release(Plan.load(folder / "plan.toml"), folder / "records.csv", folder / "out", payment=payment)


def die(folder: str, point: str) -> None:
    """What tests/forking.py calls in a process of its own."""
    strike(*POINTS[point])
    paid(Path(folder))


@pytest.mark.slow
@pytest.mark.parametrize("point", ["after the charge", *OWN, "after the draw is committed to", "before the rename"])
def test_a_killed_release_is_taken_up_and_paid_once(point: str, tmp_path: Path) -> None:
    write_world(tmp_path, more='method = "h"')
    ledger = create_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    ledger.custody.add_population("people", "epsilon", ADD_REMOVE_MEMBER, 1)
    ledger.custody.add_dataset("homes", "people", {})
    ledger.custody.grant("people", "custodian", 1)
    check_taken_up("tests.groups.test_publish:die", point, tmp_path, paid, ledger)


@pytest.mark.series(1)
@pytest.mark.parametrize("kind", KINDS)
def test_no_record_can_make_a_release_fail(kind: str, tmp_path: Path) -> None:
    records = write_world(tmp_path, kind, groups=9)
    plan = Plan.load(tmp_path / "plan.toml")
    for number, text in enumerate(
        (ODD[kind], ODD[kind].splitlines()[0], ODD[kind] + "\x00\xff\n" + "9" * 5000 + ",,,\n")
    ):
        records.write_bytes(text.encode("latin-1"))
        out = release(plan, records, tmp_path / f"out{number}", payment=PaymentOptions(unvalidated=True)).folder
        assert starling.verify(out).findings == ()


def test_a_missing_column_is_refused_before_the_charge(tmp_path: Path) -> None:
    records = write_world(tmp_path)
    records.write_text("region\ne1\n")
    with pytest.raises(SourceError, match="size is a missing column"):
        release(Plan.load(tmp_path / "plan.toml"), records, tmp_path / "out", payment=PaymentOptions(unvalidated=True))
    assert not (tmp_path / "out").exists()
