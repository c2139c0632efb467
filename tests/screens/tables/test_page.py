"""A page of a table: its rows as they were published, what they are chosen by, intervals on one axis, and what was picked."""

from collections.abc import Mapping
from urllib.parse import urlencode

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.errors import ParameterError
from starling.release.reading import Release
from starling.release.stored_table import StoredTable
from starling.screens.domain_pages import DomainPages
from starling.screens.tables import page as pages
from starling.screens.tables.page import Bar, TablePages, bar, picks

TOWNS = {f"{number:03}": f"Town {number}" for number in range(30)} | {"777": "<b>", "778": "Town 1"}


class Towns(DomainPages[Release]):
    """The pages of a stored table of towns; nothing else of a release is needed."""

    def __init__(self, table: StoredTable) -> None:
        class Stored:
            def stored(self, _: str) -> StoredTable:
                return table

        self.release: Release = Stored()  # type: ignore[assignment]

    def choices(self, table: str, column: str, where: Mapping[str, str]) -> Mapping[str, str] | None:
        del table, where
        return TOWNS if column == "town" else None

    def labels(self, table: str, column: str) -> Mapping[str, str]:
        del table
        return {"f": "female", "m": "male"} if column == "sex" else {}

    def key(self, table: str) -> tuple[str, ...]:
        del table
        return ("town", "sex")


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> TablePages:
    path = tmp_path_factory.mktemp("table") / "t.parquet"
    rows = [
        {"town": town, "sex": sex, "one": "x", "count": number, "lower": number - 10, "upper": number + 10}
        for number, town in enumerate(TOWNS)
        for sex in "fm"
    ]
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=32)
    return TablePages(Towns(StoredTable(path)))


def test_values_are_shown_by_their_texts_and_what_has_one_value_has_no_picker(towns: TablePages) -> None:
    page = towns.page("t", {"sex": "f"})
    assert [(each.name, each.value, each.text) for each in page.pickers] == [("town", "", ""), ("sex", "f", "female")]
    assert page.pickers[1].choices == (("f", "female"), ("m", "male"))
    assert page.chosen == "female"
    assert [each.title for each in page.columns] == ["Town", "One", "Number", "Lower end", "Upper end"]
    assert (len(page.rows), page.known, page.bar) == (32, 32, 2)


@pytest.mark.parametrize("typed", ["003", "Town 3", "Town 3 (003)", "(003)", "<B>"])
def test_a_value_is_meant_by_its_code_or_its_text_or_a_part_that_no_other_has(towns: TablePages, typed: str) -> None:
    page = towns.page("t", {"town": typed})
    assert page.where == {"town": "777" if typed == "<B>" else "003"}
    assert len(page.rows) == 2


@pytest.mark.parametrize(("typed", "matches"), [("Town 1", 12), ("town", 31), ("none", 0)])
def test_a_text_that_may_mean_several_chooses_none(towns: TablePages, typed: str, matches: int) -> None:
    page = towns.page("t", {"town": typed})
    (picker, _) = page.pickers
    assert (picker.value, picker.text, len(picker.matches)) == ("", typed, matches)
    assert page.rows == ()
    with pytest.raises(ParameterError, match="town is no value that rows have"):
        towns.where("t", {"town": typed})


def test_a_long_list_is_typed_and_proposed(towns: TablePages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MOST_CHOICES", 3)
    (picker, *_) = towns.page("t", {"town": "004"}).pickers
    assert (picker.choices, picker.text) == ((), "Town 4")
    assert picker.proposed == ("Town 0 (000)", "Town 1 (001)", "Town 2 (002)")


def test_rows_are_numbered_through_all_pages(towns: TablePages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MOST", 20)
    first, last = towns.page("t", {"sex": "m"}), towns.page("t", {"sex": "m"}, 20)
    assert (first.more, first.known, last.more, last.known) == (True, None, False, 32)
    assert [row.cells[0] for row in (*first.rows, *last.rows)] == list(TOWNS)
    assert towns.page("t", {}).known == 64


def test_intervals_of_a_page_have_one_axis(towns: TablePages) -> None:
    rows = towns.page("t", {"sex": "f"}).rows
    assert rows[0].bar == Bar(0, 39.22, 19.61, "0, from -10 to 10")
    assert rows[-1].bar is not None
    assert rows[-1].bar.high == 100
    assert bar({"count": 5, "lower": None, "upper": None}, 0, 10) is None


def test_a_number_is_picked_by_its_key(towns: TablePages) -> None:
    rows = towns.page("t", {"town": "001"}).rows
    assert picks([rows[0].pick, rows[1].pick, rows[0].pick], {"t": ("town", "sex")}) == [
        ("t", {"town": "001", "sex": "f"}),
        ("t", {"town": "001", "sex": "m"}),
    ]


@pytest.mark.parametrize(
    "value", ["", "t", "t?", "t?town=1", "u?town=1&sex=f", "t?sex=f&town=1", "t?town=1&sex=f&x=1", "t?town=%ff&sex=f"]
)
def test_what_is_no_number_cannot_be_picked(value: str) -> None:
    with pytest.raises(ParameterError, match="pick is no number of this release"):
        picks([value], {"t": ("town", "sex")})


def test_so_many_are_picked_and_no_more() -> None:
    values = [f"t?{urlencode({'town': number})}" for number in range(pages.MOST_PICKS + 1)]
    assert len(picks(values[1:], {"t": ("town",)})) == pages.MOST_PICKS
    with pytest.raises(ParameterError, match="pick are more than"):
        picks(values, {"t": ("town",)})
