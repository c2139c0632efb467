"""The first page shows of each dataset what the API says of it."""

import json
from contextlib import closing
from fractions import Fraction
from math import ceil
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import IntegrityError
from starling.ledger.opening import open_ledger
from starling.ledger.rules import UNIT
from starling.privacy.accounting.detection import ALARMS, detection, detection_bound
from starling.privacy.budget import Epsilon
from starling.server.pages.home import bar, decimal
from starling.server.releasing import BudgetReply, CapReply
from tests.client.conftest import Site
from tests.server.pages.conftest import browser_of

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

AMOUNTS = st.integers(0, 10 * UNIT)
NAMES: dict[str, Any] = {
    "dataset": "d",
    "population": "p",
    "measure": "rho",
    "amount": "1",
    "more": 0,
    "release": None,
    "ask_first": False,
    "reserve": "0",
    "invented": False,
}
"""What a budget says besides."""


@given(cap=AMOUNTS, spent=AMOUNTS, available=AMOUNTS, approved=AMOUNTS)
def test_a_bar_adds_up_to_the_cap(cap: int, spent: int, available: int, approved: int) -> None:
    spent = min(spent, cap)
    available = min(available, cap - spent)
    texts = [decimal(Fraction(each, UNIT)) for each in (cap, spent, cap - spent, available, approved)]
    own = CapReply(scope="analyst", name="ada", cap=texts[0], spent=texts[1], left=texts[2])
    parts = bar(BudgetReply(**NAMES, caps=[own], available=texts[3], approved=texts[4], retired=False))
    assert [each.kind for each in parts] == ["spent", "approved", "reserved", "left"]
    assert parts[2].amount == decimal(Fraction(cap - spent - available, UNIT))
    assert sum(Fraction(each.amount) for each in parts) == Fraction(cap, UNIT)
    assert parts[0].amount == texts[1]
    assert all(each.width >= 0 for each in parts)
    assert parts[-1].begin + parts[-1].width == (1000 if cap else 0)


@given(left=AMOUNTS, dataset=AMOUNTS, population=AMOUNTS, reserve=AMOUNTS, retired=st.booleans())
def test_a_bar_says_why_something_is_not_left(
    left: int, dataset: int, population: int, reserve: int, retired: bool
) -> None:
    """What is kept for the custodian is reserved; what other caps keep from being spent is not, and retired data have none left."""
    amounts = {"analyst": left, "dataset": dataset, "population": population}
    caps = [
        CapReply(scope=scope, name=scope, cap=text, spent="0", left=text)
        for scope, text in ((scope, decimal(Fraction(each, UNIT))) for scope, each in amounts.items())
    ]
    available = 0 if retired else max(0, min(left, dataset - reserve, population))
    reply = {"caps": caps, "available": decimal(Fraction(available, UNIT)), "approved": "0", "retired": retired}
    parts = {each.kind: Fraction(each.amount) * UNIT for each in bar(BudgetReply(**NAMES, **reply))}  # type: ignore[arg-type]
    assert sum(parts.values()) == left
    if retired:
        assert parts == {"spent": 0, "retired": left}
    else:
        covered = min(amounts.values())
        assert parts["left"] == available
        assert parts["reserved"] == covered - available <= reserve
        assert parts.get("unavailable", 0) == left - covered


@pytest.mark.parametrize("kind", ["dataset", "population"])
def test_the_card_of_retired_data_says_so(site: Site, kind: Literal["dataset", "population"]) -> None:
    browser = browser_of(site)
    with closing(open_ledger(site.home.settings.ledger)) as ledger:
        ledger.custody.retire(kind, {"dataset": "data", "population": "people"}[kind])
    browser.open("/")
    assert "spent 0 retired 3 of your epsilon" in browser.text
    assert "Retired: nothing is charged to it any more" in browser.text
    assert "reserved" not in browser.text


def test_a_card_shows_what_the_budget_says_before_and_after(site: Site) -> None:
    browser = browser_of(site)
    with site.client() as client:
        (dataset,) = client.datasets()
        before = client.budget("data")
        browser.open("/")
        assert dataset.title in browser.text
        assert dataset.neighbours in browser.text
        assert f"left {before.available} of your {before.measure}" in browser.text
        assert "of 100" in browser.text
        number = client.charge("data").id
        after = client.budget("data")
        browser.open("/")
        assert before.available != after.available
        assert f"left {after.available} of your {after.measure}" in browser.text
        assert f"Open release {number}" in browser.text


def test_the_risk_is_that_of_the_trade_off_function_and_the_same_everywhere(site: Site) -> None:
    dataset = site.home.catalogue.release("data")
    exact = detection(dataset.guarantee, ALARMS / 100)
    assert (exact.exact, dataset.detected) == (True, exact.chance), "from the noise, as the report says it"
    sentence = f"finds at most {ceil(100 * exact.chance)} of 100 {dataset.relation.unit}s in the data."
    sentence += f" By guessing alone, without any release, he finds {ALARMS} of 100."
    with site.client() as client:
        (listed,) = client.datasets()
    assert sentence in listed.risk
    browser = browser_of(site)
    for path in ("/", "/datasets/data"):
        browser.open(path)
        assert listed.risk in browser.text


def test_a_dataset_of_before_has_the_bound_by_its_cost(site: Site) -> None:
    file = site.home.folder / "datasets" / "data.json"
    written = json.loads(file.read_text())
    file.write_text(json.dumps({name: each for name, each in written.items() if name != "detected"}))
    with site.client() as client:
        (listed,) = client.datasets()
    bound = detection_bound(site.home.catalogue.release("data").guarantee.cost, ALARMS / 100)
    assert f"at most {ceil(100 * bound)} of 100" in listed.risk


def test_of_questions_it_is_that_of_all_the_budget(study_site: Site) -> None:
    browser = browser_of(study_site)
    most = ceil(100 * detection_bound(Epsilon(Fraction(3)), ALARMS / 100))
    assert (
        f"From all your budget, an attacker who accepts 5 false alarms in 100 finds at most {most} of 100"
        in browser.text
    )


def test_no_other_chance_is_taken_from_a_file(site: Site) -> None:
    file = site.home.folder / "datasets" / "data.json"
    for detected in (2.0, -0.1, "0.5", True):
        file.write_text(json.dumps(json.loads(file.read_text()) | {"detected": detected}))
        with pytest.raises(IntegrityError):
            site.home.catalogue.find("data")


BANNER = "Sandbox: made-up records and a play budget. This page describes nobody."


def test_the_sandbox_is_another_page_that_says_so(both: Site) -> None:
    browser = browser_of(both)
    assert "/sandbox/" in browser.page.text
    page = browser.open("/sandbox/")
    assert BANNER in page.text
    assert "Leave the sandbox" in page.text
    assert "play budget" in browser.text
    assert 'class="starling invented"' in page.text
    assert page.headers["starling-sandbox"] == "invented records"
    assert 'class="starling invented"' not in browser.open("/").text


def test_every_page_of_the_sandbox_says_so_errors_too(both: Site) -> None:
    browser = browser_of(both)
    for path in ("", "answers", "datasets/data/ask", "nothing", "datasets/none/ask", "questions/9", "questions/x"):
        for place, is_invented in ((f"/sandbox/{path}", True), (f"/{path}", False)):
            text = browser.open(place).text
            assert (BANNER in text) == is_invented, place
            assert ('class="starling invented"' in text) == is_invented, place


def test_others_see_what_there_is_and_no_button_to_ask(site: Site) -> None:
    site.home.access.add_user("otto", "auditor")
    browser = browser_of(site, "otto")
    assert "Households by size" in browser.text
    assert "Ask" not in browser.text
    assert browser.open("/datasets/data/ask").status_code == 403
