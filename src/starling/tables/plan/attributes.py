"""What groups are made of: the attributes of a record, and how many values of each are read.

A level's groups look at one attribute each, by a set of its values. All that stability and counting ask of an attribute is how many
values one record can have of it, so the Census's race codes, of which a record has several, and its ethnicity code, of which it
has one, are two attributes like any others.
"""

from dataclasses import dataclass

from starling.errors import PlanError
from starling.tables.plan.codebook import MOST_RACE_CODES


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of a record, whose values are free of those of every other attribute.

    Attributes:
        kind: The attribute's name, by which iterations say what they look at.
        most: The most values that are read of a record, at least 1; a record may have none.
        beside: Whether its one value is counted beside the set of all other values of a record, as the Census's ethnicity code is.
    """

    kind: str
    most: int
    beside: bool = False


def census_attributes(max_race_codes: int) -> tuple[Attribute, ...]:
    """The attributes of a Census person record.

    Args:
        max_race_codes: Race columns read of a record, 1 to 8.

    Raises:
        PlanError: for another number, with which nothing bounds the groups of a person.
    """
    if not 1 <= max_race_codes <= MOST_RACE_CODES:
        raise PlanError(
            "max_race_codes",
            f"is not between 1 and {MOST_RACE_CODES}, so nothing bounds the groups of one person",
            "state how many race columns of a record are read",
        )
    return Attribute("race", max_race_codes), Attribute("ethnicity", 1, beside=True)
