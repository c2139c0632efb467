"""Scans, or effects of SNPs, of several custodians, combined from their releases alone: nothing is read or charged."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np

from starling.errors import ParameterError
from starling.genome.analysis import GenomeRelease
from starling.genome.arrays import Int64
from starling.genome.artifact.scan_formats import of_effects
from starling.genome.combined import Combined, CombinedEffects
from starling.genome.derived import Origin
from starling.genome.inference.effects import noise_share
from starling.genome.inference.meta_analysis import Effects, analyse_together
from starling.genome.inference.scans import PLACES, ScanRows
from starling.genome.inference.slopes import slope_errors
from starling.genome.measurements import NoisyMoments, NoisyScores, Scanned
from starling.genome.plan import ExploreEffects, Plan, Scan, SnpEffects
from starling.genome.plan.intervals import median_value
from starling.genome.plan.sites import chromosome_order
from starling.genome.plan.snps import Snps
from starling.planfile.values import exact_text

ENOUGH: Final = 20
"""SNPs at which the frequencies of different people are never all alike."""


@dataclass(frozen=True, slots=True, eq=False)
class _Study:
    """What a release tells of SNPs.

    Attributes:
        effects: Of the SNPs, in the plan's order.
        rows: The same in the columns of a scan, with calls and frequencies.
        scale: What effects are of, as a message says it.
        linear: Whether they are no log odds.
    """

    effects: Effects
    rows: ScanRows
    scale: str
    linear: bool


def combine(releases: Iterable[GenomeRelease]) -> Combined:
    """Combine scans, or effects of SNPs, of different people, released by one custodian or several; free, nothing confidential is read.

    Args:
        releases: Opened scans, or effects of SNPs that were not chosen by their phenotypes (`starling.open_release`), of one model, at
            least two.

    Raises:
        ParameterError: a release is neither, or is there twice; kinds, models, scales, genome builds or whom they protect differ; effects
            are of SNPs that the same phenotypes named; two are of the same people; or no SNP is in two of them.
    """
    names: list[str] = []
    origins: list[Origin] = []
    studies: list[_Study] = []
    plans: list[Plan] = []
    seen: dict[Any, str] = {}
    for release in releases:
        name = release.path.name
        studies.append(_study(release))
        # What says whose release it is: its request, and its population in a ledger of several releases.
        entry = release.statement["account"]["ledger"]
        named = [] if entry is None or entry["inside"] else [(entry["signer"], entry["population"])]
        for people in (release.request_id, *named):
            if (other := seen.setdefault(people, name)) != name or name in names:
                problem = f"is of the people of {other}, who would count twice"
                raise ParameterError(name, problem, "name releases of different people")
        if plans:
            _check_alike(plans[0], release.plan, names[0], name)
            if studies[-1].scale != studies[0].scale:
                problem = f"is {studies[-1].scale}, and {names[0]} {studies[0].scale}"
                raise ParameterError(name, problem, "combine releases whose effects are on one scale")
        names.append(name)
        origins.append(Origin.of(release))
        plans.append(release.plan)
    of_copies = bool(plans) and plans[0].model == "additive"
    result = analyse_together([each.effects for each in studies], of_copies=of_copies)
    _check_people(names, [each.rows for each in studies], result.places)
    snps, order = _in_order([each.effects.snps for each in studies], result.places)
    result = result.taken(order)
    pairs = zip([each.rows for each in studies], result.places.T, strict=True)
    calls = sum(np.where(at >= 0, rows.calls[at], 0) for rows, at in pairs)
    kind = Combined if studies[0].effects.noise is None else CombinedEffects
    return kind(tuple(origins), tuple(plans), snps, result, np.asarray(calls, dtype=np.int64), studies[0].linear)


def _study(release: GenomeRelease) -> _Study:
    """What a release tells. Raises ParameterError where it is no scan and no effects, or of SNPs that its phenotypes named."""
    plan, question, drawn, rows = release.plan, release.question, release.drawn, release.estimated.rows
    name, linear = release.path.name, plan.between is not None
    if isinstance(question, Scan) and rows is not None:
        return _Study(Effects(plan.snps, rows.beta, rows.se), rows, _scale_of_scan(release), linear)
    if not isinstance(question, SnpEffects | ExploreEffects):
        fix = "name releases of starling genome scan, or of snp-effects"
        raise ParameterError(name, "is no scan, and no effects of SNPs", fix)
    if isinstance(question, ExploreEffects) or question.chosen:
        problem = "has effects of SNPs that its own phenotypes named, which are too far from none on average"
        raise ParameterError(name, problem, "name snp-effects of SNPs that other people named, without --chosen")
    exported = of_effects(plan, question, drawn)
    rows, snps = exported.rows, exported.plan.snps
    order = np.array([question.snps.index(snp) for snp in snps.ids], dtype=np.int64)
    errors, noise = rows.se, np.zeros(len(rows.se))
    if isinstance(drawn, NoisyMoments):
        errors, noise = (each[order] for each in slope_errors(plan, question, drawn))
    elif isinstance(drawn, NoisyScores):
        noise += noise_share(plan, question, drawn)
    scale = "effects by odds ratios"
    if exported.linear:
        scale = "effects by shares of cases"
    if plan.between is not None:
        low, high = map(exact_text, plan.between)
        scale = f"effects by a phenotype from {low} to {high}"
    return _Study(Effects(snps, rows.beta, errors, noise), rows, scale, exported.linear)


def _check_people(names: Sequence[str], scans: Sequence[ScanRows], places: Int64) -> None:
    """Raises ParameterError where two scans have the same calls and frequencies: they are of the same people, who would count twice."""
    for (first, at), (second, other) in combinations(enumerate(places.T), 2):
        shared = (at >= 0) & (other >= 0)
        rows = ((scans[first], at[shared]), (scans[second], other[shared]))
        calls, frequencies = ([of.calls[place] for of, place in rows], [of.frequencies[place] for of, place in rows])
        rarer = [np.minimum(each, 1 - each) for each in frequencies]
        alike = np.array_equal(calls[0], calls[1]) and np.allclose(rarer[0], rarer[1], rtol=0, atol=10.0**-PLACES)
        if alike and shared.sum() >= ENOUGH:
            alike_at = f"the allele frequencies of {names[first]} at {int(shared.sum()):,} SNPs"
            problem = f"has {alike_at}: both are of the same people"
            raise ParameterError(names[second], problem, "name releases of different people")


def _in_order(lists: Sequence[Snps], places: Int64) -> tuple[Snps, Int64]:
    """The SNPs that studies tell of, in the order of the genome, each as the first study has it; and their order, int64 (m,)."""
    first = (places >= 0).argmax(axis=1)
    rows = places[np.arange(len(first)), first]
    where = [(lists[study], row) for study, row in zip(first.tolist(), rows.tolist(), strict=True)]
    keys = [(chromosome_order(snps.chromosomes[row]), int(snps.positions[row])) for snps, row in where]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    listed = [where[at] for at in order]
    snps = Snps(
        tuple(snps.ids[row] for snps, row in listed),
        tuple(snps.chromosomes[row] for snps, row in listed),
        np.array([keys[at][1] for at in order], dtype=np.int64),
        tuple(snps.carried[row] for snps, row in listed),
        tuple(snps.other[row] for snps, row in listed),
    )
    return snps, np.array(order, dtype=np.int64)


def _scale_of_scan(release: GenomeRelease) -> str:
    """What effects of a scan are of: cases and controls, or intervals, by range, number and median."""
    if release.plan.between is None:
        return "a scan of cases and controls"
    low, high = map(exact_text, release.plan.between)
    assert isinstance(release.question, Scan)
    assert isinstance(release.drawn, Scanned)
    about = ""
    if release.drawn.median is not None:
        about = f" about {float(median_value(release.plan, release.drawn.median)):z.6g}"
    return f"a scan of a phenotype from {low} to {high} in {release.question.values} intervals{about}"


def _check_alike(first: Plan, plan: Plan, first_name: str, name: str) -> None:
    """Raises ParameterError where models, builds or whom the plans protect differ."""
    if plan.unit != first.unit:
        problem = f"protects each {plan.unit}, and {first_name} each {first.unit}"
        raise ParameterError(name, problem, "combine releases that protect alike")
    if plan.model != first.model:
        problem = f"has the {plan.model} model, and {first_name} the {first.model} one"
        raise ParameterError(name, problem, "combine releases of one model")
    if plan.build and first.build and plan.build != first.build:
        problem = f"has positions of {plan.build}, and {first_name} of {first.build}"
        raise ParameterError(name, problem, "combine releases of one genome build")
