"""A table that is made part by part, each wherever an engine has room for it: in a worker of a cluster, say."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Parts:
    """How to make a table; holds nothing of what is in it.

    Attributes:
        schema: Names and types of its columns.
        parts: What `read` is called with, once for each part; small, and fit to be pickled.
        read: Gives the rows of one part, the same ones whenever it is asked. A function of a module, or a `partial` of one, over public
            values: it travels to the workers.
    """

    schema: pa.Schema
    parts: tuple[Any, ...]
    read: Callable[[Any], Iterator[pa.RecordBatch]]
