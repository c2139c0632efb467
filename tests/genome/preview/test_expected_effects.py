"""What is foretold of an exploration of effects is what is foretold of its parts, each at what it costs."""

from dataclasses import replace
from fractions import Fraction

from starling.audit.genome_mechanisms import small_plan
from starling.genome.plan import ExploreEffects, LocSig, SnpEffects
from starling.genome.preview import effects, selections
from starling.genome.preview.expected import ExpectedExploreEffects, epsilon_for, error_of, preview
from starling.genome.preview.grids import grids
from starling.genome.preview.typical import Assumed

TENTH = Fraction(1, 10)
PLAN = small_plan(2000, 40, "additive")
QUERY = ExploreEffects("score", 3 + TENTH, most=4, prevalence_epsilon=TENTH)


def test_parts_are_foretold_as_by_themselves() -> None:
    assumed = Assumed.of(PLAN, 200)
    for query, paid in ((QUERY, TENTH), (replace(QUERY, epsilon=Fraction(3), prevalence_epsilon=None), None)):
        seen = preview(assumed, query, followed=2)
        assert isinstance(seen, ExpectedExploreEffects)
        cost = 1 + (paid or Fraction(0))
        assert seen.number == selections.num_sig(assumed, query.number(PLAN), 2)
        assert seen.located == selections.loc_sig(assumed, LocSig("score", 2, cost, prevalence_epsilon=paid))
        assert seen.effects == effects.snp_effects(assumed, SnpEffects(PLAN.snps.ids[:2], cost, paid, chosen=True))
        assert seen.located.within.error.epsilon == 1
        (first, *_, found) = grids([seen])
        assert first.title.endswith("following up 2 SNPs")
        assert found.header[-1] == f"ε = {'3.1' if paid else '3'}"


def test_a_margin_is_that_of_the_places() -> None:
    least = epsilon_for(PLAN, QUERY, 60)
    assert error_of(Assumed.of(PLAN), replace(QUERY, epsilon=least)) <= 60
    assert error_of(Assumed.of(PLAN), replace(QUERY, epsilon=least - Fraction(1, 1000))) > 60
