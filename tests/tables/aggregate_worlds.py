"""Small plans with sums and quantiles, with records, and the exact numbers of every group by the words of the plan file.

The slow twin reads the values of the plan file, never the plan made of them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from tests.tables.custom_worlds import Group, Record, World, cell_of, groups_of_family, regions_of, worlds

LOW, HIGH, PLACES = Fraction("-1.5"), Fraction("2.5"), 1
NUMBERS = ("0", "1.5", "-1.5", "2.5", " 2.4", "+0.1", "-.2", "1.", "9", "-9", "1e0", "2e-1", "0.04", "1e999")
NO_NUMBERS = ("", "?", "nan", "1 5", "--1", "1e", "0x1", "é", "inf")


@st.composite
def aggregate_worlds(draw: st.DrawFn, most: int = 6, measure: str = "rho") -> World:
    """Worlds of up to so many records, whose plan has one to three aggregates and perhaps no level."""
    world = draw(worlds(most))
    values = dict(world.values)
    values["privacy"] = {**values["privacy"], "measure": measure}
    amount = {"name": "amount", "from": str(float(LOW)), "to": str(float(HIGH)), "decimals": PLACES}
    values["columns"] = [*values["columns"], amount]
    places = [
        {**({"regions": level} if "regions" in values else {}), "groups": family["name"]}
        for family in values["groups"]
        for level in (values["regions"]["levels"] if "regions" in values else ["all"])
    ]
    chosen = draw(
        st.lists(
            st.tuples(st.sampled_from(range(len(places))), st.sampled_from(["amount", "age"]), st.booleans()),
            min_size=1,
            max_size=3,
            unique=True,
        )
    )
    classes = {"amount": ["-1.5", 0, "0.5", 2], "age": [0, 1, 5]}
    for place, column, of_sums in chosen:
        stated: dict[str, Any] = {"of": column, **places[place], "budget": "1"}
        if not of_sums:
            stated |= {"shares": ["0.5", "0.9"], "way": draw(st.sampled_from(["counts", "selection"]))}
            stated |= {"classes": classes[column]} if draw(st.booleans()) else {}
        values.setdefault("sums" if of_sums else "quantiles", []).append(stated)
    if draw(st.booleans()):
        values.pop("levels")
    fields = draw(
        st.lists(
            st.sampled_from(NUMBERS) | st.sampled_from(NO_NUMBERS),
            min_size=len(world.records),
            max_size=len(world.records),
        )
    )
    return World(values, tuple({**each, "amount": stated} for each, stated in zip(world.records, fields, strict=True)))


def number_of(column: str, text: str) -> int | None:
    """The number of a field in units of its last place, clamped; None where it says none."""
    text = text.strip()
    if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text, re.ASCII):
        return None
    low, high, places = (0, 9, 0) if column == "age" else (int(LOW * 10), int(HIGH * 10), PLACES)
    stated = float(text)
    # Python rounds halves to the even number too.
    return low if stated < -1e6 else high if stated > 1e6 else min(max(round(stated * 10**places), low), high)


def aggregates_of(world: World) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Kind and keys of each aggregate of the plan file."""
    for kind in ("sums", "quantiles"):
        for stated in world.values.get(kind, []):
            yield kind, stated


def cells_of(kind: str, stated: Mapping[str, Any]) -> Sequence[int]:
    """The bounds of a sum, or where the classes of quantiles begin, in units of the last place."""
    low, high, places = (0, 9, 0) if stated["of"] == "age" else (int(LOW * 10), int(HIGH * 10), PLACES)
    if kind == "sums":
        return (low, high)
    return [int(Fraction(each) * 10**places) for each in stated.get("classes", [])] or list(range(low, high + 1))


def expected_aggregate(world: World, kind: str, stated: Mapping[str, Any]) -> dict[Group, list[int]]:
    """The exact numbers of each group that has some."""
    result: dict[Group, list[int]] = {}
    families = {family["name"]: family for family in world.values["groups"]}
    cells, level = cells_of(kind, stated), stated.get("regions", "all")
    for record in world.records:
        numbers = spread(kind, cells, number_of(stated["of"], record[stated["of"]]))
        for group in _groups(world, record, level, families[stated["groups"]]):
            both = zip(result.get(group, [0] * len(cells)), numbers, strict=True)
            result[group] = [one + other for one, other in both]
    return {group: each for group, each in result.items() if any(each)}


def spread(kind: str, cells: Sequence[int], number: int | None) -> list[int]:
    """What a record with this number adds to the exact numbers of a group."""
    if number is None:
        return [0] * len(cells)
    if kind == "sums":
        return [cells[1] - number, number - cells[0]]
    actual = max(at for at, low in enumerate(cells) if low <= number)
    return [int(at == actual) for at in range(len(cells))]


def _groups(world: World, record: Record, level: str, family: Mapping[str, Any]) -> set[Group]:
    where = regions_of(world, record)
    if where is None or cell_of(world, record) is None or not where[level]:
        return set()
    return {(level, where[level], group) for group in groups_of_family(world, family, record)}
