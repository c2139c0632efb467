"""The domain of tables, as the registry of domains gives it to the frame."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starling.errors import ParameterError
from starling.lazy import later
from starling.release.domain import Delivering, Domain, Invented, Publish, Verbs
from starling.tables.plan.census import CONFIGURATION
from starling.tables.plan.census_grammar import CENSUS
from starling.tables.plan.custom_grammar import CUSTOM

if TYPE_CHECKING:
    from starling.release.described import Generated
    from starling.release.plots import Plots
    from starling.tables.cross_publication import CrossPublication
    from starling.tables.generate.files import Format
    from starling.tables.plan import Geography, Plan
    from starling.tables.preview import Preview
    from starling.tables.preview.described import PlanCosts
    from starling.tables.publication import TablesPublication


def _reopen(folder: Path) -> "CrossPublication | TablesPublication":
    from starling.tables.artifact.public_plan import read_plan
    from starling.tables.cross_publication import publication_of

    return publication_of(*read_plan(folder))


def _invent(plan: str, files: Mapping[str, Path], folder: Path) -> Invented:
    from starling.tables.generate.standing_in import stand_in

    written, all_files = stand_in(plan, files, folder)
    return Invented(str(written), all_files)


def _plan(
    plan: str,
    *,
    geography: Path | None,
    scale: str | None,
    total: str | None,
    epsilon: str | None,
    delta: str | None,
    out: Path | None,
    earlier: Sequence[Path],
) -> "PlanCosts":
    """Solved again for other margins or another cost where that is asked for; and beside earlier releases."""
    from starling.privacy.budget import chance, positive
    from starling.tables.earlier.releases import joint_cost
    from starling.tables.plan import Plan, afford, describe, known_regions, prices, solve, solve_at
    from starling.tables.preview.described import PlanCosts

    if scale is not None and total is not None:
        raise ParameterError("--total", "stands beside --scale", "give one of the two")
    if (epsilon is None) != (delta is None):
        raise ParameterError("--epsilon" if delta is None else "--delta", "stands alone", "give both, or neither")
    if epsilon is not None and (scale or total) is not None:
        raise ParameterError("--epsilon", "stands beside --scale or --total", "give one of them")
    chosen, factor, at_epsilon = Plan.load(plan), None, None
    if total is not None:
        factor, chosen = afford(chosen, positive(total, field="--total"))
    elif scale is not None:
        factor = positive(scale, field="--scale")
        chosen = solve(chosen, scale=factor)
    elif epsilon is not None and delta is not None:
        at_epsilon = solve_at(chosen, positive(epsilon, field="--epsilon"), chance(delta, field="--delta"))
        chosen = at_epsilon.plan
    overview = describe(chosen, known_regions(chosen, geography))
    joint = joint_cost(chosen, earlier, geography) if earlier else None
    if out is not None:
        chosen.save(out)
    return PlanCosts(overview, prices(chosen), factor, joint, at_epsilon, out)


def _preview(
    plan: str,
    *,
    geography: Path | None = None,
    top_up: Path | None = None,
    sizes: Sequence[int] | None = None,
    group_sizes: Path | None = None,
) -> "Preview":
    from starling.tables.plan import Plan, known_regions
    from starling.tables.preview import SIZES, preview
    from starling.tables.preview.expected_detail import read_sizes

    chosen = Plan.load(plan)
    regions = known_regions(chosen, geography)
    chosen = _topping_up(chosen, top_up, regions)
    if not chosen.staged:
        for option, value in (("--sizes", sizes), ("--group-sizes", group_sizes)):
            if value is not None:
                problem = "changes nothing: the plan measures each group once, whatever its size"
                raise ParameterError(option, problem, "leave it out, or add [detail] to the plan")
    known = None if group_sizes is None else read_sizes(group_sizes)
    return preview(chosen, regions, sizes=SIZES if sizes is None else sizes, group_sizes=known)


def _release(
    plan: str,
    *,
    persons: Path,
    geography: Path | None,
    names: Path | None,
    top_up: Path | None,
    engine: str,
) -> tuple[Callable[[], str], Publish]:
    from starling.tables.plan import Plan
    from starling.tables.publish import release

    chosen = Plan.load(plan)

    def spending() -> str:
        topped = _topping_up(chosen, top_up, None)
        if topped.variants.top_up is None:
            return topped.title
        request_id, cost = topped.variants.top_up.request_id, topped.joint_guarantee.cost
        return f"{topped.title}\nIt tops up the release of request {request_id}: together they cost {cost}."

    return spending, partial(release, chosen, persons, geography, names=names, top_up=top_up, engine=engine)


def _generate(
    plan: str, *, out: Path, seed: int, persons: int | None, land_for: int | None, states: str | None, kind: "Format"
) -> "Generated":
    from starling.tables.generate import generate
    from starling.tables.plan import Plan

    codes = None if states is None else states.split(",")
    return generate(Plan.load(plan), persons=persons, seed=seed, out=out, states=codes, land_for=land_for, format=kind)


def _plot(releases: Iterator[Any], *, table: str, most: int) -> "Plots":
    return next(releases).plot(table, most=most)  # type: ignore[no-any-return]


def _topping_up(plan: "Plan", release: Path | None, regions: "Geography | None") -> "Plan":
    """The plan, on top of an earlier release if one is named."""
    from starling.tables.earlier.releases import topping_up

    if release is None:
        return plan
    with topping_up(plan, release, regions) as topped:
        return topped.plan


TABLES: Final = Domain(
    "tables",
    later("starling.tables.artifact.columns:CHECKS"),
    _reopen,
    later("starling.tables.analysis:opened"),
    Verbs(_plan, _preview, _release, _generate, _plot),
    Delivering(
        ("persons",),
        later("starling.tables.publish:deliver"),
        optional=("geography",),
        public=("geography",),
        invent=_invent,
    ),
    {"tables of the Census": CENSUS, "Census configuration": CONFIGURATION, "custom tables": CUSTOM},
)
