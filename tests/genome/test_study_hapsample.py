"""The causal SNPs of real genotypes are found at the budget that the documentation states."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from bench.genome_hapsample import CAUSAL, PLAN, both_among
from bench.record import load
from starling import genome
from starling.errors import StarlingWarning
from starling.genome.postprocess.estimates import Exploration
from starling.release.payment import PaymentOptions


def test_explore_finds_the_causal_snps(shared_data: Path, tmp_path: Path) -> None:
    """At a budget of 8 it fails twice in a million (`bench.genome_hapsample`)."""
    data = shared_data / "genome" / "hapsample_chr9_13"
    (tmp_path / "plan.toml").write_text(PLAN.format(list=data / "hapsample.bim"))
    with pytest.warns(StarlingWarning, match="snps.list is the .bim of "):
        study = genome.Study.open(
            tmp_path / "plan.toml",
            data / "hapsample",
            folder=tmp_path / "answers",
            payment=PaymentOptions(unvalidated=True),
        )
    answer = study.explore(epsilon=8, longest=50).answer
    assert isinstance(answer, Exploration)
    assert set(CAUSAL) <= set(answer.located.snps)
    assert answer.number.low <= 2 <= answer.number.high
    found = {each.snp: each for each in answer.p_values}
    assert all(found[snp].high <= float(study.plan.p_threshold) for snp in CAUSAL)


def test_the_documentation_states_a_budget_that_finds_them() -> None:
    rows = load("genome_hapsample")["rows"]
    stated = next(row for row in rows if (row["epsilon"], row["selection"]) == (4, "permute-and-flip"))
    assert stated["both_followed"] > 0.97


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_chance_of_two_among_k_is_that_of_all_orders(k: int) -> None:
    scores, epsilon = np.array([3, 1, 2, 2, 0]), 0.7
    weights = np.exp(epsilon / 2 * scores)
    total = 0.0
    for order in permutations(range(len(scores)), k):
        chance, left = 1.0, weights.sum()
        for one in order:
            chance *= weights[one] / left
            left -= weights[one]
        total += chance if {0, 1} <= set(order) else 0.0
    assert both_among(scores, (0, 1), k, epsilon) == pytest.approx(total, abs=1e-9)
