"""Keys of `[privacy]` that say whose data the guarantee hides, of grids, areas and flows."""

from typing import Final

from starling.places.plan.choices import MOST_POINTS
from starling.planfile.grammar import Key, Values
from starling.planfile.kinds import choice, flag, whole
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
