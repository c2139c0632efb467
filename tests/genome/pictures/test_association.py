"""What a panel shows is what was released, at its place, with its interval; it names the points that matter."""

from dataclasses import replace
from math import log10

import pytest

from starling.genome.pictures.answers import Answers
from starling.genome.pictures.manhattan import manhattan
from starling.genome.pictures.view import View
from tests.genome.pictures.studies import (
    Scale,
    dots,
    groups,
    lines,
    p_value,
    plan,
    snps,
    some,
    svg_of,
    three_chromosomes,
)


def test_points_stand_at_their_place_with_their_interval() -> None:
    answers = some()
    svg = svg_of(manhattan(answers))
    scale, view = Scale(svg, answers), View.whole(answers.plan.snps, 1.0)
    found = sorted(map(scale, dots(svg, "points-all-.*")))
    wanted = sorted((view.of(each.snp) or 0.0, -each.log10.estimate) for each in answers.p_values)
    assert found == [pytest.approx(point, abs=1e-3) for point in wanted]
    bars = sorted(tuple(map(scale, bar)) for bar in lines(svg, "bars-all-.*"))
    for (low, high), each in zip(bars, sorted(answers.p_values, key=lambda each: view.of(each.snp) or 0), strict=True):
        assert high[1] == pytest.approx(-each.log10.low, abs=1e-3)
        if each.log10.high < 0:
            assert low[1] == pytest.approx(-each.log10.high, abs=1e-3)
        else:
            assert low[1] < -0.03, "an interval that reaches p = 1 goes on through the axis"


def test_a_sign_is_filled_when_the_whole_interval_is_beyond_the_threshold() -> None:
    base = three_chromosomes()
    limit = -log10(float(base.p_threshold))
    answers = Answers(base, (p_value("rs1", limit + 1, 1, 1), p_value("rs5", limit + 1, 1, 1.001)))
    svg = svg_of(manhattan(answers))
    assert len(dots(svg, "points-all-.*-sure")) == 1
    assert len(dots(svg, "points-all-.*-open")) == 1


def test_chromosomes_take_turns_in_shade_and_bear_their_names() -> None:
    svg = svg_of(manhattan(some()))
    assert len(lines(svg, "all-shades")) == 1, "every other of three"
    assert len(groups(svg, "all-chromosome")) == 3
    assert dots(svg, "points-all-0-.*")
    assert dots(svg, "points-all-1-.*")


def test_an_interval_beyond_the_picture_is_marked_and_cut() -> None:
    answers = Answers(three_chromosomes(), (p_value("rs1", 3, 400, 3), p_value("rs9", 2)))
    svg = svg_of(manhattan(answers))
    scale = Scale(svg, answers)
    ((x, y),) = map(scale, dots(svg, "beyond-all-.*"))
    assert x == pytest.approx(View.whole(answers.plan.snps, 1.0).of("rs1"), abs=1e-3)
    assert 3 < y < 8
    assert max(scale(end)[1] for bar in lines(svg, "bars-all-.*") for end in bar) == pytest.approx(y, abs=0.05)
    assert not dots(svg_of(manhattan(some())), "beyond-.*")


def test_an_estimate_is_never_cut() -> None:
    answers = Answers(three_chromosomes(), (p_value("rs1", 290), p_value("rs9", 2)))
    svg = svg_of(manhattan(answers))
    assert max(Scale(svg, answers)(point)[1] for point in dots(svg, "points-all-.*")) == pytest.approx(290, abs=0.2)


def test_located_snps_blocks_and_the_list_have_lanes() -> None:
    answers = some()
    svg = svg_of(manhattan(answers))
    scale, view = Scale(svg, answers), View.whole(answers.plan.snps, 1.0)
    ((x, y),) = map(scale, dots(svg, "all-located"))
    assert x == pytest.approx(view.of("rs28"), abs=1e-3)
    assert y < 0, "it has no p-value"
    spans = [[scale(corner)[0] for corner in span] for span in lines(svg, "all-blocks")]
    assert min(spans[0]) == pytest.approx(view.of("rs2"), abs=1e-3)
    assert max(spans[0]) == pytest.approx(view.of("rs4"), abs=1e-3)
    assert max(spans[1]) > min(spans[1]), "a block of one SNP can be seen"
    assert len(lines(svg, "all-spans")) == 2
    assert len(lines(svg, "all-list")) == 30
    bare = svg_of(manhattan(replace(answers, located=(), blocks=())))
    assert not groups(bare, "all-located|all-blocks|all-spans")


def test_a_dense_list_is_drawn_as_runs() -> None:
    listed = snps([("1", 1000 * (place + 1)) for place in range(20_000)])
    svg = svg_of(manhattan(Answers(plan(listed), (p_value("rs77", 1),))))
    assert len(lines(svg, "all-list")) == 1
    assert len(svg) < 60_000


def test_few_points_are_all_named_of_many_those_that_matter() -> None:
    assert len(groups(svg_of(manhattan(some())), "all-name")) == 5
    listed = plan(snps([("1", 1_000_000 * place) for place in range(1, 101)]))
    nulls = tuple(p_value(f"rs{number}", 0.01 * number, 0.1, 0.1) for number in range(1, 98))
    hits = tuple(p_value(f"rs{number}", 8, 0.1, 0.1) for number in (5, 40, 60, 80))
    assert len(groups(svg_of(manhattan(Answers(listed, nulls))), "all-name")) == 3
    assert len(groups(svg_of(manhattan(Answers(listed, nulls + hits))), "all-name")) == 4


def test_tests_have_signs_of_their_own_and_stand_beside_one_another() -> None:
    answers = Answers(three_chromosomes(), (p_value("rs3", 3), replace(p_value("rs3", 3), test="chi2")))
    svg = svg_of(manhattan(answers))
    ((one, _),), ((two, _),) = dots(svg, "points-all-0-g-open"), dots(svg, "points-all-0-chi2-open")
    assert 2 < two - one < 6
