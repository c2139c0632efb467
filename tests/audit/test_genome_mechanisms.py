"""The pairs are neighbours, their counts are those of the studies, and every question that may be asked is among the cases."""

import numpy as np
import pytest

from starling.audit.case import Case
from starling.audit.falsifier import falsify
from starling.audit.genome_mechanisms import DECLARED, SmallStudy
from starling.genome.plan.choices import QUESTIONS
from starling.privacy.budget import Epsilon

SNPS = {"snp_pval": 1, "snp_corr": 2, "loc_block": 3}


def kind(case: Case) -> str:
    return case.name.split(",")[0].split(" ")[0]


@pytest.mark.parametrize("case", DECLARED, ids=lambda case: case.name)
def test_the_pairs_differ_by_the_last_patient(case: Case) -> None:
    changed = np.flatnonzero(np.array(case.left) != np.array(case.right))
    snps = SNPS.get(kind(case), 6)
    assert len(case.left) % (snps + 1) == 0
    assert changed.min() >= len(case.left) - snps - 1


def test_every_question_is_audited() -> None:
    assert {kind(case) for case in DECLARED} == set(QUESTIONS)


def test_tables_are_counted() -> None:
    copies = np.array([[0, 2], [1, 0], [2, 2], [0, 1]])
    cases = np.array([True, True, False, False])
    assert SmallStudy(copies, cases, "dominant").tables().tolist() == [[1, 1, 1, 1], [1, 1, 2, 0]]
    lacking = np.array([[0], [-1], [2], [-1]])
    assert SmallStudy(lacking, cases, "dominant", apart=True).tables().tolist() == [[0, 1, 1, 1, 0, 1]]
    assert SmallStudy(copies, cases, "genotypic").tables(np.array([1])).tolist() == [[1, 0, 1, 0, 1, 1]]
    assert SmallStudy(copies, cases, "dominant").pair_tables(np.array([[0, 1]])).tolist() == [[1, 1, 2, 0]]


@pytest.mark.series(1)
@pytest.mark.statistical
@pytest.mark.parametrize(
    "name",
    [
        "num_sig",
        "loc_sig, phenotypes",
        "snp_pval, missing calls",
        "snp_pval, phenotypes",
        "snp_corr, Laplace",
        "loc_block, D'",
        "scan, five intervals",
        "scan, a median",
    ],
)
def test_the_claim_stands_and_a_third_of_it_does_not(name: str) -> None:
    """False alarm at most 1e-6 each; that a third is refuted shows that the audit sees what a patient changes."""
    case = next(case for case in DECLARED if case.name == name)
    finding = falsify(*case.samplers(), case.draws, goal=case.goal)
    assert not finding.refutes(case.claim)
    assert finding.refutes(Epsilon(case.claim.amount / 3))
