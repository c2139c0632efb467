"""The recipe of Section 4: it follows up what it found, and stops where there is nothing."""

import numpy as np

from starling.genome.measurements import Block, Number
from starling.genome.mechanism.explore import ExploreMechanism
from starling.genome.plan import Explore, Plan
from starling.privacy.budget import Epsilon
from tests.genome.mechanism.distributions import FIFTH, HUGE, TinyStudy


def test_an_exploration_finds_what_is_there(study: TinyStudy, plan: Plan) -> None:
    found = ExploreMechanism(plan, Explore("g", "r2", FIFTH, HUGE)).draw(study)
    assert (found.number, found.followed) == (Number(4, 4), 4)
    assert set(found.located.snps) == {"rs0", "rs1", "rs2", "rs3"}
    assert found.blocks == (Block("rs0", "rs3", 4),)  # After it no SNP is left to be in a block.
    assert [table.counts for table in found.tables] == [
        tuple(study.tables()[int(snp[2:])].tolist()) for snp in found.located.snps
    ]
    apart = ExploreMechanism(plan, Explore("g", "r2", FIFTH, HUGE, independent=True)).draw(study)
    assert apart.blocks[0] == Block("rs0", "rs3", 4)
    assert len(apart.located.snps) == len(set(apart.located.snps)) == 4
    assert sum(snp in {"rs0", "rs1", "rs2", "rs3"} for snp in apart.located.snps) == 1
    limited = ExploreMechanism(plan, Explore("g", "r2", FIFTH, HUGE, most=2)).draw(study)
    assert (limited.followed, len(limited.tables)) == (2, 2)


def test_an_exploration_without_anything_significant_stops(plan: Plan) -> None:
    random = np.random.default_rng(1)
    nothing = TinyStudy(random.integers(0, 2, (300, 9)).astype(np.int8), np.arange(300) < 150, "dominant")
    query = Explore("g", "r2", FIFTH, HUGE)
    found = ExploreMechanism(plan, query).draw(nothing)
    assert (found.number, found.followed, found.tables) == (Number(0, 0), 0, ())
    assert ExploreMechanism(plan, query).guarantee.cost == Epsilon(HUGE)
