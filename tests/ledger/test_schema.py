"""What a migration makes is told in the same words on both stores."""

from starling.ledger import schema
from tests.ledger.worlds import World


def test_a_fresh_ledger_has_the_tables_of_the_migration(world: World) -> None:
    store = world.ledger.book.store
    store.atomically(store.check_schema, write=False)


def test_each_table_column_key_and_index_is_described() -> None:
    kinds: dict[str, int] = {}
    for row in schema.expected_postgres():
        kinds[str(row[1])] = kinds.get(str(row[1]), 0) + 1
    assert kinds["table"] == kinds["constraint p"] == 7
    assert kinds["constraint f"] == 3
    assert kinds["index"] == 1
    assert {str(row[2]) for row in schema.expected_postgres() if row[:2] == ("about", "column")} == {"key", "value"}
