"""Plans with cross tables: one that has every key, and small ones as Hypothesis draws them."""

from itertools import combinations
from typing import Any, Final

from hypothesis import strategies as st

from starling.errors import PlanError
from starling.tables.plan import Plan

WHOLE: Final[dict[str, Any]] = {
    "title": "Tables of everything",
    "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "rho"},
    "records": {"of-a-person": 1},
    "publication": {"negative-counts": True},
    "columns": [
        {"name": "sex", "values": ["F", "M"], "other": "F"},
        {"name": "age", "from": 0, "to": 99},
        {"name": "school", "values": {"a": "first", "b": "second", "c": "third"}},
        {"name": "needs", "values": ["a", "b"], "separator": ";", "most": 2},
        {"name": "spent", "from": "0", "to": "1.5", "decimals": 1},
        {"name": "same", "values": ["x"]},
        {"name": "old", "from": 0, "to": 9, "fields": ["age"]},
    ],
    "regions": {"column": "ward", "levels": ["town", "ward"], "rows": [["w0", "ta"], ["w1", "ta"], ["w2", "tb"]]},
    "tables": {
        "columns": ["sex", "age", "school"],
        "cuts": {"age": [0, 18, 65]},
        "cross": 1,
        "add": [["sex", "age"], ["school", "age", "sex"]],
        "leave-out": [["school"]],
        "margins": [
            {"within": 20},
            {"table": ["age", "sex"], "within": 12},
            {"regions": "town", "within": 40, "confidence": "0.9"},
            {"table": [], "regions": "ward", "within": 9},
        ],
    },
}
WEIGHED: Final[dict[str, Any]] = WHOLE | {
    "tables": {key: value for key, value in WHOLE["tables"].items() if key != "margins"}
    | {"budget": "0.5", "weights": [{"weight": "4", "table": ["sex"]}, {"weight": "1/2", "regions": "town"}]}
}
"""The same with a budget and weights in place of margins."""
AREAS: Final = [["w0", "ta", "a"], ["w1", "ta", "a"], ["w2", "tb", "a"], ["w3", "tc", "b"]]


@st.composite
def cross_plans(draw: st.DrawFn, most: int = 4) -> dict[str, Any]:
    """A plan of tables of up to so many columns that is read; lists are in any order."""
    sizes = draw(st.lists(st.integers(2, 4), min_size=1, max_size=most))
    names = [f"c{place}" for place, _ in enumerate(sizes)]
    ways = draw(st.integers(0, len(names)))
    every = [each for many in range(len(names) + 1) for each in combinations(names, many)]
    crossed, others = ([each for each in every if (len(each) <= ways) == inside] for inside in (True, False))
    added = draw(st.lists(st.sampled_from(others), unique=True)) if others else []
    fewest = 0 if added else 1
    left_out = draw(st.lists(st.sampled_from(crossed), unique=True, max_size=len(crossed) - fewest))
    tables = [each for each in every if each in added or (each in crossed and each not in left_out)]
    levels = draw(st.sampled_from([[], ["ward"], ["town", "ward"], ["land", "town", "ward"]]))
    scopes = st.fixed_dictionaries(
        {}, optional={"table": st.sampled_from(tables)} | ({"regions": st.sampled_from(levels)} if levels else {})
    )
    stated = draw(st.lists(scopes, unique_by=lambda each: (each.get("table"), each.get("regions")), max_size=4))
    stated = [each for each in stated if each]
    amounts = iter(range(2, 9))
    price: dict[str, Any] = {"budget": "0.25"}
    if draw(st.booleans()):
        price = {"margins": [{"within": 30}, *({**each, "within": next(amounts)} for each in stated)]}
    elif len(tables) * max(len(levels), 1) > 1:
        price["weights"] = [{**each, "weight": next(amounts)} for each in stated] or None
    rows = [[row[0], *(row[("ward", "town", "land").index(level)] for level in levels)] for row in AREAS]
    regions = {"column": "ward", "levels": levels, "rows": [list(dict.fromkeys(row)) for row in rows]}
    with_regions: dict[str, Any] = {"regions": regions} if levels else {}
    most_records = draw(st.integers(1, 3))
    plan: dict[str, Any] = {key: value for key, value in WHOLE.items() if key in {"title", "privacy", "publication"}}
    return plan | {
        "records": {"of-a-person": most_records, "person": "id"},
        "columns": [
            {"name": name, "values": [f"v{value}" for value in range(size)]}
            for name, size in zip(names, sizes, strict=True)
        ],
        **with_regions,
        "tables": {
            "columns": names,
            "cross": ways,
            "add": [draw(st.permutations(each)) for each in added] or None,
            "leave-out": list(map(list, left_out)) or None,
            **price,
        },
    }


def read(values: dict[str, Any]) -> tuple[Plan | None, set[str]]:
    """The plan; or None, and the keys at which it is refused."""
    try:
        return Plan.of(values), set()
    except PlanError as refused:
        return None, {each.field for each in refused.problems}
