"""What a charge asks before it is made stays as quick with many analysts as with one."""

import re

from starling.ledger import rows
from starling.ledger.rules import UNIT
from starling.ledger.store import Transaction
from tests.ledger.worlds import World

MANY = 5_000


def test_each_cap_is_looked_up_by_its_whole_name(world: World) -> None:
    sqlite = world.url.startswith("sqlite")

    def work(tx: Transaction) -> str:
        # As many as a planner needs to know better than to read all caps of the population, or to believe that there are few.
        for number in range(MANY):
            tx.run(
                "INSERT INTO caps (since, population, scope, name, cap, spent) VALUES (?, 'people', 'analyst', ?, ?, 0)",
                1_000_000 + number,
                f"analyst-{number}",
                UNIT,
            )
        explain = "EXPLAIN QUERY PLAN" if sqlite else "EXPLAIN"
        return "\n".join(str(row[-1]) for row in tx.rows(f"{explain} {rows._BEFORE}", *["census"] * 7))

    plan = world.ledger.book.store.atomically(work)
    whole = (
        r"SEARCH \w+_cap .*\(population=\? AND scope=\? AND name=\?\)"
        if sqlite
        else r"Index Cond: .*population = .*scope = .*name = "
    )
    assert len(re.findall(whole, plan)) == 4, plan
