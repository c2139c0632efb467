"""Invented persons: where they live, age and sex, and a mix of race and ethnicity codes that clusters in space.

How common a code is, is invented from its place in the code book, so it says nothing about the people whose name it bears. Codes form
families, those of one regional iteration; families follow Zipf's law in the order of their codes, and so do the codes of a family. A
county has a mix of its own: common codes are in all counties, rare ones in few, each more or less than elsewhere.

Four persons in five have one code, few have up to eight, nobody more than the plan reads. A person's first code comes from a short
list of the home AIANNH area or tract, or from the county; further codes come from the family or the county. An ethnicity code with a
tabulated iteration is held by about one person in six, more in some counties and tracts than in others.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.tables.generate.land import Float64, Int64, Land, zipf
from starling.tables.plan import Definitions
from starling.tables.plan.geography import NO_AIANNH
from starling.tables.plan.iterations import MOST_RACE_CODES
from starling.tables.plan.sex_by_age import TOP_AGE

Int16: TypeAlias = npt.NDArray[np.int16]

CODES_OF_PERSON: Final = (0.80, 0.14, 0.04, 0.012, 0.005, 0.002, 0.0007, 0.0003)
FROM_AREA: Final = 0.6
FROM_TRACT: Final = 0.3
TRACT_LIST: Final = 8
AREA_LIST: Final = 4
COUNTY_SPREAD: Final = 1.2
"""Standard deviation of the logarithm of how much more or less common a code is in a county than elsewhere."""

RAREST_IN: Final = 0.1
"""Share of counties that the rarest codes are in; the commonest are in all."""

SAME_FAMILY: Final = 0.4
WITH_ETHNICITY: Final = 0.16
LOCAL_ETHNICITY: Final = 0.5
HOUSEHOLDERS: Final = 0.5
"""Share of adults."""

BELOW_ONE: Final = 1 - 1e-9
"""A number in [c, c + 1) of that much less than c + 1 stays there, for any county c."""

_RACES: Final = {"1": 0, "3": 1, "5": 2, "6": 2, "4": 3, "7": 4}
"""Bit of each leading digit in CENRACE; the other digits are Some Other Race."""


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """A run of persons, one row each.

    Attributes:
        block: Position of the home in the land's blocks.
        age: Years.
        sex: 0 or 1, for QSEX 1 and 2.
        householder: 0 or 1.
        races: Positions in `Races.codes`; shape (persons, 8); -1 for Null, after which all are.
        ethnicity: Positions in `Ethnicities.codes`.
        cenrace: 1 to 63.
    """

    block: Int64
    age: Int64
    sex: Int64
    householder: npt.NDArray[np.bool_]
    races: Int16
    ethnicity: Int16
    cenrace: npt.NDArray[np.integer]


def pick(cumulative: Float64, at: Float64) -> Int64:
    """Positions drawn by their weights, given cumulated and ending in 1, for uniform numbers in [0, 1)."""
    return np.searchsorted(cumulative, at, side="right")


def cumulative(weights: Float64) -> Float64:
    """Weights cumulated and ending in 1, as `pick` takes them."""
    shares = np.cumsum(weights)
    shares /= shares[-1:]
    shares[-1:] = 1.0
    return shares


def _pyramid() -> Float64:
    """Cumulative weights of sex times age, age fastest: flat to middle age with waves, then Gompertz's law, women longer."""
    age = np.arange(TOP_AGE + 1)
    cohort = 1 + 0.1 * np.sin(age / 9)
    survival = [np.exp(-np.exp((age - mode) / 10)) for mode in (80, 85)]
    return cumulative(np.concatenate([1.05 * cohort * survival[0], cohort * survival[1]]))


class Mix:
    """What a home says about who lives there, who has up to `most_codes` race codes, 1 to 8.

    `rng` draws the short lists of codes of tracts, counties and areas, and the share of ethnicities.
    """

    def __init__(self, rng: np.random.Generator, definitions: Definitions, land: Land, most_codes: int) -> None:
        self.races = Races(rng, definitions, land, most_codes)
        self.ethnicities = Ethnicities(rng, definitions, land)
        self._pyramid = _pyramid()

    def people(self, rng: np.random.Generator, block: Int64) -> People:
        """One person for each home in `block`, positions in the land's blocks."""
        size = len(block)
        sex, age = np.divmod(pick(self._pyramid, rng.random(size)), TOP_AGE + 1)
        householder = (age >= 18) & (rng.random(size) < HOUSEHOLDERS)
        races = self.races.draw(rng, block)
        return People(block, age, sex, householder, races, self.ethnicities.draw(rng, block), self.races.cenrace(races))


class Races:
    """Race codes: which are common, and where.

    Attributes:
        codes: The codes that some race iteration holds, family by family.
    """

    def __init__(self, rng: np.random.Generator, definitions: Definitions, land: Land, most_codes: int) -> None:
        families = _families(definitions)
        self.codes = tuple(code for family in families for code in family)
        self._most = min(most_codes, len(self.codes))
        sizes = np.array([len(family) for family in families])
        shares = zip(zipf(len(sizes), 1.2), sizes, strict=True)
        weights = np.concatenate([share * zipf(size, 1.1) / zipf(size, 1.1).sum() for share, size in shares])
        self._family_of = np.repeat(np.arange(len(sizes)), sizes)
        self._family_end = np.cumsum(sizes)
        self._family_start = self._family_end - sizes
        self._how_many = cumulative(np.array(CODES_OF_PERSON))
        self._bits = np.array([1 << _RACES.get(code[0], 5) for code in self.codes], dtype=np.uint8)

        self._land = land
        counties, tracts = int(land.county_of_tract[-1]) + 1, len(land.county_of_tract)
        presence = np.clip((weights / weights.max()) ** 0.5, RAREST_IN, 1)
        local = weights * rng.lognormal(0, COUNTY_SPREAD, (counties, len(weights)))
        local[rng.random(local.shape) >= presence] = 0
        # One ascending line for all counties: county c holds the cumulated weights in [c, c + 1].
        mix = np.cumsum(local, axis=1)
        self._mix = np.concatenate((np.zeros((counties, 1)), mix / mix[:, -1:]), axis=1)
        self._line = (np.arange(counties)[:, np.newaxis] + self._mix[:, 1:]).reshape(-1)
        self._tract_list = self._in_county(
            np.repeat(land.county_of_tract, TRACT_LIST), rng.random(tracts * TRACT_LIST)
        ).reshape(tracts, TRACT_LIST)
        # An area is home to few peoples, drawn evenly, so that rare codes have somewhere to be common.
        self._area_list = rng.integers(0, len(self.codes), (NO_AIANNH, AREA_LIST)).astype(np.int16)

    def _in_county(self, county: npt.NDArray[np.integer], at: Float64) -> Int64:
        """Codes by the mixes of counties, for uniform numbers in [0, 1)."""
        place = np.searchsorted(self._line, county + np.minimum(at, BELOW_ONE), side="right")
        return place - county * len(self.codes)

    def draw(self, rng: np.random.Generator, block: Int64) -> Int16:
        """Codes of one person for each home: `People.races`."""
        size = len(block)
        county = self._land.county_of_tract[self._land.tract_index[block]].astype(np.int64)
        races = np.full((size, MOST_RACE_CODES), -1, dtype=np.int16)
        races[:, 0] = self._first(rng, block, county)
        count = np.minimum(1 + pick(self._how_many, rng.random(size)), self._most)
        for column in range(1, MOST_RACE_CODES):
            rows = np.flatnonzero(count > column)
            at, home, family = rng.random(len(rows)), county[rows], self._family_of[races[rows, 0]]
            low, high = self._mix[home, self._family_start[family]], self._mix[home, self._family_end[family]]
            code = self._in_county(home, np.where(rng.random(len(rows)) < SAME_FAMILY, low + at * (high - low), at))
            # A person's codes differ: a code that is there already gives way to the next one.
            while (repeated := (races[rows, :column] == code[:, np.newaxis]).any(axis=1)).any():
                code[repeated] = (code[repeated] + 1) % len(self.codes)
            races[rows, column] = code
        return races

    def _first(self, rng: np.random.Generator, block: Int64, county: Int64) -> Int64:
        """The first code of one person for each home: of its area, its tract or its county."""
        size = len(block)
        code = self._in_county(county, rng.random(size))
        area, at = self._land.area[block], rng.random(size)
        in_area = (area != NO_AIANNH) & (rng.random(size) < FROM_AREA)
        of_tract = ~in_area & (rng.random(size) < FROM_TRACT)
        for chosen, lists, home in (
            (in_area, self._area_list, area),
            (of_tract, self._tract_list, self._land.tract_index[block]),
        ):
            rows = np.flatnonzero(chosen)
            code[rows] = lists[home[rows], pick(cumulative(zipf(lists.shape[1], 1.0)), at[rows])]
        return code

    def cenrace(self, races: Int16) -> npt.NDArray[np.uint8]:
        """1 to 63, the combination of the six races that the leading digits of a person's codes stand for."""
        bits = self._bits[races[:, 0]]
        several = np.flatnonzero(races[:, 1] >= 0)
        for column in range(1, MOST_RACE_CODES):
            further = races[several, column]
            bits[several] |= np.where(further >= 0, self._bits[further], 0).astype(np.uint8)
        return _CENRACE[bits]


class Ethnicities:
    """Ethnicity codes: a person in six has one that a tabulated iteration holds, more in some tracts than in others.

    Attributes:
        codes: First the `plain` ones, in no tabulated ethnicity iteration, then the others.
        plain: How many those are.
    """

    def __init__(self, rng: np.random.Generator, definitions: Definitions, land: Land) -> None:
        held = {c for i in definitions.iterations if i.kind == "ethnicity" and i.level for c in i.codes}
        plain = tuple(code for code, _ in definitions.codes if code not in held)
        self.codes = plain + tuple(sorted(held))
        self.plain = len(plain)
        # Most persons without such an ethnicity share one code, the first.
        self._plain_share = cumulative(zipf(len(plain), 3.0))
        self._held_share = cumulative(zipf(len(held), 1.3))

        self._land = land
        counties, tracts = int(land.county_of_tract[-1]) + 1, len(land.county_of_tract)
        self._common = self.plain + np.floor(rng.random(counties) * len(held)).astype(np.int16)
        local = np.exp(rng.normal(-0.6, 1.0, counties)[land.county_of_tract] + rng.normal(0, 0.6, tracts))
        share = np.clip(WITH_ETHNICITY * local, 0.005, 0.95)
        self._share = np.zeros(tracts) if not held else share if plain else np.ones(tracts)

    def draw(self, rng: np.random.Generator, block: Int64) -> Int16:
        """Positions in `codes` of one person for each home."""
        size, tract = len(block), self._land.tract_index[block]
        at, local = rng.random(size), rng.random(size)
        held = rng.random(size) < self._share[tract]
        code = np.zeros(size, dtype=np.int16)
        code[~held] = pick(self._plain_share, at[~held])
        code[held] = self.plain + pick(self._held_share, at[held])
        home = held & (local < LOCAL_ETHNICITY)
        code[home] = self._common[self._land.county_of_tract[tract[home]]]
        return code


def _families(definitions: Definitions) -> tuple[tuple[str, ...], ...]:
    """Codes held by a race iteration, by the first regional iteration that holds them; families in the order of their codes."""
    family: dict[str, str] = {}
    for wanted in (1, 2, 0):
        for iteration in definitions.iterations:
            if iteration.kind == "race" and iteration.level == wanted:
                for code in iteration.codes:
                    family.setdefault(code, iteration.code)
    members: dict[str, list[str]] = {}
    for code in sorted(family or dict(definitions.codes)):
        members.setdefault(family.get(code, ""), []).append(code)
    return tuple(map(tuple, members.values()))


def _cenrace() -> npt.NDArray[np.uint8]:
    """The Census number of each combination of the six races, by bit mask: alone first, then pairs, and so on; shape (64,)."""
    masks = sorted(range(1, 64), key=lambda mask: (mask.bit_count(), [bit for bit in range(6) if mask >> bit & 1]))
    number = np.zeros(64, dtype=np.uint8)
    number[masks] = np.arange(1, 64)
    return number


_CENRACE: Final = _cenrace()
