"""What releases of cross tables add: the text of codes, numbers that are added up, and which of them have people in common."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations

import pyarrow as pa

from starling.screens.domain_pages import Row, ShownColumn
from starling.screens.tables.domain import NAMES, TITLES, TablesPages
from starling.tables.analysis import TablesRelease
from starling.tables.artifact.cross import of_plan
from starling.tables.plan.custom_families import value_texts
from starling.tables.plan.custom_records import custom_records
from starling.tables.postprocess.cross import REGION, column_names, has_regions, table_names


def pages_of_tables(release: TablesRelease) -> TablesPages:
    """The pages of a release of tables of either kind."""
    return TablesPages(release) if release.plan.cross is None else CrossPages(release)


class CrossPages(TablesPages):
    """The pages of a release of cross tables."""

    def __init__(self, release: TablesRelease) -> None:
        super().__init__(release)
        self._cross = of_plan(self._plan)
        self._kinds = [*self._cross.levels] if has_regions(self._cross) else []
        self._called = column_names(self._cross)
        self._columns = {
            name: tuple(self._called[column] for column in table)
            for name, table in zip(table_names(self._cross), self._cross.tables, strict=True)
        }

    @cached_property
    def _codes(self) -> Mapping[str, Mapping[str, str]]:
        """The text of each code of every column."""
        read = self._cross.read(custom_records(self._plan).by_name)
        return {name: dict(value_texts(each.domain)) for name, each in zip(self._called, read, strict=True)}

    def labels(self, table: str, column: str) -> Mapping[str, str]:
        """See `DomainPages`."""
        return self._codes[column] if column in self._columns.get(table, ()) else super().labels(table, column)

    def choices(self, table: str, column: str, where: Mapping[str, str]) -> Mapping[str, str] | None:
        """See `DomainPages`: what the plan has."""
        if column == "region_type" and table in self._columns:
            labels = self.labels(table, column)
            return {each: labels[each] for each in self._kinds}
        if column == "region_id" and table in self._columns:
            kinds = [where["region_type"]] if where.get("region_type") in self._kinds else self._kinds
            return {code: name for each in kinds for code, name in self._names(each).items()}
        return self._codes[column] if column in self._columns.get(table, ()) else None

    def columns(self, table: str, schema: pa.Schema) -> Sequence[ShownColumn]:
        """See `DomainPages`: texts in place of codes."""
        hidden = {*NAMES.values(), *(f"{each}_label" for each in self._columns.get(table, ()))}
        return [
            self._named(name) if name == "region_id" else self.column(table, name, schema.field(name).type)
            for name in schema.names
            if name not in hidden
        ]

    def _named(self, code: str) -> ShownColumn:
        shown = super()._named(code)
        return ShownColumn(TITLES[code], shown.source, shown.number, shown.text)

    def key(self, table: str) -> Sequence[str]:
        """See `DomainPages`."""
        if table not in self._columns:
            return ()
        return (*(REGION[:2] if has_regions(self._cross) else ()), *self._columns[table])

    def _overlapping(self, rows: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
        """Two cells are of the same people where no column that both have differs, and one region is within the other."""
        for one, other in combinations(rows, 2):
            common = (name for name in self._called if name in one and name in other)
            if all(one[name] == other[name] for name in common) and self._meet(one, other):
                yield one, other

    def _meet(self, one: Row, other: Row) -> bool:
        """Whether one region is the other, or within it; False of what an address says and the plan has not."""
        if not has_regions(self._cross):
            return True
        known = [(row.get("region_type"), row.get("region_id")) for row in (one, other)]
        if not all(kind in self._kinds and region in self._positions[str(kind)] for kind, region in known):
            return False
        (above, whole), (level, region) = sorted(
            (self._kinds.index(str(kind)), self._positions[str(kind)][str(region)]) for kind, region in known
        )
        while level > above:
            level, region = level - 1, self._plan.cross_shape.parents[level - 1][region]
        return whole == region

    @cached_property
    def _positions(self) -> Mapping[str, Mapping[str, int]]:
        """The position of each region of every kind."""
        return {kind: {region: at for at, region in enumerate(self._names(kind))} for kind in self._kinds}

    def overlap(self, rows: Sequence[Row]) -> tuple[str, str] | None:
        """See `DomainPages`."""
        if not rows or "standard_deviation" not in rows[0]:
            return None
        return next(((self._described(one), self._described(other)) for one, other in self._overlapping(rows)), None)

    def _described(self, where: Mapping[str, str]) -> str:
        kind, region = where.get("region_type", ""), where.get("region_id", "")
        words = [self._names(kind).get(region, region) if kind in self._kinds else region]
        words += [self._codes[name].get(where[name], where[name]) for name in self._called if name in where]
        return ", ".join(word for word in words if word) or "all records"
