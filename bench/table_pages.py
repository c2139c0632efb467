"""A page of a table of national size: how long a process that reads the release takes for it, and how much memory.

The table stands for T1 of a national release: a nation, states, counties and tracts by 1,500 groups, with invented numbers, in the place
of the table of a small release that is signed anew. The same addresses of the small release, in the same run, say what a page costs that
has nothing to search.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import urlencode

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.measure import Json, Spread, in_turn, timed
from bench.process import run
from bench.record import Limit, Recorder
from starling import tables
from starling.ledger.keys import Key
from starling.release import datapackage
from starling.release.manifest import SIGNATURE, content, digest, sign
from starling.release.payment import PaymentOptions
from starling.release.table_files import COMPRESSION, ROW_GROUP

GROUPS: Final = 1_500
"""Groups of a region."""
REGIONS: Final = {"USA": 1, "STATE": 52, "COUNTY": 3_200}
"""Regions of each kind; the rest are tracts."""
PERSONS: Final = 20_000
ROWS: Final = 100_000_000
ROUNDS: Final = 15
MOST_SECONDS: Final = 0.1
"""A page at the server."""
MOST_GROWTH: Final = 3.0
"""Memory of the process with the national table, as a multiple of that with the small one."""


def regions(rows: int) -> Iterator[tuple[str, str]]:
    """Kind and code of each region, in the order in which a table has them."""
    left = max(rows // GROUPS, 1)
    for kind, number in (*REGIONS.items(), ("TRACT", left)):
        for place in range(min(number, left)):
            yield kind, f"{place:0{11 if kind == 'TRACT' else 5}d}"
        left -= min(number, left)


def write_table(path: Path, schema: pa.Schema, rows: int) -> None:
    """A table of so many rows, region by region, row group by row group."""
    codes = pa.array([f"{3000 + place}" for place in range(GROUPS)])
    names = pa.array([f"Group {place} alone or in any combination" for place in range(GROUPS)])
    places = list(regions(rows))
    kinds, ids = (pa.array(column) for column in zip(*places, strict=True))
    titles = pa.array([f"{kind.title()} {code}" for kind, code in places])
    random = np.random.default_rng(1)
    with pq.ParquetWriter(path, schema, compression=COMPRESSION) as writer:
        for first in range(0, len(places) * GROUPS, ROW_GROUP):
            region, group = np.divmod(np.arange(first, min(first + ROW_GROUP, len(places) * GROUPS)), GROUPS)
            count = random.geometric(0.01, len(region)).astype(np.int64)
            columns = {
                "region_id": ids.take(pa.array(region)),
                "region_type": kinds.take(pa.array(region)),
                "iteration_code": codes.take(pa.array(group)),
                "count": count,
                "standard_deviation": np.full(len(region), 8.5),
                "lower": np.maximum(count - 17, 0),
                "upper": count + 17,
                "post_processed": np.zeros(len(region), dtype=bool),
                "region_name": titles.take(pa.array(region)),
                "iteration_name": names.take(pa.array(group)),
            }
            writer.write_table(pa.table([columns[name] for name in schema.names], schema=schema))


def small_release(folder: Path) -> Path:
    """A release of the plan `demo` of invented persons."""
    plan = tables.Plan.load("demo")
    records = plan.generate(folder / "invented", persons=PERSONS)
    plan.release(records, out=folder / "small", payment=PaymentOptions(unvalidated=True))
    return folder / "small"


def swapped(release: Path, rows: int) -> None:
    """Put a large table in the place of T1, and describe and sign the release anew."""
    for path in (release / "data").glob("t1.*"):
        schema = pq.read_schema(path) if path.suffix == ".parquet" else None
        path.unlink()
        if schema is not None:
            write_table(path, schema, rows)
    file = release / datapackage.FILE
    package = json.loads(file.read_text())
    files = content(release)
    package["resources"] = [each for each in package["resources"] if each["path"] in files]
    for resource in package["resources"]:
        path = files[resource["path"]]
        resource |= {"bytes": path.stat().st_size, "hash": f"sha256:{digest(path)}"}
    file.write_text(json.dumps(package, indent=1, ensure_ascii=False) + "\n")
    (release / SIGNATURE).unlink()
    sign(release, Key(bytes(range(32))))
