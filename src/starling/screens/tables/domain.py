"""What releases of tables add: the text of codes, numbers that are added up, ages of a group, and why a group is not there."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import combinations
from pathlib import PurePosixPath
from typing import Any, Final

import pyarrow as pa

from starling.errors import StarlingError
from starling.pages.parts import Picture
from starling.release.codec import Json
from starling.screens.domain_pages import AgeCell, Combined, DomainPages, Row, ShownColumn
from starling.screens.frame import Frame
from starling.screens.tables.families import families_of_ages
from starling.tables.analysis import TablesRelease
from starling.tables.artifact.aggregates import aggregate_path
from starling.tables.artifact.columns import measurements_path
from starling.tables.artifact.row_values import GROUP
from starling.tables.inference.totals import suppression_quantile
from starling.tables.plan import Level
from starling.tables.plan.detail import ALL, DetailAttribute
from starling.tables.plan.labels import level_title, text_columns
from starling.tables.plan.overlaps import Overlaps

NAMES: Final = {"region_id": "region_name", "iteration_code": "iteration_name"}
"""The column that has the text of a code."""
TITLES: Final = {"region_type": "Kind", "region_id": "Region", "iteration_code": "Group"}
HEADS: Final = TITLES | {"stage_1": "First noisy total", "branch": "Detail", "stage_2": "Noisy numbers"}
"""Titles of columns, of measurements too."""
BRANCHES: Final = {-1: "measured once", 0: "the total alone"}
NUMBERS: Final = ("t1", "t2")
"""The tables whose numbers are added up."""
RAISED: Final = "post_processed"
MOST_AGES: Final = 4_000
"""Rows of one group."""
MOST_PICTURED: Final = 100_000
"""Rows of a T1 that is drawn, for which all of them are read."""
MOST_RESULTS: Final = 256
"""Results of sums and ratios that are remembered."""
_WHOLE: Final = re.compile(r"-?[0-9]{1,18}")
RULE: Final = "The rule is public, and looks at noisy numbers alone: nothing is left out for what the records say."


class TablesPages(DomainPages[TablesRelease]):
    """The pages of a release of tables."""

    def __init__(self, release: TablesRelease) -> None:
        super().__init__(release)
        self._plan, self._geography = release.plan, release.geography
        self._places = {str(kind): kind for kind in self._geography.regions}
        self._kinds = list(dict.fromkeys(str(level.geography) for level in self._plan.levels))
        self._regions: dict[str, Mapping[str, str]] = {}
        # An exact interval of a ratio takes a search, and stands on each page that is turned to.
        self._result = lru_cache(MOST_RESULTS)(self._new_result)

    def pictures(self) -> Sequence[Picture]:
        """See `DomainPages`; none of a table of national size, of which a picture would show the first rows."""
        few = "t1" in self.release.names and self.release.size("t1")[0] <= MOST_PICTURED
        return super().pictures() if few else []

    def labels(self, table: str, column: str) -> Mapping[str, str]:
        """See `DomainPages`."""
        if column == "region_type":
            return {kind: self._plan.regions.of(each).kind for kind, each in self._places.items()}
        level = self._measured.get(table.rpartition("/")[2]) if "/" in table else None
        if level is not None and column == "region_id":
            return self._names(str(level.geography))
        if level is not None and column == "iteration_code":
            return {each.code: each.name for each in level.iterations}
        return {}

    @cached_property
    def _measured(self) -> Mapping[str, Level]:
        """The level of each file of measurements, by the name of the file."""
        files = [(measurements_path(each), each) for each in self._plan.levels]
        files += [(aggregate_path(self._plan, each), each.level) for each in self._plan.aggregates]
        return {PurePosixPath(file).stem: level for file, level in files}

    @cached_property
    def _texts(self) -> Mapping[str, Mapping[tuple[str, ...], str]]:
        """The text of each combination of codes, by the attribute of the detail."""
        detail = self._plan.detail
        texts = text_columns(self._plan.regions, detail, [name for each in detail.attributes for name in each.columns])
        known = {each.source: each.known for each in texts}
        return {each.name: known.get(each.columns, {}) for each in detail.attributes}

    @cached_property
    def _values(self) -> Mapping[str, Mapping[str, str]]:
        """The text of each code of a column of the detail, by which rows are chosen."""
        values: dict[str, dict[str, str]] = {}
        for each in self._plan.detail.attributes:
            known = {codes[0]: text for codes, text in self._texts[each.name].items()}
            order = [code for code, _ in each.values] or sorted(known.keys() - {ALL}, key=int)
            # Of ages several bands begin with one.
            values[each.columns[0]] = {
                code: known[code] if each.values or code == ALL else f"from {code}"
                for code in (ALL, *order)
                if code in known
            }
        return values

    def choices(self, table: str, column: str, where: Mapping[str, str]) -> Mapping[str, str] | None:
        """See `DomainPages`: of regions and groups what the plan has, so that nothing is searched for it."""
        kind = where.get("region_type")
        if column == "region_id":
            kinds = self._kinds if table in NUMBERS else list(self._places)
            kinds = [kind] if kind in kinds else kinds
            return {code: name for each in kinds for code, name in self._names(each).items()}
        if table not in NUMBERS:
            return None
        if column == "region_type":
            labels = self.labels(table, column)
            return {each: labels[each] for each in self._kinds}
        if column == "iteration_code":
            levels = [each for each in self._plan.levels if kind in (None, str(each.geography))]
            return {each.code: each.name for level in levels for each in level.iterations}
        return self._values.get(column)

    def _names(self, kind: str) -> Mapping[str, str]:
        """Code and name of each region of a kind."""
        if kind not in self._regions:
            geography = self._places[kind]
            codes, names = self._geography.regions[geography], self._geography.names[geography]
            self._regions[kind] = dict(zip(map(str, codes), map(str, names), strict=True))
        return self._regions[kind]

    @cached_property
    def _is_of_one_region(self) -> bool:
        """Whether there is one region, of which all is."""
        return sum(len(self._names(kind)) for kind in self._kinds) == 1

    def columns(self, table: str, schema: pa.Schema) -> Sequence[ShownColumn]:
        """See `DomainPages`: names in place of codes, and each attribute of the detail once."""
        names, hidden = set(schema.names), set(NAMES.values())
        if not names.issuperset({*GROUP, *hidden}):
            return super().columns(table, schema)
        columns = [self._named(name) if name in NAMES else self.column(table, name, pa.string()) for name in GROUP]
        for each in self._plan.detail.attributes:
            if names.issuperset(each.columns):
                columns.append(self._attribute(each))
                hidden |= {*each.columns, each.text_column}
        if self._is_of_one_region:
            columns = [each for each in columns if not each.source.startswith("region_")]
        hidden |= {*GROUP, *({RAISED} if "count" in names else ())}
        rest = [name for name in schema.names if name not in hidden]
        return [
            ShownColumn(TITLES.get(each.source, each.title), each.source, each.number, each.text)
            for each in [*columns, *(self.column(table, name, schema.field(name).type) for name in rest)]
        ]

    def column(self, table: str, name: str, kind: pa.DataType) -> ShownColumn:
        """See `DomainPages`; a number says itself that it was raised to 0, or is a sum of such."""
        shown = super().column(table, name, kind)
        shown = replace(shown, title=HEADS.get(name, shown.title))
        if name == "branch":
            return replace(shown, number=False, text=lambda row: BRANCHES.get(row[name], f"step {row[name]}"))
        if name != "count":
            return shown

        def text(row: Row) -> str:
            return f"{shown.text(row)}{' (raised where below 0)' if row.get(RAISED) else ''}"

        return replace(shown, text=text)

    def _named(self, code: str) -> ShownColumn:
        return ShownColumn("", code, False, lambda row: str(row.get(NAMES[code]) or row[code]))

    def _attribute(self, attribute: DetailAttribute) -> ShownColumn:
        known = self._texts[attribute.name]

        def text(row: Row) -> str:
            codes = tuple(row[name] for name in attribute.columns)
            return known.get(codes) or (f"all {attribute.plural}" if set(codes) == {ALL} else " to ".join(codes))

        title = attribute.name if attribute.values else attribute.plural
        return ShownColumn(title.capitalize(), attribute.columns[0], False, text)

    def key(self, table: str) -> Sequence[str]:
        """See `DomainPages`."""
        if table not in NUMBERS or table not in self.release.names:
            return ()
        return (*GROUP, *(self._plan.detail.columns if table == "t2" else ()))

    def combined(self, picks: Sequence[tuple[str, Mapping[str, str]]], frame: Frame) -> Sequence[Combined]:
        """See `DomainPages`: what `Release.tell` says of each number, of their sum, difference and ratio."""
        terms: list[dict[str, Json]] = [
            {"table": table, "where": [[name, value] for name, value in where.items()]} for table, where in picks
        ]
        results = [
            self._combined(self._described(where), {"kind": "sum", "terms": [term]}, frame)
            for term, (_, where) in zip(terms, picks, strict=True)
        ]
        if len(terms) > 1:
            first, others = terms[0], terms[1:]
            rest = "the second" if len(others) == 1 else "all others"
            minus: list[Json] = [first, *({**each, "weight": "-1"} for each in others)]
            questions: list[tuple[str, dict[str, Json]]] = [
                ("Sum", {"kind": "sum", "terms": [*terms]}),
                (f"Difference: the first less {rest}", {"kind": "sum", "terms": minus}),
                (f"Ratio: the first by {rest}", {"kind": "ratio", "terms": [first], "divisor": [*others]}),
            ]
            results += [self._combined(what, question, frame) for what, question in questions]
        return results

    def _combined(self, what: str, question: dict[str, Json], frame: Frame) -> Combined:
        number, problem = self._result(json.dumps(question))
        return Combined(what, number, problem, frame.lines(question, f"release.tell({question!r})"))

    def _new_result(self, question: str) -> tuple[Mapping[str, Any], str]:
        """What the release says to a question, or why it is refused."""
        try:
            number: Any = self.release.tell(json.loads(question))
        except StarlingError as error:
            return {}, "; ".join(map(str, error.problems))
        return number, ""

    def overlaps(self, picks: Sequence[tuple[str, Mapping[str, str]]]) -> Sequence[str]:
        """See `DomainPages`: nested regions, groups that one person can be in, and classes of the detail with a value in common."""
        return [
            f"“{self._described(one)}” and “{self._described(other)}” can have people in common: a sum counts these twice."
            for one, other in self._overlapping([where for _, where in picks])
        ]

    def overlap(self, rows: Sequence[Row]) -> tuple[str, str] | None:
        """See `DomainPages`."""
        if not rows or not rows[0].keys() >= {*GROUP}:
            return None
        return next(((self._described(one), self._described(other)) for one, other in self._overlapping(rows)), None)

    def _overlapping(self, rows: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
        """Each two rows whose numbers can be of the same people."""
        known = [(row, (row["region_type"], row["region_id"], row["iteration_code"])) for row in rows]
        details = self._plan.detail.attributes
        for (one, first), (other, second) in combinations(known, 2):
            if self._overlaps.meet(first, second) and all(_meet(each, one, other) for each in details):
                yield one, other

    @cached_property
    def _overlaps(self) -> Overlaps:
        return Overlaps(self._plan, self._geography)

    def _described(self, where: Mapping[str, str]) -> str:
        """A picked number in words."""
        kind, region = where.get("region_type", ""), where.get("region_id", "")
        name = self._names(kind).get(region, region) if kind in self._places else region
        codes = self.choices("t1", "iteration_code", {}) or {}
        words = ["" if self._is_of_one_region else name, codes.get(where.get("iteration_code", ""), "")]
        words += [
            self._attribute(each).text(where)
            for each in self._plan.detail.attributes
            if set(each.columns) <= set(where)
        ]
        return ", ".join(word for word in words if word)

    def _with_region(self, where: Mapping[str, str]) -> Mapping[str, str] | None:
        """The values with the kind and code of the region that is meant, where it is the only one or its code says it; None elsewhere."""
        kinds = [where["region_type"]] if where.get("region_type") in self._kinds else self._kinds
        meant = [(kind, where["region_id"]) for kind in kinds if where.get("region_id") in self._names(kind)]
        if "region_id" not in where:
            meant = [(kind, code) for kind in kinds for code in list(self._names(kind))[:2]]
        if len(meant) != 1:
            return None
        return {**where, "region_type": meant[0][0], "region_id": meant[0][1]}

    def ages(self, table: str, where: Mapping[str, str]) -> tuple[str, Sequence[AgeCell]]:
        """See `DomainPages`."""
        meant = self._with_region(where)
        if table not in NUMBERS or meant is None:
            return "", ()
        where = meant
        if table == "t1":
            return self._ages_of_families(where)
        ages = next((each for each in self._plan.detail.attributes if each.name == "age" and not each.values), None)
        if ages is None or "iteration_code" not in where:
            return "", ()
        others = [each for each in self._plan.detail.attributes if each is not ages]
        chosen = {name: [value] for name, value in where.items()}
        rows = self.release.stored(table).window(chosen, 0, MOST_AGES).rows.to_pylist()
        cells = [
            AgeCell(
                *band,
                self._attribute(ages).text(row),
                ", ".join(self._attribute(each).text(row) for each in others),
                row,
            )
            for row in rows
            if (band := _band([row["age_start"], row["age_end"]])) is not None
        ]
        return self._described(where), cells

    def _ages_of_families(self, where: Mapping[str, str]) -> tuple[str, Sequence[AgeCell]]:
        """The age bands of a family of groups over declared columns."""
        chosen = {name: [value] for name, value in where.items() if name in ("region_type", "region_id")}
        code = where.get("iteration_code")
        for family in families_of_ages(self._plan):
            if code is not None and code not in family:
                continue
            rows = (
                self.release.stored("t1")
                .window({**chosen, "iteration_code": list(family)}, 0, MOST_AGES)
                .rows.to_pylist()
            )
            cells = [AgeCell(*family[row["iteration_code"]], row) for row in rows]
            if cells:
                return self._names(where["region_type"]).get(where["region_id"], where["region_id"]), cells
        return "", ()

    def left_out(self, table: str, where: Mapping[str, str]) -> Sequence[str]:
        """See `DomainPages`: groups of the chosen region that are not in T1, or whose detail is not in T2."""
        meant = self._with_region(where)
        if table not in NUMBERS or meant is None:
            return ()
        where = meant
        chosen = {name: [where[name]] for name in GROUP if name in where}
        there: dict[str, set[str]] = {}
        for name in NUMBERS:
            if name in self.release.names:
                values = self.release.stored(name).values("iteration_code", chosen, MOST_AGES)
                if values is None:
                    return ()  # only a long search would say which groups are there
                there[name] = set(values)
        sentences = []
        for level in self._plan.levels:
            if str(level.geography) != where["region_type"]:
                continue
            for each in level.iterations:
                if where.get("iteration_code", each.code) != each.code:
                    continue
                if each.code not in there.get("t1", {each.code}):
                    sentences.append(f"{each.name}: {self._why(level)}")
                elif table == "t2" and each.code not in there["t2"] and level.thresholds and not each.total_only:
                    sentences.append(
                        f"{each.name}: has a total in T1 alone, as its noisy first total was below {level.thresholds[0]:,}. {RULE}"
                    )
        return sentences

    def _why(self, level: Level) -> str:
        most = suppression_quantile(self._plan, level)
        limit = "" if most is None else f", as its noisy total was {most:,} or lower"
        return f"left out{limit}. {level_title(self._plan, level)}. {RULE}"


def _meet(attribute: DetailAttribute, one: Row, other: Row) -> bool:
    """Whether two classes of an attribute have a value in common; a number of the first table is of all values."""
    first, second = ([where.get(name, ALL) for name in attribute.columns] for where in (one, other))
    if ALL in first or ALL in second or attribute.values:
        return ALL in first or ALL in second or first == second
    a, b = _band(first), _band(second)
    return a is not None and b is not None and a[0] <= b[1] and b[0] <= a[1]


def _band(codes: Sequence[str]) -> tuple[int, int] | None:
    """First and last value of a class of numbers; None of all values, and of codes that no plan has."""
    return (int(codes[0]), int(codes[1])) if all(_WHOLE.fullmatch(each) for each in codes) else None
