"""A release of tables in the forms of other programs: tables with columns of their own, which can be pivoted. Released numbers alone.

A release is described once (release_tables.py), as tables (described.py). Rules of an office (rules.py) and layouts (across.py, wide.py)
make other such tables of them, and each form is written by one writer, whichever tables they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

from starling.engine.new_folder import new_file, new_folder
from starling.errors import ParameterError, plain
from starling.tables.export.described import DescribedTable, Front
from starling.tables.export.rules import Rules
from starling.tables.plan import Geography, Plan
from starling.tables.plan.choices import STRUCTURE

Form: TypeAlias = Literal["wide", "csv", "parquet", "excel", "duckdb", "sdmx"]
"""The forms: a row for each group; a folder of tables, as text or as Parquet; a workbook; a database; an SDMX data set."""
SUFFIXES: Final[dict[Form, tuple[str, ...]]] = {
    "wide": (".csv", ".parquet"),
    "csv": ("",),
    "parquet": ("",),
    "excel": (".xlsx",),
    "duckdb": (".duckdb",),
    "sdmx": ("", ".csv"),
}
"""How the name of each ends; "" of a folder."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Which tables of a release are written, and how.

    Attributes:
        tables: Their names; empty for all.
        across: The column whose values stand side by side; "" for none.
        rules: What is done to the numbers.
    """

    tables: tuple[str, ...] = ()
    across: str = ""
    rules: Rules = field(default_factory=Rules)

    def applied(self, tables: Sequence[DescribedTable]) -> list[DescribedTable]:
        """The chosen ones of some tables in this layout; raises ParameterError where one is not there or cannot be so."""
        # It brings a database, which the pages of a release must not load.
        from starling.tables.export.across import across

        names = [each.name for each in tables]
        if unknown := [name for name in self.tables if name not in names]:
            raise ParameterError("tables", f"have no {plain(unknown[0][:40])}", f"take some of {', '.join(names)}")
        chosen = [self.rules.applied(each) for each in tables if each.name in self.tables or not self.tables]
        return [across(each, self.across) if self.across else each for each in chosen]


def export(
    folder: Path,
    plan: Plan,
    geography: Geography,
    front: Front,
    out: Path,
    form: Form,
    *,
    layout: Layout,
    structure: str | None = None,
) -> None:
    """Write a release into one new file or folder.

    Args:
        folder: The folder of the release, compared with its signature.
        plan: Its public plan.
        geography: Its public regions.
        front: What a reader of the numbers should know.
        out: The file or folder; must not exist, and ends as the form does.
        form: Which form.
        layout: Which tables, and how.
        structure: Of SDMX, the data structure that the numbers keep, AGENCY:ID(1.0); None for the one that the plan names.

    Raises:
        ParameterError: the form does not go with the name, the layout, the structure or the release; or an extra is missing.
        OutputError: something is there, or cannot be written; nothing is left behind then.
    """
    _check_together(out, form, layout)
    if form == "wide" and plan.cross is not None:
        raise ParameterError("format", "wide is of groups, and the plan has cross tables", "take csv, with across")
    identifier = _structure(plan, form, structure)
    # They bring a database, which the pages of a release must not load.
    from starling.tables.export.release_tables import tables_of
    from starling.tables.export.wide import wide_table

    tables = [wide_table(folder, plan)] if form == "wide" else layout.applied(tables_of(folder, plan, geography))
    with new_file(out) if out.suffix else new_folder(out) as part:
        write(tables, front, part, form, identifier)


def write(tables: Sequence[DescribedTable], front: Front, out: Path, form: Form, structure: str) -> None:
    """Write tables as a form, whatever they are of; raises as `export` does."""
    from starling.tables.export.database import write_database
    from starling.tables.export.files import write_folder, write_table
    from starling.tables.export.sdmx import write_data, write_data_set
    from starling.tables.export.workbook import write_workbook

    match form:
        case "wide":
            write_table(tables[0], out)
        case "csv" | "parquet":
            write_folder(tables, front, out, f".{form}")
        case "excel":
            write_workbook(tables, front, out)
        case "duckdb":
            write_database(tables, front, out)
        case "sdmx" if out.suffix:
            write_data(tables, out, structure)
        case "sdmx":
            write_data_set(tables, front, out, structure)


def _check_together(out: Path, form: Form, layout: Layout) -> None:
    """Raises ParameterError where the form does not go with the name or the layout."""
    if out.suffix not in SUFFIXES[form]:
        files = " or ".join(filter(None, SUFFIXES[form]))
        problem = f"does not end in {files}" if files else f"ends in {out.suffix}, and {form} is a folder of files"
        raise ParameterError("out", problem, "name such a file" if files else "name a folder")
    if form == "wide" and layout != Layout():
        fix = "take csv, parquet, excel or duckdb"
        raise ParameterError("format", "wide is one layout of all tables, without rules", fix)
    if form == "sdmx" and layout.across:
        raise ParameterError("across", "does not go with sdmx, whose numbers stand in rows", "leave it out")
    if form == "sdmx" and out.suffix and layout.rules.notes:
        problem = "is of numbers alone, and has no place for what the rules do"
        raise ParameterError("out", problem, "name a folder, for the structure too")


def _structure(plan: Plan, form: Form, structure: str | None) -> str:
    """The data structure of the numbers, "" for none; raises ParameterError where it does not go with the form."""
    identifier = (structure or plan.data_structure) if form == "sdmx" else structure or ""
    if bool(identifier) != (form == "sdmx"):
        fix = "name one, as AGENCY:ID(1.0), here or in the plan" if form == "sdmx" else "leave it out"
        raise ParameterError("structure", "is of SDMX, which needs one", fix)
    if identifier and not STRUCTURE.fullmatch(identifier):
        raise ParameterError("structure", "is no data structure", "write it as AGENCY:ID(1.0)")
    return identifier
