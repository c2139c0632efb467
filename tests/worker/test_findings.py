"""Records are looked at once for each state of their files, and what was found is kept where the worker alone looks."""

from pathlib import Path

import pytest

from starling.errors import IntegrityError, ParameterError, PolicyRefused
from starling.release.domain import Delivery, Validated
from starling.release.records import accepted_files
from starling.server.home import Home
from starling.worker.findings import Inspections
from starling.worker.sources import Registered, Sources


def add(groups: Registered, line: str) -> None:
    """Add a record."""
    with groups.files["records"].open("a") as file:
        file.write(line)


@pytest.fixture
def delivery(registered: Home, groups: Registered) -> Delivery:
    """With a group in a region that the plan does not have."""
    add(groups, "nowhere,1\n")
    return Sources(registered).open("data")


def test_what_is_wrong_is_found_and_kept(registered: Home, delivery: Delivery) -> None:
    inspections = Inspections(registered)
    with pytest.raises(ParameterError, match="are not there yet"):
        inspections.find("data", delivery)
    found = inspections.inspect("data", delivery)
    assert found.total == 1
    assert any("records.csv:11: region" in problem for problem in found.problems)
    assert any("size is beyond 4" in note for note in found.notes)
    assert Inspections(registered).find("data", delivery) == found
    assert found.files == accepted_files(registered.key, delivery.source.files())
    (kept,) = (registered.folder / "worker" / "findings").iterdir()
    assert kept.stat().st_mode & 0o077 == 0


def test_files_are_read_once_until_they_are_changed(registered: Home, delivery: Delivery, groups: Registered) -> None:
    read = []

    def validate(most: int) -> Validated:
        read.append(most)
        return delivery.validate(most)

    counted = Delivery(delivery.publication, delivery.source, validate)
    inspections = Inspections(registered)
    first = inspections.inspect("data", counted)
    assert inspections.inspect("data", counted) == first
    assert len(read) == 1
    add(groups, "elsewhere,1\n")
    with pytest.raises(PolicyRefused, match="files that were changed since"):
        inspections.find("data", delivery)
    again = inspections.inspect("data", Sources(registered).open("data"))
    assert again.total == 2
    assert again.files != first.files


@pytest.mark.series(1)
@pytest.mark.parametrize("text", ["", "[]", '{"files": "x"}'])
def test_findings_that_were_changed_are_refused(registered: Home, delivery: Delivery, text: str) -> None:
    inspections = Inspections(registered)
    inspections.inspect("data", delivery)
    Path(registered.folder, "worker", "findings", "data.json").write_text(text)
    with pytest.raises(IntegrityError, match="not written as Starling does"):
        inspections.find("data", delivery)
