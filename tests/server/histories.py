"""Histories of a server: what analysts, custodian, web process and workers do in any order, beside a model of it in memory."""

import threading
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from starling.client.replies import Progress
from starling.errors import BudgetRefused, PolicyRefused, RequestConflict
from starling.ledger import rules
from starling.ledger.leases import SECONDS as LEASE_SECONDS
from starling.verification import Outcome, verify
from tests.ledger.worlds import Time
from tests.server.sites import (
    ANALYSTS,
    ASKED,
    AT_WORK,
    CAPS,
    CHARGED,
    DATASETS,
    DEADLINE,
    RESERVE,
    UNCHARGED,
    Site,
    losing,
    meanwhile,
    unreachable,
)

LOST = 6
"""As often as a client tries."""
COSTS = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1))
YEAR = 366 * 86_400

Key = tuple[str, str, Fraction]
"""Analyst, dataset, and what the answer costs: which says all that is asked."""


@dataclass
class Paid:
    """What the model knows of a charge.

    Attributes:
        request_id: Under which it was charged.
        seq: Its event, once that was seen.
        content: What was fetched.
    """

    request_id: str
    seq: int | None = None
    content: bytes | None = None


@dataclass
class Model:
    """A server as a page of Python."""

    spent: dict[str, Fraction] = field(default_factory=lambda: dict.fromkeys(CAPS, Fraction(0)))
    paid: dict[Key, Paid] = field(default_factory=dict)
    ids: dict[tuple[str, str], Key] = field(default_factory=dict)
    asked: dict[tuple[str, str], Key] = field(default_factory=dict)
    """Requests for approval by their ids."""
    waiting: set[Key] = field(default_factory=set)
    approved: set[Key] = field(default_factory=set)

    def refusal(self, key: Key, request_id: str) -> tuple[type[Exception], ...]:
        """With what a charge is refused; nothing where it is made, or was."""
        if self.ids.get((key[0], request_id), key) != key:
            return (RequestConflict,)
        if key in self.paid:
            return ()
        fits = self.fits(key)
        if key[1] == "first" and key not in self.approved:
            return (PolicyRefused,) if fits else (PolicyRefused, BudgetRefused)
        return () if fits else (BudgetRefused,)

    def fits(self, key: Key) -> bool:
        analyst, dataset, amount = key
        kept = {"first": RESERVE}
        return all(self.spent[name] + amount <= CAPS[name] - kept.get(name, 0) for name in ("people", dataset, analyst))

    def charge(self, key: Key, request_id: str) -> None:
        if key not in self.paid:
            self.paid[key] = Paid(request_id)
            self.ids[key[0], request_id] = key
            self.approved.discard(key)
            for name in ("people", key[1], key[0]):
                self.spent[name] += key[2]


class History(RuleBasedStateMachine):
    """Analysts ask, repeat and lose replies; the custodian decides; processes die and overlap; clocks go on or back."""

    folder: Path

    keys = st.builds(
        lambda analyst, dataset, cost: (analyst, dataset, Fraction(1) if dataset == "plan" else cost),
        st.sampled_from(ANALYSTS),
        st.sampled_from(sorted(DATASETS)),
        st.sampled_from(COSTS),
    )
    ids = st.sampled_from(["a", "b", "c", "d", "e", "f"])
    lost = st.sampled_from([0, 0, 0, 1, LOST])

    @initialize(
        known=st.booleans(),
        keys=st.lists(keys.filter(lambda key: key[1] != "first"), min_size=1, max_size=3, unique=True),
    )
    def begin(self, known: bool, keys: list[Key]) -> None:
        """Some are charged from the beginning."""
        self.place = TemporaryDirectory(dir=self.folder)
        self.model, self.time, self.known = Model(), Time(), known
        self.site = Site(Path(self.place.name), self.time, known=known)
        self.held = (self.time.wall, self.time.elapsed)
        """When the last lease of one that died has ended, by either clock."""
        for number, key in enumerate(keys):
            self.ask_for(key, f"first-{number}", 0)

    @rule(key=keys, request_id=ids, lost=lost)
    def charge(self, key: Key, request_id: str, lost: int) -> None:
        self.ask_for(key, request_id, lost)

    @rule(data=st.data(), request_id=st.none() | ids, lost=lost)
    def charge_known(self, data: Any, request_id: str | None, lost: int) -> None:
        """What was charged, under its id or another, or for which approval was asked."""
        known = sorted({*self.model.paid, *self.model.approved, *self.model.waiting}) or [("ada", "poll", COSTS[0])]
        key = data.draw(st.sampled_from(known))
        paid = self.model.paid.get(key)
        self.ask_for(key, request_id or (paid.request_id if paid else "known"), lost)

    def ask_for(self, key: Key, request_id: str, lost: int) -> None:
        refusal = self.model.refusal(key, request_id)
        self.site.carrier.change = losing(lost)
        with self.site.client(key[0]) as client:
            if lost == LOST:
                unreachable(lambda: client.charge(key[1], request_id=request_id, question=question(key)))
            elif refusal:
                with pytest.raises(refusal):
                    client.charge(key[1], request_id=request_id, question=question(key))
            else:
                self.told(key, client.charge(key[1], request_id=request_id, question=question(key)), request_id)
        if not refusal:
            self.model.charge(key, request_id)

    def told(self, key: Key, progress: Progress, request_id: str) -> None:
        paid = self.model.paid.get(key) or Paid(request_id)
        assert progress.request_id == paid.request_id
        assert paid.seq in (None, progress.id)

    @rule(key=keys, request_id=ids, point=st.sampled_from(sorted(UNCHARGED | CHARGED)))
    def kill_web(self, key: Key, request_id: str, point: str) -> None:
        refusal = self.model.refusal(key, request_id)

        def ask() -> None:
            self.site.begin_web()
            with self.site.client(key[0]) as client:
                try:
                    client.charge(key[1], request_id=request_id, question=question(key))
                except refusal:
                    return

        struck = self.site.killed((UNCHARGED | CHARGED)[point], ask)
        if not refusal and not (struck and point in UNCHARGED):
            self.model.charge(key, request_id)

    @rule(analyst=st.sampled_from(ANALYSTS), cost=st.sampled_from(COSTS), request_id=ids, lost=lost)
    def request(self, analyst: str, cost: Fraction, request_id: str, lost: int) -> None:
        key = (analyst, "first", cost)
        expected = self.outcome_of_request(key, request_id)
        self.site.carrier.change = losing(lost)
        if lost == LOST:
            unreachable(lambda: self.request_approval(key, request_id))
        elif expected is not None:
            with pytest.raises(expected):
                self.request_approval(key, request_id)
        else:
            self.request_approval(key, request_id)
        if expected is None:
            self.requested(key, request_id)

    @rule(analyst=st.sampled_from(ANALYSTS), cost=st.sampled_from(COSTS), point=st.sampled_from(sorted(ASKED)))
    def kill_web_that_is_asked_to_ask(self, analyst: str, cost: Fraction, point: str) -> None:
        """The same request again finishes what the process that was killed began."""
        key = (analyst, "first", cost)
        if self.outcome_of_request(key, "killed") is not None:
            return

        def ask() -> None:
            self.site.begin_web()
            self.request_approval(key, "killed")

        assert self.site.killed(ASKED[point], ask)
        self.site.carrier.change = losing(0)
        self.request_approval(key, "killed")
        self.requested(key, "killed")

    def request_approval(self, key: Key, request_id: str) -> None:
        with self.site.client(key[0]) as client:
            asked = client.request(key[1], "Why", request_id=request_id, question=question(key))
            assert asked.question == question(key)

    def outcome_of_request(self, key: Key, request_id: str) -> type[Exception] | None:
        """With what a request for approval is refused."""
        model = self.model
        if model.ids.get((key[0], request_id), key) != key:
            return RequestConflict
        if key in model.paid:
            return PolicyRefused
        if not all(model.spent[name] + key[2] <= CAPS[name] for name in ("people", *key[:2])):
            return BudgetRefused
        return RequestConflict if model.asked.get((key[0], request_id), key) != key else None

    def requested(self, key: Key, request_id: str) -> None:
        open_already = key in self.model.waiting or key in self.model.approved
        if not open_already and (key[0], request_id) not in self.model.asked:
            self.model.waiting.add(key)
            self.model.asked[key[0], request_id] = key

    @precondition(lambda self: self.model.waiting)
    @rule(data=st.data(), approve=st.sampled_from([True, True, True, False]))
    def decide(self, data: Any, approve: bool) -> None:
        self.decide_on(data.draw(st.sampled_from(sorted(self.model.waiting))), approve)

    def decide_on(self, key: Key, approve: bool) -> None:
        """The custodian approves, with a signed event, or declines."""
        requests = self.site.home.requests
        (found,) = [
            each
            for each in requests.listed(waiting=True)
            if (each.request.analyst, each.guarantee.cost.amount) == (key[0], key[2])
        ]
        if approve:
            self.site.custodian.custody.approve(found.request, found.guarantee, days=366)
            self.model.approved.add(key)
        requests.decide(found, "approved" if approve else "declined", "", lambda: None)
        self.model.waiting.discard(key)

    @rule(which=st.integers(0, 1))
    def work(self, which: int) -> None:
        self.site.work(self.site.workers[which])

    @rule(which=st.integers(0, 1), web=st.booleans())
    def restart(self, which: int, web: bool) -> None:
        """A worker that is new has no pauses: it does all that no lease of a dead one keeps from it."""
        if web:
            self.site.begin_web()
        self.site.workers[which] = self.site.worker()
        self.site.work(self.site.workers[which])
        if self.known or (self.time.wall >= self.held[0] and self.time.elapsed >= self.held[1]):
            assert not self.unanswered()
        if self.model.paid:
            self.look(list(self.model.paid)[-1])

    def unanswered(self) -> bool:
        return any(charge.state != "answered" for charge in self.site.charges().values())

    @precondition(unanswered)
    @rule(point=st.sampled_from(sorted(AT_WORK)))
    def kill_worker(self, point: str) -> None:
        self.site.killed(AT_WORK[point], lambda: self.site.worker().round(threading.Event()))
        self.held = (self.time.wall + LEASE_SECONDS, self.time.elapsed + LEASE_SECONDS)

    @precondition(unanswered)
    @rule(point=st.sampled_from(sorted(AT_WORK)), seconds=st.sampled_from([0, LEASE_SECONDS + 1]))
    def work_at_once(self, point: str, seconds: int) -> None:
        """While one worker is at a point of its job, silent for so long, another comes."""

        def other() -> None:
            self.time.passes(seconds)
            self.site.worker().round(threading.Event())

        with meanwhile(AT_WORK[point], other):
            self.site.work(self.site.workers[0])
        self.held = (self.time.wall + LEASE_SECONDS, self.time.elapsed + LEASE_SECONDS)

    @rule(
        seconds=st.sampled_from([DEADLINE, LEASE_SECONDS, 10_000]), jump=st.sampled_from([0, 0, -100_000, -10, 86_400])
    )
    def wait(self, seconds: int, jump: int) -> None:
        """Time goes on, and somebody may set the clock."""
        self.time.passes(seconds)
        self.time.wall += jump

    @precondition(lambda self: self.model.paid)
    @rule(data=st.data())
    def fetch(self, data: Any) -> None:
        self.look(data.draw(st.sampled_from(sorted(self.model.paid))))

    def look(self, key: Key) -> None:
        """An analyst is given what was paid by them, the same bytes each time, and not before its time; nobody else is."""
        paid = self.model.paid[key]
        assert paid.seq is not None
        self.site.carrier.change = losing(0)
        status, content = self.site.bundle(key[0], paid.seq)
        if status == 200:
            assert self.time.wall >= self.site.charges()[paid.seq].at + DEADLINE, "it left before its deadline"
            assert paid.content in (None, content)
            paid.content = content
            assert {self.site.bundle(other, paid.seq)[0] for other in ANALYSTS if other != key[0]} == {404}
        assert status in (200, 404)

    @invariant()
    def the_ledger_is_where_the_model_is(self) -> None:
        if not hasattr(self, "site"):
            return
        found = self.site.charges()
        assert len(found) == len(self.model.paid), "charges"
        by_id = {(charge.analyst, charge.request_id): charge for charge in found.values()}
        for (analyst, dataset, _), paid in self.model.paid.items():
            charge = by_id[analyst, paid.request_id]
            assert (charge.dataset, charge.by) == (dataset, self.site.home.key.public.text)
            assert paid.seq in (None, charge.seq)
            paid.seq = charge.seq
        caps = {cap.name: cap for cap in self.site.custodian.reading.account("people").caps}
        assert {name: caps[name].spent for name in CAPS} == {
            name: spent * rules.UNIT for name, spent in self.model.spent.items()
        }
        assert all(cap.cap is None or cap.spent <= cap.cap for cap in caps.values())
        counts = self.site.custodian.reading.verify().counts
        assert counts.redraws == 0
        assert counts.draws <= len(found)

    def teardown(self) -> None:
        try:
            if hasattr(self, "site"):
                self.settle()
        finally:
            self.end()

    def end(self) -> None:
        """Let go of everything."""
        if hasattr(self, "site"):
            self.site.close()
            self.place.cleanup()

    def settle(self) -> None:
        """In the end everything that was paid is answered, once, and fetched."""
        self.the_ledger_is_where_the_model_is()
        self.time.wall = max(self.time.wall, 4_000_000_000.0) + YEAR / 4
        self.time.elapsed += YEAR / 4
        self.site.begin_web()
        for _ in range(2):
            self.site.work(self.site.worker())
            self.time.passes(YEAR / 4)
        counts = self.site.custodian.reading.verify().counts
        assert (counts.draws, counts.redraws) == (len(self.model.paid), 0)
        assert {charge.state for charge in self.site.charges().values()} <= {"answered"}
        for (analyst, _, _), paid in self.model.paid.items():
            assert paid.seq is not None
            status, content = self.site.bundle(analyst, paid.seq)
            assert status == 200
            assert paid.content in (None, content)
        for paid in list(self.model.paid.values())[-1:]:
            home = self.site.home
            found = verify(home.releases / f"{paid.seq}.zip", ledger=home.settings.ledger, key=home.key.public)
            assert found.outcome is Outcome.VERIFIED, str(found)
        assert sorted(path.name for path in self.site.home.releases.iterdir()) == sorted(
            name for paid in self.model.paid.values() for name in (f"{paid.seq}", f"{paid.seq}.zip")
        )


def question(key: Key) -> dict[str, str] | None:
    """What is asked of a dataset that is asked questions."""
    return None if key[1] == "plan" else {"kind": "counts", "epsilon": str(key[2])}


def explore(folder: Path, examples: int, *, fixed: bool = False) -> None:
    """Try so many histories.

    Args:
        folder: Where they take place.
        examples: How many.
        fixed: Whether the same ones each time, of which the first that fails ends it.
    """
    left_out = {Phase.explain, *([Phase.shrink] if fixed else ())}
    chosen = settings(
        max_examples=examples,
        stateful_step_count=20,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[phase for phase in Phase if phase not in left_out],
        derandomize=fixed,
        database=None,
        report_multiple_bugs=False,
    )
    run_state_machine_as_test(type("Here", (History,), {"folder": folder}), settings=chosen)
