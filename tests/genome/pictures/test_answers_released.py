"""What a release tells has its place in pictures, and the study's own choices are told from the analyst's."""

from starling.genome.inference.intervals import Interval
from starling.genome.measurements import Block, Number, SelectedSnps
from starling.genome.pictures.answers import Answers, Pair, PValue, SnpRange, answers
from starling.genome.postprocess import Correlated, Effect, Exploration
from starling.genome.postprocess import PValue as Told
from tests.genome.pictures.studies import three_chromosomes

PLAN = three_chromosomes()
EFFECT = Effect(*(Interval(0.5, 0.25, 0.75),) * 3)
P = Told("rs3", "g", (1, 2, 3, 4), Interval(-3.0, -4.0, -2.0), EFFECT)
BLOCKS = (Block("rs2", "rs4", 3), Block(None, None, 0))


def same(found: Answers, wanted: Answers) -> bool:
    """Plans are compared by identity, what they answer by value."""
    return vars(found) == vars(wanted)


def test_a_p_value_that_was_asked_for() -> None:
    assert same(answers(PLAN, P, "study"), Answers(PLAN, (PValue("rs3", "g", -3.0, -4.0, -2.0),), data="study"))


def test_located_snps() -> None:
    assert same(answers(PLAN, SelectedSnps(("rs9", "rs3"))), Answers(PLAN, located=("rs9", "rs3")))


def test_a_block_and_no_block() -> None:
    assert same(answers(PLAN, BLOCKS[0]), Answers(PLAN, blocks=(SnpRange("rs2", "rs4"),)))
    assert same(answers(PLAN, BLOCKS[1]), Answers(PLAN))


def test_a_correlation() -> None:
    told = Correlated("rs1", "rs2", "dprime", (1, 2, 3, 4), Interval(0.5, 0.4, 0.6))
    assert same(answers(PLAN, told), Answers(PLAN, pairs=(Pair("rs1", "rs2", "dprime", 0.5, 0.4, 0.6),)))


def test_an_exploration() -> None:
    found = answers(PLAN, Exploration(Number(1, 1), SelectedSnps(("rs3",)), BLOCKS, (P,)))
    assert same(
        found,
        Answers(PLAN, (PValue("rs3", "g", -3.0, -4.0, -2.0, by_study=True),), ("rs3",), (SnpRange("rs2", "rs4"),)),
    )
    assert found.selected(found.p_values[0])


def test_a_number_has_no_place() -> None:
    assert same(answers(PLAN, Number(0, 0)), Answers(PLAN))
