"""The data package names every file with its size, hash and columns, and a wrong word in it is found."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.release import datapackage
from starling.release.datapackage import Column, Sheet, check, read_json
from starling.release.manifest import digests, files_of

COLUMNS = (Column("a", "integer", "A number"), Column("b", "array", "Some numbers", required=False))
SCHEMA = pa.schema([("a", pa.int32()), ("b", pa.large_list(pa.int32()))])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A described folder: a table as Parquet and as text, a page, and what is not described."""
    folder = tmp_path / "release"
    (folder / "data").mkdir(parents=True)
    pq.write_table(pa.table([[1, 2], [[1], []]], schema=SCHEMA), folder / "data" / "t.parquet")
    (folder / "data" / "t.txt").write_text("A|B\n1|2\n")
    (folder / "data" / "t.csv").write_text('"a",b\n1,2\n')
    (folder / "report.html").write_text("<p>")
    (folder / "ledger.sqlite").write_text("the ledger inside")
    sheets = [
        Sheet("data/t.parquet", "Table", COLUMNS, ("a",)),
        Sheet("data/t.txt", "Table", (Column("A", "integer", "A"), Column("B", "integer", "B")), delimiter="|"),
        Sheet("data/t.csv", "Table", (Column("a", "integer", "A"), Column("b", "integer", "B")), delimiter=","),
    ]
    datapackage.write(folder, "Title", sheets, {"report.html": "Report"})
    return folder


def said(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((folder / "datapackage.json").read_text())
    return loaded


def problems(folder: Path) -> list[str]:
    return [str(problem) for problem in check(folder, digests(files_of(folder)))]


def test_it_follows_the_standard(folder: Path) -> None:
    package = said(folder)
    assert package["$schema"] == "https://datapackage.org/profiles/2.0/datapackage.json"
    assert package["title"] == "Title"
    resources = {resource["path"]: resource for resource in package["resources"]}
    assert [*resources] == ["data/t.csv", "data/t.parquet", "data/t.txt", "report.html"]
    assert len({resource["name"] for resource in package["resources"]}) == 4
    for path, resource in resources.items():
        # "A name SHOULD consist only of lowercase English alphanumeric characters plus ., - and _"
        assert resource["name"] == path.replace("/", "-")
        assert resource["bytes"] == (folder / path).stat().st_size
        assert resource["hash"].startswith("sha256:")
    assert resources["data/t.txt"]["dialect"]["delimiter"] == "|"
    assert resources["data/t.csv"]["type"] == "table"
    assert resources["report.html"]["title"] == "Report"
    parquet = resources["data/t.parquet"]
    assert (parquet["format"], parquet["mediatype"]) == ("parquet", "application/vnd.apache.parquet")
    assert parquet["schema"]["primaryKey"] == ["a"]
    assert parquet["schema"]["fields"] == [
        {
            "name": "a",
            "type": "integer",
            "description": "A number",
            "parquetType": "int32",
            "constraints": {"required": True},
        },
        {"name": "b", "type": "array", "description": "Some numbers", "parquetType": "large_list<element: int32>"},
    ]


def test_what_it_says_is_checked(folder: Path) -> None:
    assert not problems(folder)
    (folder / "SIGNATURE").write_text("")
    assert not problems(folder), "the signature comes later and is not described"


CHANGES: dict[str, tuple[Callable[[dict[str, Any], dict[str, Any]], object], str]] = {
    "a resource left out": (lambda package, _: package["resources"].pop(0), "do not list data/t.csv"),
    "one too many": (lambda package, _: package["resources"].append({"path": "x"}), "list x, which is not there"),
    "twice": (lambda package, table: package["resources"].append(table), "list a file twice"),
    "size": (lambda _, table: table.update(bytes=1), "another size or hash"),
    "hash": (lambda _, table: table.update(hash="sha256:00"), "another size or hash"),
    "no schema": (lambda _, table: table.pop("schema"), "has no schema"),
    "column": (lambda _, table: table["schema"]["fields"][0].update(name="c"), "other columns or types"),
    "type": (lambda _, table: table["schema"]["fields"][0].update(parquetType="int64"), "other columns or types"),
    "fields": (lambda _, table: table["schema"].update(fields=7), "is not the table"),
    "resources": (lambda package, _: package.update(resources=7), "cannot be read|can be read"),
    "text": (lambda package, _: package["resources"][2]["schema"]["fields"].pop(), "other columns or types"),
    "dialect": (lambda package, _: package["resources"][2].pop("dialect"), "is not the table"),
}


@pytest.mark.parametrize(("change", "expected"), CHANGES.values(), ids=CHANGES)
def test_a_wrong_word_is_found(folder: Path, change: Callable[[Any, Any], object], expected: str) -> None:
    package = said(folder)
    change(package, package["resources"][1])
    (folder / "datapackage.json").write_text(json.dumps(package))
    (problem,) = problems(folder)
    assert any(part in problem for part in expected.split("|"))


FORMS: dict[str, Callable[[str], str]] = {
    "a key twice": lambda text: text.replace('"title": "Title"', '"title": "Exact numbers",\n "title": "Title"'),
    "a key too many": lambda text: text.replace('"title": "Title"', '"title": "Title",\n "note": "exact"'),
    "a key of a resource too many": lambda text: text.replace(
        '"format": "html"', '"note": "exact",\n   "format": "html"'
    ),
    "a key of a column too many": lambda text: text.replace('"name": "b"', '"name": "b",\n      "note": "exact"', 1),
    "another media type": lambda text: text.replace("text/html", "text/plain"),
    "other spaces": lambda text: text.replace("\n", "\n "),
    "another end": lambda text: text + "\n",
}


@pytest.mark.parametrize("change", FORMS.values(), ids=FORMS)
def test_it_has_one_form(folder: Path, change: Callable[[str], str]) -> None:
    path = folder / "datapackage.json"
    before = path.read_text()
    path.write_text(change(before))
    assert path.read_text() != before
    (problem,) = problems(folder)
    assert problem.startswith("datapackage.json is not in its one form")


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "[" * 100_000])
def test_another_file_is_refused(folder: Path, text: str) -> None:
    (folder / "datapackage.json").write_text(text)
    assert problems(folder) == [
        "datapackage.json is not a data package that can be read; get the release again from its publisher"
    ]


def test_a_parquet_file_that_is_none_is_found(folder: Path) -> None:
    (folder / "data" / "t.parquet").write_text("PAR1")
    package = said(folder)
    hashed = digests(files_of(folder))
    package["resources"][1] |= {"bytes": 4, "hash": f"sha256:{hashed['data/t.parquet']}"}
    (folder / "datapackage.json").write_text(json.dumps(package))
    (problem,) = problems(folder)
    assert "data/t.parquet is not the table that is described" in problem


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(datapackage.LARGEST + 1)
    with pytest.raises(ValueError, match=r"^$"):
        read_json(tmp_path / "large.json")
