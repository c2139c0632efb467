"""What plans of points and of trips say alike of their records."""

from pathlib import Path

from starling.places.plan.records import RELATIONS
from tests.places.flows import worlds
from tests.places.plans import PERSON, plan


def test_a_plan_says_what_it_protects_by_the_word_for_its_records(tmp_path: Path) -> None:
    trips = worlds.plan(tmp_path, **worlds.PERSON)
    assert (plan().protected, plan(PERSON).protected) == (
        "one point",
        "one person, of whom at most 2 points are counted",
    )
    assert trips.protected == "one person, of whom at most 2 trips are counted"
    kept = "of one person at most 2 trips are counted, those of smallest keyed hash among the person's own"
    assert trips.bound_of_person == kept
    assert (plan().most, plan(PERSON).most, trips.most) == (1, 2, 2)
    assert (plan().relation, trips.relation) == (RELATIONS["point"], RELATIONS["person"])
