"""Flows by slices: which trips of a person count; whole releases, their answers, differences, tables and files."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import starling
from starling.errors import ParameterError
from starling.places.flows.analysis import FlowsRelease
from starling.places.flows.artifact.public_plan import FLOWS, read_measurements, read_plan
from starling.places.flows.counts import tally
from starling.places.flows.generate import records
from starling.places.source.trips import open_records
from starling.release.checks import InvalidRelease
from tests.places.flows.worlds import SLICED, plan


def test_a_person_keeps_k_trips_over_all_slices_whatever_the_key(tmp_path: Path) -> None:
    """One person has three trips in two months, of whom two count; another none within the slices."""
    of = plan(tmp_path, **SLICED, privacy={"unit": "person", "trips_per_person": 2, "rho": "1"})
    mine = ["1,2,x,2020-01-05", "3,3,x,2020-02-05", "3,4,x,2020-02-06"]
    rest = ["1,2,y,2020-01-09", "4,4,z,2020-03-01", "4,4,z,soon", "4,4,z,"]
    counted = []
    for number, rows in enumerate((rest, [*rest, *mine])):
        file = tmp_path / f"{number}.csv"
        file.write_text("\n".join(["a,b,who,when", *rows]) + "\n")
        counted += [tally(of, open_records(file, of), bytes([key]) * 16) for key in range(1 + 2 * number)]
    without, *others = counted
    kept = [other - without for other in others]
    assert [(each.min(), each.sum()) for each in kept] == [(0, 2)] * 3
    assert len({each.tobytes() for each in kept}) > 1
    assert without.sum() == without[0, 0, 1] == 1


def test_a_release_by_slices_verifies_and_answers_by_slice(sliced: Path, tmp_path: Path) -> None:
    assert starling.verify(sliced).findings == ()
    with starling.open_release(sliced) as opened:
        assert isinstance(opened, FlowsRelease)
        months = [opened.count(["1"], ["2"], slice=month) for month in ("January", "February")]
        assert abs(months[0].trips - 400) < 30
        assert abs(months[1].trips - 100) < 30
        assert months[1].slice == "February"
        rows = opened.to_pandas().set_index(["slice", "origin_level", "origin", "destination"])["trips"]
        assert len(rows) == 2 * 49
        assert rows["February", "area", "1", "2"] == months[1].trips
        assert opened.largest(1, slice="February").pairs.tolist() == [[0, 1]]
        less = opened.difference((["1"], ["2"]), slice="January", minus_slice="February")
        assert less.trips == months[0].trips - months[1].trips
        assert less.deviation == pytest.approx(np.hypot(months[0].deviation, months[1].deviation))
        assert abs(less.trips - 300) < 40
        assert less.lower <= less.trips <= less.upper
        with pytest.raises(ParameterError, match="are the trips themselves"):
            opened.difference(slice="January", minus_slice="January")
        with pytest.raises(ParameterError, match="January, February"):
            opened.count()
        (_, picture) = opened.plot("February").save(tmp_path / "pictures")
        assert picture.read_text().count('class="')
        (_, flows, _) = opened.export(tmp_path / "exported", "February")
        assert flows.read_text().splitlines()[1].startswith("1,2,")


def test_numbers_of_other_slices_are_found(sliced: Path, tmp_path: Path) -> None:
    of, table = read_plan(sliced), pq.read_table(sliced / FLOWS)
    assert [each.shape for each in read_measurements(sliced, of)][-1] == (2, 4, 4)
    (tmp_path / "measurements").mkdir()
    turned = table.set_column(0, table.schema.field(0), table["slice"].take([*range(1, len(table)), 0]))
    for other in (turned, table.drop_columns("slice")):
        pq.write_table(other, tmp_path / FLOWS)
        with pytest.raises(InvalidRelease):
            read_measurements(tmp_path, of)


def test_invented_trips_lie_in_all_slices(tmp_path: Path) -> None:
    kinds = SLICED["slices"] | {"categories": ["work", "other"]}
    of = plan(
        tmp_path,
        flows=SLICED["flows"] | {"category": "kind"},
        slices=kinds,
        privacy={"unit": "person", "trips_per_person": 9, "rho": "1"},
    )
    assert of.cells == 4 * 16
    table = records(of, 200)
    assert (tally(of, open_records(table, of), bytes(16)).sum(axis=(1, 2)) > 20).all()
