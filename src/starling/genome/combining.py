"""Scans of several custodians, combined from their releases alone: nothing is read or charged, and each study stays where it is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from starling.errors import ParameterError
from starling.genome.analysis import GenomeRelease
from starling.genome.arrays import Int64
from starling.genome.artifact.scans import region_columns, regions_of
from starling.genome.derived import SIGNS, Derived, Origin
from starling.genome.inference.meta_analysis import Effects, MetaAnalysis, analyse_together
from starling.genome.inference.scans import PLACES, Region, ScanRows, inflation, regions, significant
from starling.genome.measurements import Scanned
from starling.genome.pictures.answers import Answers
from starling.genome.plan import Plan, Scan
from starling.genome.plan.choices import UNPROTECTED
from starling.genome.plan.intervals import median_value
from starling.genome.plan.sites import chromosome_order
from starling.genome.plan.snps import Snps
from starling.genome.postprocess.wording import inflation_text, regions_text
from starling.genome.statistics.tails import chi_squared_log_tail
from starling.planfile.values import exact_text
from starling.release.codec import Json
from starling.release.session import Part

if TYPE_CHECKING:
    import pandas as pd

ENOUGH: Final = 20
"""SNPs at which the frequencies of different people are never all alike."""
MOST_SHOWN: Final = 10
"""SNPs that are shown, the smallest p-values first."""
_OF_INTERVALS: Final = "BETA is of the interval's score, in the unit of the phenotype, not the phenotype's own slope."
_LOG10: Final = float(np.log(10))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Combined(Derived):
    """The scans of several studies together, by inverse variance (fixed effects); SNPs in the order of the genome.

    Attributes:
        origins: The releases, in order.
        plans: The plan of each.
        snps: The SNPs that any study tells of; place and alleles are as the first study that has the SNP writes them.
        result: Effects, standard errors and heterogeneity of each of them.
        calls: People with a call, of all studies that tell of the SNP, int64 (m,).
    """

    origins: tuple[Origin, ...]
    plans: tuple[Plan, ...]
    snps: Snps
    result: MetaAnalysis
    calls: Int64

    @property
    def plan(self) -> Plan:
        """The first plan with the SNPs of all studies, by which its alpha is divided."""
        return replace(self.plans[0], snps=self.snps, regions=())

    @property
    def rows(self) -> ScanRows:
        """The numbers of every SNP, as those of one scan; frequencies are not told."""
        result, z = self.result, self.result.beta / self.result.standard_error
        log10_p = np.round(chi_squared_log_tail(z**2, 1) / _LOG10, PLACES)
        ends = (np.full(len(z), np.nan), result.low, result.high)
        if self.plans[0].between is None:
            ends = (np.exp(result.beta), np.exp(result.low), np.exp(result.high))
        return ScanRows(
            z,
            log10_p,
            10**log10_p,
            result.beta,
            result.standard_error,
            *ends,
            self.calls,
            np.full(len(z), np.nan),
        )

    @property
    def regions(self) -> tuple[Region, ...]:
        """Where SNPs are at or below alpha/m, m the SNPs of all studies."""
        return regions(self.plan, self.rows)

    @property
    def inflation(self) -> float | None:
        """Lambda."""
        return inflation(self.rows)

    @property
    def table(self) -> pa.Table:
        """A row for each SNP: where it is, effect with interval and p-value, its sign in each study, and how far studies differ.

        BETA and SE are of the log odds; of a quantitative phenotype they are of the interval's score, and there is no OR. P is two-sided,
        STUDIES is how many tell of the SNP, DIRECTION has "?" where one does not, and Q is Cochran's with its p-value P_Q.
        """
        snps, rows, result = self.snps, self.rows, self.result
        table = pa.table(
            {
                "CHR": snps.chromosomes,
                "SNP": snps.ids,
                "BP": snps.positions,
                "A1": snps.carried,
                "A2": snps.other,
                "OBS_CT": self.calls,
                "STUDIES": result.studies,
                SIGNS: result.directions,
                "BETA": rows.beta,
                "SE": rows.se,
                "OR": rows.odds_ratio,
                "L95": rows.low,
                "U95": rows.high,
                "P": rows.p,
                "LOG10_P": rows.log10_p,
                "Q": result.q,
                "P_Q": result.q_p,
                "I2": result.i_squared,
            }
        )
        return table if self.plans[0].between is None else table.drop_columns("OR")

    @property
    def tables(self) -> dict[str, pa.Table]:
        """The table of SNPs, and that of regions."""
        strongest = region_columns(self.regions)
        kinds = pa.schema([(name, kind) for name, (kind, _) in regions_of(self.plans[0]).items()])
        columns = {name: strongest[name] for name in kinds.names}
        return {"scan": self.table, "regions": pa.table(columns, schema=kinds)}

    @property
    def pictured(self) -> Answers:
        """What pictures show."""
        return Answers(self.plan, scan=self.rows, regions=self.regions)

    def to_pandas(self) -> "pd.DataFrame":
        """The table as a frame. Raises ImportError, which names the extra, without pandas."""
        return self.table.to_pandas()

    def _choices(self) -> dict[str, Json]:
        return {"method": "inverse variance", "threshold": exact_text(self.plan.p_threshold), "snps": len(self.snps)}

    def _sentences(self) -> list[str]:
        people, strongest = sum(plan.people for plan in self.plans), self.regions
        below = sum(region.snps for region in strongest)
        several = int((self.result.studies > 1).sum())
        names = ", ".join(origin.name for origin in self.origins)
        threshold = float(self.plan.p_threshold)
        together = f"{len(self.plans):,} studies of {people:,} people ({names}), combined by inverse variance"
        return [
            f"{UNPROTECTED}: each person's phenotype alone is.",
            f"{together}; standard errors hold sampling and coins of each study.",
            f"{below:,} of {len(self.snps):,} SNPs at or below {threshold:z.3g}; several studies tell of {several:,}.",
            *inflation_text(self.inflation),
            *([] if self.plans[0].between is None else [_OF_INTERVALS]),
            *regions_text(strongest),
        ]

    def _facts(self) -> list[tuple[str, str]]:
        rows = [("" if at else "answer", sentence) for at, sentence in enumerate(self._sentences())]
        return [("scans", f"{len(self.plans):,} studies"), *rows, ("charged", "nothing")]

    def _parts(self) -> list[Part]:
        """The SNPs with the smallest p-values."""
        table = self.table.sort_by("LOG10_P").slice(0, MOST_SHOWN)
        header = ("SNP", "OR" if self.plans[0].between is None else "BETA", "L95", "U95", "P", "STUDIES", SIGNS, "P_Q")
        columns = (table.column(name).to_pylist() for name in header)
        rows = [
            tuple(f"{value:z.4g}" if isinstance(value, float) else str(value) for value in row)
            for row in zip(*columns, strict=True)
        ]
        return [(header, rows)]

    def as_json(self) -> dict[str, Json]:
        """The studies, and what they tell together."""
        return {
            "studies": [origin.name for origin in self.origins],
            **self._choices(),
            "significant": int(np.count_nonzero(significant(self.plan, self.rows))),
            "inflation": self.inflation,
        }


def combine(releases: Iterable[GenomeRelease]) -> Combined:
    """Combine scans of different people, released by one custodian or several; free, and nothing confidential is read.

    Args:
        releases: Opened scans (`starling.open_release`) of one model, at least two.

    Raises:
        ParameterError: a release is no scan, or is there twice; models or genome builds differ; two are of the same people; or no SNP is
            in two of them.
    """
    names: list[str] = []
    origins: list[Origin] = []
    scans: list[ScanRows] = []
    plans: list[Plan] = []
    effects: list[Effects] = []
    seen: dict[Any, str] = {}
    first: GenomeRelease | None = None
    for release in releases:
        name, rows = release.path.name, release.estimated.rows
        if rows is None:
            raise ParameterError(name, "is no scan", "name releases of starling genome scan")
        for people in _people_of(release):
            if (other := seen.setdefault(people, name)) != name or name in names:
                problem = f"is of the people of {other}, who would count twice"
                raise ParameterError(name, problem, "name scans of different people")
        if first is not None:
            _check_alike(plans[0], release.plan, names[0], name)
            _check_scales(first, release, names[0])
        else:
            first = release
        names.append(name)
        origins.append(Origin.of(release))
        scans.append(rows)
        plans.append(release.plan)
        effects.append(Effects(release.plan.snps, rows.beta, rows.se))
    of_copies = bool(plans) and plans[0].model == "additive"
    result = analyse_together(effects, of_copies=of_copies)
    _check_people(names, scans, result.places)
    snps, order = _in_order([plan.snps for plan in plans], result.places)
    result = result.taken(order)
    calls = sum(np.where(at >= 0, rows.calls[at], 0) for rows, at in zip(scans, result.places.T, strict=True))
    return Combined(tuple(origins), tuple(plans), snps, result, np.asarray(calls, dtype=np.int64))


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
            raise ParameterError(names[second], problem, "name scans of different people")


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


def _people_of(release: GenomeRelease) -> Sequence[Any]:
    """What says whose release it is: its request, and its population in a ledger of several releases."""
    entry = release.statement["account"]["ledger"]
    named = [] if entry is None or entry["inside"] else [(entry["signer"], entry["population"])]
    return [release.request_id, *named]


def _check_scales(first: GenomeRelease, release: GenomeRelease, first_name: str) -> None:
    """Raises ParameterError where effects are on two scales: cases and controls, or intervals, by range, number and median."""

    def scale(of: GenomeRelease) -> str:
        if of.plan.between is None:
            return "of cases and controls"
        low, high = map(exact_text, of.plan.between)
        assert isinstance(of.question, Scan)
        assert isinstance(of.drawn, Scanned)
        about = "" if of.drawn.median is None else f" about {float(median_value(of.plan, of.drawn.median)):z.6g}"
        return f"of a phenotype from {low} to {high} in {of.question.values} intervals{about}"

    if scale(release) != scale(first):
        problem = f"is {scale(release)}, and {first_name} {scale(first)}"
        raise ParameterError(release.path.name, problem, "combine scans whose effects are on one scale")


def _check_alike(first: Plan, plan: Plan, first_name: str, name: str) -> None:
    if plan.model != first.model:
        problem = f"has the {plan.model} model, and {first_name} the {first.model} one"
        raise ParameterError(name, problem, "combine scans of one model")
    if plan.build and first.build and plan.build != first.build:
        problem = f"has positions of {plan.build}, and {first_name} of {first.build}"
        raise ParameterError(name, problem, "combine scans of one genome build")
