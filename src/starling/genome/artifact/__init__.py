"""What a genome release holds, written from released values alone.

    data/number.parquet               how many SNPs are significant, where that was asked
    data/snps.parquet                 SNPs that were found or asked for, with noisy counts and p-values
    data/blocks.parquet               blocks of correlated SNPs, as PLINK's .blocks.det
    data/pairs.parquet                a correlation, as PLINK's .ld
    data/selections.parquet           how far selected answers may be off
    data/*.csv                        the same as text
    measurements/drawn.json           the noisy answer as it was drawn
    plan/plan.json, plan/snps.parquet the public plan and its SNP list
    plan/question.json                what was asked
    privacy.json                      what is promised and what was charged, for machines
    report.html                       the same for a review board, with pictures
    registry.yaml                     the same for OpenDP's registry of deployments
    datapackage.json                  every file with its hash, every table with its columns

All of it comes from what is `Released`, so that nothing else can be written. The signature is put in last, by whoever pays.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from starling.genome.artifact.columns import list_sheet, schemas, sheet
from starling.genome.artifact.data import csv_path, parquet_path, tables, write_tables
from starling.genome.artifact.drawn import DRAWN
from starling.genome.artifact.pages import charged, sections
from starling.genome.artifact.parameters import domain, product, title
from starling.genome.artifact.public_plan import PLAN, QUESTION, SNP_COLUMNS, SNPS, write_public
from starling.genome.measurements import Drawn
from starling.genome.plan import Plan, Question
from starling.genome.postprocess import tell
from starling.privacy.trust import Receipt, Released
from starling.release import datapackage, registry, report, statement
from starling.release.report.pages import Section

REPORT: Final = "report.html"

NOTES: Final = {
    PLAN: "The public plan: people, model, tests, regions",
    QUESTION: "What was asked, with exact amounts",
    DRAWN: "The noisy answer as it was drawn",
    statement.FILE: "What is promised and what was charged, with exact amounts",
    registry.FILE: "Draft of an entry in OpenDP's registry of deployments",
    REPORT: "Privacy report for a review board",
}


def write_release(folder: Path, plan: Plan, question: Question, drawn: Released[Drawn]) -> None:
    """Write the files of a release, all but the signature, into `folder`, which holds `measurements/drawn.json`.

    Raises:
        OSError: the disk is full or fails; `release.bundle.writing` turns that into its one message.
    """
    receipt = drawn.receipt
    told = tell(plan, question, drawn.value)
    write_tables(folder, tables(plan, question, told))
    write_public(folder, plan, question)
    stated = statement.statement(receipt, domain(plan, question))
    _write(folder / statement.FILE, statement.text(stated))
    for name, text in pages(plan, question, receipt, sections(plan, question, told)).items():
        _write(folder / name, text)
    datapackage.write(folder, *described(plan, question))


def described(plan: Plan, question: Question) -> tuple[str, Sequence[datapackage.Sheet], Mapping[str, str]]:
    """What the data package says of a release: title, tables, notes."""
    return title(plan, question), _sheets(plan, question), NOTES


def pages(plan: Plan, question: Question, receipt: Receipt, said: Sequence[Section]) -> dict[str, str]:
    """report.html and registry.yaml: a function of the plan, the question, the receipt, and what `sections` says of released values."""
    name = title(plan, question)
    return {
        REPORT: report.render(name, receipt, charged(question), said),
        registry.FILE: registry.entry(name, receipt, product(plan, question)),
    }


def _sheets(plan: Plan, question: Question) -> list[datapackage.Sheet]:
    import pyarrow as pa

    found = [list_sheet(SNPS, pa.schema(list(SNP_COLUMNS.items())))]
    for name, schema in schemas(plan, question).items():
        found += [sheet(path, name, schema) for path in (parquet_path(name), csv_path(name))]
    return found


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


__all__ = ["REPORT", "described", "pages", "sections", "write_release"]
