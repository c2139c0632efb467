"""The page of a genome release in a browser: for everybody, by the keyboard, under the policy, and without scripts."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

import starling
from starling.cli.opening.serving import Serving
from starling.cli.opening.site import Site
from starling.screens.release import Screens
from tests.browser import SCHEMES, Tab, check_reading, open_tab, show
from tests.genome.hostile import write_hostile

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """What serves an exploration with hostile names; its address works once."""
    folder = write_hostile(tmp_path_factory.mktemp("hostile"))["explore"]
    with starling.open_release(folder) as release:
        serving = Serving(Site(Screens(release), "release").answer)
        thread = threading.Thread(target=serving.run, args=(600,))
        thread.start()
        yield serving
        serving.stop()
        thread.join()


def test_everybody_reads_the_plot_and_moves_it(served: Serving, chromium: Any) -> None:
    context = chromium.new_context()
    begin = context.new_page()
    begin.goto(served.address)
    begin.wait_for_url("http://127.0.0.1:*/")
    address, cookies = f"{begin.url}genome", context.cookies()
    tab: Tab = open_tab(context, "about:blank", width=None, ready=False)
    for width in (360, 1440):
        for scheme in SCHEMES:
            show(tab, address, (width, scheme))
            check_reading(tab)
            assert tab.complaints == []
            canvas = tab.page.locator("#plot")
            whole = canvas.screenshot()
            canvas.press("+")
            tab.page.wait_for_timeout(100)
            near = canvas.screenshot()
            tab.page.click("#whole")
            tab.page.wait_for_timeout(100)
            assert near != whole
    plain = chromium.new_context(java_script_enabled=False)
    plain.add_cookies(cookies)
    page = plain.new_page()
    page.goto(address)
    assert (page.locator("#plot").is_visible(), page.locator("figure svg").first.is_visible()) == (False, True)
    page.fill("input[name=name]", "rs")
    with page.expect_navigation():
        page.click(".pickers button")
    assert page.locator("tbody th").all_inner_texts() == ["rs1", "rs2"]
    for each in (context, plain):
        each.close()
