"""`starling tables convert`: from the Census configuration to a plan file that people can read."""

import json
from pathlib import Path

import click

from starling.cli.commands import Command


@click.command("convert", cls=Command, example="starling tables convert census --out plan.toml")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="FILE", help="Plan file (.toml) to make."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def convert(folder: Path, out: Path, *, as_json: bool) -> None:
    """Say a Census configuration FOLDER (config.json and definitions) as a plan file: the same plan, budgets exact.

    The plan file names the folder of definitions relative to itself, and is read back before this ends. Opens no records.
    """
    from starling.cli.plans import plan_json
    from starling.cli.text import facts
    from starling.tables.plan import describe
    from starling.tables.plan.convert import convert as write

    overview = describe(write(folder, out))
    if as_json:
        click.echo(json.dumps({"file": str(out), **plan_json(overview)}, indent=2, ensure_ascii=False))
        return
    levels = f"{len(overview.levels)}; starling tables plan {out} shows them"
    click.echo(facts([("plan file", str(out)), ("cost", str(overview.cost)), ("levels", levels)]))
