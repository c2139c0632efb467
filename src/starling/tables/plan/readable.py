"""Our own plan file: TOML that says what a Census configuration folder says, for people to read.

It states the protected unit and the neighbours, names levels in words, and takes for each level a budget or the margin of
error that the level should have. Exact numbers are strings. docs/plan-file.md explains every key.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Final

from starling.errors import PlanError, Problem
from starling.privacy.budget import Measure
from starling.tables.plan.codebook import MOST_RACE_CODES, Definitions, GeographyLevel
from starling.tables.plan.definitions import read_definitions
from starling.tables.plan.groups import LEVELS, read_groups
from starling.tables.plan.levels import LevelKey, Thresholds, population_levels, within
from starling.tables.plan.model import LARGEST_BUDGET, Plan
from starling.tables.plan.spelling import did_you_mean
from starling.tables.plan.stability import stability
from starling.tables.plan.states import STATES, state_problem
from starling.tables.plan.toml import Section, parse

LONGEST_PLAN: Final = 4 * 2**20
"""Bytes of a plan file."""
LARGEST_MARGIN: Final = 10**6
LARGEST_THRESHOLD: Final = 10**12
DIGITS: Final = 6
"""Significant decimal digits of a budget that was found for a margin of error; rounded up."""

_TOP = ("title", "definitions", "codes", "groups", "privacy", "records", "area", "publication", "levels")
_MEASURES: Final[dict[str, Measure]] = {"epsilon": "epsilon", "rho": "rho"}


def read_toml(path: Path) -> Plan:
    """The plan of a TOML file.

    Raises:
        PlanError: with every problem of the file and of the definitions it names.
    """
    return _plan(parse(_read(path), path.name), path.parent)


def preset(name: str, definitions: str | Path) -> Plan:
    """A plan that comes with Starling, for a folder of Census definition files of your own.

    Args:
        name: "safetab-2022" (discrete Gaussian) or "safetab-2022-geometric": the parameters of the paper's Appendix F.1.
        definitions: Folder of the four definition files.

    Raises:
        PlanError: for an unknown name, or wrong definitions.
    """
    folder = Path(__file__).parent.parent / "presets"
    known = sorted(path.stem for path in folder.glob("*.toml"))
    if name not in known:
        raise PlanError(field="preset", problem="is not known", fix=did_you_mean(name, known))
    top = parse(_read(folder / f"{name}.toml"), f"{name}.toml")
    return _plan(replace(top, values={**top.values, "definitions": str(Path(definitions).resolve())}), folder)


def _plan(top: Section, folder: Path) -> Plan:
    """The plan of a parsed file; `folder` is where its definitions are looked for."""
    top.only(_TOP)
    title = top.text("title", "say what the tables are")
    measure, gamma = _privacy(top.table("privacy"))
    races = _records(top.table("records"))
    states, puerto_rico = _area(top.table("area"))
    suppression, allow_negative = _publication(top.table("publication"))
    definitions = _definitions(top, folder)
    budgets, thresholds = _levels(
        top.tables("levels"),
        us=bool(states),
        puerto_rico=puerto_rico,
        pricing=_Pricing(measure, gamma, races, definitions),
    )
    if top.problems or definitions is None:
        raise PlanError(problems=top.problems)
    with within(top.file):
        return Plan(
            title=title,
            measure=measure,
            levels=population_levels(definitions, budgets, thresholds, races),
            gamma=gamma,
            suppression=suppression,
            allow_negative=allow_negative,
            max_race_codes=races,
            states=states,
            puerto_rico=puerto_rico,
            definitions=definitions,
        )


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > LONGEST_PLAN:
            problem = Problem("file", f"is longer than {LONGEST_PLAN} bytes", "check what it is", path.name)
            raise PlanError(problems=[problem])
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        problem = Problem("file", f"cannot be read ({error.strerror})", "check the path", path.name)
    except UnicodeDecodeError:
        problem = Problem("file", "is not UTF-8", "save it as UTF-8", path.name)
    raise PlanError(problems=[problem])


def _privacy(section: Section) -> tuple[Measure, Fraction]:
    """Measure, and the share of a group's budget for stage 1."""
    section.only(("unit", "neighbours", "measure", "stage-1-share"))
    section.choice("unit", ("person",), 'write unit = "person": whose data the guarantee hides')
    section.choice(
        "neighbours", ("add-remove",), 'write neighbours = "add-remove": databases that differ by one person'
    )
    measure = section.choice("measure", tuple(_MEASURES), 'write "epsilon" (pure DP) or "rho" (zCDP)')
    gamma = section.number("stage-1-share", 'write a share such as "0.1"')
    if gamma is not None and not 0 < gamma < 1:
        section.refuse("stage-1-share", "is not above 0 and below 1", 'write a share such as "0.1"')
        gamma = None
    return _MEASURES[measure], gamma or Fraction(1, 2)


def _records(section: Section) -> int:
    section.only(("race-codes",))
    return section.whole("race-codes", 1, MOST_RACE_CODES)


def _area(section: Section) -> tuple[frozenset[str], bool]:
    """States, and whether Puerto Rico is tabulated."""
    section.only(("states", "puerto-rico"))
    fix = 'write states = "all", or a list of two-digit codes'
    states: list[str] = []
    if section.values.get("states") == "all":
        states = list(STATES)
    elif "states" in section.values:
        states = section.texts("states", fix)
        problem = state_problem(states)
        if problem:
            section.refuse("states", problem, fix)
    puerto_rico = "puerto-rico" in section.values and section.flag("puerto-rico", "write true or false")
    if not states and not puerto_rico:
        section.refuse("", "holds no state and not Puerto Rico", fix)
    return frozenset(states), puerto_rico


def _publication(section: Section) -> tuple[Fraction, bool]:
    """Suppression chance, and whether negative counts are published."""
    section.only(("suppression", "negative-counts"))
    suppression: Fraction | None = Fraction(0)
    if "suppression" in section.values:
        suppression = section.number("suppression", 'write a chance such as "0.9999"')
        if suppression is not None and not 0 <= suppression < 1:
            section.refuse("suppression", "is not 0 or more and below 1", "leave it out to publish every bare total")
    return suppression or Fraction(0), section.flag("negative-counts", "write true, or false to raise each count to 0")


def _definitions(top: Section, folder: Path) -> Definitions | None:
    """From the folder that is named, else from the groups in the file; None after a refusal."""
    if "definitions" not in top.values:
        before = len(top.problems)
        made = read_groups(top)
        return made if len(top.problems) == before else None
    for key in ("groups", "codes"):
        if key in top.values:
            top.refuse(key, "stands beside a folder of definitions", "keep one of the two")
    named = folder / top.text("definitions", "name the folder of the definition files")
    if not named.is_dir():
        top.refuse("definitions", "is not a folder beside the plan", "give its path from the plan file")
        return None
    try:
        return read_definitions(named)
    except PlanError as error:
        top.problems.extend(error.problems)
        return None


@dataclass(frozen=True, slots=True)
class _Pricing:
    """What turns a margin of error into a budget."""

    measure: Measure
    gamma: Fraction
    max_race_codes: int
    definitions: Definitions | None

    def budget(self, key: LevelKey, margin: int, alpha: Fraction) -> Fraction:
        """The budget of a level whose stage-2 values err by more than `margin` with chance at most `alpha`.

        The law of a value has (1 - gamma)/stability of the budget, or 1/stability where all groups are bare totals. SafeTab
        2022, Appendix F.1, prints 1/gamma for what its own Table 4 computes as 1/(1 - gamma).
        """
        from starling.privacy.accuracy import law_for_margin

        if self.definitions is None:
            return Fraction(1)
        iterations = self.definitions.tabulated(*key)
        law = law_for_margin("discrete_laplace" if self.measure == "epsilon" else "discrete_gaussian", margin, alpha)
        try:
            groups = stability(iterations, self.max_race_codes)
        except PlanError:
            return Fraction(1)  # population_levels says why the level cannot be
        share = Fraction(1) if all(iteration.total_only for iteration in iterations) else 1 - self.gamma
        return rounded_up(law.cost().amount * groups / share, DIGITS)


def rounded_up(number: Fraction, digits: int) -> Fraction:
    """The least decimal of `digits` significant digits that is not below `number`, which is above 0.

    >>> rounded_up(Fraction(1, 3), 3), rounded_up(Fraction(1234), 2), rounded_up(Fraction("0.5"), 6)
    (Fraction(167, 500), Fraction(1300, 1), Fraction(1, 2))
    """
    places = digits
    while number * Fraction(10) ** places >= 10**digits:
        places -= 1
    while number * Fraction(10) ** places < 10 ** (digits - 1):
        places += 1
    scaled = number * Fraction(10) ** places
    return -(-scaled.numerator // scaled.denominator) / Fraction(10) ** places


def _levels(
    sections: list[Section], *, us: bool, puerto_rico: bool, pricing: _Pricing
) -> tuple[dict[LevelKey, Fraction], dict[LevelKey, Thresholds]]:
    """Budget and thresholds of each level."""
    budgets: dict[LevelKey, Fraction] = {}
    thresholds: dict[LevelKey, Thresholds] = {}
    geographies = tuple(geography.value for geography in GeographyLevel)
    for section in sections:
        section.only(("geography", "groups", "budget", "margin", "confidence", "thresholds"))
        before = len(section.problems)
        geography = GeographyLevel(section.choice("geography", geographies, f"write one of {', '.join(geographies)}"))
        key = (geography, LEVELS[section.choice("groups", tuple(LEVELS), "write regional or detailed")])
        if len(section.problems) == before:
            if key in budgets:
                section.refuse("geography", f"{geography} is there with these groups already", "give each level once")
            if not (puerto_rico if geography.puerto_rico else us):
                section.refuse("geography", f"{geography} is outside the area", "add it to [area], or leave it out")
        thresholds[key] = _thresholds(section)
        budgets[key] = _budget(section, key, pricing)
    return budgets, thresholds


def _thresholds(section: Section) -> Thresholds:
    cuts = section.values.get("thresholds")
    numbers = [cut for cut in cuts if type(cut) is int] if isinstance(cuts, list) else []
    if isinstance(cuts, list) and len(cuts) == len(numbers) == 3:
        low, middle, high = numbers
        if 0 < low < middle < high <= LARGEST_THRESHOLD:
            return low, middle, high
    missing = "thresholds" not in section.values
    problem = "is missing" if missing else "is not three strictly increasing positive integers"
    section.refuse("thresholds", problem, "write the noisy totals from which there are 4, 9 and 23 age bands")
    return 1, 2, 3


def _budget(section: Section, key: LevelKey, pricing: _Pricing) -> Fraction:
    """Exact budget of a level, given or found for its margin."""
    if ("budget" in section.values) == ("margin" in section.values):
        both = "budget" in section.values
        section.refuse("budget", "stands beside a margin" if both else "is missing", "give either budget or margin")
        return Fraction(1)
    if "budget" in section.values:
        if "confidence" in section.values:
            section.refuse("confidence", "stands beside a budget", "it belongs to a margin; remove it")
        budget = section.number("budget", 'write it like "0.159"')
        if budget is not None and not 0 < budget <= LARGEST_BUDGET:
            fix = "leave the level out to switch it off"
            section.refuse("budget", f"is not above 0 and at most {LARGEST_BUDGET}", fix)
            budget = None
        return budget or Fraction(1)
    margin = section.whole("margin", 0, LARGEST_MARGIN)
    confidence = section.number("confidence", 'write the chance that the margin holds, such as "0.95"')
    if confidence is None or section.problems:
        return Fraction(1)
    if not Fraction(1, 2) <= confidence <= 1 - Fraction(1, 10**12):
        section.refuse("confidence", "is not from 0.5 to 0.999999999999", 'write a chance such as "0.95"')
        return Fraction(1)
    return pricing.budget(key, margin, 1 - confidence)
