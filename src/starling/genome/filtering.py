"""A released scan once more, from the release alone: some of its SNPs, by another threshold, with regions, lambda and pictures anew.

Privacy. Everything is post-processing of what the release holds: nothing is read besides, and nothing is charged. Frequencies and calls of
a scan are exact and tell nothing of phenotypes, so that a choice by them keeps p-values what they are. The threshold stays that of the
whole scan where no other is named: whoever picks SNPs after a look at the scan gains nothing by it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from starling.errors import ParameterError
from starling.genome.arrays import Flags
from starling.genome.artifact.tables import filled
from starling.genome.derived import Derived, Origin
from starling.genome.distance.constants import LARGEST_P, SMALLEST_P
from starling.genome.export import Format, export
from starling.genome.measurements import Scanned, SnpScores
from starling.genome.pictures.answers import Answers, answers
from starling.genome.plan import Plan, Scan
from starling.genome.plan.sites import chromosome
from starling.genome.postprocess.estimates import Estimated, ScanAnswer, estimate
from starling.genome.postprocess.wording import answer_text, error_text
from starling.planfile.spelling import shown
from starling.planfile.values import exact_text
from starling.privacy.budget import Exact, check_int, exact
from starling.release.codec import Json

if TYPE_CHECKING:
    from starling.genome.analysis import GenomeRelease

_MOST_FREQUENT: Final = Fraction(1, 2)
"""Of the rarer allele."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FilteredScan(Derived):
    """Some SNPs of a released scan, as `GenomeRelease.filter` chooses them.

    Attributes:
        origins: The release that it is of.
        plan: Its plan with the SNPs that are left; `p_threshold` is the threshold.
        question: What was asked.
        drawn: The scores of these SNPs, and of all people how many answers are yes.
        estimated: What they tell.
        listed: SNPs of the whole scan.
        chosen: Regions, least frequency and least calls, as they were asked for.
        day: Of the release, such as 2026-01-31.
    """

    origins: tuple[Origin, ...]
    plan: Plan
    question: Scan
    drawn: Scanned
    estimated: Estimated
    listed: int
    chosen: dict[str, Json]
    day: str

    @property
    def answer(self) -> ScanAnswer:
        """How many SNPs are at or below the threshold, lambda and regions."""
        answer = self.estimated.answer
        assert isinstance(answer, ScanAnswer)
        return answer

    @property
    def tables(self) -> dict[str, pa.Table]:
        """The tables `scan` and `regions`, as a release has them."""
        return filled(self.plan, self.question, self.estimated)

    @property
    def pictured(self) -> Answers:
        """What pictures show."""
        return answers(self.plan, self.estimated.answer, rows=self.estimated.rows)

    def export(self, path: str | Path, form: Format = "gwas-ssf") -> tuple[Path, ...]:
        """Write these SNPs as a file of another format, as `GenomeRelease.export` does."""
        return export(self.plan, self.question, self.drawn, Path(path).absolute(), form, day=self.day)

    def _choices(self) -> dict[str, Json]:
        return {**self.chosen, "threshold": exact_text(self.plan.p_threshold), "snps": len(self.plan.snps)}

    def _sentences(self) -> list[str]:
        threshold = f"The threshold is {float(self.plan.p_threshold):z.3g}."
        left = f"{len(self.plan.snps):,} of {self.listed:,} SNPs of the scan are left. {threshold}"
        first, *rest = answer_text(self.plan, self.question, self.estimated.answer)
        return [first, left, *rest, *error_text(self.plan, self.question, self.estimated.error)]

    def _facts(self) -> list[tuple[str, str]]:
        (origin,) = self.origins
        rows = [("" if at else "answer", sentence) for at, sentence in enumerate(self._sentences())]
        source = f"{origin.name}, request {origin.request_id}, manifest {origin.manifest_sha256[:16]}"
        return [("study", self.plan.title), *rows, ("from", source), ("charged", "nothing")]

    def as_json(self) -> dict[str, Json]:
        """The release, the choices, and what they leave."""
        return {
            "release": self.origins[0].name,
            "request_id": self.origins[0].request_id,
            "manifest_sha256": self.origins[0].manifest_sha256,
            **self._choices(),
            "significant": self.answer.significant,
            "inflation": self.answer.inflation,
            "regions": len(self.answer.regions),
        }


def filtered(
    release: "GenomeRelease", regions: Iterable[str], min_frequency: Exact, min_calls: int, threshold: Exact | None
) -> FilteredScan:
    """Some SNPs of a released scan; arguments and errors are those of `GenomeRelease.filter`."""
    plan, question, drawn = release.plan, release.question, release.drawn
    if not (isinstance(question, Scan) and isinstance(drawn, Scanned)):
        raise ParameterError(release.path.name, "is no scan", "name a release of starling genome scan")
    named = (regions,) if isinstance(regions, str) else tuple(regions)
    least = exact(min_frequency, field="min_frequency")
    check_int(min_calls, field="min_calls")
    if not 0 <= least <= _MOST_FREQUENT:
        raise ParameterError("min_frequency", "is not 0 to 0.5", 'give that of the rarer allele, such as "0.01"')
    if not 0 <= min_calls <= plan.people:
        raise ParameterError("min_calls", f"is not 0 to {plan.people}", "give a number of people")
    limit = plan.p_threshold if threshold is None else exact(threshold, field="threshold", exponent=True)
    if not SMALLEST_P <= limit <= LARGEST_P:
        raise ParameterError("threshold", "is not from 1e-250 to 0.3", 'give a p-value such as "5e-8"')
    tests = drawn.tests
    rarer = np.minimum(tests.frequencies, 1 - tests.frequencies)
    at = np.flatnonzero(_within(plan, named) & (rarer >= float(least)) & (tests.calls >= min_calls))
    if not at.size:
        raise ParameterError("scan", "has no such SNP", "ask for less")
    left = plan.snps.taken(at)
    some = replace(drawn, tests=SnpScores._make((tests.adjusted, *(column[at] for column in tests[1:]))))
    # The plan of these SNPs: its alpha is such that alpha/m is the threshold, and its regions are whole chromosomes.
    of_left = replace(plan, snps=left, alpha=limit * len(left), regions=())
    chosen: dict[str, Json] = {"regions": list[Json](named), "min_frequency": exact_text(least), "min_calls": min_calls}
    day = str(release.statement["account"]["day"])
    estimated = estimate(of_left, question, some)
    return FilteredScan((Origin.of(release),), of_left, question, some, estimated, len(plan.snps), chosen, day)


def _within(plan: Plan, named: tuple[str, ...]) -> Flags:
    """Which SNPs lie in one of some regions, bool (m,); all of them where none is named."""
    inside = np.full(len(plan.snps), not named)
    for name in named:
        start, stop = plan.ranges[name] if name in plan.ranges else _range(plan, name)
        inside[start:stop] = True
    return inside


def _range(plan: Plan, name: str) -> tuple[int, int]:
    """The SNPs of a chromosome, or of a stretch such as 6:25000000-34000000."""
    place, colon, ends = name.partition(":")
    low, dash, high = ends.replace(",", "").partition("-")
    whole = not colon
    right = whole or bool(dash and all(end.isascii() and end.isdecimal() and len(end) < 11 for end in (low, high)))
    if not right or chromosome(place) not in plan.snps.chromosome_ranges:
        problem = f"{shown(name)} is no region of the plan, no chromosome of its SNPs, and no stretch of one"
        raise ParameterError("regions", problem, "write it like 6, or like 6:25000000-34000000")
    if whole:
        return plan.snps.chromosome_ranges[chromosome(place)]
    return plan.snps.within(chromosome(place), int(low), int(high))
