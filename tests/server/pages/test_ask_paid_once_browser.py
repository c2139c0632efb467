"""A real browser, whose tabs race, whose buttons are clicked twice, and whose connection and session are lost: the ledger has each once."""

from typing import Any

import pytest

from starling.server.passwords import hashed
from tests.client.conftest import Site
from tests.server.pages.conftest import PASSWORD
from tests.server.pages.serving import serving
from tests.server.pages.test_ask_paid_once import charges

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head"),
]

ASK = "/datasets/data/ask?kind=num_sig&k={}&epsilon={}"


def sign_in(page: Any) -> None:
    """By the form that is shown."""
    page.fill("#name", "ada")
    page.fill("#password", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/sign-in" not in url)


@pytest.mark.parametrize("arrives", [False, True])
def test_a_connection_that_is_lost_while_a_question_is_paid(chromium: Any, study_site: Site, arrives: bool) -> None:
    study_site.home.access.set_password("ada", hashed(PASSWORD))
    with serving(study_site) as url:
        page = chromium.new_context().new_page()
        page.goto(url)
        sign_in(page)
        page.goto(url + ASK.format(3, "0.5"))

        def lose(route: Any) -> None:
            if arrives:
                route.fetch(max_redirects=0)
            route.abort("connectionreset")

        page.route("**/ask", lose, times=1)
        page.click("button.main")
        page.wait_for_url("chrome-error://*/")  # the browser's own page, that there is no connection
        assert len(charges(study_site)) == arrives
        page.goto(url + ASK.format(3, "0.5"))
        page.click("text=open release" if arrives else "button.main")
        page.wait_for_url("**/questions/*")
        (charge,) = charges(study_site)
        assert page.url == f"{url}/questions/{charge.seq}"
        page.context.close()


def test_reload_back_two_clicks_two_tabs_and_a_session_that_ends(chromium: Any, study_site: Site) -> None:
    study_site.home.access.set_password("ada", hashed(PASSWORD))
    with serving(study_site) as url:
        context = chromium.new_context()
        page = context.new_page()
        page.goto(url)
        sign_in(page)
        page.goto(url + ASK.format(3, "0.5"))
        page.locator("button.main").dblclick(no_wait_after=True)
        page.wait_for_selector("[data-countdown], .headline")  # the second click ends the navigation of the first
        answer = page.url
        page.reload()
        page.go_back()
        if page.locator("button.main").count():  # the page as it was, from the browser's own memory
            page.click("button.main")
            page.wait_for_url("**/questions/*")
            assert page.url == answer
        page.goto(url + ASK.format(3, "0.5"))
        assert "It costs nothing again" in page.inner_text("#price")
        assert [f"{url}/questions/{each.seq}" for each in charges(study_site)] == [answer]

        # Of the 2.5 that are left, both tabs want 2.
        tabs = [context.new_page() for _ in range(2)]
        for number, tab in enumerate(tabs, 4):
            tab.goto(url + ASK.format(number, "2"))
        for tab in tabs:
            tab.locator("button.main").click(no_wait_after=True)
        for tab in tabs:
            tab.wait_for_selector("[data-countdown], [role=alert]")
        assert sorted(tab.locator("[role=alert]").count() for tab in tabs) == [0, 1]
        assert sorted(float(each.cost.amount) for each in charges(study_site)) == [0.5, 2]

        page.goto(url + ASK.format(6, "0.5"))
        study_site.home.access.set_password("ada", hashed(PASSWORD))  # which ends every session
        page.click("button.main")
        page.wait_for_url("**/sign-in?*")
        assert len(charges(study_site)) == 2
        sign_in(page)
        page.goto(url + ASK.format(6, "0.5"))
        page.click("button.main")
        page.wait_for_url("**/questions/*")
        assert sorted(float(each.cost.amount) for each in charges(study_site)) == [0.5, 0.5, 2]
        context.close()
