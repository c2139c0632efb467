"""The Census configuration folder, read unchanged: `config.json` with the production keys, and the four definition files.

Numbers are read as the decimals they are written as, never through binary floats. Where the production system takes bad input
(text or negative budgets, unknown keys, four thresholds) this refuses; it refuses with every problem of the folder at once.
"""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from starling.errors import ParameterError, PlanError, Problem
from starling.planfile.grammar import Key, Kind, Schema, Table, Values
from starling.planfile.json_object import parse_object
from starling.planfile.kinds import TEXTS, aside, choice, flag, whole
from starling.planfile.toml import Float, Section, read_file
from starling.privacy.budget import Measure, exact
from starling.tables.plan.census_grammar import read_states
from starling.tables.plan.census_records import CENSUS_PARTS, CensusRecords
from starling.tables.plan.choices import Choices, all_levels, within
from starling.tables.plan.definitions import read_definitions
from starling.tables.plan.grammar import read_thresholds
from starling.tables.plan.iterations import MOST_RACE_CODES
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.plan.solving import Stated, population_levels

CONFIG: Final = "config.json"
BUDGETS: Final = {
    f"privacy_budget_p_level_{level}_{geography.value.lower().replace('-', '_')}": (geography, level)
    for geography, level in all_levels(us=True, pr=True)
}
THRESHOLDS: Final = {level: f"({level[0]}, {level[1]})" for level in BUDGETS.values()}
MEASURES: Final[dict[str, Measure]] = {"puredp": "epsilon", "zcdp": "rho"}
LARGEST_THRESHOLD: Final = 10**18 - 1
_STATES: Final = 'write a list of two-digit codes, such as ["01", "02"]'


def _amount(condition: str, holds: Callable[[Fraction], bool], schema: Schema) -> Kind:
    """A JSON number, read as the decimal that it is written as; 0 after a refusal."""

    def read(section: Section, key: str, _: Values) -> Fraction:
        value, fix = section.values.get(key), f"write a number {condition}"
        written = value.text if isinstance(value, Float) else value if type(value) is int else None
        if written is None:
            problem = "is not a number" if key in section.values else "is missing"
            section.refuse(key, problem, f"{fix}, without quotes")
            return Fraction(0)
        try:
            number = exact(written, field=key)
        except ParameterError as error:
            section.refuse(key, error.problems[0].problem, error.problems[0].fix)
            return Fraction(0)
        if not holds(number):
            section.refuse(key, f"is not {condition}", fix)
        return number

    return Kind(f"number {condition}", {"type": "number", **schema}, read, float)


def _read_thresholds(section: Section, key: str, _: Values) -> dict[str, Any]:
    if not isinstance(section.values.get(key), dict):
        fix = 'write {"(USA, 1)": [5000, 20000, 150000], ...}'
        section.refuse(key, "is not an object" if key in section.values else "is missing", fix)
        return {}
    return {"thresholds": _CUTS.parse(section.table(key))}


def _check(top: Section, values: Values) -> None:
    """The `levels` that are run with a budget, with budget and thresholds, and the `records`."""
    us, pr, states = values["run_us"], values["run_pr"], values["states"]
    if top.values.get("run_us") is False and top.values.get("run_pr") is False:
        top.refuse("run_us", "and run_pr are both false, so nothing would be tabulated", "run at least one")
    if us and not states and top.values.get("state_filter_us") == []:
        top.refuse("state_filter_us", "is empty, but run_us is true", "list the states to tabulate")
    run = set(all_levels(us=us, pr=pr))
    budgets = {level: values[key] for key, level in BUDGETS.items() if level in run}
    if budgets and not any(budgets.values()):
        top.refuse("privacy_budget_p_level_*", "are all 0, so nothing would be tabulated", "give a level a budget")
    if "thresholds" not in values:
        return
    cuts = values["thresholds"]
    values["levels"] = {level: Stated(budget, cuts[THRESHOLDS[level]]) for level, budget in budgets.items() if budget}
    for level in values["levels"]:
        if cuts[THRESHOLDS[level]] == ():
            fix = "give three thresholds"
            top.table("thresholds_p").refuse(THRESHOLDS[level], "is missing, and the level has a budget", fix)
    if not top.problems:
        values["records"] = CensusRecords(values["max_race_codes"], states if us else frozenset(), pr)


_CUTS: Final = Table(
    {
        name: Key(
            "`thresholds` of that level; needed where it is run with a budget.",
            Kind(
                "list of 3 integers",
                {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 3, "maxItems": 3},
                lambda section, key, _: read_thresholds(section, SEX_BY_AGE, key, LARGEST_THRESHOLD),
            ),
            default=(),
            field=name,
        )
        for name in THRESHOLDS.values()
    }
)
CONFIGURATION: Final = Table(
    {
        "max_race_codes": Key("`records.race-codes` of a plan file.", whole(1, MOST_RACE_CODES)),
        **{
            name: Key(
                "`budget` of that level; 0 switches it off.",
                _amount("of 0 or more", lambda budget: budget >= 0, {"minimum": 0}),
            )
            for name in BUDGETS
        },
        "privacy_budget_p_stage_1_fraction": Key(
            "`privacy.stage-1-share`.",
            _amount("above 0 and below 1", lambda share: 0 < share < 1, {"exclusiveMinimum": 0, "exclusiveMaximum": 1}),
            field="gamma",
        ),
        "thresholds_p": Key("By level.", Kind("object", _CUTS.schema(), _read_thresholds, of_whole=True, inside=_CUTS)),
        "zero_suppression_chance": Key(
            "`publication.suppression`.",
            _amount("of 0 or more and below 1", lambda chance: 0 <= chance < 1, {"minimum": 0, "exclusiveMaximum": 1}),
            default=Fraction(0),
            field="suppression",
        ),
        "allow_negative_counts": Key("`publication.negative-counts`.", flag(), field="allow_negative"),
        "run_us": Key("Whether the United States are tabulated.", flag()),
        "run_pr": Key("`area.puerto-rico`.", flag()),
        "state_filter_us": Key(
            "`area.states`, where `run_us` is true.",
            Kind("list of texts", TEXTS, lambda section, key, _: read_states(section, key, _STATES)),
            field="states",
        ),
        "privacy_defn": Key(
            '`privacy.measure`: `"puredp"` is epsilon, `"zcdp"` rho.',
            choice(MEASURES, 'write "puredp" (epsilon) or "zcdp" (rho)'),
        ),
        "reader": Key(
            "Ignored: which of the production system's readers opens the records, which are given by name here.",
            aside("anything", {}),
            default={},
        ),
    },
    check=_check,
)
"""The grammar of `config.json`."""


def read_census(folder: Path) -> Choices:
    """What the plan of a Census configuration folder states.

    Raises:
        PlanError: with every problem of config.json and of the definition files.
    """
    problems: list[Problem] = []
    parts: list[Any] = []
    for read in (
        lambda: CONFIGURATION.read(read_file(folder / CONFIG, parse_object)),
        lambda: read_definitions(folder),
    ):
        try:
            parts.append(read())
        except PlanError as error:
            problems += error.problems
    PlanError.check(problems)
    fields, definitions = parts
    with within(CONFIG):
        stated = ((key, each, definitions.tabulated(*key)) for key, each in fields["levels"].items())
        return Choices(
            title=f"Detailed race and ethnicity tables ({folder.resolve().name})",
            measure=MEASURES[fields["privacy_defn"]],
            levels=population_levels(stated, fields["records"].attributes),
            definitions=definitions,
            records=fields["records"],
            **{key: fields[key] for key in ("gamma", "suppression", "allow_negative")},
            **CENSUS_PARTS,
        )
