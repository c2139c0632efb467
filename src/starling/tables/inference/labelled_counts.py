"""The rows of T1 of a plan that declares columns, by these columns: `to_pandas()` of a release."""

from collections.abc import Sequence
from itertools import product
from typing import Final

import pyarrow as pa

from starling.errors import ParameterError
from starling.tables.plan import Geography, Plan
from starling.tables.plan.columns import Codes, Column
from starling.tables.plan.custom_families import value_texts

REGIONS: Final = ("region_type", "region_id", "region_name")
NUMBERS: Final = ("count", "lower", "upper", "standard_deviation", "post_processed")


def labelled_counts(plan: Plan, geography: Geography, rows: pa.Table) -> pa.Table:
    """T1 with the plan's own columns in place of codes of groups; null where a group is of all values of a column.

    Columns of regions are there where the plan has more than one region.

    Raises:
        ParameterError: the plan declares no columns.
    """
    families = plan.records.families
    if not families:
        raise ParameterError("table", "is not named, and the plan declares no columns", "name t1 or t2")
    names = list(dict.fromkeys(name for family in families for name in family.columns))
    labels: dict[str, dict[str, str]] = {}
    for number, family in enumerate(families, 1):
        groups = [each.code for each in family.iterations(number, plan.records.by_name)]
        if family.groups:
            values: list[tuple[str, ...]] = [(group.name,) for group in family.groups]
        else:
            columns = family.read(plan.records.by_name)
            values = list(product(*([text for _, text in value_texts(column.domain)] for column in columns)))
        labels |= {
            code: dict(zip(family.columns, each, strict=True)) for code, each in zip(groups, values, strict=True)
        }
    chosen = [labels[code] for code in rows["iteration_code"].to_pylist()]
    regions = REGIONS if sum(map(len, geography.regions.values())) > 1 else ()
    return pa.table(
        {name: rows[name] for name in regions}
        | {_shown(name): pa.array([label.get(name) for label in chosen], pa.string()) for name in names}
        | {name: rows[name] for name in NUMBERS}
    )


def _shown(name: str) -> str:
    return f"{name} (column)" if name in (*REGIONS, *NUMBERS) else name


def ordered_values(plan: Plan, crossed: Sequence[str] = ()) -> dict[str, list[str]]:
    """The values in order of each declared column of numbers or times, as frames name it; `crossed` are the columns of cross tables."""
    values: dict[str, list[str]] = {}
    if plan.cross is not None:
        read = plan.cross.read(plan.records.by_name)
        for name, each in zip(crossed, read, strict=True):
            values |= dict.fromkeys((name, f"{name}_label"), _ordered(each))
    for family in plan.records.families:
        for name, each in zip(family.columns, family.read(plan.records.by_name), strict=True):
            values.setdefault(_shown(name), []).extend(_ordered(each))
    return {name: list(dict.fromkeys(texts)) for name, texts in values.items() if texts}


def _ordered(column: Column) -> list[str]:
    return [] if isinstance(column.domain, Codes) else [text for _, text in value_texts(column.domain)]
