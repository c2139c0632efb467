"""Every key of a plan of groups, places or genome does something: a change shows in what is published, in `validate`, or in a refusal.

The keys are those of the grammars, so that a new one without an example fails there (test_grammar.py).
"""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from starling import genome, groups, places
from starling.errors import StarlingError
from starling.genome.publication import GenomePublication
from starling.groups.publication import GroupsPublication
from starling.places.flows.publication import FlowsPublication
from starling.places.publication import PlacesPublication
from starling.places.trips.publication import TripsPublication
from tests.genome.worlds import QUESTIONS
from tests.planfile.examples import CHANGES, changed


def effects(domain: str, folder: Path, *changes: dict[str, Any]) -> Iterator[object]:
    """What is published of a plan, the digest of its request, and what `validate` says of the records; or the refusal."""
    file = folder / domain / "plan.toml"
    file.write_text(changed(domain, *changes))
    publication: Any
    try:
        match domain:
            case "groups":
                publication = GroupsPublication(groups.Plan.load(file))
            case "places":
                publication = PlacesPublication(places.Plan.load(file))
            case "flows":
                publication = FlowsPublication(places.FlowsPlan.load(file))
            case "trips":
                publication = TripsPublication(places.TripsPlan.load(file))
            case _:
                publication = GenomePublication(genome.Plan.load(file), QUESTIONS["num_sig"])
        yield publication.request, publication.title
        yield publication.particulars, publication.product, repr(publication.charged)
        records = "study" if domain == "genome" else "records.csv"
        if domain == "groups" and publication.plan.kind == "groups":
            records = "sizes.csv"
        yield publication.plan.validate(file.parent / records)
    except StarlingError as refused:
        yield str(refused)


@pytest.mark.series(12)
@pytest.mark.parametrize(("domain", "key"), [(domain, key) for domain in CHANGES for key in CHANGES[domain]])
def test_a_key_that_is_changed_shows(domain: str, key: str, folder: Path) -> None:
    before, change = CHANGES[domain][key]
    unchanged = list(effects(domain, folder, before))
    assert len(unchanged) == 3, unchanged
    assert any(one != other for one, other in zip_longest(effects(domain, folder, before, change), unchanged))
