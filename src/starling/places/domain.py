"""The domain of points, as the registry of domains gives it to the frame."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starling.errors import ParameterError
from starling.lazy import later
from starling.places.areas.plan.grammar import AREA_PLAN
from starling.places.flows.plan.grammar import FLOWS
from starling.places.plan.grammar import PLAN
from starling.places.trips.plan.grammar import TRIPS
from starling.release.domain import Delivering, Domain, Invented, Verbs

if TYPE_CHECKING:
    from starling.release.described import DescribedPlan, Generated
    from starling.release.report.pages import Preview


def _invent(plan: str, _: Mapping[str, Path], folder: Path) -> Invented:
    from starling.places.kinds import load

    kind, chosen = load(plan)
    written, records = kind.invention.stand_in(Path(plan), chosen, folder)
    return Invented(str(written), {"records": records})


def _plan(plan: str) -> "DescribedPlan":
    from starling.places.kinds import load
    from starling.release.described import DescribedPlan

    kind, chosen = load(plan)
    return DescribedPlan(chosen, lambda: kind.publication(chosen))


def _preview(
    plan: str,
    *,
    sizes: Sequence[float] = (),
    expected: int | None = None,
    worlds: Sequence[str] = (),
    trials: int = 1,
    seed: int = 1,
) -> "Preview":
    from starling.places.kinds import OF_GRID, load

    kind, chosen = load(plan)
    if kind is not OF_GRID:
        idle = {"--size": sizes, "--world": worlds, "--trials": trials != 1, "--seed": seed != 1}
        for option in (name for name, stated in idle.items() if stated):
            problem = "is of points on a grid, and the noise of this plan is known exactly"
            raise ParameterError(option, problem, "leave it out")
        return kind.preview(chosen, expected=expected)
    from starling.places.preview import NAMED, SIZES

    tried = [NAMED[each] for each in worlds or NAMED]
    return kind.preview(chosen, expected=expected, sizes=sizes or SIZES, seed=seed, trials=trials, worlds=tried)


def _generate(plan: str | None, *, out: Path, seed: int, sigma: int | None, points: int | None) -> "Generated":
    """Without a plan, the points of the paper."""
    if plan is None:
        from starling.places.generate import POINTS, write

        return write(out, sigma=sigma or 50, seed=seed, points=POINTS if points is None else points)
    if sigma is not None:
        raise ParameterError("--sigma", "stands beside PLAN", "give --sigma without PLAN")
    from starling.places.kinds import load

    kind, chosen = load(plan)
    return kind.invention.write_for(chosen, out, seed=seed, many=points)


PLACES: Final = Domain(
    "places",
    later("starling.places.publication:CHECKS"),
    later("starling.places.kinds:reopened"),
    later("starling.places.kinds:opened"),
    Verbs(_plan, _preview, generate=_generate, plot=lambda releases, *, part: next(releases).plot(part)),
    Delivering(("records",), later("starling.places.kinds:deliver"), invent=_invent),
    {"places": PLAN, "places by area": AREA_PLAN, "flows": FLOWS, "flows on a grid": TRIPS},
)
