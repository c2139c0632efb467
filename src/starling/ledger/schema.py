"""Whether the tables of a ledger are those of the migration, and nothing hangs on them: no trigger, view, rule or computed column.

The text of the migration is the one truth. SQLite keeps the text of each statement, so texts are compared. PostgreSQL keeps what the text
came to, so its catalogue is compared with what SQLite makes of the migration in memory.
"""

import sqlite3
from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

from starling.errors import IntegrityError
from starling.ledger.store import Row, Transaction, migration

Described: TypeAlias = frozenset[Row]

TYPES: Final = {"INTEGER": "integer", "BIGINT": "bigint", "TEXT": "text"}
"""Names of column types in SQLite's text and in PostgreSQL's catalogue."""

_SQLITE: Final = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
_NAMED: Final = "(SELECT to_regclass(name) AS oid, name FROM unnest(string_to_array(?, ',')) AS name) AS ours"
_COLUMNS: Final = (
    "(SELECT string_agg(attname, ',' ORDER BY place) FROM unnest({keys}) WITH ORDINALITY AS keyed (number, place)"
    " JOIN pg_attribute ON attrelid = ours.oid AND attnum = number)"
)
_POSTGRES: Final = (
    # Each table: there, in the schema that is meant, logged, and without rules, policies, heirs or triggers.
    (
        f"SELECT name, 'table', CAST(relkind AS TEXT) || CAST(relpersistence AS TEXT), NULL FROM {_NAMED}"
        " JOIN pg_class ON pg_class.oid = ours.oid"
        " WHERE relnamespace = current_schema()::regnamespace AND NOT (relrowsecurity OR relhasrules OR relispartition)"
    ),
    (
        f"SELECT name, 'heir or rule', NULL, NULL FROM {_NAMED} WHERE oid IN (SELECT inhparent FROM pg_inherits UNION"
        " SELECT inhrelid FROM pg_inherits UNION SELECT ev_class FROM pg_rewrite)"
    ),
    (
        f"SELECT name, 'trigger', tgname, NULL FROM {_NAMED} JOIN pg_trigger ON tgrelid = ours.oid"
        " WHERE NOT tgisinternal OR tgenabled <> 'O'"
    ),
    # Columns: type, whether NULL is refused, and nothing that fills them.
    (
        f"SELECT name, 'column', attname, format_type(atttypid, atttypmod) || ' ' || CAST(CAST(attnotnull AS INTEGER) AS TEXT) ||"
        f" CASE WHEN atthasdef THEN ' computed' ELSE '' END || CAST(attidentity AS TEXT) FROM {_NAMED}"
        " JOIN pg_attribute ON attrelid = ours.oid WHERE attnum > 0 AND NOT attisdropped"
    ),
    (
        f"SELECT name, 'constraint ' || CAST(contype AS TEXT), {_COLUMNS.format(keys='conkey')},"
        f" CASE WHEN confrelid = 0 THEN NULL ELSE CAST(CAST(confrelid AS regclass) AS TEXT) END FROM {_NAMED}"
        " JOIN pg_constraint ON conrelid = ours.oid WHERE contype <> 'n'"
    ),
    (
        f"SELECT name, 'index', {_COLUMNS.format(keys='CAST(indkey AS int2[])')}, CAST(CAST(indisunique AS INTEGER) AS TEXT)"
        f" || CASE WHEN indpred IS NULL AND indexprs IS NULL AND indisvalid THEN '' ELSE ' odd' END FROM {_NAMED}"
        " JOIN pg_index ON indrelid = ours.oid"
        " WHERE indexrelid NOT IN (SELECT conindid FROM pg_constraint WHERE conrelid = ours.oid AND contype <> 'f')"
    ),
)


def check_sqlite(tx: Transaction) -> None:
    """Raises IntegrityError where an SQLite ledger has other tables, or more than them."""
    _compare(frozenset(tx.rows(_SQLITE)), expected_sqlite())


def check_postgres(tx: Transaction) -> None:
    """Raises IntegrityError where a PostgreSQL ledger has other tables, or something hangs on them."""
    expected = expected_postgres()
    names = ",".join(sorted({str(row[0]) for row in expected}))
    present = {row for sql in _POSTGRES for row in tx.rows(sql, names)}
    _compare(frozenset(present), expected)


def _compare(present: Described, expected: Described) -> None:
    if present != expected:
        raise IntegrityError(
            "ledger",
            "has other tables than those that Starling makes, or something hangs on them (a trigger, a view, a rule)",
            "restore the ledger and ask who changed it",
        )


def _of_migration(describe: Callable[[sqlite3.Connection], Described]) -> Described:
    """The tables of the migration, in memory."""
    connection = sqlite3.connect(":memory:")
    try:
        for statement in migration():
            connection.execute(statement)
        return describe(connection)
    finally:
        connection.close()


@lru_cache(maxsize=1)
def expected_sqlite() -> Described:
    """Each table and index of the migration, with its text."""
    return _of_migration(lambda connection: frozenset(connection.execute(_SQLITE)))


@lru_cache(maxsize=1)
def expected_postgres() -> Described:
    """Each table, column, constraint and index of the migration, as the queries of `_POSTGRES` say them."""

    def describe(connection: sqlite3.Connection) -> Described:
        return frozenset(
            row
            for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            for row in _described(connection, str(name))
        )

    return _of_migration(describe)


def _described(connection: sqlite3.Connection, table: str) -> list[Row]:
    described: list[Row] = [(table, "table", "rp", None)]
    columns = connection.execute('SELECT name, type, "notnull", pk FROM pragma_table_info(?)', (table,)).fetchall()
    for name, kind, filled, key in columns:
        described.append((table, "column", name, f"{TYPES[kind]} {int(bool(filled or key))}"))
    keys = [name for name, _, _, key in columns if key]
    described.append((table, "constraint p", ",".join(keys), None))
    for column, other in connection.execute('SELECT "from", "table" FROM pragma_foreign_key_list(?)', (table,)):
        described.append((table, "constraint f", column, other))
    for index, unique, origin in connection.execute(
        'SELECT name, "unique", origin FROM pragma_index_list(?)', (table,)
    ):
        names = ",".join(str(name) for (name,) in connection.execute("SELECT name FROM pragma_index_info(?)", (index,)))
        if origin == "u":
            described.append((table, "constraint u", names, None))
        elif origin == "c":
            described.append((table, "index", names, str(unique)))
    return described
