"""A ledger of millions of events, written straight into its tables: by charges, one flush each, it would take days.

Half of the events are charges of a hundred analysts, with eight kinds of noise; each is followed by its answer. `Reading.verify`
finds nothing wrong with it. `python -m bench.long_ledger URL --events N` makes one to be measured later: bench.ledger --long URL.
"""

import argparse
import hashlib
import sqlite3
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import Any, Final

from starling.ledger.chain import Head, digest
from starling.ledger.charged_noise import Noise, noise
from starling.ledger.keys import Key
from starling.ledger.opening import Ledger, create_ledger
from starling.ledger.rules import Request, canonical, charge_units
from starling.privacy.distributions.discrete import DiscreteGaussian
from starling.privacy.guarantee import Guarantee, measurement
from starling.privacy.neighbours import ADD_REMOVE_PERSON

ANALYSTS: Final = 100
KINDS: Final = 8
PART: Final = 50_000
"""Rows that are written at a time."""
CACHE: Final = 2 << 30
"""Bytes that SQLite may keep in memory while it is filled."""

KEY: Final = Key(bytes(32))
"""Signs ledgers of benchmarks; everybody knows it."""

Event = tuple[int, str, int, str, str]
Charge = tuple[int, str, str, str, str, int, str, str, int, str, str, str, int | None, int]

EVENTS_SQL: Final = "INSERT INTO events (seq, kind, at, body, hash) VALUES (?, ?, ?, ?, ?)"
CHARGE_COLUMNS: Final = (
    "seq, analyst, request_id, request_hash, dataset, amount, state, lease, lease_until, holder, answer_kind, answer,"
    " previous, times"
)


def guarantee(kind: int = 0) -> Guarantee:
    """What a charge is for: a count of rho of some millionths."""
    return measurement("a count", ADD_REMOVE_PERSON, DiscreteGaussian(Fraction(10**6, 2 * (kind + 1))))


def request(number: int) -> Request:
    """A request that no other number makes."""
    return Request(f"analyst-{number % ANALYSTS}", f"r{number}", "census", canonical({"query": str(number)}))


def prepared(url: str) -> Ledger:
    """A new ledger with a population, a dataset and its analysts."""
    ledger = create_ledger(url, key=KEY)
    ledger.custody.add_population("people", "rho", ADD_REMOVE_PERSON, 10**6)
    ledger.custody.add_dataset("census", "people", {"columns": ["age"]})
    for number in range(ANALYSTS):
        ledger.custody.grant("people", f"analyst-{number}", 10**6)
    return ledger


def make(url: str, events: int) -> None:
    """A new ledger at `url` with so many events more."""
    ledger = prepared(url)
    filler = Filler(ledger, events)
    (fill_postgres if url.startswith("postgresql://") else fill_sqlite)(url, filler)
    ledger.book.witness.advance(filler.head, KEY)
    ledger.close()


class Filler:
    """Makes the rows of `events` events after the last one of a prepared ledger, and what the caps are then."""

    def __init__(self, ledger: Ledger, events: int) -> None:
        self._ledger = ledger
        self.head = ledger.reading.head()
        self._numbers = iter(range(events // 2))
        self._previous: int | None = None
        self._noise = [noise(guarantee(kind)) for kind in range(KINDS)]
        self._bodies = [_template(each) for each in self._noise]
        self._amounts = [charge_units(guarantee(kind).cost.amount) for kind in range(KINDS)]
        self.spent: dict[tuple[str, str], tuple[int, int]] = {}
        self.since: dict[str, int] = {}

    def parts(self) -> Iterator[tuple[list[Event], list[Charge]]]:
        """Rows of both tables, some at a time."""
        while numbers := list(islice(self._numbers, PART)):
            rows = [self._pair(number) for number in numbers]
            yield [event for pair in rows for event in pair[:2]], [pair[2] for pair in rows]

    def _pair(self, number: int) -> tuple[Event, Event, Charge]:
        kind = number % KINDS
        amount, key = self._amounts[kind], self._noise[kind].key
        analyst, request_id = f"analyst-{number % ANALYSTS}", f"r{number}"
        text = f'census\n{{"query":"{number}"}}'
        request_hash = hashlib.sha256(text.encode()).hexdigest()
        before, after = self._bodies[kind]
        scopes = (("analyst", analyst), ("dataset", "census"), ("population", "people"))
        left = ",".join(f'"{scope[0]}":{self.spent.get(scope, (0, 0))[0] + amount}' for scope in scopes)
        body = (
            f'{{"amount":{amount},"analyst":"{analyst}","balances":{{{left}}},{before}"{request_hash}",{after}'
            f'"{request_id}","what":"a count"}}'
        )
        charge = self._event("charge", body)
        answer = f"YW5zd2Vy{number}"
        told = hashlib.sha256(answer.encode()).hexdigest()
        end = self._event("answer", f'{{"charge":{charge[0]},"kind":"bytes","sha256":"{told}"}}')
        self.since.setdefault(key, charge[0])
        for scope in (*scopes, ("noise", key)):
            self.spent[scope] = (self.spent.get(scope, (0, 0))[0] + amount, charge[0])
        ids = (charge[0], analyst, request_id, request_hash, "census", amount)
        previous, self._previous = self._previous, charge[0]
        return charge, end, (*ids, "answered", "", 0, "", "bytes", answer, previous, 1)

    def _event(self, kind: str, body: str) -> Event:
        seq = self.head.seq + 1
        # Later than the clock of `prepare`, so that the chain's time never goes back.
        at = 4_000_000_000
        self.head = Head(seq, digest(self.head.hash, seq, kind, at, body))
        return seq, kind, at, body, self.head.hash

    def caps(self) -> list[tuple[int, int, str, str]]:
        """What each cap has spent, its last charge, and where it stands."""
        return [(spent, last, *scope) for scope, (spent, last) in self.spent.items()]

    def kinds(self) -> list[tuple[int, str]]:
        """The charges that began each kind of noise."""
        return [(since, key) for key, since in self.since.items()]


def _template(kind: Noise) -> tuple[str, str]:
    """A charge's body before its request's hash, and between hash and id."""
    whole = canonical({**kind.fields, "dataset": "census", "hash": "", "request_id": ""})
    before, middle, _ = whole.removeprefix("{").removesuffix("}").split('""')
    return before, middle.removeprefix(",")


def fill_sqlite(url: str, filler: Filler) -> None:
    """Write it into the tables of an SQLite ledger; nothing is flushed before the end."""
    marks = ", ".join("?" * len(CHARGE_COLUMNS.split(",")))
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        # The index of request ids grows at random places: in memory it is quick.
        for setting in ("synchronous=OFF", "journal_mode=OFF", f"cache_size=-{CACHE >> 10}"):
            connection.execute(f"PRAGMA {setting}")
        for events, charges in filler.parts():
            connection.executemany(EVENTS_SQL, events)
            connection.executemany(f"INSERT INTO charges ({CHARGE_COLUMNS}) VALUES ({marks})", charges)
        connection.executemany(
            "INSERT INTO caps (since, population, scope, name, spent) VALUES (?, 'people', 'noise', ?, 0)",
            filler.kinds(),
        )
        connection.executemany("UPDATE caps SET spent = ?, last = ? WHERE scope = ? AND name = ?", filler.caps())
    connection.close()


def fill_postgres(url: str, filler: Filler) -> None:
    """The same for PostgreSQL, by COPY."""
    import psycopg

    with psycopg.connect(url) as connection:
        cursor: psycopg.Cursor[Any] = connection.cursor()
        for events, charges in filler.parts():
            for sql, rows in (
                ("COPY events (seq, kind, at, body, hash) FROM STDIN", events),
                (f"COPY charges ({CHARGE_COLUMNS}) FROM STDIN", charges),
            ):
                with cursor.copy(sql.encode()) as copy:
                    for row in rows:
                        copy.write_row(row)
        cursor.executemany(
            "INSERT INTO caps (since, population, scope, name, spent) VALUES (%s, 'people', 'noise', %s, 0)",
            filler.kinds(),
        )
        cursor.executemany("UPDATE caps SET spent = %s, last = %s WHERE scope = %s AND name = %s", filler.caps())
    connection.close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def main() -> None:
    """Make one."""
    parser = argparse.ArgumentParser(prog="python -m bench.long_ledger", description="Make a long ledger.")
    parser.add_argument("url", help="sqlite:///FILE, or an empty database of PostgreSQL")
    parser.add_argument("--events", type=int, default=10_000_000, metavar="N", help="[default: 10000000, 5 to 8 GB]")
    chosen = parser.parse_args()
    make(chosen.url, chosen.events)


if __name__ == "__main__":
    main()
