"""`starling genome scan`: of a study, as the other questions are asked, or by --from once more of a release, which costs nothing."""

from copy import copy
from inspect import cleandoc
from pathlib import Path
from typing import Any, Final

import click

from starling.cli import genome_asking, options, verbs
from starling.cli.commands import Command, Result
from starling.cli.progress import working
from starling.errors import ParameterError

ASK: Final = genome_asking.scan
FROM: Final = "release"
SHARED: Final = ("out", "as_json")
"""Options that both have."""
OWN: Final = (
    click.Option(
        ["--from", FROM],
        type=options.PATH,
        metavar="RELEASE",
        help="In place of PLAN and --genotypes: a released scan, a folder or its zip. Opens no genotypes, charges nothing.",
    ),
    click.Option(
        ["--region", "regions"],
        multiple=True,
        metavar="X",
        help="With --from: keep 6, 6:25000000-34000000, or a region of the plan. Repeatable.  [default: all]",
    ),
    click.Option(
        ["--min-frequency"],
        default="0",
        metavar="X",
        help="With --from: keep SNPs whose rarer allele is as frequent, such as 0.01.",
    ),
    click.Option(["--min-calls"], type=int, default=0, metavar="N", help="With --from: keep SNPs with so many calls."),
    click.Option(
        ["--threshold"], metavar="P", help="With --from: significant p-values, such as 5e-8.  [default: the scan's]"
    ),
    click.Option(["--key"], metavar="KEY", help=f"With --from: who should have signed it: {options.PIN}."),
)
"""The options of --from."""


def _optional(parameter: click.Parameter) -> click.Parameter:
    """A copy of a parameter of a question, which need not be named where a release has what it says."""
    other = copy(parameter)
    other.required = parameter.required and parameter.name in SHARED
    return other


def _run(**values: Any) -> Any:
    """Ask, or choose from a release."""
    context = click.get_current_context()
    named = {name for name in values if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE}
    words = {each.name: each.get_error_hint(context).strip("'[]") for each in context.command.params}
    own = {each.name for each in OWN}
    from_release = values[FROM] is not None
    foreign = named - own - {*SHARED} if from_release else named & own
    for name in sorted(foreign, key=[*words].index):
        problem = "is of a scan that is charged" if from_release else "is of a scan of a release"
        raise ParameterError(
            words[name], problem, "leave it out, or leave out --from" if from_release else "add --from RELEASE"
        )
    if from_release:
        return _filter(**{name: values[name] for name in (*own, "out")})
    for each in ASK.params:
        if each.required and values.get(each.name or "") is None:
            raise click.MissingParameter(ctx=context, param=each)
    assert ASK.callback is not None
    return ASK.callback(**{name: value for name, value in values.items() if name not in own})


def _filter(*, release: Path, out: Path, key: str | None, **choices: Any) -> Result:
    working("checking the release and choosing its SNPs")
    answer: Any = verbs.opened_release(release, "genome", key)
    with answer as opened:
        filtered = opened.filter(**choices)
    filtered.write(out)
    return Result(lambda: f"{filtered}\nwritten   {out}", lambda: {**filtered.as_json(), "data": str(out)})


_TEXT: Final = f"""{cleandoc(ASK.help or "")}

With --from it is a release once more: fewer SNPs or another threshold, with regions, lambda and pictures anew.
"""
_EXAMPLE: Final = "starling genome scan --from scan --region 1 --min-frequency 0.05 --out common"

scan: Final = Command(
    "scan",
    params=[*map(_optional, ASK.params[:-1]), *OWN],
    callback=_run,
    help=_TEXT,
    example=f"{getattr(ASK, 'example', '')}\n{_EXAMPLE}",
)
"""The command."""
