"""Codes as text, wherever people read: levels, classes of the detail, population groups. The Census formats keep their codes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from starling.release.text import rounded
from starling.tables.plan import Detail, Level
from starling.tables.plan.choices import Choices
from starling.tables.plan.region_levels import RegionLevels

LONGEST: Final = 58
"""Letters of a label beside a picture."""


def level_title(plan: Choices, level: Level) -> str:
    """The title of a level of a plan: "County, detailed"."""
    return f"{plan.regions.of(level.geography).kind}, {plan.families[level.iteration_level - 1]}"


def level_text(plan: Choices, level: Level) -> str:
    """A level as the plan file names it: "COUNTY detailed"."""
    return f"{level.geography} {plan.families[level.iteration_level - 1]}"


def percent(part: float | Fraction) -> str:
    """A part of a whole, with one decimal."""
    return f"{float(100 * part):z.1f} %"


def short_percent(part: float) -> str:
    """A part of a whole, with two or one digits.

    >>> short_percent(0.123), short_percent(0.00123), short_percent(0.0000002)
    ('12 %', '0.1 %', '0.00002 %')
    """
    return f"{100 * part:z.0f} %" if part >= 0.01 else f"{rounded(float(f'{100 * part:z.1g}'))} %"


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column of text that stands beside columns of codes.

    Attributes:
        known: The text of each combination of codes.
    """

    name: str
    source: tuple[str, ...]
    known: Mapping[tuple[str, ...], str]


def text_columns(regions: RegionLevels, detail: Detail, names: Iterable[str]) -> tuple[TextColumn, ...]:
    """The columns of text that stand beside columns of these names."""
    kinds: dict[tuple[str, ...], str] = {(level.name,): level.kind for level in regions.levels}
    columns = [TextColumn("region_kind", ("region_type",), kinds)]
    for place, attribute in enumerate(detail.attributes):
        classes = dict.fromkeys(row.classes[place] for rows in detail.rows for row in rows)
        known = {attribute.codes(each): attribute.text(each) for each in classes}
        columns.append(TextColumn(attribute.text_column, attribute.columns, known))
    there = set(names)
    return tuple(each for each in columns if there.issuperset(each.source))


def with_text(table: pa.Table, chosen: tuple[TextColumn, ...]) -> pa.Table:
    """A table with columns of text for its codes; missing where a code is not known.

    >>> sexes = TextColumn("sex_name", ("sex",), {("1",): "male", ("2",): "female"})
    >>> with_text(pa.table({"sex": ["2", "1"]}), (sexes,))["sex_name"].to_pylist()
    ['female', 'male']
    """
    for column in chosen:
        codes = pc.binary_join_element_wise(*(table[name].cast(pa.string()) for name in column.source), _BETWEEN)
        positions = pc.index_in(codes, pa.array([_BETWEEN.join(each) for each in column.known]))
        texts = pa.array(list(column.known.values()), pa.string())
        table = table.append_column(column.name, pa.chunked_array([texts.take(positions.combine_chunks())]))
    return table


_BETWEEN: Final = "-"


def group(row: Mapping[str, Any]) -> str:
    """The population group of a row of T1 or T2."""
    return f"{row['iteration_name']}, {row['region_name']}"


def shortened(label: str) -> str:
    """A label that fits beside a picture."""
    return label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"
