"""A release of a session: who pays, and where it lies."""

import gc
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest

from starling import tables
from starling.errors import ParameterError
from starling.ledger.opening import create_ledger
from starling.privacy.budget import Epsilon
from starling.release.in_session import session_payment

RECORDS = pa.table({"sex": ["F", "M", "F"]})


@pytest.fixture(scope="module")
def plan() -> tables.Plan:
    return tables.plan(["sex"], {"sex": ["F", "M"]}, epsilon=1)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"dataset": "visits"}, "dataset"),
        ({"analyst": "ada"}, "analyst"),
        ({"ledger": "sqlite:///budget.sqlite"}, "dataset"),
    ],
)
def test_a_ledger_and_a_dataset_go_together(arguments: dict[str, str], field: str) -> None:
    with pytest.raises(ParameterError, match=field):
        session_payment(**arguments)  # type: ignore[arg-type] # texts, as a session gives them


def test_what_a_ledger_pays_for_is_kept_in_a_folder(plan: tables.Plan) -> None:
    with pytest.raises(ParameterError, match="out is missing"):
        plan.release(RECORDS, ledger="sqlite:///budget.sqlite", dataset="visits")


@pytest.mark.slow
def test_a_temporary_release_goes_with_its_object(plan: tables.Plan) -> None:
    release = plan.release(RECORDS)
    folder = release.folder
    assert folder.is_dir()
    assert "limits further releases  nothing" in repr(release)
    del release
    gc.collect()
    assert not folder.parent.exists()


def test_a_ledger_pays_once_for_the_same_plan(plan: tables.Plan, tmp_path: Path) -> None:
    ledger = create_ledger(f"sqlite:///{tmp_path / 'budget.sqlite'}")
    ledger.custody.add_population("people", Epsilon(Fraction(1)).measure, plan.guarantee.relation, Fraction(1))
    ledger.custody.add_dataset("visits", "people", {})
    ledger.custody.grant("people", "custodian", Fraction(1))
    records = tmp_path / "records.csv"
    records.write_text("sex\nF\nM\n")
    releases = [
        plan.release(records, tmp_path / "release", ledger=ledger, dataset="visits", unvalidated=True) for _ in range(2)
    ]
    assert releases[0].request_id == releases[1].request_id
    assert releases[0].rows("t1") == releases[1].rows("t1")
    assert "limits further releases" not in repr(releases[0])
    ledger.close()
