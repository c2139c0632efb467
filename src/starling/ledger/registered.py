"""What the custodian's events alone have registered: populations, datasets, grants, caps, rights and terms; and what was spent of the caps.

The tables repeat it for look-ups, and are compared with it (replay.py).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from starling.errors import IntegrityError, StarlingError
from starling.ledger import charged_noise, delegation, terms
from starling.ledger.chain import wrong
from starling.ledger.rows import Standing
from starling.ledger.rules import Population
from starling.ledger.store import Transaction

KINDS: Final = frozenset(
    {"population", "dataset", "grant", "raise", "retire", "accepted", delegation.KIND, terms.KIND, terms.APPROVED}
)
"""Kinds of events that a custodian signs."""


@dataclass(slots=True, eq=False)
class Cap:
    """A cap as the events make it; of a kind of noise, `once` is what one charge costs."""

    since: int
    cap: int | None
    name: str
    spent: int = 0
    last: int | None = None
    once: int = 0

    @property
    def left(self) -> int | None:
        """What is left, in units; None where there is no limit."""
        return None if self.cap is None else self.cap - self.spent


Place: TypeAlias = tuple[Population, tuple[Cap, ...]]
"""A population, and the caps of analyst, dataset and population."""


class Registered:
    """Takes the events of a custodian whose signatures hold.

    Args:
        approved: Whether a raise bears the approval that the ledger asks for, of a second custodian if it has one.
    """

    def __init__(self, approved: Callable[[Mapping[str, Any]], bool]) -> None:
        self._approved = approved
        self._populations: dict[str, Population] = {}
        self._retired: set[str] = set()
        self._datasets: dict[str, list[Any]] = {}
        self._caps: dict[tuple[str, str, str], Cap] = {}
        self._places: dict[tuple[str, str], Place] = {}
        self._noise: dict[tuple[str, str], Cap] = {}
        self._accepted: set[tuple[int, str, str]] = set()
        self.rights = delegation.Rights()
        self.terms = terms.AllTerms()

    def take(self, seq: int, kind: str, body: dict[str, Any]) -> None:
        """One more event.

        Raises:
            IntegrityError: it breaks a rule.
            KeyError, TypeError, ValueError, AttributeError: it refers to what is not there, or is not of its form.
        """
        self._places.clear()
        if kind == "population":
            name = body["name"]
            self._once(seq, (name, "population", name), body["cap"])
            self._populations[name] = Population.of(name, body["measure"], body["change"], body["unit"])
        elif kind == "dataset":
            if body["name"] in self._datasets or body["population"] not in self._populations:
                raise wrong(seq, "registers again, or for no population")
            self._once(seq, (body["population"], "dataset", body["name"]), body["cap"])
            self._datasets[body["name"]] = [body["population"], body["schema"], False]
        elif kind == "grant":
            self._once(seq, (body["population"], "analyst", body["analyst"]), body["cap"])
        elif kind == "raise":
            self._raise(seq, body)
        elif kind == "accepted":
            if body["dataset"] not in self._datasets:
                raise wrong(seq, "accepts files of no dataset")
            self._accepted.add((seq, body["dataset"], body["files"]))
        elif kind in (delegation.KIND, terms.KIND, terms.APPROVED):
            self._delegated(seq, kind, body)
        elif body["kind"] == "population":
            self._retired.add(self._populations[body["name"]].name)
        else:
            self._datasets[body["name"]][-1] = True

    def _delegated(self, seq: int, kind: str, body: dict[str, Any]) -> None:
        """What the custodian says of charges by other keys."""
        own = self._caps[self._datasets[body["dataset"]][0], "dataset", body["dataset"]]
        if kind == terms.APPROVED:
            self.terms.approve(body)
        elif own.cap is None:
            raise wrong(seq, "lets others charge a dataset without a cap")
        elif kind == terms.KIND:
            self.terms.set(body)
        else:
            self.rights.give(body)

    def _once(self, seq: int, key: tuple[str, str, str], cap: int | None) -> None:
        if key in self._caps:
            raise wrong(seq, f"begins {key[1]} {key[2]} anew")
        self._caps[key] = Cap(seq, cap, f"{key[1]} {key[2]}")

    def _raise(self, seq: int, body: dict[str, Any]) -> None:
        cap = self._caps[body["population"], body["scope"], body["name"]]
        if cap.cap != body["from"] or body["to"] <= body["from"]:
            raise wrong(seq, "does not raise the cap in force")
        if not self._approved(body):
            raise wrong(seq, "is not approved by the second custodian")
        cap.cap = body["to"]

    def place(self, seq: int, dataset: str, analyst: str) -> Place:
        """What a charge of this analyst to this dataset counts against; kept until a custodian changes anything."""
        if (known := self._places.get((dataset, analyst))) is not None:
            return known
        name, _, retired = self._datasets[dataset]
        if retired or name in self._retired:
            raise wrong(seq, "charges what is retired")
        keys = ((name, "analyst", analyst), (name, "dataset", dataset), (name, "population", name))
        place = self._places[dataset, analyst] = self._populations[name], tuple(self._caps[key] for key in keys)
        return place

    def noise_of(self, seq: int, population: Population, body: dict[str, Any]) -> Cap:
        """What was spent with this kind of noise; costs are computed once for each kind."""
        # Python's text is quickly made; the hash of the canonical one names the kind in the ledger.
        stated = (
            f"{body['cost']}{body['change']}{body['events']}{body.get('proof')}{body.get(charged_noise.RESPONSE)!r}"
        )
        text = population.name, stated
        if text not in self._noise:
            cap = self._noise[text] = Cap(seq, None, "a kind of noise")
            cap.once = _amount(seq, population, body)
            self._caps[population.name, "noise", charged_noise.key(body)] = cap
        return self._noise[text]

    def compare(self, tx: Transaction) -> None:
        """Raises IntegrityError where a table says something else than the events."""
        populations, retired = self._populations.values(), self._retired
        expected: dict[str, tuple[str, set[tuple[Any, ...]]]] = {
            "populations": (
                "name, measure, change, unit, retired",
                {(x.name, x.measure, x.relation.change, x.relation.unit, int(x.name in retired)) for x in populations},
            ),
            "datasets": (
                "name, population, public_schema, retired",
                {(name, *values, int(closed)) for name, (*values, closed) in self._datasets.items()},
            ),
            "caps": (
                "population, scope, name, since, cap, spent, last",
                {(*key, cap.since, cap.cap, cap.spent, cap.last) for key, cap in self._caps.items()},
            ),
            "accepted": ("seq, dataset, files", self._accepted),
        }
        for table, (columns, rows) in expected.items():
            if set(tx.rows(f"SELECT {columns} FROM {table}")) != rows:
                raise differs(table)

    def check_standing(self, analyst: str, standing: Standing, noise: str, added: Mapping[int, int]) -> None:
        """Raises IntegrityError where rows that a charge of `analyst` stands on say something else than the events.

        `noise` is the hash of the kind of noise; `added` what this transaction itself has added to each cap, by the event that began it.
        """
        name, dataset = standing.population.name, standing.dataset
        registered = self._datasets.get(dataset.name, [None, None, None])
        population = self._populations.get(name)
        if population is None or standing.population != replace(population, retired=name in self._retired):
            raise differs("populations")
        if (dataset.population, dataset.retired) != (registered[0], registered[2]):
            raise differs("datasets")
        keys = [(name, "analyst", analyst), (name, "dataset", dataset.name), (name, "population", name)]
        known = {key: cap for key in [*keys, (name, "noise", noise)] if (cap := self._caps.get(key)) is not None}
        rows_of = [*standing.caps, *([] if standing.noise is None else [standing.noise])]
        stated = {
            (name, str(cap.scope), cap.name): (cap.since, cap.cap, cap.spent, None if cap.since in added else cap.last)
            for cap in rows_of
        }
        computed = {
            key: (cap.since, cap.cap, cap.spent + added.get(cap.since, 0), None if cap.since in added else cap.last)
            for key, cap in known.items()
        }
        if standing.noise is not None and (name, "noise", noise) not in computed and standing.noise.since in added:
            # This very transaction began it.
            computed[name, "noise", noise] = (standing.noise.since, None, added[standing.noise.since], None)
        if stated != computed:
            raise differs("caps")


def _amount(seq: int, population: Population, body: dict[str, Any]) -> int:
    """What a charge costs in the population, in units; -1 where it could not be made at all."""
    try:
        return charged_noise.amount(population, body)
    except IntegrityError as error:
        (problem,) = error.problems
        raise wrong(seq, f"is a charge whose {problem.field} {problem.problem}") from None
    except StarlingError:
        return -1


def differs(table: str) -> IntegrityError:
    """A table that the events don't make."""
    return IntegrityError(
        f"table {table}", "says something else than the events", "restore the ledger and ask who changed it"
    )
