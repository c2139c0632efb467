"""Tables of foresight say what was foreseen, and end in whole words."""

from fractions import Fraction

import pytest

from starling.genome.measurements import Number
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, Question, SnpCorr, SnpPval
from starling.genome.postprocess.wording import answer_text
from starling.genome.preview.expected import preview
from starling.genome.preview.grids import COST, NOTHING, grids, question_text
from starling.genome.preview.typical import Assumed
from tests.genome.preview.conftest import a_plan

ONE = Fraction(1)
FIFTH = Fraction(1, 5)
QUESTIONS: list[Question] = [
    NumSig("g", 2, ONE),
    LocSig("g", 1, ONE),
    LocBlock("r2", FIFTH, (), ONE),
    SnpPval("s1", "g", ONE),
    SnpCorr("s1", "s2", "dprime", ONE),
    Explore("g", "r2", FIFTH, ONE),
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_question_has_tables_with_a_column_for_each_cost(assumed: Assumed, question: Question) -> None:
    drawn = grids([preview(assumed, question, followed=3)] * 2)
    assert drawn
    for grid in drawn:
        assert len(grid.header) == grid.words + 2
        assert grid.header[-2:] == (f"{COST}1", f"{COST}1")
        assert grid.rows
        assert all(len(row) == len(grid.header) and row[-1] == row[-2] for row in grid.rows)
        assert not grid.title.endswith((".", " "))
    assert question_text(question)[0].isupper()


def test_numbers_stand_where_they_belong(assumed: Assumed) -> None:
    expected = preview(assumed, NumSig("g", 2, ONE))
    within, right, odds = grids([expected])
    assert within.rows[1] == ("95 % sure", str(expected.within.patients[1]))  # type: ignore[union-attr] # of a selection
    assert [row[0] for row in right.rows] == ["none", "1", "2", "any number, in the worst study"]
    question = expected.query
    assert f"at least {right.rows[-1][1]} of the time" in answer_text(assumed.plan, question, Number(1, 1))[0]
    assert right.rows[0][1].startswith(f"{100 * expected.truths[0].right - 0.05:.1f} % (")  # type: ignore[union-attr]
    assert odds.rows[0][0] == "0.05"


def test_what_no_effect_reaches_is_said() -> None:
    small = Assumed.of(a_plan(60, 400))
    *_, odds = grids([preview(small, LocSig("g", 2, Fraction(1, 10)))])
    assert {row[-1] for row in odds.rows} == {NOTHING}
    _, sure = grids([preview(small, LocBlock("r2", FIFTH, (), Fraction(1, 10)))])
    assert {row[-1] for row in sure.rows} == {NOTHING}


def test_a_long_list_tells_of_each_snp_and_of_its_epsilon_at_the_delta(assumed: Assumed) -> None:
    long = [preview(assumed, LocSig("g", 20, epsilon)) for epsilon in (ONE, 2 * ONE)]
    _, listed, _ = grids(long)
    cells = {name: values for name, *values in listed.rows}
    assert cells["ε of each SNP"] == ["0.05", "0.1"]
    assert cells["rho of all"] == ["0.00625", "0.025"]
    assert cells["ε of all at delta 1e-10"] == ["0.678", "1.392"]
    patients = [int(cells[f"one SNP off by more patients, {share} %"][0]) for share in (50, 5, 1)]
    assert patients == sorted(patients)
    assert patients[1] < long[0].within.patients[1]  # type: ignore[union-attr] # of a selection
    assert len(grids([preview(assumed, LocSig("g", 2, ONE))])) == 2
