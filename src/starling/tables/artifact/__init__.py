"""What a tables release holds, written from released values alone.

    data/t1.parquet, data/t2.parquet  the published tables: estimate, standard deviation, interval, what was changed, names
    data/t1.csv, data/t2.csv          the same as text, where they are not long
    data/t1.txt, data/t2.txt          the same in the Census format, which has the estimate alone
    data/measurements/LEVEL.parquet   every noisy value before post-processing, in plan order
    data/earlier/LEVEL.parquet        of a release that tops up an earlier one: the same of that one; data/earlier-2 of the one before
    plan/plan.json, plan/regions.json the public plan, so that post-processing can be repeated from the folder alone
    privacy.json                      what is promised and what was charged, for machines
    report.html                       the same for a review board, with pictures
    registry.yaml                     the same for OpenDP's registry of deployments
    datapackage.json                  every file with its hash, every table with its columns

The measurements are written as they are drawn (measured.py), all else from what is `Released`, so that nothing else can be
written. The folder comes from `release.bundle`, so that it is there as a whole or not at all. The signature is put in last, by
whoever pays (release.payment).
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from starling.privacy.trust import Receipt, Released
from starling.release import datapackage, registry, report, statement
from starling.release.report import Section
from starling.tables.artifact.columns import sheets
from starling.tables.artifact.data import TableFiles
from starling.tables.artifact.measured import (
    keep_measurements,
    measurements_path,
    place_of,
    read_measurements,
    with_earlier,
)
from starling.tables.artifact.pages import charged, sections
from starling.tables.artifact.parameters import domain, product
from starling.tables.artifact.public_plan import PLAN, REGIONS, write_plan
from starling.tables.artifact.summary import Summary
from starling.tables.plan import Geography, Plan
from starling.tables.postprocess import T1_SCHEMA, T2_SCHEMA, Tabulated

REPORT: Final = "report.html"

NOTES = {
    PLAN: "The public plan: budgets, thresholds, definitions of groups",
    REGIONS: "The public regions of each geography level, with their names",
    statement.FILE: "What is promised and what was charged, with exact amounts and scales",
    registry.FILE: "Draft of an entry in OpenDP's registry of deployments",
    REPORT: "Privacy report for a review board",
}


def write_release(folder: Path, plan: Plan, geography: Geography, tables: Released[Iterable[Tabulated]]) -> None:
    """Write the files of a release into `folder`, which holds its measurements, and the ledger that paid if that is inside.

    All but the signature. The tables are written as they come.

    Raises:
        OSError: the disk is full or fails; `release.bundle.writing` turns that into its one message.
    """
    receipt = tables.receipt
    summary, csv = write_tables(folder / "data", plan, tables.value)
    write_plan(folder, plan, geography)
    stated = statement.statement(receipt, domain(plan, geography))
    _write(folder / statement.FILE, statement.text(stated))
    said = sections(plan, geography, summary)
    for name, text in pages(plan, receipt, said).items():
        _write(folder / name, text)
    datapackage.write(folder, *described(plan, csv))


def described(plan: Plan, csv: Sequence[str]) -> tuple[str, Sequence[datapackage.Sheet], Mapping[str, str]]:
    """What the data package says of a release: title, tables, notes. `csv` names the tables that are there as CSV too."""
    paths = {level.name: measurements_path(level) for level in plan.levels}
    earlier = [
        {level.name: measurements_path(level, place_of(back)) for level in plan.levels}
        for back, _ in enumerate(plan.variants.releases, 1)
    ]
    return plan.title, sheets(plan, paths, tuple(csv), earlier), NOTES


def write_tables(data: Path, plan: Plan, tables: Iterable[Tabulated]) -> tuple[Summary, tuple[str, ...]]:
    """Write T1 and T2 piece by piece; what they hold, and which of them are there as CSV too."""
    summary = Summary(plan)
    with ExitStack() as open_files:
        t1 = open_files.enter_context(TableFiles(data, "t1", T1_SCHEMA))
        t2 = open_files.enter_context(TableFiles(data, "t2", T2_SCHEMA))
        for part in tables:
            t1.write(part.tables.t1)
            t2.write(part.tables.t2)
            summary.add(part)
        csv = tuple(name for name, files in (("t1", t1), ("t2", t2)) if files.finish())
    return summary, csv


def pages(plan: Plan, receipt: Receipt, said: Sequence[Section]) -> dict[str, str]:
    """report.html and registry.yaml: a function of the plan, the receipt, and what `sections` says of the released values."""
    together = plan.together if plan.variants.top_up else None
    return {
        REPORT: report.render(plan.title, receipt, charged(plan), said, together),
        registry.FILE: registry.entry(plan.title, receipt, product(plan), together),
    }


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


__all__ = [
    "REPORT",
    "described",
    "keep_measurements",
    "pages",
    "read_measurements",
    "sections",
    "with_earlier",
    "write_release",
]
