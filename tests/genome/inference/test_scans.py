"""What is told of a scan: shares of the sample, z and p, odds ratios of first order with the stated error, regions."""

from dataclasses import replace
from fractions import Fraction
from math import exp, log

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from starling.genome.inference.scans import (
    inflation,
    prevalence,
    regions,
    scan_rows,
    share_left,
    significant,
)
from starling.genome.inference.winners_curse import corrected
from starling.genome.measurements import Scanned, SnpScores
from starling.genome.plan import Plan, Scan
from tests.genome.plan.test_model_phenotypes import PHENOTYPES

FAR = Fraction(100)
"""An epsilon of which no coin turns."""
PLACES = [("1", 10), ("1", 500_010), ("1", 1_000_011), ("2", 10), ("2", 20), ("2", 30)]
PLAN = replace(
    PHENOTYPES,
    people=1000,
    snps=Plan.snp_list([(f"rs{row}", *place, "A", "C") for row, place in enumerate(PLACES)]),
    regions=(),
)


def scanned(z: list[float], ones: int = 500, variance: float = 100.0) -> Scanned:
    size = len(z)
    scores = np.array(z) * variance**0.5
    squares, calls = np.full(size, 400.0), np.full(size, 1000)
    variances = np.where(scores == 0, 0.0, variance)
    return Scanned(ones, SnpScores(2, scores, variances, squares, calls, np.full(size, 0.25)))


@pytest.mark.parametrize(("epsilon", "shares"), [(1, (0.214, 0.049)), (2, (0.580, 0.208)), (3, (0.819, 0.463))])
def test_the_share_of_the_sample_is_the_squared_correlation_with_the_response(
    epsilon: int, shares: tuple[float, float]
) -> None:
    """And the figures of the specification."""
    keep = exp(epsilon) / (1 + exp(epsilon))
    for cases, share in zip((0.5, 0.05), shares, strict=True):
        answers = cases * keep + (1 - cases) * (1 - keep)
        covariance = cases * keep - cases * answers
        squared = covariance**2 / (cases * (1 - cases) * answers * (1 - answers))
        assert share_left(cases, Fraction(epsilon)) == pytest.approx(squared, rel=1e-9)
        assert round(share_left(cases, Fraction(epsilon)), 3) == share


def test_the_share_of_cases_is_estimated_without_bias() -> None:
    """By the mean of the response: K keep + (1 - K) (1 - keep) answers of yes."""
    keep = exp(1) / (1 + exp(1))
    ones = round(1e9 * (0.3 * keep + 0.7 * (1 - keep)))
    estimate = prevalence(replace(PLAN, people=10**9 // 64), Scan(Fraction(1)), scanned([1.0], ones // 64))
    assert estimate == pytest.approx(0.3, abs=1e-6)


def test_numbers_of_a_snp_are_those_of_its_score() -> None:
    rows = scan_rows(PLAN, Scan(FAR), scanned([3.0, -5.0, 0.0, 1.0, -40.0, 2.0]))
    assert rows.z.tolist()[:2] == [3.0, -5.0]
    assert np.isnan([column[2] for column in (rows.z, rows.p, rows.log10_p, rows.odds_ratio)]).all()
    known = [0, 1, 3, 4, 5]
    wanted = [(log(2) + norm.logsf(abs(z))) / log(10) for z in rows.z[known]]
    np.testing.assert_allclose(rows.log10_p[known], wanted, atol=1e-6)
    assert rows.p[0] == 0.0027
    assert rows.p[4] == pytest.approx(10 ** rows.log10_p[4], rel=1e-3)
    beta, error = 30 / (400 * 0.25), 10 / (400 * 0.25)
    assert (rows.beta[0], rows.se[0]) == (beta, error)
    ends = [exp(beta), exp(beta - 1.959964 * error), exp(beta + 1.959964 * error)]
    np.testing.assert_allclose([rows.odds_ratio[0], rows.low[0], rows.high[0]], ends, atol=2e-6)


def test_coins_shrink_scores_and_odds_ratios_are_corrected() -> None:
    """At epsilon 2 the score of a response is tanh(1) times that of the phenotypes; z is as it is."""
    factor = (exp(2) - 1) / (exp(2) + 1)
    one, other = scan_rows(PLAN, Scan(FAR), scanned([3.0])), scan_rows(PLAN, Scan(Fraction(2)), scanned([3.0]))
    assert other.z[0] == one.z[0]
    assert other.beta[0] == pytest.approx(one.beta[0] / factor, abs=1e-6)


def test_without_a_share_of_cases_there_is_no_odds_ratio() -> None:
    for ones in (0, 1000, 100):
        rows = scan_rows(PLAN, Scan(Fraction(1)), scanned([3.0], ones))
        assert rows.z[0] == 3.0
        assert np.isnan([rows.beta[0], rows.odds_ratio[0], rows.low[0]]).all()


@pytest.mark.parametrize(("ratio", "error"), [(1.1, 0.04), (1.2, 0.06), (1.5, 0.14), (2.0, 0.22)])
def test_the_first_step_is_off_by_no_more_than_stated(ratio: float, error: float) -> None:
    """The expected score of a logistic model, additive, against its log odds ratio; the share of cases is known."""
    copies = np.arange(3)
    off = []
    for frequency in (0.1, 0.2, 0.3, 0.4, 0.5):
        shares = np.array([(1 - frequency) ** 2, 2 * frequency * (1 - frequency), frequency**2])
        for cases in (0.1, 0.2, 0.3, 0.5):

            def risks(start: float, shares: npt.NDArray[np.float64] = shares) -> npt.NDArray[np.float64]:
                return np.asarray(shares / (1 + np.exp(-start - log(ratio) * copies)))

            start = brentq(lambda start, cases=cases, risks=risks: risks(start).sum() - cases, -20, 20)
            centred = copies - (shares * copies).sum()
            slope = (centred * risks(start)).sum() / (shares * centred**2).sum()
            off.append(abs(slope / (cases * (1 - cases)) / log(ratio) - 1))
    assert error / 2 < max(off) < error


def test_regions_end_where_half_a_million_base_pairs_hold_no_significant_snp() -> None:
    rows = scan_rows(PLAN, Scan(FAR), scanned([5.0, 7.0, 6.0, 9.0, 0.5, -8.0]))
    assert significant(PLAN, rows).tolist() == [True, True, True, True, False, True]
    told = [(each.chromosome, each.first, each.last, each.snps, each.lead) for each in regions(PLAN, rows)]
    assert told == [("1", 10, 500_010, 2, "rs1"), ("1", 1_000_011, 1_000_011, 1, "rs2"), ("2", 10, 30, 2, "rs3")]
    assert regions(PLAN, scan_rows(PLAN, Scan(FAR), scanned([0.0, 1.0]))) == ()


def test_leads_are_corrected_for_having_been_named() -> None:
    """Given that the SNP is significant; nearly not at all where it is so by far."""
    rows = scan_rows(PLAN, Scan(FAR), scanned([0.0, 3.2, 0.0, 0.0, 0.0, -12.0]))
    near, far = regions(PLAN, rows)
    threshold = float(norm.isf(float(PLAN.p_threshold) / 2))
    for region, z, at in ((near, 3.2, 1), (far, -12.0, 5)):
        expected = [exp(float(each[0]) * rows.se[at]) for each in corrected(np.array([z]), threshold)]
        assert region.corrected == pytest.approx(expected, abs=1e-4)
    assert near.odds_ratio is not None
    assert near.corrected is not None
    assert near.corrected[1] < 1 < near.corrected[0] < near.odds_ratio
    assert far.corrected is not None
    assert far.corrected[0] == pytest.approx(far.odds_ratio, rel=1e-3)


def test_lambda_is_one_where_nothing_is_associated() -> None:
    values = norm.ppf((np.arange(9_999) + 0.5) / 9_999).tolist()
    rows = scan_rows(PLAN, Scan(FAR), scanned(values))
    assert inflation(rows) == pytest.approx(1, abs=1e-3)
    assert inflation(scan_rows(PLAN, Scan(FAR), scanned([0.0]))) is None
