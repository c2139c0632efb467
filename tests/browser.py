"""What tests of pages in a browser share: axe, complaints of the browser, widths and schemes."""

import os
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

import pytest

WIDTHS: Final = (360, 768, 1440)
SCHEMES: Final = ("light", "dark")
WHOLE: Final = "STARLING_TEST_EVERY_LOOK"
"""Where it is set, pages are looked at in both schemes at each width."""
LOOKS: Final = (
    tuple(product(WIDTHS, SCHEMES)) if os.environ.get(WHOLE) else ((360, "light"), (768, "light"), (1440, "dark"))
)
"""Each width and each scheme: what fits on a screen does not depend on colours."""
ENDS: Final = LOOKS if os.environ.get(WHOLE) else (LOOKS[0], LOOKS[-1])
"""Both schemes, and either side of each width at which the stylesheet changes: at these axe is asked of pages of which there are many."""
FINDINGS: Final = """async () => {
  const result = await axe.run({ resultTypes: ["violations"] });
  return result.violations.map(each => ({ id: each.id, nodes: each.nodes.map(node => ({ target: node.target, html: node.html })) }));
}"""
"""Asks axe for all that it finds."""


@dataclass
class Tab:
    """A page of a browser.

    Attributes:
        page: As Playwright drives it.
        complaints: What the browser complains of: errors of scripts, and what the policy of the page refuses.
        requests: Every address that it asked for.
    """

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def text(self, selector: str) -> str:
        """The text of one element."""
        return str(self.page.locator(selector).inner_text())


def open_tab(chromium: Any, address: str, *, width: int | None = 1100, ready: bool = True, **options: Any) -> Tab:
    """A page when it is ready, of a browser, or with no width of a context that has its own."""
    sized = {} if width is None else {"viewport": {"width": width, "height": 800}}
    tab = Tab(chromium.new_page(**sized, **options))
    tab.page.on("console", lambda message: tab.complaints.append(message.text))
    tab.page.on("pageerror", lambda error: tab.complaints.append(str(error)))
    tab.page.on("request", lambda request: tab.requests.append(request.url))
    show(tab, address, ready=ready)
    return tab


def show(tab: Tab, address: str, look: tuple[int, str] | None = None, *, ready: bool = True) -> None:
    """Open another page in a tab, which costs less than a tab of its own, at a width and in a scheme; what is noted begins anew."""
    if look is not None:
        set_look(tab.page, *look)
    tab.complaints.clear()
    tab.requests.clear()
    tab.page.goto(address)
    if ready:
        tab.page.locator("html[data-ready=yes]").wait_for(state="attached")


def set_look(page: Any, width: int, scheme: str) -> None:
    """Give a page a width and a scheme."""
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)


def hold(page: Any, address: str) -> list[Any]:
    """The first request for an address, once it comes: it waits until `continue_()`."""
    held: list[Any] = []

    def keep(route: Any) -> None:
        held.append(route)

    page.route(address, keep, times=1)
    return held


def violations(page: Any) -> list[Any]:
    """What axe finds in a page at the width and in the scheme that it has now."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="the extra `test` installs it").Axe()
    # Sent once per page, and as no script of it, which its policy would refuse.
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe.axe_script)
    findings: list[Any] = page.evaluate(FINDINGS)
    return findings


def check_reading(tab: Tab) -> None:
    """The page has no finding of axe, and nothing of it is cut off at its width."""
    assert violations(tab.page) == []
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
