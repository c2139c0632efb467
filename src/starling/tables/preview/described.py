"""What a plan of tables holds and costs, and what its accuracy targets cost, as text and for programs. Nothing here can open records."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final

from starling.privacy.budget import decimal_up
from starling.release.claims import amount, claim, noise
from starling.release.codec import Json
from starling.release.session import Described, Part, attributes
from starling.release.text import rounded
from starling.tables.plan import AccuracyTarget, LevelOverview, Overview, Plan, PlanAtEpsilon, Price
from starling.tables.plan.labels import level_text, percent
from starling.tables.preview.aggregates import AggregatePreview, preview_aggregates, title
from starling.tables.preview.cross import HEADER, CrossPreview, preview_cross
from starling.tables.preview.levels import Error

TARGETS: Final = ("level", "target", "gives", "needs", "relaxed to", "would save")


@dataclass(frozen=True, slots=True, repr=False)
class PlanCosts(Described):
    """What a plan costs, level by level, how much noise that buys, and which accuracy target is costly.

    Attributes:
        overview: Cost, neighbours and numbers of groups of the plan.
        factor: By which every target was multiplied; None where none was.
        earlier: What the plan reveals together with earlier releases; None where none was named.
        at_epsilon: The (epsilon, delta) that the plan was solved for; None where it was not.
        file: The plan file that was written; None where none was.
    """

    overview: Overview
    prices: Sequence[Price] = ()
    factor: Fraction | None = None
    earlier: Described | None = None
    at_epsilon: PlanAtEpsilon | None = None
    file: Path | None = None

    def _facts(self) -> list[tuple[str, str]]:
        plan, overview = self.overview.plan, self.overview
        parts = " and ".join(f"{part.cost} ({name})" for name, part in plan.parts.items())
        groups, cross = overview.groups, preview_cross(plan)
        replaced = claim(plan.guarantee).replace_one if cross is None else cross.replace_one
        return [
            ("plan", plan.title),
            ("protects", f"one {plan.relation.unit} ({overview.relation})"),
            ("cost", f"{plan.cost}, under the replace-one adjacency {replaced}"),
            approximate_fact(overview),
            *([("which is", f"the larger of {parts}")] if len(plan.parts) > 1 else []),
            *([] if groups is None else [(counted(plan), f"{groups:,}, each measured, empty or not")]),
        ]

    def _parts(self) -> list[Part]:
        plan, parts = self.overview.plan, list[Part]()
        if self.overview.levels:
            pure = plan.cost.measure == "epsilon"
            unit = "scale of the discrete Laplace" if pure else "sigma of the discrete Gaussian"
            parts += [_levels(self.overview), f"noise: {unit}, in persons, for each noisy number"]
        parts += [*aggregate_parts(preview_aggregates(plan), plan), *cross_parts(preview_cross(plan))]
        if self.factor is not None:
            multiplied = f"every accuracy target times {float(self.factor):g}"
            parts.append(f"Solved again with {multiplied}, rounded down to whole persons.")
        if (at := self.at_epsilon) is not None:
            reached = f"{decimal_up(at.reached.epsilon)} (by: {at.reached.by})"
            stated = f"epsilon {decimal_up(at.epsilon)} at delta {float(at.delta):g}: {reached}"
            parts.append(f"Solved again with every budget times {float(at.factor):g}, the largest that keeps {stated}.")
        if self.file is not None:
            parts.append(f"Written as the plan file {self.file}.")
        return [*parts, *self._targets(), *([] if self.earlier is None else [str(self.earlier)])]

    def _targets(self) -> list[Part]:
        if not self.prices:
            return []
        plan = self.overview.plan
        rows = [
            (
                level_text(plan, price.level),
                str(price.target),
                f"± {price.gives:,}",
                decimal_up(price.need),
                f"within {price.relaxed.reach}" if price.binding else "",
                percent(price.saving) if price.binding else "nothing: another binds",
            )
            for price in self.prices
        ]
        measure = plan.cost.measure
        about = f"Accuracy targets of the plan, and the {measure} that its level would need for each alone"
        listed: list[Part] = [about, (TARGETS, rows)]
        costliest = max(self.prices, key=lambda price: price.saving)
        if not costliest.saving:
            return listed
        named = f"{level_text(plan, costliest.level)}, {costliest.target}"
        saved = f"within {costliest.relaxed.reach} instead would save {percent(costliest.saving)} of the whole cost."
        return [*listed, f"The costliest is {named}: {saved}"]

    def as_json(self) -> dict[str, Json]:
        """All of it, for programs, amounts exact."""
        return {
            **overview_json(self.overview),
            "margins_scaled_by": None if self.factor is None else str(self.factor),
            "accuracy_targets": [_price_json(price) for price in self.prices],
            "at_epsilon": None if self.at_epsilon is None else _at_epsilon_json(self.at_epsilon),
            **({} if self.earlier is None else {"earlier": dict(self.earlier.as_json())}),
        }


def _at_epsilon_json(at: PlanAtEpsilon) -> dict[str, Json]:
    """What was stated, exact, and what is reached, rounded up."""
    numbers = attributes(at, "factor", "epsilon", "delta") | {"reached": at.reached.epsilon}
    return {**{name: str(number) for name, number in numbers.items()}, "by": at.reached.by}


def _levels(overview: Overview) -> Part:
    """Cost, noise and numbers of groups of each level."""
    plan, symbol = overview.plan, overview.plan.cost.measure
    # Where every group is measured once, there are no stages.
    stages = {"single-stage": "total_only"} | ({"stage 1": "stage1", "stage 2": "stage2"} if plan.staged else {})
    total_only = ["total only"] if plan.staged else []
    of_a_group = ("groups a person", f"{symbol} a group", *stages)
    header = ("level", symbol, *of_a_group, plan.wording.iterations, *total_only, "groups")
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
    return header, rows


def aggregate_parts(aggregates: Sequence[AggregatePreview], plan: Plan) -> list[Part]:
    """The sums and quantiles of a plan with their margins, and the ways of its quantiles; nothing where there are none."""
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
    return [(header, rows), "\n".join(ways)]


def counted(plan: Plan) -> str:
    """What `Plan.cells` are."""
    return "groups" if plan.cross is None else "cells"


def cross_parts(cross: CrossPreview | None) -> list[Part]:
    """The cross tables of a plan, the certificate of its budget, and what leaving out tables would save."""
    return [] if cross is None else [(HEADER, cross.rows()), cross.bound_text, cross.savings_text]


def approximate_fact(overview: Overview) -> tuple[str, str]:
    """The whole cost, with what a plan adds to, in the terms of others."""
    whole, joint = ", of all together" if overview.adds_to else "", claim(overview.plan.joint_guarantee)
    return "epsilon", f"{joint.epsilon} at delta {joint.delta}{whole} ({joint.by})"


def _groups_of_a_person(each: LevelOverview) -> str:
    """The most that one person is in, and what the bound by codes would have charged for."""
    by_codes = f", {each.by_codes} by codes" if each.by_codes > each.level.stability else ""
    return f"{each.level.stability}{by_codes}"


def overview_json(overview: Overview) -> dict[str, Json]:
    """What a plan costs and holds, amounts exact."""
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
        "levels": [level_json(each, plan.records_of_one) for each in overview.levels],
        **_aggregates_json(plan),
        **_cross_json(plan),
    }


def _aggregates_json(plan: Plan) -> dict[str, Json]:
    """The sums and quantiles of a plan; nothing where there are none."""
    if not plan.aggregates:
        return {}
    kind = type(plan.cost)
    return {
        "aggregates": [
            {
                "name": each.aggregate.name,
                "cost": amount(kind(each.aggregate.level.budget)),
                "stability": each.aggregate.level.stability,
                "margins": {**each.margins},
                "ranks_off": {way: [*off] for way, off in each.ranks_off.items()},
            }
            for each in preview_aggregates(plan)
        ]
    }


def _cross_json(plan: Plan) -> dict[str, Json]:
    """The cross tables of a plan; nothing where there are none."""
    cross = preview_cross(plan)
    if cross is None:
        return {}
    return {
        "tables": [
            attributes(each, "name", "level", "cells", "standard_deviation", "margin", "part_of_cost=part")
            for each in cross.tables
        ],
        "replace_one": amount(cross.replace_one),
        "least_rho": cross.bound,
        "saved_without": dict[str, Json](cross.savings),
    }


def level_json(each: LevelOverview, records: int) -> dict[str, Json]:
    """Cost, noise and numbers of groups of a level."""
    stages = attributes(each.stage_noise, "total_only", "stage_1=stage1", "stage_2=stage2")
    return {
        **attributes(each.level, "geography", "iteration_level"),
        "cost": amount(each.cost),
        **attributes(each, "stability=level.stability", "stability_by_codes=by_codes"),
        "share": amount(each.share),
        "noise": {name: noise(drawn, records) for name, drawn in stages.items()},
        **attributes(each, "thresholds=level.thresholds", "iterations", "total_only", "regions", "groups"),
    }


def _price_json(price: Price) -> dict[str, Json]:
    return {
        **attributes(price.level, "geography", "iteration_level"),
        **_target_json(price.target),
        "gives": price.gives,
        "needs": str(price.need),
        "binds": price.binding,
        "relaxed": _target_json(price.relaxed),
        "saves_part_of_cost": float(price.saving),
    }


def _target_json(target: AccuracyTarget) -> dict[str, Json]:
    return {
        **attributes(target, "number", "ages", "persons"),
        "within": target.within if isinstance(target.within, int) else f"{target.within} of persons",
        "margin": target.margin,
        "confidence": str(target.confidence),
    }


def error_json(error: Error | None) -> Json:
    """The noise in a number; null where there is no such number."""
    return None if error is None else attributes(error, "standard_deviation", "margin")
