"""Effects are drawn by the noise that their question states, on all scores, and by no other."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from starling.audit.genome_mechanisms import SmallStudy, small_plan
from starling.genome.mechanism import effects
from starling.genome.mechanism.effects import SnpEffectsMechanism
from starling.genome.plan import SnpEffects
from starling.genome.plan.effects import SCALE


def test_the_noise_is_the_stated_one(monkeypatch: pytest.MonkeyPatch) -> None:
    scales: list[Fraction] = []

    def none(scale: Fraction, shape: tuple[int, ...]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        scales.append(scale)
        return np.full(shape, 7, dtype=np.int64)

    monkeypatch.setattr(effects, "discrete_laplace", none)
    generator = np.random.default_rng(1)
    study = SmallStudy(generator.binomial(2, 0.4, (20, 3)).astype(np.int8), generator.random(20) < 0.5, "additive")
    plan = small_plan(20, 3, "additive")
    question = SnpEffects(("snp2", "snp0"), Fraction(3), Fraction(1))
    drawn = SnpEffectsMechanism(plan, question).draw(study)
    exact, largest, squares, calls, frequencies = study.joint_scores(np.array([2, 0]), SCALE)
    assert scales == [Fraction(SCALE, 2)]
    assert drawn.scores == tuple((exact + 7).tolist())
    assert (drawn.largest, drawn.squares) == (drawn.fixed(largest), tuple(map(drawn.fixed, squares)))
    assert (drawn.calls, drawn.frequencies) == (tuple(calls.tolist()), tuple(map(drawn.fixed, frequencies)))
    assert drawn.cases is not None
    assert SnpEffectsMechanism(plan, replace(question, prevalence_epsilon=None)).draw(study).cases is None
