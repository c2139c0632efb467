"""Writes bench/results/safetab-figures.md: the figures of the SafeTab paper, printed, in its own arithmetic, and exact, side by side."""

from typing import Final

from bench import safetab
from bench.markdown import table
from bench.record import RESULTS
from starling.privacy.budget import decimal_up

PAGE: Final = RESULTS / "safetab-figures.md"
HEAD: Final = f"""# Figures of the SafeTab paper

The budgets, margins and privacy losses of the paper (2022): as printed, by its own formulas, and exact. The stability is
{safetab.STABILITY}, the share of stage 1 is {safetab.GAMMA}, margins of error are at 95 %.
[Accounting](../../docs/explanation/accounting.md) derives them.
This page is written by `python -m bench.safetab_figures`, and a test compares it with what that computes.
"""
ROUNDING: Final = """\
The paper's rounding is our reconstruction: ln 20 cut to 2.99 and 1.96²/2 = 1.9208, a count's parameter rounded to three
decimals (epsilon) or four (rho), times the stability, divided by 1 − γ. All 28 printed numbers follow; without rounding the
formulas give those of the next column. The last column keeps the margins. With a folder of definition files the two columns
are plans: `safetab-2022:FOLDER` and `safetab-2022-geometric:FOLDER` state the margins, `safetab-2022-printed:FOLDER` and
`safetab-2022-geometric-printed:FOLDER` the printed budgets.
"""


def page() -> str:
    """The whole page."""
    kept = [
        (
            str(each.margin),
            f"{100 * each.geometric:.2f} %",
            f"{100 * each.gaussian:.2f} %",
            f"{100 * each.epsilon:+.1f} %",
            f"{100 * each.rho:+.1f} %",
        )
        for each in safetab.coverage()
    ]
    losses = [
        (f"{loss.noise}, {loss.analysis}", loss.printed, loss.computed, f"`{loss.method}`" if loss.method else "")
        for loss in safetab.table_2()
    ]
    wrong = [(each.where, each.printed, each.holds) for each in safetab.wrong()]
    by_events, by_total = safetab.replace_one()
    production = (
        f"The 2020 release costs {safetab.PRODUCTION} to add or remove one person,"
        f" {by_events} to replace one ({by_total} by its total alone).\n"
    )
    parts = [
        HEAD,
        "## Budgets of the levels (Tables 1 and 4)\n\nOf step 2, then in all.\n",
        f"{_budgets('epsilon', 'geometric')}\n",
        f"{_budgets('rho', 'discrete Gaussian')}\n",
        ROUNDING,
        "## What the formulas keep, and what a true 95 % needs beside them\n",
        f"{table(('MOE', 'Corollary 2 covers', 'Corollary 4 covers', '95 % needs epsilon', '95 % needs rho'), kept)}\n",
        "## Epsilon at delta 1e-10, from the printed budgets (Table 2)\n",
        f"{table(('noise and analysis', 'printed', 'computed', 'method'), losses)}\n",
        "## Statements that fail\n",
        f"{table(('where', 'what is printed', 'what holds'), wrong)}\n",
        "## Both adjacencies\n",
        production,
    ]
    return "\n".join(parts)


def _budgets(measure: safetab.Measure, noise: str) -> str:
    """The budgets of every level in one currency: each kind of figure, for step 2 and in all."""
    rows = []
    for line in safetab.TABLE_4:
        if measure == "epsilon":
            printed, formula = line.epsilon, safetab.printed_epsilon(line.margin)
        else:
            printed, formula = line.rho, safetab.printed_rho(line.margin)
        rounded = safetab.rounded_as_printed(line.margin)[measure == "rho"]
        figures = (
            printed,
            [decimal_up(number, 4) for number in rounded],
            [f"{safetab.STABILITY * formula / part:.3f}" for part in (1, float(1 - safetab.GAMMA))],
            [decimal_up(number, 4) for number in safetab.least(measure, line.margin)],
        )
        rows.append((line.level, str(line.margin), *(" ".join(pair) for pair in figures)))
    header = (f"{measure} ({noise})", "MOE", "printed", "the paper's rounding", "its formula", "exact tails")
    return table(header, rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
