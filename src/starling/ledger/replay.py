"""The tables of a ledger as its events alone make them, to compare with the tables that are there.

Rules are applied again on the way: a charge that broke a cap, a cap that was lowered, or a custodian event that nobody signed
is found even where somebody rewrote the whole chain with care.
"""

import json
from typing import Any

from starling.errors import IntegrityError
from starling.ledger import rows
from starling.ledger.chain import Event
from starling.ledger.custody import signed_by
from starling.ledger.keys import Public
from starling.ledger.store import Row, Transaction

CUSTODIAN = frozenset({"lineage", "dataset", "grant", "raise", "retire"})
"""Kinds of events that a custodian signs."""

_scan = json.JSONDecoder().raw_decode
"""The decoder without the white space around: ledgers are long."""

CapKey = tuple[str, str, str]


class Replay:
    """Takes the events in order, then compares.

    Args:
        ledger: Its id.
        signer: The custodian's key.
    """

    def __init__(self, ledger: str, signer: Public) -> None:
        self._ledger = ledger
        self._signer = signer
        self._about: dict[str, str] = {}
        self._lineages: dict[str, list[Any]] = {}
        self._datasets: dict[str, list[Any]] = {}
        self._caps: dict[CapKey, list[int | None]] = {}
        self._charges: dict[int, tuple[str, str, str, str, int]] = {}
        self._ends: dict[int, tuple[str, str | None]] = {}

    def take(self, event: Event) -> None:
        """One more event; raises IntegrityError when it breaks a rule."""
        try:
            body, end = _scan(event.body, 0)
            self._apply(event, body)
        except (KeyError, TypeError, AttributeError, ValueError):
            raise _wrong(event.seq, "refers to what is not there") from None
        if end != len(event.body):
            raise _wrong(event.seq, "has more than one body")

    def _apply(self, event: Event, body: dict[str, Any]) -> None:
        if event.kind == "charge":
            self._charge(event.seq, body)
        elif event.kind in ("answer", "burn"):
            self._end(event.seq, event.kind, body)
        elif event.kind == "create" and event.seq == 1:
            self._about = body
        elif event.kind in CUSTODIAN:
            if not signed_by(self._signer, self._ledger, event.kind, body):
                raise _wrong(event.seq, "is not signed by the custodian")
            self._custodian(event.seq, event.kind, body)
        else:
            raise _wrong(event.seq, "is of no known kind")

    def _charge(self, seq: int, body: dict[str, Any]) -> None:
        dataset, amount = body["dataset"], body["amount"]
        if amount < 0:
            raise _wrong(seq, "gives budget back")
        lineage = self._datasets[dataset][0]
        for key in (
            (lineage, "analyst", body["analyst"]),
            (lineage, "dataset", dataset),
            (lineage, "lineage", lineage),
        ):
            cap = self._caps[key]
            spent = (cap[1] or 0) + amount
            if cap[0] is not None and spent > cap[0]:
                raise _wrong(seq, f"overspends the cap of {key[1]} {key[2]}")
            cap[1] = spent
        self._charges[seq] = (body["analyst"], body["request_id"], body["hash"], dataset, amount)

    def _end(self, seq: int, kind: str, body: dict[str, Any]) -> None:
        charge = body["charge"]
        if charge not in self._charges or charge in self._ends:
            raise _wrong(seq, "ends no open charge")
        self._ends[charge] = ("answered", body["sha256"]) if kind == "answer" else ("burned", None)

    def _custodian(self, seq: int, kind: str, body: dict[str, Any]) -> None:
        if kind == "lineage":
            name = body["name"]
            self._lineages[name] = [body["measure"], body["change"], body["unit"], 0]
            self._caps[name, "lineage", name] = [body["cap"], 0]
        elif kind == "dataset":
            self._datasets[body["name"]] = [body["lineage"], body["schema"], 0]
            self._caps[body["lineage"], "dataset", body["name"]] = [body["cap"], 0]
        elif kind == "grant":
            self._caps[body["lineage"], "analyst", body["analyst"]] = [body["cap"], 0]
        elif kind == "raise":
            cap = self._caps[body["lineage"], body["scope"], body["name"]]
            if cap[0] != body["from"] or body["to"] <= body["from"]:
                raise _wrong(seq, "does not raise the cap in force")
            cap[0] = body["to"]
        else:
            (self._lineages if body["kind"] == "lineage" else self._datasets)[body["name"]][-1] = 1

    def compare(self, tx: Transaction) -> None:
        """Raises IntegrityError where a table of the ledger says something else than its events."""
        expected: list[tuple[str, str, set[tuple[Any, ...]]]] = [
            ("about", "SELECT key, value FROM about", set(self._about.items())),
            (
                "lineages",
                "SELECT name, measure, change, unit, retired FROM lineages",
                {(name, *rest) for name, rest in self._lineages.items()},
            ),
            (
                "datasets",
                "SELECT name, lineage, public_schema, retired FROM datasets",
                {(name, *rest) for name, rest in self._datasets.items()},
            ),
            (
                "caps",
                "SELECT lineage, scope, name, cap, spent FROM caps",
                {(*key, *cap) for key, cap in self._caps.items()},
            ),
        ]
        for table, sql, wanted in expected:
            if set(tx.rows(sql)) != wanted:
                raise _differs(table)
        self._compare_charges(tx)

    def _compare_charges(self, tx: Transaction) -> None:
        left = len(self._charges)
        found = tx.rows("SELECT seq, analyst, request_id, request_hash, dataset, amount, state, answer FROM charges")
        for row in found:
            if not self._matches(row):
                raise _differs("charges")
            left -= 1
        if left:
            raise _differs("charges")

    def _matches(self, row: Row) -> bool:
        seq, analyst, request_id, request_hash, dataset, amount, state, answer = row
        if not isinstance(seq, int) or self._charges.get(seq) != (analyst, request_id, request_hash, dataset, amount):
            return False
        digest = None if answer is None else rows.sha256(str(answer))
        return self._ends.get(seq, ("charged", None)) == (state, digest)


def _wrong(seq: int, problem: str) -> IntegrityError:
    return IntegrityError(field=f"event {seq}", problem=problem, fix="restore the ledger and ask who changed it")


def _differs(table: str) -> IntegrityError:
    return IntegrityError(
        field=f"table {table}",
        problem="says something else than the events",
        fix="restore the ledger and ask who changed it",
    )
