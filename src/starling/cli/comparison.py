"""Two releases compared with each other, and all that differs as CSV. Reads released folders and public files alone."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from starling.tables.earlier.differences import Comparison


def with_csv(compare: "Callable[..., Comparison]", path: Path) -> "Comparison":
    """Compare, and keep the rows as they come; without a comparison there is no file."""
    import pyarrow.csv as pacsv

    from starling.engine.new_folder import new_file
    from starling.release.cells import as_text

    with new_file(path) as part, ExitStack() as writing:
        writers: list[pacsv.CSVWriter] = []

        def keep(rows: "pa.Table") -> None:
            # The first rows, which are none, say what the columns are.
            if not writers:
                writers.append(writing.enter_context(pacsv.CSVWriter(part, rows.schema)))
            writers[0].write_table(as_text(rows))

        return compare(keep=keep)
