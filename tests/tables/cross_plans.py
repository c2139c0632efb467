"""Small plans of cross tables, with records."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from starling.privacy.budget import Measure
from starling.tables.plan import Plan
from starling.tables.plan.best_families import divided
from starling.tables.plan.cross import Cross, shape_of
from starling.tables.plan.custom_records import custom_records
from starling.tables.plan.residuals import Table
from tests.tables.dense_tables import up_to

COLUMNS: list[dict[str, Any]] = [
    {"name": "sex", "values": {"f": "women", "m": "men"}},
    {"name": "age", "from": 0, "to": 9},
    {"name": "colour", "values": ["red", "green", "blue"]},
]
CUTS = ((), (0, 3, 6, 8), ())
LEVELS = ("county", "district")
AREAS = [["west", "a1"], ["west", "a2"], ["east", "b1"]]


def cross_plan(
    tables: tuple[Table, ...] = up_to(3, 2),
    rho: str = "1/2",
    *,
    levels: tuple[str, ...] = (),
    records: int = 1,
    measure: Measure = "rho",
    **changes: Any,
) -> Plan:
    """A plan of tables of sex, age in four classes and colour; of these levels of regions, if any, and of so many records of a person."""
    values: dict[str, Any] = {
        "title": "A small survey",
        "privacy": {"unit": "person", "neighbours": "add-remove", "measure": measure},
        "records": {"of-a-person": records, **({"person": "id"} if records > 1 else {})},
        "columns": COLUMNS,
        "groups": [{"name": "everybody", "columns": []}],
        "publication": {"negative-counts": True},
        "levels": [{"groups": "everybody", "budget": "1", **({"regions": LEVELS[0]} if levels else {})}],
    }
    if levels:
        values["regions"] = {"column": LEVELS[-1], "levels": list(LEVELS), "rows": [row[::-1] for row in AREAS]}
    plan = Plan.of(values)
    stated = replace(custom_records(plan), families=())
    cross = Cross(("sex", "age", "colour"), CUTS, tables, levels or plan.regions.names, ())
    shape = shape_of(stated, plan.regions, cross, plan.measure)
    shares = divided(shape, [[1.0] * len(tables)] * len(shape.regions), Fraction(rho))
    fields = {"records": stated, "cross": replace(cross, shares=shares), **changes}
    return replace(plan, levels=(), families=(), definitions=stated.definitions, **fields)
