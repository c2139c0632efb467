"""The parts of the report that speak of cross tables, and their words for the registry of deployments."""

from collections.abc import Mapping
from fractions import Fraction
from math import sqrt

from starling.pages.parts import Section, Table
from starling.privacy.budget import decimal_up
from starling.release.registry import Product
from starling.release.report.pages import files
from starling.tables.artifact.cross import LAPLACE, MOST_CSV_ROWS, SOURCE, WHOLE_NUMBERS, of_plan
from starling.tables.inference.totals import CONFIDENCE
from starling.tables.plan import Plan
from starling.tables.plan.cross import replacement
from starling.tables.plan.residuals import variances
from starling.tables.postprocess.cross import margin


def charged(plan: Plan) -> Section:
    """The budget of each level, and what it costs to replace one."""
    cross, shape = of_plan(plan), plan.cross_shape
    rows = tuple(
        (
            plan.regions.of(name).kind,
            f"{regions:,}",
            f"{sum(map(bool, shares)):,}",
            decimal_up(sum(shares, Fraction(0))),
        )
        for name, regions, shares in zip(cross.levels, shape.regions, cross.shares, strict=True)
    )
    unit = plan.relation.unit
    residuals = """
        All tables are measured together, as residuals: the number of all records, then what each column adds to it, then each pair
        of columns, and so on. Each of these parts is measured once in each region, with discrete Gaussian noise, and costs its share.
        The shares add up.
    """
    whole = """
        Some tables are measured whole, each once in each region, with discrete Laplace noise, and cost their shares, which add up. All
        others are parts and sums of these: the plan alone says which, by the least expected variance that was found.
    """
    of_parts = plan.measure == "rho"
    costs = f"To replace one {unit} by another costs {replacement(cross, shape)}"
    text = f"{residuals if of_parts else whole}\n\n        {costs}{' by the formula of residuals' if of_parts else ''}."
    caption = f"Budget of each level; {plan.cost} in all"
    return Section(
        "What was charged",
        text,
        tables=(Table(("Level", "Regions", "Parts" if of_parts else "Tables", plan.cost.symbol), rows, caption),),
    )


def sections(plan: Plan, first: Mapping[str, str]) -> tuple[Section, ...]:
    """Accuracy, what is exact, files; `first` has the number of records in words."""
    table = Table(("Region", "Records"), tuple(first.items()), "Estimates with their intervals")
    answer = (Section("All records", tables=(table,)),) if first else ()
    return (*answer, _accuracy(plan), _exact(plan), _files(plan))


def _accuracy(plan: Plan) -> Section:
    cross, k = of_plan(plan), plan.records_of_one
    reached = variances(plan.cross_shape, cross.shares)
    rows: list[tuple[str, ...]] = []
    for name, level in zip(cross.levels, reached, strict=True):
        for columns in sorted({len(table) for table in cross.tables}):
            margins = [
                margin(cross, plan.cross_shape, table, k * sqrt(variance))
                for table, variance in zip(cross.tables, level, strict=True)
                if len(table) == columns
            ]
            ends = (f"± {end:z,.1f}" for end in (min(margins), max(margins)))
            rows.append((plan.regions.of(name).kind, str(columns), f"{len(margins):,}", *ends))
    header = ("Level", "Columns", "Tables", "Least", "Largest")
    caption = f"Margin of error of a cell at {float(100 * CONFIDENCE):g} %, in records, by columns of the table"
    of = "a normal distribution, since many draws add up in a count, and a part of a record, since draws are whole"
    if plan.measure == "epsilon":
        of = "sums of Laplace draws, the wider the more of a count one draw can be, and one record"
    text = f"""
        Each count has a standard deviation and an interval beside it. The interval is that of {of}.
        Cells of one table are not independent: a sum of them is more exact than its parts tell.
    """
    return Section("How far the numbers are off", text, tables=(Table(header, tuple(rows), caption),))


def _exact(plan: Plan) -> Section:
    numbers = "Numbers are fractions, and may be below 0: to round them, or to raise them to 0, would bias sums."
    if of_plan(plan).whole:
        numbers = f"Numbers are whole, and may be below 0: {WHOLE_NUMBERS}."
    text = f"""
        Public, and used as such: {plan.wording.public}. They fix which cells there are, whether or not anybody is in them. Nothing
        was taken from the records without noise.

        All tables agree: a sum over a column is the number in the table without it, and a region is the sum of the regions within it,
        in every digit. {numbers}
    """
    return Section("What is public, and what is not exact", text, folded=True)


def _files(plan: Plan) -> Section:
    cross = of_plan(plan)
    return files(
        (
            (
                "data/*.parquet",
                f"{len(cross.tables):,} tables with a column for each of theirs, deviations and intervals",
            ),
            ("data/*.csv", f"the same as text, for a table below {MOST_CSV_ROWS:,} rows"),
            ("data/measurements/", "every noisy number that was measured; the tables are a function of these"),
            ("plan/", "the public plan and regions, enough to make the tables from the measurements again"),
            ("privacy.json", "what is promised and was charged, with exact amounts and scales"),
        )
    )


def product(plan: Plan) -> Product:
    """A release of cross tables in the words of the registry."""
    words, cross = plan.wording, of_plan(plan)
    records = plan.records_of_one
    counted = "one record is" if records == 1 else f"at most {records:,} records are"
    return Product(
        description=f"{len(cross.tables):,} tables of {', '.join(cross.columns)}, which agree with one another.",
        intended_use="Statistics of the tables, and of any sums of their cells.",
        region=plan.records.area,
        domain=words.records,
        bounds=f"Of one {plan.relation.unit} {counted} counted, each in one cell of every table in one region of each level.",
        mechanisms=f"{LAPLACE}, exact over the integers."
        if plan.measure == "epsilon"
        else f"{SOURCE}: every part of the tables is measured with discrete Gaussian noise, exact over the integers.",
        post_processing="Least squares over parts and nested regions, rounded so that all tables agree exactly.",
        composition="Sequential over parts and levels. The tree with every event and amount is in privacy.json.",
        unprotected="None: the plan and the areas are public, and no number is published without noise.",
    )
