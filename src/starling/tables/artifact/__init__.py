"""What a tables release holds, written from released values alone.

    data/t1.txt, data/t2.txt          the published tables in the Census format
    data/t1.parquet, data/t2.parquet  the same rows with names, standard deviation and interval
    data/measurements/LEVEL.parquet   every noisy value before post-processing, in plan order
    privacy.json                      what is promised and what was charged, for machines
    report.html                       the same for a review board, with pictures

The arguments are `Released`, so that nothing else can be written, and the folder comes from `release.bundle`, so that it is
there as a whole or not at all.
"""

import json
from pathlib import Path

from starling.privacy.trust import Released
from starling.release import report, statement
from starling.tables.artifact.data import write_measurements, write_table
from starling.tables.artifact.pages import charged, sections
from starling.tables.artifact.parameters import parameters
from starling.tables.measurements import Measurements
from starling.tables.plan import Geography, Plan
from starling.tables.postprocess import Tables


def write_release(
    folder: Path, plan: Plan, geography: Geography, measurements: Released[Measurements], tables: Released[Tables]
) -> None:
    """Write all files of a release into `folder`, which exists and is empty.

    Raises:
        OSError: the disk is full or fails; `release.bundle.writing` turns that into its one message.
    """
    data = folder / "data"
    data.mkdir()
    write_table(data, "t1", tables.value.t1)
    write_table(data, "t2", tables.value.t2)
    (data / "measurements").mkdir()
    for level, measured in zip(plan.levels, measurements.value.levels, strict=True):
        write_measurements(data / "measurements", level, geography.regions[level.geography], measured)
    stated = statement.statement(tables.receipt, parameters(plan, geography))
    (folder / "privacy.json").write_text(json.dumps(stated, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    page = report.render(
        plan.title, tables.receipt, charged(plan), sections(plan, geography, measurements.value, tables.value)
    )
    (folder / "report.html").write_text(page, encoding="utf-8")


__all__ = ["write_release"]
