"""Small plans of custom tables with records, drawn by Hypothesis, and what they count to by the words of the plan file.

The slow twin reads the values of the plan file, never the plan made of them, so that it shares no code with what it checks.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from starling.tables.plan import Plan

Record = Mapping[str, str]
Group = tuple[str, str, str]
"""A level of regions, a region and a group."""

AREAS = (("a1", "west", "land"), ("a2", "west", "land"), ("b1", "east", "land"), ("c1", "", "land"))
COLOURS = ("red", "green", "blue")
SKILLS = ("p", "q", "r", "s")
AGES = (0, 9)
STEPS: tuple[list[dict[str, Any]], ...] = (
    [],
    [{"colour": True}],
    [{"age": [0, 5]}, {"colour": True, "age": [0, 2, 5, 8]}],
)
FAMILIES: tuple[dict[str, Any], ...] = (
    {"name": "everybody", "columns": []},
    {"name": "colours", "columns": ["colour"]},
    {"name": "skills", "columns": ["skills"]},
    {
        "name": "only skills",
        "columns": ["skills"],
        "sets": {"first": ["p", "q"], "late": ["q", "r", "s"]},
        "match": "all",
    },
    {"name": "some skills", "columns": ["skills"], "sets": {"first": ["p", "q"], "late": ["q", "r", "s"]}},
    {"name": "colours by age", "columns": ["colour", "age"], "cuts": {"age": [0, 2, 5]}, "detail": "total"},
    {"name": "skills by colour", "columns": ["skills", "colour"]},
)


@dataclass(frozen=True)
class World:
    """A plan file as values, and records as texts."""

    values: dict[str, Any]
    records: tuple[Record, ...]

    @property
    def plan(self) -> Plan:
        """The plan of the values."""
        return Plan.of(self.values)

    @property
    def columns(self) -> list[str]:
        """The columns of the records."""
        whose = [self.values["records"]["person"]] if "person" in self.values["records"] else []
        return ["area"] * ("regions" in self.values) + [column["name"] for column in self.values["columns"]] + whose

    def with_records(self, records: Sequence[Record]) -> "World":
        """The plan with other records."""
        return World(self.values, tuple(records))

    def csv(self, folder: Path) -> Path:
        """The records as CSV."""
        lines = [",".join(self.columns), *(",".join(each[name] for name in self.columns) for each in self.records)]
        path = folder / "records.csv"
        path.write_text("\n".join(lines) + "\n")
        return path

    def table(self) -> pa.Table:
        """The records as text in Arrow; an empty text is missing."""
        columns = {name: [each[name] or None for each in self.records] for name in self.columns}
        return pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})

    def parquet(self, folder: Path) -> Path:
        """The records as Parquet, in row groups of two."""
        pq.write_table(self.table(), folder / "records.parquet", row_group_size=2)
        return folder / "records.parquet"


@st.composite
def worlds(draw: st.DrawFn, most: int = 8) -> World:
    """Worlds of up to so many records, with fields of every kind of fault."""
    families = draw(st.lists(st.sampled_from(FAMILIES), min_size=1, max_size=3, unique_by=lambda each: each["name"]))
    steps = draw(st.sampled_from(STEPS))
    regions = draw(st.booleans())
    levels = ["land", "county", "area"] if regions else ["all"]
    read = draw(st.integers(1, 3))
    stated = [
        {
            **({"regions": level} if regions else {}),
            "groups": family["name"],
            "budget": "1",
            **({"thresholds": list(range(1, len(steps) + 1))} if steps and family.get("detail") != "total" else {}),
        }
        for family in families
        for level in draw(st.lists(st.sampled_from(levels), min_size=1, unique=True))
    ]
    rows = [[area, land, county, area] for area, county, land in AREAS]
    values: dict[str, Any] = {
        "title": "A small world",
        "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "rho"},
        "records": {"of-a-person": 1},
        "columns": [
            {"name": "colour", "values": list(COLOURS)},
            {"name": "age", "from": AGES[0], "to": AGES[1]},
            {"name": "skills", "values": list(SKILLS), "separator": ";", "most": read},
        ],
        "groups": families,
        "publication": {"negative-counts": True},
        "levels": stated,
    }
    if steps:
        values["detail"] = {"columns": ["colour", "age"], "steps": steps}
        values["privacy"]["stage-1-share"] = "0.1"
    if regions:
        # The area is a level as well, under its own name.
        values["regions"] = {"column": "area", "levels": levels, "rows": [[row[0], row[1], row[2]] for row in rows]}
    fault = st.sampled_from(["", "?", " ", "10", "-1", "1e0", "2.5", "nan", "inf", "red;", "é"])
    record = st.fixed_dictionaries(
        {
            "area": st.sampled_from([area for area, *_ in AREAS]) | fault,
            "colour": st.sampled_from(COLOURS).map(lambda each: f" {each}") | st.sampled_from(COLOURS) | fault,
            "age": st.integers(*AGES).map(str) | st.sampled_from(["3.0", " 4", "+5"]) | fault,
            "skills": st.lists(st.sampled_from((*SKILLS, "?", "")), max_size=4).map(";".join),
        }
    )
    return World(values, tuple(draw(st.lists(record, max_size=most))))


def groups_of(world: World, record: Record) -> set[Group]:
    """The groups that a record is in by the words of the plan file; none where it is dropped."""
    values = world.values
    where = regions_of(world, record)
    if where is None or cell_of(world, record) is None:
        return set()
    families = {family["name"]: family for family in values["groups"]}
    return {
        (level.get("regions", "all"), region, group)
        for level in values["levels"]
        if (region := where[level.get("regions", "all")])
        for group in groups_of_family(world, families[level["groups"]], record)
    }


def regions_of(world: World, record: Record) -> dict[str, str] | None:
    """The region of each level; None without an area."""
    if "regions" not in world.values:
        return {"all": "all"}
    names = list(dict.fromkeys(["area", *world.values["regions"]["levels"]]))
    for row in world.values["regions"]["rows"]:
        if row[0] == record["area"].strip():
            return dict(zip(names, row, strict=True))
    return None


def groups_of_family(world: World, family: Mapping[str, Any], record: Record) -> set[str]:
    """The codes of the groups of one family that a record is in."""
    name = family["name"]
    if not family["columns"]:
        return {f"{name}: everybody"}
    several = [classes_of(world, column, family.get("cuts", {}).get(column), record) for column in family["columns"]]
    if "sets" in family:
        (result,) = several
        every = family.get("match") == "all"
        inside = {
            group: (bool(result) and result <= set(members)) if every else bool(result & set(members))
            for group, members in family["sets"].items()
        }
        return {f"{name}: {group}" for group, is_in in inside.items() if is_in}
    return {f"{name}: {', '.join(each)}" for each in product(*several) if None not in each}  # type: ignore[arg-type]


def classes_of(world: World, column: str, cuts: Sequence[int] | None, record: Record) -> set[str | None]:
    """The classes of a column that a record has; None stands for a value outside the domain."""
    text = record[column].strip()
    if column == "colour":
        return {text if text in COLOURS else None}
    if column == "age":
        age = age_of(text)
        lows = [low for low in cuts or [] if age is not None and low <= age]
        if not lows:
            return {None}
        end = next((low - 1 for low in cuts or [] if low > lows[-1]), AGES[1])
        return {f"{lows[-1]} to {end}"}
    read = next(each["most"] for each in world.values["columns"] if each["name"] == "skills")
    remaining: list[str | None] = []
    for part in text.split(";"):
        value = part.strip() if part.strip() in SKILLS else None
        if part.strip() and value not in remaining:
            remaining.append(value)
    return set(remaining[:read])


def age_of(text: str) -> int | None:
    """The whole number that a text says, where it is in the range."""
    written = re.fullmatch(r"\+?0*([0-9])(\.0*)?", text)
    return int(written[1]) if written else None


def cell_of(world: World, record: Record) -> tuple[int, ...] | None:
    """The finest cell of a record, as the number of its class of each column; None where it has none."""
    if "detail" not in world.values:
        return ()
    text, age = record["colour"].strip(), age_of(record["age"].strip())
    if text not in COLOURS or age is None:
        return None
    last = world.values["detail"]["steps"][-1]
    of_colour = COLOURS.index(text) if last.get("colour") else 0
    return of_colour, max((place for place, low in enumerate(last.get("age", [0])) if low <= age), default=0)


def expected(world: World) -> dict[Group, Counter[tuple[int, ...]]]:
    """Records by cell in each group that has some."""
    result: dict[Group, Counter[tuple[int, ...]]] = {}
    for record in world.records:
        cell = cell_of(world, record)
        for group in groups_of(world, record):
            assert cell is not None
            result.setdefault(group, Counter())[cell] += 1
    return result
