"""Text in a CSV that a spreadsheet would take for a formula is written so that it is text there too.

A name may begin with a sign by which a spreadsheet knows a formula, and a formula may open a file or send what stands in other cells.
RFC 4180 has no word for "this is text", and quotes do not help. So such a cell gets an apostrophe before it, which spreadsheets take for
exactly that. Numbers are no text: a negative one stays as it is.
"""

import re
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

FORMULA: Final = "^('*[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20])"
"""How text begins that would be taken for a formula, be it behind apostrophes: so what `as_text` writes can be read back."""
_WRITTEN: Final = re.compile("'('*[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20].*)", re.DOTALL)


def as_text(table: pa.Table) -> pa.Table:
    """A table whose text no spreadsheet takes for a formula; columns of other types as they are.

    >>> as_text(pa.table({"a": ["=1+1", "-x", "x-1"], "b": [-1, 0, 1]})).to_pydict()
    {'a': ["'=1+1", "'-x", 'x-1'], 'b': [-1, 0, 1]}
    """
    return pa.table([_harmless(column) for column in table.columns], schema=table.schema)


def text_cell(text: str) -> str:
    """One cell of text as `as_text` writes it.

    >>> text_cell("=1+1"), text_cell("x-1")
    ("'=1+1", 'x-1')
    """
    return re.sub(FORMULA, r"'\1", text)


def original(cell: str) -> str:
    """The text that `as_text` wrote as `cell`.

    >>> original("'=1+1"), original("x-1"), original("'Ewa")
    ('=1+1', 'x-1', "'Ewa")
    """
    written = _WRITTEN.fullmatch(cell)
    return written[1] if written else cell


def _harmless(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):
        # A few names stand in many rows: each is looked at once.
        chunks = [
            pa.DictionaryArray.from_arrays(chunk.indices, _replaced(chunk.dictionary)) if len(chunk) else chunk
            for chunk in column.chunks
        ]
        return pa.chunked_array(chunks, column.type)
    return _replaced(column) if pa.types.is_string(column.type) else column


def _replaced(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    if not pa.types.is_string(column.type) or not pc.any(pc.match_substring_regex(column, FORMULA)).as_py():
        return column
    return pc.replace_substring_regex(column, FORMULA, r"'\1")
