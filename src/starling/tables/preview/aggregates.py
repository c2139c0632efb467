"""How far sums, means and quantiles will be off: from the plan alone."""

from dataclasses import dataclass
from fractions import Fraction

from starling.privacy.distributions.two_draws import weighted_margin
from starling.release.text import rounded
from starling.tables.inference.pairs import pair_errors
from starling.tables.inference.ranks import edge_margin, rank_margin
from starling.tables.inference.totals import CONFIDENCE
from starling.tables.plan import Aggregate, Geography, Plan
from starling.tables.plan.aggregates import Way, rank_errors, statistic_names, tree
from starling.tables.plan.columns import from_units, places_of
from starling.tables.plan.labels import level_text

SIZES = (100, 1_000, 10_000)
"""Records of a group of which the error of a mean is said."""
_MISSING = 1 - CONFIDENCE


@dataclass(frozen=True, slots=True)
class AggregatePreview:
    """One aggregate.

    Attributes:
        groups: How many it has; None without a geography.
        margins: Of each kind of number the 95 % margin: of a size in records, of a sum in the unit of its column, of a mean in that unit by
            the size of the group ("mean of 1,000"), of a quantile in ranks, that is in records.
        ranks_off: Of quantiles, about how many records each is off on average, by either way of measuring; empty for sums.
    """

    aggregate: Aggregate
    groups: int | None
    margins: dict[str, float]
    ranks_off: dict[Way, tuple[float, ...]]

    @property
    def margins_text(self) -> str:
        """The margins in short."""
        unit = " ranks" if self.ranks_off else ""
        return ", ".join(f"{name} ± {rounded(margin)}{unit}" for name, margin in self.margins.items())

    @property
    def ways_text(self) -> str:
        """Which way of measuring quantiles is better on average, and by how much; empty for sums."""
        quantiles = self.aggregate.quantiles
        if quantiles is None:
            return ""
        by_way = {way: sum(off) / len(off) for way, off in self.ranks_off.items()}
        texts = (f"{way} {rounded(off)}" for way, off in sorted(by_way.items(), key=lambda pair: pair[1]))
        return f"by {quantiles.way}; ranks off on average: {', '.join(texts)}"


def title(plan: Plan, aggregate: Aggregate) -> str:
    """An aggregate for people: "sums of visits, all by plan"."""
    kind = "sums" if aggregate.quantiles is None else "quantiles"
    return f"{kind} of {aggregate.column}, {level_text(plan, aggregate.level)}"


def preview_aggregates(plan: Plan, geography: Geography | None = None) -> tuple[AggregatePreview, ...]:
    """The expected errors of all aggregates of a plan, in plan order."""
    return tuple(_preview(plan, each, geography) for each in plan.aggregates)


def _preview(plan: Plan, aggregate: Aggregate, geography: Geography | None) -> AggregatePreview:
    level, share = aggregate.level, plan.share(aggregate)
    groups = None if geography is None else len(geography.regions[level.geography]) * len(level.iterations)
    if aggregate.quantiles is None:
        return AggregatePreview(aggregate, groups, _of_sums(plan, aggregate, share), {})
    quantiles, names = aggregate.quantiles, statistic_names(aggregate)
    if quantiles.way == "selection":
        epsilon = quantiles.epsilon(plan.measure, share)
        margins = [rank_margin(aggregate.cells, each, epsilon, _MISSING) for each in quantiles.shares]
    else:
        shape, noise = tree(aggregate.cells, plan.measure), aggregate.noise(plan.measure, share)
        edges = range(1, shape.classes)
        margins = [max(edge_margin(shape, edge, each, noise, _MISSING) for edge in edges) for each in quantiles.shares]
    ranks_off = rank_errors(aggregate.cells, quantiles.shares, plan.measure, share)
    return AggregatePreview(aggregate, groups, dict(zip(names, margins, strict=True)), ranks_off)


def _of_sums(plan: Plan, aggregate: Aggregate, share: Fraction) -> dict[str, float]:
    noise, places = aggregate.noise(plan.measure, share), places_of(plan.records.by_name[aggregate.column])
    errors = pair_errors(aggregate, noise, _MISSING)
    # The widest it can be: where the mean lies at one of the bounds.
    of_mean = weighted_margin(noise, 1, 0, _MISSING)
    means = {f"mean of {size:,}": from_units(of_mean / size, places) for size in SIZES}
    return {"size": errors.size_margin, "sum": from_units(errors.sum_margin, places), **means}
