"""Releases of which the plan says everything: each kind has a request of its own, and reads what its mechanism writes."""

import pytest

from starling.groups.publication import GroupsPublication
from starling.places.areas.publication import AreasPublication
from starling.places.flows.publication import FlowsPublication
from starling.places.publication import PlacesPublication
from starling.places.trips.publication import TripsPublication
from starling.release.of_plan import PlanPublication

KINDS = (GroupsPublication, PlacesPublication, AreasPublication, FlowsPublication, TripsPublication)
OWN = ("measuring", "contents")
"""What every kind says for itself."""
REST = {"request", "particulars", "product", "charged", "tables", "sheets", "mechanism", "read", "write_plan"}
"""What no kind writes again."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_says_what_is_its_own_and_nothing_else(kind: type[PlanPublication[object, object]]) -> None:
    assert not getattr(kind, "__abstractmethods__", ())
    assert set(OWN) <= set(vars(kind))
    assert not REST & set(vars(kind))


def test_no_two_kinds_answer_by_the_same_request() -> None:
    assert len({each.kind.name for each in KINDS}) == len(KINDS)
