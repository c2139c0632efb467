"""The Census configuration folder, read unchanged: `config.json` with the production keys, and the four definition files.

Numbers are read as the decimals they are written as, never through binary floats. Where the production system takes bad input
(text or negative budgets, unknown keys, four thresholds) this refuses; it refuses with every problem of the folder at
once. The key `reader` (which of production's own readers opens the persons) is accepted and ignored: files are given by
name here.
"""

import json
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, Never

from starling.errors import ParameterError, PlanError, Problem
from starling.planfile.foreign import content
from starling.planfile.spelling import did_you_mean
from starling.privacy.budget import Measure, exact
from starling.tables.plan.census_records import CENSUS_PARTS, CensusRecords
from starling.tables.plan.choices import Choices, LevelKey, all_levels, within
from starling.tables.plan.codebook import MOST_RACE_CODES, state_problem
from starling.tables.plan.definitions import read_definitions
from starling.tables.plan.levels import Thresholds
from starling.tables.plan.solving import Stated, population_levels

CONFIG: Final = "config.json"
GAMMA: Final = "privacy_budget_p_stage_1_fraction"
SUPPRESSION: Final = "zero_suppression_chance"
BUDGETS: Final = {
    f"privacy_budget_p_level_{level}_{geography.value.lower().replace('-', '_')}": (geography, level)
    for geography, level in all_levels(us=True, pr=True)
}
THRESHOLDS: Final = {f"({geography}, {level})": (geography, level) for geography, level in BUDGETS.values()}
REQUIRED: Final = (
    "max_race_codes",
    *BUDGETS,
    GAMMA,
    "thresholds_p",
    "allow_negative_counts",
    "run_us",
    "run_pr",
    "state_filter_us",
    "privacy_defn",
)
OPTIONAL: Final = (SUPPRESSION, "reader")
MEASURES: Final[dict[str, Measure]] = {"puredp": "epsilon", "zcdp": "rho"}
MOST_UNKNOWN: Final = 100
"""Unknown keys that are listed one by one."""
LONGEST_CONFIG: Final = 2**20
"""Bytes of config.json; production's has 2 KiB."""


@dataclass(frozen=True, slots=True)
class _Number:
    """A JSON number as it is written, so that text that looks like one stays apart from it."""

    text: str


class _Config:
    """The parsed configuration; collects problems with the line of the key they are about."""

    def __init__(self, text: str, values: dict[str, Any]) -> None:
        self.text, self.values = text, values
        self.problems: list[Problem] = []

    def refuse(self, field: str, problem: str, fix: str) -> None:
        key = re.search(rf'"{re.escape(field.removeprefix("thresholds_p."))}"\s*:', self.text)
        line = None if key is None else self.text.count("\n", 0, key.start()) + 1
        shown = field if field.isprintable() and field else ascii(field)
        self.problems.append(Problem(shown, problem, fix, CONFIG, line))

    def check(self) -> None:
        """Raise PlanError with the problems so far, if there are any."""
        PlanError.check(self.problems)

    def number(self, key: str, condition: str, low: int, *, include: bool, below: int | None) -> Fraction:
        """The exact number under `key`, in [low or (low, up to but not at `below`; 0 after a refusal."""
        value = self.values[key]
        if not isinstance(value, _Number):
            self.refuse(key, "is not a number", f"write a number {condition}, without quotes")
            return Fraction(0)
        try:
            number = exact(value.text, field=key)
        except ParameterError as error:
            self.refuse(key, error.problems[0].problem, error.problems[0].fix)
            return Fraction(0)
        if number < low or (number == low and not include) or (below is not None and number >= below):
            self.refuse(key, f"is not {condition}", f"write a number {condition}")
        return number

    def flag(self, key: str) -> bool:
        if not isinstance(self.values[key], bool):
            self.refuse(key, "is not true or false", "write true or false, without quotes")
        return self.values[key] is True


def _whole(value: object) -> int | None:
    """The integer that a JSON value writes, if it does."""
    if isinstance(value, _Number) and re.fullmatch(r"-?[0-9]{1,18}", value.text):
        return int(value.text)
    return None


def _refuse_constant(text: str) -> Never:
    raise ValueError(f"{text} is not a JSON number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"key {next(key for key in keys if keys.count(key) > 1)} is there twice")
    return values


def _read(folder: Path) -> _Config:
    path = folder / CONFIG

    def refuse(problem: str, fix: str, line: int | None = None) -> PlanError:
        return PlanError(problems=[Problem("file", problem, fix, CONFIG, line)])

    try:
        text = content(path, LONGEST_CONFIG).decode("utf-8")
    except OSError as error:
        raise refuse(f"cannot be read ({error.strerror})", "put it in the plan's folder") from None
    except UnicodeDecodeError:
        raise refuse("is not UTF-8", "save it as UTF-8") from None
    try:
        values = json.loads(
            text, parse_float=_Number, parse_int=_Number, parse_constant=_refuse_constant, object_pairs_hook=_once
        )
    except json.JSONDecodeError as error:
        raise refuse(f"is not JSON ({error.msg})", "correct the syntax", error.lineno) from None
    except ValueError as error:
        raise refuse(f"is not acceptable JSON ({error})", "remove it") from None
    except RecursionError:
        raise refuse("is nested too deeply", "write one flat object") from None
    if not isinstance(values, dict):
        raise refuse("is not a JSON object", 'start with {"max_race_codes": 8, ...')
    return _Config(text, values)


def _thresholds(config: _Config, needed: set[str]) -> dict[LevelKey, Thresholds]:
    listed = config.values["thresholds_p"]
    if not isinstance(listed, dict):
        config.refuse("thresholds_p", "is not an object", 'write {"(USA, 1)": [5000, 20000, 150000], ...}')
        return {}
    thresholds: dict[LevelKey, Thresholds] = {}
    for key in sorted(needed - listed.keys()):
        config.refuse(f"thresholds_p.{key}", "is missing, and the level has a budget", "give three thresholds")
    for key, value in list(listed.items())[:MOST_UNKNOWN]:
        field = f"thresholds_p.{key}"
        if key not in THRESHOLDS:
            config.refuse(field, "is not a level", did_you_mean(key, THRESHOLDS))
            continue
        numbers = [_whole(one) for one in value] if isinstance(value, list) else []
        cuts = [number for number in numbers if number is not None and number > 0]
        if len(numbers) != 3 or len(cuts) != 3 or not cuts[0] < cuts[1] < cuts[2]:
            problem = "is not three strictly increasing positive integers"
            config.refuse(field, problem, "write one threshold each for Age4, Age9 and Age23")
            continue
        thresholds[THRESHOLDS[key]] = (cuts[0], cuts[1], cuts[2])
    return thresholds


def _states(config: _Config, run_us: bool) -> frozenset[str]:
    codes = config.values["state_filter_us"]
    fix = 'write a list of two-digit codes, such as ["01", "02"]'
    if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes):
        config.refuse("state_filter_us", "is not a list of strings", fix)
        return frozenset()
    problem = state_problem(codes)
    if problem:
        config.refuse("state_filter_us", problem, fix)
    if run_us and not codes:
        config.refuse("state_filter_us", "is empty, but run_us is true", "list the states to tabulate")
    return frozenset(codes) if run_us else frozenset()


def _max_race_codes(config: _Config) -> int:
    races = _whole(config.values["max_race_codes"])
    if races is None or not 1 <= races <= MOST_RACE_CODES:
        config.refuse("max_race_codes", f"is not an integer from 1 to {MOST_RACE_CODES}", "write how many are read")
    return races or 0


def _measure(config: _Config) -> Measure:
    name = config.values["privacy_defn"]
    if not isinstance(name, str) or name not in MEASURES:
        config.refuse("privacy_defn", "is not puredp or zcdp", 'write "puredp" (epsilon) or "zcdp" (rho)')
        return "rho"
    return MEASURES[name]


def _run(config: _Config) -> tuple[bool, bool]:
    us, pr = config.flag("run_us"), config.flag("run_pr")
    if config.values["run_us"] is False and config.values["run_pr"] is False:
        config.refuse("run_us", "and run_pr are both false, so nothing would be tabulated", "run at least one")
    return us, pr


def _configured(
    config: _Config,
) -> tuple[dict[LevelKey, Fraction], dict[LevelKey, Thresholds], CensusRecords, dict[str, Any]]:
    """Budgets, thresholds and every other choice that config.json states. Raises PlanError with all of its problems."""
    unknown = sorted(config.values.keys() - {*REQUIRED, *OPTIONAL})
    for key in unknown[:MOST_UNKNOWN]:
        config.refuse(key, "is an unknown key", did_you_mean(key, (*REQUIRED, *OPTIONAL)))
    if len(unknown) > MOST_UNKNOWN:
        config.refuse("keys", f"include {len(unknown) - MOST_UNKNOWN} more unknown ones", "remove them")
    for key in REQUIRED:
        if key not in config.values:
            config.refuse(key, "is missing", "add it")
    config.check()
    us, pr = _run(config)
    every = {level: config.number(key, "of 0 or more", 0, include=True, below=None) for key, level in BUDGETS.items()}
    budgets = {level: every[level] for level in all_levels(us=us, pr=pr)}
    if budgets and not any(budgets.values()):
        config.refuse("privacy_budget_p_level_*", "are all 0, so nothing would be tabulated", "give a level a budget")
    suppression = Fraction(0)
    if SUPPRESSION in config.values:
        suppression = config.number(SUPPRESSION, "of 0 or more and below 1", 0, include=True, below=1)
    measure, gamma = _measure(config), config.number(GAMMA, "above 0 and below 1", 0, include=False, below=1)
    thresholds = _thresholds(config, {f"({g}, {level})" for (g, level), budget in budgets.items() if budget > 0})
    others = {
        "measure": measure,
        "gamma": gamma,
        "suppression": suppression,
        "allow_negative": config.flag("allow_negative_counts"),
    }
    races, states = _max_race_codes(config), _states(config, us)
    config.check()
    return budgets, thresholds, CensusRecords(races, states, pr), others


def read_census(folder: Path) -> Choices:
    """What the plan of a Census configuration folder states.

    Raises:
        PlanError: with every problem of config.json and of the definition files.
    """
    problems: list[Problem] = []
    configured, definitions = None, None
    try:
        configured = _configured(_read(folder))
    except PlanError as error:
        problems += error.problems
    try:
        definitions = read_definitions(folder)
    except PlanError as error:
        problems += error.problems
    if configured is None or definitions is None:
        raise PlanError(problems=problems)
    budgets, thresholds, records, others = configured
    title = f"Detailed race and ethnicity tables ({folder.resolve().name})"
    with within(CONFIG):
        levels = population_levels(
            (
                (level, Stated(budget, thresholds[level]), definitions.tabulated(*level))
                for level, budget in budgets.items()
                if budget
            ),
            records.attributes,
        )
        return Choices(title=title, levels=levels, definitions=definitions, records=records, **CENSUS_PARTS, **others)
