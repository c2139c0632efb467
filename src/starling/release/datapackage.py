"""`datapackage.json`: what is in a release, for any tool that reads Frictionless data packages (version 2 of the standard).

Each file is a resource with its size and SHA-256, each table with its columns. Parquet has types that a table schema has no words
for, so each of its columns bears `parquetType` besides: what pyarrow calls it.

A Parquet file has room for notes: key-value metadata of the file and of each column, the name of the program that wrote it, bytes between
its parts that no reader looks at. None of them is compared with anything, so that a release has none of them: they could say what the
table does not.
"""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from starling.errors import Problem
from starling.planfile.spelling import shown
from starling.release.codec import Json
from starling.release.manifest import DOWNLOAD_AGAIN, OWN_LEDGER, SIGNATURE, content, digests

FILE: Final = "datapackage.json"
PROFILE: Final = "https://datapackage.org/profiles/2.0/datapackage.json"
LARGEST: Final = 1 << 26
"""Bytes of a JSON file of a release that is read."""

ARROW: Final = b"ARROW:schema"
"""The one key that Arrow writes: the types of the columns, as Arrow says them."""
WRITER: Final = re.compile(r"parquet-cpp-arrow version [0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}")
_FRAME: Final = 4 + 4 + 4
"""Bytes around the parts of a file: its mark at both ends, and the length of the footer."""

MEDIA: Final = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
    ".txt": "text/plain",
    ".yaml": "application/yaml",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a released table.

    Attributes:
        type: The type in the table schema: string, integer, number, boolean or array.
    """

    name: str
    type: str
    description: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of a release, in one file.

    Attributes:
        key: Columns that tell a row from all others.
        delimiter: The delimiter of a text file; empty for a Parquet file.
    """

    path: str
    title: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    delimiter: str = ""


def write(folder: Path, title: str, sheets: Sequence[Sheet], notes: Mapping[str, str]) -> None:
    """Describe everything that is in `folder` so far; `notes` says what each file is that holds no table."""
    files = content(folder)
    text = described(files, digests(files), title, sheets, notes)
    (folder / FILE).write_text(text, encoding="utf-8")


def described(
    files: Mapping[str, Path], hashes: Mapping[str, str], title: str, sheets: Sequence[Sheet], notes: Mapping[str, str]
) -> str:
    """The text of the file, of which there is one; `files` are all but this one, the signature and a ledger inside, ascending."""
    tables = {sheet.path: sheet for sheet in sheets}
    resources: list[Json] = []
    for name, path in files.items():
        resource = _resource(name, path, hashes[name])
        if name in tables:
            resource |= _table(tables[name], path)
        elif name in notes:
            resource["title"] = notes[name]
        resources.append(resource)
    package: dict[str, Json] = {"$schema": PROFILE, "title": title, "resources": resources}
    return json.dumps(package, indent=1, ensure_ascii=False) + "\n"


def _resource(name: str, path: Path, sha256: str) -> dict[str, Json]:
    suffix = Path(name).suffix
    resource: dict[str, Json] = {"name": name.replace("/", "-").lower(), "path": name}
    if suffix in MEDIA:
        resource |= {"format": suffix[1:], "mediatype": MEDIA[suffix]}
    return resource | {"bytes": path.stat().st_size, "hash": f"sha256:{sha256}"}


def _table(sheet: Sheet, path: Path) -> dict[str, Json]:
    kinds = {} if sheet.delimiter else parquet_types(path)
    fields: list[Json] = []
    for column in sheet.columns:
        descriptor: dict[str, Json] = {"name": column.name, "type": column.type, "description": column.description}
        if column.name in kinds:
            descriptor["parquetType"] = kinds[column.name]
        if column.required:
            descriptor["constraints"] = {"required": True}
        fields.append(descriptor)
    schema: dict[str, Json] = {"fields": fields}
    if sheet.key:
        schema["primaryKey"] = list[Json](sheet.key)
    descriptor = {"title": sheet.title, "type": "table", "schema": schema}
    if sheet.delimiter:
        descriptor |= {
            "encoding": "utf-8",
            "dialect": {"delimiter": sheet.delimiter, "lineTerminator": "\n", "header": True},
        }
    return descriptor


def check(folder: Path, hashes: Mapping[str, str]) -> list[Problem]:
    """What a datapackage.json says wrongly of the files beside it, which have these SHA-256."""
    try:
        package = read_json(folder / FILE)
        listed = [(str(each["path"]), each) for each in package["resources"]]
    except (OSError, KeyError, TypeError, ValueError, RecursionError):
        return [Problem(FILE, "is not a data package that can be read", DOWNLOAD_AGAIN)]
    resources = dict(listed)
    expected = hashes.keys() - {FILE, SIGNATURE, OWN_LEDGER}
    differences = [f"do not list {shown(name)}" for name in sorted(expected - resources.keys())]
    differences += [f"list {shown(name)}, which is not there" for name in sorted(resources.keys() - expected)]
    if len(resources) != len(listed):
        differences.append("list a file twice")
    problems = [Problem("resources", each, DOWNLOAD_AGAIN, FILE) for each in differences]
    for name in sorted(expected & resources.keys()):
        problems += _wrong(folder / name, name, hashes[name], resources[name])
    return problems or _form(folder, package, hashes)


def _form(folder: Path, package: Mapping[str, Any], hashes: Mapping[str, str]) -> list[Problem]:
    """What the file holds that does not belong there: a key too many, a key twice, another order or other spaces."""
    try:
        resources = package["resources"]
        sheets = [_sheet(each) for each in resources if "schema" in each]
        notes = {each["path"]: each["title"] for each in resources if "schema" not in each and "title" in each}
        files = {each["path"]: folder / each["path"] for each in resources}
        text = described(files, hashes, package["title"], sheets, notes)
    except (KeyError, TypeError, AttributeError):
        text = ""
    if (folder / FILE).read_bytes() == text.encode():
        return []
    return [
        Problem(FILE, "is not in its one form: something does not belong there, or stands there twice", DOWNLOAD_AGAIN)
    ]


def sheets(folder: Path) -> dict[str, Sheet]:
    """The tables that the file in a folder describes, by their paths; the folder is known to be as it was signed."""
    package = read_json(folder / FILE)
    return {each["path"]: _sheet(each) for each in package["resources"] if "schema" in each}


def _sheet(resource: Mapping[str, Any]) -> Sheet:
    """The table that a resource describes."""
    schema = resource["schema"]
    columns = tuple(
        Column(each["name"], each["type"], each["description"], "constraints" in each) for each in schema["fields"]
    )
    key, delimiter = tuple(schema.get("primaryKey", ())), resource.get("dialect", {}).get("delimiter", "")
    return Sheet(resource["path"], resource["title"], columns, key, delimiter)


def _wrong(path: Path, name: str, sha256: str, resource: Mapping[str, Any]) -> list[Problem]:
    """What one resource says wrongly."""
    if resource.get("hash") != f"sha256:{sha256}" or resource.get("bytes") != path.stat().st_size:
        return [Problem(shown(name), "has another size or hash there than it has", DOWNLOAD_AGAIN, FILE)]
    if "schema" not in resource:
        missing = Problem(shown(name), "has no schema there", DOWNLOAD_AGAIN, FILE)
        return [missing] if resource.get("format") == "parquet" else []
    try:
        fields = [(str(field["name"]), field.get("parquetType")) for field in resource["schema"]["fields"]]
        problems = _columns(path, resource)
        remainder = parquet_stray(path) if resource.get("format") == "parquet" else None
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError, AttributeError):
        return [Problem(shown(name), "is not the table that is described there", DOWNLOAD_AGAIN, FILE)]
    if fields != problems:
        return [Problem(shown(name), "has other columns or types than are described there", DOWNLOAD_AGAIN, FILE)]
    beyond = Problem(shown(name), f"holds {remainder}, which no file of a release has", DOWNLOAD_AGAIN)
    return [] if remainder is None else [beyond]


def _columns(path: Path, resource: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """Names and Parquet types of the columns of a file."""
    if resource.get("format") == "parquet":
        return list(parquet_types(path).items())
    with path.open("rb") as file:
        header = file.readline(1 << 16).decode("utf-8").rstrip("\n")
    return [(name.strip('"'), None) for name in header.split(resource["dialect"]["delimiter"])]


def read_json(path: Path) -> Any:
    """The content of a JSON file; raises ValueError when it is none, or larger than a file of a release may be."""
    if path.stat().st_size > LARGEST:
        raise ValueError
    return json.loads(path.read_bytes())


def parquet_types(path: Path) -> dict[str, str]:
    """The columns of a file and what pyarrow calls their types; from its footer alone."""
    return {field.name: str(field.type) for field in pq.read_schema(path)}


def parquet_stray(path: Path) -> str | None:
    """What a file holds that none of ours does, in a few words; None where there is nothing. From its footer alone.

    Raises:
        OSError, pa.ArrowException: it cannot be read as Parquet.
    """
    with pq.ParquetFile(path) as file:
        footer, schema = file.metadata, file.schema_arrow
    notes = footer.metadata or {}
    if notes.keys() != {ARROW} or schema.metadata or any(map(_noted, schema)):
        return "notes beside its columns"
    try:
        written = base64.b64decode(notes[ARROW], validate=True)
        stored = pa.ipc.read_schema(pa.py_buffer(written))
    except ValueError:
        return "notes beside its columns"
    if not stored.equals(schema) or any(map(_noted, stored)) or stored.serialize().to_pybytes() != written:
        return "notes that say other types than its columns have"
    if not WRITER.fullmatch(footer.created_by):
        return "another program's name"
    parts = sum(
        footer.row_group(group).column(column).total_compressed_size
        for group in range(footer.num_row_groups)
        for column in range(footer.num_columns)
    )
    return None if path.stat().st_size == _FRAME + parts + footer.serialized_size else "bytes that belong to no column"


def _noted(field: pa.Field) -> bool:
    """Whether a column, or a part of it, has notes."""
    return bool(field.metadata) or any(_noted(field.type.field(part)) for part in range(field.type.num_fields))
