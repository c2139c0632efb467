"""The six desiderata of SafeTab 2022, Section 1: a publisher who breaks one and signs again fails the check of that name, and no other."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import starling
from starling.release.checks import PRIVACY
from starling.release.table_files import TextWriter
from starling.tables.artifact.columns import ACCURACY, ADAPTIVITY, CHECKS, GROUPS, INTEGRALITY, NO_CONSISTENCY, tables
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.postprocess import t2_schema
from tests.tables.bundles import KEY, Bundle, make

SIX = [PRIVACY, *CHECKS.own]
STATE = "data/measurements/state-2.parquet"


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Negative counts are published, and there are some."""
    return make(tmp_path_factory.mktemp("made"), suppression=Fraction(1, 3))


@pytest.fixture
def copied(build: Bundle, tmp_path: Path) -> Bundle:
    return build.copy(tmp_path / "copy")


def states(bundle: Bundle) -> dict[str, str]:
    """Of every check, after its publisher has signed what is there now."""
    bundle.resign()
    return {check.name: check.state for check in starling.verify(bundle.folder).checks}


def failing(bundle: Bundle) -> list[str]:
    return [name for name, state in states(bundle).items() if state == "fails"]


def changed(bundle: Bundle, name: str, change: Callable[[list[dict[str, Any]]], object]) -> None:
    """Change rows of a published table, in each of its forms."""
    data = bundle.folder / "data"
    table = pq.read_table(data / f"{name}.parquet")
    rows = table.to_pylist()
    change(rows)
    table = pa.Table.from_pylist(rows, table.schema)
    pq.write_table(table, data / f"{name}.parquet")
    (declared,) = (each for each in tables(bundle.plan) if each.name == name)
    for text in declared.texts:
        with (bundle.folder / declared.text_path(text)).open("wb") as file:
            TextWriter(file, text).write(table)


def cast(bundle: Bundle, name: str, column: str, kind: pa.DataType) -> None:
    """Another type for a column of a Parquet file; its values stay."""
    path = bundle.folder / name
    table = pq.read_table(path)
    place = table.column_names.index(column)
    pq.write_table(table.set_column(place, column, table[column].cast(kind)), path)


def measured(bundle: Bundle, change: Callable[[list[dict[str, Any]]], object]) -> None:
    """Change the measurements of the state."""
    path = bundle.folder / STATE
    table = pq.read_table(path)
    rows = table.to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)


def stated(bundle: Bundle, change: Callable[[Any], object]) -> None:
    """Change what privacy.json says of the mechanism."""
    bundle.edit("privacy.json", lambda message: (change(message["mechanism"]), None)[1])


def less_noise(message: Any) -> None:
    message["levels"][0]["noise"]["stage_2"]["scale"] = "1/1000"


def one_group_less(rows: list[dict[str, Any]]) -> None:
    del rows[-1]


def add_up(rows: list[dict[str, Any]]) -> None:
    """Let the counties of a state sum to it, as a reader would like."""
    state, *counties = [row for row in rows if row["iteration_code"] == "0002"]
    counties[-1]["count"] += state["count"] - sum(row["count"] for row in counties)


BREAKS: dict[str, tuple[str, Callable[[Bundle], object]]] = {
    "noise other than the plan's": (PRIVACY, lambda build: stated(build, less_noise)),
    "another count": (
        PRIVACY,
        lambda build: stated(build, lambda message: message["counting"].update(sql="SELECT count(*) FROM persons")),
    ),
    "an invariant": (
        PRIVACY,
        lambda build: build.edit("privacy.json", lambda message: message["invariants"].append("n")),
    ),
    "a plan that understates a person": (
        PRIVACY,
        lambda build: build.edit("plan/plan.json", lambda plan: plan["levels"][0].update(stability=1)),
    ),
    "a published group too few": (GROUPS, lambda build: changed(build, "t1", one_group_less)),
    "a group under another name": (
        GROUPS,
        lambda build: changed(build, "t1", lambda rows: rows[1].update(iteration_code="0009")),
    ),
    "a group that was not measured": (GROUPS, lambda build: measured(build, one_group_less)),
    "other states than the plan's": (GROUPS, lambda build: stated(build, lambda message: message.update(states=[]))),
    "other ages than were chosen": (
        ADAPTIVITY,
        lambda build: changed(build, "t2", lambda rows: rows[1].update(age_end="9")),
    ),
    "detail left out": (ADAPTIVITY, lambda build: changed(build, "t2", one_group_less)),
    "a choice by another number": (
        ADAPTIVITY,
        lambda build: measured(build, lambda rows: rows[0].update(stage_1=11)),
    ),
    "other thresholds": (
        ADAPTIVITY,
        lambda build: stated(build, lambda message: message["levels"][0].update(thresholds=[1, 2, 3])),
    ),
    "too narrow an interval": (
        ACCURACY,
        lambda build: changed(build, "t1", lambda rows: rows[0].update(lower=rows[0]["count"])),
    ),
    "a margin too good": (
        ACCURACY,
        lambda build: stated(build, lambda message: message["levels"][0]["margins_of_error"].update(cell=1)),
    ),
    "counts as floats": (INTEGRALITY, lambda build: cast(build, "data/t1.parquet", "count", pa.float64())),
    "measurements as floats": (INTEGRALITY, lambda build: cast(build, STATE, "stage_1", pa.float64())),
    "counties that sum to their state": (NO_CONSISTENCY, lambda build: changed(build, "t1", add_up)),
    "a negative count as 0": (
        NO_CONSISTENCY,
        lambda build: changed(build, "t2", lambda rows: rows[1].update(count=0, post_processed=True)),
    ),
    "clamping that is not the plan's": (
        NO_CONSISTENCY,
        lambda build: stated(build, lambda message: message.update(negative_counts_published=False)),
    ),
}


def test_a_good_release_keeps_all_of_them(build: Bundle) -> None:
    result = starling.verify(build.folder, ledger=build.url, key=KEY.public)
    assert [check.name for check in result.checks] == ["bundle", "key", *SIX, "forms", "pages", "charge"]
    assert {check.state for check in result.checks} == {"holds"}
    counts = pq.read_table(build.folder / "data" / "t2.parquet")["count"].to_pylist()
    assert min(counts) < 0, "the case of a negative count is there"


@pytest.mark.series(4)
@pytest.mark.parametrize(("check", "break_it"), BREAKS.values(), ids=BREAKS)
def test_whoever_breaks_one_fails_its_check_alone(
    copied: Bundle, check: str, break_it: Callable[[Bundle], object]
) -> None:
    break_it(copied)
    # The texts are compared with the measurements too, and the cost with its laws: they may fail besides.
    assert [name for name in failing(copied) if name in SIX] == [check]


def test_each_of_the_six_is_broken_by_some_case() -> None:
    assert {check for check, _ in BREAKS.values()} == set(SIX)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("report.html", "Nothing was taken from the records without noise", "Hardly anything was exact"),
        ("report.html", "</svg></div>", "</svg><p>Exact.</p></div>"),
        ("report.html", "</svg></div>", "<text>Exact.</text></svg></div>"),
        ("report.html", "\n</svg>", "<script>1</script></svg>"),
        ("registry.yaml", 'status: "Draft"', 'status: "Final"'),
    ],
)
def test_no_word_of_a_page_is_its_publishers_choice(copied: Bundle, name: str, old: str, new: str) -> None:
    path = copied.folder / name
    text = path.read_text().replace("</svg>\n</div>", "</svg></div>") if "</svg></div>" in old else path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    assert failing(copied) == ["pages"]


def test_no_picture_is_drawn_otherwise(copied: Bundle) -> None:
    path = copied.folder / "report.html"
    text = path.read_text()
    assert "<path" in text
    for other in ('<path transform="scale(1 -1)"', '<path fill="#ffffff"'):
        path.write_text(text.replace("<path", other, 1))
        assert failing(copied) == ["pages"]


def test_pages_of_another_version_are_not_compared(copied: Bundle) -> None:
    copied.edit("privacy.json", lambda message: message.update(software="starling 99"))
    assert states(copied)["pages"] == "not checked"


@pytest.mark.parametrize("change", [{"day": 5}, {"limits": "Nothing more is ever published."}, {"more": 1}])
def test_a_charge_is_told_in_its_one_form(copied: Bundle, change: dict[str, Any]) -> None:
    copied.edit("privacy.json", lambda message: message["account"].update(change))
    assert {"bundle", "pages"} >= {*failing(copied)} >= {"pages"}


def test_what_could_not_be_read_is_not_said_to_hold(copied: Bundle) -> None:
    cast(copied, STATE, "stage_1", pa.float64())
    result = states(copied)
    assert (result["privacy"], result["integrality"]) == ("holds", "fails")
    assert {result[check] for check in SIX if check not in ("privacy", "integrality")} == {"not checked"}


def test_counts_that_are_no_integers_are_not_what_was_measured_either(copied: Bundle) -> None:
    path = copied.folder / "data" / "t1.parquet"
    table = pq.read_table(path)
    halves = pa.array([count + 0.5 for count in table["count"].to_pylist()])
    pq.write_table(table.set_column(3, "count", halves), path)
    assert [name for name in failing(copied) if name in SIX] == ["integrality", "no consistency"]


def test_every_column_serves_a_check_that_says_what_holds() -> None:
    assert CHECKS.columns.keys() == set(t2_schema(SEX_BY_AGE).names)
    named = {*CHECKS.columns.values(), *CHECKS.rows.values(), *CHECKS.parameters.values(), CHECKS.types}
    assert named <= CHECKS.own.keys()


def test_a_difference_is_named_by_its_place() -> None:
    differences = CHECKS.differences
    assert differences({"levels": [{"a": 1}, {"a": 2}]}, {"levels": [{"a": 1}, {"a": 3}]}, "m") == [
        ("m.levels.2.a", PRIVACY)
    ]
    assert differences([1], [1, 2], "m") == [("m", PRIVACY)]
    assert differences({}, json.loads("null"), "m") == [("m", PRIVACY)]
