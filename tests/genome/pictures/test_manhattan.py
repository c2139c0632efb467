"""What a Manhattan plot shows is what was released, at its place; nothing else is on it."""

from dataclasses import replace

import matplotlib as mpl
import pytest

from starling.genome.pictures.answers import Answers
from starling.genome.pictures.manhattan import apart, caption, manhattan, scientific, shown
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


def test_places_too_close_to_tell_apart_are_enlarged() -> None:
    listed = snps(
        [("1", 1_000_000), ("1", 1_000_500), ("1", 1_001_000), ("1", 90_000_000), ("2", 5), ("2", 50_000_000)]
    )
    answers = Answers(
        plan(listed),
        (p_value("rs1", 9), p_value("rs2", 7), p_value("rs3", 0.3), p_value("rs5", 1)),
        blocks=(("rs1", "rs3"),),
    )
    svg = svg_of(manhattan(answers))
    assert len(groups(svg, "place-a-letter")) == 1
    assert not groups(svg, "place-b-.*")
    large = sorted(x for x, _ in dots(svg, "points-place-a-.*"))
    assert len(large) == 3, "everything released there is shown"
    assert large[2] - large[1] == pytest.approx(large[1] - large[0], abs=0.01)
    assert large[1] - large[0] > 100
    assert len(groups(svg, "place-a-name")) == 3
    assert len(groups(svg, "all-name")) == 3, "a letter for two, and the names of the others"
    low, high = (end for end, _ in sorted(lines(svg, "place-a-spans")[0])[1:3])
    assert (low, high) == pytest.approx((large[0], large[2]), abs=0.01)
    nothing = replace(answers, p_values=(p_value("rs1", 1), p_value("rs2", 0.5)), blocks=())
    assert not groups(svg_of(manhattan(nothing)), "place-a-letter"), "p-values that say nothing are not enlarged"


def test_no_more_than_three_places_are_enlarged() -> None:
    listed = snps([(str(name), place) for name in range(1, 6) for place in (1000, 2000, 90_000_000)])
    values = tuple(p_value(f"rs{3 * name + part}", 6 + name) for name in range(5) for part in (1, 2))
    svg = svg_of(manhattan(Answers(plan(listed), values)))
    assert [len(groups(svg, f"place-{letter}-letter")) for letter in "abcd"] == [1, 1, 1, 0]


def test_without_p_values_there_is_no_axis_of_them() -> None:
    svg = svg_of(manhattan(Answers(three_chromosomes(), located=("rs3", "rs28"))))
    assert len(dots(svg, "all-located")) == 2
    assert not groups(svg, "all-threshold")
    assert len(groups(svg, "all-name")) == 2


def test_blocks_alone_are_named() -> None:
    answers = Answers(three_chromosomes(), blocks=(("rs2", "rs9"), ("rs14", "rs14")))
    assert len(groups(svg_of(manhattan(answers)), "all-name")) == 2


def test_nothing_is_shown_of_nothing() -> None:
    assert not shown(Answers(three_chromosomes()))
    assert shown(some())


@pytest.mark.parametrize(
    "answers",
    [
        some(),
        Answers(plan(snps([("1", 5)])), (p_value("rs1", 0, 0, 0),), ("rs1",), (("rs1", "rs1"),)),
        Answers(plan(snps([("1", 5)])), (p_value("rs1", 1, 1e6 - 1, 1),)),
        Answers(three_chromosomes(), tuple(p_value(f"rs{number}", 0.1 * number) for number in range(1, 31))),
        Answers(plan(snps([(str(name), 7) for name in range(1, 60)])), (p_value("rs3", 2),)),
    ],
    ids=["some", "one", "endless", "all", "contigs"],
)
def test_any_picture_is_sound_and_has_the_same_bytes_each_time(answers: Answers) -> None:
    svg = svg_of(manhattan(answers))
    is_sound(svg)
    with mpl.rc_context({"font.size": 20, "lines.linewidth": 9, "text.parse_math": True, "svg.fonttype": "none"}):
        assert svg_of(manhattan(answers)) == svg, "whatever the program around has set"


def test_hostile_names_are_letters() -> None:
    listed = snps(
        [(f"9{name}" if "<" in name else "9", 1000 * place) for place, name in enumerate(HOSTILE, 1)], HOSTILE
    )
    svg = svg_of(manhattan(Answers(plan(listed), tuple(p_value(name, 3) for name in HOSTILE[1:]), HOSTILE[:1])))
    is_sound(svg)
    assert groups(svg, "all-name")


def test_the_caption_says_how_many_and_what_is_missing() -> None:
    text = caption(some())
    assert "in the genome: 4." in text
    assert "α/m = 1.67 × 10⁻³; of 1 the whole range is at or below it" in text
    assert "without a p-value: 1." in text
    assert "Released blocks: 2." in text
    assert "30 in all" in text
    assert scientific(1.0) == "1 × 10⁰"


MEGABASES = (
    249,
    243,
    198,
    191,
    181,
    171,
    159,
    146,
    141,
    136,
    135,
    134,
    115,
    107,
    103,
    90,
    81,
    78,
    59,
    63,
    48,
    51,
    155,
    59,
)


@pytest.mark.parametrize("last", [22, 23, 24, 25])
def test_every_human_chromosome_has_its_name(last: int) -> None:
    """22 had none: beside 21 there was no room for it."""
    names = [*map(str, range(1, 23)), "X", "Y", "MT"][:last]
    ends = [*(1_000_000 * length for length in MEGABASES), 16_569][:last]
    listed = snps([(name, place) for name, end in zip(names, ends, strict=True) for place in (1, end)])
    svg = svg_of(manhattan(Answers(plan(listed), (p_value("rs3", 4),))))
    assert len(groups(svg, r".*-chromosome(\.\d+)?")) == last


def test_names_are_moved_apart_and_left_out_where_not_all_fit() -> None:
    assert apart([10, 50, 90], [5, 5, 5], 0, 100) == [10, 50, 90]
    assert apart([10, 12, 98, 99], [5, 5, 5, 5], 0, 100) == [10, 21, 89, 100]
    assert apart([99, 99], [5, 5], 0, 100) == [89, 100]
    crowded = apart([float(at) for at in range(100)], [5] * 100, 0, 100)
    shown_at = [at for at in crowded if at is not None]
    assert shown_at == [float(at) for at in range(0, 100, 12)]
    assert apart([50], [5], 0, 100) == [50]
