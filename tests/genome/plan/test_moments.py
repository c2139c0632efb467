"""What one person changes of weighted moments: by all pairs of persons, and by all pairs of neighbouring studies."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from starling.genome.counts.moments import snp_moments, trait_moments
from starling.genome.plan.moments import CALLS, HALF, centred, of_snp, of_trait, sensitivity, snp_weights, trait_weights
from starling.genome.source.calls import MISSING


def largest(rows: Any) -> int:
    """The largest L1 norm of a difference of two rows."""
    distinct = np.array(sorted(set(map(tuple, rows))))
    return int(max(np.abs(distinct - row).sum(axis=1).max() for row in distinct))


def person(calls: tuple[int | None, ...], t: int | None, half: int) -> tuple[int, ...]:
    """What a person adds to all weighted sums."""
    by_snp = np.array([of_snp(call, t) for call in calls]) * snp_weights(half)
    return (*by_snp.ravel().tolist(), *(np.array(of_trait(t)) * trait_weights(half)).tolist())


@pytest.mark.parametrize(
    ("snps", "half"),
    [(1, 1), (1, 2), (1, 5), (1, 12), (2, 1), (2, 4), (3, 1), (3, 3), (4, 1)],
)
def test_the_sensitivity_is_the_largest_change_by_any_two_persons(snps: int, half: int) -> None:
    persons = [person(calls, t, half) for calls in product(CALLS, repeat=snps) for t in (*range(-half, half + 1), None)]
    assert largest(persons) == sensitivity(snps, half)


def test_the_sensitivity_is_that_of_all_neighbouring_studies() -> None:
    """Two people, two SNPs: as the sums are counted, and no larger for any pair of studies that differ by one person."""
    half, people = 1, [(*calls, t) for calls in product(CALLS, repeat=2) for t in (-1, 0, 1, None)]

    def sums(study: tuple[Any, ...]) -> Any:
        known = np.array([one[-1] is not None for one in study])
        t = np.array([one[-1] or 0 for one in study])
        calls = np.array([[MISSING if call is None else call + 1 for call in one[:-1]] for one in study], dtype=np.int8)
        of_snps = [snp_moments(column, t, known) * snp_weights(half) for column in calls.T]
        return np.concatenate([*of_snps, trait_moments(t, known) * trait_weights(half)])

    others = people[:: len(people) // 7]
    counted = [np.array([sums((one, other)) for one in people]) for other in others]
    changes = [int(max(np.abs(each - row).sum(axis=1).max() for row in each)) for each in counted]
    assert changes == [sensitivity(2, half)] * len(others)


def test_centring_takes_a_sensitivity_of_10_to_3_5() -> None:
    """Of one SNP, by one weight for all moments."""
    grid = np.linspace(0, 1, 9)
    centred_rows = [(u, u * u, u * v, v, v * v) for u in (-1, 0, 1) for v in grid - 0.5]
    raw_rows = [(x, x * x, x * y, y, y * y) for x in (0, 1, 2) for y in grid]
    for rows, known in ((centred_rows, 3.5), (raw_rows, 10.0)):
        table = np.array(rows)
        assert max(np.abs(table - row).sum(axis=1).max() for row in table) == known


@pytest.mark.parametrize("steps", [1, 2, 3, 100, 101, 2000, 1 << 14])
def test_phenotypes_are_on_the_grid_in_order_and_symmetric(steps: int) -> None:
    t = centred(np.arange(steps + 1), steps)
    assert (t[0], t[-1]) == (-HALF, HALF)
    assert (t == -t[::-1]).all()
    assert (np.diff(t) >= 0).all()
    exact = (np.arange(steps + 1) / steps - 0.5) * 2 * HALF
    assert np.abs(t - exact).max() <= 0.5 + 1e-9


def test_many_snps_change_twelve_units_each() -> None:
    assert [sensitivity(snps) for snps in (3, 10, 1000)] == [12 * snps * HALF**2 for snps in (3, 10, 1000)]
