"""Promise 16: any history of events leaves the ledger where a model in memory says it is, on both stores."""

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from starling.errors import BudgetRefused, LedgerUnavailable, PolicyRefused, RequestConflict
from starling.ledger import rules
from starling.ledger.charging import Charging
from starling.ledger.leases import SECONDS as LEASE_SECONDS
from starling.ledger.opening import Ledger
from starling.ledger.rules import Request, Ticket
from starling.privacy.guarantee import Guarantee
from tests.ledger.conftest import postgres_url
from tests.ledger.worlds import World, costing, postgres_world, request, sqlite_world

pytestmark = pytest.mark.filterwarnings("ignore::starling.ledger.book.ClockWarning")
"""Clocks are set on purpose here."""

ANALYSTS = ("ann", "bob")
SIDES = st.sampled_from([False, False, False, True])
AMOUNTS = (Fraction(1, 3), Fraction(1), Fraction(5, 2), Fraction(7))


@dataclass
class Charged:
    """What the model knows of one request."""

    body: int
    amount: int
    until: tuple[float, float]
    guarantee: Guarantee
    answer: str | None = None
    drawn: bool = False
    voided: bool = False

    @property
    def done(self) -> bool:
        return self.voided or self.answer is not None


@dataclass
class Model:
    """The ledger as a page of Python."""

    caps: dict[str, int] = field(
        default_factory=lambda: {"people": 10, "census": 8, "ann": 6, "bob": 10},
    )
    spent: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("people", "census", "ann", "bob"), 0))
    charges: dict[tuple[str, int], Charged] = field(default_factory=dict)
    retired: bool = False
    draws: int = 0
    redraws: int = 0
    takeovers: int = 0

    def fits(self, analyst: str, units: int) -> bool:
        return all(self.spent[name] + units <= self.caps[name] * rules.UNIT for name in ("people", "census", analyst))


class History(RuleBasedStateMachine):
    """Analysts charge, retry, answer and give up; the custodian raises and retires; time goes on or back."""

    world: World
    context: AbstractContextManager[World]
    other: Ledger
    """The same ledger as another process has it open: what each remembers, the other makes old."""

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.tickets: dict[tuple[str, int], Ticket] = {}
        self.open()
        self.other = self.world.again()

    def open(self) -> None:
        raise AssertionError("a subclass opens its store")

    @rule(
        analyst=st.sampled_from(ANALYSTS),
        number=st.integers(0, 5),
        body=st.integers(0, 3),
        rho=st.sampled_from(AMOUNTS),
        side=SIDES,
    )
    def charge(self, analyst: str, number: int, body: int, rho: Fraction, side: bool) -> None:
        key, wanted = (analyst, number), request(number, analyst=analyst, body=body)
        charging = self.ledger(side).charging
        known = self.model.charges.get(key)
        if known is not None and known.body != body:
            with pytest.raises(RequestConflict):
                charging.charge(wanted, costing(rho))
        elif known is not None:
            self.charge_again(key, wanted, costing(rho), charging)
        else:
            self.charge_first(key, wanted, body, rho, charging)

    def charge_again(self, key: tuple[str, int], wanted: Request, guarantee: Guarantee, charging: Charging) -> None:
        known = self.model.charges[key]
        if not known.done and self.leased(known):
            with pytest.raises(LedgerUnavailable):
                charging.charge(wanted, guarantee)
        elif not known.done and known.guarantee.cost != guarantee.cost:
            with pytest.raises(RequestConflict, match="another guarantee"):
                charging.charge(wanted, guarantee)
        else:
            ticket = charging.charge(wanted, guarantee)
            assert ticket.answer == known.answer
            assert ticket.amount == known.amount
            if ticket.state == "charged":
                assert (ticket.drawn is not None) == known.drawn
                self.model.takeovers += 1
                known.until = self.lease()
            self.tickets[key] = ticket

    def charge_first(self, key: tuple[str, int], wanted: Request, body: int, rho: Fraction, charging: Charging) -> None:
        analyst, _ = key
        same = {k: c for k, c in self.model.charges.items() if k[0] == analyst and c.body == body and not c.voided}
        answered = [c for c in same.values() if c.answer]
        if answered:
            ticket = charging.charge(wanted, costing(rho))
            assert ticket.answer in [each.answer for each in answered]
            return
        units = rules.charge_units(rho)
        adopted = next((key for key, c in same.items() if c.amount == units), None)
        if adopted is not None:
            self.adopt(adopted, wanted, costing(rho), charging)
            return
        if self.model.retired or not self.model.fits(analyst, units):
            with pytest.raises(PolicyRefused if self.model.retired else BudgetRefused):
                charging.charge(wanted, costing(rho))
            return
        self.tickets[key] = charging.charge(wanted, costing(rho))
        for name in ("people", "census", analyst):
            self.model.spent[name] += units
        self.model.charges[key] = Charged(body, units, self.lease(), costing(rho))

    def lease(self) -> tuple[float, float]:
        """When a lease that begins now ends, by either clock."""
        return self.world.time.wall + LEASE_SECONDS, self.world.time.elapsed + LEASE_SECONDS

    def leased(self, known: Charged) -> bool:
        return self.world.time.wall < known.until[0] and self.world.time.elapsed < known.until[1]

    def adopt(self, key: tuple[str, int], wanted: Request, guarantee: Guarantee, charging: Charging) -> None:
        known = self.model.charges[key]
        if self.leased(known):
            with pytest.raises(LedgerUnavailable):
                charging.charge(wanted, guarantee)
            return
        self.tickets[key] = ticket = charging.charge(wanted, guarantee)
        known.until = self.lease()
        self.model.takeovers += 1
        assert (ticket.request.request_id, ticket.fresh) == (f"request-{key[1]}", False)
        assert (ticket.drawn is not None) == known.drawn

    @precondition(lambda self: self.tickets)
    @rule(data=st.data(), side=SIDES)
    def draw(self, data: Any, side: bool) -> None:
        key = data.draw(st.sampled_from(sorted(self.tickets)))
        known, charging = self.model.charges[key], self.ledger(side).charging
        if known.done or known.drawn:
            with pytest.raises(PolicyRefused):
                charging.draw(self.tickets[key], "a" * 64, "b" * 64)
        else:
            self.tickets[key] = charging.draw(self.tickets[key], "a" * 64, "b" * 64)
            known.drawn = True
            self.model.draws += 1

    @precondition(lambda self: self.tickets)
    @rule(data=st.data(), side=SIDES)
    def redraw(self, data: Any, side: bool) -> None:
        key = data.draw(st.sampled_from(sorted(self.tickets)))
        known, charging = self.model.charges[key], self.ledger(side).charging
        fits = not self.model.retired and self.model.fits(key[0], known.amount)
        if known.done or not known.drawn or not fits:
            with pytest.raises((PolicyRefused, BudgetRefused)):
                charging.redraw(self.tickets[key], known.guarantee)
            return
        self.tickets[key] = charging.redraw(self.tickets[key], known.guarantee)
        known.drawn = False
        self.model.redraws += 1
        for name in ("people", "census", key[0]):
            self.model.spent[name] += known.amount

    @precondition(lambda self: self.tickets)
    @rule(data=st.data(), void=st.booleans(), side=SIDES)
    def end(self, data: Any, void: bool, side: bool) -> None:
        key = data.draw(st.sampled_from(sorted(self.tickets)))
        ticket, known = self.tickets[key], self.model.charges[key]
        charging = self.ledger(side).charging
        if known.done:
            with pytest.raises(PolicyRefused):
                charging.void(ticket)
        elif void:
            charging.void(ticket)
            known.voided = True
        else:
            known.answer = f"answer {key}"
            charging.answer(ticket, "bytes", known.answer)

    @rule(scope=st.sampled_from(["people", "census", "ann"]), more=st.integers(-1, 3))
    def raise_cap(self, scope: str, more: int) -> None:
        kinds = {"people": "population", "census": "dataset", "ann": "analyst"}
        custody, cap = self.world.ledger.custody, self.model.caps[scope] + more
        if more <= 0:
            with pytest.raises(PolicyRefused):
                custody.raise_cap("people", kinds[scope], scope, cap)  # type: ignore[arg-type]
        else:
            custody.raise_cap("people", kinds[scope], scope, cap)  # type: ignore[arg-type]
            self.model.caps[scope] = cap

    @rule(seconds=st.sampled_from([1, 60, LEASE_SECONDS, 10_000]))
    def wait(self, seconds: int) -> None:
        self.world.time.passes(seconds)

    @rule(seconds=st.sampled_from([-100_000, -3600, -10, 200]))
    def set_clock(self, seconds: int) -> None:
        self.world.time.wall += seconds

    @rule()
    def reopen(self) -> None:
        self.world.ledger = self.world.again()

    def ledger(self, side: bool) -> Ledger:
        return self.other if side else self.world.ledger

    @precondition(lambda self: len(self.model.charges) > 6)
    @rule()
    def retire(self) -> None:
        self.world.ledger.custody.retire("dataset", "census")
        self.model.retired = True

    @invariant()
    def the_ledger_is_where_the_model_is(self) -> None:
        caps = {cap.name: cap for cap in self.world.ledger.reading.account("people").caps}
        assert {name: cap.spent for name, cap in caps.items()} == self.model.spent
        assert {name: cap.cap for name, cap in caps.items()} == {n: c * rules.UNIT for n, c in self.model.caps.items()}

    def teardown(self) -> None:
        counts = self.world.ledger.reading.verify().counts
        assert (counts.draws, counts.redraws, counts.takeovers) == (
            self.model.draws,
            self.model.redraws,
            self.model.takeovers,
        )
        self.other.close()
        self.context.__exit__(None, None, None)


@pytest.mark.parametrize("examples", [15, pytest.param(40, marks=pytest.mark.slow)])
def test_promise_16_any_history_on_sqlite(examples: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))

    class OnSqlite(History):
        def open(self) -> None:
            self.folder = TemporaryDirectory(dir=tmp_path)
            self.context = sqlite_world(Path(self.folder.name))
            self.world = self.context.__enter__()

    run_state_machine_as_test(OnSqlite, settings=_settings(examples))


@pytest.mark.slow
def test_promise_16_any_history_on_postgres(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = postgres_url()
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))

    class OnPostgres(History):
        def open(self) -> None:
            self.context = postgres_world(server)
            self.world = self.context.__enter__()

    run_state_machine_as_test(OnPostgres, settings=_settings(15))


def _settings(examples: int) -> settings:
    return settings(
        max_examples=examples, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
    )
