"""Whole numbers of cross tables: they agree, stay near their estimates, and no sum is moved by more than is said."""

from itertools import combinations
from math import ceil

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.release.payment import PaymentOptions
from starling.tables import Plan, release
from starling.tables.inference.cross_estimates import cross_estimates
from starling.tables.inference.whole_numbers import most_moved_sum, rounded_together, tree_order
from starling.tables.plan.residuals import Shape, Shares
from starling.verification import verify
from tests.tables.dense_tables import shared
from tests.tables.inference.test_cross_estimates import counts, measured
from tests.tables.plan.stated_cross import WHOLE


@pytest.mark.examples(25)
@given(shared(), st.integers(0, 2**32))
def test_whole_numbers_agree_and_no_sum_is_moved_by_more_than_its_bound(case: tuple[Shape, Shares], seed: int) -> None:
    shape, shares = case
    rows = measured(shape, shares, counts(shape, seed), seed)
    plain, whole = (cross_estimates(shape, shares, rows, whole=each) for each in (False, True))
    assert whole.bits == 0
    random = np.random.default_rng(seed)
    weights, moved = {}, 0.0
    for level, size in enumerate(shape.regions):
        for one, other in combinations(shape.tables, 2):
            both = set(one) & set(other)
            first, second = (
                whole.counts(level, table).sum(axis=tuple(1 + at for at, each in enumerate(table) if each not in both))
                for table in (one, other)
            )
            assert np.array_equal(first, second)
        for table in shape.tables:
            apart = whole.counts(level, table) - plain.counts(level, table)
            assert np.array_equal(whole.counts(level, table), np.rint(whole.counts(level, table)))
            assert np.abs(apart).max() <= shape.most_moved(table)
            each = random.integers(-1, 2, apart.shape).astype(np.float64) * random.integers(0, 2)
            weights[level, table] = each
            moved += float((each * apart).sum())
            box = np.zeros(apart.shape)
            box[tuple(slice(int(random.integers(0, n)), None) for n in apart.shape)] = 1
            if size == shape.regions[-1] and np.array_equal(tree_order(shape), np.arange(size)):
                assert most_moved_sum(shape, {(level, table): box}) <= shape.most_moved(table)
        if level:
            assert np.array_equal(
                np.add.reduceat(
                    whole.counts(level, shape.tables[0])[np.argsort(shape.parents[level - 1], kind="stable")],
                    np.searchsorted(np.sort(shape.parents[level - 1]), np.arange(shape.regions[level - 1])),
                ),
                whole.counts(level - 1, shape.tables[0]),
            )
    assert abs(moved) <= most_moved_sum(shape, weights) + 1e-6


@pytest.mark.examples(10)
@given(shared())
def test_what_holds_by_construction_is_not_moved_and_a_number_reaches_its_bound(case: tuple[Shape, Shares]) -> None:
    shape, _ = case
    for table in shape.tables:
        ones = {
            (level, table): sign * np.ones((shape.regions[level], *(shape.sizes[c] for c in table)))
            for level, sign in ((0, 1.0), (len(shape.regions) - 1, -1.0))
        }
        if len(ones) > 1:
            assert most_moved_sum(shape, ones) == 0
        parts = {
            (0, each): (1.0 if each == table else -1.0) * np.ones((shape.roots, *(shape.sizes[c] for c in each)))
            for each in shape.tables
            if each in (table, table[1:])
        }
        assert len(parts) == 1 or most_moved_sum(shape, parts) == 0
    # A cell in the middle has all corners; and can be off by nearly half of them.
    inner = Shape((3, 3), ((0, 1),))
    one = np.zeros((1, 3, 3))
    one[0, 1, 1] = 1
    assert most_moved_sum(inner, {(0, (0, 1)): one}) == inner.most_moved((0, 1)) == 2
    worst = np.zeros((1, 3, 3), dtype=np.int64)
    worst[0, 0, 0], worst[0, 0, 1], worst[0, 1, 0], worst[0, 1, 1] = 8, 15, 15, 2
    assert rounded_together(worst, 4, tree_order(inner))[0, 1, 1] - 2 / 16 == 2 - 1 / 8


@pytest.mark.slow
def test_a_release_in_whole_numbers_agrees_says_so_and_verifies(tmp_path: object) -> None:
    values = WHOLE | {"tables": {"columns": ["sex", "school"], "cross": 2, "budget": "2", "whole-numbers": True}}
    plan = Plan.of(values)
    rows = [{"sex": s, "school": c, "ward": w} for s in "FM" for c in "abc" for w in ("w0", "w1", "w2")] * 5
    made = release(
        plan, pa.Table.from_pylist(rows), out=f"{tmp_path}/release", payment=PaymentOptions(unvalidated=True)
    )
    assert not verify(made.folder).findings
    assert "Numbers are whole" in (made.folder / "report.html").read_text()
    plain = Plan.of(values | {"tables": values["tables"] | {"whole-numbers": False}})
    assert plan.cost == plain.cost
    with plan.release(pa.Table.from_pylist(rows)) as opened:
        for row in opened.table("sex_by_school").to_pylist():
            assert row["count"] == round(row["count"])
            assert row["upper"] - row["count"] > 1.96 * row["standard_deviation"] + 4 - 1e-9
        whole = opened.number()
        assert (opened.number(sex="F") + opened.number(sex="M")).exact == whole.exact
        assert (opened.number(sex="F") + opened.number(sex="M") - whole).margin() < 0.01
        # Everybody is one running total, off by half a record: no whole number more. A cell of inner values has
        # eight, off by four records; one of the first sex has half of them.
        assert whole.margin() == ceil(1.96 * whole.standard_deviation)
        for sex, moved in (("M", 4), ("F", 2)):
            one = opened.number(sex=sex, school="b", ward="w1")
            assert one.margin() == ceil(1.96 * one.standard_deviation) + moved
    margins = {"columns": ["sex", "school"], "cross": 2, "margins": [{"within": 4}], "whole-numbers": True}
    with pytest.raises(PlanError, match="rounding alone may move a cell of 2 columns by 4"):
        Plan.of(WHOLE | {"tables": margins})
    kept = Plan.of(WHOLE | {"tables": margins | {"margins": [{"within": 8}]}})
    fractions = Plan.of(WHOLE | {"tables": margins | {"margins": [{"within": 8}], "whole-numbers": False}})
    assert kept.cost.amount > fractions.cost.amount
