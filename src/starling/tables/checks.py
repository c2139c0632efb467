"""What SafeTab 2022, Section 1, asks of a release of tables, each wish a check that verification runs by its name.

The wishes are the paper's. What is compared is the release with the public plan and with its own noisy measurements, so a check
holds for the folder, whatever program wrote it, and says nothing of how the noise was drawn.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from starling.errors import IntegrityError
from starling.release.manifest import AGAIN


class Wish(StrEnum):
    """The six desiderata in the paper's order, then what any folder of tables must be besides."""

    PRIVACY = "privacy"
    GROUPS = "population groups"
    ADAPTIVITY = "adaptivity"
    ACCURACY = "accuracy"
    INTEGRALITY = "integrality"
    NO_CONSISTENCY = "no consistency"
    FORMS = "forms"
    PAGES = "pages"


SAYS: Final[Mapping[Wish, str]] = {
    Wish.PRIVACY: "noise and cost are the plan's, for one person more or less; nothing is exact",
    Wish.GROUPS: "measured is every group of the plan; published is each that the plan publishes",
    Wish.ADAPTIVITY: "a group has the ages and sexes that its first noisy total chooses",
    Wish.ACCURACY: "margins of error, standard deviations and intervals are those of the noise",
    Wish.INTEGRALITY: "every measurement and every count is an integer",
    Wish.NO_CONSISTENCY: "a count is what the measurements give by the plan alone, negative where the plan allows it",
    Wish.FORMS: "the files are those of a tables release, and its texts say what its tables say",
    Wish.PAGES: "report, its pictures aside, registry entry and data package are what plan, charge and tables give",
}

COLUMNS: Final[Mapping[str, Wish]] = {
    "region_id": Wish.GROUPS,
    "region_type": Wish.GROUPS,
    "region_name": Wish.GROUPS,
    "iteration_code": Wish.GROUPS,
    "iteration_name": Wish.GROUPS,
    "age_start": Wish.ADAPTIVITY,
    "age_end": Wish.ADAPTIVITY,
    "sex": Wish.ADAPTIVITY,
    "count": Wish.NO_CONSISTENCY,
    "post_processed": Wish.NO_CONSISTENCY,
    "standard_deviation": Wish.ACCURACY,
    "lower": Wish.ACCURACY,
    "upper": Wish.ACCURACY,
}
"""Which wish a published column serves."""

ROWS: Final[Mapping[str, Wish]] = {"t1": Wish.GROUPS, "t2": Wish.ADAPTIVITY}
"""Which wish says how many rows a table has."""

STATED: Final[Mapping[str, Wish]] = {
    "states": Wish.GROUPS,
    "puerto_rico": Wish.GROUPS,
    "geography": Wish.GROUPS,
    "iteration_level": Wish.GROUPS,
    "regions": Wish.GROUPS,
    "iterations": Wish.GROUPS,
    "suppression_chance": Wish.GROUPS,
    "suppressed_up_to": Wish.GROUPS,
    "branches": Wish.ADAPTIVITY,
    "thresholds": Wish.ADAPTIVITY,
    "confidence": Wish.ACCURACY,
    "margins_of_error": Wish.ACCURACY,
    "negative_counts_published": Wish.NO_CONSISTENCY,
    "both_stages": Wish.NO_CONSISTENCY,
    "stage_1_weights": Wish.NO_CONSISTENCY,
    "add_up": Wish.NO_CONSISTENCY,
    "given_published": Wish.ACCURACY,
}
"""Which wish a public parameter in privacy.json serves; all others say how the noise is made, and serve privacy."""


class Broken(IntegrityError):
    """A file of a release that does not keep one of the wishes, so that no more can be read of it."""

    def __init__(self, wish: Wish, name: str, problem: str) -> None:
        super().__init__(field=name, problem=problem, fix=AGAIN)
        self.wish = wish


def differences(ours: Any, said: Any, path: str) -> list[tuple[str, Wish]]:
    """Where a stated parameter is not what the plan gives, as a path, and which wish that breaks.

    >>> differences({"a": 1, "thresholds": [1, 2]}, {"a": 1, "thresholds": [1, 3]}, "x")
    [('x.thresholds', <Wish.ADAPTIVITY: 'adaptivity'>)]
    """
    if ours == said:
        return []
    name = path.rsplit(".", 1)[-1]
    if name in STATED:
        # The parameter as a whole: levels of regions are named like the list of them.
        return [(path, STATED[name])]
    if isinstance(ours, dict) and isinstance(said, dict) and ours.keys() == said.keys():
        return [each for key in ours for each in differences(ours[key], said[key], f"{path}.{key}")]
    if isinstance(ours, list) and isinstance(said, list) and len(ours) == len(said) and ours:
        pairs = enumerate(zip(ours, said, strict=True), 1)
        return [each for number, (one, other) in pairs for each in differences(one, other, f"{path}.{number}")]
    return [(path, Wish.PRIVACY)]
