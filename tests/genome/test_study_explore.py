"""An exploration in one call."""

from fractions import Fraction
from pathlib import Path

import pytest

from starling import genome
from starling.genome.plan import Explore
from starling.release.payment import PaymentOptions
from tests.genome.worlds import World, a_world


@pytest.fixture
def world(tmp_path: Path) -> World:
    return a_world(tmp_path / "world")


def test_explore_alone_publishes_one_folder(world: World, tmp_path: Path) -> None:
    found = genome.explore(
        world.plan, world.prefix, tmp_path / "out", epsilon=4, most=2, payment=PaymentOptions(unvalidated=True)
    )
    assert found.question == Explore("g", "r2", Fraction(1, 5), Fraction(4), most=2)
    assert found.folder == tmp_path / "out"
