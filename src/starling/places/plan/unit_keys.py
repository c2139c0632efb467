"""Keys that plans of grids, areas and flows have in common: what is counted, and whose data the guarantee hides."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from starling.places.plan.choices import MOST_EXPECTED, MOST_POINTS
from starling.planfile.grammar import Key, Kind, Values
from starling.planfile.kinds import EXACT, choice, flag, text, whole
from starling.planfile.toml import Section
from starling.planfile.values import exact_text
from starling.privacy.budget import Measure


def unit_keys(record: str) -> dict[str, Key]:
    """Whether a record or a person is hidden, and how many records of a person count.

    `record` is the word for one, as the key and the plan's attribute have it: `point` gives `points_per_person` and `points`.
    """
    return {
        "unit": Key(
            f"Whose data the guarantee hides: one {record}, or one person with all {record}s.",
            choice((record, "person"), f'write "{record}" or "person": whose data the guarantee hides'),
        ),
        f"{record}s_per_person": Key(
            f"Of persons, where it is needed: k, the most {record}s of one that count.",
            whole(1, MOST_POINTS),
            default=1,
            field=f"{record}s",
            value=lambda plan: getattr(plan, f"{record}s") if plan.unit == "person" else None,
        ),
    }


def record_keys(record: str, example: str) -> dict[str, Key]:
    """The keys with which every plan begins: a title, what a `record` is in a word, and how many are expected."""
    return {
        "title": Key("For people; stands on the report.", text("say what is published")),
        record: Key("What is counted, in a word.", text(f'say it in a word, as in {record} = "{example}"')),
        "expected": Key(
            f"About how many {record}s there are, publicly, for previews.", whole(0, MOST_EXPECTED), default=None
        ),
    }


def check_records_of_person(record: str) -> Callable[[Section, Values], None]:
    """Checks that a plan of persons says how many records of one count; raises PlanError as reading a missing key does."""
    key = f"{record}s_per_person"

    def check(section: Section, values: Values) -> None:
        if values["unit"] == "person" and key not in section.values:
            section.whole(key, 1, MOST_POINTS)

    return check


def read_amount(section: Section, values: Values) -> tuple[Measure, Fraction]:
    """Of a plan by epsilon or by rho, which of them, and the whole budget; refuses both, and none."""
    if ("epsilon" in section.values) == ("rho" in section.values):
        section.refuse("epsilon", "and rho are both there, or none", 'write epsilon = "1", or rho for zCDP')
    epsilon, rho = values.pop("epsilon"), values.pop("rho")
    return ("epsilon", epsilon) if rho is None else ("rho", rho)


def exact_numbers(read: Callable[[Section, str, Values], Any]) -> Kind:
    """A list of exact numbers, which a function reads."""
    schema = {"type": "array", "items": EXACT}
    return Kind("list of exact numbers", schema, read, lambda numbers: list(map(exact_text, numbers)))


def distinct_key(cell: str) -> Key:
    """Whether several points of a person in one cell count once; `cell` is the word for one."""
    return Key(
        f"Of persons: whether points of one in one {cell} of one slice count once.",
        flag(),
        default=False,
        field="distinct",
        value=lambda plan: plan.distinct if plan.unit == "person" else None,
    )


POINT_KEYS: Final = unit_keys("point")
"""Those of points."""
