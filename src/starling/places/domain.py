"""The domain of points, as the registry of domains gives it to the frame."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starling.errors import ParameterError
from starling.lazy import later
from starling.places.plan.grammar import PLAN
from starling.release.domain import Delivering, Domain, Invented, Verbs

if TYPE_CHECKING:
    from starling.places.preview import Preview
    from starling.release.described import DescribedPlan, Generated
    from starling.release.plots import Plots


def _invent(plan: str, _: Mapping[str, Path], folder: Path) -> Invented:
    from starling.places.generate.standing_in import stand_in
    from starling.places.plan import Plan

    written, records = stand_in(Path(plan), Plan.load(plan), folder)
    return Invented(str(written), {"records": records})


def _plan(plan: str) -> "DescribedPlan":
    from starling.places.mechanism.table import MeasuredPlan
    from starling.places.publication import PlacesPublication
    from starling.release.described import DescribedPlan

    chosen = MeasuredPlan.load(plan)
    return DescribedPlan(chosen, lambda: PlacesPublication(chosen))


def _preview(
    plan: str,
    *,
    sizes: Sequence[float] = (),
    expected: int | None = None,
    worlds: Sequence[str] = (),
    trials: int = 1,
    seed: int = 1,
) -> "Preview":
    from starling.places.plan import Plan
    from starling.places.preview import NAMED, SIZES, preview

    tried = [NAMED[each] for each in worlds or NAMED]
    chosen = Plan.load(plan)
    return preview(chosen, expected=expected, sizes=sizes or SIZES, seed=seed, trials=trials, worlds=tried)


def _generate(plan: str | None, *, out: Path, seed: int, sigma: int | None, points: int | None) -> "Generated":
    """Without a plan, the points of the paper."""
    from starling.places.generate import POINTS, write, write_for
    from starling.places.plan import Plan

    if plan is None:
        return write(out, sigma=sigma or 50, seed=seed, points=POINTS if points is None else points)
    if sigma is not None:
        raise ParameterError("--sigma", "stands beside PLAN", "give --sigma without PLAN")
    return write_for(Plan.load(plan), out, seed=seed, points=points)


def _plot(releases: Iterator[Any], *, part: str | None) -> "Plots":
    return next(releases).plot(part)  # type: ignore[no-any-return]


PLACES: Final = Domain(
    "places",
    later("starling.places.publication:CHECKS"),
    later("starling.places.publication:reopened"),
    later("starling.places.analysis:PlacesRelease"),
    Verbs(_plan, _preview, generate=_generate, plot=_plot),
    Delivering(("records",), later("starling.places.publish:deliver"), invent=_invent),
    {"places": PLAN},
)
