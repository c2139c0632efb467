"""`starling tables accounting`: the figures of the SafeTab paper, printed, in its own arithmetic, and exact, side by side."""

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import click

from starling.cli.commands import Command
from starling.cli.progress import working
from starling.cli.text import facts, table

if TYPE_CHECKING:
    from starling.audit.safetab import Line
    from starling.release.statement import Json

MEASURES: Final = (("epsilon", "geometric"), ("rho", "discrete Gaussian"))


@click.command("accounting", cls=Command, example="starling tables accounting")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def accounting(as_json: bool) -> None:
    """The SafeTab paper's budgets, margins and privacy losses: as printed, by its formulas, and exact. Opens nothing."""
    working("computing the paper's figures, and exact ones")
    body = figures()
    click.echo(json.dumps(body, indent=2, ensure_ascii=False) if as_json else _text())


def figures() -> "dict[str, Json]":
    """All figures, for machines."""
    from starling.audit import safetab

    return {
        "source": "SafeTab 2022",
        "stability": safetab.STABILITY,
        "stage_1_share": str(safetab.GAMMA),
        "delta": str(safetab.DELTA),
        "table_1": [_line_json(line) for line in safetab.TABLE_4],
        "coverage": [
            {
                "margin": kept.margin,
                "geometric_percent": round(100 * kept.geometric, 2),
                "gaussian_percent": round(100 * kept.gaussian, 2),
                "epsilon_needed_percent": round(100 * kept.epsilon, 1),
                "rho_needed_percent": round(100 * kept.rho, 1),
            }
            for kept in safetab.coverage()
        ],
        "table_2": [
            {
                "noise": loss.noise,
                "analysis": loss.analysis,
                "printed": loss.printed or None,
                "computed": loss.computed,
                "method": loss.method,
            }
            for loss in safetab.table_2()
        ],
        "wrong": [{"where": each.where, "printed": each.printed, "holds": each.holds} for each in safetab.wrong()],
        "production": {"add-remove": str(safetab.PRODUCTION), "replace-one": safetab.replace_one()},
    }


def _line_json(line: "Line") -> "dict[str, Json]":
    from starling.audit import safetab
    from starling.release.statement import Json

    rounded = dict(zip(("epsilon", "rho"), safetab.rounded_as_printed(line.margin), strict=True))
    formula = {"epsilon": safetab.printed_epsilon(line.margin), "rho": safetab.printed_rho(line.margin)}
    found: dict[str, Json] = {"level": line.level, "margin": line.margin}
    for measure, printed in (("epsilon", line.epsilon), ("rho", line.rho)):
        found[measure] = {
            "printed": list[Json](printed),
            "rounded_as_printed": list[Json](_decimals(number) for number in rounded[measure]),
            "by_formula": list[Json](
                f"{safetab.STABILITY * formula[measure] / part:.3f}" for part in (1, float(1 - safetab.GAMMA))
            ),
            "exact": list[Json](_decimals(number) for number in safetab.least(measure, line.margin)),
        }
    return found


def _decimals(number: Fraction) -> str:
    from starling.privacy.budget import decimal_up

    return decimal_up(number, 4)


def _text() -> str:
    from starling.audit import safetab

    parts = ["SafeTab 2022: stability 9, stage-1 share 0.1, margins of error at 95 %. Step 2, then in all."]
    for measure, noise in MEASURES:
        rows = []
        for line in safetab.TABLE_4:
            said = _line_json(line)[measure]
            assert isinstance(said, dict)
            pairs = (said[key] for key in ("printed", "rounded_as_printed", "by_formula", "exact"))
            rows.append((line.level, str(line.margin), *(" ".join(map(str, pair)) for pair in pairs)))  # type: ignore[arg-type]
        header = ("level", "MOE", "printed", "paper's rounding", "its formula", "exact tails")
        parts.append(f"Tables 1 and 4, {measure} ({noise})\n\n{table(header, rows)}")
    kept_rows = [
        (
            str(kept.margin),
            f"{100 * kept.geometric:.2f} %",
            f"{100 * kept.gaussian:.2f} %",
            f"{100 * kept.epsilon:+.1f} %",
            f"{100 * kept.rho:+.1f} %",
        )
        for kept in safetab.coverage()
    ]
    kept_header = ("MOE", "Corollary 2 covers", "Corollary 4 covers", "95 % needs epsilon", "95 % needs rho")
    parts.append(f"What the formulas keep, and what a true 95 % needs beside them\n\n{table(kept_header, kept_rows)}")
    losses = [(loss.noise, loss.analysis, loss.printed, loss.computed, loss.method or "") for loss in safetab.table_2()]
    loss_header = ("noise", "analysis", "printed", "computed", "method")
    parts.append(f"Table 2: epsilon at delta 1e-10, from the printed budgets\n\n{table(loss_header, losses, left=2)}")
    wrong = "\n".join(f"{each.where}\n  {each.printed}\n  {each.holds}" for each in safetab.wrong())
    parts.append(f"Statements that fail: what is printed, what holds\n\n{wrong}")
    parts.append(facts([("add or remove one", str(safetab.PRODUCTION)), ("replace one", safetab.replace_one())]))
    return "\n\n".join(parts)
