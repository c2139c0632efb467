"""What is foretold of effects: never less noise than there is."""

from fractions import Fraction
from math import inf

import numpy as np

from starling.audit.genome_mechanisms import SmallStudy, small_plan
from starling.genome.inference.effects import noise_share
from starling.genome.mechanism.effects import SnpEffectsMechanism
from starling.genome.plan import SnpEffects
from starling.genome.preview import effects
from starling.genome.preview.typical import Assumed


def test_the_share_is_a_bound_and_near_the_truth_for_one_snp() -> None:
    people, frequency = 2000, 0.3
    plan, assumed = small_plan(people, 3, "additive"), Assumed.of(small_plan(people, 3, "additive"))
    generator = np.random.default_rng(2)
    copies = generator.binomial(2, frequency, (people, 3)).astype(np.int8)
    study = SmallStudy(copies, generator.random(people) < 0.5, "additive")
    for snps, slack in ((("snp0",), 0.01), (("snp0", "snp1", "snp2"), 1.0)):
        question = SnpEffects(snps, Fraction(1, 2))
        true = 1 - noise_share(plan, question, SnpEffectsMechanism(plan, question).draw(study))
        foretold = effects.share(assumed, question, frequency)
        assert foretold - 0.01 <= true <= foretold + slack


def test_more_costs_less_noise_and_too_little_finds_nothing() -> None:
    assumed = Assumed.of(small_plan(2000, 3, "additive"))
    some, more = (effects.snp_effects(assumed, SnpEffects(("snp0",), Fraction(each))) for each in (1, 4))
    assert all(left < right for left, right in zip(some.shares, more.shares, strict=True))
    assert 1 < effects.error(assumed, more.query) < effects.error(assumed, some.query)
    assert effects.error(assumed, SnpEffects(("snp0",), Fraction(1, 4096))) == inf
