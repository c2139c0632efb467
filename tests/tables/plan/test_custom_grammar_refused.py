"""Every combination that a plan of custom tables cannot have is refused at its key with its reason: one table of all of them.

A row changes one plan that is read, which has everything that goes together. The last test compares the table with the reasons that
stand in the code, so that a new one is entered here or named below as one that no plan file can meet.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from typing import Any, Final

import pytest

from starling.errors import PlanError
from starling.tables.plan import Plan
from starling.tables.plan.variants import REFUSED, Choice
from tests.conftest import ROOT
from tests.tables.small import small_plan
from tests.tables.test_mechanism_top_up import topping

WHOLE: Final[dict[str, Any]] = {
    "title": "All at once",
    "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "rho", "stage-1-share": "0.1"},
    "records": {"of-a-person": 3, "person": "id", "expected": 5000},
    "columns": [
        {"name": "age", "from": 0, "to": 99},
        {"name": "sex", "values": ["F", "M", "X"], "other": "X"},
        {"name": "needs", "values": ["a", "b", "c"], "separator": ";", "most": 2},
        {"name": "spent", "from": "-10", "to": "500.00", "decimals": 2},
        {"name": "seen", "periods": ["2024-01-01", "2024-07-01", "2025-01-01"]},
    ],
    "regions": {"column": "ward", "levels": ["town", "ward"], "small": ["town"], "rows": [["w0", "ta"], ["w1", "tb"]]},
    "groups": [
        {"name": "needs", "columns": ["needs"], "sets": {"ab": ["a", "b"], "c": ["c"]}, "match": "all"},
        {"name": "age", "columns": ["age", "sex"], "cuts": {"age": [0, 18, 65]}, "detail": "total"},
        {"name": "all", "columns": []},
    ],
    "detail": {"columns": ["sex", "age"], "steps": [{"sex": True}, {"sex": True, "age": [0, 18]}]},
    "publication": {"negative-counts": True, "suppression": "0.99"},
    "levels": [
        {"regions": "town", "groups": "needs", "margins": [{"number": "cell", "within": 50}], "thresholds": [50, 200]},
        {"regions": "ward", "groups": "age", "budget": "2"},
    ],
    "sums": [{"of": "spent", "regions": "ward", "groups": "age", "margins": [{"number": "sum", "within": "900.5"}]}],
    "quantiles": [
        {"of": "age", "regions": "ward", "groups": "all", "shares": ["0.5"], "way": "counts", "budget": "1"},
        {
            "of": "spent",
            "regions": "town",
            "groups": "all",
            "shares": ["0.5"],
            "classes": ["-10", 0, 50],
            "budget": "1",
        },
    ],
}
NONE: Final = object()
"""A key that is left out."""

ROWS: Final[list[tuple[dict[str, Any], str, str]]] = [
    # Privacy, records and publication.
    ({"privacy.unit": "point"}, "privacy.unit", "is not person or household"),
    ({"privacy.neighbours": "replace-one"}, "privacy.neighbours", "is not add-remove"),
    ({"privacy.measure": "delta"}, "privacy.measure", "is not epsilon or rho"),
    ({"privacy.stage-1-share": "1"}, "privacy.stage-1-share", "is not above 0 and below 1"),
    ({"privacy.stage-1-share": NONE}, "privacy.stage-1-share", "is missing"),
    ({"detail": NONE}, "privacy.stage-1-share", "would change nothing: without [detail] each group is measured once"),
    ({"privacy.stage-1-share": "cheapest"}, "privacy.stage-1-share", "with no target for the deciding total"),
    ({"privacy.unit": "household"}, "records.person", "unknown key"),
    ({"records.of-a-person": NONE}, "records.of-a-person", "is missing"),
    ({"records.person": NONE}, "records.of-a-person", "is more than one, and nothing says whose a record is"),
    ({"records.expected": 0}, "records.expected", "is not an integer"),
    ({"publication.suppression": "1"}, "publication.suppression", "is not 0 or more and below 1"),
    ({"publication.data-structure": "OFFICE"}, "publication.data-structure", "is no data structure"),
    ({"publication.add-up": True, "publication.negative-counts": False}, "add-up", "negative counts are raised to 0"),
    ({"publication.add-up": True, "publication.intervals": "published"}, "intervals", "are not known of totals that"),
    ({"publication.add-up": True}, "publication.add-up", "cannot be kept between families of groups"),
    (
        {"publication.add-up": True, "levels[1]": NONE},
        "publication.add-up",
        "would change nothing: no level of regions",
    ),
    ({"publication.add-up": True, "levels[1].budget": "10000"}, "publication.add-up", "ward have next to no noise"),
    ({"regions.small": NONE}, "publication.suppression", "would leave nothing out: it is for groups with [detail]"),
    ({"regions.small": ["ward"]}, "publication.suppression", "would leave nothing out: it is for groups with [detail]"),
    ({"publication.suppression": NONE}, "regions.small", "would leave nothing out without publication.suppression"),
    (
        {"publication.totals": "both stages", "levels[0]": NONE},
        "publication.totals",
        "would change nothing: each group is measured once",
    ),
    (
        {"publication.intervals": "published", "levels[0]": NONE},
        "publication.intervals",
        "would change nothing: every group is published",
    ),
    # The columns.
    ({"columns[0].values": ["a"]}, "columns[1].name", "has no domain, or two"),
    ({"columns[1].values": NONE, "columns[1].other": NONE}, "columns[2].name", "has no domain, or two"),
    ({"columns[0].to": 0}, "columns[1].to", "is not an integer from 1"),
    ({"columns[1].values": []}, "column sex: codes", "are none"),
    ({"columns[1].values": ["F", "F", "X"]}, "column sex: code F", "is there more than once"),
    ({"columns[1].values": [" F", "X"]}, "column sex: codes", "hold one that no field of a record can say"),
    ({"columns[1].other": "Y"}, "column sex: other", "is not one of the codes"),
    ({"columns[0].other": "0"}, "columns[1].other", "does not go with from"),
    ({"columns[1].to": 9}, "columns[2].to", "does not go with values"),
    ({"columns[4].decimals": 2}, "columns[5].decimals", "does not go with periods"),
    ({"columns[0].most": 2}, "columns[1].most", "is of a column of several values"),
    ({"columns[0].fields": ["a", "a"], "columns[0].most": 2}, "column age", "names a field twice"),
    ({"columns[2].fields": ["n1", "n2"]}, "column needs", "has a separator and several fields"),
    ({"columns[0].fields": ["a", "b"], "columns[0].most": 3}, "column age", "reads 3 values of a record"),
    ({"columns[0].separator": ";", "columns[0].most": 2}, "column age", "separator between values that are no codes"),
    ({"columns[2].separator": ";;"}, "column needs", "has a separator that is no single mark"),
    ({"columns[2].separator": "a"}, "column needs", "has the separator in one of its codes"),
    ({"columns[2].most": 99}, "columns[3].most", "is not an integer"),
    ({"columns[3].to": "-10"}, "bounds", "do not ascend within"),
    ({"columns[3].decimals": 1, "columns[3].to": "0.55"}, "columns[4].decimals", "are fewer than the bounds have"),
    ({"columns[3].decimals": 99}, "columns[4].decimals", "is not an integer"),
    ({"columns[3].unit": 10}, "columns[4].unit", "stands beside decimals"),
    ({"columns[3].decimals": NONE, "columns[3].unit": 30}, "columns[4].unit", "is no power of ten"),
    ({"columns[3].decimals": NONE, "columns[3].unit": 1000}, "columns[4].unit", "does not divide the bounds"),
    ({"columns[3].to": 10**13}, "column spent: bounds", "do not ascend within -2^40 to 2^40"),
    ({"columns[4].periods": ["2025-01-01", "2024-01-01"]}, "periods", "are not two or more dates that ascend"),
    ({"columns[4].name": "sex"}, "columns", "are two of one name"),
    ({"columns[4].name": "ward"}, "columns", "are two of one name"),
    ({"columns[4].name": "a\nb"}, "columns[5].name", "holds a character that is not printed"),
    # The regions.
    ({"regions.small": ["land"]}, "regions.small", "'land', which is no level"),
    ({"regions.file": "areas.csv"}, "regions.file", "stands beside rows"),
    ({"regions.rows": NONE}, "regions.file", "is missing"),
    ({"regions.rows": [["w0", 1]]}, "regions.rows", "is not a list of rows"),
    ({"regions.rows": [["w0", "ta"], ["w0", "tb"]]}, "regions", "one twice"),
    ({"regions.rows": [["w0", ""]]}, "regions", "have a level without regions"),
    ({"regions.rows": [["w0", "t\na"]]}, "regions", "a region or a name that"),
    ({"regions.levels": ["Ward", "ward"]}, "regions", "two of one name"),
    ({"regions.levels": ["1st", "ward"]}, "regions", "a name that no file can have"),
    # The groups.
    ({"groups": NONE}, "groups", "is missing"),
    ({"groups[2].name": "age"}, "groups", "are none, or two of one name"),
    ({"groups[2].name": "a\nb"}, "groups[3].name", "holds a character that is not printed"),
    ({"groups[1].columns": ["age", "height"]}, "groups age", "'height', which is no column of the plan"),
    ({"groups[1].columns": ["age", "age"]}, "groups age", "has a column twice"),
    ({"groups[1].columns": ["age", "spent"]}, "groups age", "is for sums and quantiles alone"),
    ({"groups[1].cuts": {"sex": [0]}}, "groups age", "which holds no whole numbers"),
    ({"groups[1].cuts": {"age": [18, 0]}}, "groups age", "do not cut the numbers into classes"),
    ({"groups[1].cuts": {"height": [0]}}, "groups[2].cuts", "says no whole numbers of the columns"),
    ({"columns[0].to": 10**5, "groups[1].cuts": NONE}, "groups age", "more than 32,000 combinations of values"),
    (
        {"columns[0].to": 19_999, "groups[1].cuts": NONE, "groups[1].columns": ["age"], "groups[2].columns": ["age"]},
        "groups",
        "have more than 32,000 combinations of values in all",
    ),
    ({"groups[0].columns": ["needs", "sex"]}, "groups needs", "has sets of values, and not one column"),
    ({"groups[0].sets": NONE}, "groups needs", "has no sets that all values of a record could lie in"),
    ({"groups[0].sets": {"": ["a"]}}, "groups needs", "has sets of one name, or of none"),
    ({"groups[0].sets": {"x": ["d"]}}, "groups needs", "of no values, or of one twice, or of others"),
    ({"groups[0].sets": ["a"]}, "groups[1].sets", "says no sets of values"),
    ({"groups[0].match": "any"}, "groups[1].match", "is not one or all"),
    ({"groups[1].detail": "full"}, "groups[2].detail", "is not adaptive or total"),
    (
        {"columns[1].values": ["a", "a, 1", "1", "X"], "columns[2].values": ["1, 1", "1", "X"], "columns[2].most": NONE}
        | {"columns[2].separator": NONE, "groups[0].sets": NONE, "groups[0].match": NONE}
        | {"groups[1].columns": ["sex", "needs"], "groups[1].cuts": NONE},
        "groups",
        "give two groups the one code",
    ),
    # The detail.
    ({"detail.columns": ["sex", "height"]}, "detail.columns", "no column of the plan that detail can be of"),
    ({"detail.columns": ["sex", "spent"]}, "detail.columns", "no column of the plan that detail can be of"),
    (
        {"detail.columns": ["needs"], "detail.steps": [{"needs": True}], "levels[0].thresholds": [50]},
        "detail",
        "is of a column of several values",
    ),
    ({"detail.steps[0].sex": [0]}, "detail.steps[1].sex", "is a list of values, which is cut into each of them"),
    ({"detail.steps[1].age": True}, "detail.steps[2].age", "is not a list of whole numbers"),
    ({"detail.steps[1].age": [5, 18]}, "detail 2", "does not cut age into classes"),
    ({"detail.steps[1].sex": False}, "detail 2", "is no refinement of the one before"),
    ({"detail.steps[1].age": list(range(99))}, "detail", "256 are the most that are counted"),
    ({"columns[0].name": "count"}, "detail.columns", "no column of the plan that detail can be of"),
    (
        {"columns[4].name": "count", "detail.columns": ["count"], "detail.steps": [{"count": True}]}
        | {"levels[0].thresholds": [50]},
        "detail",
        "of a name that other columns of the tables have",
    ),
    (
        {"columns[4].name": "1st", "detail.columns": ["1st"], "detail.steps": [{"1st": True}]}
        | {"levels[0].thresholds": [50]},
        "detail",
        "has an attribute with a name that no column can have",
    ),
    (
        {"columns[1].values": ["*", "X"]},
        "detail sex",
        "has numbers that do not fit its values",
    ),
    # The levels.
    ({"levels[1].regions": "land"}, "levels[2].regions", "is not town or ward"),
    ({"levels[1].groups": "none"}, "levels[2].groups", "is not needs or age or all"),
    ({"levels[1].budget": NONE}, "levels[2].budget", "is missing"),
    ({"levels[0].budget": "1"}, "levels[1].budget", "stands beside margins"),
    ({"levels[1].budget": "0"}, "levels[2].budget", "is not above 0 and at most"),
    ({"levels[1].budget": 0.5}, "levels[2].budget", "is a float"),
    ({"levels[1].budget": f"1/{10**30}"}, "(ward, 2)", "has a budget too small to draw its noise"),
    ({"levels[1].thresholds": [5, 9]}, "levels[2].thresholds", "are of groups that are measured once"),
    ({"levels[0].thresholds": [200, 50]}, "levels[1].thresholds", "is not two strictly increasing positive integers"),
    ({"levels[0].thresholds": NONE}, "levels[1].thresholds", "is missing"),
    ({"levels[1].regions": "town", "levels[1].groups": "needs"}, "levels[2].groups", "with these regions already"),
    ({"levels[0].margins": [{"number": "mean", "within": 5}]}, "number", "is no number of the tables"),
    ({"levels[0].margins": [{"within": 5}]}, "number", "is missing"),
    ({"levels[0].margins": [{"number": "total only", "within": 5}]}, "number", "this level has none"),
    (
        {"levels[1].budget": NONE, "levels[1].margins": [{"number": "cell", "within": 5}]},
        "number",
        "all groups of this level are totals by plan",
    ),
    (
        {"levels[0].margins": [{"number": "cell", "within": "5 %"}]},
        "within",
        "is a percentage of a size that is not stated",
    ),
    ({"levels[0].margins": [{"number": "cell", "within": 0}]}, "within", "is below 1: a number without error"),
    ({"levels[0].margins": [{"number": "cell", "within": 5, "ages": 7}]}, "ages", "is no number of age bands"),
    ({"levels[0].margins": [{"number": "cell", "within": 5, "persons": 3}]}, "persons", "is below the first threshold"),
    (
        {"levels[0].margins": [{"number": "bare total", "within": 5, "persons": 300}]},
        "persons",
        "is no class of a bare total, which has one distribution for all groups",
    ),
    (
        {"levels[0].margins": [{"number": "cell", "within": 5, "confidence": "0.1"}]},
        "confidence",
        "is not from 0.5 to 0.999999999999",
    ),
    (
        {"levels[0].margins": [{"number": "cell", "within": 5, "confidence": "95 %"}]},
        "confidence",
        "is a percentage",
    ),
    # Sums and quantiles.
    ({"sums[0].of": "sex"}, "sums[1].of", "is not age or spent"),
    (
        {"columns[0]": NONE, "columns[3]": NONE, "detail.columns": ["sex"], "detail.steps": [{"sex": True}]}
        | {"levels[0].thresholds": [50], "groups[1].columns": ["sex"], "groups[1].cuts": NONE},
        "sums[1].of",
        "is a column of numbers, and the plan has none",
    ),
    (
        {"columns[3]": {"name": "spent", "from": 0, "to": 9, "fields": ["a", "b"], "most": 2}},
        "sums[1].of",
        "is not age",
    ),
    ({"sums[0].groups": "none"}, "sums[1].groups", "is not needs or age or all"),
    ({"sums[0].shares": ["0.5"]}, "sums[1].shares", "unknown key"),
    ({"sums[0].budget": "1"}, "sums[1].budget", "stands beside margins"),
    ({"sums[0].margins": [{"number": "sum", "within": "0"}]}, "within", "is not above 0"),
    ({"sums[0].margins": [{"number": "sum", "within": "9", "records": 5}]}, "records", "is of a mean"),
    (
        {"records.of-a-person": 1000, "sums[0].margins": [{"number": "sum", "within": "0.01"}]},
        "sums[1].margins",
        "cannot be kept: they would need a budget above",
    ),
    ({"quantiles[1].shares": []}, "quantiles[2].shares", "are not up to 9 ascending shares"),
    ({"quantiles[1].of": "age", "quantiles[1].regions": "ward"}, "quantiles[2].of", "with these groups already"),
    ({"quantiles[0].shares": ["0.5", "0.5"]}, "quantiles[1].shares", "ascending shares above 0 and below 1"),
    ({"quantiles[0].classes": [0]}, "quantiles[1].classes", "do not cut the numbers of the column"),
    ({"quantiles[1].classes": NONE}, "quantiles[2].classes", "are missing, and spent has 51,001 numbers"),
    ({"quantiles[0].way": "median"}, "quantiles[1].way", "is not counts or selection"),
    (
        {"privacy.measure": "epsilon", "quantiles[0].way": "selection", "quantiles[0].budget": "1/1000000"},
        "quantiles",
        "has a budget too small for selections",
    ),
    ({"levels": NONE, "sums": NONE, "quantiles": NONE}, "levels", "is missing"),
]


def changed(changes: dict[str, Any], whole: dict[str, Any] | None = None) -> dict[str, Any]:
    """The whole plan, or another one, with other values at some keys, such as "levels[0].budget"."""
    values: dict[str, Any] = deepcopy(WHOLE if whole is None else whole)
    left_out = []
    for path, value in changes.items():
        *way, last = [int(each) if each.isdigit() else each for each in re.findall(r"[\w-]+", path)]
        place: Any = values
        for each in way:
            place = place[each]
        if value is NONE:
            left_out.append((place, last))
        else:
            place[last] = value
    for place, last in reversed(left_out):
        del place[last]
    return values


def problems(changes: dict[str, Any], whole: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    """Where the changed plan is refused, and why."""
    with pytest.raises(PlanError) as refused:
        Plan.of(changed(changes, whole))
    return [(each.field, each.problem) for each in refused.value.problems]


def test_what_is_changed_is_a_plan() -> None:
    plan = Plan.of(WHOLE)
    assert plan == Plan.of(plan.values())


@pytest.mark.parametrize(("changes", "field", "problem"), ROWS, ids=[f"{row[1]} {row[2]}" for row in ROWS])
def test_what_does_not_go_together_is_refused_with_its_reason(
    changes: dict[str, Any], field: str, problem: str
) -> None:
    result = problems(changes)
    assert any(field in at and problem in why for at, why in result), result


@pytest.mark.parametrize(("choice", "excluded", "problem"), REFUSED)
def test_what_a_top_up_excludes_is_in_one_table(choice: Choice, excluded: set[Choice], problem: Any) -> None:
    plan = topping(small_plan("rho"))
    assert not plan.variants.refused([])
    for other in excluded if choice is Choice.TOP_UP else ():
        assert problem in plan.variants.refused([other])


MODULES: Final = (
    *("aggregate_margins", "columns", "detail", "custom_columns", "custom_families", "custom_levels"),
    *("custom_grammar", "custom_records", "grammar", "idle_choices"),
)
"""Where the reasons stand that a plan file of custom tables can meet."""
OF_FILES: Final = {
    "cannot be read (": "test_custom_grammar, test_custom_columns",
    "is of a table of other columns than code and text": "test_custom_columns",
    "has no column ": "test_custom_grammar",
}
"""Reasons that need a file beside the plan, and the tests that make one."""
OF_VALUES: Final = {
    "do not cut the numbers into classes": "is met as the cuts of groups",
    "are not 0 to ": "digits that are read are few enough",
    "names no column": "an empty text is refused where it is read",
    "keeps no public number of records": "a number that is read is one",
    "says areas that are no codes": "the column of areas is made of its table",
    "says no one number of a record": "a column of numbers has no separator where it is read",
    "does not begin with the total": "the reader puts the total first",
    "does not say how each attribute is cut": "the reader gives cuts of each",
    "has a name that ": "a text with such characters is refused where it is read",
    "are of other levels than the plan": "the reader makes both of one table",
    "has whole numbers that are cut already": "a column is read without cuts",
    "are others than the plan's families have": "the reader makes the groups of the families",
    "is of the Census, and a plan of custom tables is needed": "the reader gets plans of custom tables alone",
}
"""Reasons that only values made in Python can meet, and why the reader meets them before; their own tests make such values."""


def paths(value: Any, path: str = "") -> Iterator[str]:
    """Every key of a plan, by the path that `changed` takes."""
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        here = f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}".removeprefix(".")
        yield here
        if isinstance(each, dict) or (isinstance(each, list) and each and isinstance(each[0], dict)):
            yield from paths(each, here)


@pytest.mark.series(1)
@pytest.mark.parametrize("value", ["", [], {}, 0], ids=repr)
def test_an_empty_value_is_read_or_refused(value: object) -> None:
    """No shares, where the way of quantiles was left out, ended in a division by zero."""
    for path in paths(WHOLE):
        with suppress(PlanError):
            assert Plan.of(changed({path: value})).levels


def reasons(modules: Sequence[str] = MODULES) -> Iterator[tuple[str, str]]:
    """The literal beginning of each reason that the modules give, with its module."""
    for module in modules:
        tree = ast.parse((ROOT / "src" / "starling" / "tables" / "plan" / f"{module}.py").read_text())
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and len(call.args) > 1:
                named = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
                stated = call.args[2 if named in {"exact", "lists_by_name"} else 1]
                first = stated.values[0] if isinstance(stated, ast.JoinedStr) else stated
                if named in {"refuse", "Problem", "PlanError", "exact", "lists_by_name"} and isinstance(
                    first, ast.Constant
                ):
                    yield module, str(first.value)


@pytest.mark.slow
def test_every_reason_of_the_code_stands_in_the_table() -> None:
    met = {why for changes, _, _ in ROWS for _, why in problems(changes)}
    known = {*OF_FILES, *OF_VALUES}
    missing = [each for each in reasons() if each[1] not in known and not any(each[1] in why for why in met)]
    assert not missing
    assert known <= {reason for _, reason in reasons()}
