"""Every query's whole distribution on all studies of a tiny size, and its privacy ratio over all neighbours: computed, not sampled."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import log
from typing import Any

import numpy as np
import pytest

from starling.audit import exact
from starling.genome.mechanism.explore import ExploreMechanism
from starling.genome.mechanism.noisy_tables import SnpCorrMechanism, SnpPvalMechanism
from starling.genome.mechanism.selections import LocBlockMechanism, LocSigMechanism, NumSigMechanism
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, SnpCorr, SnpPval
from starling.genome.plan.distances import signed_distances
from starling.privacy.budget import Epsilon
from starling.privacy.neighbours import REPLACE_PERSON, REPLACE_PHENOTYPE
from tests.genome.mechanism.distributions import TinyStudy, distribution_of, loss, tiny_plan, tiny_studies, worst_loss

EPSILON = Fraction(6)
"""Large, so that the losses of so few candidates come near to it and a mutant shows."""
ROUNDING = 1e-9
SHOWN = float(EPSILON) + 0.01
"""A loss that shows a mutant."""
THIRD = Fraction(1, 3)
QUERIES: dict[str, tuple[type, Any, int, int]] = {
    "num_sig": (NumSigMechanism, NumSig("g", 1, EPSILON, "exponential"), 4, 2),
    "loc_sig": (LocSigMechanism, LocSig("g", 2, EPSILON), 3, 3),
    "loc_sig, one": (LocSigMechanism, LocSig("g", 1, EPSILON), 4, 2),
    "loc_block": (LocBlockMechanism, LocBlock("r2", THIRD, ("rs0",), EPSILON), 4, 2),
    "loc_block, D'": (LocBlockMechanism, LocBlock("dprime", Fraction(1, 2), ("rs0", "rs1"), EPSILON), 4, 2),
    "snp_pval": (SnpPvalMechanism, SnpPval("rs0", "g", EPSILON), 4, 2),
    "snp_pval, laplace": (SnpPvalMechanism, SnpPval("rs1", "g", EPSILON, "laplace"), 4, 2),
    "snp_corr": (SnpCorrMechanism, SnpCorr("rs0", "rs1", "r2", EPSILON), 4, 2),
    "snp_corr, laplace": (SnpCorrMechanism, SnpCorr("rs0", "rs1", "r2", EPSILON, "laplace"), 4, 2),
    "explore": (ExploreMechanism, Explore("g", "r2", THIRD, EPSILON), 3, 2),
    "explore, independent": (ExploreMechanism, Explore("g", "r2", THIRD, EPSILON, independent=True), 3, 2),
}


FEW = ("loc_sig",)
"""Three people cannot move three SNPs far enough for a mutant to show; twelve can."""


@pytest.mark.series(1)
@pytest.mark.parametrize(
    ("kind", "query", "model"),
    [
        (NumSigMechanism, NumSig("score", 1, EPSILON), "dominant"),
        (LocSigMechanism, LocSig("score", 2, EPSILON), "additive"),
    ],
    ids=["num_sig", "loc_sig"],
)
def test_neighbours_by_a_phenotype_are_answered_alike(kind: type, query: Any, model: Any) -> None:
    """All phenotypes of seven people with a covariate, over all neighbours; with twice the epsilon the loss is above."""
    people, snps = 7, 3
    plan = tiny_plan(people, snps, model, "score", p=Fraction(1, 5))
    guarantee = kind(plan, query).guarantee
    assert (guarantee.cost, guarantee.relation) == (Epsilon(EPSILON), REPLACE_PHENOTYPE)
    copies = np.random.default_rng(2).permuted(np.tile([0, 0, 0, 1, 2, 2, 2], (snps, 1)), axis=1).T
    numbers = np.arange(1 << people)
    studies = [TinyStudy(copies, (number >> np.arange(people) & 1).astype(bool), model) for number in numbers]

    def worst(draw: Callable[[TinyStudy], Any]) -> float:
        told = [distribution_of(draw, study) for study in studies]
        pairs = ((number, number ^ (1 << person)) for number in numbers for person in range(people))
        return max(loss(told[one], told[other]) for one, other in pairs if one < other)

    assert worst(drawing(kind, query, plan)) <= float(EPSILON) + ROUNDING
    assert worst(drawing(kind, replace(query, epsilon=3 * EPSILON), plan)) > SHOWN


def random_neighbours(people: int, snps: int) -> list[tuple[TinyStudy, TinyStudy]]:
    """Some pairs of studies that differ by one person; many of the same genotype, so that distances are far from 0."""
    random = np.random.default_rng(5)
    pairs = []
    for _ in range(200):
        cases = random.random(people) < 0.5
        copies = ((random.random((people, snps)) < 0.15) ^ cases[:, np.newaxis] ^ (random.random(snps) < 0.5)).astype(
            np.int8
        )
        other = copies.copy()
        other[0] = 1 - copies[0]
        pairs.append((TinyStudy(copies, cases, "dominant"), TinyStudy(other, cases, "dominant")))
    return pairs


def drawing(kind: type, query: Any, plan: Any) -> Callable[[TinyStudy], Any]:
    return kind(plan, query).draw  # type: ignore[no-any-return]


@pytest.mark.series(1)
@pytest.mark.parametrize("name", QUERIES)
def test_neighbours_are_answered_alike_and_a_mutant_is_not(name: str) -> None:
    """The loss is at most the cost that the guarantee states; with twice the epsilon, or half the sensitivity, it is above."""
    kind, query, people, snps = QUERIES[name]
    plan, studies = tiny_plan(people, snps), tiny_studies(people, snps)
    guarantee = kind(plan, query).guarantee
    assert (guarantee.cost, guarantee.relation) == (Epsilon(EPSILON), REPLACE_PERSON)
    assert worst_loss(drawing(kind, query, plan), studies, people) <= float(EPSILON) + ROUNDING
    mutant = drawing(kind, replace(query, epsilon=2 * EPSILON), plan)
    if name in FEW:
        mutant = drawing(kind, replace(query, epsilon=2 * EPSILON), tiny_plan(12, snps))
        found = max(
            loss(distribution_of(mutant, a), distribution_of(mutant, b)) for a, b in random_neighbours(12, snps)
        )
    else:
        found = worst_loss(mutant, studies, people, enough=SHOWN)
    assert found > SHOWN


@pytest.mark.series(2)
@pytest.mark.parametrize("name", ["num_sig", "snp_pval", "snp_pval, laplace"])
@pytest.mark.parametrize(
    ("model", "test"), [("recessive", "g"), ("genotypic", "g"), ("genotypic", "trend"), ("allelic", "g")]
)
def test_the_other_models_too(name: str, model: Any, test: str) -> None:
    kind, query, _, _ = QUERIES[name]
    query = replace(query, test=test)
    if name == "snp_pval, laplace":
        query = replace(query, snp="rs0")
    plan, studies = tiny_plan(7, 1, model, test, p=Fraction(1, 50)), tiny_studies(7, 1, model)
    assert worst_loss(drawing(kind, query, plan), studies, 7) <= float(EPSILON) + ROUNDING
    mutant = drawing(kind, replace(query, epsilon=2 * EPSILON), plan)
    assert worst_loss(mutant, studies, 7, enough=SHOWN) > SHOWN


@pytest.mark.slow
def test_permute_and_flip_is_private_and_better() -> None:
    plan, studies = tiny_plan(4, 2), tiny_studies(4, 2)
    query = NumSig("g", 1, EPSILON)
    flips = NumSigMechanism(plan, query)
    assert worst_loss(flips.draw, studies, 4) <= float(EPSILON) + ROUNDING
    mutant = NumSigMechanism(plan, replace(query, epsilon=2 * EPSILON))
    assert worst_loss(mutant.draw, studies, 4, enough=SHOWN) > SHOWN
    better = 0
    for study in studies:
        published = distribution_of(NumSigMechanism(plan, replace(query, selection="exponential")).draw, study)
        flipped = distribution_of(flips.draw, study)
        likeliest = max(published, key=lambda answer: published[answer][0])
        assert flipped[likeliest][0] >= published[likeliest][0] - ROUNDING
        better += flipped[likeliest][0] > published[likeliest][0] + 1e-3
    assert better > 0.9 * len(studies)


def test_the_distributions_are_those_of_the_audit() -> None:
    """The doubles of `distributions` against balls."""
    plan = tiny_plan(4, 3)
    random = np.random.default_rng(3)
    study = TinyStudy(random.integers(0, 2, (4, 3)).astype(np.int8), random.random(4) < 0.5, "dominant")
    distribution = distribution_of(LocSigMechanism(plan, LocSig("g", 2, EPSILON)).draw, study)
    scores = -signed_distances(plan, study.tables(), "g")
    wanted = exact.exponential_distribution(scores.tolist(), EPSILON, k=2)
    found = {tuple(int(name[2:]) for name in answer.snps): found_log for answer, (found_log, _) in distribution.items()}
    assert found == pytest.approx({order: log(float(chance)) for order, chance in wanted.items()}, abs=1e-12)
