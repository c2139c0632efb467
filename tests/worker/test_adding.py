"""`add` does all that a custodian does; wherever a run of it dies, the same again goes on to the same end, and nothing is half accepted."""

import json
import os
import traceback
import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from starling.errors import ParameterError, PolicyRefused, StarlingError
from starling.ledger.custody import Custody
from starling.ledger.opening import create_ledger, open_ledger
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.server.access import Access
from starling.server.charges import Charges
from starling.server.datasets import Catalogue
from starling.server.home import Home, make_home
from starling.server.purposes import Purpose
from starling.worker import adding, findings
from starling.worker.adding import Addition, add
from starling.worker.findings import Findings, Inspections
from starling.worker.sources import Sources, source_of
from tests.groups.worlds import write_world
from tests.release.striking import Point, strike

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")

POINTS: dict[str, Point] = {
    f"{'after' if after else 'before'} {name}": (owner, name, after)
    for owner, name in (
        (adding, "create_ledger"),
        (Custody, "add_population"),
        (Custody, "add_dataset"),
        (Sources, "register"),
        (adding, "stand_in"),
        (Inspections, "inspect"),
        (findings, "accept"),
        (Custody, "grant"),
        (Custody, "delegate"),
        (Access, "add_user"),
        (Access, "issue"),
    )
    for after in (False, True)
}


def agree(_: Findings) -> None:
    """Whatever was found."""


def wanted(folder: Path, **other: Any) -> Addition:
    """Groups with a plan, for ada."""
    (folder / "data").mkdir(exist_ok=True)
    records = folder / "data" / "records.csv"
    if not records.exists():
        write_world(folder / "data")
    source = source_of("groups", str(folder / "data" / "plan.toml"), {"records": records})
    addition = Addition("data", source, "people", "5", {"ada": "3"}, deadline=8, days=30)
    return replace(addition, **other)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr("starling.worker.sources._preview", lambda _: [])
    return make_home(tmp_path / "home")


def state(home: Home) -> object:
    """What the end of it is, but for times, keys and tokens."""
    with closing(open_ledger(home.settings.ledger)) as ledger:
        ledger.reading.verify()
        said = [(event.kind, json.loads(event.body)) for event in ledger.reading.events()]
        inner = ("name", "population", "cap", "analyst", "dataset")
        events = [(kind, {key: body[key] for key in inner if key in body}) for kind, body in said]
    sources = Sources(home)
    sandbox = home.sandbox
    assert sandbox is not None
    users = [home.access.knows("ada"), [each.user for each in home.access.tokens()]]
    return events, sources.names(), Sources(sandbox).names(), users


def killed(point: Point, work: Callable[[], object]) -> None:
    """Do this work in a process that is killed at the point."""
    child = os.fork()
    if child == 0:
        try:
            strike(*point)
            work()
        except BaseException:  # noqa: BLE001 - the child must never return into the test
            traceback.print_exc()
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -9, "it came to the point"


def charge(home: Home) -> None:
    """What an analyst's request does; raises where it may not be charged."""
    with closing(Charges(home)) as charges:
        charges.charge("ada", Catalogue(home.folder / "datasets").release("data"), "first")


def test_the_server_has_seen_the_ledger_that_was_made_for_it(home: Home, tmp_path: Path) -> None:
    """Its first charge does not warn that the ledger may be an old copy."""
    add(home, wanted(tmp_path), agree, lambda _: None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        charge(home)


@pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
@pytest.mark.series(2)
@pytest.mark.parametrize("point", POINTS.values(), ids=POINTS)
def test_wherever_it_dies_the_same_again_goes_on(home: Home, tmp_path: Path, point: Point) -> None:
    whole = make_home(tmp_path / "whole")
    add(whole, wanted(tmp_path), agree, lambda _: None)
    killed(point, lambda: add(home, wanted(tmp_path), agree, lambda _: None))
    if point[1] not in ("add_user", "issue"):
        # The right to charge comes last but for tokens: nobody is charged for what is half done.
        with pytest.raises(StarlingError):
            charge(home)
    made = add(home, wanted(tmp_path), agree, lambda _: None)
    assert list(made.tokens) == ([] if point[1:] == ("issue", True) else ["ada"])
    assert state(home) == state(whole)
    steps: list[str] = []
    again = add(home, wanted(tmp_path), lambda _: pytest.fail("was accepted before"), steps.append)
    assert (again.tokens, again.entry) == ({}, made.entry)
    assert not [step for step in steps if step.startswith(("making", "granting", "letting", "accepting", "opening"))]
    charge(home)


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ({"cap": "6"}, "cap of dataset data is 5 in the ledger, not 6; give that, or raise it: starling ledger raise"),
        ({"grants": {"ada": "4"}}, "cap of analyst ada is 3 in the ledger, not 4"),
        ({"population": "others"}, "data is a delivery of people in the ledger; add --population people"),
        ({"deadline": 9}, "data is registered with other data, plan, deadline or purpose"),
        ({"purpose": Purpose("Homes")}, "data is registered with other data"),
    ],
)
def test_what_was_done_otherwise_is_refused_before_anything_is_changed(
    home: Home, tmp_path: Path, other: dict[str, Any], says: str
) -> None:
    add(home, wanted(tmp_path), agree, lambda _: None)
    before = state(home)
    with pytest.raises((PolicyRefused, ParameterError), match=says):
        add(home, wanted(tmp_path, **{"grants": {"ada": "3", "bob": "1"}, **other}), agree, lambda _: None)
    assert state(home) == before
    assert not home.access.knows("bob")


def test_one_more_analyst_is_let_in_by_the_same_command(home: Home, tmp_path: Path) -> None:
    add(home, wanted(tmp_path), agree, lambda _: None)
    made = add(home, wanted(tmp_path, grants={"ada": "3", "bob": "1"}), agree, lambda _: None)
    assert list(made.tokens) == ["bob"]


def test_what_is_not_accepted_can_be_charged_by_nobody(home: Home, tmp_path: Path) -> None:
    def refuse(_: Findings) -> None:
        raise PolicyRefused("files", "are not accepted", "")

    with pytest.raises(PolicyRefused, match="are not accepted"):
        add(home, wanted(tmp_path), refuse, lambda _: None)
    with pytest.raises(StarlingError):
        charge(home)
    assert not home.access.knows("ada")


def test_another_unit_is_refused_before_anything_is_registered(home: Home, tmp_path: Path) -> None:
    with closing(create_ledger(home.settings.ledger)) as ledger:
        ledger.custody.add_population("people", "epsilon", ADD_REMOVE_PERSON, 10)
    with pytest.raises(PolicyRefused, match="of protection is the member, of this population it is the person"):
        add(home, wanted(tmp_path), agree, lambda _: None)
    assert Sources(home).names() == []
