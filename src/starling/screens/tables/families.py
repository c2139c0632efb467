"""Families of groups over a declared column of ages, in numbers or as a list of bands: the band of each group."""

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final

from starling.tables.plan import Plan
from starling.tables.plan.columns import Codes, Domain, Integers
from starling.tables.plan.custom_families import value_texts

AGE: Final = re.compile(r"(^|_)ages?($|_)", re.IGNORECASE)
_BAND: Final = re.compile(
    r"(-?[0-9]+)(?: ?(?:to|-|\u2013) ?(-?[0-9]+)| ?\+| (?:years )?(?:or|and) (?:more|older|over))?"
)
"""The band of a number, of both its ends, or without a last age."""


def families_of_ages(plan: Plan) -> Iterator[Mapping[str, tuple[int, int, str, str]]]:
    """Of each family over ages alone, or over ages and a list of two at most, by the code of each group: first and last age, the band in
    words, and the other value.

    Those with two values of a list come first: their pyramids have two sides.
    """
    bands = []
    for number, family in enumerate(plan.records.families, 1):
        columns = () if family.groups else family.read(plan.records.by_name)
        ages = [
            at
            for at, (name, each) in enumerate(zip(family.columns, columns, strict=False))
            if AGE.search(name) and _of_ages(each.domain)
        ]
        others = [each for at, each in enumerate(columns) if at not in ages]
        if len(ages) != 1 or len(others) > 1 or any(not isinstance(each.domain, Codes) for each in others):
            continue
        sides = [text for each in others for _, text in value_texts(each.domain)]
        if len(sides) > 2:
            continue
        values = product(*([text for _, text in value_texts(each.domain)] for each in columns))
        codes = (each.code for each in family.iterations(number, plan.records.by_name))
        shown = {code: _band(texts, ages[0]) for code, texts in zip(codes, values, strict=True)}
        bands.append((-len(sides), {code: band for code, band in shown.items() if band is not None}))
    for _, family_bands in sorted(bands, key=lambda each: each[0]):
        yield family_bands


def _of_ages(domain: Domain) -> bool:
    """Whether each value is a band of ages, but for the one of records without an age."""
    if isinstance(domain, Codes):
        return all(_BAND.fullmatch(text) for code, text in domain.values if code != domain.other)
    return isinstance(domain, Integers)


def _band(texts: tuple[str, ...], at: int) -> tuple[int, int, str, str] | None:
    """First and last age, which are one where there is no last; None of records without an age."""
    match = _BAND.fullmatch(texts[at])
    side = ", ".join(text for place, text in enumerate(texts) if place != at)
    return None if match is None else (int(match[1]), int(match[2] or match[1]), texts[at], side)
