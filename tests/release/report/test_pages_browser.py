"""The report of a release of each domain in a browser: read by everybody, at any width, light or dark, folded or open."""

from pathlib import Path
from typing import Any

import pytest

from tests import four_domains
from tests.browser import LOOKS, check_reading, open_tab

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = four_domains.write(tmp_path_factory.mktemp("reports") / "world")
    for domain in four_domains.RELEASES:
        four_domains.release(folder, domain)
    return folder


@pytest.mark.parametrize("domain", four_domains.RELEASES)
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_everybody_can_read_a_report(chromium: Any, folder: Path, domain: str, width: int, scheme: str) -> None:
    address = (folder / domain / "out" / "report.html").as_uri()
    tab = open_tab(chromium, address, width=width, ready=False, color_scheme=scheme, bypass_csp=True)
    check_reading(tab)
    tab.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    check_reading(tab)
    assert tab.requests == [address], "nothing is fetched"
    tab.page.close()
