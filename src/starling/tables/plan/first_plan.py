"""A first plan about custom records, made of declarations of their columns and never of the values that records have.

A declaration names a column and its public values:

    age:int:0..110                          whole numbers between two bounds
    spent:num:0..500.00                     numbers with as many digits after the point as the bounds, for sums
    needs:2;:a,b,c                          codes of which a field says several, up to two that are read, with a mark between them
    sex:F,M                                 a list of codes
    district:@districts.csv                 a public CSV file of codes and, in a second column, their names
    admitted:dates:2024-01-01,2025-01-01    periods of time: when each begins, and when the last one ends

Everybody is a group, and so is each value of a column; whole numbers are cut at round ones. Each family of groups is counted in each level
of regions, sums of a column are measured in the same groups, and all of this gets the same share of the budget. Where groups get
detail, each column of it is a step for groups that are ten times as large. In place of groups there may be tables of several columns.
Whoever reads the file changes what they please.
"""

import os
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from starling.errors import ParameterError
from starling.planfile.values import exact_text, plan_path, toml_of, write_new
from starling.privacy.budget import Measure
from starling.tables.plan.columns import Unit
from starling.tables.plan.model import Plan

EVERYBODY: Final = "everybody"
"""The family of all records."""
MOST_CLASSES: Final = 12
"""Classes that a first plan cuts whole numbers into."""

FIRST_THRESHOLD: Final = 100
"""Persons from which a group gets the first step of the detail; of each further one ten times as many."""

_NUMBERS: Final = re.compile(r"num:(-?[0-9]{1,10}(?:\.[0-9]{1,9})?)\.\.(-?[0-9]{1,10}(?:\.[0-9]{1,9})?)")
_SEVERAL: Final = re.compile(r"([0-9]{1,2})([;|/+&]):(.+)")
_INTEGERS: Final = re.compile(r"int:(-?[0-9]{1,10})\.\.(-?[0-9]{1,10})")
_FIX: Final = "write it like age:int:0..110, sex:F,M, district:@districts.csv or admitted:dates:2024-01-01,2025-01-01"


def write_first_plan(
    out: str | Path,
    title: str,
    columns: Sequence[str],
    regions: Sequence[str],
    budget: Fraction | None,
    unit: Unit | None = None,
    detail: Sequence[str] = (),
    sums: Sequence[str] = (),
    cross: Mapping[str, Any] | None = None,
    measure: Measure = "epsilon",
) -> Plan:
    """Write a first plan as a new plan file, whose paths start at the file.

    Args:
        out: Plan file to make, ending in .toml.
        title: What the tables are.
        columns: Declarations of columns.
        regions: The public CSV file of areas, and its levels from large to small, the last of which is a column of the records; none
            for a plan without regions.
        budget: The cost of the release in epsilon, above 0; None where `cross` says it.
        unit: The column that says which person a record is of, and how many of a person are counted; None for one record a person.
        detail: Columns by which larger groups are published, step by step; they make no groups of their own.
        sums: Columns of numbers of which every group gets sum and mean.
        cross: In place of groups, keys of [tables]: `cross`, and `budget` or `margins`.
        measure: In which `cross` states its budget.

    Raises:
        ParameterError: a declaration says no column, or detail or sums name none.
        PlanError: the columns make no plan, or a file that they name cannot be read.
        OutputError: the plan file is there, does not end in .toml, or cannot be written.
    """
    path = plan_path(out)
    folder = path.parent
    declared = [declaration(each, folder) for each in columns]
    by_name = {column["name"]: column for column in declared}
    for field, names in (("--detail", detail), ("--sum", sums)):
        if unknown := [name for name in names if name not in by_name]:
            raise ParameterError(field, f"names {unknown[0][:40]!r}, which is no column", "declare it with --columns")
    file, *levels = regions or ("",)
    values: dict[str, Any] = {
        "title": title,
        "privacy": {"unit": "person", "neighbours": "add-remove", "measure": measure},
        "records": {"of-a-person": unit.most, "person": unit.field} if unit else {"of-a-person": 1},
        "publication": {"negative-counts": True},
        **({"regions": {"column": levels[-1], "file": _relative(file, folder), "levels": levels}} if levels else {}),
        **({"columns": declared} if declared else {}),
    }
    if budget is not None:
        values |= _of_groups(declared, levels or ("",), budget, detail, sums)
    if cross is not None:
        values["tables"] = {**columns_of_tables(declared), **cross}
    if detail:
        values["privacy"]["stage-1-share"] = "0.1"
        cuts = {name: _cuts(by_name[name]) for name in detail}
        values["detail"] = {
            "columns": list(detail),
            "steps": [{name: cuts[name] for name in detail[: step + 1]} for step, _ in enumerate(detail)],
        }
    if sums and budget is not None:
        places = [{key: value for key, value in level.items() if key != "thresholds"} for level in values["levels"]]
        values["sums"] = [{"of": name, **each} for name in sums for each in places]
    plan = Plan.of(values, folder=folder)
    write_new(path, toml_of(values))
    return plan


def _of_groups(
    declared: Sequence[dict[str, Any]],
    levels: Sequence[str],
    budget: Fraction,
    detail: Sequence[str],
    sums: Sequence[str],
) -> dict[str, Any]:
    """Groups and levels, which with the sums get the same share of the budget each."""
    of_groups = [each for each in declared if "decimals" not in each and each["name"] not in (*detail, *sums)]
    families = [{"name": EVERYBODY, "columns": []}, *map(_family, of_groups)]
    share = exact_text(budget / (len(levels) * len(families) * (1 + len(sums))))
    thresholds = {"thresholds": [FIRST_THRESHOLD * 10**step for step, _ in enumerate(detail)]} if detail else {}
    places = [
        ({"regions": level} if level else {}) | {"groups": family["name"], "budget": share} | thresholds
        for level in levels
        for family in families
    ]
    return {"groups": families, "levels": places}


def columns_of_tables(declared: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The columns of `[tables]`, whole numbers cut at round ones."""
    cuts = {name: lows for each in declared for name, lows in _family(each).get("cuts", {}).items()}
    return {"columns": [each["name"] for each in declared], **({"cuts": cuts} if cuts else {})}


def _cuts(column: dict[str, Any]) -> Any:
    if "from" not in column:
        return True
    return round_cuts(column["from"], column["to"]) or list(range(column["from"], column["to"] + 1))


def declaration(text: str, folder: Path) -> dict[str, Any]:
    """A declaration as one of [[columns]] of a plan file in the folder; raises ParameterError where it declares nothing."""
    name, colon, domain = text.partition(":")
    if not colon or not name or not domain:
        raise ParameterError("--columns", f"has {text[:40]!r}, which names no column and its values", _FIX)
    if domain.startswith("@"):
        return {"name": name, "file": _relative(domain[1:], folder)}
    if domain.startswith("int:"):
        if (bounds := _INTEGERS.fullmatch(domain)) is None:
            raise ParameterError("--columns", f"has {text[:40]!r}, without two bounds", "write it like age:int:0..110")
        return {"name": name, "from": int(bounds[1]), "to": int(bounds[2])}
    if domain.startswith("num:"):
        if (bounds := _NUMBERS.fullmatch(domain)) is None:
            fix = "write it like spent:num:0..500.00"
            raise ParameterError("--columns", f"has {text[:40]!r}, without two bounds", fix)
        places = max(len(bound.partition(".")[2]) for bound in bounds.groups())
        return {"name": name, "from": bounds[1], "to": bounds[2], "decimals": places}
    if (several := _SEVERAL.fullmatch(domain)) is not None:
        return {"name": name, "values": several[3].split(","), "separator": several[2], "most": int(several[1])}
    if domain.startswith("dates:"):
        return {"name": name, "periods": domain.removeprefix("dates:").split(",")}
    if _INTEGERS.fullmatch(f"int:{domain}"):
        # It would be read as the one value "0..110", which no record has.
        fix = f"write it like {name}:int:{domain}"
        raise ParameterError("--columns", f"has {text[:40]!r}, which looks like bounds of whole numbers", fix)
    return {"name": name, "values": domain.split(",")}


def _family(column: Mapping[str, Any]) -> dict[str, Any]:
    family: dict[str, Any] = {"name": column["name"], "columns": [column["name"]]}
    cuts = round_cuts(column["from"], column["to"]) if "from" in column and "decimals" not in column else []
    return family | ({"cuts": {column["name"]: cuts}} if cuts else {})


def round_cuts(low: int, high: int) -> list[int]:
    """Where classes of whole numbers begin, at most MOST_CLASSES of them, all but the first at multiples of 1, 2 or 5 times a power of 10.

    None where there are so few numbers that each may be a class. The first and the last class have at least half of the others' numbers.

    >>> round_cuts(0, 110), round_cuts(1, 5)
    ([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100], [])
    """
    if high - low < MOST_CLASSES:
        return []
    for exponent in range(len(str(high - low)) + 1):
        for digit in (1, 2, 5):
            width = digit * 10**exponent
            cuts = [low, *range((low // width + 1) * width, high + 1, width)]
            if len(cuts) <= MOST_CLASSES:
                starts = cuts[2:] if 2 * (cuts[1] - low) < width else cuts[1:]
                return [low, *(starts[:-1] if 2 * (high + 1 - starts[-1]) < width else starts)]
    return []


def _relative(file: str, folder: Path) -> str:
    return Path(os.path.relpath(file, folder)).as_posix()
