"""SafeTab: a noisy answer for every population group of the plan, as detailed as its noisy size allows; and top-ups of such answers.

Privacy. Neighbours: add or remove one person. A level is a family of population groups; a person lies in at most
`Level.stability` of them, derived from the public definitions (plan/stability.py). A group's mechanism reads the records of
that group alone, so by generalised parallel composition (SafeTab 2022, Lemmas 9 and 10) a level costs stability times what
one group costs, and each group is given the level's budget divided by the stability.

Within a group: a total-only group is one count, sensitivity 1, with all of the group's budget. Any other group is measured
twice. Stage 1: one count with gamma of it. Stage 2: either one count or the cells of a partition (plan/detail.py), in which a
person is in one cell: L1 and L2 sensitivity 1, with the rest. Which partition is a function of the noisy stage 1 and public
thresholds alone (adaptive sequential composition, Lemmas 1 and 2), and stage 2 draws fresh noise. Levels add up; a person
lives in the United States or in Puerto Rico, so that the charge is the larger of the two sums.

Every group of the plan is answered, empty or not: which arrays are made, and the size of stage 1, is a function of the plan
and the public geography; the size of stage 2 is a function of the noisy stage 1.

The groups are drawn in pieces, whose bounds are public too (plan/geography.py), so that a nation fits into memory. Each piece is drawn
once, with fresh noise, in an order that is fixed: the joint distribution of all values is the same whatever the pieces.

Source: SafeTab 2022, Algorithms 1 to 5, Theorems 1 and 3.

A top-up re-measures the groups of an earlier release, each in the detail that the earlier release published.

Privacy. Which numbers are asked of a group, one total or the cells of a partition, is a function of the earlier release's
branches: public, fixed before anything is drawn here, and the same for neighbours. (If that release was forged, they are still public: the
guarantee does not rest on them.) A person is in one cell of a partition, so the numbers of a group have L1 and L2 sensitivity 1; each gets
noise of `Plan.stage_noise(level).stage2`, which spends the level's budget over its stability. No stage-1 total is drawn. A person is in at
most `Level.stability` groups of a level, so a level costs its budget (SafeTab 2022, Lemmas 9 and 10); levels add up, and the charge is the
larger of the sums of the United States and Puerto Rico, as in SafeTab.

With the earlier release. Its branches and values are an output of a mechanism that was charged on its own; the top-up takes that output
as an input and draws fresh noise. That is adaptive sequential composition (Lemmas 1 and 2): both together cost the sum of
both charges, each of which stands in the ledger that paid for it. What is published of both is a function of the two outputs.

Every group of the plan is answered, empty or not. Pieces are those of the earlier release's files, which are public.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from starling.privacy.distributions.discrete import Distribution
from starling.privacy.guarantee import Guarantee
from starling.privacy.sampling.noise import checked_add, draw
from starling.tables.measurements import Int64, Keep, Measured, Measurements, branches, offsets
from starling.tables.plan import MOST_GROUPS, Detail, Geography, Piece, Plan, pieces
from starling.tables.plan.detail import TOTAL_ONLY


class ExactCounts(Protocol):
    """What the mechanism asks of the exact counts; the room counts gives it."""

    def totals(self, piece: Piece, /) -> Int64:
        """Persons in each group of the piece, empty groups included."""
        ...

    def cells(self, piece: Piece, groups: Int64, /) -> Int64:
        """Persons in the finest cells of the plan's detail, shape (len(groups), cells), for the chosen groups of the piece."""
        ...


ExactT = TypeVar("ExactT")
PieceT = TypeVar("PieceT")


class InPieces(ABC, Generic[ExactT, PieceT]):
    """A `privacy.trust.Mechanism` that measures piece by piece; of exact counts `ExactT`, each piece with its measurements a `PieceT`.

    Attributes:
        keep: Takes the pieces as they are drawn, and gives all of them back; `tuple` keeps them in memory.
    """

    __slots__ = ()
    plan: Plan
    keep: Callable[[Iterable[PieceT]], Iterable[PieceT]]

    @property
    def guarantee(self) -> Guarantee:
        """The plan's; nothing else states this cost. That of an earlier release is not in it."""
        return self.plan.guarantee

    def draw(self, exact: ExactT, /) -> Iterable[PieceT]:
        """Exact counts in, noisy measurements of every piece out, each drawn once.

        Raises OverflowError when a noisy count leaves int64: an event of the noisy count alone, so post-processing.
        """
        return self.keep(self._drawn(exact))

    @abstractmethod
    def _drawn(self, exact: ExactT) -> Iterator[PieceT]:
        """Each piece with its measurements."""


@dataclass(frozen=True, slots=True)
class SafeTab(InPieces[ExactCounts, tuple[Piece, Measured]]):
    """The two-stage mechanism over all levels of a plan.

    Attributes:
        keep: Takes the pieces as they are drawn, and gives all of them back; `tuple` keeps them in memory.
        most_groups: The most groups of a piece. Public; bounds the working memory, and changes nothing else.
    """

    plan: Plan
    geography: Geography
    keep: Keep = tuple
    most_groups: int = MOST_GROUPS

    def _drawn(self, exact: ExactCounts) -> Iterator[tuple[Piece, Measured]]:
        for piece in pieces(self.plan, self.geography, self.most_groups):
            yield piece, self._piece(piece, exact)

    def _piece(self, piece: Piece, exact: ExactCounts) -> Measured:
        level = self.plan.levels[piece.level]
        stage_noise = self.plan.stage_noise(level)
        totals = exact.totals(piece)
        total_only = np.tile(level.total_only, piece.regions)
        stage1 = np.zeros_like(totals)
        stage1[~total_only] = checked_add(
            totals[~total_only], draw(stage_noise.stage1, int(np.count_nonzero(~total_only)))
        )
        branch = branches(stage1, level.thresholds)
        branch[total_only] = TOTAL_ONLY
        starts = offsets(branch, self.plan.detail)
        values = exact_values(self.plan.detail, totals, branch, starts, piece, exact)
        noise = _noise(np.repeat(total_only, np.diff(starts)), stage_noise.total_only, stage_noise.stage2)
        return Measured(stage1, branch, checked_add(values, noise))


def _noise(total_only: npt.NDArray[np.bool_], single: Distribution, second: Distribution) -> Int64:
    """Noise of every value, int64: of `single` for total-only groups, of `second` for the others."""
    count = int(np.count_nonzero(total_only))
    if count == 0:
        return draw(second, len(total_only))
    noise = np.empty(len(total_only), dtype=np.int64)
    noise[total_only] = draw(single, count)
    noise[~total_only] = draw(second, len(total_only) - count)
    return noise


def exact_values(
    detail: Detail, totals: Int64, branch: npt.NDArray[np.int8], starts: Int64, piece: Piece, exact: ExactCounts
) -> Int64:
    """The exact answer to what the branches ask, laid out as `starts` says."""
    values = np.zeros(starts[-1], dtype=np.int64)
    bare = np.flatnonzero(branch <= 0)
    values[starts[bare]] = totals[bare]
    groups = np.flatnonzero(branch > 0)
    finest = exact.cells(piece, groups)
    for size_class in range(1, len(detail.sizes)):
        rows = branch[groups] == size_class
        places = starts[groups[rows], np.newaxis] + np.arange(detail.sizes[size_class])
        # Each cell goes into exactly one: merging changes no sensitivity.
        values[places] = detail.merged(finest[rows], detail.steps, size_class)
    return values


@dataclass(frozen=True, slots=True)
class Remeasurement(InPieces[ExactCounts, tuple[Piece, Measured]]):
    """A re-measurement of every group, in the detail of the earlier one, whose stage-1 totals and branches stand beside the new values.

    Attributes:
        plan: The budgets of the levels; it has a `top_up`.
        earlier: The measurements of the earlier release, of the same groups.
        keep: Takes the pieces as they are drawn, and gives all of them back; `tuple` keeps them in memory.
    """

    plan: Plan
    earlier: Measurements
    keep: Keep = tuple

    def _drawn(self, exact: ExactCounts) -> Iterator[tuple[Piece, Measured]]:
        for piece, before in self.earlier:
            distribution = self.plan.stage_noise(self.plan.levels[piece.level]).stage2
            detail = self.plan.detail
            starts = before.offsets(detail)
            values = exact_values(detail, exact.totals(piece), before.branch, starts, piece, exact)
            yield piece, Measured(before.stage1, before.branch, checked_add(values, draw(distribution, len(values))))
