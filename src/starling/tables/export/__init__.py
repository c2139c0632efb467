"""A release of tables in the forms of other programs: one row for each group, a workbook, a database, SDMX. Released numbers alone.

The long tables are in the release itself, as Parquet and as CSV. All of this is a function of them and of the public plan.
"""

from pathlib import Path
from typing import Final, Literal, TypeAlias

from starling.engine.new_folder import new_file
from starling.errors import ParameterError
from starling.tables.export.workbook import Front, write_workbook
from starling.tables.plan import Plan

Form: TypeAlias = Literal["wide", "excel", "duckdb", "sdmx"]
"""The forms: a row for each group (CSV, or Parquet by the name of the file), a workbook, a database, SDMX-CSV 2.0."""
SUFFIXES: Final[dict[Form, tuple[str, ...]]] = {
    "wide": (".csv", ".parquet"),
    "excel": (".xlsx",),
    "duckdb": (".duckdb",),
    "sdmx": (".csv",),
}


def export(folder: Path, plan: Plan, front: Front, out: Path, form: Form, structure: str | None = None) -> None:
    """Write a release into one new file.

    Args:
        folder: The folder of the release, compared with its signature.
        plan: Its public plan.
        front: What a reader of the numbers should know.
        out: The file; must not exist, and ends as the form does.
        form: Which form.
        structure: Of SDMX, the data structure that the numbers keep, AGENCY:ID(1.0); None for the one that the plan names.

    Raises:
        ParameterError: the form does not go with the name, the structure or the release; or Excel without its extra.
        OutputError: the file is there, or cannot be written; nothing is left behind then.
    """
    # It brings a database, which the pages of a release, that write workbooks too, must not load.
    from starling.tables.export.database import write_database, write_sdmx, write_wide

    if out.suffix not in SUFFIXES[form]:
        raise ParameterError("out", f"does not end in {' or '.join(SUFFIXES[form])}", "name such a file")
    if form == "sdmx":
        structure = structure or plan.data_structure
    if bool(structure) != (form == "sdmx"):
        fix = "name one, as AGENCY:ID(1.0), here or in the plan" if form == "sdmx" else "leave it out"
        raise ParameterError("structure", "is of SDMX, which needs one", fix)
    with new_file(out) as part:
        match form:
            case "wide":
                write_wide(folder, plan, part)
            case "excel":
                write_workbook(folder, plan, front, part)
            case "duckdb":
                write_database(folder, plan, front, part)
            case "sdmx":
                write_sdmx(folder, plan, part, structure or "")
