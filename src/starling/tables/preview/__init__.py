"""What a plan will give, before anything is spent: here the exact error of every kind of number that it can publish.

Reads the plan and, for numbers of groups, the public geography; never a record. Noise is added at a scale that the plan fixes, so the
standard deviations and margins below are those of the release itself, not estimates; totals that are made to add up err less, by what
other regions say of them. What depends on the data is which branch a group takes; for that, probabilities are given by the true
size of a group, for sizes that the reader chooses.

Source: SafeTab 2022, Section 3 and Appendix F, with margins from the exact discrete distributions (privacy/distributions/accuracy.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from starling.errors import ParameterError
from starling.pages.parts import Section
from starling.privacy.budget import decimal_up
from starling.privacy.most import warn_of_large
from starling.release.codec import Json
from starling.release.report import pages
from starling.release.session import Part, attributes
from starling.tables.inference.totals import CONFIDENCE
from starling.tables.plan import Detail, Geography, Overview, Plan, describe
from starling.tables.plan.labels import level_text
from starling.tables.preview.aggregates import AggregatePreview, preview_aggregates
from starling.tables.preview.cross import preview_cross
from starling.tables.preview.described import (
    aggregate_parts,
    approximate_fact,
    counted,
    cross_parts,
    error_json,
    level_json,
    overview_json,
)
from starling.tables.preview.expected_detail import Sizes, expect_detail
from starling.tables.preview.levels import Error, LevelPreview, branch_chances, preview_level
from starling.tables.preview.page import sections_of

__all__ = ["SIZES", "Error", "LevelPreview", "Preview", "branch_chances", "preview"]

SIZES: Final = (0, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
"""True sizes of groups, in persons, when the reader names none."""
KINDS: Final = ("level", "total only", "bare total", "cell")
"""Kinds of numbers, before the totals of the groups of each partition."""


@dataclass(frozen=True, slots=True, repr=False)
class Preview(pages.Preview):
    """A plan's error and size.

    Attributes:
        overview: Cost, neighbours and numbers of groups of the plan.
        aggregates: The sums and quantiles in plan order.
        group_sizes: By level, or under "" for all, the true sizes that its page takes; None for assumed ones (expected_detail.py).
    """

    overview: Overview
    confidence: Fraction
    levels: tuple[LevelPreview, ...]
    aggregates: tuple[AggregatePreview, ...] = ()
    group_sizes: Mapping[str, Sizes] | None = None

    @property
    def title(self) -> str:
        """The title of the plan."""
        return self.overview.plan.title

    @property
    def kind(self) -> str:
        """What the page is, and what the plan costs."""
        plan, overview = self.overview.plan, self.overview
        kind = f"Expected error of a plan, before anything is spent; {plan.cost} for {overview.relation}"
        if overview.adds_to:
            kind += f", on top of an earlier release: {plan.joint_guarantee.cost} together"
        return f"{kind}; epsilon {decimal_up(overview.approximate.epsilon)} at delta {plan.delta}"

    def sections(self) -> Sequence[Section]:
        """Costs, then errors by kind of number, detail and size; of counts only where the plan has levels; sums and quantiles."""
        plan = self.overview.plan
        return sections_of(self, expect_detail(plan, self.group_sizes) if plan.staged else ())

    def _facts(self) -> list[tuple[str, str]]:
        overview = self.overview
        return [
            ("plan", overview.plan.title),
            ("cost", str(overview.plan.cost)),
            *_adds_to(overview),
            approximate_fact(overview),
            *([] if overview.groups is None else [(counted(overview.plan), f"{overview.groups:,}")]),
        ]

    def _parts(self) -> list[Part]:
        """The error of every kind of number, then what happens to groups by their true size."""
        plan, parts = self.overview.plan, list[Part]()
        # Where every group is measured once, there is one kind of number, and its true size does not matter.
        staged = (*KINDS, *(f"{name}: total" for name in plan.detail.short_names[1:]))
        shown = staged if plan.staged else ("level", "total")
        if self.levels:
            about = f"Margin of error at {float(100 * self.confidence):g} %, in persons, of each kind of number"
            titled = ((level_text(plan, each.overview.level), each.errors(len(shown) - 1)) for each in self.levels)
            parts += [about, (shown, [(title, *map(_margin, errors)) for title, errors in titled])]
        if plan.staged:
            parts += _by_size(plan, self.levels)
        return [*parts, *aggregate_parts(self.aggregates, plan), *cross_parts(preview_cross(plan))]

    def as_json(self) -> dict[str, Json]:
        """All of it, for programs."""
        records = self.overview.plan.records_of_one
        return overview_json(self.overview) | {
            "confidence": float(self.confidence),
            "levels": [_level_json(level, records) for level in self.levels],
        }


def preview(
    plan: Plan,
    geography: Geography | None = None,
    *,
    sizes: Sequence[int] = SIZES,
    group_sizes: Mapping[str, Sizes] | None = None,
) -> Preview:
    """The expected error of a plan.

    Args:
        plan: The plan, to be released or not once this is seen.
        geography: The public regions of the plan; without it there are no numbers of groups.
        sizes: True sizes of groups to look at, in persons, 0 or more; an empty group is always among them.
        group_sizes: What the page takes for the sizes of the groups, by level; None for assumed ones.

    Raises:
        ParameterError: for a negative size.
    """
    if any(size < 0 for size in sizes):
        raise ParameterError("sizes", "hold a number below 0", "give persons, 0 or more")
    warn_of_large(plan.cost)
    overview = describe(plan, geography)
    persons = tuple(sorted({0, *sizes}))
    levels = tuple(preview_level(plan, level, persons) for level in overview.levels)
    return Preview(overview, CONFIDENCE, levels, preview_aggregates(plan, geography), group_sizes)


def _by_size(plan: Plan, levels: Sequence[LevelPreview]) -> tuple[Part, ...]:
    """The margin of error of the total of a group, by its true size."""
    marks, marked = _marks(plan.detail)
    persons = next((tuple(size.persons for size in level.sizes) for level in levels if level.sizes), ())
    by_level = [
        (
            level_text(plan, level.overview.level),
            *(f"± {size.total.margin:,} {marks[size.likeliest]}" for size in level.sizes),
            *([""] * (len(persons) - len(level.sizes))),
            _chance(level.empty_suppressed),
        )
        for level in levels
    ]
    heads = (f"{size:,}{' ' * len(marks[0])}" for size in persons)
    title = f"The same of the total of a group, by its true size; the mark is the number of {marked} in which it will likely be published"
    return title, (("level", *heads, "empty, dropped"), by_level)


def _marks(detail: Detail) -> tuple[tuple[str, ...], str]:
    """Marks of the branches, of equal width so that numbers stand under numbers, and what they count."""
    last = [len(partition[-1]) for partition in detail.partitions[1:]]
    by_last = 0 not in last and len(set(last)) == len(last)
    counts = last if by_last else list(detail.sizes[1:])
    width = max((len(str(count)) for count in counts), default=0)
    marks = (" " * (1 + width), *(f"·{count:<{width}}" for count in counts))
    if not by_last:
        return marks, "cells"
    return marks, f"classes of {' by '.join(each.name.replace('_', ' ') for each in reversed(detail.attributes))}"


def _adds_to(overview: Overview) -> list[tuple[str, str]]:
    """Which releases a plan tops up, and what that makes together; nothing for one that stands alone."""
    if not overview.adds_to:
        return []
    chain = ", which tops up ".join(overview.adds_to)
    joint_cost = f"{overview.plan.joint_guarantee.cost}, of {'both' if len(overview.adds_to) == 1 else 'all'}"
    return [
        ("tops up", f"request {chain}: this cost is added, for better numbers of the same groups"),
        ("together", joint_cost),
    ]


def _margin(error: Error | None) -> str:
    return "" if error is None else f"± {error.margin:,}"


def _chance(probability: float) -> str:
    return f"{100 * probability:z.4g} %" if probability else ""


def _level_json(level: LevelPreview, records: int) -> dict[str, Json]:
    return level_json(level.overview, records) | {
        "total_only_error": error_json(level.total),
        "stage_1_error": error_json(level.stage1),
        "branches": [
            attributes(branch, "branch", "cells")
            | {name: error_json(error) for name, error in attributes(branch, "total", "sex", "cell").items()}
            for branch in level.branches
        ],
        "sizes": [
            attributes(size, "persons", "branch_probabilities=branches", "suppressed_probability=suppressed")
            | {"total": error_json(size.total)}
            for size in level.sizes
        ],
        "suppressed_up_to": level.bar,
    }
