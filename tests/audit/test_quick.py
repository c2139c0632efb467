"""The quick audit: what is right stands, mutants are caught, and what is wrong is reported as such."""

from dataclasses import replace
from fractions import Fraction

import pytest

from starling.audit import (
    areas_mechanisms,
    core_cases,
    fit,
    flows_mechanisms,
    genome_cases,
    genome_mechanisms,
    groups_cases,
    groups_mechanisms,
    places_mechanisms,
    quick,
    tables_mechanisms,
    trips_mechanisms,
)
from starling.audit.fit import laplace
from starling.privacy.budget import Epsilon

MUTANT = core_cases.MUTANTS[0]
RIGHT = core_cases.MECHANISMS[0]


def test_every_mechanism_and_every_mutant_is_checked() -> None:
    names = [name for name, _ in quick.checks()]
    parts = (
        fit.STATED,
        core_cases.MECHANISMS,
        tables_mechanisms.DECLARED,
        genome_mechanisms.DECLARED,
        groups_mechanisms.DECLARED,
        places_mechanisms.DECLARED,
        flows_mechanisms.DECLARED,
        areas_mechanisms.DECLARED,
        trips_mechanisms.DECLARED,
    )
    mutants = (
        fit.MISSTATED,
        core_cases.MUTANTS,
        genome_cases.MUTANTS,
        groups_cases.MUTANTS,
        groups_mechanisms.MUTANTS,
        places_mechanisms.MUTANTS,
        flows_mechanisms.MUTANTS,
        areas_mechanisms.MUTANTS,
        trips_mechanisms.MUTANTS,
    )
    assert names == [each.name for part in (*parts, *mutants) for each in part]


@pytest.mark.statistical
def test_a_right_mechanism_stands_and_a_mutant_is_caught() -> None:
    """False alarm at most 1e-6 each; mutants are missed in three tries with a chance below 1e-8: already the bound of the
    first lies six deviations above the claim."""
    assert quick.check_case(RIGHT).passed
    assert quick.check_case(MUTANT).passed
    assert quick.check_distribution(laplace(Fraction(1))).passed
    assert quick.check_distribution(fit.MISSTATED[0]).passed


@pytest.mark.statistical
def test_a_mutant_that_passes_for_right_is_refuted_and_a_right_one_is_no_mutant() -> None:
    refuted = quick.check_case(replace(MUTANT, flaw=""))
    assert not refuted.passed
    assert refuted.estimate is not None
    assert refuted.estimate > MUTANT.claim.amount
    missed = quick.check_case(replace(RIGHT, flaw="none", draws=100))
    assert not missed.passed
    assert missed.draws == 400


@pytest.mark.statistical
def test_another_distribution_and_a_claim_too_low_are_refuted() -> None:
    assert not quick.check_distribution(replace(fit.MISSTATED[0], flaw="")).passed
    assert not quick.check_distribution(replace(laplace(Fraction(1)), claim=Epsilon(Fraction(9, 10)))).passed
    assert not quick.check_distribution(replace(laplace(Fraction(1)), flaw="none", draws=1_000)).passed
