"""Scans of several custodians, combined from their releases alone: nothing is read or charged, and each study stays where it is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from starling.errors import ParameterError
from starling.genome.analysis import GenomeRelease
from starling.genome.inference.meta_analysis import Effects, MetaAnalysis, analyse_together
from starling.genome.inference.scans import PLACES
from starling.genome.plan import Plan
from starling.genome.statistics.tails import chi_squared_log_tail
from starling.planfile.values import write_new
from starling.release.cells import text_cell
from starling.release.codec import Json
from starling.release.session import Described, Part

if TYPE_CHECKING:
    import pandas as pd

MOST_SHOWN: Final = 10
"""SNPs that are shown, the smallest p-values first."""
_LOG10: Final = float(np.log(10))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Combined(Described):
    """The scans of several studies together, by inverse variance (fixed effects).

    Attributes:
        names: What the releases are called, in order.
        plans: The plan of each.
        result: Effects, standard errors and heterogeneity of each SNP.
    """

    names: tuple[str, ...]
    plans: tuple[Plan, ...]
    result: MetaAnalysis

    @property
    def table(self) -> pa.Table:
        """A row for each SNP: where it is, effect with interval and p-value, its sign in each study, and how far studies differ.

        Place and alleles are as the first study that has the SNP writes them. BETA and SE are of the log odds, P is two-sided, STUDIES is
        how many tell of the SNP, DIRECTION has "?" where one does not, and Q is Cochran's with its p-value P_Q.
        """
        result, beta = self.result, self.result.beta
        first = (result.places >= 0).argmax(axis=1)
        rows = result.places[np.arange(len(first)), first]
        where = list(zip(first.tolist(), rows.tolist(), strict=True))
        log10_p = np.round(chi_squared_log_tail((beta / result.standard_error) ** 2, 1) / _LOG10, PLACES)
        numbers = {
            "BETA": beta,
            "SE": result.standard_error,
            "OR": np.exp(beta),
            "L95": np.exp(result.low),
            "U95": np.exp(result.high),
            "P": 10**log10_p,
            "LOG10_P": log10_p,
            "Q": result.q,
            "P_Q": result.q_p,
            "I2": result.i_squared,
        }
        lists = [plan.snps for plan in self.plans]
        return pa.table(
            {
                "CHR": [lists[study].chromosomes[row] for study, row in where],
                "SNP": [lists[study].ids[row] for study, row in where],
                "BP": [int(lists[study].positions[row]) for study, row in where],
                "A1": [lists[study].carried[row] for study, row in where],
                "A2": [lists[study].other[row] for study, row in where],
                "STUDIES": result.studies,
                "DIRECTION": result.directions,
                **numbers,
            }
        )

    def to_pandas(self) -> "pd.DataFrame":
        """The table as a frame. Raises ImportError, which names the extra, without pandas."""
        return self.table.to_pandas()

    def write(self, path: str | Path) -> Path:
        """Write the table as text with tabs, in the order of the first study. Raises OutputError where the file exists."""
        table = self.table
        # Signs are all that DIRECTION holds: no spreadsheet takes them for more.
        columns = [
            column.to_pylist() if name == "DIRECTION" else map(_cell, column.to_pylist())
            for name, column in zip(table.column_names, table.columns, strict=True)
        ]
        lines = ["\t".join(table.column_names)]
        lines += map("\t".join, zip(*columns, strict=True))
        written = Path(path).absolute()
        write_new(written, "\n".join([*lines, ""]))
        return written

    def _facts(self) -> list[tuple[str, str]]:
        result, people = self.result, sum(plan.people for plan in self.plans)
        several = int((result.studies > 1).sum())
        return [
            ("studies", f"{len(self.names)}: {', '.join(self.names)}, {people:,} people"),
            ("SNPs", f"{len(result.beta):,}, of which several studies tell of {several:,}"),
            (
                "effects",
                "log odds ratios, combined by inverse variance; standard errors hold sampling and coins of each study",
            ),
        ]

    def _parts(self) -> list[Part]:
        """The SNPs with the smallest p-values."""
        table = self.table.sort_by("LOG10_P").slice(0, MOST_SHOWN)
        header = ("SNP", "OR", "L95", "U95", "P", "STUDIES", "DIRECTION", "P_Q")
        columns = (table.column(name).to_pylist() for name in header)
        rows = [
            tuple(f"{value:z.4g}" if isinstance(value, float) else str(value) for value in row)
            for row in zip(*columns, strict=True)
        ]
        return [(header, rows)]

    def as_json(self) -> dict[str, Json]:
        """The studies, and how many SNPs they tell of."""
        return {"studies": list[Json](self.names), "snps": len(self.result.beta)}


def combine(releases: Iterable[GenomeRelease]) -> Combined:
    """Combine scans of different people, released by one custodian or several; free, and nothing confidential is read.

    Args:
        releases: Opened scans (`starling.open_release`) of one model, at least two.

    Raises:
        ParameterError: a release is no scan, or is there twice; models or genome builds differ; two are of the same people; or no SNP is
            in two of them.
    """
    names: list[str] = []
    plans: list[Plan] = []
    effects: list[Effects] = []
    seen: dict[Any, str] = {}
    for release in releases:
        name, rows = release.path.name, release.estimated.rows
        if rows is None:
            raise ParameterError(name, "is no scan", "name releases of starling genome scan")
        for people in _people_of(release):
            if (other := seen.setdefault(people, name)) != name or name in names:
                problem = f"is of the people of {other}, who would count twice"
                raise ParameterError(name, problem, "name scans of different people")
        if plans:
            _check_alike(plans[0], release.plan, names[0], name)
        names.append(name)
        plans.append(release.plan)
        effects.append(Effects(release.plan.snps, rows.beta, rows.se))
    of_copies = bool(plans) and plans[0].model == "additive"
    return Combined(tuple(names), tuple(plans), analyse_together(effects, of_copies=of_copies))


def _people_of(release: GenomeRelease) -> Sequence[Any]:
    """What says whose release it is: its request, and its population in a ledger of several releases."""
    entry = release.statement["account"]["ledger"]
    named = [] if entry is None or entry["inside"] else [(entry["signer"], entry["population"])]
    return [release.request_id, *named]


def _check_alike(first: Plan, plan: Plan, first_name: str, name: str) -> None:
    if plan.model != first.model:
        problem = f"has the {plan.model} model, and {first_name} the {first.model} one"
        raise ParameterError(name, problem, "combine scans of one model")
    if plan.build and first.build and plan.build != first.build:
        problem = f"has positions of {plan.build}, and {first_name} of {first.build}"
        raise ParameterError(name, problem, "combine scans of one genome build")


def _cell(value: Any) -> str:
    return f"{value:z.6g}" if isinstance(value, float) else text_cell(str(value))
