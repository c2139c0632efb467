"""Invented custom records: any plan reads them without fault, and they look like those of life."""

import json
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.release.described import Generated
from starling.release.payment import PaymentOptions
from starling.tables import Plan, generate, release
from starling.tables.generate.custom import persons_of
from starling.tables.generate.runs import NOTICE, RUN
from starling.tables.plan import read_regions
from starling.tables.plan.custom_records import custom_records
from starling.tables.source import open_records, validate
from starling.verification import verify
from tests.tables.generate.custom_plans import custom_plans
from tests.tables.test_publish_custom import VALUES

OF_PERSONS = {**VALUES, "records": {"of-a-person": 3, "person": "id", "expected": 7000}}


@pytest.mark.slow
@pytest.mark.examples(10)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(custom_plans(), st.integers(0, 99), st.sampled_from(["text", "parquet"]))
def test_the_custodian_of_any_plan_finds_nothing_wrong_nor_odd(plan: Plan, seed: int, form: Any) -> None:
    with TemporaryDirectory() as folder:
        output = generate(plan, persons=50, seed=seed, out=Path(folder) / "out", format=form)
        result = validate(plan, read_regions(plan), open_records(output.records, plan)).value
        unit = custom_records(plan).unit
        # One record a person looks like a number of rows, and nothing else is noted.
        noted = int(unit is not None and unit.most == 1)
        assert (result.problems.total, result.problems.decisive, result.notes.total) == (0, (), noted)
        assert result.values == {"records": output.sizes["records"], "counted": output.sizes["records"]}
        assert output.sizes[f"{custom_records(plan).protects}s"] == 50


@pytest.mark.examples(5)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(custom_plans())
def test_parquet_says_what_text_says(plan: Plan) -> None:
    with TemporaryDirectory() as folder:
        output = [
            generate(plan, persons=20, seed=3, out=Path(folder) / form, format=form) for form in ("text", "parquet")
        ]
        text = pd.read_csv(output[0].records, dtype=str, keep_default_na=False)
        stored = pq.read_table(output[1].records)
        assert list(text.columns) == stored.column_names
        for name in stored.column_names:
            stated = ["" if each is None else str(each) for each in stored[name].to_pylist()]
            written = [each.rstrip("0") if "." in each else each for each in text[name]]
            assert written == [each.rstrip("0") if "." in each else each for each in stated]


def generate_twice(values: dict[str, Any], folder: Path, **differing: Any) -> list[Generated]:
    (name, both) = differing.popitem()
    given: dict[str, Any] = {"persons": 2000, "seed": 7} | differing
    given.pop(name, None)
    return [generate(Plan.of(values), **given, **{name: each}, out=folder / str(each)) for each in both]


@pytest.mark.series(1)
@pytest.mark.parametrize("form", ["text", "parquet"])
def test_the_same_seed_gives_the_same_bytes_whatever_the_workers(tmp_path: Path, form: str) -> None:
    one, other = generate_twice(OF_PERSONS, tmp_path, persons=RUN + 1000, format=form, workers=(1, 3))
    assert one.records.read_bytes() == other.records.read_bytes()
    assert one.sizes == other.sizes


def test_another_seed_gives_other_bytes(tmp_path: Path) -> None:
    one, other = generate_twice(VALUES, tmp_path, seed=(1, 2))
    assert one.records.read_bytes() != other.records.read_bytes()


def test_as_many_are_invented_as_the_plan_expects(tmp_path: Path) -> None:
    alone = generate(Plan.of(VALUES), seed=1, out=tmp_path / "alone")
    assert alone.sizes == {"areas": 6, "persons": 3000, "records": 3000}
    several = generate(Plan.of(OF_PERSONS), seed=1, out=tmp_path / "several")
    assert several.sizes["persons"] == 4000 == persons_of(custom_records(Plan.of(OF_PERSONS)))
    assert several.sizes["records"] == pytest.approx(7000, rel=0.05)
    assert persons_of(custom_records(Plan.of(OF_PERSONS)), 70) == 40


@pytest.mark.slow
def test_a_person_has_one_to_as_many_records_as_are_counted_in_one_area(tmp_path: Path) -> None:
    output = pd.read_csv(generate(Plan.of(OF_PERSONS), persons=RUN + 5, seed=1, out=tmp_path / "out").records)
    assert output["id"].is_monotonic_increasing
    assert set(output["id"]) == set(range(1, RUN + 6))
    many = Counter(output.groupby("id").size())
    assert set(many) == {1, 2, 3}
    assert many[1] / (RUN + 5) == pytest.approx(0.5, abs=0.01)
    assert output.groupby("id")["ward"].nunique().max() == 1
    # Much of what a person's records say is the same.
    assert output.groupby("id")["Age"].nunique()[output.groupby("id").size() == 2].mean() < 1.6


def test_values_are_uneven_and_hang_together(tmp_path: Path) -> None:
    """Shares of values differ; and between areas and ages they differ by more than 20,000 even draws would."""
    off, apart = [], []
    for seed in range(5):
        output = pd.read_csv(generate(Plan.of(VALUES), persons=20_000, seed=seed, out=tmp_path / str(seed)).records)
        wards = output["ward"].value_counts()
        assert wards.max() > 2 * wards.min() > 0
        assert output["Age"].mean() < 45
        women = output.assign(woman=output["sex"] == "F")
        overall, shares = women["woman"].mean(), women.groupby("ward")["woman"].agg(["mean", "size"])
        deviation = np.sqrt(overall * (1 - overall) / shares["size"])
        off.append(((shares["mean"] - overall).abs() / deviation).max())
        apart.append(abs(women.groupby("woman")["Age"].mean().diff().iloc[-1]))
    # Five deviations, and three of the mean of half as many ages.
    assert np.median(off) > 5
    assert np.median(apart) > 3 * 29 / np.sqrt(5_000)


def test_what_was_made_is_released_and_verifies(tmp_path: Path) -> None:
    plan = Plan.of(OF_PERSONS)
    output = generate(plan, seed=1, out=tmp_path / "made", format="parquet")
    done = release(plan, output.records, out=tmp_path / "out", payment=PaymentOptions(unvalidated=True))
    assert not verify(done.folder).findings


def test_the_note_says_that_it_is_invented_how_and_from_which_seed(tmp_path: Path) -> None:
    output = generate(Plan.of(VALUES), persons=10, seed=99, out=tmp_path / "out")
    note = json.loads(output.note.read_text())
    assert note["notice"] == NOTICE
    assert "Zipf" in note["manner"]
    assert (note["seed"], note["plan"], note["sizes"]) == (99, "Members by ward", dict(output.sizes))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["GENERATED.json", "records.csv"]
    with pytest.raises(KeyError):
        _ = output.files["geography"]


def test_nobody_is_a_number_too(tmp_path: Path) -> None:
    for form in ("text", "parquet"):
        output = generate(Plan.of(OF_PERSONS), persons=0, seed=1, out=tmp_path / form, format=form)
        assert output.sizes["records"] == 0
        open_records(output.records, Plan.of(OF_PERSONS))


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("states", {"states": ["01"]}),
        ("land-for", {"land_for": 10}),
        ("persons", {"persons": -1}),
        ("seed", {"seed": -1}),
        ("format", {"format": "csv"}),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, field: str, given: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"persons": 10, "seed": 1, "out": tmp_path / "out"}
    with pytest.raises(ParameterError) as refused:
        generate(Plan.of(VALUES), **{**arguments, **given})
    assert refused.value.problems[0].field == field
    assert not list(tmp_path.iterdir())


def test_a_plan_that_expects_more_than_can_be_made_is_refused(tmp_path: Path) -> None:
    plan = Plan.of({**VALUES, "records": {"of-a-person": 1, "expected": 10**12}})
    with pytest.raises(ParameterError, match="say how many"):
        generate(plan, seed=1, out=tmp_path / "out")
