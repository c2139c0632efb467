"""The grammar of the plan file of areas: every key, what it states, and what is refused."""

from fractions import Fraction
from typing import Final

from starling.places.areas.plan.areas_grammar import PROJECTED
from starling.places.areas.plan.columns import AreaColumns
from starling.places.plan.grammar import INPUT, SLICES, VALUE_KEY
from starling.places.plan.unit_keys import (
    POINT_KEYS,
    check_records_of_person,
    distinct_key,
    exact_numbers,
    read_amount,
    record_keys,
)
from starling.planfile.formats import FORMAT_KEY
from starling.planfile.grammar import Key, Table, Values
from starling.planfile.kinds import budget, table, text
from starling.planfile.toml import Section


def _read_shares(section: Section, key: str, values: Values) -> tuple[Fraction, ...] | None:
    areas = values["areas"]
    if areas is None:
        return None
    levels = areas.level_names
    fix = f"give one for each of {', '.join(levels)}"
    return section.numbers(key, len(levels), f"are not {len(levels)} exact numbers", fix)


def _check_privacy(section: Section, values: Values) -> None:
    amount = read_amount(section, values)
    check_records_of_person("point")(section, values)
    values["measure"], values["amount"] = amount
    if values["shares"] is None and values["areas"] is not None:
        values["shares"] = (Fraction(1),) * len(values["areas"].level_names)


PRIVACY: Final = Table(
    {
        **POINT_KEYS,
        "distinct_areas": distinct_key("area"),
        "epsilon": Key(
            "The whole budget; or `rho`.",
            budget('write it like "1"'),
            default=None,
            value=lambda plan: plan.amount if plan.measure == "epsilon" else None,
        ),
        "rho": Key(
            "The whole budget, for zero-concentrated privacy and Gaussian noise.",
            budget('write it like "0.1"'),
            default=None,
            value=lambda plan: plan.amount if plan.measure == "rho" else None,
        ),
        "shares": Key(
            "What each level gets of the budget, in proportion: the whole first, then `levels`, the areas last. Equal without it.",
            exact_numbers(_read_shares),
            default=None,
        ),
    },
    check=_check_privacy,
)
AREA_INPUT: Final = Table(
    {
        "area": Key(
            "In place of where a point lies: column with the id of its area.", text("name a column"), default=""
        ),
        **INPUT.keys,
    },
    make=AreaColumns,
)
AREA_PLAN: Final = Table(
    {
        **record_keys("point", "pickup"),
        "areas": Key("The public areas.", table(PROJECTED)),
        "input": Key("Where records say what.", table(AREA_INPUT), field="columns"),
        "format": FORMAT_KEY,
        "privacy": Key("What is promised.", table(PRIVACY)),
        "slices": Key("Slices of the points by time, or by another public list.", table(SLICES), default=None),
        "value": VALUE_KEY,
    }
)
