"""A plan of some size, without files."""

from typing import Any

import numpy as np
import pytest

from starling.genome.arrays import Int64
from starling.genome.plan import Plan, Snps
from starling.genome.preview.typical import Assumed


def a_plan(
    people: int = 2000, snps: int = 400, model: Any = "dominant", tests: tuple[str, ...] = ("g",), unit: Any = "person"
) -> Plan:
    """One chromosome."""
    ids = tuple(f"s{row}" for row in range(1, snps + 1))
    listed = Snps(ids, ("1",) * snps, np.arange(1, snps + 1), ("A",) * snps, ("C",) * snps)
    return Plan("Any", people, listed, model, tests, unit=unit)


class OfTables:
    """An `ExactStudy` that is asked for tables alone; another question fails the test."""

    def is_case(self) -> Any:
        raise AssertionError(self)

    def levels(self) -> Any:
        raise AssertionError(self)

    def moments(self, *asked: Any) -> Any:
        raise AssertionError(asked)

    def joint_scores(self, *asked: Any) -> Any:
        raise AssertionError(asked)

    def score_tests(self, *asked: Any) -> Any:
        raise AssertionError(asked)

    def score_distances(self, *asked: Any) -> Any:
        raise AssertionError(asked)

    def pair_tables(self, *asked: Any) -> Int64:
        raise AssertionError(asked)


@pytest.fixture
def assumed() -> Assumed:
    """2,000 people, 400 SNPs."""
    return Assumed.of(a_plan())
