"""What releases of tables add: the text of codes, what they can be, ages, and why a group is not there."""

import re
from collections.abc import Mapping

import pytest

from starling.release import stored_table
from starling.release.reading import Release
from starling.release.stored_table import StoredTable
from starling.screens.release import pages_of
from starling.screens.tables import domain
from starling.screens.tables.domain import TablesPages
from tests.screens.conftest import Reader
from tests.screens.tables.conftest import WARDS

WARD = {"region_type": "ward", "region_id": WARDS[0]}


@pytest.fixture
def pages(detailed: Reader) -> TablesPages:
    result = pages_of(detailed.release)
    assert isinstance(result, TablesPages)
    return result


def test_choices_are_what_the_plan_has(pages: TablesPages) -> None:
    assert pages.choices("t1", "region_type", {}) == {"ward": "Ward"}
    assert pages.choices("t1", "region_id", {}) == {ward: ward for ward in sorted(WARDS)}
    assert pages.choices("t2", "iteration_code", {"region_type": "ward"}) == {"by sex: F": "F", "by sex: M": "M"}
    ages = pages.choices("t2", "age_start", {})
    assert ages is not None
    assert ages["*"] == "all ages"
    assert ages["18"] == "from 18"
    assert pages.choices("measurements/ward-1", "iteration_code", {}) is None


def test_a_group_without_detail_says_why(pages: TablesPages) -> None:
    assert pages.left_out("t1", WARD) == []
    assert pages.left_out("t2", WARD) == []
    first, second = pages.left_out("t2", {"region_id": "empty"})
    assert first.startswith("F: has a total in T1 alone, as its noisy first total was below 150. The rule is public")
    assert second.startswith("M: has a total in T1 alone")
    assert pages.left_out("t2", {"region_id": "empty", "iteration_code": "by sex: M"}) == [second]
    assert pages.left_out("t2", {}) == ()
    assert pages.left_out("t3", WARD) == ()


def test_a_group_that_was_left_out_says_by_which_number(pages: TablesPages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domain, "suppression_quantile", lambda *_: 12)
    monkeypatch.setattr(StoredTable, "values", lambda *_: ["by sex: M"])
    (sentence,) = pages.left_out("t1", WARD)
    assert sentence.startswith("F: left out, as its noisy total was 12 or lower. Ward, by sex. The rule is public")


def test_nothing_is_said_to_be_left_out_where_not_all_rows_were_searched(
    pages: TablesPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No number of row groups makes a page say that a group which is there was left out."""
    assert pages.left_out("t2", {"region_id": "empty"})
    monkeypatch.setattr(stored_table, "MOST_GROUPS", 0)
    for where in (WARD, {"region_id": "empty"}):
        for table in ("t1", "t2"):
            assert pages.left_out(table, where) == ()


@pytest.mark.parametrize(
    ("where", "number"),
    [
        ({**WARD, "iteration_code": "by sex: F"}, 6),
        ({**WARD, "iteration_code": "by sex: F", "sex": "M"}, 3),
        ({**WARD, "iteration_code": "by sex: F", "age_start": "*"}, 0),
        ({"region_id": "empty", "iteration_code": "by sex: F"}, 0),
        (WARD, 0),
        ({"iteration_code": "by sex: F"}, 0),
    ],
)
def test_ages_are_those_of_one_group(pages: TablesPages, where: Mapping[str, str], number: int) -> None:
    group, cells = pages.ages("t2", where)
    assert len(cells) == number
    rows = {(each.row["age_start"], each.row["sex"]): each.row["count"] for each in cells}
    published = pages.release.rows("t2", **where).to_pylist()
    assert rows.items() <= {(row["age_start"], row["sex"]): row["count"] for row in published}.items()
    if cells:
        assert group == f"{WARDS[0]}, F" + (", M" if "sex" in where else "")


def test_a_plan_of_one_region_needs_none_to_be_chosen(releases: dict[str, Release]) -> None:
    result = pages_of(releases["tables"])
    group, cells = result.ages("t1", {})
    assert (group, [each.text for each in cells]) == ("all", ["0 to 17", "18 to 64", "65 to 110"])
    assert [each.title for each in result.columns("t1", result.release.table("t1").schema)][:2] == ["Group", "Number"]


def test_values_are_in_the_order_of_the_plan(pages: TablesPages) -> None:
    for each in pages._plan.detail.attributes:
        codes = [code for code in pages.choices("t2", each.columns[0], {}) or {} if code != "*"]
        assert codes == [code for code, _ in each.values] or codes == sorted(codes, key=int)
        assert codes


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (("t2", "F", "*", "*"), ("t2", "F", "0", "17"), True),
        (("t2", "F", "*", "*"), ("t2", "M", "*", "*"), False),
        (("t2", "F", "0", "17"), ("t2", "F", "18", "64"), False),
        (("t2", "F", "0", "17"), ("t2", "F", "0", "64"), True),
        (("t1",), ("t2", "M", "0", "17"), True),
    ],
)
def test_numbers_of_the_same_people_are_said_to_be(
    pages: TablesPages, one: tuple[str, ...], other: tuple[str, ...], both: bool
) -> None:
    group = {**WARD, "iteration_code": "by sex: F"}
    picks = [
        (table, group | dict(zip(("sex", "age_start", "age_end"), codes, strict=False)))
        for table, *codes in (one, other)
    ]
    assert bool(pages.overlaps(picks)) == both
    elsewhere = [picks[0], (picks[1][0], {**picks[1][1], "region_id": WARDS[1]})]
    assert not pages.overlaps(elsewhere)


def test_measurements_are_in_words(detailed: Reader) -> None:
    page = detailed.read("/tables/measurements/ward-1").decode()
    assert "First noisy total" in page
    assert "Stage" not in page
    details = re.findall(r"<td>(.*?)</td>", page)
    assert details
    assert not any(re.fullmatch(r"-?\d+", each) for each in details), "the noisy numbers beside them may be -1"
    assert ">[" not in page
