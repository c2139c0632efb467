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
from starling.release.codec import decode, encode
from starling.release.manifest import AGAIN
from starling.release.public_json import text
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
)

PLAN: Final = "plan/plan.json"
REGIONS: Final = "plan/regions.json"


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
    """A plan; a level names its iterations, which stand in the definitions."""
    levels = [
        encode(Level, level, {"iterations": [iteration.code for iteration in level.iterations]})
        for level in plan.levels
    ]
    made: dict[str, Json] = encode(Plan, plan, {"levels": levels})
    return made


def _plan(data: Any) -> Plan:
    definitions: Definitions = decode(Definitions, data["definitions"])
    by_code = {iteration.code: iteration for iteration in definitions.iterations}
    if [*by_code] != sorted(by_code) or len(by_code) != len(definitions.iterations):
        raise ValueError
    levels = tuple(_level(each, by_code) for each in data["levels"])
    made: Plan = decode(Plan, data, {"definitions": definitions, "levels": levels})
    return made


def _level(data: Any, iterations: Mapping[str, Iteration]) -> Level:
    names = data["iterations"]
    # Groups stand in this order, each once.
    if not names or names != sorted(set(names)):
        raise ValueError
    made: Level = decode(Level, data, {"iterations": tuple(iterations[name] for name in names)})
    if not all(0 <= cut < 2**62 for cut in made.thresholds) or not all(map(_possible, made.targets)):
        raise ValueError
    return made


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
    regions = {GeographyLevel(level): tuple(named) for level, named in data.items()}
    names = {GeographyLevel(level): tuple(map(text, named.values())) for level, named in data.items()}
    if any(list(ids) != sorted(ids) for ids in regions.values()):
        raise ValueError
    return Geography(0, pa.table({}), regions, {}, names)
