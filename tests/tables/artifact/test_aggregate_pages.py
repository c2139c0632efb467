"""The report shows the means of the largest groups, whatever the pieces, and what each aggregate costs."""

import numpy as np
import pytest

from starling.tables.artifact.aggregate_pages import MOST, Means, charged, section
from starling.tables.artifact.aggregates import numbers_of
from starling.tables.measurements import Int64
from starling.tables.plan import Piece, Plan, aggregate_pieces, read_regions
from starling.tables.postprocess.aggregates import tabulate_aggregates
from tests.tables.test_publish_aggregates import VALUES

WARDS = [f"w{number:02}" for number in range(30)]
REQUEST = {"of": "age", "regions": "ward", "groups": "all", "budget": "1"}
PLAN = Plan.of(
    {key: value for key, value in VALUES.items() if key not in ("levels", "quantiles")}
    | {"regions": {"column": "ward", "levels": ["ward"], "rows": [[name] for name in WARDS]}, "sums": [REQUEST]}
)
REGIONS = read_regions(PLAN)
SIZES = np.random.default_rng(2).permutation(30) * 100


def drawn(most: int) -> list[tuple[Piece, Int64]]:
    """Wards of these sizes, whose people are half as old as the oldest; one is empty."""
    return [
        (piece, np.stack([SIZES[piece.first : piece.stop] * 49, SIZES[piece.first : piece.stop] * 50], axis=1))
        for piece in aggregate_pieces(PLAN, REGIONS, 2 * most)
    ]


@pytest.mark.parametrize("most", [1, 7, 100])
def test_the_largest_groups_are_shown(most: int) -> None:
    means = Means()
    for table in tabulate_aggregates(PLAN, REGIONS, drawn(most)):
        means.add(table)
    (result,) = means._largest.values()
    assert [row["region_id"] for *_, row in result] == [WARDS[at] for at in np.argsort(-SIZES)[:MOST]]
    (picture,) = section(means).pictures
    assert "Means of age" in picture.caption


def test_quantiles_have_no_means() -> None:
    plan = Plan.of({key: value for key, value in VALUES.items() if key != "sums"})
    regions, means = read_regions(plan), Means()
    numbers = [
        (piece, np.ones((piece.groups, numbers_of(plan, plan.aggregates[piece.level])), np.int64))
        for piece in aggregate_pieces(plan, regions)
    ]
    for table in tabulate_aggregates(plan, regions, numbers):
        assert len(table)
        means.add(table)
    assert section(means).pictures == ()


def test_each_aggregate_says_its_cost() -> None:
    (table,) = charged(Plan.of(VALUES))
    assert [row[1] for row in table.rows] == ["1", "0.5", "1", "1"]
    assert charged(Plan.of({key: value for key, value in VALUES.items() if key not in ("sums", "quantiles")})) == ()
