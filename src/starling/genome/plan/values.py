"""The plan of a study as values of Python, with the keys of a plan file: what makes a plan in a session, and what its file says."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from starling.errors import OutputError, PlanError, Problem
from starling.genome.plan.model import Plan
from starling.genome.plan.readable import read_section
from starling.genome.plan.sites import Site, Sites, chromosome
from starling.genome.plan.snps import Snps, chosen
from starling.planfile.values import exact_text, plan_path, section_of, toml_of, write_new

Row: TypeAlias = tuple[str, str, int, str, str]
"""Of a SNP list: id, chromosome, position, carried allele, other allele."""
LIST: Final = "snps"
"""In place of a file's name in a message."""


def of_values(values: Mapping[str, Any], folder: str | Path) -> Plan:
    """The plan that these values say.

    Args:
        values: As of a plan file; `snps` may be a table that names files, or a `Snps`.
        folder: Where files that are named are looked for.

    Raises:
        PlanError: with every problem.
    """
    top = section_of(values)
    listed = top.values.get("snps")
    return read_section(top, Path(folder), listed if isinstance(listed, Snps) else None)


def values_of(plan: Plan) -> dict[str, Any]:
    """The values that say a plan, its SNP list as a `Snps`."""
    study = {
        "people": plan.people,
        "case": plan.case,
        "phenotype": plan.phenotype,
        "build": plan.build,
        "ids": plan.ids,
    }
    return {
        "title": plan.title,
        "privacy": {"unit": "person", "neighbours": "replace-one"},
        "study": {key: value for key, value in study.items() if value is not None},
        "snps": plan.snps,
        "analysis": {"model": plan.model, "tests": list(plan.tests), "alpha": exact_text(plan.alpha)},
        "regions": [
            {"name": each.name, "chromosome": each.chromosome, "from": each.low, "to": each.high}
            for each in plan.regions
        ],
    }


def snps_of(rows: Iterable[Row]) -> Snps:
    """A SNP list from its rows, in plan order whatever theirs is; raises PlanError with every problem."""
    problems: list[Problem] = []
    sites, lines = [], []
    for line, row in enumerate(rows, start=1):
        if not _is_row(row):
            fix = "give id, chromosome, position, carried allele and other allele"
            problems.append(Problem("row", "is not the five values of a SNP", fix, LIST, line))
            continue
        name, place, position, carried, other = row
        sites.append(Site(chromosome(place), position, name, carried, other))
        lines.append(line)
    found = (
        None
        if problems
        else chosen(Sites(LIST, sites, lines), extract=None, ranges=None, carriers=None, problems=problems)
    )
    if found is None:
        raise PlanError(problems=problems)
    return found


def _is_row(row: object) -> bool:
    if not isinstance(row, tuple | list) or len(row) != len(Site._fields):
        return False
    name, place, position, *alleles = row
    texts = [name, place, *alleles]
    whole = isinstance(position, int) and not isinstance(position, bool)
    return whole and all(isinstance(text, str) and text.isprintable() and text.split() == [text] for text in texts)


def save(plan: Plan, path: str | Path) -> None:
    """Write a plan as a plan file, and its SNP list beside it as a .pvar of the same name; neither may exist.

    Raises:
        OutputError: one of them is there, or cannot be written, or the path does not end in .toml.
    """
    file = plan_path(path)
    listed = file.with_suffix(".pvar")
    snps = plan.snps
    lines = zip(snps.chromosomes, snps.positions.tolist(), snps.ids, snps.other, snps.carried, strict=True)
    rows = "".join("\t".join(map(str, line)) + "\n" for line in lines)
    write_new(listed, f"#CHROM\tPOS\tID\tREF\tALT\n{rows}")
    try:
        write_new(file, toml_of({**values_of(plan), "snps": {"list": listed.name}}))
    except OutputError:
        listed.unlink()
        raise
