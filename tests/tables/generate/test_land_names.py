from itertools import islice

import numpy as np

from starling.tables.generate.land import BEFORE, FIRST, LAST, _names, invent_land, region_names
from starling.tables.plan.census_levels import STATES


def test_every_region_is_named_once_and_none_like_a_state() -> None:
    land = invent_land(np.random.default_rng(1), ["10", "44", "72"], 500_000)
    lines = list(region_names(np.random.default_rng(2), land))
    ids = [(kind, region) for kind, region, _ in lines]
    assert len(set(ids)) == len(ids)
    kinds = {kind for kind, _ in ids}
    assert kinds == {"USA", "STATE", "COUNTY", "PLACE", "AIANNH", "PR-STATE", "PR-COUNTY", "PR-PLACE"}
    names = [name for _, _, name in lines]
    assert len(set(names)) == len(names)
    assert not set(names) & set(STATES.values())
    assert all("|" not in name and name.isprintable() for name in names)
    counties = len(np.unique(land.state * 1000 + land.county))
    assert sum(kind.endswith("COUNTY") for kind, _ in ids) == counties


def test_names_never_end_nor_repeat() -> None:
    enough = 2 * len(BEFORE) * len(FIRST) * len(LAST) + 10
    names = list(islice(_names(np.random.default_rng(1)), enough))
    assert len(set(names)) == enough
