"""The public plan inside a release: all that turns its measurements into its tables, without the files that the plan came from.

`plan/plan.json` is the whole plan with its code book; `plan/regions.json` the regions of each geography level with their names. Both
are canonical: one plan gives one text, and a text that is not what its plan gives is refused. Beside them stands what a release says of its
plan: its parameters for privacy.json, enough to recompute cost and post-processing, and its words for the registry of deployments.
"""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from starling.errors import IntegrityError
from starling.privacy.budget import DELTA
from starling.release import public_json
from starling.release.claims import noise
from starling.release.codec import Json, decode, encode, plain, text
from starling.release.manifest import DOWNLOAD_AGAIN
from starling.release.registry import Product
from starling.release.statement import AddsTo, Particulars
from starling.tables.artifact.aggregates import parameters as aggregate_parameters
from starling.tables.artifact.columns import measurements_path, place_of
from starling.tables.inference.combined import later_weight, margin
from starling.tables.inference.consistency import well_nested
from starling.tables.inference.totals import CONFIDENCE, half_width, stage1_share, suppression_quantile
from starling.tables.plan import (
    AccuracyTarget,
    Aggregate,
    CombinedStageNoise,
    Definitions,
    Geography,
    Iteration,
    Level,
    Plan,
)
from starling.tables.plan.census_records import CENSUS_PARTS, CensusRecords
from starling.tables.plan.custom_records import CustomRecords
from starling.tables.plan.geography import stated_regions
from starling.tables.plan.variants import EVENLY

PLAN: Final = "plan/plan.json"
REGIONS: Final = "plan/regions.json"
CENSUS: Final = {
    **CENSUS_PARTS,
    "aggregates": (),
    "data_structure": "",
    "cross": None,
    "delta": DELTA,
}
"""The parts of a plan of the Census that other plans say in their own way, and what is said of them where nothing is stated."""
CENSUS_RECORDS: Final = ("max_race_codes", "states", "puerto_rico")
"""The fields of the Census's records, which stand before the definitions in plan.json."""


def write_plan(folder: Path, plan: Plan, geography: Geography) -> None:
    """Write both files below `folder`."""
    (folder / "plan").mkdir()
    for path, stated in ((PLAN, plan_json(plan)), (REGIONS, regions_json(geography))):
        public_json.write(folder, path, stated)


def read_plan(folder: Path) -> tuple[Plan, Geography]:
    """What `write_plan` wrote. The geography has regions and names, and no blocks.

    Raises:
        IntegrityError: a file is not what `write_plan` writes.
        PlanError: it states a plan that cannot be.
    """
    plan = public_json.read(folder, PLAN, _plan, plan_json)
    geography = public_json.read(folder, REGIONS, _geography, regions_json)
    if geography.regions.keys() != plan.tabulated:
        raise IntegrityError(REGIONS, "has other geography levels than the plan", DOWNLOAD_AGAIN)
    stated = stated_regions(plan)
    if stated is not None and geography.regions != stated.regions:
        raise IntegrityError(REGIONS, "has other regions than the plan", DOWNLOAD_AGAIN)
    if plan.variants.add_up and not well_nested(plan, geography.regions):
        raise IntegrityError(REGIONS, "has regions that are not nested by their ids", DOWNLOAD_AGAIN)
    return plan, geography


def plan_json(plan: Plan) -> dict[str, Json]:
    """A plan; a level names its iterations, which stand in the definitions."""
    levels = [_level_json(level) for level in plan.levels]
    aggregates = [encode(Aggregate, each, {"level": _level_json(each.level)}) for each in plan.aggregates]
    left_out, fields = census_parts(plan), record_fields(plan)
    written: dict[str, Json] = encode(Plan, plan, {"levels": levels, "aggregates": aggregates, "records": None})
    stated: dict[str, Json] = {}
    for name, value in written.items():
        if name == "definitions":
            stated |= {key: plain(fields[key]) for key in CENSUS_RECORDS}
        if name == "records" and name in fields:
            stated[name] = encode(CustomRecords, fields[name])
        elif name != "records" and name not in left_out:
            stated[name] = value
    return stated


def record_fields(plan: Plan) -> dict[str, Any]:
    """The records of a plan by the fields that stand for them in its JSON and its digest.

    Custom records stand beside the fields of the Census, as they have since the first release of custom tables.
    """
    if isinstance(plan.records, CensusRecords):
        return {key: getattr(plan.records, key) for key in CENSUS_RECORDS}
    return {"max_race_codes": 1, "states": frozenset(), "puerto_rico": False, "records": plan.records}


def _level_json(level: Level) -> Json:
    stated: Json = encode(Level, level, {"iterations": [iteration.code for iteration in level.iterations]})
    return stated


def census_parts(plan: Plan) -> frozenset[str]:
    """The fields of a plan that are the Census's, and are left out of its JSON, as they were when there was nothing else."""
    return frozenset(name for name, census in CENSUS.items() if getattr(plan, name) == census)


def _plan(data: Any) -> Plan:
    definitions: Definitions = decode(Definitions, data["definitions"])
    by_code = {iteration.code: iteration for iteration in definitions.iterations}
    if [*by_code] != sorted(by_code) or len(by_code) != len(definitions.iterations):
        raise ValueError
    levels = tuple(_level(each, by_code) for each in data["levels"])
    of_census = {name: census for name, census in CENSUS.items() if name not in data}
    aggregates = tuple(
        decode(Aggregate, each, {"level": _level(each["level"], by_code)}) for each in data.get("aggregates", [])
    )
    records = (
        decode(CustomRecords, data["records"])
        if "records" in data
        else decode(CensusRecords, {key: data[key] for key in CENSUS_RECORDS})
    )
    known = {"definitions": definitions, "levels": levels, **of_census, "aggregates": aggregates, "records": records}
    fields = {key: each for key, each in data.items() if key not in CENSUS_RECORDS}
    plan: Plan = decode(Plan, {**of_census, **fields, "records": None}, known)
    return plan


def _level(data: Any, iterations: Mapping[str, Iteration]) -> Level:
    names = data["iterations"]
    # Groups stand in this order, each once.
    if not names or names != sorted(set(names)):
        raise ValueError
    level: Level = decode(Level, data, {"iterations": tuple(iterations[name] for name in names)})
    if not all(0 <= cut < 2**62 for cut in level.thresholds) or not all(map(_possible, level.targets)):
        raise ValueError
    return level


def _possible(target: AccuracyTarget) -> bool:
    """Whether a target is of some margin, with some chance, and a share is one of somebody."""
    share = isinstance(target.within, Fraction)
    return target.within > 0 and 0 < target.confidence < 1 and not (share and target.persons is None)


def regions_json(geography: Geography) -> dict[str, Json]:
    """The name of each region by its id, ascending, for each geography level."""
    return {
        str(level): dict[str, Json](zip(regions, geography.names[level], strict=True))
        for level, regions in sorted(geography.regions.items())
    }


def _geography(data: Any) -> Geography:
    regions = {text(level): tuple(named) for level, named in data.items()}
    names = {level: tuple(map(text, named.values())) for level, named in data.items()}
    if any(list(ids) != sorted(ids) for ids in regions.values()):
        raise ValueError
    return Geography(0, pa.table({}), regions, {}, names)


SOURCE: Final = "SafeTab-P, Algorithms 1 to 5 of SafeTab 2022 (Tumult Labs)"


def particulars(plan: Plan, geography: Geography) -> Particulars:
    """What privacy.json says of a tables release."""
    earlier = (
        AddsTo(each.request_id, each.ledger, each.manifest, guarantee)
        for each, guarantee in zip(plan.variants.releases, plan.earlier_guarantees, strict=True)
    )
    return Particulars("tables", parameters(plan, geography), bounds(plan), adds_to=tuple(earlier))


def bounds(plan: Plan) -> dict[str, Json]:
    """What bounds the part of one person, by rules that hold for every record."""
    return {
        "records_of_a_person": plan.records_of_one,
        **plan.records.bounds,
        "groups_of_a_person": {level.name: level.stability for level in plan.every_level},
    }


def parameters(plan: Plan, geography: Geography) -> dict[str, Json]:
    """The plan's choices and each level's noise."""
    sql, named = plan.records.counting(plan.detail)
    return {
        "name": "SafeTab",
        "source": SOURCE,
        "plan": PLAN,
        "regions": REGIONS,
        "title": plan.title,
        "stage_1_fraction": str(plan.gamma),
        "suppression_chance": str(plan.suppression),
        "negative_counts_published": plan.allow_negative,
        "both_stages": plan.variants.both_stages,
        "add_up": EVENLY if plan.variants.evenly else plan.variants.add_up,
        "given_published": plan.variants.given_published,
        **plan.records.parameters,
        "confidence": str(CONFIDENCE),
        "branches": [plan.detail.names[branch] for branch in range(len(plan.detail.sizes))],
        "counting": {"sql": sql, "tables": dict[str, Json](named)},
        "levels": [_level_parameters(plan, geography, level) for level in plan.levels],
        **aggregate_parameters(plan, geography),
    }


def _level_parameters(plan: Plan, geography: Geography, level: Level) -> dict[str, Json]:
    stage_noise, branches = plan.stage_noise(level), range(len(plan.detail.sizes))
    return {
        "geography": str(level.geography),
        "iteration_level": level.iteration_level,
        "measurements": measurements_path(level),
        "budget": {plan.measure: str(level.budget)},
        "stability": level.stability,
        "thresholds": list[Json](level.thresholds),
        "regions": len(geography.regions[level.geography]),
        "iterations": len(level.iterations),
        "noise": {
            "total_only": noise(stage_noise.total_only, plan.records_of_one),
            "stage_1": noise(stage_noise.stage1, plan.records_of_one),
            "stage_2": noise(stage_noise.stage2, plan.records_of_one),
        },
        "margins_of_error": {
            "total_only": margin(plan.noise(level, total_only=True), missing()),
            "stage_1": margin(stage_noise.stage1, missing()),
            "cell": margin(plan.noise(level), missing()),
            "totals_by_branch": [half_width(plan, level, branch) for branch in branches],
        },
        "stage_1_weights": [str(stage1_share(plan, level, branch)) for branch in branches],
        "suppressed_up_to": suppression_quantile(plan, level),
        "adds_to": _earlier(plan, level),
    }


def _earlier(plan: Plan, level: Level) -> list[Json]:
    """The noise that each earlier release drew, and the weight of what was drawn after it beside what it published; the last first."""
    releases: list[Json] = []
    kinds = {"total_only": plan.noise(level, total_only=True), "cell": plan.noise(level)}
    for back, _ in enumerate(plan.variants.releases, 1):
        both = {name: noise for name, noise in kinds.items() if isinstance(noise, CombinedStageNoise)}
        kinds = {name: noise.earlier for name, noise in both.items()}
        drawn = {name: noise.later if isinstance(noise, CombinedStageNoise) else noise for name, noise in kinds.items()}
        releases.append(
            {
                "measurements": measurements_path(level, place_of(back)),
                "noise": {name: noise(each, plan.records_of_one) for name, each in drawn.items()},
                "weights": {name: str(later_weight(noise)) for name, noise in both.items()},
            }
        )
    return releases


def missing() -> Fraction:
    """The chance that an interval misses."""
    return 1 - CONFIDENCE


def product(plan: Plan) -> Product:
    """A tables release in the words of the registry."""
    words = plan.wording
    noise = "discrete Laplace (two-sided geometric)" if plan.measure == "epsilon" else "discrete Gaussian"
    clamped = "" if plan.allow_negative else " Negative numbers are published as 0."
    stages = " and over the two measurements of a group" if plan.staged else ""
    chance = float(1 - plan.suppression)
    dropped = (
        ""
        if not (plan.suppression and plan.staged)
        else f" {words.small}, bare totals that noise alone exceeds with chance {chance:g} are left out."
    )
    return Product(
        description=words.description,
        intended_use=words.use,
        region=plan.records.area,
        domain=words.records,
        bounds=_bounds_text(plan),
        mechanisms=f"{SOURCE}: each group of the plan, empty or not, is measured with {noise} noise, exact over the"
        f" integers{'; ' if plan.staged or plan.variants.top_up else ', '}{_measured(plan)}{_aggregated(plan)}",
        post_processing=f"Totals are sums of noisy cells. {_derived(plan)}{dropped}{clamped}",
        composition=f"Sequential over levels{stages}; within a level, parallel composition of bounded"
        " degree over groups. The tree with every event and amount is in privacy.json."
        + (
            f" Earlier releases that it adds to were charged on their own; {plan.joint_guarantee.cost} in all."
            if plan.variants.top_up
            else ""
        ),
        unprotected="None: the plan, the definitions and the geography are public, and no number is published without noise.",
    )


def _bounds_text(plan: Plan) -> str:
    if plan.records.unit is None:
        return plan.wording.bounds
    return (
        f"At most {plan.records_of_one:,} records of one {plan.relation.unit} are counted, each in one area at most; how many groups of a"
        " level a record can be in follows from the plan, and divides the level's budget together with the number of records."
    )


def _measured(plan: Plan) -> str:
    if plan.variants.top_up is None and not plan.staged:
        return "once."
    if plan.variants.top_up is None:
        return "a noisy total chooses how much detail the group gets, a second measurement is published."
    return (
        "each is measured once more in the detail that an earlier release published"
        f" (request {plan.variants.top_up.request_id}, charged on its own), and combined with what was published by inverse variances."
    )


def _aggregated(plan: Plan) -> str:
    kinds = {None if each.quantiles is None else each.quantiles.way for each in plan.aggregates}
    texts = {
        None: " Of columns of numbers, clamped to public bounds, two sums are measured in each group, with such noise.",
        "counts": " Quantiles come from noisy counts of the nodes of a tree over public classes.",
        "selection": " Quantiles are classes selected by the exponential mechanism.",
    }
    return "".join(text for kind, text in texts.items() if kind in kinds)


def _derived(plan: Plan) -> str:
    first = (
        " The first noisy total is weighted with their sum by inverse variances, and cells share the change."
        if plan.variants.both_stages
        else ""
    )
    if not plan.variants.add_up:
        return f"Nothing is made to add up between regions.{first}"
    return f"Totals of nested regions, and of iterations that are sums of others, are made to add up by weighted least squares.{first}"
