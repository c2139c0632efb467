"""The domain of genomes, as the registry of domains gives it to the frame."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starling.errors import ParameterError, StarlingWarning
from starling.genome.plan.grammar import PLAN
from starling.lazy import later
from starling.release.domain import Delivering, Domain, Invented, Verbs

if TYPE_CHECKING:
    from starling.genome.generate import Linkage
    from starling.genome.plan import Plan
    from starling.genome.plan.queries import Correlation
    from starling.genome.preview.page import ExpectedErrors
    from starling.release.described import Generated
    from starling.release.plots import Plots


def _invent(plan: str, _: Mapping[str, Path], folder: Path) -> Invented:
    from starling.genome.generate.standing_in import stand_in

    written, files = stand_in(plan, folder)
    return Invented(str(written), files)


def _plan(plan: str) -> "Plan":
    from starling.genome.plan import Plan

    return Plan.load(plan)


def _preview(  # noqa: PLR0913 - one for each option
    plan: str,
    *,
    question: str | None,
    costs: Sequence[Fraction],
    test: str | None,
    k: int,
    regions: str | None,
    prevalence_epsilon: str | None,
    median_epsilon: str | None,
    corr: "Correlation",
    delta_c: Fraction,
    longest: int | None,
    most: int,
    cases: int | None,
    rarest: str,
    error: str | None,
) -> "ExpectedErrors":
    """Of one question, or of each that the plan has: those that it has not are named by a warning."""
    from starling.genome.plan import (
        Explore,
        ExploreEffects,
        LocBlock,
        LocSig,
        NumSig,
        Plan,
        Scan,
        SnpCorr,
        SnpEffects,
        SnpPval,
    )
    from starling.genome.plan.exploring import regions_of
    from starling.genome.plan.missing import kinds_of
    from starling.genome.preview.expected import check, epsilon_for
    from starling.genome.preview.page import expected_errors
    from starling.genome.preview.typical import Assumed
    from starling.privacy.budget import Epsilon, exact
    from starling.privacy.most import warn_of_large

    for cost in costs:
        warn_of_large(Epsilon(cost))
    chosen = Plan.load(plan)
    assumed = Assumed.of(chosen, cases, rarest)
    searched, named = test or chosen.first_test, regions_of(chosen, regions)
    paid = None if prevalence_epsilon is None else exact(prevalence_epsilon, field="--prevalence-epsilon")
    median = None if median_epsilon is None else exact(median_epsilon, field="--median-epsilon")
    first, last, one = chosen.snps.ids[0], chosen.snps.ids[-1], costs[0]
    every: dict[str, Any] = {
        "num-sig": NumSig(searched, k, one, prevalence_epsilon=paid),
        "loc-sig": LocSig(searched, k, one, named, prevalence_epsilon=paid),
        "loc-block": LocBlock(corr, delta_c, (), one, named, longest),
        "snp-pval": SnpPval(first, searched, one),
        "snp-corr": SnpCorr(first, last, corr, one),
        "explore": Explore(searched, corr, delta_c, one, named, longest, most),
        "scan": Scan(one, median_epsilon=median),
        "snp-effects": SnpEffects(chosen.snps.ids[:k], one),
        "explore-effects": ExploreEffects(searched, one, named, most, prevalence_epsilon=paid),
    }
    if question is not None:
        errors = expected_errors(assumed, {question: every[question]}, costs, followed=k)
        if error is None:
            return errors
        wanted = exact(error, field="--error")
        least = epsilon_for(assumed, every[question], wanted, followed=k, field="--error")
        return replace(errors, wanted=(wanted, least))
    possible = {}
    for name, query in every.items():
        if chosen.unit == "person" and query.kind not in kinds_of(chosen):
            continue
        try:
            check(assumed, query)
        except ParameterError as missing:
            warnings.warn(StarlingWarning(f"{name} is left out: {missing}"), stacklevel=1)
        else:
            possible[name] = query
    return expected_errors(assumed, possible, costs, followed=k)


def _generate(
    plan: str | None,
    *,
    out: Path,
    seed: int,
    people: int | None,
    snps: int | None,
    cases: int | None,
    causal: Mapping[str, float],
    linkage: "Linkage",
    populations: int,
) -> "Generated":
    """A study of a plan, or of so many people and SNPs with a plan of its own."""
    from starling.genome.generate import generate
    from starling.genome.generate.standing_in import invent
    from starling.genome.plan import Plan

    if plan is not None:
        if people is not None or snps is not None or populations > 1:
            raise ParameterError("plan", "says the people and SNPs", "give PLAN, or --people and --snps")
        return invent(Plan.load(plan), out, cases=cases, seed=seed, causal=causal)
    if people is None or snps is None:
        raise ParameterError("plan", "is missing, and so are people or SNPs", "give PLAN, or --people and --snps")
    return generate(
        people=people,
        snps=snps,
        seed=seed,
        out=out,
        cases=cases,
        causal=_numbered(causal),
        linkage=linkage,
        populations=populations,
    )


_DIGITS: Final = 9
"""Of a SNP's number, at most."""


def _numbered(causal: Mapping[str, float]) -> dict[int, float]:
    """Causal SNPs of a study without a plan, which are called s1, s2 and so on, by number."""
    numbers = [name.removeprefix("s") for name in causal]
    if not all(number.isascii() and number.isdecimal() and len(number) <= _DIGITS for number in numbers):
        raise ParameterError("causal", "names a SNP that is not s and a number", "write it like s10:2.5")
    effects = {int(number): ratio for number, ratio in zip(numbers, causal.values(), strict=True)}
    if len(effects) < len(causal):
        raise ParameterError("causal", "names a SNP twice", "name each once")
    return effects


def _plot(releases: Iterator[Any], *, kinds: Sequence[str]) -> "Plots":
    from starling.genome.analysis import plots_of

    return plots_of(releases, kinds)


GENOME: Final = Domain(
    "genome",
    later("starling.genome.publication:CHECKS"),
    later("starling.genome.publication:reopened"),
    later("starling.genome.analysis:opened"),
    Verbs(_plan, _preview, None, _generate, _plot),
    Delivering(
        ("genotypes",),
        later("starling.genome.publish:deliver"),
        asking=later("starling.genome.asking:read_asked"),
        optional=("phenotype", "covariates", "sample"),
        invent=_invent,
    ),
    {"genome": PLAN},
)
