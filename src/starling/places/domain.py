"""The domain of points, as the registry of domains gives it to the frame."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starling.errors import ParameterError
from starling.lazy import later
from starling.places.areas.plan.grammar import AREA_PLAN
from starling.places.flows.plan.grammar import FLOWS
from starling.places.plan.grammar import PLAN
from starling.places.trips.plan.grammar import TRIPS
from starling.release.domain import Delivering, Domain, Invented, Verbs

if TYPE_CHECKING:
    from starling.release.described import DescribedPlan, Generated
    from starling.release.plots import Plots
    from starling.release.report.pages import Preview


def _invent(plan: str, _: Mapping[str, Path], folder: Path) -> Invented:
    from starling.places.areas.generate import stand_in as stand_in_areas
    from starling.places.areas.plan.model import AreasPlan
    from starling.places.flows.generate import stand_in as stand_in_flows
    from starling.places.flows.plan import Plan as FlowsPlan
    from starling.places.generate.standing_in import stand_in
    from starling.places.kinds import load
    from starling.places.trips.generate import stand_in as stand_in_trips
    from starling.places.trips.plan import Plan as TripsPlan

    chosen = load(plan)
    path = Path(plan)
    if isinstance(chosen, TripsPlan):
        written, records = stand_in_trips(chosen, folder)
    elif isinstance(chosen, FlowsPlan):
        written, records = stand_in_flows(chosen, folder)
    elif isinstance(chosen, AreasPlan):
        written, records = stand_in_areas(path, chosen, folder)
    else:
        written, records = stand_in(path, chosen, folder)
    return Invented(str(written), {"records": records})


def _plan(plan: str) -> "DescribedPlan":
    from starling.places.kinds import load, publication_of
    from starling.release.described import DescribedPlan

    chosen = load(plan)
    return DescribedPlan(chosen, lambda: publication_of(chosen))


def _preview(
    plan: str,
    *,
    sizes: Sequence[float] = (),
    expected: int | None = None,
    worlds: Sequence[str] = (),
    trials: int = 1,
    seed: int = 1,
) -> "Preview":
    from starling.places.areas.plan.model import AreasPlan
    from starling.places.areas.preview import preview as preview_areas
    from starling.places.flows.plan import Plan as FlowsPlan
    from starling.places.flows.preview import Preview as FlowsPreview
    from starling.places.kinds import load
    from starling.places.preview import NAMED, SIZES, preview
    from starling.places.trips.plan import Plan as TripsPlan
    from starling.places.trips.preview import Preview as TripsPreview

    chosen = load(plan)
    if isinstance(chosen, AreasPlan | FlowsPlan | TripsPlan):
        if sizes or worlds:
            problem = "is of points on a grid, and the noise of this plan is known exactly"
            raise ParameterError("--size" if sizes else "--world", problem, "leave it out")
        if isinstance(chosen, TripsPlan):
            return TripsPreview(chosen if expected is None else replace(chosen, expected=expected))
        if isinstance(chosen, FlowsPlan):
            return FlowsPreview(chosen if expected is None else replace(chosen, expected=expected))
        return preview_areas(chosen, expected=expected)
    tried = [NAMED[each] for each in worlds or NAMED]
    return preview(chosen, expected=expected, sizes=sizes or SIZES, seed=seed, trials=trials, worlds=tried)


def _generate(plan: str | None, *, out: Path, seed: int, sigma: int | None, points: int | None) -> "Generated":
    """Without a plan, the points of the paper."""
    from starling.places.areas.generate import write_for as write_for_areas
    from starling.places.areas.plan.model import AreasPlan
    from starling.places.flows.generate import write_for as write_for_flows
    from starling.places.flows.plan import Plan as FlowsPlan
    from starling.places.generate import POINTS, write, write_for
    from starling.places.kinds import load
    from starling.places.trips.generate import write_for as write_for_trips
    from starling.places.trips.plan import Plan as TripsPlan

    if plan is None:
        return write(out, sigma=sigma or 50, seed=seed, points=POINTS if points is None else points)
    if sigma is not None:
        raise ParameterError("--sigma", "stands beside PLAN", "give --sigma without PLAN")
    chosen = load(plan)
    if isinstance(chosen, TripsPlan):
        return write_for_trips(chosen, out, seed=seed, trips=points)
    if isinstance(chosen, FlowsPlan):
        return write_for_flows(chosen, out, seed=seed, trips=points)
    if isinstance(chosen, AreasPlan):
        return write_for_areas(chosen, out, seed=seed, points=points)
    return write_for(chosen, out, seed=seed, points=points)


def _plot(releases: Iterator[Any], *, part: str | None) -> "Plots":
    return next(releases).plot(part)  # type: ignore[no-any-return]


PLACES: Final = Domain(
    "places",
    later("starling.places.publication:CHECKS"),
    later("starling.places.kinds:reopened"),
    later("starling.places.kinds:opened"),
    Verbs(_plan, _preview, generate=_generate, plot=_plot),
    Delivering(("records",), later("starling.places.kinds:deliver"), invent=_invent),
    {"places": PLAN, "places by area": AREA_PLAN, "flows": FLOWS, "flows on a grid": TRIPS},
)
