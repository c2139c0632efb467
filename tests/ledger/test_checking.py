"""Attack A27: whatever is edited in a ledger's tables, the next charge is refused, in a running process and in a fresh one."""

from collections.abc import Callable

import pytest

from starling.errors import IntegrityError
from starling.ledger.checking import Check
from starling.ledger.opening import open_ledger, read_ledger
from tests.ledger.worlds import World, costing, request

EDITS = [
    "UPDATE caps SET spent = 0",
    "UPDATE caps SET spent = 1000000000, last = 6",
    "UPDATE caps SET spent = spent - 1 WHERE scope = 'analyst'",
    "UPDATE caps SET spent = 0 WHERE scope = 'noise'",
    "UPDATE caps SET cap = 99000000000 WHERE scope = 'population'",
    "UPDATE caps SET cap = NULL WHERE scope = 'dataset'",
    "UPDATE populations SET change = 'replace-one'",
    "UPDATE datasets SET retired = 1",
    "DELETE FROM caps WHERE scope = 'noise'",
]
"""Of a ledger with three charges of 1 by ann, events 6 to 8."""


def charged(world: World) -> None:
    for number in range(3):
        world.charge(number)


def edit(world: World, sql: str) -> None:
    world.ledger.book.store.atomically(lambda tx: tx.run(sql))


@pytest.mark.series(6)
@pytest.mark.parametrize("sql", EDITS)
def test_attack_a27_a_charge_by_edited_rows_is_refused(world: World, sql: str) -> None:
    charged(world)
    edit(world, sql)
    before = world.ledger.reading.head()
    # From memory the first is granted, by what the events say, where no row that it updates was edited.
    for number in range(3, 5):
        try:
            world.charge(number)
        except IntegrityError as refused:
            assert "says something else than the events" in str(refused)  # noqa: PT017 - the first or the second
            break
    else:
        world.ledger.charging._memory.forget()
        with pytest.raises(IntegrityError, match="says something else than the events"):
            world.charge(5)
    if "spent" in sql:
        assert world.ledger.reading.head() == before
    with pytest.raises(IntegrityError, match="says something else than the events"):
        world.again()
    with pytest.raises(IntegrityError, match="says something else than the events"):
        read_ledger(world.url).reading.verify()


def test_attack_a27_a_grant_that_nobody_signed_is_refused(world: World) -> None:
    charged(world)
    edit(
        world,
        "INSERT INTO caps (since, population, scope, name, cap, spent) VALUES (99, 'people', 'analyst', 'eve', 9000000000, 0)",
    )
    with pytest.raises(IntegrityError, match="table caps"):
        world.charge("eves", analyst="eve")
    with pytest.raises(IntegrityError, match="table caps"):
        world.again()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE charges SET drawn_sha256 = NULL, drawn_key = NULL",
        "UPDATE charges SET state = 'charged', answer = NULL, answer_kind = NULL WHERE request_id = 'request-2'",
    ],
)
def test_attack_a26_a_charge_whose_draw_was_forgotten_is_not_drawn_for_again(world: World, sql: str) -> None:
    world.ledger.charging.draw(world.charge(1), "5" * 64, "0a" * 32)
    world.ledger.charging.answer(world.charge(2), "bytes", "YQ==")
    edit(world, sql)
    edit(world, "UPDATE charges SET lease_until = 0, holder = ''")
    with pytest.raises(IntegrityError, match="table charges"):
        world.charge(1 if "drawn" in sql else 2)
    with pytest.raises(IntegrityError, match="table charges"):
        world.again()


def refunding(world: World) -> None:
    """A trigger that gives back what a charge takes."""
    if world.url.startswith("sqlite"):
        edit(world, "CREATE TRIGGER refund AFTER INSERT ON charges BEGIN UPDATE caps SET spent = 0; END")
        return
    edit(
        world,
        "CREATE FUNCTION refund() RETURNS trigger LANGUAGE plpgsql AS"
        " 'BEGIN UPDATE caps SET spent = 0; RETURN NEW; END'",
    )
    edit(world, "CREATE TRIGGER refund AFTER INSERT ON charges FOR EACH ROW EXECUTE FUNCTION refund()")


def test_attack_a27_a_refunding_trigger_is_refused(world: World) -> None:
    charged(world)
    refunding(world)
    with pytest.raises(IntegrityError, match="a trigger, a view, a rule"):
        world.again()
    with pytest.raises(IntegrityError, match="a trigger, a view, a rule"):
        read_ledger(world.url).reading.verify()
    # A process that runs on is refused when it meets the first refund.
    refused = 0
    for number in range(3, 6):
        try:
            world.charge(number)
        except IntegrityError:
            refused += 1
    assert refused >= 2
    assert world.ledger.reading.head().seq <= 9


POSTGRES_EDITS = [
    "ALTER TABLE caps SET UNLOGGED",
    "ALTER TABLE caps ADD COLUMN more TEXT",
    "ALTER TABLE caps ALTER COLUMN spent SET DEFAULT 0",
    "ALTER TABLE events ALTER COLUMN hash DROP NOT NULL",
    "ALTER TABLE charges ADD CHECK (amount < 5)",
    "ALTER TABLE caps ENABLE ROW LEVEL SECURITY",
    "CREATE RULE gone AS ON UPDATE TO caps DO INSTEAD NOTHING",
    "CREATE INDEX more ON caps (upper(name))",
    "DROP INDEX charges_by_hash",
    "CREATE TABLE heir () INHERITS (caps)",
]


@pytest.mark.series(4)
@pytest.mark.parametrize("world", ["postgres"], indirect=True)
@pytest.mark.parametrize("sql", POSTGRES_EDITS)
def test_attack_a27_other_tables_are_refused_on_postgres(world: World, sql: str) -> None:
    edit(world, sql)
    with pytest.raises(IntegrityError, match="other tables than those that Starling makes"):
        world.again()


SQLITE_EDITS = [
    "CREATE VIEW more AS SELECT 1",
    "CREATE TABLE more (x)",
    "ALTER TABLE events ADD COLUMN more TEXT AS (hex(zeroblob(1000000))) VIRTUAL",
    "DROP INDEX charges_by_hash",
]


@pytest.mark.parametrize("world", ["sqlite"], indirect=True)
@pytest.mark.parametrize("sql", SQLITE_EDITS)
def test_attack_a27_other_tables_are_refused_on_sqlite(world: World, sql: str) -> None:
    edit(world, sql)
    with pytest.raises(IntegrityError, match="other tables than those that Starling makes"):
        open_ledger(world.url)


def test_a_writer_goes_on_with_what_others_wrote(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    other = world.again()
    slices: list[int] = []
    plain: Callable[..., bool] = Check.slice

    def counted(self: Check, tx: object) -> bool:
        before = self.head.seq
        more = plain(self, tx)
        slices.append(self.head.seq - before)
        return more

    monkeypatch.setattr(Check, "slice", counted)
    world.charge(1)
    other.charging.answer(other.charging.charge(request(2), costing(1)), "bytes", "YQ==")
    world.charge(3)
    # What the custodian wrote first, its own charge as the other reads it, and the other's charge and answer with its own.
    assert [number for number in slices if number] == [4, 1, 3]
    other.close()
    world.ledger.reading.verify()
