"""What a plan publishes: the request holds every choice, verification finds what was changed."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq
import pytest

import starling
from starling.errors import RunFailed
from starling.ledger.opening import create_ledger
from starling.places.artifact.public_plan import read_plan
from starling.places.plan import METHODS, Plan
from starling.places.plan.choices import PURPOSES
from starling.places.publication import PlacesPublication
from starling.places.publish import release
from starling.privacy.neighbours import ADD_REMOVE_POINT
from starling.release.payment import PaymentOptions
from starling.release.pipeline import Listener
from tests.places.plans import PERSON, SLICED, plan, write_world

OF_BEFORE: Final = "04fbd39fa473c3d1fa6b53c00058b2e6e009a9c6a9e1f1cbc29030613aef1873"
"""The digest that 0.2.0 gave the plan of the tests with `adaptive`."""


def test_the_request_holds_every_choice_and_no_word() -> None:
    requests = {PlacesPublication(plan(*changes)).request for changes in ((), (PERSON,), (SLICED,), ({"title": "x"},))}
    assert len(requests) == 3


@pytest.mark.series(2)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("changes", [(), (PERSON, SLICED)])
def test_every_method_is_published_and_verified(method: str, changes: tuple[Any, ...], tmp_path: Path) -> None:
    records = write_world(tmp_path)
    chosen = plan(*changes, {"method": {"name": method}})
    folder = release(chosen, records, tmp_path / "out", payment=PaymentOptions(unvalidated=True)).folder
    assert starling.verify(folder).findings == ()
    cells = pq.read_table(folder / "data" / "cells.parquet")
    assert len(cells) == chosen.cells


def test_a_release_says_what_its_tree_is_for(tmp_path: Path) -> None:
    records = write_world(tmp_path)
    digests = set()
    for purpose in PURPOSES:
        chosen = plan({"method": {"name": "adaptive", "for": purpose}})
        folder = release(chosen, records, tmp_path / purpose, payment=PaymentOptions(unvalidated=True)).folder
        assert starling.verify(folder).findings == ()
        assert read_plan(folder).purpose == purpose
        # A plan of before 0.3 has neither the key nor another digest.
        assert ('"purpose"' in (folder / "plan" / "plan.json").read_text()) == (purpose != "earlier")
        digests.add(chosen.digest)
    assert len(digests) == 3
    assert plan({"method": {"name": "adaptive", "for": "earlier"}}).digest == OF_BEFORE


def test_what_was_charged_before_the_default_changed_is_finished_as_it_was(tmp_path: Path) -> None:
    """The same plan file, whose run of before died after the charge; what was not charged then goes by the new rule."""
    records = write_world(tmp_path, {"method": {"name": "adaptive"}})
    chosen = Plan.load(tmp_path / "plan.toml")
    assert chosen.purpose == "all"
    ledger = create_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    ledger.custody.add_population("riders", "epsilon", ADD_REMOVE_POINT, 2)
    ledger.custody.add_dataset("trips", "riders", {})
    ledger.custody.grant("riders", "custodian", 2)
    payment = PaymentOptions(ledger, "trips", unvalidated=True)

    def die(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises((KeyboardInterrupt, RunFailed)):
        release(
            replace(chosen, purpose="earlier"),
            records,
            tmp_path / "out",
            payment=payment,
            listener=Listener(charged=die),
        )
    out = release(chosen, records, tmp_path / "out", payment=payment)
    assert read_plan(out.folder).purpose == "earlier"
    assert starling.verify(out.folder).findings == ()
    # It is answered, here and now at no cost, and elsewhere a new request.
    assert release(chosen, records, tmp_path / "out", payment=payment).receipt is None
    other = release(chosen, records, tmp_path / "other", payment=payment)
    assert (read_plan(other.folder).purpose, other.receipt is None) == ("all", False)
    assert other.request_id != out.request_id


@pytest.mark.parametrize("name", ["data/cells.parquet", "measurements/counts.parquet"])
def test_a_changed_number_is_found(name: str, tmp_path: Path) -> None:
    folder = release(plan(), write_world(tmp_path), tmp_path / "out", payment=PaymentOptions(unvalidated=True)).folder
    shutil.copytree(folder, tmp_path / "copy")
    table = pq.read_table(tmp_path / "copy" / name)
    column = "points" if "data" in name else "value"
    at = table.column_names.index(column)
    values = table[column].to_numpy().copy()
    values[3] += 1
    pq.write_table(table.set_column(at, table.schema.field(column), [values]), tmp_path / "copy" / name)
    result = starling.verify(tmp_path / "copy").findings
    assert any("tables" in str(each) or name in str(each) for each in result)
