"""A QQ plot sorts what was released, and says in itself when the study chose the SNPs."""

from dataclasses import replace
from math import log10

import pytest
from scipy.stats import beta, binom

from starling.genome.pictures.answers import Answers
from starling.genome.pictures.quantiles import RANKS, band, best, caption, expected, quantile, quantiles, shown
from tests.genome.pictures.studies import (
    HOSTILE,
    dots,
    groups,
    is_sound,
    lines,
    p_value,
    plan,
    snps,
    some,
    svg_of,
    three_chromosomes,
)

ASKED = Answers(three_chromosomes(), tuple(p_value(f"rs{place}", 0.13 * place, 0.5, 0.2) for place in range(1, 21)))


def test_points_are_sorted_against_uniform_order_statistics() -> None:
    svg = svg_of(quantiles(ASKED))
    ((top, corner, right),) = lines(svg, "edge-g")
    found = sorted(dots(svg, "points-g"), reverse=True)
    across = [(x - corner[0]) / (right[0] - corner[0]) for x, _ in found]
    wanted = [-log10(rank / 21) / (-1.1 * log10(1 / 21)) for rank in range(1, 21)]
    assert across == pytest.approx(wanted, abs=1e-4)
    heights = [corner[1] - y for _, y in found]
    assert [height / heights[0] for height in heights] == pytest.approx(
        [place / 20 for place in range(20, 0, -1)], abs=1e-3
    )
    assert heights[0] < corner[1] - top[1]
    assert len(lines(svg, "bars-g")) == 20


def test_the_line_is_where_expected_and_released_are_equal() -> None:
    svg = svg_of(quantiles(ASKED))
    ((start, end),) = lines(svg, "even-g")
    ((_, corner, right),) = lines(svg, "edge-g")
    assert start == pytest.approx(corner)
    (largest, *_) = sorted(dots(svg, "points-g"), reverse=True)
    unit_across = (right[0] - corner[0]) / (-1.1 * log10(1 / 21))
    unit_up = (corner[1] - largest[1]) / 2.6
    assert (corner[1] - end[1]) / unit_up == pytest.approx((end[0] - corner[0]) / unit_across, rel=1e-3)


@pytest.mark.parametrize("count", [2, 30, 5000])
def test_the_band_holds_each_order_statistic_with_a_probability_of_95_percent(count: int) -> None:
    found = band(count)
    assert len(found) <= RANKS + 1
    assert found == sorted(found), "it runs from the largest p-value to the smallest"
    at, low, up = found[-1]
    assert at == pytest.approx(log10(count + 1))
    assert low == pytest.approx(-log10(beta.ppf(0.975, 1, count)))
    assert up == pytest.approx(-log10(beta.ppf(0.025, 1, count)))


@pytest.mark.parametrize("count", [1, 2, 3, 10, 100, 5000, 200_000])
@pytest.mark.parametrize("probability", [0.025, 0.5, 0.975])
def test_quantiles_are_those_of_the_uniform_order_statistics(count: int, probability: float) -> None:
    """The j-th smallest is at or below x where j or more of k numbers are: a sum of binomial chances."""
    for rank in {1, 1 + count // 3, count}:
        at = float(quantile(probability, rank, count))
        assert binom.sf(rank - 1, count, at) == pytest.approx(probability, rel=1e-8)
    assert (expected(1, 1), expected(3, 9)) == (0.5, 0.3)


def test_selected_snps_are_marked_in_the_picture_itself() -> None:
    found = replace(ASKED, located=("rs20", "rs3"))
    svg = svg_of(quantiles(found))
    assert len(groups(svg, "mark")) == 1
    assert len(dots(svg, "selected-g")) == 2
    assert len(dots(svg, "points-g")) == 18
    assert "2 of 20 are of SNPs that the study itself named" in caption(found)
    assert "no test of inflation" in caption(found)
    assert not groups(svg_of(quantiles(ASKED)), "mark")
    assert "only a choice that knew nothing of the study" in caption(ASKED)


def test_each_test_has_a_panel_and_each_snp_one_point_in_it() -> None:
    values = (p_value("rs1", 3, 2, 2), p_value("rs1", 4, 1, 1), p_value("rs1", 5, 2, 2))
    other = p_value("rs2", 1)
    both = (*values, other)
    answers = Answers(three_chromosomes(), (*both, *(replace(each, test="chi2") for each in (values[0], other))))
    assert best(answers, "g") == [values[1], other], "the shortest interval"
    svg = svg_of(quantiles(answers))
    assert len(dots(svg, "points-g")) == len(dots(svg, "points-chi2")) == 2
    assert len(groups(svg, "title-g")) == len(groups(svg, "title-chi2")) == 1
    assert "2 of 4 are of SNPs that the study itself named" in caption(replace(answers, located=("rs1",)))


def test_an_interval_beyond_the_picture_is_marked() -> None:
    svg = svg_of(quantiles(replace(ASKED, p_values=(p_value("rs1", 3, 400, 1), *ASKED.p_values[1:]))))
    assert len(dots(svg, "beyond-g")) == 1
    assert not dots(svg_of(quantiles(ASKED)), "beyond-g")


def test_points_above_the_band_are_named() -> None:
    even = replace(ASKED, p_values=tuple(p_value(f"rs{rank}", -log10(rank / 21)) for rank in range(1, 21)))
    assert not groups(svg_of(quantiles(even)), "name-g")
    far = replace(even, p_values=(*even.p_values, p_value("rs30", 9), p_value("rs29", 7)))
    assert len(groups(svg_of(quantiles(far)), "name-g")) == 2


@pytest.mark.parametrize(
    "answers", [ASKED, some(), Answers(three_chromosomes(), (p_value("rs1", 0, 1e6, 0), p_value("rs2", 1)))]
)
def test_any_picture_is_sound_and_has_the_same_bytes_each_time(answers: Answers) -> None:
    svg = svg_of(quantiles(answers))
    is_sound(svg)
    assert svg_of(quantiles(answers)) == svg


def test_hostile_names_are_letters() -> None:
    listed = snps([("9", 1000 * place) for place in range(1, len(HOSTILE) + 1)], HOSTILE)
    is_sound(svg_of(quantiles(Answers(plan(listed), tuple(p_value(name, 9) for name in HOSTILE)))))


def test_nothing_is_shown_of_nothing() -> None:
    assert not shown(Answers(three_chromosomes(), located=("rs1",)))
    assert shown(ASKED)


def test_a_single_snp_has_no_order_to_draw() -> None:
    """A QQ plot of one SNP was a dot on a diagonal that said nothing; nor is there a panel for a test with one SNP."""
    one = p_value("rs1", 3)
    assert not shown(Answers(three_chromosomes(), (one, replace(one, test="chi2"))))
    assert not shown(Answers(three_chromosomes(), (one, p_value("rs1", 4))))
    some_more = replace(ASKED, p_values=(*ASKED.p_values, replace(one, test="chi2")))
    assert not groups(svg_of(quantiles(some_more)), "title-chi2")
