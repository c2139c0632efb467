"""Ledgers for tests: a population of persons in rho with room for ten charges of 1."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from urllib.parse import urlsplit

from starling.ledger.leases import Clock, machine
from starling.ledger.opening import Ledger, create_ledger, open_ledger
from starling.ledger.rules import UNIT, Request, Ticket, canonical
from starling.privacy.distributions.discrete import DiscreteGaussian
from starling.privacy.guarantee import Guarantee, measurement
from starling.privacy.neighbours import ADD_REMOVE_PERSON, Relation
from starling.privacy.sampling.entropy import fresh_id


def costing(rho: Fraction | int, relation: Relation = ADD_REMOVE_PERSON) -> Guarantee:
    """A count with Gaussian noise of that cost."""
    return measurement("a count", relation, DiscreteGaussian(Fraction(1) / (2 * Fraction(rho))))


class Count:
    """A mechanism for tests: passes its exact value through `draw`."""

    def __init__(self, rho: int = 1) -> None:
        self.guarantee: Guarantee = costing(rho)

    def draw(self, exact: int, /) -> int:
        return exact


def request(number: int | str, analyst: str = "ann", dataset: str = "census", body: int | str | None = None) -> Request:
    """Request `number`; its body says the same number unless told otherwise."""
    return Request(analyst, f"request-{number}", dataset, canonical({"query": str(number if body is None else body)}))


@dataclass
class Time:
    """Time that a test moves: the wall clock, and the seconds since the machine was started."""

    wall: float = 4_000_000_000.0
    elapsed: float = 1000.0

    def passes(self, seconds: float) -> None:
        """By every clock."""
        self.wall += seconds
        self.elapsed += seconds

    def clock(self, machine: Callable[[], str] = machine) -> Clock:
        """For a ledger."""
        return Clock(lambda: self.wall, lambda: self.elapsed, machine)


@dataclass
class World:
    """A ledger with its clock: population "people" (rho, cap 10), dataset "census" (cap 8), "ann" (cap 6) and "bob" (cap 10)."""

    url: str
    ledger: Ledger
    time: Time

    def again(self) -> Ledger:
        """The same ledger opened anew, as another process would."""
        return open_ledger(self.url, clock=self.time.clock())

    def charge(self, number: int | str, rho: Fraction | int = 1, **who: str) -> Ticket:
        """Charge `rho` for request `number`."""
        return self.ledger.charging.charge(request(number, **who), costing(rho))

    def spent(self) -> Fraction:
        """Of the population's cap, in rho."""
        caps = self.ledger.reading.account("people").caps
        return Fraction(next(cap.spent for cap in caps if cap.scope == "population"), UNIT)


def filled(url: str, ledger: Ledger) -> World:
    """The world of a new ledger."""
    ledger.close()
    time = Time()
    world = World(url, open_ledger(url, clock=time.clock()), time)
    custody = world.ledger.custody
    custody.add_population("people", "rho", ADD_REMOVE_PERSON, 10)
    custody.add_dataset("census", "people", {"columns": ["age"]}, 8)
    custody.grant("people", "ann", 6)
    custody.grant("people", "bob", 10)
    return world


@contextmanager
def sqlite_world(folder: Path) -> Iterator[World]:
    """In a fresh SQLite file."""
    url = f"sqlite:///{folder / 'ledger.sqlite'}"
    world = filled(url, create_ledger(url))
    yield world
    world.ledger.close()


@contextmanager
def postgres_database(server: str) -> Iterator[str]:
    """The URL of a fresh database of the server, dropped afterwards."""
    import psycopg

    name = f"starling_{fresh_id()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        yield urlsplit(server)._replace(path=f"/{name}").geturl()
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@contextmanager
def postgres_world(server: str) -> Iterator[World]:
    """In a fresh database of the server."""
    with postgres_database(server) as url:
        world = filled(url, create_ledger(url))
        yield world
        world.ledger.close()
