"""`starling tables export`: a release in the forms of other programs. Reads released numbers alone."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from starling.cli import options
from starling.cli.commands import Result, command
from starling.cli.progress import working
from starling.cli.verbs import opened_release

if TYPE_CHECKING:
    from starling.tables.export import Form

FORMS: Final = ("wide", "excel", "duckdb", "sdmx")
"""The forms of an export, as `starling.tables.export` has them."""


@command("export", example="starling tables export release --format excel --out release.xlsx")
@click.argument("release", type=options.PATH)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMS),
    required=True,
    help="wide: one row for each group, as CSV or Parquet. excel: a workbook with notes (pip install 'starling-dp[excel]')."
    " duckdb: a database with views. sdmx: SDMX-CSV 2.0.",
)
@click.option(
    "--structure",
    metavar="AGENCY:ID(1.0)",
    help="Of sdmx: the data structure that the numbers keep.  [default: the plan's]",
)
@click.option("--out", type=options.PATH, required=True, metavar="FILE", help="File to make.")
@options.signer
def export(release: Path, *, form: "Form", structure: str | None, out: Path, key: str | None) -> Result:
    """Write a release for other programs, every number with its interval. The long tables are in the release, as CSV and Parquet.

    RELEASE is a folder or its zip; it is compared with its signature. Opens no records and charges nothing.
    """
    from starling.release.text import facts

    working("checking the release and writing its numbers")
    tables: Any = opened_release(release, "tables", key)
    with tables as opened:
        opened.export(out, form, structure=structure)
    return Result(lambda: facts([("written", str(out))]), lambda: {"written": str(out)})
