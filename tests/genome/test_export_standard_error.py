"""The standard error of ln OR: Woolf's without noise, and the spread of estimates that sample and noise give together."""

from fractions import Fraction
from math import log
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import Table2x2

from starling.genome.export import standard_error
from starling.genome.inference.answers import two_by_two
from starling.privacy.sampling.lattice import lattice_noise
from starling.privacy.sampling.noise import discrete_laplace

HUGE = Fraction(10**6)


def test_without_noise_it_is_statsmodels() -> None:
    for table in np.random.default_rng(5).integers(20, 900, (30, 4)).tolist():
        found = standard_error(table, sum(table), "dominant", "lattice", HUGE)
        assert found == pytest.approx(Table2x2(np.array(table).reshape(2, 2)).log_oddsratio_se)


@pytest.mark.series(1)
@pytest.mark.statistical
@pytest.mark.parametrize("noise", ["lattice", "laplace"])
@pytest.mark.parametrize("model", ["dominant", "genotypic"])
def test_it_is_the_spread_of_estimates(model: Any, noise: Any) -> None:
    """3,000 samples with noise as large as the sample's own error. Their spread has a kurtosis of 3.6 and so a standard error of 1.5 %.

    It is 1 % below what is stated with lattice noise; with Laplace noise 4 % above, for what the counts are too large together is taken
    off the largest. Six standard errors around both: a false alarm in 10^8. Noise that is forgotten, a mutant, is off by 30 %.
    """
    random, epsilon = np.random.default_rng(6), Fraction(1, 8)
    shares = [[0.49, 0.42, 0.09], [0.64, 0.32, 0.04]] if model == "genotypic" else [[0.5, 0.5], [0.4, 0.6]]
    columns: Any = len(shares[0])
    found, stated, samples = [], [], 3000
    exact = np.concatenate([random.multinomial(2500, row, samples) for row in shares], axis=1)
    drawn = (
        lattice_noise(epsilon, samples, columns=columns)
        if noise == "lattice"
        else discrete_laplace(2 / epsilon, exact.shape)
    )
    for counts in exact + drawn.reshape(exact.shape):
        a, b, c, d = two_by_two(counts.tolist(), 5000, model)
        found.append(log(a * d / (b * c)))
        stated.append(standard_error(counts.tolist(), 5000, model, noise, epsilon))
    assert None not in stated
    mean = float(np.mean([each for each in stated if each is not None]))
    most = 1.1 if noise == "lattice" else 1.14
    assert 0.9 < float(np.std(found)) / mean < most
    forgotten = [standard_error(row, 5000, model, noise, HUGE) or 0.0 for row in exact.tolist()[:100]]
    assert float(np.std(found) / np.mean(forgotten)) > most


def test_a_count_near_its_noise_has_none() -> None:
    assert standard_error((10, 90, 50, 50), 200, "dominant", "lattice", Fraction(1, 2)) is None
    assert standard_error((10, 90, 50, 50), 200, "dominant", "lattice", HUGE) is not None
