"""An exploration of effects: it follows up what it found, pays the number of cases once, and stops where there is nothing."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from starling.genome.distance.adjusted import prevalence_variance, score_threshold
from starling.genome.mechanism import effects, selections
from starling.genome.mechanism.explore import ExploreEffectsMechanism
from starling.genome.plan import ExploreEffects
from starling.genome.plan.effects import SCALE
from tests.genome.mechanism.distributions import HUGE, TinyStudy, tiny_plan
from tests.genome.mechanism.test_selections_prevalence import Watched

PEOPLE = 300
PLAN = tiny_plan(PEOPLE, 9, "additive", "score", Fraction(1, 1000))
QUERY = ExploreEffects("score", HUGE)


def a_study(causal: int) -> Watched:
    """The first SNPs go with the disease, the more the earlier."""
    random = np.random.default_rng(6)
    cases = np.arange(PEOPLE) < PEOPLE // 2
    copies = random.binomial(2, 0.5, (PEOPLE, 9)).astype(np.int8)
    for snp in range(causal):
        copies[:, snp] = random.binomial(2, np.where(cases, 0.9 - 0.05 * snp, 0.15))
    return Watched(copies, cases, "additive")


def test_it_finds_what_is_there() -> None:
    drawn = ExploreEffectsMechanism(PLAN, QUERY).draw(a_study(3))
    assert (drawn.number.low, drawn.number.high, drawn.number.cases) == (3, 3, None)
    assert set(drawn.located.snps) == {"rs0", "rs1", "rs2"}
    assert drawn.scores is not None
    assert len(drawn.scores.scores) == 3
    limited = ExploreEffectsMechanism(PLAN, replace(QUERY, most=2)).draw(a_study(3))
    assert len(limited.located.snps) == 2


def test_without_anything_significant_it_stops() -> None:
    drawn = ExploreEffectsMechanism(PLAN, replace(QUERY, prevalence_epsilon=HUGE / 2)).draw(a_study(0))
    assert (drawn.number.high, drawn.number.cases, drawn.located.snps, drawn.scores) == (0, PEOPLE // 2, (), None)


def test_the_number_of_cases_is_paid_once_and_all_noise_is_the_stated_one(monkeypatch: pytest.MonkeyPatch) -> None:
    scales: dict[str, list[Fraction]] = {"cases": [], "scores": []}

    def noise(name: str, value: int) -> object:
        def draw(scale: Fraction, shape: tuple[int, ...]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
            scales[name].append(scale)
            return np.full(shape, value, dtype=np.int64)

        return draw

    monkeypatch.setattr(selections, "discrete_laplace", noise("cases", -90))
    monkeypatch.setattr(effects, "discrete_laplace", noise("scores", 7))
    part, study = Fraction(1, 2), a_study(3)
    drawn = ExploreEffectsMechanism(PLAN, ExploreEffects("score", HUGE + part, prevalence_epsilon=part)).draw(study)
    assert (drawn.number.cases, drawn.located.cases) == (PEOPLE // 2 - 90, None)
    assert drawn.scores is not None
    assert drawn.scores.cases is None
    assert scales == {"cases": [1 / part], "scores": [SCALE / (HUGE / 3)]}
    # Number and places have one threshold, of the noisy number.
    assert study.thresholds == [score_threshold(PLAN.p_threshold, prevalence_variance(PEOPLE // 2 - 90, PEOPLE))]
    snps = [int(snp.removeprefix("rs")) for snp in drawn.located.snps]
    exact = TinyStudy.joint_scores(study, np.array(snps), SCALE).scores
    assert drawn.scores.scores == tuple((exact + 7).tolist())
