"""A forest plot of effects: a row for each SNP, odds ratios where all have one, round numbers at the axis."""

from dataclasses import replace
from typing import Any

import pytest

from starling.genome.inference.effects import SnpEffect
from starling.genome.inference.intervals import Interval
from starling.genome.listing import FindSnps, find_snps
from starling.genome.pictures import effects
from starling.genome.pictures.answers import Answers, combined
from starling.genome.pictures.gallery import KINDS
from tests.genome.inference.test_scans import PLAN


def effect(snp: str, ratio: float | None, p: float) -> SnpEffect:
    odds = None if ratio is None else Interval(ratio, ratio / 1.5, ratio * 1.5)
    return SnpEffect(snp, Interval(0.1, -0.05, 0.25), odds, 2.0, p)


def test_odds_ratios_are_drawn_where_all_have_one() -> None:
    shown = Answers(PLAN, effects=(effect("rs4", 2.0, -3.0), effect("rs0", 0.5, -4.0)))
    text = effects.forest(shown).svg("f", "Effects")
    assert text.index(">rs0<") < text.index(">rs4<")
    assert ">odds ratio<" in text
    assert "Odds ratios of 2 SNPs" in effects.caption(shown)
    assert "Odds ratios of 1 SNP, each" in effects.caption(replace(shown, effects=shown.effects[:1]))
    mixed = Answers(PLAN, effects=(*shown.effects, effect("rs1", None, -1.0)))
    assert ">slope<" in effects.forest(mixed).svg("f", "Effects")
    assert "Slopes of 3 SNPs" in effects.caption(mixed)
    assert [KINDS["effects"].shown(each) for each in (mixed, Answers(PLAN))] == [True, False]
    assert combined([("a", shown), ("b", mixed)]).effects == mixed.effects


def test_of_many_the_smallest_p_values_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effects, "MOST", 2)
    shown = Answers(PLAN, effects=tuple(effect(f"rs{at}", 1.1, float(-at)) for at in range(4)))
    text = effects.forest(shown).svg("f", "Effects")
    assert [f">rs{at}<" in text for at in range(4)] == [False, False, True, True]
    assert "2 with larger p-values are left out" in effects.caption(shown)


@pytest.mark.parametrize(("low", "high"), [(0.9, 1.1), (0.5, 3.0), (0.3, 7.0), (0.01, 200.0), (1e-6, 1e6)])
def test_an_axis_of_odds_ratios_has_one_and_a_few_more(low: float, high: float) -> None:
    steps = effects._ratios(low, high)
    assert 1.0 in steps
    assert 2 <= len(steps) <= 14
    assert all(low <= step <= high for step in steps)


def test_the_list_says_what_was_released_of_each() -> None:
    shown = Answers(PLAN, effects=(effect("rs4", 2.0, -3.0), effect("rs1", None, -1.0)))
    found: Any = find_snps(PLAN, shown, FindSnps(answered=True))
    rows = found["rows"]
    assert [row[0] for row in rows] == ["rs1", "rs4"]
    assert [row[5] for row in rows] == ["slope 0.1 (-0.05 to 0.25)", "odds ratio 2 (1.33 to 3)"]
    assert [row[6:8] for row in rows] == [["score", 0.1], ["score", 0.001]]
