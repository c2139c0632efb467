"""Invented land: states, counties, tracts, blocks, places and AIANNH areas, with sizes as skewed as real ones, and invented names.

Everything hangs on one line: the blocks of all states in order. A tract is a run of blocks, a county a run of tracts. A place is a
run of blocks too, with holes, but begins and ends anywhere: in the middle of a tract, across a county border. An AIANNH area
also crosses the border from one state to the next. So tracts, places and AIANNH areas cut each other as in the real geography.

Sizes: states, counties and places by Zipf's distribution; tracts log-normal around 3,700 persons; about 96 blocks to a tract, a third of
them empty and the rest heavy-tailed. For all states, Puerto Rico and 316 million persons that is about as many counties, tracts, blocks
and places as there were in 2020. Regions have invented names, so that tables made from them can be read, and nobody takes them for a
real state's.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.tables.plan.blocks import COLUMNS
from starling.tables.plan.census_levels import PUERTO_RICO
from starling.tables.plan.geography import NO_AIANNH, NO_PLACE

Int32: TypeAlias = npt.NDArray[np.int32]
Int64: TypeAlias = npt.NDArray[np.int64]
Float64: TypeAlias = npt.NDArray[np.float64]

PERSONS_PER_COUNTY_SQUARED: Final = 1300
"""A state has the square root of its persons over this as its number of counties."""

PERSONS_PER_TRACT: Final = 3700
PERSONS_PER_PLACE: Final = 9_800
PERSONS_PER_AREA: Final = 450_000
BLOCKS_PER_TRACT: Final = 90
BLOCKS_PER_GROUP: Final = 30
"""Blocks of one block group, which is the first digit of a block's number."""

MOST_BLOCKS_PER_TRACT: Final = 9 * BLOCKS_PER_GROUP
MOST_COUNTIES: Final = 255
IN_PLACES: Final = 0.7
IN_AREAS: Final = 0.025
HOLES: Final = 0.03
EMPTY_BLOCKS: Final = 0.33
NEARLY_EMPTY: Final = 1e-6
"""Weight of an empty block beside that of an average one, 1: not 0, so that some block of every tract can be lived in."""


@dataclass(frozen=True, slots=True, eq=False)
class Land:
    """Blocks in order of state, county, tract and block; one row each, shape (blocks,).

    Attributes:
        state: State codes as numbers.
        county: Within the state.
        tract: Within the county.
        block: Within the tract.
        place: Within the state; NO_PLACE outside of all.
        area: AIANNH area; NO_AIANNH outside of all.
        persons: How many live there.
        tract_index: Position of the block's tract among all tracts.
        county_of_tract: Position of each tract's county among all counties, shape (tracts,).
    """

    state: Int32
    county: Int32
    tract: Int32
    block: Int32
    place: Int32
    area: Int32
    persons: Int64
    tract_index: Int32
    county_of_tract: Int32


def zipf(size: int, exponent: float) -> Float64:
    """Weights 1, 2^-exponent, 3^-exponent ...; shape (size,)."""
    return np.power(np.arange(1, size + 1, dtype=np.float64), -exponent)


def apportion(weights: Float64, total: int) -> Int64:
    """Split `total` in the proportions of `weights`, above 0 somewhere; int64, the same shape, sum exactly `total`.

    >>> apportion(np.array([3.0, 1.0, 1.0]), 10).tolist()
    [6, 2, 2]
    """
    shares = np.cumsum(weights)
    ends = np.rint(shares / shares[-1] * total).astype(np.int64)
    parts: Int64 = np.diff(ends, prepend=0)
    return parts


def invent_land(rng: np.random.Generator, states: Sequence[str], persons: int) -> Land:
    """A geography of `states` (two-digit codes, ascending) in which `persons` live; its size goes with their number."""
    weights = rng.permutation(zipf(len(states), 0.8))
    lands = [_state(rng, int(code), int(n)) for code, n in zip(states, apportion(weights, persons), strict=True)]
    tracts = np.cumsum([0, *(len(land.county_of_tract) for land in lands)])
    counties = np.cumsum([0, *(int(land.county_of_tract[-1]) + 1 for land in lands)])
    borders = np.cumsum([len(land.state) for land in lands])

    def joined(name: str, shifts: Int64) -> Int32:
        columns = [getattr(land, name) + shift for land, shift in zip(lands, shifts, strict=False)]
        return np.concatenate(columns).astype(np.int32)

    shifted = {name: joined(name, np.zeros_like(tracts)) for name in ("state", "county", "tract", "block", "place")}

    mainland = sum(len(land.state) for land, code in zip(lands, states, strict=True) if code != PUERTO_RICO)
    area = np.full(borders[-1], NO_AIANNH, dtype=np.int32)
    area[:mainland] = _areas(rng, mainland, borders[borders < mainland], persons)
    return Land(
        **shifted,
        area=area,
        persons=np.concatenate([land.persons for land in lands]),
        tract_index=joined("tract_index", tracts),
        county_of_tract=joined("county_of_tract", counties),
    )


def land_of(rng: np.random.Generator, blocks: Mapping[str, Int64], persons: int) -> Land:
    """A land of blocks that are there, on which invented persons live with sizes as skewed as on an invented one.

    Args:
        rng: Draws how many live where.
        blocks: The columns of a block file, int64 (blocks,), ascending by block (`read_blocks`); one block or more.
        persons: How many live there.
    """
    state, county, tract, block, place, area = (blocks[name].astype(np.int32) for name in COLUMNS)
    county_id = blocks["TABBLKST"] * 1000 + blocks["TABBLKCOU"]
    new_county = np.diff(county_id, prepend=-1) != 0
    new_tract = new_county | (np.diff(blocks["TABTRACTCE"], prepend=-1) != 0)
    tract_index, county_index = np.cumsum(new_tract) - 1, np.cumsum(new_county) - 1
    of_state = np.unique(state[new_county], return_inverse=True)[1]
    counties = rng.permutation(zipf(len(of_state), 0.8)) * rng.lognormal(0, 0.5, int(of_state[-1]) + 1)[of_state]
    weight = _weights(rng, tract_index)
    weight *= (counties / np.bincount(county_index, weight))[county_index]
    return Land(
        *(state, county, tract, block, place, area),
        persons=apportion(weight, persons),
        tract_index=tract_index.astype(np.int32),
        county_of_tract=county_index[new_tract].astype(np.int32),
    )


def settle(land: Land, persons: int) -> Land:
    """A land with another number of persons, spread in the same way."""
    return replace(land, persons=apportion(np.maximum(land.persons, NEARLY_EMPTY), persons))


def _state(rng: np.random.Generator, code: int, persons: int) -> Land:
    """One state without AIANNH areas; indices count from its own first tract and county."""
    counties = min(max(round((persons / PERSONS_PER_COUNTY_SQUARED) ** 0.5), 1), MOST_COUNTIES)
    tracts = max(round(persons / PERSONS_PER_TRACT), counties)
    tracts_of_county = 1 + apportion(rng.permutation(zipf(counties, 0.8)), tracts - counties)
    county_of_tract = np.repeat(np.arange(counties), tracts_of_county)
    number = _positions(tracts_of_county) + 1
    # Real tract numbers end in two decimals; a county with too many tracts for that counts them one by one.
    tract = number * np.where(tracts_of_county <= 9999, 100, 1)[county_of_tract]

    sizes = np.rint(BLOCKS_PER_TRACT * rng.lognormal(0, 0.35, tracts)).astype(np.int64)
    sizes = np.clip(sizes, 1, MOST_BLOCKS_PER_TRACT)
    tract_index = np.repeat(np.arange(tracts), sizes)
    blocks = len(tract_index)
    inside = _positions(sizes)
    weight = _weights(rng, tract_index)
    return Land(
        state=np.full(blocks, code, dtype=np.int32),
        county=(1 + 2 * county_of_tract[tract_index]).astype(np.int32),
        tract=tract[tract_index].astype(np.int32),
        block=(1000 * (1 + inside // BLOCKS_PER_GROUP) + inside % BLOCKS_PER_GROUP).astype(np.int32),
        place=_places(rng, blocks, persons),
        area=np.full(blocks, NO_AIANNH, dtype=np.int32),
        persons=apportion(weight, persons),
        tract_index=tract_index.astype(np.int32),
        county_of_tract=county_of_tract.astype(np.int32),
    )


def _weights(rng: np.random.Generator, tract_index: Int64) -> Float64:
    """How many live in each block beside others: tracts are log-normal, a third of their blocks empty, the rest heavy-tailed."""
    blocks, tracts = len(tract_index), int(tract_index[-1]) + 1
    weight = np.where(rng.random(blocks) < EMPTY_BLOCKS, NEARLY_EMPTY, rng.lognormal(0, 1.1, blocks))
    weight *= (rng.lognormal(0, 0.4, tracts) / np.bincount(tract_index, weight))[tract_index]
    return weight


def _positions(sizes: Int64) -> Int64:
    """0, 1, 2 ... anew for each of runs of these sizes."""
    starts = np.cumsum(sizes) - sizes
    return np.arange(sizes.sum()) - np.repeat(starts, sizes)


def _runs(rng: np.random.Generator, line: int, count: int, share: float, exponent: float) -> tuple[Int64, Int64]:
    """Starts and lengths of `count` runs of Zipf sizes that cover about `share` of a line and do not overlap."""
    covered = max(round(share * line), count)
    lengths = 1 + rng.permutation(apportion(zipf(count, exponent), covered - count))
    gaps = apportion(rng.exponential(size=count + 1), line - covered)[:-1]
    return np.cumsum(gaps) + np.cumsum(lengths) - lengths, lengths


def _numbers(rng: np.random.Generator, count: int, low: int, high: int) -> Int64:
    """Different numbers in [low, high), spread out, in no order."""
    step = (high - low) // count
    return rng.permutation(low + step * np.arange(count) + rng.integers(0, step, count))


def _places(rng: np.random.Generator, blocks: int, persons: int) -> Int32:
    count = min(max(round(persons / PERSONS_PER_PLACE), 1), blocks)
    starts, lengths = _runs(rng, blocks, count, IN_PLACES, 1.0)
    numbers = _numbers(rng, count, 100, NO_PLACE - 1)
    place = np.full(blocks, NO_PLACE, dtype=np.int32)
    place[np.repeat(starts, lengths) + _positions(lengths)] = np.repeat(numbers, lengths)
    place[rng.random(blocks) < HOLES] = NO_PLACE
    return place


def _areas(rng: np.random.Generator, blocks: int, borders: Int64, persons: int) -> Int32:
    """AIANNH area of each block of the line of states; `borders` are the first blocks of all states but the first."""
    area = np.full(blocks, NO_AIANNH, dtype=np.int32)
    if blocks == 0:
        return area
    count = min(max(round(persons / PERSONS_PER_AREA), 2), blocks)
    starts, lengths = _runs(rng, blocks, count, IN_AREAS, 0.9)
    # One in three, at least one, is moved onto a border between two states; where it meets another it takes its blocks.
    crossing = min(len(borders), max(count // 3, 1))
    before = 1 + (lengths[:crossing] * rng.random(crossing)).astype(np.int64)
    starts[:crossing] = rng.permutation(borders)[:crossing] - before
    lengths[:crossing] += 1
    numbers = _numbers(rng, count, 10, NO_AIANNH - 1)
    for start, length, name in list(zip(starts, lengths, numbers, strict=True))[::-1]:
        area[max(start, 0) : start + length] = name
    return area


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
"""The name of whatever stands in the place of Puerto Rico."""

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
