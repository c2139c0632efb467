"""Studies combined by inverse variance: against the formulas SNP by SNP, whatever is missing, turned or listed in another order."""

from dataclasses import replace
from math import isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from starling.errors import ParameterError
from starling.genome.inference.effects import reach_of
from starling.genome.inference.meta_analysis import Effects, MetaAnalysis, analyse_together
from starling.genome.plan.snps import snps_of

Told = dict[int, tuple[bool, float, float]]
"""By position: whether the other allele is carried, the effect and its standard error."""


def effects(told: Told) -> Effects:
    rows = [(f"rs{at}", "1", at, *(("C", "A") if turned else ("A", "C"))) for at, (turned, *_) in told.items()]
    beta, error = (np.array([told[at][which] for at in sorted(told)]) for which in (1, 2))
    return Effects(snps_of(rows), beta, error)


def by_position(result: MetaAnalysis, studies: list[Effects]) -> dict[int, int]:
    found = {}
    for row, places in enumerate(result.places.tolist()):
        (position,) = {int(studies[which].snps.positions[at]) for which, at in enumerate(places) if at >= 0}
        found[position] = row
    return found


errors = st.floats(0.05, 3)
told = st.dictionaries(st.integers(2, 9), st.tuples(st.booleans(), st.floats(-2, 2) | st.just(nan), errors), min_size=1)


@pytest.mark.examples(20)
@given(st.lists(told, min_size=2, max_size=4))
def test_each_snp_is_what_the_formulas_say_of_the_studies_that_tell_of_it(lists: list[Told]) -> None:
    lists = [study | {1: (False, 0.5, 1.0)} for study in lists]
    studies = [effects(study) for study in lists]
    result = analyse_together(studies, of_copies=True)
    rows = by_position(result, studies)
    assert set(rows) == {at for study in lists for at, (_, beta, _) in study.items() if not isnan(beta)}
    for at, row in rows.items():
        carried = next(study[at][0] for study in lists if at in study)
        values = [
            None
            if isnan(study.get(at, (0, nan))[1])
            else (study[at][1] * (-1 if study[at][0] != carried else 1), study[at][2])
            for study in lists
        ]
        there = [value for value in values if value is not None]
        weights = [1 / error**2 for _, error in there]
        mean = sum(w * beta for w, (beta, _) in zip(weights, there, strict=True)) / sum(weights)
        q = sum(w * (beta - mean) ** 2 for w, (beta, _) in zip(weights, there, strict=True))
        assert result.studies[row] == len(there)
        assert result.beta[row] == pytest.approx(mean, abs=1e-9)
        assert result.standard_error[row] == pytest.approx(1 / sqrt(sum(weights)))
        assert result.low[row] < result.beta[row] < result.high[row]
        assert len(result.directions[row]) == len(lists)
        for letter, value in zip(result.directions[row], values, strict=True):
            assert letter == "?" if value is None else letter == ("-" if value[0] < 0 else "+")
        if len(there) == 1:
            assert (result.q[row], result.i_squared[row], result.q_p[row]) == (0, 0, 1)
        else:
            assert result.q[row] == pytest.approx(q, abs=1e-9)
            assert result.q_p[row] == pytest.approx(chi2.sf(q, len(there) - 1), abs=1e-9)
            assert result.i_squared[row] == pytest.approx(max(0, 1 - (len(there) - 1) / q) if q else 0, abs=1e-6)


def test_of_carriers_a_turned_allele_is_not_compared() -> None:
    one, other = (
        effects({1: (False, 1.0, 1.0), 2: (False, 1.0, 1.0)}),
        effects({1: (True, 1.0, 1.0), 2: (False, 1.0, 1.0)}),
    )
    assert analyse_together([one, other], of_copies=False).directions == ("+?", "++")
    assert analyse_together([one, other], of_copies=True).directions == ("+-", "++")


@pytest.mark.parametrize("second", [None, {2: (False, 1.0, 1.0)}, {1: (False, nan, 1.0)}])
def test_what_cannot_be_combined_is_refused(second: Told | None) -> None:
    studies = [effects({1: (False, 1.0, 1.0)}), *([] if second is None else [effects(second)])]
    with pytest.raises(ParameterError, match="releases"):
        analyse_together(studies, of_copies=True)


def test_heterogeneity_is_flat_where_all_studies_have_the_same_effect() -> None:
    # 4,000 SNPs, fixed seed: no false alarm. Standard errors forgotten as weights (all 1) put 30 % below .05 and are rejected.
    draw = np.random.default_rng(5)
    spread = draw.uniform(0.5, 2, (3, 4000))
    studies = [
        effects({at: (False, draw.normal(0.3, error), error) for at, error in enumerate(each, 1)}) for each in spread
    ]
    result = analyse_together(studies, of_copies=True)
    assert np.mean(result.q_p < 0.05) == pytest.approx(0.05, abs=0.012)
    inside = (result.low < 0.3) & (result.high > 0.3)
    assert np.mean(inside) == pytest.approx(0.95, abs=0.012)
    unweighted = [Effects(study.snps, study.beta, np.ones(4000)) for study in studies]
    assert np.mean(analyse_together(unweighted, of_copies=True).q_p < 0.05) > 0.1


def test_intervals_hold_noise_that_is_not_normal() -> None:
    """Of three studies, mostly of Laplace noise: 40,000 means, fixed seed. Intervals as if noise were not there miss twice too often."""
    draw = np.random.default_rng(6)
    deviations, scales = np.array([0.1, 0.2, 0.1]), np.array([1.0, 0.7, 1.5])
    errors = np.sqrt(deviations**2 + 2 * scales**2)
    share = 2 * scales**2 / errors**2
    values = draw.normal(0, deviations[:, None], (3, 40_000)) + draw.laplace(0, scales[:, None], (3, 40_000))
    one = [
        Effects(effects({1: (False, 0.0, error)}).snps, np.zeros(1), np.array([error]), np.array([part]))
        for error, part in zip(errors, share, strict=True)
    ]
    result = analyse_together(one, of_copies=True)
    means = (values / errors[:, None] ** 2).sum(axis=0) / (1 / errors**2).sum()
    (error,), (reach,) = result.standard_error, result.reach
    assert np.std(means) == pytest.approx(error, rel=0.02)
    assert 0.95 <= np.mean(np.abs(means) < reach) < 0.965
    without = error * np.sqrt(1 - result.noise[0])
    assert np.mean(np.abs(means) < 1.96 * without) < 0.9
    (high,) = result.high
    result = replace(result, beta=result.beta + reach)
    assert high == reach
    assert 10 ** result.log10_p[0] == pytest.approx(0.05, rel=1e-3)


def test_a_study_alone_keeps_its_own_interval_and_noise_that_tells_nothing_weighs_nothing() -> None:
    snps = effects({1: (False, 0.0, 1.0), 2: (False, 0.0, 1.0)}).snps
    told, none = (
        Effects(snps, np.array([0.5, 0.5]), np.array(error), np.array([0.5, 0.0]))
        for error in ([1.0, 1.0], [np.inf, 1.0])
    )
    result = analyse_together([told, none], of_copies=True)
    assert result.directions == ("+?", "++")
    assert result.noise.tolist() == [0.5, 0]
    assert result.reach[0] == pytest.approx(reach_of(sqrt(0.5), 0.5, 0.05))
    assert result.reach[1] == pytest.approx(1.959964 * sqrt(0.5))
