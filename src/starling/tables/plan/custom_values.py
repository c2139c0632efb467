"""A plan about custom records as the values of its plan file: what custom_readable.py reads back as the same plan."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from starling.planfile.formats import format_values
from starling.planfile.values import exact_text
from starling.tables.plan.choices import Choices
from starling.tables.plan.columns import Codes, Column, Decimals, Integers, Periods, places_of
from starling.tables.plan.custom_families import CustomFamily
from starling.tables.plan.custom_levels import AGGREGATES
from starling.tables.plan.custom_records import EVERYWHERE, EXPECTED, CustomAreas, CustomRecords
from starling.tables.plan.detail import Detail
from starling.tables.plan.levels import Level
from starling.tables.plan.readable_choices import privacy_values, publication_values
from starling.tables.plan.readable_levels import price_values


def custom_values(plan: Choices, records: CustomRecords) -> dict[str, Any]:
    """The values that say a plan about custom records."""
    return {
        "title": plan.title,
        "privacy": privacy_values(plan),
        "records": _record_values(records),
        **format_values(records.format),
        "publication": publication_values(plan),
        **_region_values(plan, records.areas),
        **({"detail": _detail_values(plan.detail, records)} if plan.detail.steps else {}),
        **({"columns": [_column_values(column) for column in records.columns]} if records.columns else {}),
        "groups": [_family_values(family, staged=bool(plan.detail.steps)) for family in records.families],
        **({"levels": [_level_values(level, records) for level in plan.levels]} if plan.levels else {}),
        **_aggregate_values(plan, records),
    }


def _aggregate_values(plan: Choices, records: CustomRecords) -> dict[str, Any]:
    values: dict[str, list[dict[str, Any]]] = {key: [] for key in AGGREGATES}
    for each in plan.aggregates:
        stated = {"of": each.column, **_place_values(each.level, records), **price_values(each.level)}
        if each.quantiles is not None:
            places = places_of(records.by_name[each.column])
            cuts = [exact_text(cut / Fraction(10) ** places) if places else cut for cut in each.quantiles.cuts]
            stated |= {"shares": [exact_text(share) for share in each.quantiles.shares]}
            stated |= {"classes": cuts, "way": each.quantiles.way}
        values[AGGREGATES[each.quantiles is not None]].append(stated)
    return {key: stated for key, stated in values.items() if stated}


def _record_values(records: CustomRecords) -> dict[str, Any]:
    most = f"of-a-{records.protects}"
    unit = {most: 1} if records.unit is None else {most: records.unit.most, records.protects: records.unit.field}
    return unit | ({"expected": records.expected} if records.expected != EXPECTED else {})


def _region_values(plan: Choices, areas: CustomAreas) -> dict[str, Any]:
    if areas == EVERYWHERE:
        return {}
    levels = plan.regions.names
    columns: dict[str, Sequence[str]] = {areas.column: areas.codes, **dict(zip(levels, areas.regions, strict=True))}
    small = [level.name for level in plan.regions.levels if level.small]
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    return {
        "regions": {"column": areas.column, "levels": list(levels), **({"small": small} if small else {}), "rows": rows}
    }


def _detail_values(detail: Detail, records: CustomRecords) -> dict[str, Any]:
    steps = [
        {
            name: list(cuts) if isinstance(records.by_name[name].domain, Integers) else True
            for name, cuts in zip(records.detail, partition, strict=True)
            if cuts
        }
        for partition in detail.partitions[1:]
    ]
    return {"columns": list(records.detail), "steps": steps}


def _column_values(column: Column) -> dict[str, Any]:
    domain = column.domain
    stated: dict[str, Any] = {"name": column.name}
    if column.fields != (column.name,):
        stated["fields"] = list(column.fields)
    match domain:
        case Codes():
            named = any(code != text for code, text in domain.values)
            stated["values"] = dict(domain.values) if named else list(domain.codes)
            stated |= {"other": domain.other} if domain.other else {}
        case Integers():
            stated |= {"from": domain.low, "to": domain.high}
        case Decimals():
            bounds = (exact_text(bound / Fraction(10) ** domain.places) for bound in (domain.low, domain.high))
            rounded = {"decimals": domain.places} if domain.places >= 0 else {"unit": 10**-domain.places}
            stated |= dict(zip(("from", "to"), bounds, strict=True)) | rounded
        case Periods():
            stated |= {"periods": list(domain.edges)}
    if column.separator:
        stated["separator"] = column.separator
    return stated | ({"most": column.most} if column.several else {})


def _family_values(family: CustomFamily, *, staged: bool) -> dict[str, Any]:
    cuts = {name: list(lows) for name, lows in zip(family.columns, family.cuts, strict=True) if lows}
    return {
        "name": family.name,
        "columns": list(family.columns),
        **({"cuts": cuts} if cuts else {}),
        **({"sets": {group.name: list(group.values) for group in family.groups}} if family.groups else {}),
        **({"match": "all"} if family.alone else {}),
        **({"detail": "total"} if family.total_only and staged else {}),
    }


def _level_values(level: Level, records: CustomRecords) -> dict[str, Any]:
    family = records.families[level.iteration_level - 1]
    return {
        **_place_values(level, records),
        **price_values(level),
        **({"thresholds": list(level.thresholds)} if not family.total_only else {}),
    }


def _place_values(level: Level, records: CustomRecords) -> dict[str, Any]:
    where = {"regions": level.geography} if records.areas != EVERYWHERE else {}
    return {**where, "groups": records.families[level.iteration_level - 1].name}
