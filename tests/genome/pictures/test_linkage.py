"""An LD heat map shows the released correlations and no other; what was not asked for is marked as such."""

import re
import xml.etree.ElementTree as ET
from itertools import combinations

import pytest

from starling.genome.pictures.answers import Answers
from starling.genome.pictures.linkage import TRIANGLES, caption, linkage, shown
from starling.genome.pictures.linkage import linked_snps as linked
from starling.genome.postprocess.estimates import Correlated
from tests.genome.pictures.studies import (
    HOSTILE,
    correlated,
    dots,
    groups,
    is_sound,
    lines,
    plan,
    snps,
    some,
    svg_of,
    three_chromosomes,
)


def pair(one: int, other: int, value: float, measure: str = "r2") -> Correlated:
    return correlated(f"rs{one}", f"rs{other}", measure, value, max(0.0, value - 0.1), min(1.0, value + 0.1))


FEW = Answers(three_chromosomes(), blocks=(("rs2", "rs5"),), pairs=(pair(2, 3, 1.0), pair(5, 3, 0.0), pair(6, 2, 0.4)))


def middle(corners: list[tuple[float, float]]) -> tuple[float, float]:
    around = set(corners)
    return sum(x for x, _ in around) / len(around), sum(y for _, y in around) / len(around)


def test_cells_are_the_released_pairs_and_all_others_are_marked_as_not_asked() -> None:
    svg = svg_of(linkage(FEW))
    cells = {name for name in combinations(range(5), 2) if groups(svg, f"cell-0-{name[0]}-{name[1]}")}
    assert cells == {(0, 1), (1, 3), (0, 4)}
    assert len(lines(svg, "absent-0")) == len(dots(svg, "mark-0")) == 10 - 3
    assert len(groups(svg, "snp-0")) == 5
    told = "".join(ET.tostring(group, "unicode") for group in groups(svg, "cell-0-.*"))
    assert told.count("fill-heat-9") == 1, "the darkest"
    assert len(set(re.findall(r'fill="(#\w+)', told)) - {"#ffffff"}) > 2


def test_cells_stand_below_and_between_their_snps() -> None:
    svg = svg_of(linkage(FEW))
    (near,), (far,) = lines(svg, "cell-0-0-1"), lines(svg, "cell-0-0-4")
    (outline,) = lines(svg, "blocks-0")
    left, right = min(outline)[0], max(outline)[0]
    step = (right - left) / 4
    top = min(y for _, y in outline)
    assert middle(near) == pytest.approx((left + step, top + step / 2), abs=0.01)
    assert middle(far) == pytest.approx((left + 2.5 * step, top + 2 * step), abs=0.01)
    marks = sorted(dots(svg, "mark-0"))
    assert marks[0] == pytest.approx((left + 1.5 * step, top + step), abs=0.6), "rs2 with rs4 was not asked for"


def test_the_apex_of_a_block_lies_below_the_cell_of_its_ends() -> None:
    (outline,) = lines(svg_of(linkage(FEW)), "blocks-0")
    xs, ys = sorted({x for x, _ in outline}), sorted({y for _, y in outline})
    assert len(xs) == 3
    assert (xs[2] - xs[0]) / 2 == pytest.approx(ys[-1] - ys[0], abs=0.01), "a right angle"


def test_values_and_intervals_are_told_where_there_is_room() -> None:
    svg = svg_of(linkage(FEW))
    assert len(groups(svg, "value-0")) == len(groups(svg, "range-0")) == 3
    many = svg_of(linkage(Answers(three_chromosomes(), pairs=tuple(pair(1, other, 0.5) for other in range(2, 21)))))
    assert len(groups(many, "value-0")) == 19
    assert not groups(many, "range-0")


def test_many_snps_have_one_empty_triangle() -> None:
    listed = plan(snps([("1", place) for place in range(1, 101)]))
    svg = svg_of(linkage(Answers(listed, pairs=tuple(pair(1, other, 0.5) for other in range(2, 101)))))
    assert len(lines(svg, "absent-0")) == 1
    assert len(groups(svg, "cell-0-.*")) == 99
    assert not groups(svg, "snp-0")
    is_sound(svg)


def test_blocks_alone_show_that_no_correlation_was_asked_for() -> None:
    answers = Answers(three_chromosomes(), blocks=(("rs2", "rs5"), ("rs9", "rs9")))
    svg = svg_of(linkage(answers))
    assert not groups(svg, "cell-.*")
    assert len(lines(svg, "absent-0")) == 6
    assert "one of a single SNP has no triangle" in caption(answers)


def test_pairs_of_different_chromosomes_have_no_map() -> None:
    svg = svg_of(linkage(Answers(three_chromosomes(), pairs=(pair(1, 11, 0.5),))))
    assert groups(svg, "cell-0-0-1")
    assert not groups(svg, "map")
    assert len(groups(svg_of(linkage(FEW)), "map")) == 1


def test_only_so_many_triangles_are_drawn_and_the_caption_says_so() -> None:
    answers = Answers(three_chromosomes(), pairs=tuple(pair(place, place + 1, 0.5) for place in range(1, 30, 2)))
    assert len(linked(answers)) == 15
    svg = svg_of(linkage(answers))
    assert len(groups(svg, "cell-.*")) == TRIANGLES
    assert f"The first {TRIANGLES} of 15 triangles are drawn." in caption(answers)
    tops = {round(min(y for _, y in cell), 3) for cell in lines(svg, "cell-.*")}
    assert len(tops) > 1, "more than one row"


@pytest.mark.parametrize(
    "answers", [FEW, some(), Answers(three_chromosomes(), pairs=(pair(1, 2, 1.0), pair(1, 2, 0.2, "dprime")))]
)
def test_any_picture_is_sound_and_has_the_same_bytes_each_time(answers: Answers) -> None:
    svg = svg_of(linkage(answers))
    is_sound(svg)
    assert svg_of(linkage(answers)) == svg


def test_hostile_names_are_letters() -> None:
    listed = snps([("9", 1000 * place) for place in range(1, len(HOSTILE) + 1)], HOSTILE)
    pairs = tuple(correlated(HOSTILE[0], name, "r2", 0.5, 0.4, 0.6) for name in HOSTILE[1:])
    is_sound(svg_of(linkage(Answers(plan(listed), pairs=pairs))))


def test_what_is_not_there_is_not_in_the_legend() -> None:
    one = svg_of(linkage(Answers(three_chromosomes(), pairs=(pair(1, 2, 0.5),))))
    assert len(groups(one, "key")) == 5, "the shades"
    assert len(groups(svg_of(linkage(FEW)), "key")) == 5 + 2 + 1, "an empty cell of two parts, and the outline"


def test_nothing_is_shown_of_nothing() -> None:
    assert not shown(Answers(three_chromosomes(), blocks=(("rs4", "rs4"),)))
    assert shown(FEW)
