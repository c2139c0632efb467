"""Quantiles of uniform order statistics are SciPy's."""

import pytest
from scipy.stats import beta

from starling.genome.pictures.quantiles import expected, quantile


@pytest.mark.parametrize("count", [1, 2, 3, 10, 100, 5000, 200_000])
@pytest.mark.parametrize("probability", [0.025, 0.5, 0.975])
def test_quantiles_are_scipys(count: int, probability: float) -> None:
    for rank in sorted({1, 2, 1 + count // 3, count // 2, count - 1, count} - {0} - {2 if count < 2 else 0}):
        found = quantile(probability, rank, count)
        assert found == pytest.approx(float(beta.ppf(probability, rank, count + 1 - rank)), rel=1e-8)


def test_the_mean() -> None:
    assert expected(1, 1) == 0.5
    assert expected(3, 9) == 0.3
