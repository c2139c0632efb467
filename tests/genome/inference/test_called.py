"""Ranges of six counts with missing calls apart hold every table that the noise may hide: all of them, of small studies, are looked at."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from starling.genome.inference import called
from starling.genome.inference.answers import ALPHA
from starling.genome.inference.called import called_effect, called_p_value, called_table, lacking
from starling.genome.inference.ranges import odds
from starling.genome.measurements import Cells
from starling.genome.plan import Plan, SnpPval
from starling.genome.statistics.association import log10_p_values
from starling.privacy.sampling.lattice import lattice_noise
from starling.privacy.sampling.noise import discrete_laplace
from tests.genome.mechanism.distributions import tiny_plan
from tests.genome.small_tables import all_tables, neighbours

N = 9
SMALL = 1e-9
CALLED, MERGED = (
    [0, 1, 3, 4],
    np.array([[0, 1, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 1, 0]]),
)
"""Columns of the called 2x2 table, and the sums of missing and called."""
STARTS = ((3, 1, 1, 1, 3, 0), (4, 0, 2, 0, 3, 0), (0, 0, 3, 3, 3, 0), (1, 1, 3, 1, 1, 2), (2, 0, 0, 0, 2, 5))


def planned(people: int, test: str = "g") -> Plan:
    return replace(tiny_plan(people, 1, "dominant", test), missing="cell")


def within(start: tuple[int, ...], steps: int, phenotypes: bool) -> Any:
    """Tables within so many replaced patients, or phenotypes, found by breadth-first search over all neighbours."""
    tables = all_tables(N, 6)
    moves = neighbours(N, 6)
    if phenotypes:
        columns = tables[:, :3] + tables[:, 3:]
        moves = np.array([np.where((columns[row] == columns).all(axis=1), row, np.arange(len(row))) for row in moves])
    reached = (tables == np.array(start)).all(axis=1)
    for _ in range(steps):
        reached = reached | reached[moves].any(axis=0)
    return tables[reached]


@pytest.mark.parametrize("unit", ["person", "phenotype"])
@pytest.mark.parametrize("start", STARTS)
def test_ranges_are_those_of_all_tables_within_reach(
    start: tuple[int, ...], unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned(N, "g" if unit == "person" else "score")
    tests = ("g", "chi2", "fisher", "logistic", "wald") if unit == "person" else ("score",)
    for steps in (0, 1, 2, 4):
        monkeypatch.setattr(called, "reach", lambda *_, steps=steps: steps)
        monkeypatch.setattr(called, "flips_tail_quantile", lambda *_, steps=steps: steps)
        tables = within(start, steps, unit == "phenotype")
        for test in tests:
            found = called_p_value(plan, SnpPval("rs0", test, Fraction(1)), Cells(start), ALPHA)
            values = log10_p_values(tables[:, CALLED], "chi2" if test == "score" else test)  # type: ignore[arg-type] # of both
            assert found.low <= values.min() + SMALL
            assert found.high >= values.max() - SMALL
            if test not in ("fisher", "wald"):
                assert found.low == pytest.approx(values.min(), abs=SMALL)
        question = SnpPval("rs0", tests[0], Fraction(1))
        ratio, cases, controls = called_effect(plan, question, Cells(start), ALPHA)
        ratios = [odds(tuple(table)) for table in tables[:, CALLED].tolist()]
        assert (ratio.low, ratio.high) == (min(ratios), max(ratios))
        differ, *lack = lacking(plan, question, Cells(start), ALPHA)
        values = log10_p_values(tables @ MERGED, "fisher")
        assert differ.low <= values.min() + SMALL
        assert differ.high >= values.max() - SMALL
        rows = [(cases, tables[:, [0, 1]]), (controls, tables[:, [3, 4]])]
        rows += [(lack[0], (tables @ MERGED)[:, :2]), (lack[1], (tables @ MERGED)[:, 2:])]
        for found_share, row in rows:
            for have, have_not in row.tolist():
                assert have + have_not == 0 or found_share.low <= Fraction(have, have + have_not) <= found_share.high


def test_a_statistic_grows_with_who_joins_the_diagonal() -> None:
    """Of all tables of up to 12 people: what the proof says of a, and by the swaps of rows and columns of each cell."""
    tables = np.concatenate([all_tables(n) for n in range(2, 13)])
    grown = tables + np.array([1, 0, 0, 0])
    for test in ("g", "chi2"):
        before, after = (
            np.sign(each[:, 0] * each[:, 3] - each[:, 1] * each[:, 2]) * -log10_p_values(each, test)
            for each in (tables, grown)
        )
        assert (after >= before - SMALL).all()
    ratios = [(odds(tuple(a)), odds(tuple(b))) for a, b in zip(tables.tolist(), grown.tolist(), strict=True)]
    assert all(after >= before for before, after in ratios)


def test_stretches_of_flips_hold_what_each_flip_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """With few stretches the range is wider than with all, and never narrower."""
    plan, question = planned(N, "score"), SnpPval("rs0", "score", Fraction(1))
    monkeypatch.setattr(called, "flips_tail_quantile", lambda *_: 3)
    for start in STARTS:
        sharp = (
            called_p_value(plan, question, Cells(start), ALPHA),
            called_effect(plan, question, Cells(start), ALPHA)[0],
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(called, "MOST", 2)
            loose = (
                called_p_value(plan, question, Cells(start), ALPHA),
                called_effect(plan, question, Cells(start), ALPHA)[0],
            )
        for one, other in ((loose[0], sharp[0]), (loose[1], sharp[1])):
            assert one.low <= other.low
            assert one.high >= other.high


@pytest.mark.statistical
@pytest.mark.parametrize("unit", ["person", "phenotype"])
def test_coverage(unit: str) -> None:
    """200 draws at 90 %: fewer than 155 hits have a chance below 1e-6. With a fifth of the reach fewer than 155 hit."""
    exact, people, epsilon = np.array([60, 300, 40, 90, 480, 30]), 1000, Fraction(1, 2)
    plan = planned(people, "g" if unit == "person" else "score")
    question = SnpPval("rs0", plan.tests[0], epsilon)
    truth = float(log10_p_values(exact[np.newaxis, CALLED], "g" if unit == "person" else "chi2")[0])
    lacks = float(log10_p_values(exact[np.newaxis] @ MERGED, "fisher")[0])
    if unit == "person":
        noise = lattice_noise(epsilon, 200, columns=3).reshape(-1, 6)
    else:
        noise = discrete_laplace(1 / epsilon, (200, 3))
        noise = np.hstack((noise, -noise))
    hits = np.zeros((2, 2), dtype=int)
    for noisy in (exact + noise).tolist():
        for row, asked in enumerate((question, replace(question, epsilon=12 * epsilon))):
            found = called_p_value(plan, asked, Cells(tuple(noisy)), Fraction(1, 10))
            differ = lacking(plan, asked, Cells(tuple(noisy)), Fraction(1, 10))[0]
            hits[row, 0] += found.low - SMALL <= truth <= found.high + SMALL
            hits[row, 1] += differ.low - SMALL <= lacks <= differ.high + SMALL
    assert hits[0].min() >= 155
    assert hits[1].max() < 155


def test_negative_counts_and_columns_that_keep_their_total() -> None:
    plan = planned(N, "score")
    assert called_table(plan, (-2, 7, 1, 5, -3, 1)) == (0, 4, 3, 0)
    person = planned(N)
    assert sum(called_table(person, (-2, 5, 1, 2, 2, 1))) <= N
    for test, noisy in product(("fisher", "wald"), [(-5, 0, 0, 9, 5, 0)]):
        found = called_p_value(person, SnpPval("rs0", test, Fraction(1)), Cells(noisy), ALPHA)
        assert found.low <= found.estimate <= found.high
