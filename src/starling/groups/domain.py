"""The domain of group sizes, as the registry of domains gives it to the frame."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starling.errors import ParameterError
from starling.groups.plan.grammar import PLAN
from starling.lazy import later
from starling.release.domain import Delivering, Domain, Invented, Verbs

if TYPE_CHECKING:
    from starling.groups.generate.files import Format
    from starling.groups.plan import Kind, Plan, PublicShares
    from starling.groups.preview import Preview
    from starling.groups.publication import GroupsPublication
    from starling.release.described import DescribedPlan, Generated
    from starling.release.plots import Plots


def _reopen(folder: Path) -> "GroupsPublication":
    from starling.groups.publication import GroupsPublication

    return GroupsPublication.reopened(folder)


def _invent(plan: str, _: Mapping[str, Path], folder: Path) -> Invented:
    from starling.groups.generate.standing_in import stand_in
    from starling.groups.plan import Plan
    from starling.groups.preview import known_shares

    chosen = Plan.load(plan)
    written, records = stand_in(Path(plan), chosen, known_shares(chosen, None)[0], folder)
    return Invented(str(written), {"records": records})


def _plan(plan: str) -> "DescribedPlan":
    from starling.groups.plan import Plan
    from starling.release.described import DescribedPlan

    chosen = Plan.load(plan)
    return DescribedPlan(chosen, partial(later("starling.groups.publication:GroupsPublication"), chosen))


def _preview(
    plan: str, *, shares: Path | None = None, targets: Mapping[str, float] | None = None, seed: int = 1
) -> "Preview":
    """With targets, of the split of the budget that comes nearest to them."""
    from dataclasses import replace

    from starling.groups.plan import Plan
    from starling.groups.preview import preview
    from starling.groups.preview.best_split import best_split

    chosen = Plan.load(plan)
    known = _shares(chosen, shares)
    search = best_split(chosen, targets, known, seed=seed) if targets else None
    simulated = preview(chosen if search is None else search.best.plan, known or chosen.shares, seed=seed)
    return replace(simulated, search=search)


def _generate(
    plan: str | None,
    *,
    out: Path,
    seed: int,
    counties: Path | None,
    taxis: bool,
    shares: Path | None,
    kind: "Kind | None",
    form: "Format",
) -> "Generated":
    """Without a plan, the households or the taxis of the paper."""
    from starling.groups.generate import census_like, taxi_like, world_of
    from starling.groups.generate.files import write
    from starling.groups.plan import Plan
    from starling.groups.preview import known_shares

    if (plan is not None) + (counties is not None) + taxis != 1:
        raise ParameterError("plan", "is not one of three", "give PLAN, or --counties FILE, or --taxis")
    if (kind if plan is not None else shares) is not None:
        raise ParameterError("plan", "does not go with these options", "give --shares with PLAN, and --kind without it")
    if plan is not None:
        chosen = Plan.load(plan)
        world = world_of(chosen, known_shares(chosen, _shares(chosen, shares))[0], seed=seed)
        return write(world, out, seed=seed, kind=chosen.kind, format=form, plan=chosen)
    world = taxi_like(seed=seed) if counties is None else census_like(counties, seed=seed)
    return write(world, out, seed=seed, kind=kind or "groups", format=form)


def _plot(releases: Iterator[Any], *, regions: Sequence[str], outlines: Path | None) -> "Plots":
    return next(releases).plot(*regions, outlines=outlines, error=True)  # type: ignore[no-any-return]


def _shares(plan: "Plan", file: Path | None) -> "PublicShares | None":
    from starling.groups.plan.shares import read_shares

    return None if file is None else read_shares(file, plan.largest, plan.format)


GROUPS: Final = Domain(
    "groups",
    later("starling.groups.publication:CHECKS"),
    _reopen,
    later("starling.groups.analysis:GroupsRelease"),
    Verbs(_plan, _preview, generate=_generate, plot=_plot),
    Delivering(("records",), later("starling.groups.publish:deliver"), invent=_invent),
    {"groups": PLAN},
)
