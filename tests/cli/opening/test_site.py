"""The pages of a release: every number as it was published, hostile names as text, and what is not there refused."""

import io
import re
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import starling
from starling.cli.opening.site import Site, written
from starling.release.reading import Release
from tests.four_domains import release, write

DOMAINS = ("tables", "groups", "places", "genome")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("four"))


@pytest.fixture(scope="module", params=DOMAINS)
def site(request: pytest.FixtureRequest, folder: Path) -> Iterator[tuple[Site, Release]]:
    here = folder / request.param / "out"
    if not here.exists():
        release(folder, request.param)
    with starling.open_release(here) as opened, Site(opened, here) as site:
        yield site, opened


def cells(text: str) -> list[str]:
    return [re.sub(r"<svg.*?</svg>|<[^>]*>", "", cell).strip() for cell in re.findall(r"<td.*?</td>", text, re.DOTALL)]


def test_each_table_shows_the_numbers_of_the_release(site: tuple[Site, Release]) -> None:
    pages, opened = site
    home = pages.answer("/", {})
    assert home.status == 200
    for name in opened.names:
        assert f'href="/tables/{name}"' in home.body.decode()
        reply = pages.answer(f"/tables/{name}", {})
        assert reply.status == 200
        shown = set(cells(reply.body.decode()))
        for row in opened.table(name).slice(0, 100).to_pylist():
            assert {f"{value:,}" for value in row.values() if type(value) is int} <= shown
            assert not re.search(r"\bstyle=|<style|<script>", reply.body.decode())


def test_what_is_shown_can_be_downloaded(site: tuple[Site, Release]) -> None:
    pages, opened = site
    name = next(each for each in opened.names if "/" not in each)
    table = opened.table(name)
    reply = pages.answer(f"/download/parquet/{name}", {})
    assert pq.read_table(io.BytesIO(reply.body)).to_pylist() == table.to_pylist()
    reply = pages.answer(f"/download/csv/{name}", {})
    assert len(pacsv.read_csv(io.BytesIO(reply.body))) == len(table)
    assert "attachment" in reply.headers["Content-Disposition"]


@pytest.mark.parametrize(
    "path", ["/tables/none", "/tables", "/download/exe/t1", "/static/none.css", "/map/none", "/../x"]
)
def test_what_is_not_there_is_refused(site: tuple[Site, Release], path: str) -> None:
    assert site[0].answer(path, {}).status == 404


def test_the_report_is_sent_as_it_was_signed_and_runs_nothing(site: tuple[Site, Release]) -> None:
    pages, opened = site
    reply = pages.answer("/report", {})
    assert reply.body == (opened.folder / "report.html").read_bytes()
    assert "sandbox" in reply.headers["Content-Security-Policy"]
    assert "script" not in reply.headers["Content-Security-Policy"]


def test_a_column_or_row_that_is_none_is_refused(site: tuple[Site, Release]) -> None:
    pages, opened = site
    for query in ({"<b>": "x"}, {"first": "-1"}, {"first": "x"}):
        reply = pages.answer(f"/tables/{opened.names[0]}", query)
        assert reply.status == 422
        assert b"<b>" not in reply.body


def test_a_map_has_its_page_numbers_and_files(folder: Path) -> None:
    here = folder / "places" / "out"
    if not here.exists():
        release(folder, "places")
    with starling.open_release(here) as opened, Site(opened, here) as pages:
        page = pages.answer("/map", {}).body.decode()
        assert 'data-source="/map/data"' in page
        assert pages.answer("/map/data", {}).body[:2] == b"\x1f\x8b"
        (address, *_) = re.findall(r'href="(/map/[^"]*)" download', page)
        assert pages.answer(address, {}).status == 200


def test_no_text_of_a_workbook_is_a_formula() -> None:
    rows = pa.table({"a": ["=1+1", "b", None], "n": [1, -2, 3]})
    book = openpyxl.load_workbook(io.BytesIO(written(rows, "xlsx", "T")))
    assert [[cell.value for cell in row] for row in book["Rows"].rows][1] == ["=1+1", 1]
    assert book["Rows"]["A2"].data_type == "s"
    assert written(rows, "csv", "T").decode().splitlines()[1].startswith("\"'=1+1")
