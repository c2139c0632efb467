"""What custodians do: open populations, register data, grant and raise caps, retire. Each is a signed event."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from starling.errors import ParameterError, PolicyRefused
from starling.ledger import delegation, rows, rules, terms
from starling.ledger.book import Book
from starling.ledger.chain import approval_message, custodian_message
from starling.ledger.disclosure import meaning
from starling.ledger.keys import Key, Public
from starling.ledger.responses import price_if_paid
from starling.ledger.rows import EventWriter
from starling.ledger.rules import Population, Request, Scope
from starling.ledger.store import Transaction
from starling.privacy.budget import Exact, Measure
from starling.privacy.guarantee import Guarantee
from starling.privacy.neighbours import Relation


class Custody:
    """The custodian's side of a book."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def add_population(self, name: str, measure: Measure, relation: Relation, cap: Exact) -> None:
        """Open a population with a cap over everything that is ever charged to it."""
        rules.name(name, field="population")
        if measure not in ("epsilon", "rho"):
            raise ParameterError("measure", "is not epsilon or rho", "choose one of them")
        units = rules.cap_units(cap)

        def work(tx: Transaction, writer: EventWriter) -> None:
            if tx.one("SELECT 1 FROM populations WHERE name = ?", name):
                raise PolicyRefused("population", f"{name} exists already", "raise its cap: starling ledger raise")
            about = {"name": name, "measure": measure, "change": relation.change, "unit": relation.unit}
            self._signed(writer, "population", {**about, "cap": units})
            values = (name, measure, relation.change, relation.unit)
            tx.run("INSERT INTO populations (name, measure, change, unit, retired) VALUES (?, ?, ?, ?, 0)", *values)
            rows.insert_cap(tx, writer.head, name, "population", name, units)

        self._book.write(work)

    def add_dataset(self, name: str, population: str, schema: Mapping[str, Any], cap: Exact | None = None) -> None:
        """Register a delivery of data about the people of `population`, with its public schema and a cap of its own or none."""
        rules.name(name, field="dataset")
        text = rules.canonical(schema)
        units = None if cap is None else rules.cap_units(cap)

        def work(tx: Transaction, writer: EventWriter) -> None:
            rows.population(tx, population)
            if tx.one("SELECT 1 FROM datasets WHERE name = ?", name):
                raise PolicyRefused("dataset", f"{name} exists already", "choose another name")
            self._signed(writer, "dataset", {"name": name, "population": population, "schema": text, "cap": units})
            values = (name, population, text)
            tx.run("INSERT INTO datasets (name, population, public_schema, retired) VALUES (?, ?, ?, 0)", *values)
            rows.insert_cap(tx, writer.head, population, "dataset", name, units)

        self._book.write(work)

    def grant(self, population: str, analyst: str, cap: Exact) -> None:
        """Let `analyst` spend up to `cap` on `population`; without a grant nothing may be spent."""
        rules.name(analyst, field="analyst")
        units = rules.cap_units(cap)

        def work(tx: Transaction, writer: EventWriter) -> None:
            rows.population(tx, population)
            if rows.cap(tx, population, "analyst", analyst):
                raise PolicyRefused("analyst", f"{analyst} has a grant already", "raise it: starling ledger raise")
            self._signed(writer, "grant", {"population": population, "analyst": analyst, "cap": units})
            rows.insert_cap(tx, writer.head, population, "analyst", analyst, units)

        self._book.write(work)

    def raise_cap(self, population: str, scope: Scope, name: str, cap: Exact, approval: str | None = None) -> str:
        """Raise the cap of a scope, and say in plain words what that reveals (see `raising`). `approval`: the second custodian's
        signature, where the ledger has one.
        """
        units = rules.cap_units(cap)

        def work(tx: Transaction, writer: EventWriter) -> _Raise:
            raised = _raise(tx, population, scope, name, units)
            body = dict(raised.body)
            if self._book.second is not None:
                if approval is None or not self._book.second.holds(approval_message(self._book.id, body), approval):
                    raise PolicyRefused(
                        "approval",
                        "of the second custodian is missing or not for this very raise",
                        "ask them for: starling ledger approve",
                    )
                body["approval"] = approval
            self._signed(writer, "raise", body)
            sql = "UPDATE caps SET cap = ? WHERE population = ? AND scope = ? AND name = ?"
            tx.run(sql, units, population, scope, name)
            return raised

        return _meaning(self._book.write(work))

    def raising(self, population: str, scope: Scope, name: str, cap: Exact) -> str:
        """What raising a cap would reveal, in plain words, to read before it is done."""
        return _meaning(self._raise(population, scope, name, cap))

    def _raise(self, population: str, scope: Scope, name: str, cap: Exact) -> "_Raise":
        units = rules.cap_units(cap)
        return self._book.read(lambda tx: _raise(tx, population, scope, name, units))

    def approval(self, population: str, scope: Scope, name: str, cap: Exact, key: Key) -> str:
        """The second custodian's signature for one raise of the cap in force, so that it serves once.

        Raises:
            PolicyRefused: this ledger asks for no second custodian.
            ParameterError: `key` is not theirs.
        """
        if self._book.second is None:
            raise PolicyRefused("ledger", "asks for no second custodian", "raise without: starling ledger raise")
        if key.public != self._book.second:
            raise ParameterError(
                "key",
                f"is {key.public.fingerprint}, the second custodian's is {self._book.second.fingerprint}",
                "name their key: --key NAME",
            )
        return key.sign(approval_message(self._book.id, self._raise(population, scope, name, cap).body))

    def accept(self, dataset: str, files: str, content: str | None = None) -> None:
        """Say that these files of `dataset` were looked at, never what was found.

        `files` says which files, as they lie there (`release.records.accepted_files`); `content` which bytes (`accepted_content`), by
        which the acceptance can be carried over to the same bytes elsewhere.
        """
        body = {"dataset": dataset, "files": rules.token(files)}
        if content is not None:
            body["content"] = rules.token(content)

        def work(tx: Transaction, writer: EventWriter) -> None:
            rows.dataset(tx, dataset)
            if tx.one("SELECT 1 FROM accepted WHERE dataset = ? AND files = ?", dataset, files) is None:
                self._signed(writer, "accepted", body)
                values = (writer.head.seq, dataset, files)
                tx.run("INSERT INTO accepted (seq, dataset, files) VALUES (?, ?, ?)", *values)

        self._book.write(work)

    def delegate(self, dataset: str, key: Public, *, days: int) -> int:
        """Let another key, that of a server (delegation.py), charge a dataset from now on, for so many days; 0 takes the right back.

        Returns:
            When the right ends, in seconds since 1970.

        Raises:
            ParameterError: for days that are not from 0 to 366, or the custodian's own key.
            PolicyRefused: the dataset has no cap of its own, which bounds what may be spent by this right.
        """
        if not 0 <= days <= delegation.MOST_DAYS:
            raise ParameterError("days", f"is not from 0 to {delegation.MOST_DAYS}", "give a time that can be renewed")
        if key == self._book.signer:
            raise ParameterError("key", "is the custodian's own", "name the key of the server: starling server show")

        def work(tx: Transaction, writer: EventWriter) -> int:
            _own_cap(tx, dataset)
            until = writer.now + days * delegation.DAY
            self._signed(writer, delegation.KIND, {"key": key.text, "dataset": dataset, "until": until})
            return until

        return self._book.write(work)

    def set_terms(self, dataset: str, *, ask_first: bool, reserve: Exact | None = None) -> None:
        """Set the terms under which other keys may charge a dataset from now on (terms.py); they take the place of earlier ones.

        `ask_first`: whether each charge needs an approval; `reserve`: what others leave of the dataset's cap, nothing without it.

        Raises:
            PolicyRefused: the dataset has no cap of its own.
            ParameterError: the reserve is above that cap.
        """
        units = 0 if reserve is None else rules.cap_units(reserve, field="reserve")

        def work(tx: Transaction, writer: EventWriter) -> None:
            if units > _own_cap(tx, dataset):
                raise ParameterError("reserve", "is above the cap of the dataset", "keep less, or raise the cap")
            self._signed(writer, terms.KIND, {"dataset": dataset, "ask_first": ask_first, "reserve": units})

        self._book.write(work)

    def approve(self, request: Request, guarantee: Guarantee, *, days: int) -> int:
        """Approve one charge of a dataset that asks first, by a server: for this very request, under any id, and at most what `guarantee`
        costs. That is nothing where it reads a kept response, so that the approval keeps nothing of the budget until it is used.

        It may be charged for so many days, up to 366; 0 takes an approval back that was not used.

        Returns:
            When the approval ends, in seconds since 1970.

        Raises:
            ParameterError: for other days, or a dataset that is not registered.
            PolicyRefused: the dataset does not ask first, or the guarantee cannot be charged to its population.
        """
        if not 0 <= days <= terms.MOST_DAYS:
            raise ParameterError("days", f"is not from 0 to {terms.MOST_DAYS}", "give a time within a year")
        if not self._book.terms().of(request.dataset).ask_first:
            raise PolicyRefused("dataset", "does not ask first: no approval is needed", "set it: starling ledger terms")

        def work(tx: Transaction, writer: EventWriter) -> int:
            population = rows.population(tx, rows.dataset(tx, request.dataset).population)
            until = writer.now + days * delegation.DAY
            body = {"dataset": request.dataset, "analyst": request.analyst, "hash": request.hash}
            most = price_if_paid(population, guarantee)
            self._signed(writer, terms.APPROVED, {**body, "most": most, "until": until})
            return until

        return self._book.write(work)

    def retire(self, kind: Literal["population", "dataset"], name: str) -> None:
        """Charge nothing to it any more. What was spent stays spent. Nothing is changed where that was said before."""

        def work(tx: Transaction, writer: EventWriter) -> None:
            if (rows.population if kind == "population" else rows.dataset)(tx, name).retired:
                return
            tx.run(f"UPDATE {kind}s SET retired = 1 WHERE name = ?", name)
            self._signed(writer, "retire", {"kind": kind, "name": name})

        self._book.write(work)

    def _signed(self, writer: EventWriter, kind: str, body: Mapping[str, Any]) -> None:
        """Chain a custodian event with its signature."""
        signature = self._book.custodian.sign(custodian_message(self._book.id, kind, body))
        writer.append(kind, {**body, "signature": signature})


def _own_cap(tx: Transaction, dataset: str) -> int:
    """The cap of a dataset, in units; raises PolicyRefused where it has none of its own, ParameterError where it is not there."""
    cap = rows.cap(tx, rows.dataset(tx, dataset).population, "dataset", dataset)
    if cap is None or cap.cap is None:
        problem = "has no cap of its own, which would bound what others charge to it"
        raise PolicyRefused("dataset", problem, "register it with one: starling ledger dataset --cap")
    return cap.cap


class _Raise(NamedTuple):
    """A raise as it would be chained: whose cap, the event, and the cap over the whole population then."""

    population: Population
    body: Mapping[str, Any]
    whole: int


def _raise(tx: Transaction, population: str, scope: Scope, name: str, units: int) -> _Raise:
    """Raises ParameterError or PolicyRefused where there is nothing to raise."""
    known = rows.population(tx, population)
    whole = rows.cap(tx, population, "population", population)
    assert whole is not None
    assert whole.cap is not None
    old = rows.cap(tx, population, scope, name)
    if old is None or old.cap is None:
        raise ParameterError(scope, f"{name} has no cap in {population}", "see starling ledger show")
    if units <= old.cap:
        raise PolicyRefused(
            "cap", f"is not above the cap in force, {rules.shown(old.cap)}", "caps are only ever raised"
        )
    body = {"population": population, "scope": scope, "name": name, "from": old.cap, "to": units}
    return _Raise(known, body, units if scope == "population" else whole.cap)


def _meaning(wanted: _Raise) -> str:
    """What was changed, in plain words. Computed after the transaction: the accountant takes its time."""
    population, body, whole = wanted
    more, most = (f"{population.measure} {rules.shown(units)}" for units in (body["to"] - body["from"], body["to"]))
    through, bound = "", ""
    if body["scope"] != "population":
        through = f" through {body['scope']} {body['name']}"
        bound = f"The cap of {population.name} itself still bounds all of it: "
    return (
        f"Releases about the population {population.name} may spend {more} more{through}, {most} in all. Everybody in the data"
        f" bears it, those who were in earlier releases included, and it can't be taken back."
        f" {bound}{meaning(population, whole)}."
    )
