"""`starling audit`: the mechanisms against what they declare, and mutants that must be caught."""

from typing import TYPE_CHECKING, Any

import click

from starling.cli.commands import Result, as_json, command
from starling.cli.progress import steps
from starling.errors import AuditFailed, Problem
from starling.release.session import attributes
from starling.release.text import table

if TYPE_CHECKING:
    from starling.audit.quick import Result as Checked


@command("audit", example="starling audit")
def audit() -> Result:
    """Check every mechanism against the cost and the distribution that it declares, in about a minute. Opens no records.

    Mutants, mechanisms that are wrong on purpose, must be caught by the same checks. Fails if a mechanism is refuted or a mutant missed.
    """
    from starling.audit.quick import FALSE_ALARM, checks

    results = []
    with steps() as step:
        for name, check in checks():
            step(name)
            results.append(check())
    failed = [result for result in results if not result.passed]
    false_alarm = FALSE_ALARM * sum(result.kind != "mutant" for result in results)
    if failed:
        if not as_json():
            click.echo(_text(results, false_alarm))
        raise AuditFailed(problems=[_problem(result) for result in failed])
    return Result(
        lambda: _text(results, false_alarm),
        lambda: {"passed": True, "false_alarm": false_alarm, "checks": list(map(_json, results))},
    )


def _problem(result: "Checked") -> Problem:
    if result.kind == "mutant":
        return Problem(
            result.name, "is wrong on purpose and was not caught", "run it again; if it is missed again, report it"
        )
    fix = "release nothing with this installation, and report it"
    if result.estimate is not None and result.estimate > result.declared.amount:
        return Problem(result.name, f"costs at least {result.estimate:z.4g}, and declares {result.declared}", fix)
    return Problem(result.name, "draws another distribution than it states", fix)


def _json(result: "Checked") -> dict[str, Any]:
    values = {"kind": result.kind, "name": result.name, "flaw": result.flaw or None, "declared": str(result.declared)}
    return values | attributes(result, "at_least=estimate", "resolution", "draws", "passed")


def _text(results: "list[Checked]", false_alarm: float) -> str:
    mutants = [result for result in results if result.kind == "mutant"]
    parts = [
        _section("Distributions: cost computed, draws compared", results, "distribution", ("stands", "REFUTED")),
        _section("Mechanisms: the falsifier's certified bound", results, "bound", ("stands", "REFUTED")),
        _section("Mutants: wrong on purpose", results, "mutant", ("caught", "MISSED")),
    ]
    right = len(results) - len(mutants)
    stand = sum(result.passed for result in results) - sum(result.passed for result in mutants)
    caught = sum(result.passed for result in mutants)
    parts.append(
        f"{stand} of {right} stand, {caught} of {len(mutants)} mutants were caught. The chance that a right mechanism is refuted is at most"
        f" {false_alarm:z.1g}.\nA claim below the bound that was found would have been refuted; a bound never proves a claim."
    )
    return "\n\n".join(parts)


def _section(title: str, results: "list[Checked]", kind: str, words: tuple[str, str]) -> str:
    rows = [
        (
            result.name,
            *([result.flaw] if kind == "mutant" else []),
            str(result.declared),
            "" if result.estimate is None else f"{result.estimate:z.4g}",
            "" if result.resolution is None else f"{100 * result.resolution:z.1f} %",
            f"{result.draws:,}",
            words[0] if result.passed else words[1],
        )
        for result in results
        if result.kind == kind
    ]
    header = ("what", *(["flaw"] if kind == "mutant" else []), "declared", "at least", "error seen", "draws", "")
    return f"{title}\n\n{table(header, rows, left=2 if kind == 'mutant' else 1)}"
