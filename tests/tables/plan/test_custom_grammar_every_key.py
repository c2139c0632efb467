"""Every key of a plan of tables of one's own does something: a change of it shows in the plan, the preview, what is counted, or a refusal.

The keys are those of the JSON Schema, so that a new one without an example fails here. What is released is compared without noise.
"""

import copy
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, Final
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest

from starling.errors import StarlingError
from starling.privacy.distributions.discrete import Distribution
from starling.privacy.trust import inspect
from starling.tables.counts import count
from starling.tables.mechanism import SafeTab
from starling.tables.plan import Plan, aggregate_pieces, describe, read_regions
from starling.tables.plan.custom_grammar import CUSTOM
from starling.tables.postprocess import tabulate
from starling.tables.preview import preview
from starling.tables.preview.described import overview_json
from starling.tables.preview.expected_detail import expect_detail
from starling.tables.source import open_records
from tests.conftest import ROOT
from tests.tables.plan.test_custom_grammar_refused import NONE, WHOLE, changed

FEW: Final = {
    "id": ["1", "1", "1", "1", "2", "3", "4"],
    "age": ["5", "20", "70", "30", "150", "40", ""],
    "sex": ["F", "M", "F", "M", "?", "X", "F"],
    "needs": ["a;b", "a", "c", "a|b", "b;c;a", "x", "b"],
    "spent": ["10.5", "12.25", "-3", "600", "40", "", "1,5"],
    "other": ["1", "2", "3", "4", "5", "6", "7"],
    "seen": ["2024-02-01", "2024-08-01", "2023-01-01", "2024-03-01", "2024-12-31", "", "01/02/2024"],
    "ward": ["w0", "w0", "w1", "w1", "w0", "w9", "w1"],
    "town": ["w1", "w1", "w1", "w1", "w1", "w1", "w1"],
}
MANY: Final = {
    "age": ["25", "10", "70", "70"],
    "sex": ["?", "F", "M", "M"],
    "needs": ["a;b", "b;c;a", "c", "c"],
    "spent": ["3", "20", "40", "40"],
    "other": ["1", "2", "3", "3"],
    "seen": ["2024-02-15", "2024-05-01", "2024-10-01", "2024-10-01"],
    "ward": ["w0", "w0", "w1", "w0"],
    "town": ["w0", "w1", "w1", "w1"],
}
PERSONS: Final = [150, 150, 150, 45]
"""How many persons each column of `MANY` is: groups that get detail, and one that is published as a bare total."""
RECORDS: Final = pa.table(
    {
        name: few
        + (np.repeat(MANY[name], PERSONS).tolist() if name in MANY else [f"p{n}" for n in range(sum(PERSONS))])
        for name, few in FEW.items()
    }
)
BASE: Final[dict[str, Any]] = copy.deepcopy(WHOLE) | {
    "groups": [*WHOLE["groups"], {"name": "seen", "columns": ["seen"]}],
    "publication": WHOLE["publication"] | {"suppression": "0.9"},
    "levels": [*WHOLE["levels"], {"regions": "town", "groups": "seen", "budget": "1", "thresholds": [50, 200]}],
}
CHANGES: Final[dict[str, dict[str, Any]]] = {
    "title": {"title": "Another"},
    "privacy.unit": {"privacy.unit": "household"},
    "privacy.neighbours": {"privacy.neighbours": "replace-one"},
    "privacy.measure": {"privacy.measure": "epsilon"},
    "privacy.delta": {"privacy.delta": "1e-6"},
    "privacy.stage-1-share": {"privacy.stage-1-share": "0.2"},
    "records.of-a-person": {"records.of-a-person": 2},
    "records.of-a-household": {"records.of-a-household": 2},
    "records.person": {"records.person": "other"},
    "records.household": {"records.household": "id"},
    "records.expected": {"records.expected": 10**6},
    "columns.name": {
        "columns[1].name": "gender",
        "groups[1].columns": ["age", "gender"],
        "detail.columns": ["gender", "age"],
    },
    "columns.fields": {"columns[3].fields": ["other"]},
    "columns.values": {"columns[1].values": ["F", "M", "X", "?"]},
    "columns.file": {"columns[1].file": "codes.csv"},
    "columns.other": {"columns[1].other": NONE},
    "columns.from": {"columns[3].from": "0"},
    "columns.to": {"columns[3].to": "20"},
    "columns.decimals": {"columns[3].decimals": 1},
    "columns.unit": {"columns[3].decimals": NONE, "columns[3].unit": 10},
    "columns.periods": {"columns[4].periods": ["2024-01-01", "2024-03-01", "2025-01-01"]},
    "columns.separator": {"columns[2].separator": "|"},
    "columns.most": {"columns[2].most": 1},
    "regions.column": {
        "regions.column": "town",
        "regions.levels": ["ward"],
        "regions.rows": [["w0", "w0"], ["w1", "w1"]],
    },
    "regions.file": {"regions.file": "areas.csv"},
    "regions.rows": {"regions.rows": [["w0", "tb"], ["w1", "tb"]]},
    "regions.levels": {"regions.levels": ["ward", "town"]},
    "regions.small": {"regions.small": ["ward"]},
    "groups.name": {"groups[1].name": "ages"},
    "groups.columns": {"groups[2].columns": ["sex"]},
    "groups.cuts": {"groups[1].cuts": {"age": [0, 50]}},
    "groups.sets": {"groups[0].sets": {"ab": ["a"], "c": ["c"]}},
    "groups.match": {"groups[0].match": "one"},
    "groups.detail": {"groups[1].detail": "adaptive"},
    "detail.columns": {"detail.columns": ["age", "sex"]},
    "detail.steps": {"detail.steps": [{"sex": True}, {"sex": True, "age": [0, 50]}]},
    "publication.negative-counts": {"publication.negative-counts": False},
    "publication.suppression": {"publication.suppression": "0.5"},
    "publication.totals": {"publication.totals": "both stages"},
    "publication.intervals": {"publication.intervals": "published"},
    "publication.add-up": {"publication.add-up": "evenly"},
    "levels.regions": {"levels[1].regions": "town"},
    "levels.groups": {"levels[1].groups": "all"},
    "levels.thresholds": {"levels[0].thresholds": [1, 2]},
    "levels.budget": {"levels[1].budget": "3"},
    "levels.margins": {"levels[0].margins": [{"number": "cell", "within": 60}]},
    "levels.margins.number": {"levels[0].margins": [{"number": "total", "within": 50}]},
    "levels.margins.within": {"levels[0].margins": [{"number": "cell", "within": 51}]},
    "levels.margins.ages": {"levels[0].margins": [{"number": "cell", "within": 50, "ages": 2}]},
    "levels.margins.persons": {"levels[0].margins": [{"number": "total", "within": 50, "persons": 1000}]},
    "levels.margins.confidence": {"levels[0].margins": [{"number": "cell", "within": 50, "confidence": "0.9"}]},
    "sums.of": {"sums[0].of": "age"},
    "sums.regions": {"sums[0].regions": "town"},
    "sums.groups": {"sums[0].groups": "all"},
    "sums.budget": {"sums[0].margins": NONE, "sums[0].budget": "1"},
    "sums.margins": {"sums[0].margins": [{"number": "sum", "within": "800"}]},
    "sums.margins.number": {"sums[0].margins": [{"number": "size", "within": "900.5"}]},
    "sums.margins.within": {"sums[0].margins": [{"number": "sum", "within": "900"}]},
    "sums.margins.records": {"sums[0].margins": [{"number": "mean", "within": "900.5", "records": 2}]},
    "quantiles.of": {"quantiles[0].of": "spent"},
    "quantiles.regions": {"quantiles[0].regions": "town"},
    "quantiles.groups": {"quantiles[0].groups": "age"},
    "quantiles.budget": {"quantiles[0].budget": "2"},
    "quantiles.shares": {"quantiles[0].shares": ["0.25"]},
    "quantiles.classes": {"quantiles[1].classes": ["-10", 5, 50]},
    "quantiles.way": {"quantiles[0].way": "selection"},
}
ELSEWHERE: Final = {
    "publication.data-structure": ("tests/tables/export/test_sdmx.py", "data-structure"),
    "format": ("tests/tables/source/test_declared_records_habits.py", "TextFormat"),
    "tables": ("tests/tables/plan/test_cross_grammar_every_key.py", "CHANGES"),
}
"""Keys that show in what is made of a release, or are keys of another grammar: in which file, and a word of it."""


def keys(schema: dict[str, Any], path: str = "") -> Iterator[str]:
    """The keys of a schema, by their path; those of a table that is open are names and no keys."""
    for name, each in schema.get("properties", {}).items():
        here = f"{path}.{name}" if path else name
        if here in ELSEWHERE:
            continue
        inner = each.get("items", each)
        if "properties" not in inner or name in {"margins", "weights"}:
            yield here
        yield from keys(inner, here)


def effects(changes: dict[str, Any]) -> Iterator[object]:
    """What is seen of a plan, what is counted and published where noise is -3 everywhere, and the preview; or the refusal."""

    def no_noise(noise: Distribution, size: int | tuple[int, ...], **_: object) -> np.ndarray:
        return np.full(size, -3, dtype=np.int64)

    try:
        plan = Plan.of(changed_base(changes))
        regions = read_regions(plan)
        yield overview_json(describe(plan, regions))
        with (
            mock.patch("starling.tables.mechanism.draw", no_noise),
            mock.patch("starling.tables.counts.counting.fresh_bytes", bytes),
        ):
            counts = inspect(count(plan, regions, open_records(RECORDS, plan))).value
            exact = [counts.aggregate(piece).tolist() for piece in aggregate_pieces(plan, regions)]
            drawn = SafeTab(plan, regions).draw(counts)
        tables = [each.to_pylist() for part in tabulate(plan, regions, drawn) for each in (part.t1, part.t2)]
        yield exact, tables
        yield preview(plan, regions, sizes=(0, 50, 1000)).as_json(), repr(expect_detail(plan))
    except StarlingError as refused:
        yield str(refused)


def changed_base(changes: dict[str, Any]) -> dict[str, Any]:
    with mock.patch("tests.tables.plan.test_custom_grammar_refused.WHOLE", BASE):
        return changed(changes)


@pytest.fixture(scope="module")
def unchanged() -> list[object]:
    result = list(effects({}))
    assert len(result) == 3, result
    return result


def test_every_key_has_an_example() -> None:
    assert set(keys(CUSTOM.schema())) == CHANGES.keys()
    for file, word in ELSEWHERE.values():
        assert word in (ROOT / file).read_text()


@pytest.mark.series(4)
@pytest.mark.parametrize("key", CHANGES)
def test_a_key_that_is_changed_shows(key: str, unchanged: list[object]) -> None:
    assert any(one != other for one, other in zip_longest(effects(CHANGES[key]), unchanged))
