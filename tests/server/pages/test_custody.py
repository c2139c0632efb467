"""The pages of a custodian: values of the API, commands that do what they say, and nothing that is decided twice or by a slip."""

import json
import shlex
import threading
from contextlib import closing
from dataclasses import fields, is_dataclass
from functools import partial
from html import unescape
from re import findall
from typing import Any

import httpx
import pytest

import starling
from starling.client import Client
from starling.errors import plain
from starling.ledger.opening import open_ledger
from starling.pages.rendering import visible
from starling.server.guard import PAGE_HEADERS
from tests.cli.conftest import Call, call
from tests.client.conftest import Site
from tests.server.pages.browsing import Browser
from tests.server.pages.conftest import browser_of

__all__ = ["call"]

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

QUESTION = {"kind": "num_sig", "k": 3, "epsilon": "0.5"}
REASON = "\"'><script>alert(1)</script>{{7*7}}\u202e"
REQUEST, DATASET = "/custody/requests/1", "/custody/datasets/data"


@pytest.fixture
def asked(site: Site) -> Site:
    """A site with two custodians, whose data ask first, and of which ada asked for the release."""
    return asks_first(site)


def asks_first(site: Site, question: Any = None) -> Site:
    """The site, with what ada asked of it."""
    with closing(open_ledger(site.home.settings.ledger)) as ledger:
        ledger.custody.set_terms("data", ask_first=True, reserve=1)
    for name in ("carl", "cleo"):
        site.home.access.add_user(name, "custodian")
    with site.client() as client:
        client.request("data", REASON, question=question)
    return site


@pytest.fixture
def carl(asked: Site) -> Browser:
    return browser_of(asked, "carl")


def told(site: Site, path: str) -> Any:
    """What the API tells a custodian."""
    token, _ = site.home.access.issue("carl", days=1)
    with httpx.Client(base_url="http://localhost:8470", transport=site.carrier) as http:
        return http.get(path, headers={"Authorization": f"Bearer {token}"}).json()


def shown(browser: Browser) -> list[list[str]]:
    """The words of each command of the page."""
    texts = {unescape(each) for each in findall(r"<code>(starling [^<]*)</code>", browser.page.text)}
    return [shlex.split(each) for each in sorted(texts)]


def command(browser: Browser, begin: str) -> list[str]:
    """The words of the one command of the page that begins so, without its first."""
    (words,) = [each for each in shown(browser) if each[: len(begin.split())] == begin.split()]
    return words[1:]


def flat(text: str) -> str:
    return " ".join(text.split())


def test_the_request_on_the_page_is_that_of_the_api(asked: Site, carl: Browser) -> None:
    carl.open("/custody")
    (waiting,) = told(asked, "/v1/custody")["requests"]
    assert f"Request {waiting['number']} {waiting['analyst']} {waiting['dataset']} {waiting['title']}" in carl.text
    carl.open(REQUEST)
    review = told(asked, "/v1/custody/requests/1")
    for text in (review["title"], review["reveals"], review["neighbours"], review["reason"], review["cost"]):
        assert str(visible(flat(text))) in carl.text
    for each in review["left"]:
        assert f"{each['cap']} {each['left']}" in carl.text
    assert review["sections"]
    for section in review["sections"]:
        for table in section["tables"]:
            for row in table["rows"]:
                assert flat(" ".join(row)) in carl.text
    assert command(carl, "starling server approve") == shlex.split(review["commands"]["approve"])[1:]


def test_a_question_stands_as_it_was_asked_with_its_expected_error(study_site: Site) -> None:
    carl = browser_of(asks_first(study_site, QUESTION), "carl")
    carl.open(REQUEST)
    assert json.dumps(QUESTION) in carl.text
    for section in told(study_site, "/v1/custody/requests/1")["sections"]:
        assert section["title"] in carl.text


def test_the_pasted_command_approves_what_the_page_showed(asked: Site, carl: Browser, call: Call) -> None:
    carl.open(REQUEST)
    approved = call(*command(carl, "starling server approve"), "--yes")
    assert approved.exit_code == 0, approved.output
    carl.open(REQUEST)
    assert "It is approved" in carl.text
    assert "Decline this request" not in carl.page.text
    with asked.client() as client:
        assert client.charge("data").id
    carl.open("/custody")
    assert "No request waits" in carl.text


def test_a_command_of_an_older_page_approves_nothing_else(asked: Site, carl: Browser, call: Call) -> None:
    """The request is another by now, whoever changed it."""
    carl.open(REQUEST)
    words = command(carl, "starling server approve")
    with asked.home.requests._database.writing() as connection:
        connection.execute("UPDATE requests SET reason = 'another'")
    assert call(*words, "--yes").exit_code == 5


def test_a_reason_is_given_once_whatever_is_sent_again(asked: Site, carl: Browser) -> None:
    carl.open(REQUEST)
    form = carl.form("Decline")
    for _ in range(2):
        page = carl.send(form, reason="Ask for less.")
        assert (page.status_code, page.request.url.path) == (200, REQUEST)
        assert "It is declined" in carl.text
    assert "Said to it: Ask for less." in carl.text
    late = carl.send(form, reason="Something else")
    assert (late.status_code, "was declined before" in carl.text) == (409, True)
    assert asked.home.requests.find(1).words == "Ask for less."
    ada = browser_of(asked)
    ada.open("/answers")
    assert "declined: Ask for less." in ada.text


def test_without_a_reason_it_says_so_and_waits(asked: Site, carl: Browser) -> None:
    carl.open(REQUEST)
    form = carl.form("Decline")
    for reason in ("", "  ", "x" * 2001):
        assert carl.send(form, reason=reason).status_code == 422
        assert "say why: the analyst reads it" in carl.text
    assert asked.home.requests.find(1).state == "waiting"


def test_of_two_custodians_one_declines(asked: Site, carl: Browser) -> None:
    browsers = {"carl": carl, "cleo": browser_of(asked, "cleo")}
    for browser in browsers.values():
        browser.open(REQUEST)
    threads = [
        threading.Thread(target=browser.send, args=(browser.form("Decline"),), kwargs={"reason": name})
        for name, browser in browsers.items()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    statuses = {name: browser.page.status_code for name, browser in browsers.items()}
    assert sorted(statuses.values()) == [200, 409]
    assert statuses[asked.home.requests.find(1).words] == 200


@pytest.mark.parametrize("first", ["page", "command"])
def test_of_a_page_that_declines_and_a_command_that_approves_one_does(
    asked: Site, carl: Browser, call: Call, first: str
) -> None:
    carl.open(REQUEST)
    words, form = command(carl, "starling server approve"), carl.form("Decline")
    if first == "page":
        carl.send(form, reason="No.")
        assert call(*words, "--yes").exit_code == 4
    else:
        assert call(*words, "--yes").exit_code == 0
        assert carl.send(form, reason="No.").status_code == 409
        assert "take it back with your key" in carl.text
    with closing(open_ledger(asked.home.settings.ledger)) as ledger:
        approved = [event for event in ledger.reading.events() if event.kind == "approved"]
    assert len(approved) == (first == "command")
    assert asked.home.requests.find(1).state == {"page": "declined", "command": "approved"}[first]


def test_a_cap_is_raised_by_the_command_that_the_page_shows(asked: Site, carl: Browser, call: Call) -> None:
    carl.open(DATASET)
    carl.send(carl.form("Show what"), of="analyst ada", cap="3.5")
    query = "population=people&scope=analyst&name=ada&cap=3.5"
    assert told(asked, f"/v1/custody/raise?{query}")["reveals"] in carl.text
    words = command(carl, "starling ledger raise")
    codes = [call(*words, "--yes").exit_code for _ in range(2)]
    assert codes == [0, 4], "the second custodian finds it raised"
    carl.open(DATASET)
    for cap in told(asked, "/v1/custody/datasets/data")["caps"]:
        assert f"{cap['scope']} {cap['name']} {cap['cap']} {cap['spent']} {cap['left']}" in carl.text
    assert "analyst ada 3.5 0 3.5" in carl.text


def test_a_cap_that_cannot_be_raised_is_refused_on_the_page(carl: Browser) -> None:
    carl.open(DATASET)
    form = carl.form("Show what")
    for of, cap, status in (
        *(("analyst ada", "1", 403), ("analyst ada", "x", 422), ("analyst ada", "9" * 41, 422)),
        *(("", "5", 422), ("nothing ada", "5", 422), ("analyst nobody", "5", 422), (REASON, "5", 422)),
        ("analyst ada", REASON, 422),
    ):
        assert carl.send(form, of=of, cap=cap).status_code == status, (of, cap)
        assert 'role="alert"' in carl.page.text
        assert "<script>alert" not in carl.page.text
        assert "starling ledger raise" not in carl.page.text


def test_data_are_retired_by_nobody_who_did_not_write_their_name(asked: Site, carl: Browser, call: Call) -> None:
    carl.open(DATASET)
    carl.open(f"{DATASET}/retire")
    assert "This is for good" in carl.text
    assert "starling ledger retire" not in carl.page.text
    carl.send(carl.form("Show the command"), name="dat")
    assert "That is not the name of these data" in carl.text
    assert "starling ledger retire" not in carl.page.text
    carl.send(carl.form("Show the command"), name="data")
    words = command(carl, "starling ledger retire")
    unasked = call(*words)
    assert (unasked.exit_code, "for good" in unasked.stderr) == (2, True), "the command asks, too"
    for _ in range(2):
        assert call(*words, "--yes").exit_code == 0
    carl.open(f"{DATASET}/retire")
    assert "It is retired" in carl.text
    carl.open("/custody")
    assert "data retired no" in carl.text
    with closing(open_ledger(asked.home.settings.ledger)) as ledger:
        assert [event.kind for event in ledger.reading.events()].count("retire") == 1


def test_the_right_to_charge_is_given_by_the_command_that_the_page_shows(
    asked: Site, carl: Browser, call: Call
) -> None:
    carl.open(DATASET)
    assert call(*command(carl, "starling ledger delegate")).exit_code == 0
    until = told(asked, "/v1/custody/datasets/data")["until"]
    carl.open("/custody")
    assert f"until {until[:10]} {until[11:16]} UTC" in carl.text


def test_python_does_what_the_page_says(asked: Site, carl: Browser) -> None:
    carl.open(f"{DATASET}/retire?name=data")
    (python,) = findall(r"<p>Python</p><pre[^>]*><code>([^<]*)</code>", carl.page.text)
    values: dict[str, Any] = {}
    exec(unescape(python), values)
    values["ledger"].close()
    assert told(asked, "/v1/custody/datasets/data")["retired"]


def check_value(value: Any, reply: Any) -> None:
    """Every attribute is what the API says under its name."""
    for each in fields(value):
        attribute, said = getattr(value, each.name), reply[each.name]
        said = plain(said) if isinstance(said, str) else said
        said = {row["cap"]: row["left"] for row in said} if each.name == "left" and isinstance(said, list) else said
        if isinstance(attribute, tuple) and attribute and is_dataclass(attribute[0]):
            assert len(attribute) == len(said)
            for one, other in zip(attribute, said, strict=True):
                check_value(one, other)
        else:
            assert attribute == (tuple(said) if isinstance(attribute, tuple) else said), each.name


def test_python_reads_what_the_page_shows(asked: Site, carl: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    carl.open(REQUEST)
    (python,) = findall(r"<p>Python</p><pre[^>]*><code>([^<]*)</code>", carl.page.text)
    token, _ = asked.home.access.issue("carl", days=1)
    monkeypatch.setenv("STARLING_TOKEN", token)
    monkeypatch.setattr(starling, "Client", partial(Client, carrier=asked.carrier))
    first, _, last = unescape(python).rpartition("\n")
    values: dict[str, Any] = {}
    exec(first, values)
    check_value(eval(last, values), told(asked, "/v1/custody/requests/1"))


def test_a_late_release_has_the_commands_that_say_why_and_try_again(asked: Site, carl: Browser, call: Call) -> None:
    with closing(open_ledger(asked.home.settings.ledger)) as ledger:
        ledger.custody.set_terms("data", ask_first=False)
    with asked.client() as client:
        number = client.charge("data").id
    carl.open("/custody")
    assert "No release is late" in carl.text
    asked._passed += 60
    carl.open("/custody")
    assert f"{number} data ada" in carl.text
    (again,) = [words for words in shown(carl) if "--again" in words]
    (why,) = [words for words in shown(carl) if words == again[:-2]]
    assert f"{number}  waiting  data  ada" in call(*why[1:]).stdout
    assert again[-1] == str(number)
    assert "is no release that failed" in call(*again[1:]).stderr, "it waits: no attempt at it failed"


PAGES = ("/custody", REQUEST, DATASET, f"{DATASET}/retire")


@pytest.fixture
def pages(carl: Browser) -> list[httpx.Response]:
    return [carl.open(path) for path in PAGES]


def test_every_page_has_the_policy_and_what_is_hostile_stays_text(pages: list[httpx.Response], carl: Browser) -> None:
    for page in pages:
        assert page.status_code == 200
        for name, value in PAGE_HEADERS.items():
            assert page.headers[name] == value
        assert "<script>alert" not in page.text
    carl.open(REQUEST)
    assert str(visible(REASON)) in carl.text
    assert "49" not in carl.text.partition("for: ")[2][:40]


def test_others_are_refused_as_by_the_api(asked: Site) -> None:
    asked.home.access.add_user("otto", "auditor")
    for name, role in (("ada", "analyst"), ("otto", "auditor")):
        browser = browser_of(asked, name)
        assert "Custody" not in browser.page.text
        for path in PAGES:
            assert browser.open(path).status_code == 403
            assert f"role {role} cannot open this, which is for custodians" in browser.text
        assert browser._ask("POST", REQUEST, b"reason=No.").status_code == 403
    assert asked.home.requests.find(1).state == "waiting"


def test_a_custodian_who_was_revoked_is_led_to_sign_in_and_decides_nothing(asked: Site, carl: Browser) -> None:
    carl.open(REQUEST)
    form = carl.form("Decline")
    asked.home.access.set_password("carl", None)
    assert carl.send(form, reason="No.").request.url.path == "/sign-in"
    for path in PAGES:
        assert carl.open(path).request.url.path == "/sign-in"
    assert asked.home.requests.find(1).state == "waiting"


def test_csrf_a_form_of_another_site_declines_nothing(asked: Site, carl: Browser) -> None:
    for site_says in ("cross-site", "same-site", "none"):
        headers = [("Cookie", carl._cookie), ("Sec-Fetch-Site", site_says), ("Accept", "text/html")]
        assert carl._asker.ask("POST", REQUEST, headers, b"reason=No.").status_code in (400, 403)
    assert asked.home.requests.find(1).state == "waiting"


def test_what_is_not_there_is_not_there(carl: Browser) -> None:
    for path in ("/custody/requests/9", "/custody/datasets/none", "/custody/datasets/none/retire"):
        assert carl.open(path).status_code == 404
    assert carl.open("/sandbox/custody").status_code == 404
