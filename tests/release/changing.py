"""Every field of every file of a release, each changed by itself: what whoever holds the key could do to it."""

import html.parser
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


@dataclass(frozen=True)
class Change:
    """One field, changed.

    Attributes:
        file: The path of the file in the release.
        field: Which field, and what is done to it; the same for the elements of a list.
        content: The file as it is then.
    """

    file: str
    field: str
    content: bytes

    def __str__(self) -> str:
        return f"{self.file}: {self.field}"


def changes(folder: Path) -> Iterator[Change]:
    """One change of each kind of each field of each file below a folder but its signature, which is made again."""
    for path in sorted(each for each in folder.rglob("*") if each.is_file() and each.name != "SIGNATURE"):
        name, seen = path.relative_to(folder).as_posix(), {path.read_bytes()}
        for field, content in _FORMS[path.suffix](path):
            if content not in seen:
                seen.add(content)
                yield Change(name, field, content)


def _form(indent: int | None, end: str) -> Callable[[Any], str]:
    return lambda value: json.dumps(value, indent=indent, ensure_ascii=False) + end


_JSON = [_form(indent, end) for indent in (2, 1, None) for end in ("\n", "")]
"""The forms in which files of a release are written."""


def _json(path: Path) -> Iterator[tuple[str, bytes]]:
    text = path.read_text()
    value = json.loads(text)
    form = next(form for form in _JSON if form(value) == text)
    done: set[str] = set()
    for where, field, other in _others(value):
        if field not in done:
            done.add(field)
            yield field, form(_with(value, where, other)).encode()


_GONE = object()


def _others(value: Any, where: tuple[Any, ...] = (), field: str = "") -> Iterator[tuple[tuple[Any, ...], str, Any]]:
    """Where something stands, what is done to it, and what it is then."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield (*where, key), f"{field}.{key} left out", _GONE
            yield from _others(each, (*where, key), f"{field}.{key}")
        yield (*where, "note"), f"{field}.note added", "exact"
    elif isinstance(value, list):
        if value:
            yield where, f"{field} without its last", value[:-1]
            yield where, f"{field} with its last twice", [*value, value[-1]]
        for index, each in enumerate(value):
            yield from _others(each, (*where, index), f"{field}[]")
    else:
        yield where, f"{field} changed", _other(value)


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if value is None:
        return 1
    number = re.search("[0-9]", value)
    # A number in a text becomes another number, and a text another one of letters that stand in it.
    return value[: number.start()] + str((int(number[0]) + 1) % 10) + value[number.end() :] if number else value + "x"


def _with(value: Any, where: tuple[Any, ...], other: Any) -> Any:
    if not where:
        return other
    first, *rest = where
    if isinstance(value, list):
        return [_with(each, tuple(rest), other) if index == first else each for index, each in enumerate(value)]
    copy = dict(value)
    if other is _GONE and not rest:
        del copy[first]
    else:
        copy[first] = _with(value.get(first), tuple(rest), other)
    return copy


def _parquet(path: Path) -> Iterator[tuple[str, bytes]]:
    table = pq.read_table(path)
    if not len(table):
        yield (
            "a row more",
            _written(pa.table({each.name: [_cell(None, each.type)] for each in table.schema}, table.schema)),
        )
        return
    for name in table.column_names:
        index, column = table.column_names.index(name), table[name].combine_chunks()
        for row in {0, len(column) // 2, len(column) - 1} if len(column) else ():
            values = column.to_pylist()
            before, values[row] = values[row], _cell(values[row], column.type)
            assert values[row] != before, (path.name, name)
            yield (
                f"{name} changed",
                _written(table.set_column(index, table.field(index), pa.array(values, column.type))),
            )
        if column.null_count < len(column):
            values = [None, *column.to_pylist()[1:]]
            yield (
                f"{name} empty",
                _written(
                    table.set_column(index, table.field(index).with_nullable(True), pa.array(values, column.type))
                ),
            )
        yield f"{name} left out", _written(table.remove_column(index))
        yield (
            f"{name} renamed",
            _written(table.rename_columns([each + "x" * (each == name) for each in table.column_names])),
        )
    yield "a row left out", _written(table.slice(1))
    if len(table) > 1:
        yield "rows in another order", _written(table.take(pa.array(reversed(range(len(table))), pa.int64())))
    yield "notes", _written(table.replace_schema_metadata({**(table.schema.metadata or {}), "note": "exact"}))


def _cell(value: Any, kind: pa.DataType) -> Any:
    if isinstance(value, list):
        return [*value[:-1], _cell(value[-1], kind.value_type)] if value else [_cell(None, kind.value_type)]
    if isinstance(value, bytes):
        return value[:-1] + bytes([value[-1] ^ 1]) if value else b"x"
    if value is None:
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        return "x" if pa.types.is_string(kind) else pa.scalar(1).cast(kind).as_py()
    if isinstance(value, int) and not isinstance(value, bool) and value > 100:
        return value - 1
    return value + "x" if isinstance(value, str) else _other(value)


def _written(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue().to_pybytes())


def _text(path: Path) -> Iterator[tuple[str, bytes]]:
    lines = path.read_bytes().splitlines(keepends=True)
    for row, line in enumerate(lines[:3]):
        for field in re.finditer(rb"[^,|\r\n]+", line):
            other = line[: field.start()] + str(_other(field[0].decode())).encode() + line[field.end() :]
            yield f"line {row + 1} from {field.start()}", b"".join([*lines[:row], other, *lines[row + 1 :]])
    yield "the last line left out", b"".join(lines[:-1])
    yield "a line more", b"".join([*lines, b"x\n"])


class _Page(html.parser.HTMLParser):
    """Where the texts and the values of attributes of a page stand."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self.spans: list[tuple[str, int, int]] = []
        self._lines = [0]
        for line in text.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self._open: list[str] = []
        self.feed(text)

    def _at(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the parser's signature
        whole, at = self.get_starttag_text() or "", self._at()
        inside = "svg " if "svg" in self._open or tag == "svg" else ""
        self.spans.append((f"{inside}<{tag}> made another", at + 1, at + 1 + len(tag)))
        for found in re.finditer(r'([\w:-]+)="([^"]*)"', whole):
            self.spans.append((f"{inside}<{tag} {found[1]}> changed", at + found.start(2), at + found.end(2)))
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                continue

    def handle_data(self, data: str) -> None:
        if data.strip():
            inside = "svg " if "svg" in self._open else ""
            self.spans.append(
                (f"{inside}text in <{self._open[-1] if self._open else ''}>", self._at(), self._at() + len(data))
            )


def _page(path: Path) -> Iterator[tuple[str, bytes]]:
    text = path.read_text()
    done: set[str] = set()
    for field, begin, end in _Page(text).spans:
        if field not in done or not field.startswith("svg"):
            done.add(field)
            other = text[begin:end] + "x" if field.endswith("another") else _other(text[begin:end])
            yield field, (text[:begin] + other + text[end:]).encode()
    for inside in ("<p>exact</p>", "<!-- exact -->"):
        yield f"{inside} added", text.replace("</body>", f"{inside}</body>").encode()


def _yaml(path: Path) -> Iterator[tuple[str, bytes]]:
    lines = path.read_text().splitlines(keepends=True)
    for index, line in enumerate(lines):
        if line.strip():
            other = _other(line.rstrip("\n")) + "\n"
            yield f"line {index + 1} changed", "".join([*lines[:index], other, *lines[index + 1 :]]).encode()
            yield f"line {index + 1} left out", "".join([*lines[:index], *lines[index + 1 :]]).encode()


def _bytes(path: Path) -> Iterator[tuple[str, bytes]]:
    content = path.read_bytes()
    for index in {len(content) * part // 8 for part in range(8)} | {len(content) - 1}:
        yield f"byte {index}", content[:index] + bytes([content[index] ^ 1]) + content[index + 1 :]
    yield "a byte more", content + b"\0"


def _ledger(path: Path) -> Iterator[tuple[str, bytes]]:
    with sqlite3.connect(path) as opened:
        tables = [name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = [(table, row[1]) for table in tables for row in opened.execute(f"PRAGMA table_info({table})")]
        opened.execute("PRAGMA journal_mode = MEMORY")
    content = path.read_bytes()
    for table, column in columns:
        copy = path.with_name("changed.sqlite")
        copy.write_bytes(content)
        with sqlite3.connect(copy) as opened:
            opened.execute("PRAGMA foreign_keys = OFF")
            rows = opened.execute(f"SELECT rowid, {column} FROM {table} LIMIT 1").fetchall()
            for rowid, value in rows:
                try:
                    opened.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (_other(value), rowid))
                except sqlite3.Error:
                    continue
        opened.close()
        made = copy.read_bytes()
        copy.unlink()
        yield f"{table}.{column} changed", made


_FORMS = {
    ".json": _json,
    ".parquet": _parquet,
    ".csv": _text,
    ".txt": _text,
    ".html": _page,
    ".yaml": _yaml,
    ".sqlite": _ledger,
    ".npz": _bytes,
    ".npy": _bytes,
    ".png": _bytes,
    ".zip": _bytes,
    ".geojson": _text,
    ".bin": _bytes,
}
