"""The demo's first chapter: an invented nation, its tables released, and the truth beside them.

The truth may be shown because nobody in it exists. It is inspected by the custodian, as `tables evaluate` does.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starling.cli.commands import Result

if TYPE_CHECKING:
    import pyarrow as pa

    from starling.release.described import Generated
    from starling.release.pipeline import Published
    from starling.tables.plan import Plan

SEED: Final = 1
TYPICAL: Final = 1000
"""The row that is shown first is the published total nearest to this."""


def chapter(out: Path, persons: int, step: Callable[[str], None]) -> tuple[Result, tuple[str, ...]]:
    """Invent `persons`, publish their tables in the folder `out`, and compare: what is shown, and commands that work when pasted."""
    from starling.release.payment import PaymentOptions
    from starling.release.pipeline import Listener
    from starling.tables.evaluate import with_truth
    from starling.tables.generate import generate
    from starling.tables.plan import Plan, read_geography, shipped
    from starling.tables.publish import release
    from starling.tables.source import open_persons

    out.mkdir()
    plan = Plan.load(Path(shutil.copy(shipped()["demo"], out / "plan.toml")))
    step(f"inventing {persons:,} persons")
    files = generate(plan, persons=persons, seed=SEED, out=out / "invented")
    released = release(
        plan,
        files.records,
        files.files["geography"],
        out / "release",
        names=files.files["names"],
        payment=PaymentOptions(unvalidated=True),
        listener=Listener(step=step),
    )
    step("comparing with the truth, which only invented data allow")
    compared = with_truth(
        plan, read_geography(files.files["geography"], plan), open_persons(files.records, plan), out / "release"
    ).value
    seen = _Seen(compared)
    shown = Result(lambda: _text(plan, out, files, released, seen), lambda: _json(plan, out, files, released, seen))
    inputs = f"--persons {files.records} --geography {files.files['geography']}"
    return shown, (
        f"starling tables preview {out / 'plan.toml'} --geography {files.files['geography']}",
        f"starling tables evaluate {out / 'plan.toml'} --release {out / 'release'} {inputs}",
        f"starling tables release {out / 'plan.toml'} {inputs} --out {out / 'second'} --unvalidated --yes",
    )


class _Seen:
    """What a release of invented people looks like beside the truth.

    Args:
        compared: T1 with a column `truth`.
    """

    def __init__(self, compared: "pa.Table") -> None:
        import numpy as np

        count, lower, upper, truth = (compared[name].to_numpy() for name in ("count", "lower", "upper", "truth"))
        inside = (lower <= truth) & (truth <= upper)
        self.totals, self.inside = len(count), int(inside.sum())
        self.typical = self._nearest(compared, count, np.flatnonzero(inside))
        self.missed = self._nearest(compared, count, np.flatnonzero(~inside))

    @staticmethod
    def _nearest(compared: "pa.Table", count: Any, rows: Any) -> dict[str, Any] | None:
        """The row whose published count is nearest to TYPICAL; None of none."""
        if not len(rows):
            return None
        row = min(rows.tolist(), key=lambda at: abs(int(count[at]) - TYPICAL))
        values: dict[str, Any] = compared.slice(row, 1).to_pylist()[0]
        return values


def _text(plan: "Plan", out: Path, files: "Generated", released: "Published", seen: _Seen) -> str:
    from starling.release.text import facts, table
    from starling.tables.plan import labels

    guarantee = plan.guarantee
    rows = [
        (labels.group(row), f"{row['count']:,}", f"{row['lower']:,} to {row['upper']:,}", f"{row['truth']:,}", verdict)
        for row, verdict in ((seen.typical, "holds it"), (seen.missed, "misses it"))
        if row is not None
    ]
    published: Any = released.as_json()["rows"]
    share = 100 * seen.inside / max(seen.totals, 1)
    land = ", ".join(f"{files.sizes[name]:,} {name}" for name in ("persons", "states", "counties", "tracts"))
    return "\n\n".join(
        [
            f"An invented nation: {land}. Nobody in it exists.",
            facts(
                [
                    ("protected", f"one person ({guarantee.relation})"),
                    ("charged", str(guarantee.cost)),
                    ("published", f"{published['t1']:,} totals, {published['t2']:,} counts by sex and age"),
                ]
            ),
            table(("group", "published", "95 % interval", "truth", "the interval"), rows),
            (
                f"{seen.inside:,} of the {seen.totals:,} published intervals hold the truth ({share:z.1f} %; of all groups at least"
                " 95 %,\nbut a very small one is published only when its noise was high). With real people it is not known which ones miss."
            ),
            facts(
                [
                    ("report", str(out / "release" / "report.html")),
                    ("tables", f"{out / 'release' / 'data' / 't1.txt'}, t2.txt, and both as Parquet"),
                    ("guarantee", str(out / "release" / "privacy.json")),
                ]
            ),
        ]
    )


def _json(plan: "Plan", out: Path, files: "Generated", released: "Published", seen: _Seen) -> dict[str, Any]:
    from starling.release.claims import claim

    return {
        "folder": str(out),
        "plan": str(out / "plan.toml"),
        "persons": str(files.records),
        "geography": str(files.files["geography"]),
        "release": str(out / "release"),
        "sizes": dict(files.sizes),
        "cost": claim(plan.guarantee).adjacencies(),
        "rows": released.as_json()["rows"],
        "intervals": {"totals": seen.totals, "hold_the_truth": seen.inside},
        "holds": seen.typical,
        "misses": seen.missed,
    }
