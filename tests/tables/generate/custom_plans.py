"""Plans of custom tables, drawn by Hypothesis, with every kind of column that one can declare."""

from typing import Any

from hypothesis import strategies as st

from starling.tables.plan import Plan
from tests.tables.aggregate_worlds import aggregate_worlds

CODES = ("a", "b,c", 'd"e', "7", "nan", "é", "f g")
EDGES = (
    ["0101-01-01", "0101-01-02"],
    ["1899-12-31", "1999-12-31", "2026-02-28"],
    ["2024-01-01T06:30:01", "2024-01-01T06:30:02", "2024-02-01"],
    ["2024-01-01T00:00:00.000001", "2024-01-01T00:00:00.000004+01:00", "2024-01-01T00:00:00.000005"][::2],
)
MORE: tuple[list[dict[str, Any]], ...] = (
    [{"name": "code", "values": list(CODES), "other": "nan"}],
    [{"name": "codes", "values": list(CODES), "separator": ";", "most": 3}],
    [{"name": "ills", "fields": ["ill 1", "ill 2", 'ill "3"'], "values": list(CODES), "most": 2}],
    # The first illness is a column of its own too, of which a record has one value.
    [
        {"name": "any ill", "fields": ["ill 1", "ill 2"], "values": list(CODES), "most": 2},
        {"name": "first ill", "fields": ["ill 1"], "values": [*CODES[:3], "z"]},
    ],
    [{"name": "marks", "fields": ["mark 1", "mark 2"], "from": 1, "to": 6, "most": 2}],
    *([{"name": "when", "periods": edges}] for edges in EDGES),
    [
        {"name": "year", "fields": ["day"], "periods": ["2023-01-01", "2024-01-01", "2025-01-01"]},
        {"name": "month", "fields": ["day"], "periods": ["2024-02-01", "2024-03-01"]},
    ],
    [{"name": "cost", "from": "-10.25", "to": "99.5", "decimals": 2}],
    [
        {"name": "paid", "fields": ["euros"], "from": "0", "to": "2.5", "decimals": 1},
        {"name": "whole euros", "fields": ["euros"], "from": 1, "to": 900},
    ],
    [{"name": "far", "from": -(10**9), "to": 10**9}],
    # Read from the area too, where there are regions: nobody then lives in another.
    [{"name": "town", "fields": ["area"], "values": ["b1", "a1", "z9"]}],
)


@st.composite
def custom_plans(draw: st.DrawFn) -> Plan:
    """Plans whose columns are those of `aggregate_worlds` and some of MORE, in families of their own; some of persons."""
    values = draw(aggregate_worlds(most=0)).values
    more = [column for some in draw(st.lists(st.sampled_from(MORE), max_size=3, unique_by=str)) for column in some]
    more = list({column["name"]: column for column in more}.values())
    families = [
        {"name": f"by {column['name']}", "columns": [column["name"]]}
        | ({"cuts": {column["name"]: [column["from"], 5]}} if column.get("to") == 10**9 else {})
        for column in more
        if "decimals" not in column
    ]
    places = {"regions": "area"} if "regions" in values else {}
    most = draw(st.sampled_from([0, 1, 4]))
    unit = draw(st.sampled_from(["person", "household"]))
    levels = [{**places, "groups": each["name"], "budget": "1"} for each in families]
    if "detail" in values:
        levels = [{**each, "thresholds": list(range(1, len(values["detail"]["steps"]) + 1))} for each in levels]
    return Plan.of(
        {
            **values,
            "privacy": {**values["privacy"], "unit": unit},
            "records": {f"of-a-{unit}": most, unit: "whose"} if most else {f"of-a-{unit}": 1},
            "columns": [*values["columns"], *more],
            "groups": [*values["groups"], *families],
            "levels": [*values.get("levels", []), *levels] or None,
        }
    )
