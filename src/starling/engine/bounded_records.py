"""At most k records of each person, chosen by a keyed hash: one SQL text for DuckDB and Spark, and for every domain that protects persons.

Kept are those of smallest hash of a key, what the record says, its ordinal among the person's records that say the same, and the person.
The key has KEY bytes, is drawn from the core's entropy by each computation, reaches no file, and is gone with it. So the k records are
uniform among the person's own, the same on any engine, whatever the order of the records. Whose records they are decides alone which are
kept, whatever other persons there are and whatever the key is: one person more or less changes what is counted by at most k records in all.
"""

from collections.abc import Iterable
from contextlib import closing
from typing import Final, NamedTuple

import pyarrow as pa

from starling.engine import duck

KEY: Final = 32
"""Bytes of the key."""
PERSON: Final = pa.field("person", pa.binary())
"""The column that says whose a record is, beside those of what it says."""
MANY_SQL: Final = """
WITH met AS (SELECT records.person AS person, count(*) AS records FROM records GROUP BY records.person)
SELECT
  cast(count(*) AS bigint) AS persons,
  cast(coalesce(sum(met.records), 0) AS bigint) AS records,
  cast(count(*) FILTER (met.records > bounds.most) AS bigint) AS more
FROM met CROSS JOIN bounds
"""


def bounded_sql(content: pa.Schema, answer: str) -> str:
    """A text over the tables `records`, with a person and what each record says, and `bounds`, which `bounds_of` makes.

    Args:
        content: Integers, or bytes, that say all there is to know of a record.
        answer: A SELECT from `ranked`, which has the columns of `content`, and `place`, up to `bounds.most` of a record that is kept.
    """
    names = [field.name for field in content]
    records, hashed = (", ".join(f"{table}.{name}" for name in names) for table in ("records", "hashed"))
    records_as, met_as, hashed_as = (
        ", ".join(f"{table}.{name} AS {name}" for name in names) for table in ("records", "met", "hashed")
    )
    key = ", ' ', ".join(
        f"hex(met.{field.name})" if pa.types.is_binary(field.type) else f"cast(met.{field.name} AS string)"
        for field in content
    )
    return f"""
WITH met AS (
  SELECT records.person AS person, {records_as},
    row_number() OVER (PARTITION BY records.person, {records} ORDER BY {records}) AS ordinal
  FROM records
), hashed AS (
  SELECT met.person AS person, {met_as}, met.ordinal AS ordinal,
    sha1(concat(bounds.hash_key, ' ', {key}, ' ', cast(met.ordinal AS string), ' ', hex(met.person))) AS hash
  FROM met CROSS JOIN bounds WHERE met.ordinal <= bounds.alike
), ranked AS (
  SELECT {hashed_as},
    row_number() OVER (PARTITION BY hashed.person ORDER BY hashed.hash, {hashed}, hashed.ordinal) AS place
  FROM hashed
)
{answer}
"""  # noqa: S608 - names of columns that the program gives


def bounds_of(key: bytes, most: int, alike: int = (1 << 63) - 1) -> pa.Table:
    """The table `bounds`: at most `most` records of a person are kept, and at most `alike` of those that say the same."""
    return pa.table({"hash_key": [key.hex()], "most": [most], "alike": [alike]})


class Persons(NamedTuple):
    """How many persons and records there are. NOT PRIVATE.

    Attributes:
        persons: Different persons.
        records: Records that have a person.
        more: Persons with more records than are kept.
    """

    persons: int
    records: int
    more: int


def persons_of(person: Iterable[pa.Array], most: int) -> Persons:
    """How many persons there are, and how many of them have more than `most` records.

    Args:
        person: The person of each record as bytes, batch by batch; null for none.
        most: Records of a person that are kept.
    """
    schema = pa.schema([PERSON])
    batches = (pa.record_batch([each.drop_null()], schema=schema) for each in person)
    read = {"records": pa.RecordBatchReader.from_batches(schema, batches), "bounds": pa.table({"most": [most]})}
    with closing(duck.run(MANY_SQL, read)) as answer:
        [result] = [Persons(**row) for batch in answer for row in batch.to_pylist()]
    return result
