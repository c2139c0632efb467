"""The figures of the SafeTab paper: every one of the spec's accounting table, and each wrong statement failed by its own formula."""

from fractions import Fraction
from math import exp

import pytest

from bench import safetab, safetab_figures
from bench.safetab import TABLE_4
from starling.privacy.accounting.conversion import renyi_divergence
from starling.privacy.distributions.accuracy import margin, tail
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.guarantee import measurement
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.tables.plan import AccuracyTarget
from starling.tables.plan.accuracy_targets import last_digit
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.plan.variants import noise_of_stages


@pytest.mark.parametrize("line", TABLE_4, ids=lambda line: line.level)
def test_table_1_as_printed_follows_from_the_rounding(line: safetab.Line) -> None:
    """Row 27: all 28 printed numbers, to the digits that are printed."""
    for printed, rounded in zip((line.epsilon, line.rho), safetab.rounded_as_printed(line.margin), strict=True):
        for text, number in zip(printed, rounded, strict=True):
            assert round(float(number), len(text.partition(".")[2])) == float(text)
        assert rounded[1] == Fraction(printed[1])


@pytest.mark.parametrize(
    ("moe", "by_formula"),
    [(6, (3.852, 4.280, 0.480, 0.533)), (11, (2.247, 2.496, 0.143, 0.159)), (50, (0.529, 0.587, 0.007, 0.008))],
)
def test_table_1_by_the_formulas_unrounded(moe: int, by_formula: tuple[float, ...]) -> None:
    """Rows 25 to 27: 1/(1 - gamma), not the printed 1/gamma, leads from step 2 to the whole."""
    epsilon, rho = 9 * safetab.printed_epsilon(moe), 9 * safetab.printed_rho(moe)
    assert tuple(round(number, 3) for number in (epsilon, epsilon / 0.9, rho, rho / 0.9)) == by_formula


@pytest.mark.parametrize("moe", [6, 11, 50])
@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_table_1_by_exact_tails_keeps_its_margins_and_no_less_does(measure: safetab.Measure, moe: int) -> None:
    step_2, whole = safetab.least(measure, moe)
    assert step_2 == whole * Fraction(9, 10)
    target = AccuracyTarget("cell", moe)
    for budget, kept in ((whole, True), (whole - last_digit(whole), False)):
        stage_noise = noise_of_stages(measure, budget / 9, Fraction(1, 10))
        assert target.is_met(stage_noise, SEX_BY_AGE, (1, 2, 3)) is kept


@pytest.mark.slow  # accounting/test_conversion.py computes the same figures
def test_table_2() -> None:
    """Row 28: the spec's accounting table, line by line."""
    assert [(loss.printed, loss.computed) for loss in safetab.table_2()] == [
        ("15.3", "15.29"),
        ("13.2", "13.55"),
        ("", "14.17"),
        ("", "14.02"),
        ("12.8", "12.81"),
        ("12.2", "12.18"),
        ("", "11.69"),
    ]
    assert [loss.method for loss in safetab.table_2()].count(None) == 1


def test_what_the_formulas_cover_and_what_95_percent_needs() -> None:
    """Rows 22 to 24."""
    found = safetab.coverage()
    assert [kept.margin for kept in found] == [6, 11, 50]
    assert [round(100 * kept.geometric, 2) for kept in found] == [93.95, 94.38, 94.85]
    assert [round(100 * kept.gaussian, 2) for kept in found] == [96.70, 95.98, 95.22]
    assert [round(100 * kept.epsilon, 1) for kept in found] == [6.8, 4.1, 1.0]
    assert [round(100 * kept.rho, 1) for kept in found] == [-15.4, -8.7, -1.9]


def test_replace_one_is_twice_the_rho_of_counts() -> None:
    assert safetab.replace_one() == ("rho 9.888", "rho 19.776")


def test_every_wrong_statement_is_failed_by_its_printed_formula() -> None:
    """Rows 15, 21 to 23, 26, 28: each printed formula, run, breaks what it claims."""
    for order in (1.5, 2.0, 9.0):
        for epsilon in ("0.05", "0.427", "2"):
            count = measurement("a count", ADD_REMOVE_PERSON, DiscreteLaplace(1 / Fraction(epsilon)))
            assert safetab.printed_lemma_8(order, float(epsilon)) < renyi_divergence(count, Fraction(order))
    for scale in (2, 7, 30):
        law, printed = DiscreteLaplace(Fraction(scale)), safetab.printed_geometric_margin(scale)
        assert tail(law, printed) > 0.05
        assert margin(law, "0.05") == printed + 1
    for moe in (1, 6, 200):
        law = DiscreteLaplace(1 / Fraction(safetab.printed_epsilon(moe)))
        assert tail(law, moe) == pytest.approx(0.1 / (1 + exp(-safetab.printed_epsilon(moe))))
        assert tail(law, moe) > 0.05
    assert tail(DiscreteGaussian(Fraction(1)), int(1.96)) > 0.05
    assert Fraction("3.84") / safetab.GAMMA != pytest.approx(4.27, abs=1)
    assert float(Fraction("3.84") / (1 - safetab.GAMMA)) == pytest.approx(4.27, abs=0.005)
    assert [each.where for each in safetab.wrong()] == [
        "Lemma 8, Corollary 1",
        "Table 2",
        "Equation 36",
        "Corollary 2",
        "Corollary 3",
        "Appendix F.1",
    ]


def test_the_page_has_what_is_computed() -> None:
    assert safetab_figures.PAGE.read_text() == safetab_figures.page(), "run: python -m bench.safetab_figures"
