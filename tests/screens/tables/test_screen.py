"""A table as a page and as files: every number as it was published, and what is none refused."""

import io
import re

import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from tests.screens.conftest import Reader


def cells(text: str) -> list[str]:
    return [re.sub(r"<svg.*?</svg>|<[^>]*>", "", cell).strip() for cell in re.findall(r"<td.*?</td>", text, re.DOTALL)]


def test_each_table_shows_the_numbers_of_the_release(reader: Reader) -> None:
    opened, home = reader.release, reader.read("/").decode()
    for name in opened.names:
        assert f'href="/tables/{name}"' in home
        page = reader.read(f"/tables/{name}").decode()
        shown = set(cells(page))
        for row in opened.table(name).slice(0, 100).to_pylist():
            assert {f"{value:,}" for value in row.values() if type(value) is int} <= shown
        assert not re.search(r"\bstyle=|<style|<script>", page)


def test_what_is_shown_can_be_downloaded(reader: Reader) -> None:
    name = next(each for each in reader.release.names if "/" not in each)
    table = reader.release.table(name)
    rows = pq.read_table(io.BytesIO(reader.read(f"/download/parquet/{name}")))
    assert rows.to_pylist() == table.to_pylist()
    assert len(pacsv.read_csv(io.BytesIO(reader.read(f"/download/csv/{name}")))) == len(table)
    assert "attachment" in reader.get(f"/download/csv/{name}").headers["Content-Disposition"]


def test_a_column_or_row_that_is_none_is_refused(reader: Reader) -> None:
    for query in ("%3Cb%3E=x", "first=-1", "first=x", "first=1&first=2", "a=%ff"):
        reply = reader.get(f"/tables/{reader.release.names[0]}", query)
        assert reply.status == 422
        assert isinstance(reply.body, bytes)
        assert b"<b>" not in reply.body
