"""The public plan inside a release: all that turns its measurements into its tables, without the files that the plan came from.

`plan/plan.json` is the whole plan with its code book; `plan/regions.json` the regions of each geography level with their names. Both
are canonical: one plan gives one text, and a text that is not what its plan gives is refused.
"""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from starling.errors import IntegrityError
from starling.release import public_json
from starling.release.arithmetic import rational
from starling.release.manifest import AGAIN
from starling.release.public_json import refuse, text, truth, whole
from starling.release.statement import Json
from starling.tables.inference.consistency import well_nested
from starling.tables.plan import (
    AccuracyTarget,
    Definitions,
    Geography,
    GeographyLevel,
    Iteration,
    Level,
    Plan,
    TopUp,
    Variants,
)
from starling.tables.plan.accuracy_targets import NUMBERS

PLAN: Final = "plan/plan.json"
REGIONS: Final = "plan/regions.json"
FORMAT: Final = "starling-tables-plan/1"


def write_plan(folder: Path, plan: Plan, geography: Geography) -> None:
    """Write both files below `folder`."""
    (folder / "plan").mkdir()
    for path, said in ((PLAN, plan_json(plan)), (REGIONS, regions_json(geography))):
        public_json.write(folder, path, said)


def read_plan(folder: Path) -> tuple[Plan, Geography]:
    """What `write_plan` wrote. The geography has regions and names, and no blocks.

    Raises:
        IntegrityError: a file is not what `write_plan` writes.
        PlanError: it states a plan that cannot be.
    """
    plan = public_json.read(folder, PLAN, _plan, plan_json)
    geography = public_json.read(folder, REGIONS, _geography, regions_json)
    wanted = {level.geography for level in plan.levels}
    if geography.regions.keys() != wanted:
        raise IntegrityError(field=REGIONS, problem="has other geography levels than the plan", fix=AGAIN)
    if plan.variants.add_up and not well_nested(plan, geography.regions):
        raise IntegrityError(field=REGIONS, problem="has regions that are not nested by their ids", fix=AGAIN)
    return plan, geography


def plan_json(plan: Plan) -> dict[str, Json]:
    """A plan, with amounts as exact rationals."""
    return {
        "format": FORMAT,
        "title": plan.title,
        "measure": plan.measure,
        **choices_json(plan),
        "top_up": None if plan.variants.top_up is None else _top_up_json(plan.variants.top_up),
        "levels": [_level_json(level) for level in plan.levels],
        "iterations": [_iteration_json(iteration) for iteration in plan.definitions.iterations],
        "codes": [[code, name] for code, name in plan.definitions.codes],
    }


def choices_json(plan: Plan) -> dict[str, Json]:
    """What is chosen for all levels."""
    return {
        "stage_1_fraction": str(plan.gamma),
        "suppression_chance": str(plan.suppression),
        "negative_counts_published": plan.allow_negative,
        "both_stages": plan.variants.both_stages,
        "add_up": plan.variants.add_up,
        "given_published": plan.variants.given_published,
        "max_race_codes": plan.max_race_codes,
        "states": list[Json](sorted(plan.states)),
        "puerto_rico": plan.puerto_rico,
    }


def _top_up_json(top_up: TopUp) -> dict[str, Json]:
    return {
        "manifest": top_up.manifest,
        "request_id": top_up.request_id,
        "ledger": top_up.ledger,
        "cost": str(top_up.cost),
        "budgets": [str(budget) for budget in top_up.budgets],
        "measurements": list[Json](top_up.measurements),
        "top_up": None if top_up.earlier is None else _top_up_json(top_up.earlier),
    }


def _level_json(level: Level) -> dict[str, Json]:
    return {
        "geography": str(level.geography),
        "iteration_level": level.iteration_level,
        "budget": str(level.budget),
        "thresholds": list[Json](level.thresholds),
        "stability": level.stability,
        "iterations": [iteration.code for iteration in level.iterations],
        "promises": [_target_json(target) for target in level.targets],
    }


def _target_json(target: AccuracyTarget) -> dict[str, Json]:
    """A share of a group's persons is a text, a margin in persons a number."""
    return {
        "number": target.number,
        "within": target.within if isinstance(target.within, int) else str(target.within),
        "ages": target.ages,
        "persons": target.persons,
        "confidence": str(target.confidence),
    }


def _iteration_json(iteration: Iteration) -> dict[str, Json]:
    return {
        "code": iteration.code,
        "name": iteration.name,
        "kind": iteration.kind,
        "level": iteration.level,
        "alone": iteration.alone,
        "total_only": iteration.total_only,
        "coarse_only": iteration.coarse_only,
        "codes": list[Json](iteration.codes),
    }


def regions_json(geography: Geography) -> dict[str, Json]:
    """The name of each region by its id, ascending, for each geography level."""
    return {
        str(level): dict[str, Json](zip(regions, geography.names[level], strict=True))
        for level, regions in sorted(geography.regions.items())
    }


def _plan(data: Any) -> Plan:
    iterations = tuple(_iteration(each) for each in data["iterations"])
    codes = tuple((text(code), text(name)) for code, name in data["codes"])
    by_code = {iteration.code: iteration for iteration in iterations}
    if [*by_code] != sorted(by_code) or len(by_code) != len(iterations):
        raise ValueError
    return Plan(
        title=text(data["title"]),
        measure=data["measure"] if data["measure"] in ("epsilon", "rho") else refuse(),
        levels=tuple(_level(each, by_code) for each in data["levels"]),
        gamma=rational(data["stage_1_fraction"]),
        suppression=rational(data["suppression_chance"]),
        allow_negative=truth(data["negative_counts_published"]),
        max_race_codes=whole(data["max_race_codes"]),
        states=frozenset(text(state) for state in data["states"]),
        puerto_rico=truth(data["puerto_rico"]),
        definitions=Definitions(iterations, codes),
        variants=Variants(
            truth(data["both_stages"]),
            truth(data["add_up"]),
            truth(data["given_published"]),
            None if data["top_up"] is None else _top_up(data["top_up"]),
        ),
    )


def _top_up(data: Any) -> TopUp:
    return TopUp(
        text(data["manifest"]),
        text(data["request_id"]),
        text(data["ledger"]),
        rational(data["cost"]),
        tuple(map(rational, data["budgets"])),
        tuple(map(text, data["measurements"])),
        None if data["top_up"] is None else _top_up(data["top_up"]),
    )


def _level(data: Any, iterations: Mapping[str, Iteration]) -> Level:
    low, middle, high = (whole(cut, 2**62) for cut in data["thresholds"])
    names = [text(code) for code in data["iterations"]]
    # Groups stand in this order, each once.
    if not names or names != sorted(set(names)):
        raise ValueError
    return Level(
        GeographyLevel(data["geography"]),
        whole(data["iteration_level"]),
        rational(data["budget"]),
        (low, middle, high),
        tuple(iterations[name] for name in names),
        whole(data["stability"]),
        tuple(_target(each) for each in data["promises"]),
    )


def _target(data: Any) -> AccuracyTarget:
    said, ages, persons = data["within"], data["ages"], data["persons"]
    within: int | Fraction = rational(said) if isinstance(said, str) else whole(said)
    confidence = rational(data["confidence"])
    share = isinstance(within, Fraction)
    if data["number"] not in NUMBERS or within <= 0 or not 0 < confidence < 1 or (share and persons is None):
        raise ValueError
    return AccuracyTarget(
        data["number"],
        within,
        None if ages is None else whole(ages),
        None if persons is None else whole(persons, 2**62),
        confidence,
    )


def _iteration(data: Any) -> Iteration:
    return Iteration(
        text(data["code"]),
        text(data["name"]),
        data["kind"] if data["kind"] in ("race", "ethnicity") else refuse(),
        whole(data["level"]),
        truth(data["alone"]),
        truth(data["total_only"]),
        truth(data["coarse_only"]),
        tuple(text(code) for code in data["codes"]),
    )


def _geography(data: Any) -> Geography:
    regions = {GeographyLevel(level): tuple(named) for level, named in data.items()}
    names = {GeographyLevel(level): tuple(map(text, named.values())) for level, named in data.items()}
    if any(list(ids) != sorted(ids) for ids in regions.values()):
        raise ValueError
    return Geography(0, pa.table({}), regions, {}, names)
