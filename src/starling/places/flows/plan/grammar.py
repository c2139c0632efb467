"""The grammar of the plan file of flows: every key, what it states, and what is refused."""

from fractions import Fraction
from typing import Final

from starling.places.areas.plan.areas_grammar import AREAS
from starling.places.flows.plan.choices import Ends
from starling.places.plan.grammar import SLICES
from starling.places.plan.trips import COORDINATES
from starling.places.plan.unit_keys import check_records_of_person, exact_numbers, read_amount, record_keys, unit_keys
from starling.planfile.formats import FORMAT_KEY
from starling.planfile.grammar import Key, Table, Values
from starling.planfile.kinds import budget, table, text, texts
from starling.planfile.toml import Section
from starling.privacy.budget import Epsilon, Rho

_COLUMN: Final = text("name a column")


def _shares(section: Section, key: str, _: Values) -> tuple[Fraction, ...]:
    section.texts(key, fix := 'write them like ["1/8", "1/8", "3/4"]')
    values = section.values[key]
    many = len(values) if isinstance(values, list) else 1
    return section.numbers(key, many, "are not all exact numbers", fix)


_FLOWS: Final = Table(
    {
        "origin": Key("Column of the ids of areas where trips begin.", _COLUMN, default=""),
        "destination": Key("Column of the ids of areas where they end.", _COLUMN, default=""),
        **dict.fromkeys(COORDINATES, Key("In place of ids: columns of longitudes and latitudes.", _COLUMN, default="")),
        "stops": Key(
            "Columns of the ids of areas where trips stop on their way, in order: then their legs are counted.",
            texts('write stops = ["via"]'),
            default=(),
            value=lambda columns: columns.stops or None,
        ),
        "stops_x": Key(
            "In place of ids of stops: columns of longitudes and of latitudes, as many of each.",
            texts('write stops_x = ["via_lon"]'),
            default=(),
            value=lambda columns: columns.stops_x or None,
        ),
        "stops_y": Key(
            "In place of ids of stops: columns of longitudes and of latitudes, as many of each.",
            texts('write stops_y = ["via_lat"]'),
            default=(),
            value=lambda columns: columns.stops_y or None,
        ),
        "person": Key("Column that says whose a trip is, where persons are protected.", _COLUMN, default=""),
        "time": Key("Column that sorts trips into slices.", _COLUMN, default=""),
        "category": Key("Column of the second public list, `slices.categories`.", _COLUMN, default=""),
    },
    make=Ends,
)


def _check_privacy(section: Section, values: Values) -> None:
    check_records_of_person("trip")(section, values)
    measure, amount = read_amount(section, values)
    values["cost"] = Epsilon(amount or Fraction(1)) if measure == "epsilon" else Rho(amount)


def _amount(kind: type[Epsilon] | type[Rho], what: str) -> Key:
    return Key(
        what,
        budget('write it like "0.5"'),
        default=None,
        value=lambda plan: plan.cost.amount if isinstance(plan.cost, kind) else None,
    )


_PRIVACY: Final = Table(
    {
        **unit_keys("trip"),
        "epsilon": _amount(Epsilon, "The whole budget of pure differential privacy."),
        "rho": _amount(Rho, "In place of it: that of zCDP."),
        "shares": Key(
            "What each level of areas gets of each end, in proportion: the whole first, the areas last; 0 leaves one out.",
            exact_numbers(_shares),
            default=(),
            value=lambda plan: plan.shares or None,
        ),
    },
    check=_check_privacy,
)
FLOWS: Final = Table(
    {
        **record_keys("trip", "taxi trip"),
        "areas": Key("The public areas.", table(AREAS)),
        "flows": Key("Where records say from where to where.", table(_FLOWS), field="columns"),
        "format": FORMAT_KEY,
        "privacy": Key("What is promised.", table(_PRIVACY)),
        "slices": Key("Slices of the trips by time, or by another public list.", table(SLICES), default=None),
    }
)
