"""A tables plan as values of Python, with the keys of a plan file: what makes a plan in a session, and what its file says.

The definitions are those of a folder that is named, or, where they can be said so, groups in the plan itself.
"""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starling.errors import PlanError
from starling.planfile.values import exact_text, plan_path, section_of, toml_of, write_new
from starling.tables.plan.accuracy_targets import CONFIDENCE, Promise
from starling.tables.plan.codebook import STATES, Definitions, Iteration
from starling.tables.plan.definitions import LEVELS, WHERE, suffix
from starling.tables.plan.model import Level, Plan
from starling.tables.plan.readable import read_section


def of_values(values: Mapping[str, Any], folder: str | Path = ".") -> Plan:
    """The plan that these values say; `folder` is where the folder of its definitions is looked for.

    Raises:
        PlanError: with every problem.
    """
    return read_section(section_of(values), Path(folder))


def values_of(plan: Plan, definitions: str | None = None) -> dict[str, Any]:
    """The values that say a plan.

    Args:
        plan: It stands alone: a plan that adds to an earlier release takes what it adds to from that release.
        definitions: The folder of its definitions; without it, they are said as groups.

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
        **({"definitions": definitions} if definitions is not None else _groups(plan.definitions)),
        "privacy": {
            "unit": "person",
            "neighbours": "add-remove",
            "measure": plan.measure,
            "stage-1-share": exact_text(plan.gamma),
        },
        "records": {"race-codes": plan.max_race_codes},
        "area": area | ({"puerto-rico": True} if plan.puerto_rico else {}),
        "publication": publication,
        "levels": [_level(level) for level in plan.levels],
    }


def save(plan: Plan, path: str | Path, definitions: str | None = None) -> None:
    """Write a plan as a plan file, which must not exist.

    Raises:
        PlanError: a plan file cannot say it.
        OutputError: the file is there, does not end in .toml, or cannot be written.
    """
    write_new(plan_path(path), toml_of(values_of(plan, definitions)))


def _level(level: Level) -> dict[str, Any]:
    (groups,) = [word for word, number in LEVELS.items() if number == level.iteration_level]
    promised = {"margins": [_promise(promise) for promise in level.promises]}
    return {
        "geography": str(level.geography),
        "groups": groups,
        **(promised if level.promises else {"budget": exact_text(level.budget)}),
        "thresholds": list(level.thresholds),
    }


def _promise(promise: Promise) -> dict[str, Any]:
    within = promise.within
    said = {
        "number": promise.number,
        "within": within if isinstance(within, int) else f"{exact_text(100 * within)} %",
        "ages": promise.ages,
        "persons": promise.persons,
        "confidence": None if promise.confidence == CONFIDENCE else exact_text(promise.confidence),
    }
    return {key: value for key, value in said.items() if value is not None}


def _groups(definitions: Definitions) -> dict[str, Any]:
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
