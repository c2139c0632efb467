"""The plan file of tables as a JSON Schema, by which editors complete keys and mark wrong ones; the readers alone say what a plan is.

A file that the readers take keeps the schema. The schema says which keys there are, of which kind, and what they mean; what goes together
it does not say.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, get_args

from starling.tables.plan.accuracy_targets import NUMBERS
from starling.tables.plan.aggregates import OF_SUMS, Way
from starling.tables.plan.codebook import MOST_RACE_CODES, GeographyLevel
from starling.tables.plan.columns import MOST_PLACES, MOST_SEVERAL
from starling.tables.plan.custom_readable import MOST_RECORDS, UNITS
from starling.tables.plan.definitions import LEVELS, WHERE

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_Schema = dict[str, Any]


def plan_file_schema() -> _Schema:
    """The schema: an object that is a plan of the Census, or one about custom records."""
    return {"$schema": DIALECT, "title": "Plan of tables", "anyOf": [_census(), _custom()]}


def _census() -> _Schema:
    levels = {
        "geography": _one_of("What the regions of the level are.", [level.value for level in GeographyLevel]),
        "groups": _one_of("Which iterations the level has.", LEVELS),
        "thresholds": _whole_numbers("Noisy totals from which a group gets sex by 4, 9 and 23 age bands."),
        **_PRICE,
    }
    groups = {
        "name": _text("What the group is called."),
        "kind": _one_of("Whose codes they are.", ["race", "ethnicity"]),
        "level": _one_of("Where the group is tabulated.", LEVELS),
        "codes": _texts("Four-digit codes of the group."),
        "alone": _text("Iteration code: all race codes of a person are in the group."),
        "combined": _text("Iteration code: a race code of a person is in the group."),
        "code": _text("Iteration code of an ethnicity group."),
        "within": _text("A group above that holds all of the codes."),
        "tabulate": _one_of("Where it is tabulated, and how.", WHERE),
    }
    area = {
        "states": {"description": 'Two-digit codes of states, or "all".', "anyOf": [{"const": "all"}, _texts("")]},
        "puerto-rico": _flag("Whether Puerto Rico is tabulated."),
    }
    races = {"race-codes": _integer("Race columns that are read of a record.", 1, MOST_RACE_CODES)}
    return _table(
        "A plan about person records of the Census.",
        {
            "title": _TITLE,
            "definitions": _text("The folder of the four Census definition files, from the plan file."),
            "codes": {
                "description": "The name of each code.",
                "type": "object",
                "additionalProperties": {"type": "string"},
            },
            "groups": _tables(_table("A set of race or ethnicity codes.", groups, ("name", "kind", "level", "codes"))),
            "privacy": _privacy(UNITS[:1]),
            "records": _table("What is read of a record.", races, races),
            "area": _table("What is tabulated.", area),
            "publication": _PUBLICATION,
            "levels": _tables(_table("A population group level.", levels, ("geography", "groups", "thresholds"))),
        },
        ("title", "privacy", "records", "area", "publication", "levels"),
    )


def _custom() -> _Schema:
    columns = {
        "name": _text("The attribute, and its column in the records unless fields says others."),
        "fields": _texts("The columns of the records that say it."),
        "values": {
            "description": "The values as a list, or codes with their texts.",
            "anyOf": [_texts(""), {"type": "object", "additionalProperties": {"type": "string"}}],
        },
        "file": _text("A CSV file of codes, with their texts in a second column, from the plan file."),
        "other": _text("The value of records whose field is missing or says none of the values."),
        "from": _exact("The least number; a whole one unless the column has decimals."),
        "to": _exact("The largest number."),
        "decimals": _integer("The digits after the point of a column for sums and quantiles.", 0, MOST_PLACES),
        "unit": _integer("In place of decimals: the power of ten to which numbers are rounded.", 10, 10**MOST_PLACES),
        "periods": _texts("Dates at which periods begin, and at which the last one ends."),
        "separator": _text("The mark between several values in a field."),
        "most": _integer("The most values that are read of a record.", 1, MOST_SEVERAL),
    }
    regions = {
        "column": _text("The column of the records that says the smallest area."),
        "file": _text("A CSV file with a row for each smallest area and a column for each level, from the plan file."),
        "rows": {"description": "The table in place of a file.", "type": "array", "items": _texts("")},
        "levels": _texts("The columns of the table that are levels, from large to small."),
        "small": _texts("Levels whose small bare totals are left out."),
    }
    groups = {
        "name": _text("What the family of groups is called."),
        "columns": _texts("A group for each combination of their values; none for the one group of everybody."),
        "cuts": {
            "description": "Where classes of whole numbers begin, by column.",
            "type": "object",
            "additionalProperties": _whole_numbers(""),
        },
        "sets": {
            "description": "Groups by name, each a list of values of the one column.",
            "type": "object",
            "additionalProperties": _texts(""),
        },
        "match": _one_of("Whether one value of a record, or all of them, must be in the set.", ["one", "all"]),
        "detail": _one_of("Whether each group is measured once, as a bare total.", ["adaptive", "total"]),
    }
    step = {"type": "object", "additionalProperties": {"anyOf": [{"type": "boolean"}, _whole_numbers("")]}}
    detail = {
        "columns": _texts("Columns of which a record has one value."),
        "steps": {"description": "What each step cuts, by column.", "type": "array", "items": step},
    }
    most = {
        f"of-a-{unit}": _integer(f"The most records of a {unit} that are counted.", 1, MOST_RECORDS) for unit in UNITS
    }
    whose: dict[str, _Schema] = {unit: _text(f"The column that says which {unit} a record is of.") for unit in UNITS}
    records = {
        **most,
        **whose,
        "expected": _integer("About how many records there are, a public guess.", 1),
    }
    levels = {
        "regions": _text("A level of [regions]."),
        "groups": _text("A family of [[groups]]."),
        "thresholds": _whole_numbers("Noisy totals from which a group gets each step of the detail."),
        **_PRICE,
    }
    sums = {
        "of": _text("A column of numbers, with from and to."),
        "regions": _text("A level of [regions]."),
        "groups": _text("A family of [[groups]]."),
        "budget": _PRICE["budget"],
    }
    margins = {
        "number": _one_of("Which number of a group.", OF_SUMS),
        "within": _exact("How far off it may be, in 95 of 100 cases: records, or the unit of the column."),
        "records": _integer("Of a mean: in groups of so many records.", 1),
    }
    quantiles = sums | {
        "shares": _texts('Shares of the records, in hundredths, such as "0.5" for the median.'),
        "classes": {
            "description": "Where classes of the numbers begin; without it each whole number is one.",
            "type": "array",
            "items": {"type": ["integer", "string"]},
        },
        "way": _one_of("Noisy counts of classes, or selection of one; without it the better one.", get_args(Way)),
    }
    return _table(
        "A plan of custom tables.",
        {
            "title": _TITLE,
            "privacy": _privacy(UNITS),
            "records": _table("Whose records they are.", records),
            "columns": _tables(_table("A column with its public values.", columns, ("name",))),
            "regions": _table("The public table of areas.", regions, ("column", "levels")),
            "groups": _tables(_table("A family of groups.", groups, ("name", "columns"))),
            "detail": _table("A chain of partitions, from the total on.", detail, ("columns", "steps")),
            "publication": _PUBLICATION,
            "levels": _tables(_table("A level: regions by a family of groups.", levels, ("groups",))),
            "sums": _tables(
                _table(
                    "Sums and means of a column in each group.",
                    sums | {"margins": _tables(_table("A margin that is kept.", margins, ("number", "within")))},
                    ("of", "groups"),
                )
            ),
            "quantiles": _tables(
                _table("Quantiles of a column in each group.", quantiles, ("of", "groups", "budget", "shares"))
            ),
        },
        ("title", "privacy", "records", "groups", "publication"),
    )


def _privacy(units: Iterable[str]) -> _Schema:
    return _table(
        "What is promised.",
        {
            "unit": _one_of("Whose data the guarantee hides.", units),
            "neighbours": _one_of("Databases that differ by one of them.", ["add-remove"]),
            "measure": _one_of("Pure differential privacy, or zCDP.", ["epsilon", "rho"]),
            "stage-1-share": _exact(
                'The share of a group\'s budget for the total that chooses its detail; or "cheapest".'
            ),
        },
        ("unit", "neighbours", "measure"),
    )


def _table(what: str, properties: Mapping[str, _Schema], required: Iterable[str] = ()) -> _Schema:
    return {
        "description": what,
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def _tables(item: _Schema) -> _Schema:
    return {"type": "array", "minItems": 1, "items": item}


def _text(what: str) -> _Schema:
    return {"description": what, "type": "string", "minLength": 1}


def _texts(what: str) -> _Schema:
    return {"description": what, "type": "array", "items": {"type": "string"}}


def _flag(what: str) -> _Schema:
    return {"description": what, "type": "boolean"}


def _integer(what: str, low: int | None = None, high: int | None = None) -> _Schema:
    bounds = {"minimum": low, "maximum": high}
    return {"description": what, "type": "integer"} | {name: each for name, each in bounds.items() if each is not None}


def _whole_numbers(what: str) -> _Schema:
    return {"description": what, "type": "array", "items": {"type": "integer"}}


def _one_of(what: str, values: Iterable[str]) -> _Schema:
    return {"description": what, "enum": list(values)}


def _exact(what: str) -> _Schema:
    return {
        "description": f'{what} An exact number is a text such as "0.1"; a float is refused.',
        "type": ["string", "integer"],
    }


_TITLE: Final = _text("What the tables are, for people to read.")
_MARGIN: Final = _table(
    "A margin of error that the numbers keep.",
    {
        "number": _one_of("Which number of the tables.", NUMBERS),
        "within": {
            "description": 'Persons; or beside persons a percentage such as "1 %".',
            "type": ["string", "integer"],
        },
        "ages": _integer("In groups that are published by so many age bands."),
        "persons": _integer("In groups of this size.", 1),
        "confidence": _exact("The least chance that the error is within."),
    },
    ("number", "within"),
)
_PRICE: Final = {
    "budget": _exact("Epsilon or rho of the whole level."),
    "margins": {"description": "In place of a budget.", "type": "array", "minItems": 1, "items": _MARGIN},
}
_PUBLICATION: Final = _table(
    "What is published of what was measured.",
    {
        "negative-counts": _flag("Whether negative counts are published, or raised to 0."),
        "suppression": _exact("A small bare total is left out unless it is above this quantile of its noise."),
        "totals": _one_of("Which measurements a total is made of.", ["second stage", "both stages"]),
        "intervals": _one_of("What the chance of an interval is given.", ["all groups", "published"]),
        "add-up": _flag("Whether totals add up over nested regions."),
        "data-structure": _text("The SDMX data structure that the numbers keep: AGENCY:ID(1.0)."),
    },
    ("negative-counts",),
)
