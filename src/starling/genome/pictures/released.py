"""What a release tells, as rows of pictures."""

from starling.genome.measurements import Block, Places
from starling.genome.pictures.answers import Answers, Pair, PValue, Stretch
from starling.genome.plan import Plan
from starling.genome.postprocess import Answer, Correlated, Exploration
from starling.genome.postprocess import PValue as Told


def answers(plan: Plan, answer: Answer, data: str = "") -> Answers:
    """The parts of an answer that have a place in the genome; a number has none, nor has the answer that no block is valid.

    Args:
        plan: Of the release.
        answer: What it tells.
        data: Name of the data in the ledger that was charged; empty where that is not known.
    """
    if isinstance(answer, Places):
        return Answers(plan, located=answer.snps, data=data)
    if isinstance(answer, Block):
        return Answers(plan, blocks=_stretches((answer,)), data=data)
    if isinstance(answer, Told):
        return Answers(plan, (_p_value(answer),), data=data)
    if isinstance(answer, Correlated):
        value = answer.value
        pair = Pair(answer.first, answer.second, answer.measure, value.estimate, value.low, value.high)
        return Answers(plan, pairs=(pair,), data=data)
    if isinstance(answer, Exploration):
        found = tuple(_p_value(each, found=True) for each in answer.p_values)
        return Answers(plan, found, answer.places.snps, _stretches(answer.blocks), data=data)
    return Answers(plan, data=data)


def _p_value(told: Told, *, found: bool = False) -> PValue:
    return PValue(told.snp, told.test, told.log10.estimate, told.log10.low, told.log10.high, found)


def _stretches(blocks: tuple[Block, ...]) -> tuple[Stretch, ...]:
    return tuple(
        Stretch(block.first, block.last) for block in blocks if block.first is not None and block.last is not None
    )
