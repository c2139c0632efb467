"""The plan of a release of group sizes: every public choice, as one immutable value. It opens nothing confidential.

Groups (households, vehicles) lie in the leaves of public regions; a group's size is how many members (persons, trips) it has, 0 to N,
larger ones counted as N. Published is, for each region r of each level and each size s, the number n[r,s] of groups of that size
(Fioretto, Van Hentenryck and Zhu 2021, "Differential privacy of hierarchical census data", Section 4).

Privacy. Neighbours: add or remove one member of an existing group (or one event of one). Public: the regions, which groups there are and in
which leaf each lies, N, and the number G of all groups, or that of each leaf. Size 0 is needed: with sizes 1 to N alone, removing an
only member would change G. A member brings up to q units, so that one group moves from size s to s + k, 0 < k <= q, and in each level one
region sees it:

- n changes by 1 at s and at s + k: L1 sensitivity 2 and squared L2 sensitivity 2 in each level, whatever q;
- c[r,s] = n[r,0] + ... + n[r,s] changes by 1 at s, ..., s + k - 1: L1 and squared L2 sensitivity q in each level. A member more never
  raises any of them, so that they are MONOTONE (privacy/events.py); the cells of n are not, of which one falls and one rises.

Levels compose sequentially. Of cumulative counts, the sizes may be cut into bands with a budget of their own: noise of scale q/eps_l(s)
at size s of level l, so that a size costs eps/q over all levels, and one member meets at most q sizes (bounded overlap; zCDP alike, with
variance q/(2 rho_l(s))). Where a total is public, c at size N is that total and gets no noise.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, isqrt
from pathlib import Path
from typing import Any, ClassVar, Final, Self

from starling.errors import PlanError
from starling.groups.plan.budget import SplitBudget
from starling.groups.plan.choices import (
    METHODS,
    MOST_CELLS,
    RELATIONS,
    WITH_REGION_TOTALS,
    Kind,
    Method,
    Register,
    Totals,
    Unit,
)
from starling.groups.plan.grammar import PLAN, read_plan
from starling.groups.plan.regions import MOST_GROUPS, Regions, nested_rows, regions_text
from starling.groups.plan.shares import PublicShares, budget_of
from starling.planfile.toml import Section
from starling.planfile.values import section_of, toml_of
from starling.privacy.accounting.zcdp import replace_one_cost
from starling.privacy.budget import Cost, Measure, decimal_up
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.events import ANY, MONOTONE, DiscreteGaussianNoise, DiscreteLaplaceNoise
from starling.privacy.guarantee import Guarantee, bounded_overlap, sequential
from starling.privacy.least import least_text, shortfall
from starling.privacy.neighbours import Relation
from starling.release.codec import OPTIONAL, digest
from starling.release.plan_file import PlanInFile
from starling.release.session import Grid
from starling.release.text import rounded
from starling.text_format import PLAIN, TextFormat

MOST_MEMBERS: Final = 1 << 60
"""Bounds G times N, so that no sum of sizes leaves int64."""
MOST_COST: Final = 1 << 61
"""What no sum that an optimiser forms may reach."""
MARGIN: Final = 1 << 20
"""What an optimiser adds to measurements."""
NARROWEST: Final = Fraction(1, 400)
"""Of a scale or of a sigma squared: below it the variance of the noise leaves the range in which estimates weigh with it."""
WIDTHS: Final = 64
"""Scales, or standard deviations, that no measurement is taken to be off by."""


@dataclass(frozen=True, eq=False, repr=False)
class Plan(PlanInFile):
    """Every public choice of a release.

    Attributes:
        title: For people.
        group: What a group is, in a word: household.
        member: What a group consists of, in a word: person.
        regions: The public regions, and the totals of leaves where they are public.
        largest: N: larger sizes count as this one.
        groups: G, the public number of all groups.
        totals: Whether G alone is public ("root") or the number of groups of every region.
        kind: What the records are: groups (region, size), ready counts (region, size, groups), persons or events of registered groups.
        unit: What is protected: one member of a group, or one event.
        quantity: q, the most that one member, or one event, adds to a size.
        register: The public list of groups; None where records bring their own regions.
        method: One of METHODS.
        measure: Of the budget: epsilon of pure DP, or rho of zCDP.
        budget: The amount of each level, and of each band of sizes in it.
        shares: The public shares of sizes that the budget follows from; None where the plan states the budget itself.
        format: How text says the records.
    """

    grammar: ClassVar = PLAN
    title: str
    group: str
    member: str
    regions: Regions
    largest: int
    groups: int
    totals: Totals
    kind: Kind
    unit: Unit
    quantity: int
    register: Register | None
    method: Method
    measure: Measure
    budget: SplitBudget
    shares: PublicShares | None = None
    format: TextFormat = field(default=PLAIN, metadata=OPTIONAL)

    def __post_init__(self) -> None:
        if self.cells > MOST_CELLS:
            problem = f"makes {self.cells:,} cells, regions of all levels times sizes, beyond {MOST_CELLS:,}"
            raise PlanError("sizes.largest", problem, "cap sizes lower, or name fewer regions")
        if not 0 <= self.groups <= MOST_GROUPS or self.groups * self.largest > MOST_MEMBERS:
            problem = f"is {self.groups:,}: sums of sizes up to {self.largest:,} could leave 64 bits"
            raise PlanError("totals.groups", problem, "correct it, or cap sizes lower")
        if self.largest < 1 or not 1 <= self.quantity <= self.largest:
            problem = f"are {self.largest:,} and {self.quantity:,}"
            raise PlanError("sizes", problem, "give 1 <= quantity <= largest")
        totals = self.regions.totals
        if (totals is not None) != (self.totals == "region") or (totals is not None and sum(totals) != self.groups):
            problem = f"is {self.groups:,}, which the regions do not add up to"
            raise PlanError("totals.groups", problem, "correct the totals")
        if self.kind in ("persons", "events") and self.register is None:
            raise PlanError("input.register", "is missing", f"name the public list of {self.group} and region")
        if (self.kind, self.unit) in (("persons", "event"), ("events", "member")):
            fix = 'persons protect a "member"; events, which name nobody, protect an "event"'
            raise PlanError("privacy.unit", f"is not that of {self.kind}", fix)
        if self.budget.bands[-1] > self.largest or len(self.budget.amounts[0]) != self.levels:
            fix = "begin every band at a size, and give each level its amount"
            raise PlanError("privacy.bands", "do not fit sizes and levels", fix)
        if self.shares is not None and self.budget != self.derived(self.shares):
            fix = "read the plan from its file, or leave its shares out"
            raise PlanError("privacy.shares", "do not give the budget of the plan", fix)
        if self.totals == "region" and self.method not in WITH_REGION_TOTALS:
            fix = 'write public = "root", or another method'
            raise PlanError("totals.public", f"is no choice of the method {self.method}", fix)
        if len(self.budget.bands) > 1 and not self.cumulative:
            fix = f"take one of {', '.join(name for name in METHODS if name.startswith('c_'))}"
            raise PlanError("privacy.method", "has no budget by size", fix)
        self._check_noise()

    def _check_noise(self) -> None:
        """Raises PlanError where the noise is too narrow or too wide for what follows."""
        if min(_scale(each) for level in range(self.levels) for each in self.noise(level)) < NARROWEST:
            raise PlanError("privacy", "spends so much that there is no noise to speak of", "spend less")
        short = shortfall(self.guarantee)
        if self.most_noisy > self._widest or short > 1:
            problem = "makes noise so wide, of so many regions and groups, that sums could leave 64 bits"
            wider = Fraction(self.most_noisy - self.groups, max(self._widest - self.groups - WIDTHS, 1))
            least = self.budget.whole * max(wider if self.measure == "epsilon" else wider**2, short)
            raise PlanError("privacy", problem, f"spend at least {least_text(least)} in all")

    @classmethod
    def _fields(cls, top: Section, folder: Path) -> dict[str, Any]:
        return read_plan(top, folder)

    @classmethod
    def of(cls, values: Mapping[str, Any], regions: Mapping[str, Any] | None = None, folder: str | Path = ".") -> Self:
        """The plan that values of Python state, with the keys of a plan file; checked as the file is.

        Args:
            values: Texts, integers, lists and dicts. Exact numbers are texts such as "0.1", integers or fractions; a float is refused. A
                key whose value is None is left out.
            regions: In place of the file of regions: each region with those inside it, as in {"land": {"east": ["e1", "e2"]}}. A leaf
                may have its public number of groups, as in {"e1": 4, "e2": 5}.
            folder: Where public files are looked for that the values name.

        Raises:
            PlanError: with every problem found.
        """
        rows = None if regions is None else nested_rows(regions)
        top = section_of(values)
        return cls._stated(top, read_plan(top, Path(folder).absolute(), rows))

    def _files(self, path: Path) -> dict[Path, str]:
        regions = path.with_suffix(".regions.csv")
        values = self._values()
        values["regions"] = {"file": regions.name, **values["regions"]}
        if self.register is not None:
            if self.register.path is None:
                problem = "is that of a release, which knows no more of it than its hash"
                raise PlanError("input.register", problem, "save the plan that was released")
            values["input"]["register"] = os.path.relpath(self.register.path, path.absolute().parent)
        return {regions: regions_text(self.regions), path: toml_of(values)}

    def derived(self, shares: PublicShares) -> SplitBudget:
        """The budget by size that follows from public shares, for the plan's whole budget."""
        counts = tuple(map(len, self.regions.ids))
        return budget_of(shares, self.budget.whole, self.measure, self.largest, self.quantity, self.groups, counts)

    @property
    def levels(self) -> int:
        """How many levels of regions there are."""
        return len(self.regions.levels)

    @property
    def sizes(self) -> int:
        """How many sizes there are, 0 to N."""
        return self.largest + 1

    @property
    def cells(self) -> int:
        """Regions of all levels times sizes."""
        return sum(map(len, self.regions.ids)) * self.sizes

    @cached_property
    def most_noisy(self) -> int:
        """The size to which measurements are cut: G and WIDTHS of the widest noise."""
        noise = [each for level in range(self.levels) for each in self.noise(level)]
        return self.groups + WIDTHS * max(map(_width, noise))

    @property
    def _widest(self) -> int:
        """The largest `most_noisy` with which (8 most_noisy + MARGIN) times the number of regions is below MOST_COST."""
        return ((MOST_COST - 1) // sum(map(len, self.regions.ids)) - MARGIN) // 8

    @property
    def cumulative(self) -> bool:
        """Whether cumulative counts are measured; else histograms."""
        return self.method.startswith("c_")

    @property
    def relation(self) -> Relation:
        """Neighbouring databases."""
        return RELATIONS[self.unit]

    @property
    def cost(self) -> Cost:
        """What the release costs in all."""
        return self.guarantee.cost

    @property
    def bands(self) -> tuple[slice, ...]:
        """The sizes of each band of the budget."""
        return tuple(slice(first, stop) for first, stop in pairwise((*self.budget.bands, self.sizes)))

    def noise(self, level: int) -> tuple[Distribution, ...]:
        """The noise of each band of sizes of a level."""
        sensitivity = Fraction(self.quantity if self.cumulative else 2)
        amounts = [band[level] for band in self.budget.amounts]
        if self.measure == "epsilon":
            return tuple(DiscreteLaplace(sensitivity / amount) for amount in amounts)
        return tuple(DiscreteGaussian(sensitivity / (2 * amount)) for amount in amounts)

    @cached_property
    def guarantee(self) -> Guarantee:
        """What is charged: one event for each level and band of sizes."""
        what = "cumulative counts" if self.cumulative else "histograms"
        several = len(self.budget.bands) > 1
        sensitivity = Fraction((1 if several else self.quantity) if self.cumulative else 2)
        factor = MONOTONE if self.cumulative else ANY
        bands = [
            sequential(
                f"{what} of {self.group} sizes{f' from {first}' if several else ''}",
                [
                    Guarantee(name, self.relation, _event(self.noise(level)[band], sensitivity, factor))
                    for level, name in enumerate(self.regions.levels)
                ],
            )
            for band, first in enumerate(self.budget.bands)
        ]
        return bands[0] if not several else bounded_overlap(f"{what} by size", self.quantity, bands)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over every choice but the words, hexadecimal."""
        return digest(
            {
                "regions": self.regions.digest,
                "register": None if self.register is None else self.register.sha256,
                **{name: getattr(self, name) for name in ("largest", "groups", "totals", "kind", "unit", "quantity")},
                **{name: getattr(self, name) for name in ("method", "measure", "budget")},
                **({} if self.format == PLAIN else {"format": self.format}),
            }
        )

    def _facts(self) -> list[tuple[str, str]]:
        sizes = f"sizes 0 to {self.largest:,} ({self.member}), a record of {self.kind}"
        unit = "scale of the discrete Laplace" if self.measure == "epsilon" else "sigma of the discrete Gaussian"
        return [
            ("plan", self.title),
            ("protects", f"one {self.unit} ({self.relation})"),
            ("cost", f"{self.cost}, under the replace-one adjacency {replace_one_cost(self.guarantee)}"),
            ("groups", f"{self.groups:,} ({self.group}), {sizes}"),
            (
                "public",
                "the number of groups of every region" if self.totals == "region" else "the number of all groups",
            ),
            ("method", self.method),
            *(() if self.shares is None else (("budget", "by size, from the public shares of the plan"),)),
            ("noise", f"{unit}, in groups, for each noisy number"),
        ]

    def _parts(self) -> tuple[Grid, ...]:
        header = ("level", "regions", "sizes from", self.measure, "noise")
        rows = [
            (
                name,
                f"{len(self.regions.ids[level]):,}",
                f"{first:,}",
                decimal_up(self.budget.amounts[band][level]),
                rounded(self.noise(level)[band].width),
            )
            for level, name in enumerate(self.regions.levels)
            for band, first in enumerate(self.budget.bands)
        ]
        return ((header, rows),)


def _event(
    noise: Distribution, sensitivity: Fraction, factor: Fraction
) -> DiscreteLaplaceNoise | DiscreteGaussianNoise:
    """The noise of one level and band; the sensitivity is that in L1, or the square of that in L2, which are the same number here."""
    if isinstance(noise, DiscreteLaplace):
        return DiscreteLaplaceNoise(noise.scale, sensitivity, factor)
    return DiscreteGaussianNoise(noise.sigma_squared, sensitivity, factor)


def _scale(noise: Distribution) -> Fraction:
    """The scale, or sigma squared."""
    return noise.scale if isinstance(noise, DiscreteLaplace) else noise.sigma_squared


def _width(noise: Distribution) -> int:
    """A whole number that is no less than the scale, or than the standard deviation."""
    return ceil(noise.scale) if isinstance(noise, DiscreteLaplace) else isqrt(ceil(noise.sigma_squared)) + 1
