"""Every kind of page in a real browser: read by everybody, in both themes and at each width; by the keyboard alone; without scripts, too.

Of all pages to which links lead, those are looked at that have together every element with its classes that any of them has.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pytest

from tests.browser import ENDS, LOOKS, set_look, violations
from tests.client.conftest import Site
from tests.conftest import ROOT
from tests.server.pages.crawling import Page
from tests.server.pages.everything import Crawled, crawled, end_crawled
from tests.server.pages.serving import serving

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head"),
]

ROLES: Final = ("ada", "carl", "otto", "anonymous")
FILES: Final = re.compile("/(download|static|bundle|report)(/|$)")
"""No page of these is looked at: no script may run in a report, so that nothing could look at it; it is looked at as a file."""
MOST_CONTROLS: Final = 400
FOCUSED: Final = """() => {
  const at = document.activeElement;
  const style = getComputedStyle(at);
  const seen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  const box = at.getBoundingClientRect();
  const place = [...document.querySelectorAll("*")].indexOf(at);
  return { place, seen: seen && box.width + box.height > 0, html: at.outerHTML.slice(0, 90) };
}"""
CONTROLS: Final = """() => {
  const every = [...document.querySelectorAll("*")];
  const named = "a[href], button, input, select, textarea, summary, [tabindex='0']";
  const shown = [...document.querySelectorAll(named)].filter(each => each.checkVisibility() && !each.disabled && each.type !== "hidden");
  // Of a group of radio buttons the keyboard reaches one.
  const radios = each => each.type === "radio" && !each.checked;
  return shown.filter(each => !radios(each)).map(each => [every.indexOf(each), each.outerHTML.slice(0, 90)]);
}"""
OPEN: Final = "document.querySelectorAll('details').forEach(each => { each.open = true; })"


class Watched:
    """A tab whose complaints, requests and dialogs are noted. Pages are opened in it by turns: a tab of its own costs more than its page.

    Attributes:
        page: The page, as Playwright drives it.
        problems: What the browser complained of since the last page was opened, and what it asked for elsewhere.
    """

    def __init__(self, context: Any, url: str) -> None:
        self.problems: list[str] = []
        self._url = url
        self.page = context.new_page()
        # A page that counts down would ask for itself again, while it is looked at.
        self.page.clock.set_fixed_time("2026-01-01")
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("dialog", lambda dialog: self.problems.append(f"a dialog: {dialog.message}"))
        self.page.on("request", lambda request: self._check(request.url))

    def open(self, path: str) -> "Watched":
        """Open a page."""
        self.problems = []
        self.page.goto(self._url + path)
        return self

    def _check(self, address: str) -> None:
        if not address.startswith((f"{self._url}/", "data:", "blob:")):
            self.problems.append(f"asks {address}")


@dataclass
class Looking:
    """A browser at a server.

    Attributes:
        pages: The pages to look at, with their role.
        url: Where the server is.
        tabs: Of each role a tab in which it is signed in, with scripts and without.
        site: The server.
    """

    pages: list[tuple[str, Page]]
    url: str
    tabs: dict[tuple[str, bool], Watched]
    site: Site

    def open(self, role: str, path: str, *, scripts: bool = True) -> Watched:
        """A page of a role."""
        return self.tabs[role, scripts].open(path)


def covering(pages: list[tuple[str, Page]]) -> list[tuple[str, Page]]:
    """Few pages that have together each element with its classes, its role and its kind that any page has, within each other element."""
    left, chosen = list(pages), []
    missing = set().union(*(page.parsed.kinds for _, page in pages))
    while missing:
        best = max(left, key=lambda each: len(each[1].parsed.kinds & missing))
        missing -= best[1].parsed.kinds
        chosen.append(best)
        left.remove(best)
    return chosen


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """What `test_routes_every_page.py` has looked at. Before a browser runs, whose loop would be in the way of the test client's."""
    yield crawled(tmp_path_factory.mktemp("everything"))
    end_crawled()


@pytest.fixture(scope="module")
def looking(shared: Crawled, chromium: Any) -> Iterator[Looking]:
    pages = [
        (role, page)
        for role in ROLES
        for page in shared.crawls[role].pages.values()
        if FILES.search(page.path.partition("?")[0]) is None
    ]
    with serving(shared.site) as url:
        tabs = {}
        for scripts in (True, False):
            for role in ROLES:
                browser = shared.browsers[role]
                context = chromium.new_context(java_script_enabled=scripts)
                if browser._cookie:
                    name, _, value = browser._cookie.partition("=")
                    context.add_cookies([{"name": name, "value": value, "url": url}])
                tabs[role, scripts] = Watched(context, url)
        yield Looking(covering(pages), url, tabs, shared.site)
        for tab in tabs.values():
            tab.page.context.close()


def test_everybody_can_read_every_page_and_nothing_leaves_the_machine(looking: Looking) -> None:
    problems: list[tuple[object, ...]] = []
    for role, page in looking.pages:
        watched = looking.open(role, page.path)
        watched.page.evaluate(OPEN)
        for width, scheme in LOOKS:
            set_look(watched.page, width, scheme)
            for each in violations(watched.page) if (width, scheme) in ENDS else ():
                where = [node["target"] for node in each["nodes"]][:3]
                problems.append((role, page.path, width, scheme, each["id"], where))
            over = watched.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            problems += [(role, page.path, width, scheme, f"{over} wider than the screen")] if over > 0 else []
        problems += [(role, page.path, each) for each in watched.problems]
    assert problems == []


def test_axe_is_asked_on_either_side_of_each_width_at_which_pages_change() -> None:
    text = (ROOT / "src" / "starling" / "pages" / "static" / "starling.css").read_text()
    changes = [16 * int(rem) for rem in re.findall(r"^@media .*\((?:max|min)-width: (\d+)rem\)", text, re.MULTILINE)]
    assert len(changes) >= 4
    assert all(min(ENDS)[0] < width < max(ENDS)[0] for width in changes)
    assert {scheme for _, scheme in ENDS} == {"light", "dark"}


def test_the_keyboard_reaches_every_control_and_shows_where_it_is(looking: Looking) -> None:
    problems = []
    for role, page in looking.pages:
        watched = looking.open(role, page.path)
        watched.page.evaluate(OPEN)
        # A script may show an answer meanwhile, which moves what stands below.
        watched.page.wait_for_load_state("networkidle")
        controls = dict(watched.page.evaluate(CONTROLS))
        assert len(controls) < MOST_CONTROLS, page.path
        reached = {}
        for _ in range(len(controls) + 5):
            watched.page.keyboard.press("Tab")
            at = watched.page.evaluate(FOCUSED)
            if at["place"] in reached:
                break
            reached[at["place"]] = at
        problems += [(page.path, "not reached", text) for place, text in controls.items() if place not in reached]
        problems += [
            (page.path, "not shown", reached[place]["html"])
            for place in controls
            if place in reached and not reached[place]["seen"]
        ]
    assert problems == []


def test_without_scripts_every_form_that_looks_leads_to_a_page(looking: Looking) -> None:
    problems = []
    for role, page in looking.pages:
        for number, form in enumerate(page.parsed.forms):
            if form.method != "get":
                continue
            watched = looking.open(role, page.path, scripts=False)
            # As a user would who fills in nothing else: where something must be, the browser itself says so and stays.
            shown = watched.page.locator("form").nth(number)
            if shown.evaluate("form => form.checkValidity()"):
                with watched.page.expect_response(lambda response: response.request.is_navigation_request()):
                    shown.locator("button").first.click()
            problems += [(page.path, number, each) for each in watched.problems]
    assert problems == []


def test_without_scripts_a_question_is_paid_by_its_button(looking: Looking) -> None:
    watched = looking.open("ada", "/datasets/fresh/ask", scripts=False)
    before = looking.site.charges()
    watched.page.click("button.main")
    watched.page.wait_for_url("**/questions/*")
    watched.page.reload()
    watched.page.go_back()
    watched.page.go_forward()
    assert watched.page.url.startswith(f"{looking.url}/questions/")
    assert looking.site.charges() == before + 1
    assert watched.problems == []


def test_every_role_is_looked_at(looking: Looking) -> None:
    assert {role for role, _ in looking.pages} <= {*ROLES}
    assert len(looking.pages) >= 8
