"""Earlier releases about the same people: their public plans, what a new plan adds to them, and what all of them cost together.

Everything is read from the released folders themselves. That they are about the same people is for whoever asks to know: a release
says which population of a ledger paid for it, and where it brought a ledger of its own it says nothing.

More budget for an earlier release. A release is topped up by the same plan with budgets of its own, in all or some of its levels, over the
same regions; its ledger, where it names one, must have paid for the same data. What is drawn stands in mechanism, how both are combined
in inference/combined.py. Levels that the plan leaves out are measured no further, cost nothing, and are not in the new release: they stay
as the earlier one published them. All of that is checked from the folder alone, before any charge.
"""

import hashlib
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Final

from starling.errors import ParameterError, PlanError
from starling.privacy.accounting.composition import Accounted, detailed_events_of, events_of
from starling.privacy.accounting.conversion import approximate_events
from starling.privacy.accounting.zcdp import rho_of
from starling.privacy.budget import Cost, Epsilon, Rho, decimal_up
from starling.privacy.guarantee import Guarantee
from starling.release.claims import amount
from starling.release.codec import Json
from starling.release.manifest import digest, manifest
from starling.release.reading import Release, open_release
from starling.release.session import Described, attributes
from starling.release.text import facts, rounded, table
from starling.tables.artifact.columns import measurements_path, place_of
from starling.tables.artifact.measured import read_measurements, with_earlier
from starling.tables.artifact.public_plan import read_plan
from starling.tables.earlier.differencing import Differencing, differencing
from starling.tables.plan import Geography, Plan, TopUp, labels, read_geography

SHOWN: Final = 20
"""Differences of one release that the text lists."""
MEANS: Final = (
    "A reader of both releases can subtract one group from the other: what is left tells of the persons in the difference, with the noise\n"
    "of both. They are protected by what all releases cost together, never by the cost of one alone."
)


@dataclass(frozen=True, slots=True)
class Earlier:
    """A release as its folder states it, its files as they were signed.

    Attributes:
        path: The folder or zip, as it was named.
        plan, geography: Its public plan, and its regions with their names, without blocks.
        request_id: The request under which it was charged.
        ledger: Id of the ledger that paid; None where it brought a ledger of its own, or none.
        population, dataset: Whom it is about, and the data of theirs that were read; None where `ledger` is None.
    """

    path: Path
    plan: Plan
    geography: Geography
    request_id: str
    ledger: str | None
    population: str | None
    dataset: str | None


@dataclass(frozen=True, slots=True, repr=False)
class JointCost(Described):
    """A plan beside earlier releases.

    Attributes:
        earlier: Each earlier release, with what the plan measures again or almost again.
        cost: That of all of them, in the measure of the plan; in rho where measures differ, by the events of each.
        replace_one: The same when one unit is replaced.
        epsilon, delta: The epsilon of all of them at delta, rounded up.
    """

    earlier: tuple[tuple[Earlier, Differencing], ...]
    cost: Cost
    replace_one: Cost
    epsilon: Fraction
    delta: str

    @property
    def populations(self) -> frozenset[str | None]:
        """Whose people the releases are about."""
        return frozenset(each.population for each, _ in self.earlier)

    @property
    def people(self) -> str:
        """Whose people the releases are about, in words."""
        known = sorted(each for each in self.populations if each is not None)
        if not known:
            return "the releases brought ledgers of their own and do not say whose they are"
        if len(self.populations) > 1:
            named = ", ".join(known) + (" and others that are not named" if None in self.populations else "")
            return f"of {named}: costs add up for persons who are in all of them"
        return f"of {known[0]}, all of them"

    def _facts(self) -> list[tuple[str, str]]:
        cost = f"{self.cost}, under the replace-one adjacency {self.replace_one}"
        return [
            ("together", f"{cost}; epsilon {decimal_up(self.epsilon)} at delta {self.delta}"),
            ("people", self.people),
        ]

    def __str__(self) -> str:
        """Each release with what is measured again, the differences, and the cost of all."""
        return "\n\n".join([*(_shown(*each) for each in self.earlier), facts(self._facts()), MEANS])

    def as_json(self) -> dict[str, Json]:
        """All of it, for programs, with every difference."""
        return {
            "joint": {
                "add-remove": amount(self.cost),
                "replace-one": amount(self.replace_one),
                "epsilon": decimal_up(self.epsilon),
                "delta": self.delta,
            },
            "releases": [
                {
                    "release": str(each.path),
                    **attributes(each, "title=plan.title", "request_id", "population"),
                    "cost": amount(each.plan.cost),
                    "measured_again": {str(same.geography): same.iterations for same in compared.repeated},
                    "compared_blocks": compared.blocks,
                    "differences": [
                        attributes(one, "by", "geography", "here", "there", "parts", "standard_deviation=deviation")
                        for one in compared.differences
                    ],
                }
                for each, compared in self.earlier
            ],
        }


def _shown(earlier: Earlier, compared: Differencing) -> str:
    """An earlier release, what of it is measured again, and groups that differ by little."""
    request_ids = ", ".join(
        f"{earlier.plan.regions.of(each.geography).kind}: {each.iterations:,} iteration{'' if each.iterations == 1 else 's'}"
        for each in compared.repeated
    )
    blocks = "" if compared.blocks else "; with --geography, regions are compared block by block too"
    pairs = [
        ("earlier", f"{earlier.path}: {earlier.plan.title}"),
        ("cost", f"{earlier.plan.cost}, request {earlier.request_id}"),
        ("measured again", request_ids or "nothing"),
        ("differ by little", f"{len(compared.differences):,} pairs of groups{blocks}"),
    ]
    rows = []
    for each in compared.differences[:SHOWN]:
        names = (labels.shortened(name) for name in (each.here, each.there, ", ".join(each.parts)))
        rows.append((earlier.plan.regions.of(each.geography).kind, *names, rounded(each.deviation)))
    if not rows:
        return facts(pairs)
    left = len(compared.differences) - SHOWN
    more = f"\nand {left:,} more, in --json" if left > 0 else ""
    header = ("level", "here", "there", "differ by", "noise (sd)")
    return f"{facts(pairs)}\n\n{table(header, rows, left=4)}{more}"


def read_earlier(path: Path) -> Earlier:
    """Read a tables release, folder or zip.

    Raises:
        IntegrityError: it is not what was signed.
        ParameterError: it is of another domain.
    """
    with open_release(path) as release:
        return earlier_of(release, path)


def earlier_of(release: Release, path: Path) -> Earlier:
    """What the folder of an open release states; raises ParameterError where it is of another domain."""
    if release.statement["domain"] != "tables":
        raise ParameterError(str(path), "is no release of tables", "name one")
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
            raise ParameterError(str(each.path), problem, "name that one too: both together count")
    here = None if blocks is None else read_geography(blocks, plan)
    compared = tuple((each, differencing(plan, each.plan, here, _blocks(each, blocks))) for each in earlier)
    guarantees = [plan.guarantee, *(each.plan.guarantee for each in earlier)]
    events: Counter[Accounted] = Counter()
    for guarantee in guarantees:
        events.update(dict(events_of(guarantee)))
    whole = approximate_events(frozenset(events.items()), plan.delta, fully_adaptive=True)
    return JointCost(compared, *_sums(guarantees), whole.epsilon, plan.delta)


def _blocks(earlier: Earlier, blocks: Path | None) -> Geography | None:
    if blocks is None:
        return None
    geography = read_geography(blocks, earlier.plan)
    if geography.regions != earlier.geography.regions:
        problem = f"has other regions than {earlier.path.name} was released for"
        raise PlanError("geography", problem, "give the block file of that release, or leave it out")
    return geography


def _sums(guarantees: Sequence[Guarantee]) -> tuple[Cost, Cost]:
    """What guarantees cost together when a unit is added or removed, and when one is replaced; in rho unless all are of pure DP."""
    if all(isinstance(each.cost, Epsilon) for each in guarantees):
        cost = Epsilon(sum((each.cost.amount for each in guarantees), Fraction(0)))
        return cost, cost * 2
    events = [detailed_events_of(each) for each in guarantees]
    one, two = (sum((rho_of(each, replaced=which) for each in events), Fraction(0)) for which in (False, True))
    return Rho(one), Rho(two)


@dataclass(frozen=True, slots=True)
class ToppedUp:
    """A plan, with its `top_up`, that adds to the open earlier release in a folder."""

    plan: Plan
    folder: Path

    def copy(self, out: Path) -> None:
        """Put the earlier measurements into the folder of the new release, file by file as they are."""
        for back in range(len(self.plan.variants.releases)):
            here, there = place_of(back), place_of(back + 1)
            (out / there).mkdir(parents=True)
            for level in self.plan.levels:
                shutil.copyfile(self.folder / measurements_path(level, here), out / measurements_path(level, there))


@contextmanager
def topping_up(plan: Plan, path: Path, geography: Geography | None = None, dataset: str = "") -> Iterator[ToppedUp]:
    """Open an earlier release, folder or zip, to add to it.

    Args:
        plan: The plan of the earlier release, but for its title and budgets, and perhaps without some of its levels.
        path: The earlier release.
        geography: The public regions, to be compared with those of the earlier release.
        dataset: What the ledger calls the data that are read now; compared where the earlier release names its own.

    Raises:
        IntegrityError: it is not what was signed.
        ParameterError: it is of another domain.
        PlanError: the plan cannot add to it.
    """
    with open_release(path) as release:
        earlier = earlier_of(release, path)
        _check(plan, earlier, geography, dataset)
        remaining = earlier.plan.only([level.name for level in plan.levels])
        drawn = read_measurements(release.folder, remaining, earlier.geography)
        # Every record is read once: after the charge, none of them can make the run fail.
        for _ in with_earlier(release.folder, remaining, earlier.geography, drawn):
            pass
        top_up = TopUp(
            hashlib.sha256(manifest(release.folder).encode()).hexdigest(),
            earlier.request_id,
            earlier.ledger or "",
            earlier.plan.cost.amount,
            tuple(level.budget for level in remaining.levels),
            tuple(digest(release.folder / measurements_path(level)) for level in remaining.levels),
            remaining.variants.top_up,
        )
        # An accuracy target is of a release that stands alone.
        levels = tuple(replace(level, targets=()) for level in plan.levels)
        yield ToppedUp(replace(plan, levels=levels, variants=replace(plan.variants, top_up=top_up)), release.folder)


def _check(plan: Plan, earlier: Earlier, geography: Geography | None, dataset: str) -> None:
    name = earlier.path.name
    names = {level.name for level in plan.levels}
    known = {level.name for level in earlier.plan.levels}
    if not names <= known or _but_budgets(plan) != _but_budgets(earlier.plan.only(names)):
        problem = f"is not the plan of {name}: more than title, budgets and levels left out differs"
        fix = "take the plan of that release, with other budgets, and without the levels that are good enough"
        raise PlanError("plan", problem, fix)
    if geography is not None and any(
        regions != earlier.geography.regions[level] for level, regions in geography.regions.items()
    ):
        problem = f"has other regions than {name} was released for"
        raise PlanError("geography", problem, "give the block file of that release")
    if earlier.dataset is not None and dataset not in ("", earlier.dataset):
        problem = f"{name} is about {earlier.dataset}, of {earlier.population}, not about {dataset}"
        raise PlanError("dataset", problem, "name the data that the earlier release was made from")


def _but_budgets(plan: Plan) -> Plan:
    levels = tuple(replace(level, budget=Fraction(1), targets=()) for level in plan.levels)
    return replace(plan, title="", levels=levels, variants=replace(plan.variants, top_up=None))


def check_comparable(first: Earlier, second: Earlier, name: Path) -> None:
    """Raises ParameterError, with the name of the second release, unless both have counts of one detail, and noise that is apart."""
    if first.request_id == second.request_id:
        raise ParameterError(str(name), "is the first release again", "name another")
    if _drawn(first) & _drawn(second):
        problem = "shares measurements with the first release, which it or both add to"
        raise ParameterError(str(name), problem, "compare releases whose noise is apart")
    if first.plan.detail != second.plan.detail:
        raise ParameterError(str(name), "has another detail than the first release", "compare releases of one")
    if not (first.plan.levels and second.plan.levels):
        problem = "or the first release has no counts of groups, and sums, quantiles and cross tables are not compared"
        raise ParameterError(str(name), problem, "look at their intervals")


def _drawn(release: Earlier) -> set[str]:
    return {release.request_id, *(each.request_id for each in release.plan.variants.releases)}
