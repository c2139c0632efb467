"""Who is protected, and what a neighbouring database is. A claim of privacy without both says nothing."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from starling.privacy.budget import Cost, Epsilon

Change: TypeAlias = Literal["add-remove", "replace-one"]
Unit: TypeAlias = Literal["person", "household", "group", "point", "trip", "member", "event", "phenotype"]


@dataclass(frozen=True, slots=True)
class Relation:
    """Two databases are neighbours when they differ by one `change` of one `unit`.

    Attributes:
        change: "add-remove": one unit more or less (SafeTab 2022, Definition 1); "replace-one": one unit's data differ and
            the number of units is public.
        unit: Those whose data are protected; a member is a person in one of the groups, an event is something that one of them
            did. Which groups there are is public for both. A phenotype is one trait of one person: nothing else that is known of the
            person is protected.
    """

    change: Change
    unit: Unit

    def __str__(self) -> str:
        unit = f"{self.unit} of an existing group" if self.unit in ("member", "event") else self.unit
        unit = "person's phenotype" if self.unit == "phenotype" else unit
        return f"add or remove one {unit}" if self.change == "add-remove" else f"replace one {unit}"


ADD_REMOVE_PERSON = Relation("add-remove", "person")
ADD_REMOVE_HOUSEHOLD = Relation("add-remove", "household")
ADD_REMOVE_POINT = Relation("add-remove", "point")
ADD_REMOVE_MEMBER = Relation("add-remove", "member")
ADD_REMOVE_EVENT = Relation("add-remove", "event")
REPLACE_PERSON = Relation("replace-one", "person")
REPLACE_PHENOTYPE = Relation("replace-one", "phenotype")


def as_replace_one(cost: Cost) -> Cost:
    """An add-remove cost under the replace-one adjacency: a replacement is one removal and one addition.

    Pure DP: group privacy of size 2, 2 epsilon. zCDP: 4 rho. That is what a cost alone says; by its events a guarantee may cost less
    (`accounting.zcdp.replace_one_cost`): the 2020 DDHC-A, of rho 4.944, 9.888.

    >>> from fractions import Fraction
    >>> from starling.privacy.budget import Rho
    >>> str(as_replace_one(Rho(Fraction("4.944"))))
    'rho 19.776'
    """
    return cost * (2 if isinstance(cost, Epsilon) else 4)
