"""Sites of the tests of pages: one dataset whose plan says all, and a study that is asked questions."""

import pytest

from starling.server import passwords
from starling.server.rates import Rates
from tests.client.conftest import Site, both, served_source, site, study_site
from tests.server.conftest import CHEAP
from tests.server.pages.browsing import Browser

__all__ = ["both", "served_source", "site", "study_site"]

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords that hash fast, and no limit of how often something is asked."""
    monkeypatch.setattr(passwords, "_HASHER", CHEAP)
    monkeypatch.setattr(Rates, "take", lambda *_: None)


def browser_of(site: Site, name: str = "ada") -> Browser:
    """A browser in which a user of a site is signed in."""
    site.home.access.set_password(name, passwords.hashed(PASSWORD))
    browser = Browser(site.carrier._app)
    browser.open("/")
    browser.sign_in(name, PASSWORD)
    return browser
