"""Columns of booleans by the names that a plan gives true and false. Only types are looked at: text is compared with names as it is."""

from collections.abc import Collection
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

_SPELLINGS: Final = (("true", "True", "TRUE", "1"), ("false", "False", "FALSE", "0"))
"""How programs write true and false."""


def names_truth(names: Collection[str]) -> bool:
    """Whether a list of values has one for true and one for false."""
    return all(any(each in names for each in spellings) for spellings in _SPELLINGS)


def spelled(column: pa.Array, names: Collection[str]) -> pa.Array:
    """Booleans as text, as the first usual spelling that is one of the names, else as the first of all; any other column as it is.

    >>> spelled(pa.array([True, None]), ["False", "True"]).to_pylist()
    ['True', None]
    """
    if pa.types.is_dictionary(column.type):
        return pa.DictionaryArray.from_arrays(column.indices, spelled(column.dictionary, names))
    if not pa.types.is_boolean(column.type):
        return column
    true, false = (next((each for each in words if each in names), words[0]) for words in _SPELLINGS)
    return pc.if_else(column, true, false)
