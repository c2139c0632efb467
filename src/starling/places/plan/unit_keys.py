"""Keys that plans of grids, areas and flows have in common: what is counted, and whose data the guarantee hides."""

from typing import Final

from starling.places.plan.choices import MOST_EXPECTED, MOST_POINTS
from starling.planfile.grammar import Key, Values
from starling.planfile.kinds import choice, flag, text, whole
from starling.planfile.toml import Section


def unit_keys(record: str, most: int) -> dict[str, Key]:
    """Whether a record or a person is hidden, and how many records of a person count: from 1 to `most`.

    `record` is the word for one, as the key and the plan's attribute have it: `point` gives `points_per_person` and `points`.
    """
    return {
        "unit": Key(
            f"Whose data the guarantee hides: one {record}, or one person with all {record}s.",
            choice((record, "person"), f'write "{record}" or "person": whose data the guarantee hides'),
        ),
        f"{record}s_per_person": Key(
            f"Of persons, where it is needed: k, the most {record}s of one that count.",
            whole(1, most),
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


def check_records_of_person(section: Section, values: Values, record: str, most: int) -> None:
    """A plan of persons says how many records of one count; raises PlanError as reading a missing key does."""
    key = f"{record}s_per_person"
    if values["unit"] == "person" and key not in section.values:
        section.whole(key, 1, most)


def distinct_key(cell: str) -> Key:
    """Whether several points of a person in one cell count once; `cell` is the word for one."""
    return Key(
        f"Of persons: whether points of one in one {cell} of one slice count once.",
        flag(),
        default=False,
        field="distinct",
        value=lambda plan: plan.distinct if plan.unit == "person" else None,
    )


POINT_KEYS: Final = unit_keys("point", MOST_POINTS)
"""Those of points."""
