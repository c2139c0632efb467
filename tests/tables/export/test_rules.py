"""What is not shown and what is rounded is a function of the released numbers, and each sentence about sums is true."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from starling.errors import ParameterError
from starling.tables.export.described import DescribedTable, Dimension
from starling.tables.export.rules import MOST, Rules, nearest
from tests.tables.export.tables import counts, numbers_of

COUNTS = np.random.default_rng(3).integers(-20, 60, 90)


@pytest.fixture
def table() -> DescribedTable:
    first = Dimension.of("sex", "", [("F", "F"), ("M", "M")])
    second = Dimension.of("age", "", [(f"{n}", f"{n}") for n in range(45)])
    return counts((first, second), numbers_of(COUNTS))


def rows(table: DescribedTable) -> dict[str, list[Any]]:
    numbers: dict[str, list[Any]] = (
        pa.concat_tables(table.pieces()).select([each.name for each in table.numbers]).to_pydict()
    )
    return numbers


def test_without_rules_a_table_is_itself(table: DescribedTable) -> None:
    assert Rules().applied(table) is table


@pytest.mark.parametrize(
    ("rules", "shown"),
    [
        (Rules(hide_below=6), COUNTS >= 6),
        (Rules(hide_wider=4.9), np.zeros(90, dtype=bool)),
        (Rules(hide_wider=5), np.ones(90, dtype=bool)),
        (Rules(hide_below=1, round_to=5), COUNTS >= 1),
    ],
)
def test_nothing_of_a_hidden_number_is_there_and_its_row_is(
    table: DescribedTable, rules: Rules, shown: np.ndarray
) -> None:
    ruled = rules.applied(table)
    result = rows(ruled)
    assert ruled.rows == len(result["count"]) == 90
    assert result["shown"] == shown.tolist()
    for name in ("count", "lower", "upper", "standard_deviation"):
        assert [each is not None for each in result[name]] == shown.tolist()
    assert all("Sums of counts that are shown lack them" in note for note in ruled.notes if "Not shown" in note)


@pytest.mark.parametrize("base", [1, 2, 3, 5, 100])
@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_rounding_is_to_the_nearest_and_intervals_only_grow(base: int, kind: type) -> None:
    dimension = Dimension.of("n", "", [(f"{n}", "") for n in range(90)])
    values = COUNTS.astype(kind) + (0.25 if kind is np.float64 else 0)
    table = Rules(round_to=base).applied(counts((dimension,), numbers_of(values)))
    result = {name: np.array(each) for name, each in rows(table).items()}
    assert all(pa.types.is_int64(each.type) for each in table.numbers[:3])
    for name in ("count", "lower", "upper"):
        assert (result[name] % base == 0).all()
    assert (np.abs(result["count"] - values) <= base / 2).all()
    assert ((result["lower"] <= values - 4) & (values - 4 < result["lower"] + base)).all()
    assert ((result["upper"] >= values + 6) & (values + 6 > result["upper"] - base)).all()
    # The sentence: a sum of k of them moves by up to half the base times k.
    assert f"moves by up to {base / 2:g} times k" in table.notes[0]
    assert np.abs(result["count"].cumsum() - values.cumsum() <= base / 2 * np.arange(1, 91)).all()


def test_halves_go_away_from_zero_and_large_counts_are_exact() -> None:
    assert nearest(np.array([-5, 5, 15, 2**60 + 5]), 10).tolist() == [-10, 10, 20, 2**60 // 10 * 10 + 10]


@pytest.mark.parametrize(
    "values",
    [{"round_to": 0}, {"hide_below": 0}, {"hide_wider": -1.0}, {"hide_wider": float("nan")}, {"round_to": MOST + 1}],
)
def test_rules_that_are_none_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="is not"):
        Rules(**values)
