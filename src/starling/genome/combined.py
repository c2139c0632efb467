"""What scans, or effects of SNPs, of several custodians say together: tables, pictures and words."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
import pyarrow as pa

from starling.genome.arrays import Int64
from starling.genome.artifact.scans import place_columns, region_columns, regions_of
from starling.genome.derived import SIGNS, Derived, Origin
from starling.genome.inference.effects import SnpEffect
from starling.genome.inference.intervals import Interval
from starling.genome.inference.meta_analysis import MetaAnalysis
from starling.genome.inference.scans import Region, ScanRows, inflation, regions, significant
from starling.genome.pictures.answers import Answers
from starling.genome.plan import Plan
from starling.genome.plan.choices import UNPROTECTED, WHOLE_PERSON
from starling.genome.plan.snps import Snps
from starling.genome.postprocess.effects import snp_effect_text
from starling.genome.postprocess.wording import inflation_text, regions_text
from starling.planfile.values import exact_text
from starling.release.codec import Json
from starling.release.session import Part

if TYPE_CHECKING:
    import pandas as pd

MOST_SHOWN: Final = 10
"""SNPs that are shown, the smallest p-values first."""
_OF_INTERVALS: Final = "BETA is of the interval's score, in the unit of the phenotype, not the phenotype's own slope."


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Combined(Derived):
    """The scans of several studies together, by inverse variance (fixed effects); SNPs in the order of the genome.

    Attributes:
        origins: The releases, in order.
        plans: The plan of each.
        snps: The SNPs that any study tells of; place and alleles are as the first study that has the SNP writes them.
        result: Effects, standard errors and heterogeneity of each of them.
        calls: People with a call, of all studies that tell of the SNP, int64 (m,).
        linear: Whether effects are no log odds, so that there is no odds ratio.
    """

    origins: tuple[Origin, ...]
    plans: tuple[Plan, ...]
    snps: Snps
    result: MetaAnalysis
    calls: Int64
    linear: bool

    _name: ClassVar[str] = "scans"

    @property
    def plan(self) -> Plan:
        """The first plan with the SNPs of all studies, by which its alpha is divided."""
        return replace(self.plans[0], snps=self.snps, regions=())

    @property
    def rows(self) -> ScanRows:
        """The numbers of every SNP, as those of one scan; frequencies are not told."""
        result, z, log10_p = self.result, self.result.beta / self.result.standard_error, self.result.log10_p
        unknown = np.full(len(z), np.nan)
        ends = (unknown, result.low, result.high)
        if not self.linear:
            ends = (np.exp(result.beta), np.exp(result.low), np.exp(result.high))
        effects = (result.beta, result.standard_error, *ends)
        return ScanRows(z, log10_p, 10**log10_p, *effects, self.calls, unknown)

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
        rows, result = self.rows, self.result
        table = pa.table(
            {
                **place_columns(self.snps),
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
        return table.drop_columns("OR") if self.linear else table

    @property
    def tables(self) -> dict[str, pa.Table]:
        """The table of SNPs, and that of regions."""
        strongest = region_columns(self.regions)
        kinds = pa.schema([(name, kind) for name, (kind, _) in regions_of(self.plans[0]).items()])
        return {"scan": self.table, "regions": pa.table({name: strongest[name] for name in kinds.names}, schema=kinds)}

    @property
    def pictured(self) -> Answers:
        """What pictures show."""
        return Answers(self.plan, scan=self.rows, regions=self.regions)

    def to_pandas(self) -> "pd.DataFrame":
        """The table as a frame. Raises ImportError, which names the extra, without pandas."""
        return self.table.to_pandas()

    def _choices(self) -> dict[str, Json]:
        return {"method": "inverse variance", "threshold": exact_text(self.plan.p_threshold), "snps": len(self.snps)}

    @property
    def _combination(self) -> str:
        people, names = sum(plan.people for plan in self.plans), ", ".join(origin.name for origin in self.origins)
        return f"{len(self.plans):,} studies of {people:,} people ({names}), combined by inverse variance"

    @property
    def _several(self) -> int:
        """SNPs of which more than one study tells."""
        return int((self.result.studies > 1).sum())

    def _sentences(self) -> list[str]:
        strongest, several = self.regions, self._several
        below = sum(region.snps for region in strongest)
        threshold = float(self.plan.p_threshold)
        return [
            f"{UNPROTECTED}: each person's phenotype alone is.",
            f"{self._combination}; standard errors hold sampling and coins of each study.",
            f"{below:,} of {len(self.snps):,} SNPs at or below {threshold:z.3g}; several studies tell of {several:,}.",
            *inflation_text(self.inflation),
            *([_OF_INTERVALS] if self.linear else []),
            *regions_text(strongest),
        ]

    def _facts(self) -> list[tuple[str, str]]:
        rows = [("" if at else "answer", sentence) for at, sentence in enumerate(self._sentences())]
        return [(self._name, f"{len(self.plans):,} studies"), *rows, ("charged", "nothing")]

    def _parts(self) -> list[Part]:
        """The SNPs with the smallest p-values."""
        table = self.table.sort_by("LOG10_P").slice(0, MOST_SHOWN)
        header = ("SNP", "BETA" if self.linear else "OR", "L95", "U95", "P", "STUDIES", SIGNS, "P_Q")
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CombinedEffects(Combined):
    """The effects of SNPs of several studies together; the same numbers, and no regions and no lambda."""

    _name: ClassVar[str] = "effects"
    _subject: ClassVar[str] = "Numbers that follow from released effects"

    @property
    def tables(self) -> dict[str, pa.Table]:
        """The table of SNPs."""
        return {"effects": self.table}

    @property
    def pictured(self) -> Answers:
        """What pictures show."""
        return Answers(self.plan, effects=self._effects)

    @property
    def _effects(self) -> tuple[SnpEffect, ...]:
        """Of each SNP, in the order of the genome."""
        rows, result = self.rows, self.result
        slopes, ratios = ((result.beta, result.low, result.high), (rows.odds_ratio, rows.low, rows.high))
        intervals = (np.column_stack(ends).tolist() for ends in (slopes, ratios))
        each_snp = zip(self.snps.ids, *intervals, rows.z.tolist(), rows.log10_p.tolist(), strict=True)
        return tuple(
            SnpEffect(snp, Interval(*slope), None if self.linear else Interval(*ratio), z, log10_p)
            for snp, slope, ratio, z, log10_p in each_snp
        )

    @property
    def _protection(self) -> dict[str, Json]:
        return {"protected": WHOLE_PERSON} if self.plans[0].unit == "person" else {"unprotected": UNPROTECTED}

    def _choices(self) -> dict[str, Json]:
        return {"method": "inverse variance", "snps": len(self.snps)}

    def _sentences(self) -> list[str]:
        first, effects = self.plans[0], self._effects
        order = np.argsort(self.result.log10_p, kind="stable")[:MOST_SHOWN]
        more = len(self.snps) - len(order)
        return [
            f"{WHOLE_PERSON}." if first.unit == "person" else f"{UNPROTECTED}: each person's phenotype alone is.",
            f"{self._combination}; standard errors and intervals hold sampling and noise of each study.",
            f"Several studies tell of {self._several:,} of {len(self.snps):,} SNPs.",
            *(self._sentence(at, effects[at]) for at in sorted(order.tolist())),
            *([f"{more:,} more are in the table, with larger p-values."] if more else []),
        ]

    def _sentence(self, at: int, effect: SnpEffect) -> str:
        text, result = snp_effect_text(self.plans[0], effect), self.result
        if result.studies[at] == 1:
            return f"{text}, by one study."
        apart = f"Q {result.q[at]:z.3g}, p {result.q_p[at]:z.2g}, I2 {100 * result.i_squared[at]:z.0f} %"
        return f"{text}, by {result.studies[at]} studies; how far they differ: {apart}."

    def as_json(self) -> dict[str, Json]:
        """The studies, and what they tell together of each SNP."""
        return {
            "studies": [origin.name for origin in self.origins],
            **self._choices(),
            "effects": self.table.to_pylist(),
        }
