"""What a release of group sizes says of itself: its parameters for privacy.json, its words for the registry, and its part of the report.

All of it is computed from the plan and from released values.
"""

from typing import Final

import numpy as np

from starling.groups.artifact import PLAN, REGIONS, measurements_path
from starling.groups.inference.intervals import Float64, LevelErrors
from starling.groups.measurements import Measured
from starling.groups.optimise.tree import Int64, Projection
from starling.groups.pictures import picture
from starling.groups.plan import ADDS_UP, METHODS, Plan
from starling.groups.postprocess import conditions, region_rows, size_rows
from starling.pages.parts import Headline, Section, Table
from starling.privacy.budget import decimal_up
from starling.release.claims import noise
from starling.release.codec import Json
from starling.release.registry import Product
from starling.release.report.pages import files
from starling.release.statement import Particulars
from starling.release.text import outside_note, rounded

SOURCE: Final = "Fioretto, Van Hentenryck and Zhu 2021, Differential privacy of hierarchical census data (AIJ 296)"
KINDS: Final = {
    "groups": "a record is a group with its region and size",
    "counts": "a record is a number of groups of one size in one region",
    "persons": "a record is a person in a registered group; one that is in several counts in one of them",
    "events": "a record is one event of a registered group",
}
MOST_ROWS: Final = 12


def particulars(plan: Plan) -> Particulars:
    """What privacy.json says of a release."""
    totals = "the number of groups of every region" if plan.totals == "region" else "the number of all groups"
    return Particulars("groups", parameters(plan), bounds(plan), (totals, "the regions, and that their groups exist"))


def bounds(plan: Plan) -> dict[str, Json]:
    """What bounds the part of one member, by rules that hold for every record."""
    return {
        "groups_of_a_member": 1,
        "regions_of_a_group_in_a_level": 1,
        "quantity_of_a_member": plan.quantity,
        "largest_size": plan.largest,
        "records": KINDS[plan.kind],
    }


def parameters(plan: Plan) -> dict[str, Json]:
    """The plan's choices and each level's noise."""
    return {
        "name": plan.method,
        "source": SOURCE,
        "plan": PLAN,
        "regions": REGIONS,
        "plan_sha256": plan.digest,
        "group": plan.group,
        "member": plan.member,
        "measured": "cumulative counts" if plan.cumulative else "histograms",
        "groups": plan.groups,
        "totals": plan.totals,
        "levels": [
            {
                "name": name,
                "regions": len(plan.regions.ids[level]),
                "measurements": measurements_path(name),
                "bands": [
                    {"from": first, "budget": {plan.measure: str(amounts[level])}, "noise": noise(drawn)}
                    for first, amounts, drawn in zip(
                        plan.budget.bands, plan.budget.amounts, plan.noise(level), strict=True
                    )
                ],
            }
            for level, name in enumerate(plan.regions.levels)
        ],
    }


def product(plan: Plan) -> Product:
    """A release in the words of the registry."""
    kind = "discrete Laplace (two-sided geometric)" if plan.measure == "epsilon" else "discrete Gaussian"
    measured = f"the number of groups of {'at most ' if plan.cumulative else ''}each size"
    return Product(
        description=f"Numbers of {plan.group} groups by size, for {_levels(plan)}.",
        intended_use=f"Statistics of group sizes over nested regions{' whose numbers add up' if plan.method in ADDS_UP else ''}.",
        region=plan.regions.ids[0][0],
        domain=f"Groups ({plan.group}) in public regions, each of a number of members ({plan.member}).",
        bounds=f"Which groups exist and where each lies is public; one {plan.unit} changes the size of one group by at most"
        f" {plan.quantity}; sizes above {plan.largest:,} count as that.",
        mechanisms=f"{SOURCE}, {plan.method}: in every region of every level {measured} gets {kind} noise, exact over the"
        " integers.",
        post_processing=f"{METHODS[plan.method][:1].upper()}{METHODS[plan.method][1:]}.",
        composition="Sequential over the levels"
        + ("; by size, of bounded overlap over bands of sizes" if len(plan.budget.bands) > 1 else "")
        + ". The tree with every event and amount is in privacy.json.",
        unprotected="The public regions and totals alone, which the plan names; nothing else is published without noise.",
    )


def _levels(plan: Plan) -> str:
    return ", ".join(f"{name} ({len(ids):,})" for name, ids in zip(plan.regions.levels, plan.regions.ids, strict=True))


def charged(plan: Plan) -> Section:
    """The budget and noise of each level."""
    symbol = plan.cost.symbol
    rows = []
    for band, first in enumerate(plan.budget.bands):
        for level, name in enumerate(plan.regions.levels):
            amount, width = plan.budget.amounts[band][level], plan.noise(level)[band].width
            rows.append((name, f"{first:,}", decimal_up(amount), rounded(width)))
    unit = "scale" if plan.measure == "epsilon" else "sigma"
    text = f"""
        Measured was, in every region of every level, how many groups there are of {"at most " if plan.cumulative else ""}each size.
        One {plan.unit} changes the size of one group, by at most {plan.quantity}, and so one region in each level; the levels' amounts
        add up to {plan.cost} at every size.
    """
    table = Table(("Level", "Sizes from", symbol, f"Noise, {unit}"), tuple(rows), "Budget and noise by level")
    return Section("What was measured and charged", text, tables=(table,))


def sections(plan: Plan, measured: Measured, projection: Projection) -> tuple[Section, ...]:
    """The sizes of the root, how far numbers are off, the conditions, what is public, files."""
    answer = _answer(plan, measured[0], projection.levels[0])
    return (answer, _error(plan), _post_processed(plan, projection), _public(plan), _files(plan))


def _answer(plan: Plan, measured: Int64, published: Int64) -> Section:
    """The distribution of the root with its intervals, and its mean size."""
    (((root,), rows),) = size_rows(plan, measured, published, 0, plan.sizes)
    means = region_rows(plan, measured, published, 0)
    mean, low, high = (float(means[name][0]) for name in ("mean", "mean_lower", "mean_upper"))
    first = headline(plan, None if np.isnan(mean) else mean, low, high)
    drawn = picture(plan, root, {name: each[0] for name, each in rows.items()})
    counts = rows["groups"][0]
    order = np.argsort(-counts, kind="stable")[:MOST_ROWS]
    frequent = tuple((f"{size:,}", f"{counts[size]:,}") for size in sorted(order.tolist()))
    table = Table(("Size", "Groups"), frequent, f"The most frequent sizes in {root}")
    return Section("Groups by size", pictures=(drawn,), tables=(table,), headline=first)


def headline(plan: Plan, mean: float | None, low: float, high: float, region: str = "", groups: str = "") -> Headline:
    """The published mean size in a region, with its interval.

    Args:
        plan: Of the release.
        mean: None where no group is published there.
        low: The lower end of the interval.
        high: Its upper end.
        region: The root, where it is not said.
        groups: How many groups there are, in a sentence; that of the root, which is public, where it is not said.
    """
    return Headline(
        f"Mean size ({plan.member}) of groups ({plan.group}) in {region or plan.regions.ids[0][0]}",
        "none" if mean is None else rounded(mean),
        f"95 % interval: {rounded(low)} to {rounded(high)}",
        f"{groups or f'{plan.groups:,} groups, which is public.'} {outside_note([(mean, low, high)])}".strip(),
    )


def _error(plan: Plan) -> Section:
    rows: list[tuple[str, ...]] = []
    for level, name in enumerate(plan.regions.levels):
        counts, tails = (LevelErrors(plan, level).margins(tails) for tails in (False, True))
        sizes = (min(band.start + 1, band.stop - 1) for band in plan.bands)
        rows += [(name, f"{size:,}", *_off(counts, size), *_off(tails, size)) for size in sizes]
    consistent = "so that they add up" if plan.method in ADDS_UP else "and are rounded, so that they need not add up"
    text = f"""
        Exact are the errors of what was measured: noise of a known distribution. The intervals in the tables stand around the measured
        numbers, are cut to the public bounds, and hold the true number with a probability of at least 95 percent, each on its own. The
        published numbers are made of all measurements together, {consistent}; how far they are off depends on the data as well,
        mostly less than the measured ones, and cannot be stated exactly. "starling groups preview" estimates it from public facts by
        simulation.
    """
    header = ("Level", "Size", "Standard error", "95 % margin", "Standard error, at least", "95 % margin, at least")
    return Section("How far the measured numbers are off", text, tables=(Table(header, tuple(rows), "In groups"),))


def _off(known: tuple[Int64, Float64], size: int) -> tuple[str, str]:
    """Standard deviation and margin of a measured number, of those by size."""
    return rounded(float(known[1][size])), f"± {known[0][size]:,}"


def _post_processed(plan: Plan, projection: Projection) -> Section:
    conditions_met = conditions(plan, projection.levels)
    gap = "not known" if projection.gap is None else f"{float(100 * projection.gap):z.3g} %"
    rows = (
        ("Method", f"{plan.method}: {METHODS[plan.method]}"),
        ("Objective", rounded(float(projection.objective))),
        ("Proved to be the optimum", "yes, by an independent check" if projection.certified else "no"),
        ("Above a proved lower bound by", "0" if projection.certified else gap),
        ("Cells that are not the sum over the regions inside", f"{conditions_met.consistency:,}"),
        ("Numbers below 0", f"{conditions_met.validity:,}"),
        ("Regions whose public total is not met", f"{conditions_met.faithfulness:,}"),
    )
    table = Table(("What", "Value"), rows, "Recomputed from the published numbers", words=True)
    return Section("What was made of the measurements", tables=(table,), folded=True)


def _public(plan: Plan) -> Section:
    totals = "of every region" if plan.totals == "region" else "of all regions together"
    text = f"""
        Public, and used as such: the regions ({_levels(plan)}), that the groups exist and where each lies, the number of groups {totals}
        ({plan.groups:,} in all), and the largest size, {plan.largest:,}, as which larger ones count.

        By the rule of all records {KINDS[plan.kind]}; a number that is missing, negative or none counts as 0, one with a fraction is
        rounded down, and a record whose region or group is not public is dropped. Where the records have more or fewer groups than is
        public, the largest groups of a region are left out, or groups of size 0 are added.
    """
    return Section("What is public, and how groups are counted", text, folded=True)


def _files(plan: Plan) -> Section:
    rows = (
        *((f"data/{name}.parquet", f"numbers of groups by {name} and size") for name in plan.regions.levels),
        ("data/regions.parquet", "groups, mean size and quantiles of every region"),
        ("measurements/", "every noisy count as it was drawn; the tables are a function of them"),
        ("plan/", "the public plan and its regions, enough to make the tables from the measurements again"),
        ("privacy.json", "what is promised and was charged, with exact amounts"),
    )
    return files(rows)
