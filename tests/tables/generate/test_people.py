import numpy as np
import pytest

from starling.tables.generate.land import Land, invent_land
from starling.tables.generate.people import CODES_OF_PERSON, Mix, People, pick
from starling.tables.plan import Definitions, Iteration
from starling.tables.plan.geography import NO_AIANNH
from starling.tables.plan.iterations import Kind
from tests.tables.small import small_plan


@pytest.fixture(scope="module")
def land() -> Land:
    return invent_land(np.random.default_rng(1), ["10", "44"], 300_000)


def group(code: str, codes: list[str], kind: Kind = "race") -> Iteration:
    """A regional iteration."""
    return Iteration(code, f"group {code}", kind, 1, False, total_only=False, coarse_only=False, codes=tuple(codes))


def definitions(families: int = 6, codes: int = 8, ethnicities: int = 3) -> Definitions:
    """Regional race iterations of `codes` codes each, and ethnicity codes 2001 and on."""
    regional = [
        group(f"{family:04d}", [f"{family}{code:03d}" for code in range(codes)]) for family in range(3, 3 + families)
    ]
    names = [f"2{code:03d}" for code in range(ethnicities)]
    held = [group("0100", names, "ethnicity")] if ethnicities else []
    everything = {code for each in (*regional, *held) for code in each.codes} | {"1000"}
    return Definitions((*regional, *held), tuple((code, code) for code in sorted(everything)))


def people(land: Land, book: Definitions, size: int = 100_000, most_codes: int = 8) -> tuple[Mix, People]:
    mix = Mix(np.random.default_rng(2), book, land, most_codes)
    rng = np.random.default_rng(3)
    return mix, mix.people(rng, np.sort(rng.choice(len(land.state), size, p=land.persons / land.persons.sum())))


def test_pick_is_by_weight() -> None:
    drawn = pick(np.array([0.5, 0.5, 1.0]), np.array([0.0, 0.49, 0.5, 0.99]))
    assert drawn.tolist() == [0, 0, 2, 2]


def test_numbers_of_codes_are_those_planned_and_codes_differ(land: Land) -> None:
    _, output = people(land, definitions())
    count = (output.races >= 0).sum(axis=1)
    shares = np.bincount(count, minlength=9)[1:] / len(count)
    # Of 100,000 persons a share errs by at most 0.0013 standard deviations; five of them.
    assert np.abs(shares - CODES_OF_PERSON).max() < 0.0065
    # After the first Null all are, and no code is there twice.
    assert (np.diff((output.races >= 0).astype(int), axis=1) <= 0).all()
    for row in output.races[count > 1]:
        held = row[row >= 0].tolist()
        assert len(set(held)) == len(held)


@pytest.mark.parametrize("most", [1, 2, 5])
def test_nobody_has_more_codes_than_the_plan_reads(land: Land, most: int) -> None:
    _, output = people(land, definitions(), most_codes=most)
    count = (output.races >= 0).sum(axis=1)
    shares = np.bincount(count, minlength=most + 1)[1:] / len(count)
    # Who would have more has as many as that; the bound is five standard deviations.
    expected = [*CODES_OF_PERSON[: most - 1], sum(CODES_OF_PERSON[most - 1 :])]
    assert np.abs(shares - expected).max() < 0.0065


def test_codes_are_skewed_and_cluster(land: Land) -> None:
    mix, output = people(land, definitions())
    first = output.races[:, 0]
    overall = np.bincount(first, minlength=len(mix.races.codes)) / len(first)
    assert overall.max() > 10 * np.median(overall)
    county = land.county_of_tract[land.tract_index[output.block]]
    largest = np.bincount(county).argmax()
    there = np.bincount(first[county == largest], minlength=len(overall)) / (county == largest).sum()
    assert (there > 2 * overall)[overall > 0.003].any()


def test_an_aiannh_area_is_home_to_few_peoples(land: Land) -> None:
    _, output = people(land, definitions())
    inside = land.area[output.block] != NO_AIANNH
    area = land.area[output.block][inside]
    common = [np.bincount(output.races[inside, 0][area == one]) for one in np.unique(area)]
    assert all(np.sort(count)[-4:].sum() > 0.55 * count.sum() for count in common if count.sum() > 500)


def test_ethnicity_is_held_by_few(land: Land) -> None:
    mix, output = people(land, definitions())
    held = output.ethnicity >= mix.ethnicities.plain
    assert 0.05 < held.mean() < 0.35
    assert mix.ethnicities.codes[0] == "1000"
    assert (output.ethnicity[~held] == 0).mean() > 0.7


@pytest.mark.parametrize("book", [definitions(1, 1, 0), definitions(1, 3, 1), small_plan().definitions])
def test_small_code_books_will_do(land: Land, book: Definitions) -> None:
    mix, output = people(land, book, 2_000)
    assert output.races.max() < len(mix.races.codes)
    assert (output.races >= 0).sum(axis=1).max() <= len(mix.races.codes)
    assert 0 <= output.ethnicity.min() <= output.ethnicity.max() < len(mix.ethnicities.codes)


def test_a_code_book_of_ethnicities_alone_will_do(land: Land) -> None:
    book = Definitions((group("0100", ["2000"], "ethnicity"),), (("2000", "a"),))
    mix, output = people(land, book, 2_000)
    assert mix.ethnicities.plain == 0
    assert (output.ethnicity == 0).all()


def test_ages_form_a_pyramid(land: Land) -> None:
    _, output = people(land, definitions())
    of_age = np.bincount(output.age, minlength=116)
    assert of_age[:60].min() > 3 * of_age[85:].max()
    women = output.sex == 1
    assert 0.48 < women.mean() < 0.53
    assert women[output.age >= 80].mean() > 0.6
    assert not output.householder[output.age < 18].any()


def test_cenrace_is_the_census_numbering(land: Land) -> None:
    """1 to 6 are one race alone, 7 is White and Black, 63 all six."""
    mix = Mix(np.random.default_rng(2), definitions(), land, 8)
    codes = {code[0]: at for at, code in enumerate(mix.races.codes)}

    def number(*digits: str) -> int:
        row = [codes[digit] for digit in digits] + [-1] * (8 - len(digits))
        return int(mix.races.cenrace(np.array([row], dtype=np.int16))[0])

    # Leading digits 3 Black, 5 and 6 AIAN, 4 Asian, 7 NHPI, 8 Some Other Race.
    assert [number(digit) for digit in "356478"] == [2, 3, 3, 4, 5, 6]
    assert number("3", "5") == 12
    assert number("5", "6") == 3
