"""The grammar of the plan file of trips on a grid: every key, what it states, and what is refused."""

from typing import Final

from starling.places.plan.grammar import GRID
from starling.places.plan.trips import COORDINATES
from starling.places.plan.unit_keys import check_records_of_person, record_keys, unit_keys
from starling.places.trips.plan.columns import Ends
from starling.planfile.formats import FORMAT_KEY
from starling.planfile.grammar import Key, Table
from starling.planfile.kinds import budget, table, text

_WHERE: Final = "Columns of longitudes and latitudes, or of x and y in plain units."
_FLOWS: Final = Table(
    {
        **dict.fromkeys(COORDINATES, Key(_WHERE, text("name a column of coordinates"))),
        "person": Key(
            "Column that says whose a trip is, where persons are protected.", text("name a column"), default=""
        ),
    },
    make=Ends,
)


_PRIVACY: Final = Table(
    {**unit_keys("trip"), "epsilon": Key("The whole budget.", budget('write it like "0.5"'))},
    check=check_records_of_person("trip"),
)
TRIPS: Final = Table(
    {
        **record_keys("trip", "taxi trip"),
        "grid": Key("The public grid, of both ends.", table(GRID)),
        "flows": Key("Where records say from where to where.", table(_FLOWS), field="columns"),
        "format": FORMAT_KEY,
        "privacy": Key("What is promised.", table(_PRIVACY)),
    }
)
