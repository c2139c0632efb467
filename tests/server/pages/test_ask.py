"""A question is paid once, by one button that says what it spends, whatever a browser does: reload, back, two tabs, no JavaScript."""

import json
import re
import threading
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from starling.errors import ParameterError, StarlingError
from starling.genome.plan import NumSig
from starling.pages.rendering import visible
from starling.release.domain import MARGIN
from starling.server.datasets import Catalogue
from tests.client.conftest import Site
from tests.server.pages.browsing import Browser
from tests.server.pages.conftest import browser_of

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

HALF = "/datasets/data/ask?kind=num_sig&k=3&epsilon=0.5"
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "{{7*7}}{% raw %}",
    "</textarea></select></form>",
    "javascript:alert(1)",
    "\u202e\u0000\x1b[2J",
]


def test_a_plan_without_a_page_of_margins_says_who_changes_them_and_how(site: Site) -> None:
    browser = browser_of(site)
    browser.open("/datasets/data/ask")
    assert "see its margins by starling groups preview PLAN , and register it" in browser.text


def test_the_price_on_the_page_is_that_of_the_api_and_what_is_left_is_too(study_site: Site) -> None:
    browser = browser_of(study_site)
    browser.open(HALF)
    with study_site.client() as client:
        preview = client.preview("data", {"kind": "num_sig", "k": 3, "epsilon": "0.5"})
        budget = client.budget("data")
        left = Fraction(budget.available) - Fraction(preview.amount)
        assert f"Costs epsilon {preview.amount} of your {budget.available} ; leaves {float(left):g}" in browser.text
        for section in preview.sections:
            for table in section["tables"]:
                for row in table["rows"]:
                    assert " ".join(" ".join(row).split()) in browser.text
        assert study_site.charges() == 0, "it was only looked at"
        browser.send(browser.form("Spend epsilon 0.5"))
        assert client.budget("data").available == f"{float(left):g}"
    assert study_site.charges() == 1


BY_MARGIN = "/datasets/data/ask?kind=num_sig&k=3&by=margin&margin=20"


def test_a_margin_finds_its_budget_which_finds_the_margin_again(study_site: Site, tmp_path: Path) -> None:
    """Page, API and library say the same; what is shown is what is charged; asked again it is there."""
    browser = browser_of(study_site)
    browser.open(BY_MARGIN)
    with study_site.client() as client:
        preview = client.preview("data", {"kind": "num_sig", "k": 3}, margin="20")
        assert preview.question is not None
        assert preview.margin is not None
        cost = preview.question["epsilon"]
        assert (cost, Fraction(preview.margin["within"]) <= 20) == (preview.amount, True)
        here = client.study("data", tmp_path).at_margin(NumSig("g", 3, Fraction(1)), "20")
        assert here.epsilon == Fraction(cost)
        assert (
            f"Off by at most {preview.margin['within']} patients, 95 times of 100 The number is wrong at most by the SNPs "
            in browser.text
        )
        form = browser.form("Show the price")
        assert (form.fields["by"], form.fields["margin"], form.fields["epsilon"]) == ("margin", "20", cost)
        browser.send(form, by="cost")
        assert f"Off by at most {preview.margin['within']} patients" in browser.text
        form = browser.form("Show the price")
        assert (form.fields["by"], form.fields["margin"]) == ("cost", preview.margin["within"])
        assert study_site.charges() == 0, "it was only looked at"
        number = int(browser.send(browser.form(f"Spend epsilon {cost}")).request.url.path.rpartition("/")[2])
        assert Fraction(client.budget("data").available) == 3 - Fraction(cost)
        assert client.preview("data", {"kind": "num_sig", "k": 3}, margin="20").release == number
    browser.open(BY_MARGIN)
    assert f"You have this: open release {number}" in browser.text
    assert "Spend" not in browser.page.text


NO_MARGINS: Final = (
    ("-1", "margin is below 0"),
    ("nan", "margin is not a decimal number"),
    ("1e3", "margin is written with an exponent"),
    ("9" * 60, "margin is not a decimal number"),
    ("1/0", "margin is not a decimal number"),
    ("\u0661\u0662", "margin is not a decimal number"),
    ('"><script>alert(1)</script>', "margin is not a decimal number"),
    ("\u202e20", "margin is not a decimal number"),
    ("2" * 300, "margin is not a decimal number"),
)
"""What is sent as a margin, and what is said of it."""


def test_what_is_no_margin_is_said_beside_the_form(study_site: Site) -> None:
    browser = browser_of(study_site)
    for sent, says in NO_MARGINS:
        browser.open("/datasets/data/ask?kind=num_sig")
        reply = browser.send(browser.form("Show the price"), k="3", by="margin", margin=sent)
        assert (reply.status_code, says in browser.text, "<script>alert" in reply.text) == (422, True, False), sent
        assert browser.form("Show the price").fields["margin"] == visible(sent), "it stands there to be mended"
        with study_site.client() as client, pytest.raises(ParameterError):
            client.preview("data", {"kind": "num_sig", "k": 3}, margin=sent)


def test_a_margin_beside_a_cost_and_of_a_plan_that_says_all_is_refused(study_site: Site) -> None:
    with study_site.client() as client:
        with pytest.raises(ParameterError, match="stands beside a margin"):
            client.preview("data", {"kind": "num_sig", "k": 3, "epsilon": "1"}, margin="20")
        with pytest.raises(StarlingError):
            client.preview("data", margin="20")


def test_a_question_whose_margin_is_not_defined_offers_its_budget_alone(
    study_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of a study that was registered before there were margins."""
    (entry,) = [study_site.home.catalogue.study("data")]
    forms = [{name: each[name] for name in each if name != MARGIN} for each in entry.schema["oneOf"]]
    monkeypatch.setattr(Catalogue, "find", lambda *_: replace(entry, schema={"oneOf": forms}))
    browser = browser_of(study_site)
    browser.open(HALF)
    assert "No margin is defined for this question" in browser.text
    assert browser.form("Show the price").fields.keys() == {"kind", "test", "k", "epsilon", "selection"}


def test_reload_and_back_pay_nothing(site: Site) -> None:
    browser = browser_of(site)
    browser.open("/datasets/data/ask")
    form = browser.form("Spend epsilon 1")
    first = browser.send(form).request.url.path
    assert first.startswith("/questions/")
    for _ in range(2):
        assert browser.send(form).request.url.path == first, "the same form, sent again"
        assert browser.open(first).status_code == 200
    browser.open("/datasets/data/ask")
    assert "You have this: open release" in browser.text
    assert "Spend" not in browser.page.text
    assert site.charges() == 1


def test_the_same_question_under_another_id_is_the_one_that_there_is(study_site: Site) -> None:
    browser, tab = browser_of(study_site), None
    browser.open(HALF)
    tab = browser.share()
    tab.open(HALF)
    assert browser.form("Spend").fields["request_id"] != tab.form("Spend").fields["request_id"]
    places = {each.send(each.form("Spend")).request.url.path for each in (browser, tab)}
    assert (len(places), study_site.charges()) == (1, 1)


def test_two_tabs_that_race_for_the_last_of_a_budget_do_not_overspend(study_site: Site) -> None:
    """Of an epsilon of 3, both want 2, for different questions."""
    first = browser_of(study_site)
    tabs = [first, first.share()]
    for number, tab in enumerate(tabs, 3):
        tab.open(f"/datasets/data/ask?kind=num_sig&k={number}&epsilon=2")
    forms = [tab.form("Spend epsilon 2") for tab in tabs]
    threads = [threading.Thread(target=tab.send, args=(form,)) for tab, form in zip(tabs, forms, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(tab.page.status_code for tab in tabs) == [200, 403]
    (refused,) = [tab for tab in tabs if tab.page.status_code == 403]
    assert "has 1 left" in refused.text
    assert study_site.charges() == 1
    with study_site.client() as client:
        assert client.budget("data").available == "1"


def test_a_session_that_ended_charges_nothing_and_the_form_works_after_signing_in(site: Site) -> None:
    browser = browser_of(site)
    browser.open("/datasets/data/ask")
    form = browser.form("Spend")
    browser.forget()
    browser.send(form)
    assert (browser.path.startswith("/sign-in?next="), site.charges()) == (True, 0)
    browser.sign_in("ada", "correct horse battery")
    assert browser.path.startswith("/datasets/data/ask?request_id=")
    assert browser.form("Spend").fields == form.fields
    assert browser.send(browser.form("Spend")).request.url.path.startswith("/questions/")
    assert site.charges() == 1


def test_csrf_a_form_of_another_site_spends_nothing(site: Site) -> None:
    browser = browser_of(site)
    browser.open("/datasets/data/ask")
    body = b"request_id=evil&question="
    for site_says in ("cross-site", "same-site", "none"):
        headers = [("Cookie", browser._cookie), ("Sec-Fetch-Site", site_says), ("Accept", "text/html")]
        assert browser._asker.ask("POST", "/datasets/data/ask", headers, body).status_code in (400, 403)
    assert site.charges() == 0


def test_what_does_not_fit_says_so_before_and_is_refused_after(study_site: Site) -> None:
    browser = browser_of(study_site)
    browser.open("/datasets/data/ask?kind=num_sig&k=3&epsilon=4")
    assert "it does not fit" in browser.text
    assert "Spend" not in browser.page.text
    body = json.dumps({"kind": "num_sig", "k": 3, "epsilon": "4"})
    browser.open(HALF)
    reply = browser.send(browser.form("Spend"), question=body)
    assert (reply.status_code, "has 3 left" in browser.text, study_site.charges()) == (403, True, 0)


@pytest.mark.series(2)
@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_in_any_field_is_a_text(study_site: Site, text: str) -> None:
    browser = browser_of(study_site)
    browser.open("/datasets/data/ask?kind=num_sig")
    form = browser.form("Show the price")
    for name in form.fields:
        reply = browser.send(form, **{name: text})
        assert reply.status_code in (200, 422)
        for part in ("<script>alert", "<img src=x", "</textarea></select>", "49{%"):
            assert part not in reply.text
    browser.open(HALF)
    for name in ("request_id", "question"):
        reply = browser.send(browser.form("Spend"), **{name: text})
        assert reply.status_code == 422
        assert "<img src=x" not in reply.text
        browser.open(HALF)
    assert study_site.charges() == 0


FOUL = [
    '{"kind": "num_sig", "k": 3, "k": 4, "epsilon": "0.5"}',
    "[" * 5000,
    '{"kind": "num_sig", "k": NaN, "epsilon": "0.5"}',
    '{"kind": "num_sig", "k": Infinity, "epsilon": "0.5"}',
    *('{"kind": "num_sig", "k": %s, "epsilon": "0.5"}' % ("[" * deep + "]" * deep) for deep in (40, 900, 5000)),
    '{"a":' * 5000,
]
"""JSON that the API refuses before it looks at what is asked."""


@pytest.mark.series(2)
@pytest.mark.parametrize("text", FOUL)
def test_json_in_a_form_is_read_as_in_a_body(study_site: Site, text: str) -> None:
    browser = browser_of(study_site)
    browser.open(HALF)
    form = browser.form("Spend")
    assert browser.send(form, question=text).status_code == 422
    body = f'{{"request_id": "a", "question": {text}}}'.encode()
    with study_site.client() as client:
        own = [
            ("Authorization", client._transport._http.headers["Authorization"]),
            ("Content-Type", "application/json"),
        ]
    assert browser._asker.ask("POST", "/v1/datasets/data/releases", own, body).status_code == 422
    browser.open("/datasets/data/ask?kind=num_sig")
    form = browser.form("Show the price")
    for name in form.fields:
        reply = browser.send(form, **({"k": "3", "epsilon": "0.5"} | {name: text}))
        assert reply.status_code in (200, 422), name
    assert study_site.charges() == 0


def test_a_dataset_that_asks_first_is_requested_with_a_reason(site: Site) -> None:
    from contextlib import closing

    from starling.ledger.opening import open_ledger

    with closing(open_ledger(site.home.settings.ledger)) as ledger:
        ledger.custody.set_terms("data", ask_first=True)
    browser = browser_of(site)
    assert "Request" in browser.text
    browser.open("/datasets/data/ask")
    browser.send(browser.form("Ask the custodian"), reason="<b>For a paper</b>")
    assert browser.path.startswith("/answers")
    assert "<b>For a paper</b>" in browser.text
    assert "<b>For" not in browser.page.text
    (waiting,) = site.home.requests.listed()
    assert (site.charges(), waiting.reason) == (0, "<b>For a paper</b>")
    browser.open("/datasets/data/ask")
    assert "request 1 waits for the custodian" in browser.text
    assert not re.search("approved|Spend|What for", browser.text.partition("Your budget")[2].partition("left")[2])
    with closing(open_ledger(site.home.settings.ledger)) as ledger:
        approve = partial(ledger.custody.approve, waiting.request, waiting.guarantee, days=1)
        site.home.requests.decide(waiting, "approved", "gladly", approve)
    browser.open("/datasets/data/ask")
    assert "The custodian approved it as request 1" in browser.text
    assert browser.form("Spend").fields["request_id"] == waiting.request.request_id
    assert browser.send(browser.form("Spend")).request.url.path.startswith("/questions/")
    assert site.charges() == 1


def test_the_whole_way_from_the_first_page_to_the_answer(site: Site) -> None:
    browser: Browser = browser_of(site)
    browser.open("/datasets/data/ask")
    browser.send(browser.form("Spend"))
    assert "seconds, and then stands at this address" in browser.text
    place = browser.page.request.url.path
    with site.client() as client:
        client.wait(client.progress(int(place.rpartition("/")[2])))
    browser.open(place)
    assert "The same again" in browser.text
