"""The arithmetic of a stated cost, done again from the file alone: leaves from their events, then up through the compositions.

Every amount is an exact rational. `Guarantee` computes each cost from its parts, as it did when the release was charged; what the
file states beside it must be the same number, under both adjacencies.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, cast, get_args

from starling.errors import IntegrityError, ParameterError, Problem
from starling.planfile.spelling import shown
from starling.privacy import events
from starling.privacy.budget import Measure, decimal_up, is_chance_text
from starling.privacy.guarantee import BoundedOverlap, Composition, Guarantee, JointResiduals, Sequential
from starling.privacy.neighbours import Change, Relation, Unit
from starling.privacy.residual_events import ResidualEvents
from starling.release.claims import amount, claim
from starling.release.codec import Json
from starling.release.manifest import DOWNLOAD_AGAIN
from starling.release.statement import DEFINITIONS, FILE, FORMAT, joint_as_stated, neighbours

Stated = Mapping[str, Any]
"""A parsed privacy.json."""

DEEPEST: Final = 32
"""Compositions within compositions."""
MOST_DIGITS: Final = 400
"""Above and below the line of a rational."""
CLOSE: Final = Fraction(1, 1000)
"""The part by which the stated epsilon may differ from ours: it is a numerical bound, and the accountant improves."""

_RATIONAL: Final = re.compile(rf"[0-9]{{1,{MOST_DIGITS}}}(/[1-9][0-9]{{0,{MOST_DIGITS - 1}}})?")


def check_cost(stated: Stated) -> tuple[Guarantee | None, list[Problem]]:
    """What a privacy.json guarantees, as its composition tree says, and every number in it that does not follow from the tree.

    Without a tree that can be read there is no guarantee, and one problem.
    """
    reader = _Reader()
    try:
        if stated["format"] != FORMAT:
            return None, [Problem("format", f"is not {FORMAT}", "use the version of Starling that wrote it", FILE)]
        guarantee = reader.guarantee(stated)
        reader.compare(stated, guarantee)
    except IntegrityError as error:
        return None, [*reader.problems, *error.problems]
    except (KeyError, TypeError, ValueError, AttributeError, ParameterError):
        return None, [*reader.problems, _wrong("composition", "is not a statement of privacy that can be read")]
    return guarantee, reader.problems


def guarantee_of(stated: Stated) -> Guarantee:
    """The guarantee whose `neighbours`, `measure` and `composition` are stated as in a privacy.json.

    Raises:
        IntegrityError, KeyError, TypeError, ValueError, AttributeError, ParameterError: they cannot be read, or do not follow.
    """
    reader = _Reader()
    guarantee = reader.guarantee(stated)
    IntegrityError.check(reader.problems)
    return guarantee


def earlier_guarantees(stated: Stated) -> tuple[Guarantee, ...]:
    """What the releases that a release adds to guarantee, as their trees in its privacy.json say.

    Raises:
        KeyError, TypeError, ValueError, AttributeError, ParameterError: they cannot be read.
    """
    return _Reader().earlier(stated)


def rational(text: object) -> Fraction:
    """The exact number that `text` says; raises ValueError when it says none.

    >>> rational("989/200")
    Fraction(989, 200)
    """
    if not isinstance(text, str) or not _RATIONAL.fullmatch(text):
        raise ValueError
    return Fraction(text)


class _Reader:
    """Reads a statement and collects what does not follow."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def guarantee(self, stated: Stated) -> Guarantee:
        """The tree, with costs computed from the leaves, and the delta at which a release states its epsilon."""
        tree = self._tree(stated, stated["composition"])
        if "approximate_dp" not in stated:
            return tree
        delta = stated["approximate_dp"]["delta"]
        if not isinstance(delta, str) or not is_chance_text(delta):
            raise ValueError
        return replace(tree, delta=delta)

    def earlier(self, stated: Stated) -> tuple[Guarantee, ...]:
        """The trees of the releases that this one adds to."""
        parts = stated["adds_to"]
        if not isinstance(parts, list):
            raise TypeError
        return tuple(self._tree(stated, each["composition"]) for each in parts)

    def _tree(self, stated: Stated, node: Mapping[str, Any]) -> Guarantee:
        name = stated["neighbours"]
        relation = Relation(_among(get_args(Change), name["change"]), _among(get_args(Unit), name["unit"]))
        measure = cast(Measure, _among(get_args(Measure), stated["measure"]["name"]))
        return self._node(node, relation, measure, 0)

    def _node(self, node: Mapping[str, Any], relation: Relation, measure: Measure, depth: int) -> Guarantee:
        name = node["name"]
        if not isinstance(name, str) or depth > DEEPEST:
            raise ValueError
        result = Guarantee(name, relation, self._event(node, relation, measure, depth))
        if result.cost.measure != measure:
            self.problems.append(_wrong(shown(name), "is of another measure than the file states"))
        self._same(f"cost of {shown(name)}", amount(result.cost), node["cost"])
        return result

    def _event(
        self, node: Mapping[str, Any], relation: Relation, measure: Measure, depth: int
    ) -> events.Event | Composition:
        if "parts" not in node:
            return events.read(node["event"], rational)
        parts = tuple(self._node(part, relation, measure, depth + 1) for part in node["parts"])
        match _among(("sequential", "bounded overlap", "residuals"), node["composition"]):
            case "sequential":
                return Sequential(parts)
            case "bounded overlap":
                return BoundedOverlap(parts, node["overlap"])
        columns = tuple(tuple(part) for part in node["columns"])
        parameters = tuple(tuple(part.event.sigma_squared for part in level.parts) for level in parts)  # type: ignore[union-attr]
        joint = ResidualEvents(tuple(node["sizes"]), columns, node["records"], node["apart"], parameters)
        return JointResiduals(parts, joint)

    def compare(self, stated: Stated, guarantee: Guarantee) -> None:
        """What stands beside the tree."""
        relation, measure = guarantee.relation, guarantee.cost.measure
        self._same("neighbours", neighbours(relation), stated["neighbours"])
        self._same("protected_unit", relation.unit, stated["protected_unit"])
        self._same("measure", {"name": measure, "definition": DEFINITIONS[measure]}, stated["measure"])
        self._losses("", stated, guarantee)
        earlier = self.earlier(stated)
        for computed, part in zip(earlier, stated["adds_to"], strict=True):
            self._same("adds_to", amount(computed.cost), part["cost"])
        if earlier:
            self._losses("joint.", stated["joint"], joint_as_stated(guarantee, earlier, stated["joint"]))
        else:
            self._same("joint", None, stated["joint"])

    def _losses(self, place: str, part: Mapping[str, Any], guarantee: Guarantee) -> None:
        """A cost under both adjacencies, and in the terms of approximate DP."""
        self._same(f"{place}cost", claim(guarantee).adjacencies(), part["cost"])
        computed, published = Fraction(claim(guarantee).epsilon), part["approximate_dp"]
        number, delta = published["epsilon"], published["delta"]
        if not isinstance(number, str) or not re.fullmatch(r"[0-9]{1,40}(\.[0-9]{1,40})?", number):
            raise ValueError
        if delta != guarantee.delta or abs(Fraction(number) - computed) > CLOSE * computed:
            problem = f"states epsilon {number} and the parts give {decimal_up(computed)} at delta {guarantee.delta}"
            self.problems.append(_wrong(f"{place}approximate_dp", problem))

    def _same(self, field: str, computed: Json, published: object) -> None:
        if computed != published:
            self.problems.append(_wrong(field, "does not follow from the events and compositions that the file states"))


def _among(allowed: tuple[Any, ...], value: object) -> Any:
    if value not in allowed:
        raise ValueError
    return value


def _wrong(field: str, problem: str) -> Problem:
    return Problem(field, problem, DOWNLOAD_AGAIN, FILE)
