"""Our own plan file: TOML that says what a Census configuration folder says, for people to read.

It states the protected unit and the neighbours, names levels as people do, and takes for each level a budget or the margins of
error that its numbers should have. Exact numbers are strings. docs/plan-file.md explains every key.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from starling.errors import PlanError
from starling.planfile.toml import Section, read_file
from starling.planfile.values import exact_text
from starling.privacy.budget import Measure
from starling.tables.plan.accuracy_targets import CONFIDENCE, AccuracyTarget, Setting, cheapest_gamma
from starling.tables.plan.choices import Choices, Level, LevelKey, Thresholds, population_levels, within
from starling.tables.plan.codebook import MOST_RACE_CODES, STATES, Definitions, GeographyLevel, Iteration, state_problem
from starling.tables.plan.definitions import LEVELS, WHERE, read_definitions, read_groups, suffix
from starling.tables.plan.readable_margins import check_targets, read_targets
from starling.tables.plan.stability import stability
from starling.tables.plan.variants import LARGEST_BUDGET, Variants

LARGEST_THRESHOLD: Final = 10**12
CHEAPEST: Final = "cheapest"
"""As the share of stage 1: the one with which the promised margins cost least."""

_TOP = ("title", "definitions", "codes", "groups", "privacy", "records", "area", "publication", "levels")
_ESTIMATES: Final = {
    "totals": ("second stage", "both stages"),
    "intervals": ("all groups", "published"),
}
"""Keys of [publication] that choose a variant, with the values for no and for yes."""
_MEASURES: Final[dict[str, Measure]] = {"epsilon": "epsilon", "rho": "rho"}


def read_toml(path: Path) -> Choices:
    """The plan of a TOML file.

    Raises:
        PlanError: with every problem of the file and of the definitions it names.
    """
    return read_section(read_file(path), path.parent)


def read_section(top: Section, folder: Path) -> Choices:
    """The plan of a parsed file; `folder` is where its definitions are looked for.

    Raises:
        PlanError: with every problem of the file and of the definitions it names.
    """
    top.only(_TOP)
    title = top.text("title", "say what the tables are")
    measure, gamma = _privacy(top.table("privacy"))
    races = _records(top.table("records"))
    states, puerto_rico = _area(top.table("area"))
    publication = top.table("publication")
    suppression, allow_negative = _publication(publication)
    variants = _variants(publication)
    definitions = _definitions(top, folder)
    stated = _levels(top.tables("levels"), us=bool(states), puerto_rico=puerto_rico)
    if definitions is not None:
        for key, level in stated.items():
            check_targets(level.targets, definitions.tabulated(*key), level.thresholds)
    if top.problems or definitions is None:
        raise PlanError(problems=top.problems)
    bounds = {key: _bound(definitions.tabulated(*key), races) for key in stated}
    gamma, budgets = _solved(top, stated, bounds, measure, gamma, both_stages=variants.both_stages)
    if top.problems:
        raise PlanError(problems=top.problems)
    with within(top.file):
        levels = population_levels(definitions, budgets, {key: each.thresholds for key, each in stated.items()}, races)
        promised = {key: tuple(target for _, target in each.targets) for key, each in stated.items()}
        return Choices(
            title=title,
            measure=measure,
            levels=tuple(replace(level, targets=promised[level.geography, level.iteration_level]) for level in levels),
            gamma=gamma,
            suppression=suppression,
            allow_negative=allow_negative,
            max_race_codes=races,
            states=states,
            puerto_rico=puerto_rico,
            definitions=definitions,
            variants=variants,
        )


def _privacy(section: Section) -> tuple[Measure, Fraction | None]:
    """Measure, and the share of a group's budget for stage 1; None for the cheapest."""
    section.only(("unit", "neighbours", "measure", "stage-1-share"))
    section.choice("unit", ("person",), 'write unit = "person": whose data the guarantee hides')
    section.choice(
        "neighbours", ("add-remove",), 'write neighbours = "add-remove": databases that differ by one person'
    )
    measure = section.choice("measure", tuple(_MEASURES), 'write "epsilon" (pure DP) or "rho" (zCDP)')
    if section.values.get("stage-1-share") == CHEAPEST:
        return _MEASURES[measure], None
    fix = f'write a share such as "0.1", or "{CHEAPEST}"'
    gamma = section.number("stage-1-share", fix)
    if gamma is not None and not 0 < gamma < 1:
        section.refuse("stage-1-share", "is not above 0 and below 1", fix)
    return _MEASURES[measure], gamma if gamma is not None and 0 < gamma < 1 else Fraction(1, 2)


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
    section.only(("suppression", "negative-counts", *_ESTIMATES, "add-up"))
    suppression: Fraction | None = Fraction(0)
    if "suppression" in section.values:
        suppression = section.number("suppression", 'write a chance such as "0.9999"')
        if suppression is not None and not 0 <= suppression < 1:
            section.refuse("suppression", "is not 0 or more and below 1", "leave it out to publish every bare total")
    return suppression or Fraction(0), section.flag("negative-counts", "write true, or false to raise each count to 0")


def _variants(section: Section) -> Variants:
    """What is made of the measurements."""

    def chosen(key: str) -> bool:
        if key not in section.values:
            return False
        values = _ESTIMATES[key]
        return section.choice(key, values, f'write "{values[0]}" or "{values[1]}"') == values[1]

    add_up = "add-up" in section.values and section.flag("add-up", "write true or false")
    return Variants(chosen("totals"), add_up, chosen("intervals"))


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
class _Stated:
    """What the file says of a level.

    Attributes:
        budget: Exact; None where targets are given instead.
        targets: Each with its place in the file.
        thresholds: The thresholds of the level.
    """

    budget: Fraction | None
    targets: list[tuple[Section, AccuracyTarget]]
    thresholds: Thresholds


def _levels(sections: list[Section], *, us: bool, puerto_rico: bool) -> dict[LevelKey, _Stated]:
    """Budget or margins, and thresholds, of each level."""
    stated: dict[LevelKey, _Stated] = {}
    geographies = tuple(geography.value for geography in GeographyLevel)
    for section in sections:
        section.only(("geography", "groups", "budget", "margins", "thresholds"))
        before = len(section.problems)
        geography = GeographyLevel(section.choice("geography", geographies, f"write one of {', '.join(geographies)}"))
        key = (geography, LEVELS[section.choice("groups", tuple(LEVELS), "write regional or detailed")])
        if len(section.problems) == before:
            if key in stated:
                section.refuse("geography", f"{geography} is there with these groups already", "give each level once")
            if not (puerto_rico if geography.puerto_rico else us):
                section.refuse("geography", f"{geography} is outside the area", "add it to [area], or leave it out")
        promised = "margins" in section.values
        if promised == ("budget" in section.values):
            problem = "stands beside margins" if promised else "is missing"
            section.refuse("budget", problem, "give either budget or margins")
        budget = _budget(section) if "budget" in section.values else None
        targets = read_targets(section) if promised else []
        stated[key] = _Stated(budget, targets, _thresholds(section))
    return stated


def _budget(section: Section) -> Fraction | None:
    budget = section.number("budget", 'write it like "0.159"')
    if budget is not None and not 0 < budget <= LARGEST_BUDGET:
        fix = "leave the level out to switch it off"
        section.refuse("budget", f"is not above 0 and at most {LARGEST_BUDGET}", fix)
    return budget


def _bound(iterations: Sequence[Iteration], races: int) -> int:
    """The stability of a level; 1 where there is none, which `population_levels` then refuses."""
    try:
        return stability(iterations, races)
    except PlanError:
        return 1


def _solved(
    top: Section,
    stated: dict[LevelKey, _Stated],
    bounds: dict[LevelKey, int],
    measure: Measure,
    gamma: Fraction | None,
    *,
    both_stages: bool,
) -> tuple[Fraction, dict[LevelKey, Fraction]]:
    """The share of stage 1 and the budget of each level, given or the least that keeps the level's targets."""
    half = Fraction(1, 2)
    settings = {
        key: Setting(measure, gamma or half, bounds[key], each.thresholds, both_stages) for key, each in stated.items()
    }
    budgets = {key: each.budget for key, each in stated.items() if each.budget is not None}
    promising = [key for key in stated if key not in budgets]

    def total(found: Sequence[Fraction]) -> Fraction:
        # As the plan's guarantee composes them: Puerto Rico beside the United States.
        whole = budgets | dict(zip(promising, found, strict=True))
        parts = [sum((b for key, b in whole.items() if key[0].puerto_rico is pr), Fraction(0)) for pr in (False, True)]
        return max(parts)

    if gamma is None:
        targets = [[target for _, target in stated[key].targets] for key in promising]
        if not any(target.number == "deciding total" for each in targets for target in each):
            fix = 'give a margin of number = "deciding total" in a level, or write a share such as "0.1"'
            top.table("privacy").refuse(
                "stage-1-share", "is the cheapest, and with no target for the deciding total that is none at all", fix
            )
            return half, {}
        gamma = cheapest_gamma([settings[key] for key in promising], targets, total) or half
    found: dict[LevelKey, Fraction] = {}
    for key in promising:
        setting = replace(settings[key], gamma=gamma)
        for section, target in stated[key].targets:
            need = setting.need(target)
            if need is None:
                fix = "write a wider margin, or one that needs to hold less surely"
                section.refuse("within", f"cannot be kept: it would need a budget above {LARGEST_BUDGET}", fix)
            else:
                found[key] = max(need, found.get(key, need))
    return gamma, budgets | found


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


def values_of(plan: Choices, definitions: str | None = None) -> dict[str, Any]:
    """The values that say a plan.

    Args:
        plan: It stands alone: a plan that adds to an earlier release takes what it adds to from that release.
        definitions: The folder of the plan's definitions; without it, they are written as groups.

    Raises:
        PlanError: it tops up a release, its definitions are no groups of a plan file, or their folder cannot be printed.
    """
    if plan.variants.top_up is not None:
        raise PlanError(field="top-up", problem="is of a release, which no plan file says", fix="say the earlier plan")
    if definitions is not None and not definitions.isprintable():
        fix = "rename the folder"
        raise PlanError(field="definitions", problem="lie in a folder whose name cannot be printed", fix=fix)
    area = {"states": "all" if plan.states == STATES.keys() else sorted(plan.states)} if plan.states else {}
    publication: dict[str, Any] = {"negative-counts": plan.allow_negative}
    if plan.suppression:
        publication["suppression"] = exact_text(plan.suppression)
    if plan.variants.both_stages:
        publication["totals"] = "both stages"
    if plan.variants.given_published:
        publication["intervals"] = "published"
    if plan.variants.add_up:
        publication["add-up"] = True
    return {
        "title": plan.title,
        **({"definitions": definitions} if definitions is not None else _group_values(plan.definitions)),
        "privacy": {
            "unit": "person",
            "neighbours": "add-remove",
            "measure": plan.measure,
            "stage-1-share": exact_text(plan.gamma),
        },
        "records": {"race-codes": plan.max_race_codes},
        "area": area | ({"puerto-rico": True} if plan.puerto_rico else {}),
        "publication": publication,
        "levels": [_level_values(level) for level in plan.levels],
    }


def _level_values(level: Level) -> dict[str, Any]:
    (groups,) = [word for word, number in LEVELS.items() if number == level.iteration_level]
    promised = {"margins": [_target_values(target) for target in level.targets]}
    return {
        "geography": str(level.geography),
        "groups": groups,
        **(promised if level.targets else {"budget": exact_text(level.budget)}),
        "thresholds": list(level.thresholds),
    }


def _target_values(target: AccuracyTarget) -> dict[str, Any]:
    within = target.within
    stated = {
        "number": target.number,
        "within": within if isinstance(within, int) else f"{exact_text(100 * within)} %",
        "ages": target.ages,
        "persons": target.persons,
        "confidence": None if target.confidence == CONFIDENCE else exact_text(target.confidence),
    }
    return {key: value for key, value in stated.items() if value is not None}


def _group_values(definitions: Definitions) -> dict[str, Any]:
    """The keys `codes` and `groups`: iterations of one name, but for how they combine, make a group."""
    made: dict[tuple[Any, ...], dict[str, str]] = defaultdict(dict)
    for iteration in definitions.iterations:
        key = "code" if iteration.kind == "ethnicity" else "alone" if iteration.alone else "combined"
        where = [word for word, flags in WHERE.items() if flags == (iteration.total_only, iteration.coarse_only)]
        level = [word for word, number in LEVELS.items() if number == iteration.level]
        name = iteration.name.removesuffix(suffix(key))
        if not where or not level or name + suffix(key) != iteration.name:
            raise _no_group(iteration)
        made[name, iteration.kind, level[0], where[0], iteration.codes][key] = iteration.code
    groups = [
        {"name": name, "kind": kind, "level": level, "codes": list(codes), **keys}
        | ({} if where == next(iter(WHERE)) else {"tabulate": where})
        for (name, kind, level, where, codes), keys in made.items()
    ]
    names = dict(definitions.codes)
    return ({} if all(code == name for code, name in names.items()) else {"codes": names}) | {"groups": groups}


def _no_group(iteration: Iteration) -> PlanError:
    problem = f"have iteration {iteration.code}, which no group of a plan file says"
    return PlanError(field="definitions", problem=problem, fix="name the folder of the definition files")
