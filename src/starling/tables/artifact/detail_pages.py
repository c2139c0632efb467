"""The part of the report that says which groups there are, and how much detail each got, from the plan and released numbers alone."""

from functools import partial

from starling.pages.charts import shares
from starling.pages.parts import Picture, Section, Table
from starling.tables.inference.totals import suppression_quantile
from starling.tables.measurements import Int64
from starling.tables.plan import Geography, Plan
from starling.tables.plan.labels import level_title
from starling.tables.plan.sex_by_age import SEX_BY_AGE


def section(plan: Plan, geography: Geography, branches: Int64) -> Section:
    """How many groups of each level got how much detail; `branches` as `Summary` has them (pages.py)."""
    if not plan.staged:
        return _groups(plan, geography)
    names = tuple(plan.detail.names.values())
    counts = branches.tolist()
    titles = [level_title(plan, level) for level in plan.levels]
    picture = Picture(
        partial(shares, titles, names, counts),
        "The groups of each level by the detail that they got: the noisy first total was compared with the public thresholds.",
        "detail",
    )
    # The names of details are the plan's, and may be those of other columns.
    rows = tuple(
        (
            title,
            f"{len(geography.regions[level.geography]):,}",
            f"{len(level.iterations):,}",
            *(f"{number:,}" for number in line),
            ", ".join(f"{cut:,}" for cut in level.thresholds),
        )
        for title, level, line in zip(titles, plan.levels, counts, strict=True)
    )
    details = (name.capitalize() for name in names)
    header = ("Level", "Regions", plan.wording.iterations.capitalize(), *details, "Thresholds")
    steps = (plan.detail.names[branch] for branch in range(1, plan.detail.steps + 1))
    larger = "sex by age" if plan.detail == SEX_BY_AGE else ", then ".join(steps)
    text = f"""
        Small groups get a total, larger ones {larger}. The choice is made by a noisy total, so that it tells nothing beyond
        what was charged.
    """
    if leaves_out(plan):
        text += f"""

        {plan.wording.small}, a group that got a bare total is left out of the tables when that total is so low that an empty
        group would exceed it with a chance of {float(100 * (1 - plan.suppression)):g} %. This looks at the noisy number alone; the
        measurement itself stays in the folder.
        """
    table = Table(header, rows, "Groups of each level")
    return Section("How much detail each group got", text, (picture,), (table,), folded=True)


def leaves_out(plan: Plan) -> bool:
    """Whether small bare totals are left out of the tables."""
    return any(suppression_quantile(plan, level) is not None for level in plan.levels if not level.single_stage)


def _groups(plan: Plan, geography: Geography) -> Section:
    """How many groups each level has, where each gets a total alone."""
    lines = [
        {
            "Level": level_title(plan, level),
            "Regions": f"{regions:,}",
            "Groups of a region": f"{len(level.iterations):,}",
            "Groups": f"{regions * len(level.iterations):,}",
        }
        for level in plan.levels
        for regions in [len(geography.regions[level.geography])]
    ]
    text = "Each group of the plan gets a total, and no more detail."
    return Section("Which groups there are", text, tables=(Table.of(lines, "Groups of each level"),), folded=True)
