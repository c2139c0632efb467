"""A charge of the server is carried out once, in every domain, wherever a worker dies; nothing is paid or drawn twice."""

import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from starling.errors import LedgerUnavailable, PolicyRefused
from starling.ledger.opening import Ledger
from starling.ledger.reading import Charge
from starling.ledger.rules import Request, canonical
from starling.places import counts
from starling.places.artifact.public_plan import read_plan
from starling.places.plan import grammar
from starling.planfile.values import toml_of
from starling.release import zipped
from starling.server.charges import Charges
from starling.server.datasets import Catalogue
from starling.server.home import Home, open_home
from starling.tables.generate import generate
from starling.tables.plan import Plan
from starling.verification import Outcome, verify
from starling.worker.findings import Inspections
from starling.worker.jobs import Jobs
from starling.worker.sources import Registered, Sources, source_of
from tests.forking import run
from tests.places.plans import PERSON
from tests.places.plans import write_world as write_places
from tests.release.striking import AFTER, AROUND, BEFORE, strike
from tests.tables.test_publish_custom import VALUES
from tests.worker.conftest import Given

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

MOMENTS = {**BEFORE, "while it counts": (counts, "tally", False), **AROUND, **AFTER}
MOMENTS["while it is zipped"] = (zipped, "_place", False)


def places(folder: Path) -> Registered:
    return source_of("places", str(folder / "plan.toml"), {"records": write_places(folder, PERSON)})


def tables(folder: Path) -> Registered:
    made = generate(Plan.load("demo"), persons=200, seed=1, out=folder / "invented")
    return source_of("tables", "demo", {"persons": made.records, "geography": made.files["geography"]})


def tables_of_ones_own(folder: Path) -> Registered:
    (folder / "own.toml").write_text(toml_of(VALUES))
    rows = (f"{age % 100},{'FM'[age % 2]},{'abc'[age % 3]},w{age % 6}\n" for age in range(500))
    (folder / "own.csv").write_text("Age,sex,needs,ward\n" + "".join(rows))
    return source_of("tables", str(folder / "own.toml"), {"persons": folder / "own.csv"})


def accept(home: Home, custodian: Ledger) -> None:
    """What a custodian does who has looked at the findings."""
    custodian.custody.accept("data", Inspections(home).token(Sources(home).open("data")))


def ask(home: Home, request_id: str = "first") -> int:
    """What the web process does when ada asks for a release; the event of the charge."""
    return Charges(home).charge("ada", Catalogue(home.folder / "datasets").release("data"), request_id)


def carry_out(home: Home) -> list[Charge]:
    """What a worker does that is started now; the jobs that it found."""
    with closing(home.open_ledger()) as ledger:
        jobs = Jobs(home, ledger)
        found = jobs.waiting()
        for charge in found:
            jobs.carry_out(charge)
        assert jobs.waiting() == []
        return found


def check(home: Home, custodian: Ledger, seq: int, *, waiting: int = 0) -> None:
    """One release is there, paid once, drawn once, signed with the server's key, and verified against the ledger; others wait."""
    bundle = home.releases / f"{seq}.zip"
    found = verify(bundle, ledger=home.settings.ledger, key=home.key.public)
    assert found.outcome is Outcome.VERIFIED, str(found)
    kinds = [event.kind for event in custodian.reading.events()]
    assert [kinds.count(kind) for kind in ("charge", "drawn", "redrawn", "answer")] == [1 + waiting, 1, 0, 1]
    assert sorted(path.name for path in home.releases.iterdir()) == [str(seq), bundle.name]
    custodian.reading.verify()


@pytest.mark.parametrize(
    "kind", ["groups", "places", pytest.param("tables", marks=pytest.mark.slow), "tables of one's own"]
)
def test_every_domain_is_released(
    kind: str, given: Given, groups: Registered, custodian: Ledger, tmp_path: Path
) -> None:
    made: dict[str, Callable[[Path], Registered]] = {
        "groups": lambda _: groups,
        "places": places,
        "tables": tables,
        "tables of one's own": tables_of_ones_own,
    }
    home = given(made[kind](tmp_path))
    accept(home, custodian)
    seq = ask(home)
    assert [charge.seq for charge in carry_out(home)] == [seq]
    check(home, custodian, seq)
    assert carry_out(home) == []


def test_what_was_registered_before_a_default_changed_is_released_as_it_was(
    given: Given, custodian: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = write_places(tmp_path, PERSON, {"method": {"name": "adaptive"}})
    with monkeypatch.context() as before:
        before.setattr(grammar, "_purpose", lambda *_: "earlier")
        home = given(source_of("places", str(tmp_path / "plan.toml"), {"records": records}))
    accept(home, custodian)
    seq = ask(home)
    carry_out(home)
    check(home, custodian, seq)
    assert read_plan(home.releases / str(seq)).purpose == "earlier"


@pytest.mark.slow
@pytest.mark.parametrize("ledger_at", ["postgres"], indirect=True)
def test_a_ledger_of_many_users_serves_too(registered: Home, custodian: Ledger) -> None:
    accept(registered, custodian)
    charges = Charges(registered)
    dataset = Catalogue(registered.folder / "datasets").release("data")
    seq = charges.charge("ada", dataset, "first")
    assert charges.charge("ada", dataset, "again") == seq
    budget = charges.budget("ada", dataset)
    assert (budget.more, budget.release) == (0, seq)
    carry_out(registered)
    check(registered, custodian, seq)
    charges.close()


def die(folder: str, moment: str) -> None:
    """What tests/forking.py calls in a process of its own."""
    strike(*MOMENTS[moment])
    carry_out(open_home(Path(folder)))


@pytest.mark.series(1)
@pytest.mark.parametrize(
    "moment",
    [
        "before the charge",
        "after the charge",
        "while it counts",
        "before the draw is committed to",
        "after the draw is committed to",
        "before the answer",
        "after the answer",
        "before the rename",
        "after the rename",
        "while it is zipped",
    ],
)
def test_a_killed_worker_is_followed_by_another(moment: str, given: Given, custodian: Ledger, tmp_path: Path) -> None:
    home = given(places(tmp_path))
    accept(home, custodian)
    seq = ask(home)
    assert run("tests.worker.test_jobs:die", home.folder, moment).returncode == -signal.SIGKILL
    assert ask(home) == seq
    assert [charge.seq for charge in carry_out(home)] == [seq]
    check(home, custodian, seq)


def test_a_job_at_which_another_is_waits(registered: Home, custodian: Ledger) -> None:
    accept(registered, custodian)
    dataset = Catalogue(registered.folder / "datasets").release("data")
    with closing(registered.open_ledger()) as ledger:
        ticket = ledger.charging.charge(Request("ada", "first", "data", dataset.request), dataset.guarantee)
        jobs = Jobs(registered, ledger)
        (charge,) = jobs.waiting()
        with pytest.raises(LedgerUnavailable, match="is being worked on"):
            jobs.carry_out(charge)
        assert jobs.waiting() == [charge]
        ledger.charging.give_up(ticket)
        jobs.carry_out(charge)
    check(registered, custodian, ticket.seq)


def test_what_nobody_accepted_is_not_read_and_stays_charged(registered: Home, custodian: Ledger) -> None:
    custodian.custody.accept("data", "0" * 64)  # Other files, once.
    seq = ask(registered)
    with pytest.raises(PolicyRefused, match="were not accepted"):
        carry_out(registered)
    accept(registered, custodian)
    assert [charge.seq for charge in carry_out(registered)] == [seq]
    check(registered, custodian, seq)


@pytest.mark.slow
def test_what_was_drawn_and_lost_is_not_paid_again(given: Given, custodian: Ledger, tmp_path: Path) -> None:
    home = given(places(tmp_path))
    accept(home, custodian)
    ask(home)
    assert run("tests.worker.test_jobs:die", home.folder, "after the draw is committed to").returncode < 0
    (left,) = home.releases.iterdir()
    left.rename(tmp_path / "kept")
    with pytest.raises(PolicyRefused, match="has lost what was drawn for it"):
        carry_out(home)
    assert [event.kind for event in custodian.reading.events()].count("redrawn") == 0
    (tmp_path / "kept").rename(left)
    assert len(carry_out(home)) == 1


def test_charges_of_others_are_no_jobs(registered: Home, custodian: Ledger) -> None:
    dataset = Catalogue(registered.folder / "datasets").release("data")
    ticket = custodian.charging.charge(Request("ada", "own", "data", dataset.request), dataset.guarantee)
    custodian.charging.give_up(ticket)
    assert carry_out(registered) == []


def test_a_charge_for_something_else_is_not_carried_out(registered: Home, custodian: Ledger) -> None:
    accept(registered, custodian)
    dataset = Catalogue(registered.folder / "datasets").release("data")
    with closing(registered.open_ledger()) as ledger:
        other = Request("ada", "other", "data", canonical({"release": "another"}))
        ledger.charging.give_up(ledger.charging.charge(other, dataset.guarantee))
    with pytest.raises(PolicyRefused, match="another release than the registered one"):
        carry_out(registered)
    assert list(registered.releases.iterdir()) == []
