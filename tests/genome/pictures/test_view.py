"""SelectedSnps on the genome keep their order and their distances within a chromosome."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.genome.pictures.view import View, clusters
from tests.genome.pictures.studies import snps, three_chromosomes

LISTS = st.lists(
    st.tuples(st.sampled_from([str(number) for number in range(1, 23)]), st.integers(1, 250_000_000)),
    min_size=1,
    max_size=40,
    unique=True,
).map(lambda places: sorted(places, key=lambda place: (int(place[0]), place[1])))


@given(LISTS)
def test_every_listed_snp_has_its_place_in_order(places: list[tuple[str, int]]) -> None:
    view = View.whole(snps(places), 500.0)
    at = [view.of(name) for name in view.snps.ids]
    shown = [place for place in at if place is not None]
    assert len(shown) == len(places)
    assert shown == sorted(shown)
    assert 0 <= shown[0] <= shown[-1] <= 500
    assert view.listed().tolist() == shown
    assert [part.chromosome for part in view.parts] == list(view.snps.chromosome_ranges)


def test_chromosomes_stand_side_by_side_at_one_scale() -> None:
    view = View.whole(snps([("1", 100), ("1", 300), ("2", 7), ("2", 107), ("X", 5)]), 500.0)
    a, b, c, d, e = (view.of(name) or 0.0 for name in view.snps.ids)
    assert (b - a) / (d - c) == pytest.approx(2)
    assert a < b < c < d < e
    assert [view.number(name) for name in ("rs1", "rs4", "rs5")] == [0, 1, 2]
    assert all(part.right > part.left for part in view.parts), "a chromosome of one SNP has a width too"


def test_one_stretch_shows_what_lies_in_it() -> None:
    view = View.around(three_chromosomes().snps, "2", 3_000_000, 5_000_000, 300.0)
    assert [name for name in view.snps.ids if view.of(name) is not None] == ["rs13", "rs14", "rs15"]
    assert view.of("rs14") == pytest.approx(150)
    assert len(view.listed()) == 3
    near = View.around(snps([("1", 5)]), "1", 5, 5, 300.0)
    assert near.parts[0].low == 0, "there is no base pair below 0"


def test_runs_of_the_list() -> None:
    view = View.around(snps([("1", 1000), ("1", 1001), ("1", 1900), ("1", 2000)]), "1", 1000, 2000, 100.0)
    runs = view.runs(1.0)
    assert [round(length, 2) for _, length in runs] == [0.09, 0, 0]
    assert View.around(view.snps, "1", 3000, 4000, 100.0).runs(1.0) == []


def test_places_that_are_too_close() -> None:
    assert clusters([9.0, 1.0, 2.0, 2.0, 3.5, 20.0, 20.0], 2.0) == [(1.0, 3.5)]
    assert clusters([], 2.0) == []
