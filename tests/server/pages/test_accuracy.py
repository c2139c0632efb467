"""At a server the page of a plan says what the library does, to those who choose plans, without records, and charges nothing."""

import shlex
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest

from starling.planfile.values import exact_text
from starling.server.passwords import hashed
from starling.tables.plan import Plan
from starling.tables.preview.accuracy import Accuracy, accuracy, at_cost, at_every_margin, at_margins, margin_text
from tests.client.conftest import Site, served_source
from tests.server.pages.browsing import BASE, Browser
from tests.server.pages.conftest import PASSWORD, browser_of
from tests.worker.test_jobs import tables_of_ones_own

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

PAGE = "/datasets/data/accuracy/"


@pytest.fixture
def tables_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server of tables, whose records are gone."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "keys"))
    here = tmp_path / "tables"
    here.mkdir()
    for site in served_source(here, tables_of_ones_own(here)):
        (here / "own.csv").unlink()
        yield site


def signed_in(site: Site, role: str) -> Browser:
    site.home.access.add_user(role, role)  # type: ignore[arg-type]
    site.home.access.set_password(role, hashed(PASSWORD))
    browser = Browser(site.carrier._app)
    browser.open("/")
    browser.sign_in(role, PASSWORD)
    return browser


def check_shown(browser: Browser, plan: Plan, value: Accuracy) -> None:
    assert browser.page.status_code == 200
    assert f"Costs {plan.cost.measure} {exact_text(value.plan.cost.amount)} ; as it stands" in browser.text
    for number in value.numbers:
        row = f"{number.level} {number.name} {margin_text(number)} {exact_text(number.budget)}"
        assert " ".join(row.split()) in browser.text


def test_margins_of_a_plan_at_a_server(tables_site: Site, tmp_path: Path) -> None:
    plan, browser = Plan.load(tmp_path / "tables" / "own.toml"), browser_of(tables_site)
    assert PAGE in browser.page.text, "the first page leads there"
    browser.open("/datasets/data/ask")
    assert PAGE in browser.page.text
    browser.open(PAGE)
    check_shown(browser, plan, accuracy(plan))
    form = browser.form("Show the price")
    total = exact_text(plan.cost.amount / 2)
    browser.send(form, by="total", total=total)
    check_shown(browser, plan, at_cost(plan, total))
    browser.send(form, by="every", every="25")
    check_shown(browser, plan, at_every_margin(plan, "25"))
    own = browser.asked(f"/v1/datasets/data/accuracy?{urlencode({'by': 'total', 'total': total})}")
    assert own == {**at_cost(plan, total).as_json(), "invented": False}, "as the API says"
    margins = [("margins", each.within or exact_text(each.budget)) for each in accuracy(plan).numbers]
    within = {at: text for at, (_, text) in enumerate(margins)}
    own = browser.asked(f"/v1/datasets/data/accuracy?{urlencode(margins)}")
    assert own == {**at_margins(plan, within, within).as_json(), "invented": False}
    assert browser.asked("/v1/datasets/data/accuracy?by=every&every=x")["error"]["kind"] == "ParameterError"
    for values in (
        {"by": "total", "total": total},
        {"by": "margins", "within-1": "40"},
        {"by": "every", "every": "30"},
    ):
        browser.send(form, **values)
        curl = shlex.split(
            unescape(browser.page.text.partition("<p>curl</p>")[2].partition("<code>")[2].partition("</code>")[0])
        )
        asked = browser.asked(curl[-1].removeprefix(BASE))
        assert f"Costs {asked['measure']} {asked['cost']} ;" in browser.text, "the line gives what the page shows"
    reply = browser.send(form, by="total", total='"><script>alert(1)</script>')
    assert (reply.status_code, 'role="alert"' in reply.text, "<script>alert" in reply.text) == (422, True, False)
    saved = browser.open(f"{PAGE}plan.toml?{urlencode({'by': 'total', 'total': total})}")
    assert "attachment" in saved.headers["Content-Disposition"]
    (tmp_path / "saved.toml").write_text(saved.text)
    assert Plan.load(tmp_path / "saved.toml").cost == at_cost(plan, total).plan.cost
    assert tables_site.charges() == 0
    with tables_site.client() as client:
        assert client.budget("data").available == exact_text(3 * plan.cost.amount)


def test_for_analysts_and_custodians_alone(tables_site: Site) -> None:
    custodian = signed_in(tables_site, "custodian")
    assert PAGE in custodian.page.text
    assert custodian.open(PAGE).status_code == 200
    assert signed_in(tables_site, "auditor").open(PAGE).status_code == 403
    stranger = Browser(tables_site.carrier._app)
    stranger.open(PAGE)
    assert stranger.path.startswith("/sign-in?next=")
    for path in ("/datasets/none/accuracy/", "/datasets/..%2f/accuracy/", f"{PAGE}elsewhere", f"{PAGE}preview"):
        assert custodian.open(path).status_code == 404


def test_of_other_datasets_there_is_no_page(tables_site: Site, site: Site) -> None:
    """Of one that was registered before there was one, and of another domain."""
    shutil.rmtree(tables_site.home.catalogue.plan("data"))
    for one in (tables_site, site):
        browser = browser_of(one)
        assert PAGE not in browser.page.text
        assert browser.open(PAGE).status_code == 404
        assert PAGE not in browser.open("/datasets/data/ask").text
