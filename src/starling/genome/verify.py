"""What only the domain can verify of a genome release: its law follows from plan and question, its tables from its noisy answer.

Everything is read from the folder itself. What is told is made again from the noisy answer, and must be every published table bit for
bit: the values of the Parquet files, the bytes of the text.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from starling.errors import IntegrityError, ParameterError, PlanError, Problem
from starling.genome.artifact import REPORT, described, pages, sections
from starling.genome.artifact.data import csv, csv_path, parquet_path, tables
from starling.genome.artifact.drawn import DRAWN, read_drawn
from starling.genome.artifact.parameters import domain
from starling.genome.artifact.public_plan import PLAN, QUESTION, SNPS, read_public
from starling.genome.inference.answer_validation import misfit
from starling.genome.plan import Plan, Question
from starling.genome.postprocess import Told, tell
from starling.release import datapackage, recompute, registry, statement
from starling.release.checks import Check, Findings
from starling.release.difference import first_difference
from starling.release.manifest import AGAIN, OWN_LEDGER, SIGNATURE
from starling.release.report.pages import undrawn


class Named(StrEnum):
    """The checks, in the order in which they are told."""

    PRIVACY = "privacy"
    ANSWER = "noisy answer"
    TABLES = "tables"
    FORMS = "forms"
    PAGES = "pages"


SAYS: Final[Mapping[Named, str]] = {
    Named.PRIVACY: "mechanism and cost are those of plan and question, for one person replaced; nothing is exact",
    Named.ANSWER: "what was drawn is an answer that the question can have: its shape, and each choice among the public candidates",
    Named.TABLES: "every table is what plan, question and noisy answer give: p-values, intervals, how far selections may be off",
    Named.FORMS: "the files are those of a genome release, and its texts say what its tables say",
    Named.PAGES: "report, its pictures aside, registry entry and data package are what plan, charge and answer give",
}

ALWAYS: Final = (PLAN, SNPS, QUESTION, DRAWN, statement.FILE, registry.FILE, datapackage.FILE, REPORT)
OPTIONAL: Final = (SIGNATURE, OWN_LEDGER)


def check(folder: Path, stated: Mapping[str, Any], hashes: Mapping[str, str]) -> tuple[Check, ...]:
    """The named checks of a genome release, beyond hashes, signature and arithmetic.

    Args:
        folder: Of the release; its files are as they were signed.
        stated: Its privacy.json.
        hashes: SHA-256 of each of its files.
    """
    found = Findings(SAYS)
    try:
        plan, question = read_public(folder)
    except IntegrityError as error:
        found.add(Named.FORMS, *error.problems)
        return found.checks()
    except (PlanError, ParameterError) as error:
        # A plan refuses what would make its guarantee untrue, and it has no other questions than those it checks.
        found.add(Named.PRIVACY, *(Problem(each.field, each.problem, AGAIN, PLAN) for each in error.problems))
        return found.checks()
    _statement(plan, question, stated, found)
    if (told := _told(folder, plan, question, found)) is not None:
        _files(folder, tables(plan, question, told), hashes, found)
        said = [undrawn(section) for section in sections(plan, question, told)]
        make = partial(pages, plan, question, said=said)
        found.add(Named.PAGES, *recompute.pages(folder, stated, question.guarantee, make))
        if recompute.by_this_version(stated):
            found.add(Named.PAGES, *recompute.package(folder, *described(plan, question), hashes))
            found.reached(Named.PAGES)
        else:
            found.leave_open(Named.PAGES, recompute.OTHER_VERSION)
    return found.checks()


def _statement(plan: Plan, question: Question, stated: Mapping[str, Any], found: Findings[Named]) -> None:
    expected = recompute.stated(question.guarantee, domain(plan, question))
    found.add(
        Named.PRIVACY, *(recompute.unlike(field) for field, value in expected.items() if stated.get(field) != value)
    )
    found.reached(Named.PRIVACY)


def _told(folder: Path, plan: Plan, question: Question, found: Findings[Named]) -> Told | None:
    """What the noisy answer tells, if it is one."""
    try:
        drawn = read_drawn(folder, question)
    except IntegrityError as error:
        found.add(Named.FORMS, *error.problems)
        return None
    found.reached(Named.ANSWER)
    if (problem := misfit(plan, question, drawn)) is not None:
        found.add(Named.ANSWER, Problem("answers", problem, AGAIN, DRAWN))
        return None
    return tell(plan, question, drawn)


def _files(folder: Path, expected: Mapping[str, pa.Table], hashes: Mapping[str, str], found: Findings[Named]) -> None:
    """Whether the folder has the files of such a release, only those, and in them these tables."""
    ours = {path: name for name in expected for path in (parquet_path(name), csv_path(name))}
    missing = sorted({*ALWAYS, *ours} - hashes.keys())
    beyond = sorted(hashes.keys() - {*ALWAYS, *ours, *OPTIONAL})
    found.add(Named.FORMS, *(Problem(name, "is missing from the release", AGAIN) for name in missing))
    found.add(Named.FORMS, *(Problem(name, "is no file of a genome release", AGAIN) for name in beyond))
    for name, table in expected.items():
        if parquet_path(name) in hashes:
            found.add(Named.TABLES, *_differences(folder, parquet_path(name), table))
        if csv_path(name) in hashes and (folder / csv_path(name)).read_bytes() != csv(table):
            found.add(Named.FORMS, Problem(csv_path(name), "is not the text that the noisy answer gives", AGAIN))
    found.reached(Named.TABLES, Named.FORMS)


def _differences(folder: Path, path: str, expected: pa.Table) -> list[Problem]:
    """What is wrong with a published table."""
    try:
        with pq.ParquetFile(folder / path) as file:
            if (file.schema_arrow.names, file.schema_arrow.types) != (expected.schema.names, expected.schema.types):
                return [Problem(path, "has other columns or types than the table has", AGAIN)]
            if file.metadata.num_rows != len(expected):
                problem = f"has {file.metadata.num_rows:,} rows where the noisy answer gives {len(expected):,}"
                return [Problem(path, problem, AGAIN)]
            table = file.read()
    except (OSError, pa.ArrowException):
        return [Problem(path, "cannot be read as Parquet", AGAIN)]
    rows = {
        name: first_difference(expected[name], table[name].combine_chunks())
        for name in (expected.column_names if len(expected) else ())
    }
    problem = "is in row {} not what the noisy answer gives"
    return [
        Problem(f"column {name}", problem.format(row + 1), AGAIN, path) for name, row in rows.items() if row is not None
    ]
