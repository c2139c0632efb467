"""The audit in its quick form: what is declared against what is drawn, and mutants that must be caught, in under a minute.

Three kinds of checks. A distribution: its cost for neighbours is computed from its definition with certified arithmetic and compared with
what is declared, and draws are compared with it. A bound: the falsifier looks for a certified lower bound of a mechanism's cost that is
above what it declares; it sees any claim below the bound that it found. A mutant: a mechanism that is wrong on purpose, which the same
check must catch, since a check that has never failed anything proves nothing.

A right mechanism fails with a chance of at most FALSE_ALARM in each check. A mutant that was missed is tried again with twice the draws; a
first try misses it with a chance of 0.1 at most.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal, TypeAlias

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
    tables_mechanisms,
    trips_mechanisms,
)
from starling.audit.case import Case
from starling.audit.falsifier import falsify
from starling.audit.fit import Stated
from starling.privacy.budget import Cost

Kind: TypeAlias = Literal["distribution", "bound", "mutant"]

FALSE_ALARM: Final = 1e-6
TRIES: Final = 3
"""How often a mutant is tried before it counts as missed."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one check found.

    Attributes:
        kind: "distribution" and "bound" of a mechanism that is released; "mutant" of one that is wrong on purpose.
        flaw: What is wrong with a mutant; empty for the others.
        estimate: At least what it costs on the pair of neighbours: computed for a distribution, certified from draws for others. None for
            a mutant that is recognised by its distribution.
        resolution: The relative error of the likeliest outcome that a comparison with a distribution sees with a chance of 0.9.
        draws: How many draws were looked at, from each of two neighbours where there are two.
        passed: Whether the declared cost and distribution stand; of a mutant, whether it was caught.
    """

    kind: Kind
    name: str
    flaw: str
    declared: Cost
    estimate: float | None
    resolution: float | None
    draws: int
    passed: bool


Check: TypeAlias = Callable[[], Result]


def checks() -> Iterator[tuple[str, Check]]:
    """Every check with its name, in the order in which they are shown."""
    right = (
        *core_cases.MECHANISMS,
        *tables_mechanisms.DECLARED,
        *genome_mechanisms.DECLARED,
        *groups_mechanisms.DECLARED,
        *places_mechanisms.DECLARED,
        *flows_mechanisms.DECLARED,
        *areas_mechanisms.DECLARED,
        *trips_mechanisms.DECLARED,
    )
    mutants = (
        *core_cases.MUTANTS,
        *genome_cases.MUTANTS,
        *groups_cases.MUTANTS,
        *groups_mechanisms.MUTANTS,
        *places_mechanisms.MUTANTS,
        *flows_mechanisms.MUTANTS,
        *areas_mechanisms.MUTANTS,
        *trips_mechanisms.MUTANTS,
    )
    for distributions, cases in ((fit.STATED, right), (fit.MISSTATED, mutants)):
        yield from ((stated.name, partial(check_distribution, stated)) for stated in distributions)
        yield from ((case.name, partial(check_case, case)) for case in cases)


def check_distribution(stated: Stated, tries: int = TRIES) -> Result:
    """Whether draws fit the stated distribution, and its cost is what is declared; of a mutant, whether draws are seen not to fit."""
    result = fit.fit(stated, false_alarm=FALSE_ALARM)
    if not stated.flaw:
        cost = stated.cost().low
        passed = cost <= stated.claim.amount and result.wrong is None
        return Result("distribution", stated.name, "", stated.claim, cost, result.resolution, stated.draws, passed)
    caught = result.wrong is not None
    if not caught and tries > 1:
        return check_distribution(replace(stated, draws=2 * stated.draws), tries - 1)
    return Result("mutant", stated.name, stated.flaw, stated.claim, None, result.resolution, stated.draws, caught)


def check_case(case: Case, tries: int = TRIES) -> Result:
    """Whether the falsifier leaves the declared cost standing; of a mutant, whether it refutes that."""
    finding = falsify(*case.samplers(), case.draws, goal=case.goal, false_alarm=FALSE_ALARM)
    passed = finding.refutes(case.claim) == bool(case.flaw)
    if case.flaw and not passed and tries > 1:
        return check_case(replace(case, draws=2 * case.draws), tries - 1)
    kind: Kind = "mutant" if case.flaw else "bound"
    return Result(kind, case.name, case.flaw, case.claim, getattr(finding, case.goal), None, case.draws, passed)
