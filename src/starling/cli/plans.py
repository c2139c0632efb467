"""A plan, its accuracy targets and its preview, as text and for machines. Nothing here can open records."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from starling.cli.commands import attributes
from starling.release.text import facts, rounded, table

if TYPE_CHECKING:
    from starling.release.statement import Json
    from starling.tables.plan import AccuracyTarget, Detail, LevelOverview, Overview, Plan, Price
    from starling.tables.preview import Error, LevelPreview, Preview
    from starling.tables.preview.aggregates import AggregatePreview


TARGETS: Final = ("level", "target", "gives", "needs", "relaxed to", "would save")
KINDS: Final = ("level", "total only", "bare total", "cell")
"""Kinds of numbers, before the totals of the groups of each partition."""


def overview_text(overview: "Overview") -> str:
    """Costs and noise of a plan."""
    from starling.privacy.budget import decimal_up
    from starling.release.statement import claim
    from starling.tables.plan.labels import level_text
    from starling.tables.preview.aggregates import preview_aggregates

    plan = overview.plan
    symbol = plan.cost.measure
    pairs = [
        ("plan", plan.title),
        ("protects", f"one {plan.relation.unit} ({overview.relation})"),
        ("cost", f"{plan.cost}, under the replace-one adjacency {claim(plan.guarantee).replace_one}"),
        _approximate(overview),
    ]
    if len(plan.parts) > 1:
        larger = f"the larger of {' and '.join(f'{part.cost} ({name})' for name, part in plan.parts.items())}"
        pairs.append(("which is", larger))
    if overview.groups is not None:
        pairs.append(("groups", f"{overview.groups:,}, each measured, empty or not"))
    # Where every group is measured once, there are no stages.
    stages = {"single-stage": "total_only"} | ({"stage 1": "stage1", "stage 2": "stage2"} if plan.staged else {})
    header = ["level", symbol, "groups a person", f"{symbol} a group", *stages]
    header += [
        plan.wording.iterations,
        *(["total only"] if plan.staged else []),
        "groups",
    ]
    rows = [
        (
            level_text(plan, each.level),
            decimal_up(each.cost.amount),
            _groups_of_a_person(each),
            decimal_up(each.share.amount),
            *(rounded(noise.width) for noise in attributes(each.stage_noise, *stages.values()).values()),
            f"{each.iterations:,}",
            *([f"{each.total_only:,}"] if plan.staged else []),
            "" if each.groups is None else f"{each.groups:,}",
        )
        for each in overview.levels
    ]
    unit = "scale of the discrete Laplace" if symbol == "epsilon" else "sigma of the discrete Gaussian"
    levels = [table(header, rows), f"noise: {unit}, in persons, for each noisy number"] if rows else []
    return "\n\n".join([facts(pairs), *levels, *_aggregates(preview_aggregates(plan), plan)])


def _aggregates(aggregates: "Sequence[AggregatePreview]", plan: "Plan") -> list[str]:
    """The sums and quantiles of a plan with their margins, and the ways of its quantiles; nothing where there are none."""
    from starling.privacy.budget import decimal_up
    from starling.tables.preview.aggregates import title

    if not aggregates:
        return []
    header = ("sums and quantiles", plan.cost.measure, "groups a person", "95 % margins")
    rows = [
        (
            title(plan, each.aggregate),
            decimal_up(each.aggregate.level.budget),
            str(each.aggregate.level.stability),
            each.margins_text,
        )
        for each in aggregates
    ]
    ways = [f"{title(plan, each.aggregate)}: {each.ways_text}" for each in aggregates if each.ways_text]
    return [table(header, rows), *(["\n".join(ways)] if ways else [])]


def _approximate(overview: "Overview") -> tuple[str, str]:
    """The whole cost, with what a plan adds to, in the terms of others."""
    from starling.privacy.accounting.conversion import DELTA
    from starling.release.statement import claim

    whole, joint = ", of all together" if overview.adds_to else "", claim(overview.plan.joint_guarantee)
    return "epsilon", f"{joint.epsilon} at delta {DELTA}{whole} ({joint.by})"


def _groups_of_a_person(each: "LevelOverview") -> str:
    """The most that one person is in, and what the bound by codes would have charged for."""
    return (
        f"{each.level.stability}, {each.by_codes} by codes"
        if each.by_codes > each.level.stability
        else f"{each.by_codes}"
    )


def overview_json(overview: "Overview") -> "dict[str, Json]":
    """What `overview_text` says, for programs, amounts exact."""
    from starling.release.statement import amount, claim

    plan = overview.plan
    parts = {name.lower().replace(" ", "_"): plan.parts.get(name) for name in ("United States", "Puerto Rico")}
    return {
        "title": plan.title,
        "neighbours": overview.relation,
        "cost": claim(plan.guarantee).adjacencies(),
        **{name: None if part is None else amount(part.cost) for name, part in parts.items()},
        "groups": overview.groups,
        "adds_to": [*overview.adds_to],
        "joint": amount(plan.joint_guarantee.cost),
        "approximate_dp": claim(plan.joint_guarantee).losses()["approximate_dp"],
        "levels": [_level_json(each, plan.records_of_one) for each in overview.levels],
        **_aggregates_json(plan),
    }


def _aggregates_json(plan: "Plan") -> "dict[str, Json]":
    """The sums and quantiles of a plan; nothing where there are none."""
    from starling.release.statement import Json, amount
    from starling.tables.preview.aggregates import preview_aggregates

    if not plan.aggregates:
        return {}
    kind = type(plan.cost)
    return {
        "aggregates": [
            {
                "name": each.aggregate.name,
                "cost": amount(kind(each.aggregate.level.budget)),
                "stability": each.aggregate.level.stability,
                "margins": dict[str, Json](each.margins),
                "ranks_off": {way: list[Json](off) for way, off in each.ranks_off.items()},
            }
            for each in preview_aggregates(plan)
        ]
    }


def _level_json(each: "LevelOverview", records: int) -> "dict[str, Json]":
    from starling.release.statement import amount, noise

    stages = attributes(each.stage_noise, "total_only", "stage_1=stage1", "stage_2=stage2")
    return {
        **attributes(each.level, "geography", "iteration_level"),
        "cost": amount(each.cost),
        **attributes(each, "stability=level.stability", "stability_by_codes=by_codes"),
        "share": amount(each.share),
        "noise": {name: noise(drawn, records) for name, drawn in stages.items()},
        **attributes(each, "thresholds=level.thresholds", "iterations", "total_only", "regions", "groups"),
    }


def scaled(plan: "Plan", scale: str | None, total: str | None) -> "tuple[Fraction | None, Plan]":
    """The plan that the options ask for, and the factor on its margins; the plan itself where neither is given."""
    from starling.privacy.budget import positive
    from starling.tables.plan import afford, solve

    if total is not None:
        return afford(plan, positive(total, field="--total"))
    if scale is None:
        return None, plan
    factor = positive(scale, field="--scale")
    return factor, solve(plan, scale=factor)


def plan_text(overview: "Overview", prices: "Sequence[Price]", factor: Fraction | None) -> str:
    """Costs and noise of a plan, then its accuracy targets."""
    parts = [overview_text(overview)]
    if factor is not None:
        parts.append(f"Solved again with every accuracy target times {float(factor):g}, rounded down to whole persons.")
    if prices:
        parts.append(_targets(overview, prices))
    return "\n\n".join(parts)


def _targets(overview: "Overview", prices: "Sequence[Price]") -> str:
    from starling.privacy.budget import decimal_up
    from starling.tables.plan.labels import level_text

    measure = overview.plan.cost.measure
    rows = [
        (
            level_text(overview.plan, price.level),
            str(price.target),
            f"± {price.gives:,}",
            decimal_up(price.need),
            f"within {price.relaxed.reach}" if price.binding else "",
            _percent(price.saving) if price.binding else "nothing: another binds",
        )
        for price in prices
    ]
    listed = (
        f"Accuracy targets of the plan, and the {measure} that its level would need for each alone\n\n"
        f"{table(TARGETS, rows, left=2)}"
    )
    costliest = max(prices, key=lambda price: price.saving)
    if not costliest.saving:
        return listed
    target = costliest.target
    return (
        f"{listed}\n\n"
        f"The costliest is {level_text(overview.plan, costliest.level)}, {target}: within {costliest.relaxed.reach} instead would save"
        f" {_percent(costliest.saving)} of the whole cost."
    )


def _percent(part: Fraction) -> str:
    return f"{float(100 * part):.1f} %"


def plan_json(overview: "Overview", prices: "Sequence[Price]", factor: Fraction | None) -> "dict[str, Json]":
    """What `plan_text` says, for programs, amounts exact."""
    return overview_json(overview) | {
        "margins_scaled_by": None if factor is None else str(factor),
        "accuracy_targets": [_price_json(price) for price in prices],
    }


def _price_json(price: "Price") -> "dict[str, Json]":
    return {
        **attributes(price.level, "geography", "iteration_level"),
        **_target_json(price.target),
        "gives": price.gives,
        "needs": str(price.need),
        "binds": price.binding,
        "relaxed": _target_json(price.relaxed),
        "saves_part_of_cost": float(price.saving),
    }


def _target_json(target: "AccuracyTarget") -> "dict[str, Json]":
    return {
        **attributes(target, "number", "ages", "persons"),
        "within": target.within if isinstance(target.within, int) else f"{target.within} of persons",
        "margin": target.margin,
        "confidence": str(target.confidence),
    }


def preview_text(preview: "Preview") -> str:
    """The error of every kind of number, then what happens to groups by their true size."""
    from starling.tables.plan.labels import level_text

    sure = f"{float(100 * preview.confidence):g} %"
    pairs = [
        ("plan", preview.overview.plan.title),
        ("cost", str(preview.overview.plan.cost)),
        *adds_to(preview.overview),
    ]
    pairs.append(_approximate(preview.overview))
    if preview.overview.groups is not None:
        pairs.append(("groups", f"{preview.overview.groups:,}"))
    plan = preview.overview.plan
    # Where every group is measured once, there is one kind of number.
    shown = (*KINDS, *(f"{name}: total" for name in plan.detail.short_names[1:])) if plan.staged else ("level", "total")
    kinds = table(
        shown,
        [
            (level_text(plan, level.overview.level), *map(_margin, level.errors(len(shown) - 1)))
            for level in preview.levels
        ],
    )
    parts = [facts(pairs)]
    if preview.levels:
        parts.append(f"Margin of error at {sure}, in persons, of each kind of number\n\n{kinds}")
    # Where every total is measured once, its true size does not matter.
    if plan.staged:
        parts.append(_by_size(preview))
    return "\n\n".join([*parts, *_aggregates(preview.aggregates, plan)])


def _by_size(preview: "Preview") -> str:
    """The margin of error of the total of a group, by its true size."""
    from starling.tables.plan.labels import level_text

    plan = preview.overview.plan
    marks, marked = _marks(plan.detail)
    persons = next((tuple(size.persons for size in level.sizes) for level in preview.levels if level.sizes), ())
    by_level = [
        (
            level_text(plan, level.overview.level),
            *(f"± {size.total.margin:,} {marks[size.likeliest]}" for size in level.sizes),
            *([""] * (len(persons) - len(level.sizes))),
            _chance(level.empty_suppressed),
        )
        for level in preview.levels
    ]
    heads = (f"{size:,}{' ' * len(marks[0])}" for size in persons)
    by_size = table(("level", *heads, "empty, dropped"), by_level)
    return (
        f"The same of the total of a group, by its true size; the mark is the number of {marked} in which it will likely be published\n\n"
        f"{by_size}"
    )


def _marks(detail: "Detail") -> tuple[tuple[str, ...], str]:
    """Marks of the branches, of equal width so that numbers stand under numbers, and what they count."""
    last = [len(partition[-1]) for partition in detail.partitions[1:]]
    by_last = 0 not in last and len(set(last)) == len(last)
    counts = last if by_last else list(detail.sizes[1:])
    width = max((len(str(count)) for count in counts), default=0)
    marks = (" " * (1 + width), *(f"·{count:<{width}}" for count in counts))
    if not by_last:
        return marks, "cells"
    return marks, f"classes of {' by '.join(each.name.replace('_', ' ') for each in reversed(detail.attributes))}"


def adds_to(overview: "Overview") -> list[tuple[str, str]]:
    """Which releases a plan tops up, and what that makes together; nothing for one that stands alone."""
    if not overview.adds_to:
        return []
    chain = ", which tops up ".join(overview.adds_to)
    joint_cost = f"{overview.plan.joint_guarantee.cost}, of {'both' if len(overview.adds_to) == 1 else 'all'}"
    return [
        ("tops up", f"request {chain}: this cost is added, for better numbers of the same groups"),
        ("together", joint_cost),
    ]


def _margin(error: "Error | None") -> str:
    return "" if error is None else f"± {error.margin:,}"


def _chance(probability: float) -> str:
    return f"{100 * probability:.4g} %" if probability else ""


def preview_json(preview: "Preview") -> "dict[str, Json]":
    """What `preview_text` says, for programs."""
    return overview_json(preview.overview) | {
        "confidence": float(preview.confidence),
        "levels": [_level_preview_json(level, preview.overview.plan.records_of_one) for level in preview.levels],
    }


def _level_preview_json(level: "LevelPreview", records: int) -> "dict[str, Json]":
    return _level_json(level.overview, records) | {
        "total_only_error": _error(level.total),
        "stage_1_error": _error(level.stage1),
        "branches": [
            attributes(branch, "branch", "cells")
            | {name: _error(error) for name, error in attributes(branch, "total", "sex", "cell").items()}
            for branch in level.branches
        ],
        "sizes": [
            attributes(size, "persons", "branch_probabilities=branches", "suppressed_probability=suppressed")
            | {"total": _error(size.total)}
            for size in level.sizes
        ],
        "suppressed_up_to": level.bar,
    }


def _error(error: "Error | None") -> "Json":
    return None if error is None else attributes(error, "standard_deviation", "margin")
