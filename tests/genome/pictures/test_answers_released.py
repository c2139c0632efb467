"""What a release tells has its place in pictures, and the study's own choices are told from the analyst's."""

from starling.genome.inference.intervals import Interval
from starling.genome.measurements import Block, Number, SelectedSnps
from starling.genome.pictures.answers import Answers, answers
from starling.genome.postprocess.estimates import Correlated, Exploration
from tests.genome.pictures.studies import p_value, three_chromosomes

PLAN = three_chromosomes()
P = p_value("rs3", 3)
BLOCKS = (Block("rs2", "rs4", 3), Block(None, None, 0))


def same(found: Answers, wanted: Answers) -> bool:
    """Plans are compared by identity, what they answer by value."""
    return vars(found) == vars(wanted)


def test_a_p_value_that_was_asked_for() -> None:
    assert same(answers(PLAN, P, "study"), Answers(PLAN, (P,), data="study"))


def test_located_snps() -> None:
    assert same(answers(PLAN, SelectedSnps(("rs9", "rs3"))), Answers(PLAN, located=("rs9", "rs3")))


def test_a_block_and_no_block() -> None:
    assert same(answers(PLAN, BLOCKS[0]), Answers(PLAN, blocks=(("rs2", "rs4"),)))
    assert same(answers(PLAN, BLOCKS[1]), Answers(PLAN))


def test_a_correlation() -> None:
    told = Correlated("rs1", "rs2", "dprime", (1, 2, 3, 4), Interval(0.5, 0.4, 0.6))
    assert same(answers(PLAN, told), Answers(PLAN, pairs=(told,)))


def test_an_exploration() -> None:
    found = answers(PLAN, Exploration(Number(1, 1), SelectedSnps(("rs3",)), BLOCKS, (P,)))
    assert same(found, Answers(PLAN, (P,), ("rs3",), (("rs2", "rs4"),)))
    assert found.selected(found.p_values[0])


def test_a_number_has_no_place() -> None:
    assert same(answers(PLAN, Number(0, 0)), Answers(PLAN))
