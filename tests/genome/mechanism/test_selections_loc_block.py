"""The longest block, which blocks may be answered, and what is read for them."""

from fractions import Fraction

import numpy as np
import pytest

from starling.genome.measurements import Block
from starling.genome.mechanism.selections import LocBlockMechanism
from starling.genome.plan import LocBlock, Plan
from tests.genome.mechanism.distributions import FIFTH, HUGE, TinyStudy


def test_blocks_are_found_one_after_the_other(study: TinyStudy, plan: Plan) -> None:
    asked = LocBlock("r2", FIFTH, ("rs2", "rs5"), HUGE)
    assert LocBlockMechanism(plan, asked).draw(study) == Block("rs0", "rs3", 4)
    again = LocBlock("r2", FIFTH, ("rs2", "rs5"), HUGE, excluding=(("rs0", "rs3"),))
    assert LocBlockMechanism(plan, again).draw(study) == Block("rs4", "rs5", 2)
    short = LocBlock("r2", FIFTH, ("rs2",), HUGE, longest=1)
    assert LocBlockMechanism(plan, short).draw(study) == Block("rs2", "rs2", 1)
    rare = TinyStudy(np.zeros((300, 9), dtype=np.int8), study.cases, "dominant")
    assert LocBlockMechanism(plan, asked).draw(rare) == Block(None, None, 0)


@pytest.mark.parametrize("longest", [1, 2, 3, None])
@pytest.mark.parametrize("asked", [("rs1",), ("rs0", "rs8"), ("rs2", "rs4", "rs5")])
def test_only_what_blocks_can_reach_is_read_and_nothing_else_changes(
    study: TinyStudy, plan: Plan, asked: tuple[str, ...], longest: int | None
) -> None:
    query = LocBlock("r2", FIFTH, asked, Fraction(1), longest=longest, excluding=(("rs7", "rs7"),))
    mechanism, whole = LocBlockMechanism(plan, query), query.candidates(plan)
    indices, among = mechanism.choices()
    found = {tuple(indices[list(among.block(index))].tolist()) for index in range(among.count)}
    assert found == {whole.block(index) for index in range(whole.count)}
    assert among.count == whole.count
    reached = {place for first, last in found for place in range(first, last + 1)}
    assert set(indices.tolist()) == reached
