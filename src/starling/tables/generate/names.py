"""Invented names of the invented regions, so that tables made from them can be read, and nobody takes them for a real state's."""

from collections.abc import Iterator
from itertools import product
from typing import Final

import numpy as np

from starling.tables.generate.land import Land
from starling.tables.plan.geography import NO_AIANNH, NO_PLACE
from starling.tables.plan.states import PUERTO_RICO

FIRST: Final = (
    *("Alder", "Ash", "Birch", "Bramble", "Clear", "Elm", "Fern", "Fox", "Gray", "Hazel", "Heron", "High"),
    *("Lark", "Long", "Maple", "Moss", "Otter", "Reed", "Rowan", "Silver", "Stone", "Thistle", "Willow", "Wren"),
)
LAST: Final = (
    *("bank", "bridge", "brook", "combe", "dale", "field", "ford", "gate", "ham", "haven", "holm", "hurst"),
    *("low", "marsh", "mere", "mouth", "ridge", "shore", "side", "stead", "vale", "water", "well", "wick"),
)
BEFORE: Final = ("", "East ", "Great ", "Little ", "Lower ", "New ", "North ", "Old ", "South ", "Upper ", "West ")

NATION: Final = "The invented nation"
ISLAND: Final = "The invented island"
"""For whatever stands in the place of Puerto Rico."""

Named = tuple[str, str, str]
"""REGION_TYPE, REGION_ID and REGION_NAME."""


def region_names(rng: np.random.Generator, land: Land) -> Iterator[Named]:
    """Names of the nation, states, counties, places and AIANNH areas; tracts have none, as in life."""
    names = _names(rng)
    island = land.state == int(PUERTO_RICO)
    if not island.all():
        yield "USA", "1", NATION
    for state in np.unique(land.state).tolist():
        kind = "PR-" if state == int(PUERTO_RICO) else ""
        here = land.state == state
        yield f"{kind}STATE", f"{state:02d}", ISLAND if kind else next(names)
        for county in np.unique(land.county[here]).tolist():
            yield f"{kind}COUNTY", f"{state:02d}{county:03d}", f"{next(names)} County"
        for place in np.unique(land.place[here & (land.place != NO_PLACE)]).tolist():
            yield f"{kind}PLACE", f"{state:02d}{place:05d}", next(names)
    for area in np.unique(land.area[land.area != NO_AIANNH]).tolist():
        yield "AIANNH", f"{area:04d}", f"{next(names)} Homeland"


def _names(rng: np.random.Generator) -> Iterator[str]:
    """Names without end: all plain ones first, each once, then those with a word before, then numbered ones."""
    words = [first + last for first, last in product(FIRST, LAST)]
    number = 1
    while True:
        for before in BEFORE:
            for at in rng.permutation(len(words)).tolist():
                yield before + words[at] + ("" if number == 1 else f" {number}")
        number += 1
