"""Noisy counts of the right SNP and the right pair."""

from itertools import product

import numpy as np

from starling.genome.mechanism.noisy_tables import SnpCorrMechanism, SnpPvalMechanism
from starling.genome.plan import Plan, SnpCorr, SnpPval
from tests.genome.mechanism.distributions import HUGE, TinyStudy


def test_with_a_huge_epsilon_counts_are_exact(study: TinyStudy, plan: Plan) -> None:
    for noise, snp in product(("lattice", "laplace"), (0, 8)):
        drawn = SnpPvalMechanism(plan, SnpPval(f"rs{snp}", "g", HUGE, noise)).draw(study)  # type: ignore[arg-type] # of both
        assert drawn.counts == tuple(study.tables()[snp].tolist())
        pair = SnpCorrMechanism(plan, SnpCorr("rs4", f"rs{snp}", "r2", HUGE, noise)).draw(study)  # type: ignore[arg-type] # of both
        assert pair.counts == tuple(study.pair_tables(np.array([[4, snp]]))[0].tolist())
