"""What a tables release holds, written from released values alone.

    data/t1.parquet, data/t2.parquet  the published tables: estimate, standard deviation, interval, what was changed, names
    data/t1.csv, data/t2.csv          the same as text, where they are not long
    data/t1.txt, data/t2.txt          the same in the Census format, which has the estimate alone
    data/measurements/LEVEL.parquet   every noisy value before post-processing, in plan order
    plan/plan.json, plan/regions.json the public plan, so that post-processing can be repeated from the folder alone
    privacy.json                      what is promised and what was charged, for machines
    report.html                       the same for a review board, with pictures
    registry.yaml                     the same for OpenDP's registry of deployments
    datapackage.json                  every file with its hash, every table with its columns

The arguments are `Released`, so that nothing else can be written, and the folder comes from `release.bundle`, so that it is
there as a whole or not at all. The signature is put in last, by whoever pays (release.payment).
"""

import json
from pathlib import Path

from starling.privacy.trust import Released
from starling.release import datapackage, registry, report, statement
from starling.tables.artifact.columns import sheets
from starling.tables.artifact.data import measurements_path, write_measurements, write_table
from starling.tables.artifact.pages import charged, sections
from starling.tables.artifact.parameters import domain, product
from starling.tables.artifact.public_plan import PLAN, REGIONS, write_plan
from starling.tables.measurements import Measurements
from starling.tables.plan import Geography, Plan
from starling.tables.postprocess import Tables

NOTES = {
    PLAN: "The public plan: budgets, thresholds, definitions of groups",
    REGIONS: "The public regions of each geography level, with their names",
    statement.FILE: "What is promised and what was charged, with exact amounts and scales",
    registry.FILE: "Draft of an entry in OpenDP's registry of deployments",
    "report.html": "Privacy report for a review board",
}


def write_release(
    folder: Path, plan: Plan, geography: Geography, measurements: Released[Measurements], tables: Released[Tables]
) -> None:
    """Write all files of a release but its signature into `folder`, which exists and is empty or holds the ledger that paid.

    Raises:
        OSError: the disk is full or fails; `release.bundle.writing` turns that into its one message.
    """
    receipt = tables.receipt
    data = folder / "data"
    data.mkdir()
    csv = tuple(
        name for name, table in (("t1", tables.value.t1), ("t2", tables.value.t2)) if write_table(data, name, table)
    )
    (data / "measurements").mkdir()
    for level, measured in zip(plan.levels, measurements.value.levels, strict=True):
        write_measurements(data / "measurements", level, geography.regions[level.geography], measured)
    write_plan(folder, plan, geography)
    stated = statement.statement(receipt, domain(plan, geography))
    _write(folder / statement.FILE, json.dumps(stated, indent=2, ensure_ascii=False) + "\n")
    page = report.render(
        plan.title, receipt, charged(plan), sections(plan, geography, measurements.value, tables.value)
    )
    _write(folder / "report.html", page)
    _write(folder / registry.FILE, registry.entry(plan.title, receipt, product(plan)))
    paths = {level.name: measurements_path(level) for level in plan.levels}
    datapackage.write(folder, plan.title, sheets(plan, paths, csv), NOTES)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


__all__ = ["write_release"]
