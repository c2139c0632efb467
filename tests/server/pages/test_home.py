"""The first page shows of each dataset what the API says of it."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.ledger.rules import UNIT
from starling.server.pages.home import bar, decimal
from starling.server.releasing import BudgetReply, CapReply
from tests.client.conftest import Site
from tests.server.pages.conftest import browser_of

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

AMOUNTS = st.integers(0, 10 * UNIT)


@given(cap=AMOUNTS, spent=AMOUNTS, available=AMOUNTS, approved=AMOUNTS)
def test_a_bar_adds_up_to_the_cap(cap: int, spent: int, available: int, approved: int) -> None:
    spent = min(spent, cap)
    available = min(available, cap - spent)
    texts = [decimal(Fraction(each, UNIT)) for each in (cap, spent, cap - spent, available, approved)]
    own = CapReply(scope="analyst", name="ada", cap=texts[0], spent=texts[1], left=texts[2])
    more = {"more": 0, "release": None, "ask_first": False, "reserve": "0", "retired": False, "invented": False}
    names = {"dataset": "d", "population": "p", "measure": "rho", "amount": "1"}
    parts = bar(BudgetReply(**names, **more, caps=[own], available=texts[3], approved=texts[4]))  # type: ignore[arg-type]
    assert [each.kind for each in parts] == ["spent", "approved", "reserved", "left"]
    assert sum(Fraction(each.amount) for each in parts) == Fraction(cap, UNIT)
    assert parts[0].amount == texts[1]
    assert all(each.width >= 0 for each in parts)
    assert parts[-1].begin + parts[-1].width == (1000 if cap else 0)


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


def test_the_sandbox_is_another_page_that_says_so(both: Site) -> None:
    browser = browser_of(both)
    assert "/sandbox/" in browser.page.text
    page = browser.open("/sandbox/")
    assert "Invented data: this page describes nobody" in page.text
    assert 'class="starling invented"' in page.text
    assert page.headers["starling-sandbox"] == "invented records"
    assert 'class="starling invented"' not in browser.open("/").text


@pytest.mark.parametrize(
    "path", ["", "answers", "datasets/data/ask", "nothing", "datasets/none/ask", "questions/9", "questions/x"]
)
def test_every_page_of_the_sandbox_says_so_errors_too(both: Site, path: str) -> None:
    browser = browser_of(both)
    for place, is_invented in ((f"/sandbox/{path}", True), (f"/{path}", False)):
        text = browser.open(place).text
        assert ("Invented data: this page describes nobody" in text) == is_invented
        assert ('class="starling invented"' in text) == is_invented


def test_others_see_what_there_is_and_no_button_to_ask(site: Site) -> None:
    site.home.access.add_user("otto", "auditor")
    browser = browser_of(site, "otto")
    assert "Households by size" in browser.text
    assert "Ask" not in browser.text
    assert browser.open("/datasets/data/ask").status_code == 403
