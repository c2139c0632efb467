"""A study in which there is something to be found, and its plan."""

from fractions import Fraction

import numpy as np
import pytest

from starling.genome.plan import Plan
from tests.genome.mechanism.distributions import TinyStudy, tiny_plan


@pytest.fixture
def study() -> TinyStudy:
    """300 people; SNPs 0 to 3 go together and with the disease, 4 and 5 with each other, 6 to 8 with nothing."""
    random = np.random.default_rng(2)
    cases = np.arange(300) < 150
    first = random.random(300) < np.where(cases, 0.7, 0.3)
    second = random.random(300) < 0.5
    copies = [first ^ (random.random(300) < 0.02 * (1 + j)) for j in range(4)]
    copies += [second ^ (random.random(300) < 0.03) for _ in range(2)]
    copies += [random.random(300) < 0.5 for _ in range(3)]
    return TinyStudy(np.stack(copies, axis=1).astype(np.int8), cases, "dominant")


@pytest.fixture
def plan() -> Plan:
    return tiny_plan(300, 9, p=Fraction(1, 1000))
