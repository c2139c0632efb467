"""The report of a release of each domain in a browser: read by everybody, at any width, light or dark, folded or open."""

from pathlib import Path
from typing import Any

import pytest

from tests import four_domains
from tests.browser import LOOKS, check_reading, open_tab, set_look

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = four_domains.write(tmp_path_factory.mktemp("reports") / "world")
    for domain in four_domains.RELEASES:
        four_domains.release(folder, domain)
    return folder


@pytest.mark.parametrize("domain", four_domains.RELEASES)
def test_everybody_can_read_a_report(chromium: Any, folder: Path, domain: str) -> None:
    address = (folder / domain / "out" / "report.html").as_uri()
    tab = open_tab(chromium, address, ready=False, bypass_csp=True)
    for opens in (False, True):
        tab.page.evaluate(
            "opens => document.querySelectorAll('details').forEach(each => { each.open ||= opens })", opens
        )
        for look in LOOKS:
            set_look(tab.page, *look)
            check_reading(tab)
    assert tab.requests == [address], "nothing is fetched"
    tab.page.close()
