"""Whatever is chosen and picked of any table gets a page, in every domain, also where a signed table has rows that its plan has not."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import starling
from starling.domains import DOMAINS
from starling.ledger import keys
from starling.release.reading import Release
from starling.screens.frame import Frame
from starling.screens.release import pages_of
from tests.release.forging import Forged
from tests.screens.conftest import Reader
from tests.tables.conftest import cross_release, detailed_release

__all__ = ["cross_release", "detailed_release"]

NAMES = [*DOMAINS, "detailed", "statistics", "cross"]
SERVER = Frame("", "http://localhost", 7, "/releases/7", "", "", {"name": "ada", "role": "analyst"}, most=1)
ODD = st.sampled_from(["", "*", "-1", "0", "1e9", '"><b>', "\u202e", "x" * 300, "nowhere", "200"])
"""Values that may mean something else than a value, and of such that no plan has."""


def foreign(release: Release, folder: Path) -> Release:
    """A copy whose tables have texts that its plan does not know here and there, signed again."""
    shutil.copytree(release.folder, folder)
    random = Random(1).random
    for name in release.names:
        path = folder / release.path_of(name).relative_to(release.folder)
        table = pq.read_table(path)
        for at, field in enumerate(table.schema):
            if pa.types.is_string(field.type):
                texts = [each if random() < 0.7 else f"no {field.name}" for each in table[field.name].to_pylist()]
                table = table.set_column(at, field, pa.array(texts, field.type))
        pq.write_table(table, path)
    Forged(folder).resign(keys.load())
    return starling.open_release(folder)


@pytest.fixture(scope="module")
def readers(
    releases: dict[str, Release],
    detailed: Reader,
    detailed_release: Path,
    cross_release: Release,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, list[Reader]]]:
    """Of each release what reads it and its copy, on one's own machine and at a server."""
    statistics = starling.open_release(detailed_release)
    opened = {**releases, "detailed": detailed.release, "statistics": statistics, "cross": cross_release}
    folder = tmp_path_factory.mktemp("foreign")
    copies = {name: foreign(each, folder / name) for name, each in opened.items()}
    yield {
        name: [Reader(each), Reader(each, SERVER), Reader(copies[name]), Reader(copies[name], SERVER)]
        for name, each in opened.items()
    }
    for each in (*copies.values(), statistics):
        each.close()


def values_of(release: Release) -> dict[str, dict[str, list[str]]]:
    """Some texts of each column of each table by which rows are chosen."""
    tables = {}
    for name in release.names:
        stored = release.stored(name)
        tables[name] = {each: (stored.values(each, {}, 400) or [])[:6] for each in stored.labels}
    return tables


@pytest.mark.slow
@pytest.mark.examples(8)
@pytest.mark.parametrize("domain", NAMES)
@settings(max_examples=30)
@given(data=st.data())
def test_every_choice_and_pick_of_a_table_gets_a_page(readers: dict[str, list[Reader]], domain: str, data: Any) -> None:
    reader = data.draw(st.sampled_from(readers[domain]))
    tables, pages = values_of(reader.release), pages_of(reader.release)
    name = data.draw(st.sampled_from(sorted(tables)))

    def value(columns: dict[str, list[str]], column: str) -> str:
        known = columns.get(column) or [""]
        return str(data.draw(st.sampled_from(known) | ODD))

    chosen = data.draw(st.lists(st.sampled_from([*tables[name], "first", "x"]), max_size=3, unique=True))
    pairs = [(each, value(tables[name], each)) for each in chosen]
    keys = {each: pages.key(each) for each in tables if pages.key(each)}
    for table in data.draw(st.lists(st.sampled_from(sorted(keys)), max_size=3)) if keys else ():
        where = {column: value(tables[table], column) for column in keys[table]}
        pairs.append(("pick", f"{table}?{urlencode(where)}"))
    kind = data.draw(st.sampled_from(["tables", "tables", "download/csv", "download/xlsx"]))
    reply = reader.get(f"/{kind}/{name}", urlencode(pairs))
    assert reply.status in ((200, 422) if kind == "tables" else (200, 404, 422))


@pytest.mark.series(2)
@pytest.mark.parametrize("domain", NAMES)
def test_every_page_of_a_release_shows_rows_that_its_plan_has_not(
    readers: dict[str, list[Reader]], domain: str
) -> None:
    reader = readers[domain][3]
    release, pages = reader.release, pages_of(reader.release)
    tables = [f"/tables/{each}" for each in release.names]
    for path in ("/", "/report", *(path for _, path in pages.links), *tables):
        assert reader.get(path).status in (200, 409, 422), path
    for name, columns in values_of(release).items():
        for column in columns:
            query = urlencode({column: f"no {column}"})
            assert reader.get(f"/tables/{name}", query).status == 200, (name, query)
