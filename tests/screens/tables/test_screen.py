"""A table as a page and as files: every number as the API gives it, names as text, and nonsense refused by a page."""

import io
import re
from html import escape, unescape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote, urlencode

import openpyxl
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.screens.release import pages_of
from starling.screens.tables import files
from starling.screens.tables.files import Form
from starling.tables.analysis import TablesRelease
from tests.screens.conftest import Reader
from tests.screens.tables.conftest import WARDS


class Rows(HTMLParser):
    """The cells of the body of the last table of a page, row by row."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.header: list[str] = []
        self.rows: list[list[str]] = []
        self._cell: str | None = None
        self.feed(page[page.rindex("<table") :])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self._cell = ""

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell += data

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell is not None:
            self.rows[-1].append(self._cell.strip())
            self._cell = None
        if tag == "thead":
            self.header = self.rows.pop()


def numbers_of(rows: Rows, title: str) -> list[str]:
    place = rows.header.index(title)
    return [row[place] for row in rows.rows if len(row) > place]


def test_each_table_shows_the_numbers_that_the_release_tells(reader: Reader) -> None:
    opened, home = reader.release, reader.read("/").decode()
    for name in opened.names:
        size, _ = opened.size(name)
        assert home.count(f'href="/tables/{name}"') == (0 if not size else 1 if "/" in name else 2)
        assert escape(pages_of(opened).sheets[name].title) in home
        page = reader.read(f"/tables/{name}").decode()
        assert not re.search(r"\bstyle=|<style|<script>", page)
        answer: Any = opened.tell({"kind": "rows", "table": name})
        if not answer["rows"]:
            assert "No row has these values" in page
            continue
        rows = Rows(page)
        for title, column in (("Number", "count"), ("Lower end", "lower"), ("Upper end", "upper")):
            if column in answer["columns"]:
                values = [row[answer["columns"].index(column)] for row in answer["rows"]]
                shown = [text.partition(" (")[0] for text in numbers_of(rows, title)]
                assert shown == ["" if value is None else f"{value:,}" for value in values]


@pytest.mark.parametrize(
    "where", [{}, {"region_id": WARDS[0]}, {"sex": "F", "age_start": "*"}, {"region_id": "=1+1", "sex": "M"}]
)
def test_what_is_shown_is_what_is_downloaded_and_what_the_lines_give(detailed: Reader, where: dict[str, str]) -> None:
    query = urlencode(where)
    page = detailed.read("/tables/t2", query).decode()
    answer: Any = detailed.release.tell({"kind": "rows", "table": "t2", "where": [[*each] for each in where.items()]})
    counts = [row[answer["columns"].index("count")] for row in answer["rows"]]
    assert counts
    assert [text.partition(" (")[0] for text in numbers_of(Rows(page), "Number")] == [f"{each:,}" for each in counts]
    assert f"Rows 1 to {len(counts)} of {len(counts)}." in page
    links = re.findall(r'<a href="/(download/(\w+)/[^"]*)" download', page)
    downloads = {}
    for address, form in links:
        path, _, rest = unescape(address).partition("?")
        downloads[form] = io.BytesIO(detailed.read(path, rest))
    assert pq.read_table(downloads["parquet"])["count"].to_pylist() == counts
    assert pacsv.read_csv(downloads["csv"])["count"].to_pylist() == counts
    book = openpyxl.load_workbook(downloads["xlsx"])
    sheet, notes = book["Rows"], dict(book["Read me"].iter_rows(values_only=True))
    words = unescape(page)
    assert all(notes[name] and notes[name] in words for name in answer["columns"])
    assert "95 %" in notes["lower"]
    assert notes["Privacy loss"] == str(detailed.release.cost)
    header, *rows = ([cell.value for cell in row] for row in sheet.rows)
    assert [row[header.index("count")] for row in rows] == counts
    code, _ = re.findall(r"<code>(.*?)</code>", page, re.DOTALL)
    line = unescape(code).splitlines()[-1]
    assert eval(line, {"release": detailed.release})["count"].tolist() == counts


def test_codes_are_shown_by_their_texts(detailed: Reader) -> None:
    page = detailed.read("/tables/t2", urlencode({"region_id": WARDS[0]})).decode()
    rows = Rows(page)
    assert rows.header[:6] == ["Pick", "Kind", "Group", "Sex", "Ages", "Number"]
    assert numbers_of(rows, "Ages")[:4] == ["all ages", "under 18", "18 to 64", "65 and over"]
    assert set(numbers_of(rows, "Kind")) == {"Ward"}
    assert set(numbers_of(rows, "Group")) == {"F", "M"}


def test_hostile_names_are_texts(detailed: Reader) -> None:
    for name in ('"><script>', "\u202e", "x" * 300, "<b>"):
        page = detailed.read("/tables/t1", urlencode({"region_id": name})).decode()
        assert "<script>" not in page
        assert "<b>" not in page
        assert "there is none with" in page or WARDS[0].find(name) > 0


@pytest.mark.slow
def test_picked_numbers_are_combined_as_the_release_tells(detailed: Reader) -> None:
    page = detailed.read("/tables/t1", urlencode({"region_id": "w'1"})).decode()
    values = [unescape(each) for each in re.findall(r'name="pick" value="([^"]*)"', page)]
    one, two = (
        {"table": "t1", "where": [["region_type", "ward"], ["region_id", "w'1"], ["iteration_code", f"by sex: {sex}"]]}
        for sex in "FM"
    )
    questions: list[Any] = [
        {"kind": "sum", "terms": [one]},
        {"kind": "sum", "terms": [two]},
        {"kind": "sum", "terms": [one, two]},
        {"kind": "sum", "terms": [one, {**two, "weight": "-1"}]},
        {"kind": "ratio", "terms": [one], "divisor": [two]},
    ]
    # On the page of another region they stand still.
    page = detailed.read(
        "/tables/t1", urlencode([("region_id", "=1+1"), *(("pick", each) for each in values)])
    ).decode()
    start = page.index("<table")
    rows = Rows(page[start : page.index("</table>", start)])
    assert [row[0] for row in rows.rows[:2]] == ["w'1, F", "w'1, M"]
    for row, question in zip(rows.rows, questions, strict=True):
        answer: Any = detailed.release.tell(question)
        texts = {
            name: f"{answer[name]:,}" if isinstance(answer[name], int) else f"{answer[name]:,.6g}"
            for name in ("estimate", "lower", "upper")
        }
        assert row[1:] == [texts["estimate"], f"{texts['lower']} to {texts['upper']}"]
    assert [unescape(each) for each in re.findall(r'type="hidden" name="pick" value="([^"]*)"', page)] == values


def test_what_is_refused_of_picked_numbers_is_said_beside_them(
    detailed: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise ParameterError("count", "was <raised>", "use the measurements")

    monkeypatch.setattr(TablesRelease, "tell", refused)
    key = {"region_type": "ward", "region_id": "empty", "iteration_code": "by sex: M"}
    page = detailed.read("/tables/t1", urlencode({"pick": f"t1?{urlencode(key)}"})).decode()
    assert "count was &lt;raised&gt;; use the measurements" in page


def test_ages_of_one_group_are_a_pyramid(detailed: Reader) -> None:
    page = detailed.read("/tables/t2", urlencode({"region_id": WARDS[0], "iteration_code": "by sex: F"})).decode()
    assert "Ages of w&#34;&gt;&lt;script&gt;1, F" in page
    assert page.count('<rect class="fill-soft"') == 6
    one = detailed.read(
        "/tables/t2", urlencode({"region_id": WARDS[0], "iteration_code": "by sex: F", "sex": "F"})
    ).decode()
    assert one.count('<rect class="fill-soft"') == 3
    assert "Ages of" not in detailed.read("/tables/t2", urlencode({"region_id": WARDS[0]})).decode()


def test_a_form_that_takes_fewer_rows_says_so_before(detailed: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(files.FORMS, "xlsx", Form("Excel", "x", 3, "a sheet of Excel holds, below its header, at most"))
    page = detailed.read("/tables/t1").decode()
    assert "No Excel: the rows are 8, and a sheet of Excel holds, below its header, at most 3." in page
    assert "/download/xlsx/" not in page
    reply = detailed.get("/download/xlsx/t1")
    assert (reply.status, reply.headers) == (422, {})
    assert "/download/xlsx/t1?region_id" in detailed.read("/tables/t1", f"region_id={quote(WARDS[1])}").decode()


WORDS = st.sampled_from(
    ["region_id", "region_type", "iteration_code", "sex", "age_start", "count", "first", "pick", "region_name", "x"]
)
VALUES = st.sampled_from(
    [
        "",
        "ward",
        "=1+1",
        "*",
        "F",
        "0",
        "100",
        "t1?",
        "t1?region_type=ward&region_id=%3D1%2B1&iteration_code=by+sex%3A+F",
    ]
)


@pytest.mark.examples(20)
@given(
    path=st.sampled_from(
        [
            "tables/t1",
            "tables/t2",
            "tables/measurements/ward-1",
            "download/csv/t2",
            "download/xlsx/t1",
            "download/parquet/t1",
        ]
    ),
    pairs=st.lists(st.tuples(WORDS | st.text(max_size=5), VALUES | st.text(max_size=8)), max_size=6),
)
def test_nonsense_in_an_address_is_a_page_that_says_so(
    detailed: Reader, path: str, pairs: list[tuple[str, str]]
) -> None:
    query = urlencode(pairs, errors="surrogatepass")
    reply = detailed.get(f"/{path}", query)
    assert reply.status in (200, 422)
    if reply.status != 200:
        assert 'role="alert"' in detailed.read(f"/{path}", query).decode()


@given(path=st.text(), query=st.text())
def test_any_address_has_a_reply(detailed: Reader, path: str, query: str) -> None:
    assert detailed.get(path, query).status in (200, 404, 422)
