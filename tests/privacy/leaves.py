"""The events of a guarantee, one by one: what its mechanisms declare."""

from collections.abc import Iterator
from fractions import Fraction

from starling.privacy.events import Event
from starling.privacy.guarantee import Composition, Guarantee


def leaves(guarantee: Guarantee) -> Iterator[Event]:
    """Every event of a guarantee, in its order."""
    if isinstance(guarantee.event, Composition):
        for part in guarantee.event.parts:
            yield from leaves(part)
    else:
        yield guarantee.event


def factors(guarantee: Guarantee) -> set[Fraction]:
    """What its events declare of replacements."""
    return {each.replacement_factor for each in leaves(guarantee)}
