"""Earlier releases about the same people: their public plans, what a new plan adds to them, and what all of them cost together.

Everything is read from the released folders themselves. That they are about the same people is for whoever asks to know: a release
says which population of a ledger paid for it, and where it brought a ledger of its own it says nothing.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from starling.errors import ParameterError, PlanError
from starling.privacy.accounting.composition import Accounted, events_of
from starling.privacy.accounting.conversion import DELTA, approximate_events
from starling.privacy.budget import Cost, Epsilon, Rho
from starling.release.reading import Release, open_release
from starling.tables.artifact.public_plan import read_plan
from starling.tables.earlier.differencing import Differencing, differencing
from starling.tables.plan import Geography, Plan, read_geography

DOMAIN = "tables"


@dataclass(frozen=True, slots=True)
class Earlier:
    """A release as its folder states it, its files as they were signed.

    Attributes:
        path: The folder or zip, as it was named.
        plan: The public plan of the release.
        geography: The regions of the release and their names, without blocks.
        request_id: The request under which the release was charged.
        ledger: Id of the ledger that paid for the release; None where it brought a ledger of its own, or none.
        population: The protected population that the release is about; None where `ledger` is None.
        dataset: The data of that population that were read; None where `ledger` is None.
    """

    path: Path
    plan: Plan
    geography: Geography
    request_id: str
    ledger: str | None
    population: str | None
    dataset: str | None


@dataclass(frozen=True, slots=True)
class JointCost:
    """A plan beside earlier releases.

    Attributes:
        earlier: Each earlier release, with what the plan measures again or almost again.
        cost: The joint cost of the plan and all releases, in the measure of the plan; in rho where measures differ (epsilon costs at most
            epsilon^2/2).
        epsilon: The epsilon of the plan and all releases together at `delta`, rounded up.
        delta: The delta at which `epsilon` holds.
    """

    earlier: tuple[tuple[Earlier, Differencing], ...]
    cost: Cost
    epsilon: Fraction
    delta: str

    @property
    def populations(self) -> frozenset[str | None]:
        """Whose people the releases are about."""
        return frozenset(each.population for each, _ in self.earlier)


def read_earlier(path: Path) -> Earlier:
    """Read a tables release, folder or zip.

    Raises:
        IntegrityError: it is not what was signed.
        ParameterError: it is of another domain.
    """
    with open_release(path) as release:
        return earlier_of(release, path)


def earlier_of(release: Release, path: Path) -> Earlier:
    """What the folder of an open release states.

    Raises:
        ParameterError: it is of another domain.
    """
    if release.statement["domain"] != DOMAIN:
        raise ParameterError(field=str(path), problem="is no release of tables", fix="name one")
    plan, geography = read_plan(release.folder)
    account = release.statement["account"]
    paid = account["ledger"]
    where = (None, None, None) if not paid or paid["inside"] else (account["name"], paid["population"], paid["dataset"])
    return Earlier(path, plan, geography, release.request_id, *where)


def joint_cost(plan: Plan, releases: Sequence[Path], blocks: Path | None = None) -> JointCost:
    """What a plan and earlier releases show and cost together.

    Args:
        plan: The plan to be released.
        releases: Folders or zips, at least one.
        blocks: The block file of all of them; without it, regions are not compared block by block.

    Raises:
        IntegrityError, ParameterError: by a release; a release adds to one that is not among them, whose cost is then not known.
        PlanError: the block file is not that of a release, or wrong.
    """
    earlier = [read_earlier(path) for path in releases]
    known = {each.request_id for each in earlier}
    for each in earlier:
        missing = [below.request_id for below in each.plan.variants.releases if below.request_id not in known]
        if missing:
            problem = f"adds to the release of request {missing[0]}, which is not among the earlier ones"
            raise ParameterError(field=str(each.path), problem=problem, fix="name that one too: both together count")
    here = None if blocks is None else read_geography(blocks, plan)
    compared = tuple((each, differencing(plan, each.plan, here, _blocks(each, blocks))) for each in earlier)
    plans = [plan, *(each.plan for each in earlier)]
    events: Counter[Accounted] = Counter()
    for one in plans:
        events.update(dict(events_of(one.guarantee)))
    return JointCost(
        compared,
        _sum([each.cost for each in plans]),
        approximate_events(frozenset(events.items()), DELTA).epsilon,
        DELTA,
    )


def _blocks(earlier: Earlier, blocks: Path | None) -> Geography | None:
    if blocks is None:
        return None
    geography = read_geography(blocks, earlier.plan)
    if geography.regions != earlier.geography.regions:
        problem = f"has other regions than {earlier.path.name} was released for"
        fix = "give the block file of that release, or leave it out"
        raise PlanError(field="geography", problem=problem, fix=fix)
    return geography


def _sum(costs: Sequence[Cost]) -> Cost:
    """The sum of costs: epsilon where all are of pure DP, otherwise rho."""
    if all(isinstance(cost, Epsilon) for cost in costs):
        return Epsilon(sum((cost.amount for cost in costs), Fraction(0)))
    return Rho(sum((_rho(cost) for cost in costs), Fraction(0)))


def _rho(cost: Cost) -> Fraction:
    # Pure epsilon-DP is (epsilon^2/2)-zCDP (Bun and Steinke 2016, Proposition 1.4).
    return cost.amount * cost.amount / 2 if isinstance(cost, Epsilon) else cost.amount
