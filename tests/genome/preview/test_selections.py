"""What is foretold of selections is what the mechanisms do with such a study."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from starling.genome.inference.answers import selection_error
from starling.genome.mechanism.selections import LocSigMechanism, NumSigMechanism
from starling.genome.plan import LocBlock, LocSig, NumSig
from starling.genome.preview import selections, typical
from starling.genome.preview.typical import Assumed
from tests.genome.preview.conftest import OfTables, a_plan

ONE = Fraction(1)
Int64 = npt.NDArray[np.int64]


class TypicalStudy(OfTables):
    """An `ExactStudy` of the tables that are supposed: so many causal SNPs of one frequency first, then those without effect."""

    def __init__(self, assumed: Assumed, causal: int, frequency: float, odds_ratio: float) -> None:
        caught: list[Int64] = []

        def catch(_: Any, tables: Int64, *__: Any) -> Int64:
            caught.append(tables)
            return np.zeros(len(tables), dtype=np.int64)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(typical, "signed_distances", catch)
            assumed.without_effect("g", len(assumed.plan.snps) - causal)
        strong = assumed.tables(frequency, np.full(causal, odds_ratio))
        self.all = np.concatenate([strong, *caught])

    def tables(self, indices: Int64 | None = None, /) -> Int64:
        return self.all if indices is None else self.all[indices]

    def blocks(self, *asked: Any) -> Any:
        raise AssertionError(asked)


def test_the_bound_is_the_one_that_goes_with_the_answer(assumed: Assumed) -> None:
    for query, expected in (
        (NumSig("g", 2, ONE), selections.num_sig(assumed, NumSig("g", 2, ONE), 2)),
        (LocSig("g", 2, ONE), selections.loc_sig(assumed, LocSig("g", 2, ONE))),
        (block := LocBlock("r2", Fraction(1, 5), ("s7",), ONE, longest=20), selections.loc_block(assumed, block)),
    ):
        error = selection_error(assumed.plan, query)
        assert expected.within.error == error
        assert expected.within.patients == tuple(error.within(1 - sure) for sure in selections.CONFIDENCES)


def test_blocks_around_any_snps_are_all_blocks(assumed: Assumed) -> None:
    everywhere = LocBlock("r2", Fraction(1, 5), assumed.plan.snps.ids, ONE, longest=20)
    assert selections.error(assumed.plan, replace(everywhere, snps=())) == selections.error(assumed.plan, everywhere)
    unbound = replace(everywhere, longest=None)
    assert selections.error(assumed.plan, replace(unbound, snps=())) == selections.error(assumed.plan, unbound)


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("selection", ["exponential", "permute-and-flip"])
@pytest.mark.parametrize("epsilon", [Fraction(1, 5), ONE])
def test_numbers_come_as_often_as_foretold(assumed: Assumed, selection: Any, epsilon: Fraction) -> None:
    """Within 6 standard deviations of 400 draws, and where none is wrong with a chance above .0005, at most six: false alarms below 1e-8.
    The distribution of twice the epsilon is further off."""
    query = NumSig("g", 2, epsilon, selection)
    expected = selections.num_sig(assumed, query, 2)
    for truth in (expected.truths[0], expected.truths[2]):
        # The strongest that a SNP can be: not quite as strong as supposed, which is as many patients as there are.
        mechanism = NumSigMechanism(assumed.plan, query)
        study = TypicalStudy(assumed, truth.significant, 0.2, 100)
        drawn = [mechanism.draw(study) for _ in range(400)]
        right = np.mean([each.low <= truth.significant <= each.high for each in drawn])
        assert abs(right - truth.right) < 6 * np.sqrt(max(truth.right * (1 - truth.right), 0.003) / 400)
        assert np.mean([truth.low <= each.low and each.high <= truth.high for each in drawn]) > 0.9


@pytest.mark.slow
@pytest.mark.series(1)
@pytest.mark.statistical
@pytest.mark.parametrize("k", [1, 3])
def test_places_are_found_from_the_odds_ratio_that_is_told(assumed: Assumed, k: int) -> None:
    """At it 95 times of 100 (344 of 400 or fewer has a chance under 1e-12, of 94 % under 1e-8), well below it in 73 % at most, 344 of which
    has a chance under 1e-9."""
    query = LocSig("g", k, ONE)
    expected = selections.loc_sig(assumed, query)
    mechanism = LocSigMechanism(assumed.plan, query)
    for needed in expected.needed:
        if needed.detected is None:
            continue

        def found(odds_ratio: float, frequency: float = needed.frequency) -> float:
            study = TypicalStudy(assumed, k, frequency, odds_ratio)
            wanted = {f"s{row}" for row in range(1, k + 1)}
            return float(np.mean([set(mechanism.draw(study).snps) == wanted for _ in range(400)]))

        assert found(needed.detected) > 0.86
        assert found(1 + (needed.detected - 1) * 0.8) < 0.86


def test_more_budget_is_never_worse(assumed: Assumed) -> None:
    for costs in (("0.2", "1"), ("1", "5")):
        weak, strong = (selections.loc_sig(assumed, LocSig("g", 2, Fraction(cost))) for cost in costs)
        for one, other in zip(weak.needed, strong.needed, strict=True):
            assert one.significant == other.significant
            assert other.detected is not None
            assert one.detected is None or one.detected >= other.detected
        first, second = (selections.num_sig(assumed, NumSig("g", 2, Fraction(cost)), 2) for cost in costs)
        assert all(one.right <= other.right for one, other in zip(first.truths, second.truths, strict=True))


@pytest.mark.parametrize(("measure", "delta_c"), [("r2", Fraction(1, 5)), ("dprime", Fraction(4, 5))])
def test_what_stands_the_noise_is_that_many_patients_above(assumed: Assumed, measure: Any, delta_c: Fraction) -> None:
    from starling.genome.distance.rules import of_correlation
    from starling.genome.distance.search import settled
    from starling.genome.preview.typical import pair_tables

    expected = selections.loc_block(assumed, LocBlock(measure, delta_c, (), ONE))
    beyond = expected.within.patients[1]
    rule = of_correlation(measure, delta_c, 2000)
    for sure in expected.sure:
        if sure.correlation is None:
            continue
        values = np.array([sure.correlation, sure.correlation - 0.002])
        distances = settled(rule, pair_tables(2000, sure.share, values, measure))
        assert -distances[0] >= beyond > -distances[1] - 2
    assert expected.ends == (450 + 1 + beyond) / 2000


def test_a_list_of_few_snps_and_every_model() -> None:
    for model in ("recessive", "genotypic", "allelic"):
        assumed = Assumed.of(a_plan(500, 3, model))
        assert selections.num_sig(assumed, NumSig("g", 3, ONE), 3).truths[-1].significant == 3
        assert selections.loc_sig(assumed, LocSig("g", 3, ONE)).within.patients
