"""What effects of several studies say together: the weakest are left to the table, and each sentence is of whom the plans protect."""

from dataclasses import replace

import numpy as np
import pytest

from starling.genome.combined import CombinedEffects
from starling.genome.derived import Origin
from starling.genome.inference.meta_analysis import Effects, analyse_together
from starling.genome.plan import Plan
from tests.genome.worlds import a_trait_plan


def combined(plan: Plan, *, linear: bool) -> CombinedEffects:
    """Two studies of the plan's eight SNPs, of which the second does not tell of the last."""
    beta = np.linspace(0.1, 0.8, 8)
    studies = [
        Effects(plan.snps, values, np.full(8, 0.1), np.full(8, 0.5)) for values in (beta, np.append(-beta[:7], np.nan))
    ]
    result = analyse_together(studies, of_copies=True)
    origins = tuple(Origin(name, "1", "2", "3") for name in ("one", "two"))
    return CombinedEffects(origins, (plan, plan), plan.snps, result, np.full(8, 400), linear)


def test_a_sentence_a_snp_says_how_far_studies_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starling.genome.combined.MOST_SHOWN", 2)
    both = combined(a_trait_plan(unit="phenotype"), linear=True)
    first, together, several, *snps, rest = both._sentences()
    assert first.startswith("Genotypes, covariates and who takes part are not protected")
    assert "2 studies of 400 people (one, two), combined by inverse variance" in together
    assert several == "Several studies tell of 7 of 8 SNPs."
    assert [line.partition(":")[0] for line in snps] == ["rs1", "rs8"]
    assert "the phenotype grows by about 0 with one more copy" in snps[0]
    assert snps[0].endswith("by 2 studies; how far they differ: Q 2, p 0.16, I2 50 %.")
    assert snps[1].endswith(", by one study.")
    assert rest == "6 more are in the table, with larger p-values."
    assert combined(a_trait_plan(), linear=True)._sentences()[0] == (
        "Each person is protected whole: all genotypes and the phenotype."
    )


def test_odds_ratios_are_those_of_log_odds_and_drawn() -> None:
    both = combined(replace(a_trait_plan(unit="phenotype"), between=None, steps=100), linear=False)
    assert "odds ratio of each copy about 2.23" in str(both)
    assert [*both.plot().pictures] == ["effects"]
    low, high = both.table["L95"].to_pylist(), both.table["U95"].to_pylist()
    assert np.log(high) == pytest.approx(both.result.high)
    assert np.log(low) == pytest.approx(both.result.low)
