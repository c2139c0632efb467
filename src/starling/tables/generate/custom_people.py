"""Invented custom records: who lives where, of which hidden kind they are, and what each field then says.

Nothing is drawn evenly, so that tables look like those of life. Areas and codes follow Zipf's law in an invented order; areas of one region
are more or less peopled together. Numbers lie more often near their least one. And what a record says hangs together: each person is of
one of a few hidden kinds, whose shares differ from region to region and from area to area, and each kind has weights of its own for the
codes of every field, and another slope for its numbers. Where several records of a person are counted, each has from one up to as many,
half of all persons one; most of what a person's records say stays the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.tables.generate.custom_fields import FieldDomain, FieldGroup, Numbers, Texts, Times
from starling.tables.generate.land import Float64, Int64, zipf
from starling.tables.generate.people import BELOW_ONE, cumulative, pick
from starling.tables.plan.custom_records import CustomAreas

KINDS: Final = 4
"""Hidden kinds of persons."""
AREA_EXPONENT: Final = 0.7
CODE_EXPONENT: Final = 1.0
"""Of Zipf's law."""
REGION_SPREAD: Final = 0.5
"""Standard deviation of the logarithm of how much more peopled a region is than others, of each level."""
KIND_SPREAD: Final = 1.0
"""Standard deviation of the logarithm of a kind's share in a region, and of how much more common a code is among a kind."""
NUMBER_SLOPE: Final = (0.7, 0.6)
TIME_SLOPE: Final = (0.0, 0.2)
"""Mean and standard deviation, over kinds, of the logarithm of s, where what a record says lies at the share u^s for an even u."""
STAYS: Final = 0.8
"""How often a record says what the person's records have in common."""
MANNER: Final = (
    "Areas and codes are weighted by Zipf's law in an invented order, numbers lie near the least one, and what a record says depends on "
    "a hidden kind of person whose share differs between regions."
)

Flags: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class One:
    """What records say in a field of one value: the place among the codes, the units of a number, or microseconds, and whether anything."""

    numbers: Int64
    filled: Flags


@dataclass(frozen=True, slots=True, eq=False)
class Several:
    """What records say in a field of several codes: their places, ascending within a record, and how many there are of each."""

    numbers: Int64
    lengths: Int64


Values: TypeAlias = One | Several


@dataclass(frozen=True, slots=True, eq=False)
class CustomPeople:
    """The records of some persons, person by person: whose each is, int64 (records,) from 0, and what they say by the name of the field."""

    person: Int64
    fields: Mapping[str, Values]


@dataclass(frozen=True, slots=True, eq=False)
class _Chances:
    """Even numbers for each record, its kind, and where there are several records of a person, those that they have in common.

    Attributes:
        person: int64 (records,): whose each is.
        kind: int64 (records,).
    """

    rng: np.random.Generator
    person: Int64
    persons: int
    kind: Int64

    def even(self, rows: Int64) -> Float64:
        """A number in [0, 1) for each of these records."""
        own = self.rng.random(len(rows))
        if self.persons == len(self.person):
            return own
        common = self.rng.random(self.persons)[self.person[rows]]
        return np.where(self.rng.random(len(rows)) < STAYS, common, own)


class CustomMix:
    """How common everything is that fields and areas of a plan may say, drawn by `rng`; a person has up to `most` records."""

    def __init__(self, rng: np.random.Generator, fields: Sequence[FieldGroup], areas: CustomAreas, most: int) -> None:
        self._fields, self._most = fields, most
        self._area = areas.column
        known = next((domain for each in fields for name, domain in _named(each) if name == areas.column), None)
        at = {code: place for place, code in enumerate(areas.codes)}
        codes = known.codes if isinstance(known, Texts) else areas.codes
        chosen = [at[code] for code in codes]
        weights = rng.permutation(zipf(len(chosen), AREA_EXPONENT))
        shares = np.repeat(rng.normal(0, KIND_SPREAD, (1, KINDS)), len(chosen), axis=0)
        for regions in areas.regions:
            ids, region = np.unique(np.array([regions[place] for place in chosen]), return_inverse=True)
            weights *= rng.lognormal(0, REGION_SPREAD, len(ids))[region]
            shares += rng.normal(0, KIND_SPREAD, (len(ids), KINDS))[region]
        self._areas = cumulative(weights)
        kinds = np.cumsum(np.exp(shares), axis=1)
        self._kinds = kinds / kinds[:, -1:]
        self._draws = {name: _Field(rng, domain) for each in fields for name, domain in _named(each)}

    def draw(self, rng: np.random.Generator, persons: int) -> CustomPeople:
        """The records of so many persons."""
        many = np.minimum(rng.geometric(0.5, persons), self._most)
        person = np.repeat(np.arange(persons), many)
        area = pick(self._areas, rng.random(persons))
        kind = (rng.random(persons)[:, np.newaxis] >= self._kinds[area]).sum(axis=1)
        chances = _Chances(rng, person, persons, kind[person])
        fields: dict[str, Values] = {}
        for each in self._fields:
            fields |= self._filled(chances, each, area[person])
        return CustomPeople(person, fields)

    def _filled(self, chances: _Chances, group: FieldGroup, area: Int64) -> dict[str, Values]:
        """What fields say that are filled together."""
        records = len(chances.person)
        every = np.arange(records)
        many = group.needed + _how_many(chances, group.most - group.needed, every)
        values_by_field: dict[str, Values] = {}
        for place, (name, domain) in enumerate(_named(group)):
            if isinstance(domain, Texts) and domain.separator:
                values_by_field[name] = self._draws[name].several(chances, domain)
                continue
            filled = many > place
            numbers = np.zeros(records, dtype=np.int64)
            if name == self._area:
                numbers = area
            else:
                rows = every if filled.all() else np.flatnonzero(filled)
                numbers[rows] = self._draws[name].draw(chances, rows)
            if place >= group.needed:
                # What another field says already is not said again.
                for (_, other), before in zip(_named(group), values_by_field.values(), strict=False):
                    if isinstance(before, One) and other == domain:
                        filled = filled & ~(before.filled & (before.numbers == numbers))
            values_by_field[name] = One(numbers, filled)
        return values_by_field


class _Field:
    """How common what a field says is, among each kind of person."""

    def __init__(self, rng: np.random.Generator, domain: FieldDomain) -> None:
        self._domain = domain
        if isinstance(domain, Texts):
            weights = rng.permutation(zipf(len(domain.codes), CODE_EXPONENT))
            of_kinds = np.cumsum(weights * rng.lognormal(0, KIND_SPREAD, (KINDS, len(weights))), axis=1)
            # One ascending line for all kinds: kind k holds the cumulated weights in [k, k + 1].
            self._line = (np.arange(KINDS)[:, np.newaxis] + of_kinds / of_kinds[:, -1:]).reshape(-1)
        else:
            self._slopes = np.exp(rng.normal(*(TIME_SLOPE if isinstance(domain, Times) else NUMBER_SLOPE), KINDS))

    def draw(self, chances: _Chances, rows: Int64) -> Int64:
        """One number for each of these records, as `One.numbers` has it."""
        even, kind, domain = chances.even(rows), chances.kind[rows], self._domain
        if isinstance(domain, Texts):
            size = len(domain.codes)
            place = np.searchsorted(self._line, kind + np.minimum(even, BELOW_ONE), side="right") - kind * size
            return np.asarray(np.minimum(place, size - 1))
        share = even ** self._slopes[kind]
        match domain:
            case Numbers():
                return domain.low + _steps(share, domain.high + 1 - domain.low)
            case Times():
                return domain.low + domain.step * _steps(share, (domain.high - domain.low) // domain.step)

    def several(self, chances: _Chances, domain: Texts) -> Several:
        """Some different codes for each record."""
        records = len(chances.person)
        none = len(domain.codes)
        many = _how_many(chances, domain.most, np.arange(records))
        places = np.full((records, domain.most), none, dtype=np.int64)
        for column in range(domain.most):
            rows = np.flatnonzero(many > column)
            places[rows, column] = self.draw(chances, rows)
        places.sort(axis=1)
        places[:, 1:][places[:, 1:] == places[:, :-1]] = none
        return Several(places[places < none], (places < none).sum(axis=1))


def _named(group: FieldGroup) -> list[tuple[str, FieldDomain]]:
    return list(zip(group.names, group.domains, strict=True))


def _how_many(chances: _Chances, most: int, rows: Int64) -> Int64:
    """0 to `most` for each record, fewer more often."""
    return pick(cumulative(zipf(most + 1, 1.0)), chances.even(rows)) if most else np.zeros(len(rows), dtype=np.int64)


def _steps(share: Float64, size: int) -> Int64:
    """Whole numbers from 0 to size - 1 at these shares of the way."""
    return np.minimum((share * size).astype(np.int64), size - 1)


def mean_records(most: int) -> float:
    """How many records a person has on average, where at most so many are.

    >>> mean_records(1), mean_records(2)
    (1.0, 1.5)
    """
    return 2 * (1 - 0.5**most)
