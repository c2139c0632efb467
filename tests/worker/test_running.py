"""A worker looks at files, carries out charges, tells what failed and tries again, without an end of its own."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from starling.ledger.opening import Ledger
from starling.ledger.reading import Charge
from starling.ledger.rules import canonical
from starling.server.backup import back_up, restore
from starling.server.charges import Charges
from starling.server.datasets import Catalogue
from starling.server.home import Home
from starling.worker import running
from starling.worker.adding import Addition, add
from starling.worker.attempting import LOOKING, Outcome
from starling.worker.attempts import list_jobs, set_free
from starling.worker.findings import Inspections
from starling.worker.jobs import Jobs
from starling.worker.running import Worker
from starling.worker.sources import Registered, Sources
from tests.worker.lanes import worker_of

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


OTHERS = "0" * 64
"""The token of files that are not those of a delivery: a custodian accepted some once."""


class Told(list[str]):
    """What a worker told."""

    def about(self, words: str) -> int:
        return sum(words in each for each in self)


@pytest.fixture
def told() -> Told:
    return Told()


class Clock:
    """A clock that a test moves."""

    time = 0.0

    def __call__(self) -> float:
        return self.time

    def passes(self, seconds: float) -> None:
        self.time += seconds


def ask(home: Home) -> int:
    return Charges(home).charge("ada", Catalogue(home.folder / "datasets").release("data"), "first")


def test_a_round_looks_and_releases(registered: Home, custodian: Ledger, told: Told) -> None:
    worker, stop = worker_of(registered, told.append), threading.Event()
    worker.round(stop)
    assert told == ["dataset data: looked at 9 records of 9 groups; nothing breaks the rules: starling server findings"]
    custodian.custody.accept("data", Inspections(registered).find("data", Sources(registered).open("data")).files)
    seq = ask(registered)
    worker.round(stop)
    assert told[1:] == [f"release {seq} of data is done"]
    assert (registered.releases / f"{seq}.zip").is_file()
    worker.round(stop)
    assert len(told) == 2


def test_files_are_looked_at_again_when_they_were_changed(registered: Home, groups: Registered, told: Told) -> None:
    clock = Clock()
    worker = worker_of(registered, told.append, now=clock)
    worker.round(threading.Event())
    with groups.files["records"].open("a") as file:
        file.write("nowhere,1\n")
    worker.round(threading.Event())
    assert len(told) == 1, "it is not yet time"
    clock.passes(running.LOOK + 1)
    worker.round(threading.Event())
    assert "1 problem:" in told[1]
    groups.files["records"].unlink()
    clock.passes(running.LOOK + 1)
    worker.round(threading.Event())
    clock.passes(running.LOOK + 1)
    worker.round(threading.Event())
    assert len(told) == 3, "what was said is not repeated"


def test_what_fails_is_tried_again_after_growing_pauses(registered: Home, custodian: Ledger, told: Told) -> None:
    custodian.custody.accept("data", OTHERS)
    clock = Clock()
    worker, stop = worker_of(registered, told.append, now=clock), threading.Event()
    seq = ask(registered)
    failed = f"release {seq} of data failed and is tried again"
    pause = running.BUSY
    for times in range(1, 5):
        worker.round(stop)
        assert told.about(failed) == times
        clock.passes(pause - 0.5)
        worker.round(stop)
        assert told.about(failed) == times
        clock.passes(0.5)
        pause *= 2
    custodian.custody.accept("data", Inspections(registered).find("data", Sources(registered).open("data")).files)
    worker.round(stop)
    assert told[-1] == f"release {seq} of data is done"


def test_one_release_keeps_no_other_from_being_made(
    registered: Home, custodian: Ledger, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = worker_of(registered, told.append)
    worker.round(threading.Event())
    custodian.custody.accept("data", Inspections(registered).find("data", Sources(registered).open("data")).files)
    custodian.custody.grant("people", "bob", 1)
    dataset = Catalogue(registered.folder / "datasets").release("data")
    first, second = ask(registered), Charges(registered).charge("bob", dataset, "first")
    plain = Jobs.carry_out

    def failing(jobs: Jobs, charge: Charge) -> None:
        if charge.seq == first:
            raise ValueError("a value of a record")
        plain(jobs, charge)

    monkeypatch.setattr(Jobs, "carry_out", failing)
    worker.round(threading.Event())
    assert told[1:] == [
        f"release {first} of data failed and is tried again: a fault of Starling's own (ValueError)",
        f"release {second} of data is done",
    ]


@pytest.mark.slow
def test_without_a_right_it_says_so_once_and_waits(
    served: Home, custodian: Ledger, groups: Registered, told: Told
) -> None:
    clock = Clock()
    worker, stop = worker_of(served, told.append, now=clock), threading.Event()

    def look() -> int:
        """How often it said so, a while later."""
        for _ in range(3):
            worker.round(stop)
            clock.passes(running.LOOK + 1)
        return told.about("cannot charge")

    worker.round(stop)
    assert (look(), told) == (0, []), "nothing is registered"
    relation = Sources(served).register("data", groups, deadline=8).relation
    custodian.custody.add_population("people", "epsilon", relation, 10)
    custodian.custody.add_dataset("data", "people", {}, 5)
    custodian.custody.grant("people", "ada", 3)
    assert look() == 0, "its custodian is at it: the right comes last"
    custodian.custody.accept("data", OTHERS)
    assert look() == 1
    assert told.about("no custodian gave this server the right to: starling ledger delegate") == 1
    assert look() == 1
    custodian.custody.delegate("data", served.key.public, days=1)
    seq = ask(served)
    worker.look()
    custodian.custody.accept("data", Inspections(served).find("data", Sources(served).open("data")).files)
    worker.round(stop)
    assert told[-1] == f"release {seq} of data is done"


def test_it_says_nothing_while_data_are_added_step_by_step(
    served: Home, groups: Registered, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of whatever a custodian does in one go, and however often a worker looks between the steps."""
    clock = Clock()
    worker, steps = worker_of(served, told.append, now=clock), []

    def step(words: str) -> None:
        steps.append(words)
        clock.passes(running.LOOK / 4)
        worker.round(threading.Event())

    monkeypatch.setattr("starling.worker.sources._preview", lambda _: [])
    add(served, Addition("data", groups, "people", "5", {"ada": "3"}, deadline=8, days=1), lambda _: None, step)
    assert len(steps) > 5
    assert told.about("cannot charge") == 0


def test_a_ledger_that_is_lost_is_told_of(registered: Home, told: Told) -> None:
    clock = Clock()
    worker = worker_of(registered, told.append, now=clock)
    Path(registered.settings.ledger.removeprefix("sqlite:///")).unlink()
    worker.round(threading.Event())
    clock.passes(running.LOOK + 1)
    worker.round(threading.Event())
    assert told.about("cannot charge: ledger") == 1


def test_it_ends_when_it_is_told_to(registered: Home, told: Told) -> None:
    stop = threading.Event()

    def tell(words: str) -> None:
        told.append(words)
        stop.set()

    worker_of(registered, tell).run(stop)
    assert len(told) == 1
    worker_of(registered, told.append).run(stop)
    assert len(told) == 1, "it was told before it began"


def test_a_job_that_was_begun_is_done_before_it_ends(
    registered: Home, custodian: Ledger, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    custodian.custody.accept("data", Inspections(registered).token(Sources(registered).open("data")))
    seq, stop = ask(registered), threading.Event()
    begin = Jobs.carry_out

    def carry_out(jobs: Jobs, charge: Charge) -> None:
        stop.set()
        begin(jobs, charge)

    monkeypatch.setattr(Jobs, "carry_out", carry_out)
    worker_of(registered, told.append).run(stop)
    assert told[0] == f"release {seq} of data is done"
    assert (registered.releases / f"{seq}.zip").is_file()


def test_a_restored_home_carries_out_what_was_charged(
    registered: Home, custodian: Ledger, told: Told, tmp_path: Path
) -> None:
    custodian.custody.accept("data", Inspections(registered).token(Sources(registered).open("data")))
    seq = ask(registered)
    back_up(registered, tmp_path / "copy")
    restored, _ = restore(tmp_path / "copy", tmp_path / "restored")
    worker_of(restored, told.append).round(threading.Event())
    assert told[0] == f"release {seq} of data is done"
    assert (restored.releases / f"{seq}.zip").is_file()
    assert not (registered.releases / f"{seq}.zip").exists()


class Slow:
    """A lane whose attempts end when a test says so."""

    def __init__(self) -> None:
        self.at: int | None = None
        self.ended: Outcome | None = None

    def begin(self, seq: int) -> None:
        self.at, self.ended = seq, None

    def outcome(self) -> Outcome | None:
        if self.ended is not None:
            self.at = None
        return self.ended

    def close(self) -> None:
        return


def charge(home: Home, analyst: str, number: int) -> int:
    """A charge of an analyst, who has a grant; of another dataset each, since one plan is one release."""
    dataset = Catalogue(home.folder / "datasets").release("data")
    return Charges(home).charge(analyst, replace(dataset, request=canonical({"number": number})), f"r{number}")


def test_analysts_take_turns(registered: Home, custodian: Ledger, told: Told) -> None:
    """Three of ada come before one of bob and one of eve; each has one at a time, whoever was served longest ago first."""
    custodian.custody.accept("data", OTHERS)
    for name in ("bob", "eve"):
        custodian.custody.grant("people", name, 1)
    ada = [charge(registered, "ada", number) for number in range(3)]
    bob, eve = charge(registered, "bob", 3), charge(registered, "eve", 4)
    lane, order, stop = Slow(), [], threading.Event()
    worker = Worker(registered, told.append, [lane])
    worker._looked = worker._now()
    for _ in range(5):
        worker.round(stop)
        assert lane.at is not None
        order.append(lane.at)
        lane.ended = Outcome("done")
        # No other begins while this one is being looked at.
        worker._collect()
    assert order == [ada[0], bob, eve, ada[1], ada[2]]


def test_another_analyst_is_served_beside_what_takes_long(registered: Home, custodian: Ledger, told: Told) -> None:
    custodian.custody.accept("data", OTHERS)
    custodian.custody.grant("people", "bob", 1)
    first, second = charge(registered, "ada", 0), charge(registered, "ada", 1)
    bob = charge(registered, "bob", 2)
    clock, lanes, stop = Clock(), [Slow(), Slow()], threading.Event()
    worker = Worker(registered, told.append, lanes, now=clock)
    worker._looked = 0.0
    worker.round(stop)
    assert [lane.at for lane in lanes] == [first, None]
    clock.passes(running.PATIENCE * 8 - 0.5)
    worker.round(stop)
    assert [lane.at for lane in lanes] == [first, None], "it may end soon"
    clock.passes(0.5)
    worker.round(stop)
    assert [lane.at for lane in lanes] == [first, bob]
    lanes[1].ended = Outcome("done")
    clock.passes(100)
    worker.round(stop)
    assert [lane.at for lane in lanes] == [first, None], "one of an analyst at a time"
    lanes[0].ended = Outcome("done")
    worker.round(stop)
    assert second in [lane.at for lane in lanes]


def test_a_job_is_parked_after_three_failures_and_set_free(registered: Home, custodian: Ledger, told: Told) -> None:
    """Two workers count together; what is refused or busy does not count."""
    custodian.custody.accept("data", OTHERS)
    seq = charge(registered, "ada", 0)
    clock, lane, stop = Clock(), Slow(), threading.Event()

    def attempt(outcome: Outcome) -> None:
        worker = Worker(registered, told.append, [lane], now=clock)
        worker._looked = clock.time
        worker.round(stop)
        assert lane.at == seq
        lane.ended = outcome
        worker._collect()

    for outcome in (Outcome("busy"), Outcome("refused", "not accepted"), *[Outcome("failed", "it died")] * 3):
        attempt(outcome)
    mend = f"starling server jobs {registered.folder} --again {seq}"
    assert told[-1] == f"release {seq} of data failed 3 times and is parked: it died; when that is mended: {mend}"
    (job,) = list_jobs(registered)
    assert (job.state, job.attempt.why) == ("parked", "it died")
    worker = Worker(registered, told.append, [lane], now=clock)
    worker._looked = clock.time
    worker.round(stop)
    assert lane.at is None
    assert set_free(registered, seq) == [seq]
    worker.round(stop)
    assert lane.at == seq


def test_while_an_attempt_goes_on_the_ledger_is_left_alone(registered: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a round is, the end of an attempt begins the next."""
    monkeypatch.setattr(running, "ROUND", 10**6)
    plain = Worker.round
    outcomes: list[Outcome | None] = [*[None] * 5, Outcome("done")]
    rounds: list[int] = []

    class Long:
        def begin(self, seq: int) -> None:
            assert seq == LOOKING

        def outcome(self) -> Outcome | None:
            return outcomes.pop(0)

        def close(self) -> None:
            assert not outcomes

    def count(worker: Worker, stop: threading.Event) -> None:
        plain(worker, stop)
        rounds.append(len(outcomes))
        if not outcomes:
            stop.set()

    monkeypatch.setattr(Worker, "round", count)
    Worker(registered, print, [Long()]).run(threading.Event())
    assert rounds == [5, 0]
