"""snp_pval and num_sig with missing calls apart: the exact loss over all neighbours of all small studies, persons and phenotypes."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from starling.audit.genome_mechanisms import SmallStudy
from starling.genome.mechanism.noisy_tables import SnpPvalMechanism
from starling.genome.mechanism.selections import NumSigMechanism
from starling.genome.plan import NumSig, SnpPval
from starling.privacy.budget import Epsilon
from starling.privacy.events import DiscreteLaplaceNoise
from starling.privacy.neighbours import REPLACE_PERSON, REPLACE_PHENOTYPE
from tests.genome.mechanism.distributions import HUGE, distribution_of, loss, tiny_plan
from tests.genome.small_tables import all_tables, neighbours

PEOPLE = 5
EPSILON = Fraction(6)


def studies() -> list[SmallStudy]:
    """Every study of one SNP: people who carry it, do not, and lack a call; cases and controls."""
    kinds = [(copies, case) for case in (True, False) for copies in (1, 0, -1)]
    made = []
    for counts in all_tables(PEOPLE, 6):
        who = [kinds[kind] for kind in np.repeat(np.arange(6), counts)]
        copies, cases = (np.array(each) for each in zip(*who, strict=True))
        made.append(SmallStudy(copies[:, np.newaxis], cases, "dominant", apart=True))
    return made


@pytest.mark.parametrize(
    ("kind", "query", "worst"),
    [
        (SnpPvalMechanism, SnpPval("rs0", "g", EPSILON), 6.0),
        (SnpPvalMechanism, SnpPval("rs0", "g", EPSILON, "laplace"), 6.0),
        (NumSigMechanism, NumSig("g", 1, EPSILON, "exponential"), 5.95),
    ],
    ids=["lattice", "laplace", "num_sig"],
)
def test_all_30_moves_of_a_person_are_answered_alike(kind: Any, query: Any, worst: float) -> None:
    plan = replace(tiny_plan(PEOPLE, 1), missing="cell")
    mechanism = kind(plan, query)
    assert (mechanism.guarantee.cost, mechanism.guarantee.relation) == (Epsilon(EPSILON), REPLACE_PERSON)
    told = [distribution_of(mechanism.draw, study) for study in studies()]
    mutant = kind(plan, replace(query, epsilon=2 * EPSILON))
    false = [distribution_of(mutant.draw, study) for study in studies()]
    moves = neighbours(PEOPLE, 6)
    assert len(moves) == 30
    pairs = [(one, other) for row in moves for one, other in enumerate(row.tolist()) if one < other]
    assert worst - 1e-9 <= max(loss(told[one], told[other]) for one, other in pairs) <= float(EPSILON) + 1e-9
    assert max(loss(false[one], false[other]) for one, other in pairs) > float(EPSILON) + 1


def test_a_flipped_phenotype_changes_one_of_three_numbers_by_one_and_no_total() -> None:
    """The loss of Laplace noise is rate times the L1 distance of what noise is added to; totals are told as they are."""
    plan = replace(tiny_plan(PEOPLE, 1, "dominant", "score"), missing="cell")
    mechanism = SnpPvalMechanism(plan, SnpPval("rs0", "score", EPSILON))
    guarantee = mechanism.guarantee
    assert (guarantee.cost, guarantee.relation) == (Epsilon(EPSILON), REPLACE_PHENOTYPE)
    assert guarantee.event == DiscreteLaplaceNoise(1 / EPSILON, Fraction(1))
    worst = Fraction(0)
    for study in studies():
        ((_, ((kind, rate, before),)),) = distribution_of(mechanism.draw, study).values()
        assert (kind, rate) == ("laplace", EPSILON)
        for person in range(PEOPLE):
            flipped = study.cases.copy()
            flipped[person] = not flipped[person]
            other = SmallStudy(study.copies, flipped, "dominant", apart=True)
            ((_, ((_, _, after),)),) = distribution_of(mechanism.draw, other).values()
            cases, controls = np.array(before).reshape(2, 3) - np.array(after).reshape(2, 3)
            assert not (cases + controls).any()
            worst = max(worst, rate * int(np.abs(cases).sum()))
    assert worst == EPSILON


@pytest.mark.parametrize("test", ["g", "score"])
def test_with_a_huge_epsilon_counts_are_exact(test: str) -> None:
    plan = replace(tiny_plan(PEOPLE, 1, "dominant", test), missing="cell")
    for study in studies()[::40]:
        drawn = SnpPvalMechanism(plan, SnpPval("rs0", test, HUGE)).draw(study)
        assert drawn.counts == tuple(study.tables()[0].tolist())
