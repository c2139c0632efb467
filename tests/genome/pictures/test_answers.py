"""Answers of several releases together: of one plan alone, each once."""

from dataclasses import replace

import pytest

from starling.errors import ParameterError
from starling.genome.pictures.answers import Answers, combined
from tests.genome.pictures.studies import p_value, plan, snps, some, three_chromosomes


def test_answers_of_one_plan_are_put_together_in_order_and_once() -> None:
    first, second = some(), Answers(three_chromosomes(), (p_value("rs1", 1), some().p_values[0]), ("rs28", "rs9"))
    found = combined([("a", first), ("b", second)])
    assert found.p_values == (*first.p_values, p_value("rs1", 1))
    assert found.located == ("rs3", "rs28", "rs9")
    assert (found.blocks, found.pairs) == (first.blocks, first.pairs)


def test_every_release_of_another_plan_is_named_with_what_differs() -> None:
    mine = three_chromosomes()
    listed = plan(snps([("1", 1), ("1", 2)]))
    others = (
        listed,
        replace(mine, people=999),
        replace(mine, model="recessive"),
        replace(mine, alpha=mine.alpha / 2),
        replace(mine, build="GRCh38"),
    )
    parts = [("mine", Answers(mine)), ("same", Answers(three_chromosomes()))]
    with pytest.raises(ParameterError) as refused:
        combined([*parts, *((f"other{number}", Answers(each)) for number, each in enumerate(others))])
    assert [problem.field for problem in refused.value.problems] == ["other0", "other1", "other2", "other3", "other4"]
    words = ("SNP list", "number of people", "model", "alpha", "genome build")
    for word, problem in zip(words, refused.value.problems, strict=True):
        assert problem.problem == f"has another {word} than mine"


def test_releases_about_other_data_are_not_drawn_together() -> None:
    one, other, unknown = (replace(some(), data=name) for name in ("study", "other", ""))
    assert combined([("a", unknown), ("b", one), ("c", one), ("d", unknown)]).data == "study"
    with pytest.raises(ParameterError, match="c has another data set than a"):
        combined([("a", one), ("b", unknown), ("c", other)])


def test_located_snps_without_a_p_value_and_selected_p_values() -> None:
    answers = some()
    assert answers.only_located == ("rs28",)
    assert [answers.selected(each) for each in answers.p_values] == [True, False, False, False]
    assert answers.threshold == answers.plan.alpha / 30
