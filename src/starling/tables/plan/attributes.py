"""What groups are made of: the attributes of a record, and how many values of each are read.

A level's groups look at one attribute each, by a set of its values. All that stability and counting ask of an attribute is how many
values one record can have of it, so the Census's race codes, of which a record has several, and its ethnicity code, of which it
has one, are two attributes like any others.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of a record, whose values are free of those of every other attribute.

    Attributes:
        kind: The attribute's name, by which iterations say what they look at.
        most: The most values that are read of a record, at least 1; a record may have none.
        separate: Whether its one value is counted beside the set of all other values of a record, as the Census's ethnicity code is.
    """

    kind: str
    most: int
    separate: bool = False
