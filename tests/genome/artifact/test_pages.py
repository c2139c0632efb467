"""The sections of the report say the answer, its error and the cost."""

from fractions import Fraction
from typing import Any

import pytest

from starling.genome.artifact.pages import charged, sections
from starling.genome.measurements import Block, Cells, Explored, Number, SelectedSnps
from starling.genome.postprocess.estimates import estimate
from starling.pages.parts import Section
from tests.genome.mechanism.distributions import tiny_plan
from tests.genome.worlds import QUESTIONS

PLAN = tiny_plan(200, 9, p=Fraction(1, 1000))
CELLS = Cells((90, 10, 20, 80))
ANSWERS: dict[str, Any] = {
    "num_sig": Number(2, 3),
    "loc_sig": SelectedSnps(("rs1", "rs2")),
    "loc_block": Block("rs1", "rs3", 3),
    "snp_pval": CELLS,
    "snp_corr": CELLS,
    "explore": Explored(Number(1, 1), 1, SelectedSnps(("rs1",)), (Block("rs1", "rs1", 1),), (CELLS,)),
}


def text(section: Section) -> str:
    cells = [cell for table in section.tables for row in (table.header, *table.rows) for cell in row]
    return " ".join([section.title, *section.paragraphs, *cells])


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_section_is_filled(name: str) -> None:
    question = QUESTIONS[name]
    said = sections(PLAN, question, estimate(PLAN, question, ANSWERS[name]))
    answer, error, public, files = map(text, said)
    assert "95 %" in error
    assert "each interval on its own" in error or name not in ("snp_pval", "snp_corr", "explore")
    assert "200 people" in public
    assert "data/" in files
    assert {"num_sig": "2 to 3 SNPs", "loc_block": "3 SNPs", "snp_pval": "rs2"}.get(name, "rs1") in answer
    assert str(question.guarantee.cost.amount) in text(charged(PLAN, question))


def test_what_an_exploration_costs_is_told_by_its_four_parts() -> None:
    section = charged(PLAN, QUESTIONS["explore"])
    assert [row[1] for row in section.tables[0].rows] == ["1"] * 4
    assert "What it left unspent" in section.paragraphs[0]
    # "What is not significant" is told as such.
    said = sections(PLAN, QUESTIONS["snp_pval"], estimate(PLAN, QUESTIONS["snp_pval"], Cells((50, 50, 50, 50))))
    p_values, effects = said[0].tables
    assert p_values.rows[0][-1] == "no"
    assert (effects.rows[0][1], effects.rows[0][3], effects.rows[0][5]) == ("1", "0.5", "0.5")


@pytest.mark.parametrize(
    ("name", "drawn"),
    [("num_sig", 0), ("loc_sig", 1), ("loc_block", 2), ("snp_pval", 1), ("snp_corr", 1), ("explore", 1)],
)
def test_what_has_a_place_in_the_genome_is_drawn_there(name: str, drawn: int) -> None:
    answer = sections(PLAN, QUESTIONS[name], estimate(PLAN, QUESTIONS[name], ANSWERS[name]))[0]
    assert len(answer.pictures) == drawn
    for picture in answer.pictures:
        assert "nothing was released" in picture.caption
        assert picture.draw().startswith("<svg")
