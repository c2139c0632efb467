"""A real browser under the policy: by the keyboard alone, on a narrow screen, in both themes; nothing it asks for leaves this machine."""

from typing import Any

import pytest

from starling.server.passwords import hashed
from tests.browser import hold
from tests.client.conftest import DEADLINE, Site
from tests.server.pages.conftest import PASSWORD
from tests.server.pages.serving import serving

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head"),
]


class Watched:
    """A page whose complaints and requests are noted.

    Attributes:
        page: The page.
        problems: What the browser complained of, requests to elsewhere, and what is wider than the screen.
    """

    def __init__(self, chromium: Any, url: str, **options: Any) -> None:
        self.problems: list[str] = []
        self.page = chromium.new_context(**options).new_page()
        self.page.on("console", lambda said: self.problems.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self._check(request.url, url))

    def _check(self, asked: str, url: str) -> None:
        if not asked.startswith((url, "data:")):
            self.problems.append(f"asks {asked}")

    def fits(self) -> None:
        """Note where a page is wider than the screen."""
        over = self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        if over > 0:
            self.problems.append(f"{self.page.url} is {over} wider than the screen")

    def press_until(self, selector: str, limit: int = 60) -> None:
        """Press Tab until this element has the focus, then Enter."""
        for _ in range(limit):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                self.page.keyboard.press("Enter")
                return
        raise AssertionError(f"no keyboard reaches {selector}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_by_keyboard_alone_on_a_narrow_screen_from_signing_in_to_the_answer(
    chromium: Any, site: Site, scheme: str
) -> None:
    site.home.access.set_password("ada", hashed(PASSWORD))
    with serving(site) as url:
        watched = Watched(chromium, url, viewport={"width": 360, "height": 740}, color_scheme=scheme)
        page = watched.page
        page.goto(url)
        watched.fits()
        page.focus("#name")
        page.keyboard.type("ada")
        page.keyboard.press("Tab")
        page.keyboard.type(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{url}/")
        watched.fits()
        watched.press_until("a.button")
        page.wait_for_url("**/ask")
        watched.fits()
        watched.press_until("button.main")
        page.wait_for_url("**/questions/*")
        watched.fits()
        waited = page.url
        # The clock of the ledger went on while the browser worked: what it took is waited for, too.
        for _ in range(4):
            site.sleep(DEADLINE)
        page.wait_for_selector(".headline", timeout=60_000)  # the countdown ends, and asks again
        assert page.url == waited
        watched.fits()
        assert page.locator(".headline .number").inner_text()
        page.go_back()
        page.goto(f"{url}/answers")
        watched.fits()
        assert watched.problems == []
    assert site.charges() == 1


def test_the_price_follows_what_is_typed_and_is_that_without_javascript(chromium: Any, study_site: Site) -> None:
    study_site.home.access.set_password("ada", hashed(PASSWORD))
    with serving(study_site) as url:
        watched = Watched(chromium, url)
        page = watched.page
        page.goto(f"{url}/sign-in?next=/datasets/data/ask%3Fkind=num_sig")
        page.fill("#name", "ada")
        page.fill("#password", PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_selector("#field-epsilon")
        page.fill("#field-epsilon", "0.25")
        page.wait_for_selector("#price .cost:has-text('epsilon 0.25 ')")
        live = page.inner_text("#price .cost")
        margin = page.input_value("#field-margin")
        page.fill("#field-margin", "20")
        page.wait_for_selector("#price .margin:has-text('Off by at most 20 patients')")
        assert (margin == "", page.is_checked("#by-margin")) == (False, True)
        assert page.input_value("#field-epsilon") in page.inner_text("#price .cost")
        page.fill("#field-epsilon", "0.25")
        page.wait_for_selector("#price .cost:has-text('epsilon 0.25 ')")
        page.click("text=Show the price")
        page.wait_for_url("**epsilon=0.25**")
        assert page.inner_text("#price .cost") == live == "Costs epsilon 0.25 of your 3; leaves 2.75."
        # What was typed before the script was there, and by its field decides.
        held = hold(page, "**/static/preview.*")
        page.goto(f"{url}/datasets/data/ask?kind=num_sig", wait_until="commit")
        page.fill("#field-epsilon", "0.5")
        held[0].continue_()
        page.wait_for_selector("#price .cost:has-text('epsilon 0.5 ')")
        assert page.is_checked("#by-cost")
        # A lost connection and a busy server: it is said, and asked again until there is a price.
        page.route("**/ask?*", lambda route: route.fulfill(status=429, headers={"Retry-After": "1"}), times=1)
        page.route("**/ask?*", lambda route: route.abort(), times=1)
        page.fill("#field-epsilon", "0.75")
        page.wait_for_selector("#late:visible")
        page.wait_for_selector("#price:not([inert]) .cost:has-text('epsilon 0.75 ')")
        assert page.is_hidden("#late")
        assert len([each for each in watched.problems if "429" in each or "ERR_FAILED" in each]) == 2
        watched.problems = [each for each in watched.problems if "429" not in each and "ERR_FAILED" not in each]
        assert watched.problems == []
    assert study_site.charges() == 0
