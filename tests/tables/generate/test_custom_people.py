import numpy as np
import pytest

from starling.tables.generate.custom_fields import FieldGroup, Numbers, Texts, Times
from starling.tables.generate.custom_people import CustomMix, CustomPeople, One, Several, mean_records
from starling.tables.plan.custom_records import EVERYWHERE, CustomAreas

AREAS = CustomAreas("ward", tuple("abcdef"), (("w", "w", "w", "e", "e", ""), tuple("abcdef")))
FIELDS = (
    FieldGroup(("ward",), (Texts(tuple("abcdef")),)),
    FieldGroup(("code",), (Texts(("p", "q", "r")),)),
    FieldGroup(("codes",), (Texts(("p", "q", "r"), ";", 2),)),
    FieldGroup(("age",), (Numbers(-2, 9, 0),)),
    FieldGroup(("when",), (Times(10, 70, 20),)),
    FieldGroup(("ill 1", "ill 2", "ill 3"), (Texts(("p", "q", "r")),) * 3, 1, 2),
)


def drawn(most: int = 1, persons: int = 5000, seed: int = 1, areas: CustomAreas = AREAS) -> CustomPeople:
    mix = CustomMix(np.random.default_rng(seed), FIELDS, areas, most)
    return mix.draw(np.random.default_rng(seed + 1), persons)


def one(people: CustomPeople, name: str) -> One:
    result = people.fields[name]
    assert isinstance(result, One)
    return result


@pytest.mark.parametrize("seed", range(5))
def test_every_value_is_drawn_and_no_other(seed: int) -> None:
    people = drawn(seed=seed)
    wanted = {"ward": range(6), "code": range(3), "age": range(-2, 10), "when": (10, 30, 50)}
    for name, values in wanted.items():
        assert one(people, name).filled.all()
        assert set(one(people, name).numbers.tolist()) == set(values)


def test_several_codes_are_different_ascending_and_no_more_than_are_read() -> None:
    several = drawn().fields["codes"]
    assert isinstance(several, Several)
    assert set(several.lengths.tolist()) == {0, 1, 2}
    first = np.cumsum(several.lengths) - several.lengths
    pairs = several.numbers[first[several.lengths == 2][:, np.newaxis] + [0, 1]]
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert set(several.numbers.tolist()) == {0, 1, 2}


def test_of_several_fields_the_needed_ones_are_filled_and_no_value_is_said_twice() -> None:
    people = drawn()
    first, second, third = (one(people, f"ill {number}") for number in (1, 2, 3))
    assert first.filled.all()
    assert 0 < second.filled.sum() < len(second.filled)
    assert not third.filled.any()
    assert (first.numbers != second.numbers)[second.filled].all()


def test_people_have_up_to_the_most_records_in_their_order() -> None:
    people = drawn(most=4)
    many = np.bincount(people.person)
    assert (many.min(), many.max()) == (1, 4)
    assert (np.diff(people.person) >= 0).all()
    assert many.mean() == pytest.approx(mean_records(4), rel=0.05)
    ward = one(people, "ward").numbers
    assert (ward == ward[np.searchsorted(people.person, people.person)]).all()


def test_without_areas_everybody_lives_in_one() -> None:
    mix = CustomMix(np.random.default_rng(1), FIELDS[1:], EVERYWHERE, 1)
    assert "ward" not in mix.draw(np.random.default_rng(2), 10).fields


def test_an_area_field_of_fewer_areas_gives_those_alone() -> None:
    fewer = (FieldGroup(("ward",), (Texts(("b", "f")),)),)
    people = CustomMix(np.random.default_rng(1), fewer, AREAS, 1).draw(np.random.default_rng(2), 100)
    assert set(one(people, "ward").numbers.tolist()) == {0, 1}


def test_a_wide_domain_is_reached_from_end_to_end() -> None:
    wide = (FieldGroup(("far",), (Numbers(-(10**9), 10**9, 0),)),)
    numbers = one(CustomMix(np.random.default_rng(1), wide, EVERYWHERE, 1).draw(np.random.default_rng(2), 10**5), "far")
    assert -(10**9) <= numbers.numbers.min() < -(10**9) + 10**6
    assert 10**9 - 10**6 < numbers.numbers.max() <= 10**9
