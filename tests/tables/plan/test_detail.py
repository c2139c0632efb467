"""Chains of partitions: that cells, merging, rows and words are those of brute force over all records."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.tables.plan.detail import MOST_CELLS, Cuts, Detail, DetailAttribute
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.postprocess.estimates import with_sums

NUMBERS = (("age", "ages"), ("visits", "counts"), ("wage", "wages"))


@st.composite
def chains(draw: st.DrawFn) -> Detail:
    """One to three attributes, and up to three partitions after the total."""
    attributes = []
    for name, plural in NUMBERS[: draw(st.integers(1, 3))]:
        low, many = draw(st.integers(-3, 3)), draw(st.integers(2, 5))
        listed = tuple((f"{name}{place}", f"{name} {place}") for place in range(many)) if draw(st.booleans()) else ()
        attributes.append(DetailAttribute(name, plural, low, low + many - 1, listed))
    chain: list[Cuts] = [tuple(() for _ in attributes)]
    for _ in range(draw(st.integers(0, 3))):
        finer = tuple(_finer(draw, attribute, cuts) for attribute, cuts in zip(attributes, chain[-1], strict=True))
        if finer != chain[-1]:
            chain.append(finer)
    return Detail(tuple(attributes), tuple(chain))


def _finer(draw: st.DrawFn, attribute: DetailAttribute, cuts: tuple[int, ...]) -> tuple[int, ...]:
    every = tuple(range(attribute.low, attribute.high + 1))
    if attribute.values:
        return draw(st.sampled_from([every] if cuts else [(), every]))
    more = {attribute.low, *cuts, *draw(st.sets(st.sampled_from(every)))}
    return tuple(sorted(more)) if len(more) > 1 else ()


def class_of(cuts: tuple[int, ...], number: int) -> int:
    return sum(cut <= number for cut in cuts) - 1 if cuts else 0


def cell_by_hand(partition: Cuts, record: tuple[int, ...]) -> int:
    cell = 0
    for cuts, number in zip(partition, record, strict=True):
        cell = cell * max(len(cuts), 1) + class_of(cuts, number)
    return cell


@pytest.mark.examples(20)
@given(chains())
def test_every_record_is_in_one_cell_of_each_partition_and_that_lies_in_one_of_each_coarser(detail: Detail) -> None:
    records = list(product(*(range(each.low, each.high + 1) for each in detail.attributes)))
    finest = detail.cell_of(tuple(np.array(column) for column in zip(*records, strict=True)))
    for branch, partition in enumerate(detail.partitions):
        cells = np.array([cell_by_hand(partition, record) for record in records])
        assert set(cells.tolist()) == set(range(detail.sizes[branch]))
        assert detail.within(detail.steps, branch)[finest].tolist() == cells.tolist()
        for common in range(branch + 1):
            coarse = [cell_by_hand(detail.partitions[common], record) for record in records]
            assert detail.within(branch, common)[cells].tolist() == coarse
            counts = np.bincount(cells, minlength=detail.sizes[branch])[np.newaxis]
            expected = np.bincount(coarse, minlength=detail.sizes[common])
            assert detail.merged(counts, branch, common)[0].tolist() == expected.tolist()


@given(chains())
def test_every_row_is_the_sum_of_the_records_that_its_codes_name(detail: Detail) -> None:
    records = list(product(*(range(each.low, each.high + 1) for each in detail.attributes)))
    for branch in range(1, len(detail.sizes)):
        counts = np.bincount([cell_by_hand(detail.partitions[branch], record) for record in records])
        published = with_sums(counts[np.newaxis], detail.widths[branch])[0]
        assert len(published) == detail.row_counts[branch]
        for row, count in zip(detail.rows[branch], published, strict=True):
            named = sum(
                all(
                    each is None or each[0] <= number <= each[1]
                    for each, number in zip(row.classes, record, strict=True)
                )
                for record in records
            )
            assert count == counts[row.first : row.first + row.terms].sum() == named
    assert list(detail.row_counts) == sorted(set(detail.row_counts))


@pytest.mark.examples(20)
@given(chains())
def test_codes_and_words_tell_the_rows_of_a_table_apart(detail: Detail) -> None:
    for rows in detail.rows[1:]:
        assert len({detail.codes(row) for row in rows}) == len({detail.words(row) for row in rows}) == len(rows)
        assert all(len(detail.codes(row)) == len(detail.columns) for row in rows)
    for under in detail.of_codes.values():
        assert len({row.classes for _, row in under}) <= len(under)
        assert len({branch for branch, _ in under}) == len(under)
    assert len(set(detail.names.values())) == len(detail.branches)
    assert len(set(detail.short_names)) == len(detail.sizes)


SEX, AGE = SEX_BY_AGE.attributes
TOTAL, COARSE = SEX_BY_AGE.partitions[:2]


@pytest.mark.parametrize(
    ("attributes", "partitions", "problem"),
    [
        ((SEX, replace(AGE, name="sex")), (TOTAL,), "columns of one name"),
        ((replace(AGE, name="count"), SEX), (TOTAL,), "that other columns"),
        ((replace(AGE, name="Age"),), (((),),), "no column can have"),
        ((replace(AGE, high=0),), (((),),), "do not fit"),
        ((SEX, AGE), (), "does not begin with the total"),
        ((SEX, AGE), (COARSE,), "does not begin with the total"),
        ((SEX, AGE), (TOTAL, COARSE, ((), ())), "no refinement"),
        ((SEX, AGE), (TOTAL, COARSE, COARSE), "no refinement"),
        ((SEX, AGE), (TOTAL, ((1, 2), (0, 30)), COARSE), "no refinement"),
        ((SEX, AGE), (TOTAL, ((1, 2),)), "how each attribute is cut"),
        ((SEX, AGE), (TOTAL, ((1, 2), (5, 30))), "does not cut age into classes"),
        ((replace(AGE, high=999),), (((),), (tuple(range(MOST_CELLS + 1)),)), f"and {MOST_CELLS} are the most"),
    ],
)
def test_what_is_no_chain_is_refused(
    attributes: tuple[DetailAttribute, ...], partitions: tuple[Cuts, ...], problem: str
) -> None:
    with pytest.raises(PlanError, match=problem):
        Detail(attributes, partitions)


def test_the_most_cells_are_counted() -> None:
    cuts = tuple(range(MOST_CELLS))
    assert Detail((replace(AGE, high=999),), (((),), (cuts,))).finest == MOST_CELLS
