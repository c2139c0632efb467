"""Every field of every file is checked, or named in docs/reference/verify.md as not checked.

`python -m bench.verify_fields` changes them all. Here a part of them is changed in each domain: one of each file at least,
and those that went unseen before.
"""

from itertools import groupby
from pathlib import Path

import pytest

from starling.verification import Outcome, verify
from tests.release.changing import Change, changes
from tests.release.fields import DOMAINS, NOT_CHECKED, Holder, is_named, make

EACH = 2
"""Changes of a file."""
UNSEEN = {
    "places": ["measurements/counts.parquet: steered changed", "measurements/slices.json: .slices[].scales"],
    "groups": ["data/regions.parquet: parent changed"],
    "genome": ["privacy.json: .account left out", "datapackage.json: .title left out"],
    "tables": ["datapackage.json: .resources[].path left out"],
}
"""What was not noticed, or ended in a fault, before this test."""


def chosen(domain: str, release: Path) -> list[Change]:
    """Some of each file, evenly, and what was unseen."""
    found = []
    for _, group in groupby(changes(release), lambda change: change.file):
        every = list(group)
        found += every[:: max(1, len(every) // EACH)][:EACH]
        found += [each for each in every if str(each).startswith(tuple(UNSEEN[domain]))]
    return [each for each in found if not is_named(each) or str(each).startswith(tuple(UNSEEN[domain]))]


@pytest.mark.slow
@pytest.mark.parametrize("domain", DOMAINS)
def test_whoever_holds_the_key_can_change_no_field_unseen(
    domain: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "keys"))
    release = make(domain, tmp_path / domain)
    holder = Holder(release, tmp_path / "copy")
    assert verify(holder.folder).outcome is Outcome.CONSISTENT
    picked = chosen(domain, release)
    assert len({each.file for each in picked}) >= 6
    assert all(any(str(each).startswith(one) for each in picked) for one in UNSEEN[domain])
    assert [str(each) for each in picked if not holder.is_noticed(each)] == []


def test_what_is_not_checked_is_named_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "verify.md").read_text()
    for words in NOT_CHECKED.values():
        assert words in " ".join(page.split())
