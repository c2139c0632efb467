"""What a page shows of a release is of the release, and holds no style that the policy forbids."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import starling
from starling.public.showing import shown
from starling.screens.release import pages_of
from tests.client.conftest import Site, site

__all__ = ["site"]

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


@pytest.mark.slow
def test_a_release_is_shown_by_its_own_values(site: Site, tmp_path: Path) -> None:
    with site.client() as client:
        release = client.release("data", tmp_path / "data.zip")
    page: dict[str, Any] = shown(release)
    headline = release.headline()
    assert headline is not None
    assert page["headline"] == {name: getattr(headline, name) for name in ("label", "number", "interval", "note")}
    assert page["facts"] == [list(pair) for pair in release._facts() if pair[0] != "opened"]
    assert str(tmp_path) not in json.dumps(page), "no path of a server"
    assert [table["words"] for table in page["tables"]] == [pages_of(release).summary().words]
    assert len(page["pictures"]) == 1
    assert not re.search(r"\sstyle=|<style|<script", page["pictures"][0]["svg"])
    assert starling.open_release(tmp_path / "data.zip").signer == release.signer
