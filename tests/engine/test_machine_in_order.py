"""Results of several threads come in order, few at a time, and a failure ends the work."""

import time
from collections.abc import Iterator

import pytest

from starling.engine.machine import in_order


def test_results_are_in_order_whoever_is_first() -> None:
    def work(item: int) -> int:
        time.sleep(0.002 * (item % 3))
        return item * item

    assert list(in_order(work, range(50), workers=4)) == [item * item for item in range(50)]


def test_few_items_are_taken_before_their_results_are() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for item in range(100):
            taken.append(item)
            yield item

    results = in_order(lambda item: item, items(), workers=3)
    assert next(results) == 0
    assert len(taken) == 4
    results.close()
    assert len(taken) == 4


def test_a_failure_comes_out_where_its_result_would() -> None:
    results = in_order(lambda item: 1 // (2 - item), range(9), workers=2)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ZeroDivisionError):
        next(results)
