"""The commands `plan`, `preview`, `release`, `generate` and `plot`, declared once: what they do is the domain's `Verbs`.

A domain adds its own options, and commands that no other has; validating.py has `validate`.
"""

import json
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from starling.cli import options
from starling.cli.commands import Result, command
from starling.cli.progress import working
from starling.cli.publishing import Destination, destination, publish
from starling.cli.validating import validating
from starling.domains import delivering_of
from starling.domains import domain as find
from starling.errors import ParameterError
from starling.release.session import Described
from starling.release.text import facts

if TYPE_CHECKING:
    from starling.cli.opening.site import Pages
    from starling.release.domain import Domain, Publish
    from starling.release.reading import Release

__all__ = ["generating", "opened_release", "planning", "plotting", "previewing", "releasing", "validating", "verb"]


EVERY: Final = ("plan", "preview", "validate", "release", "generate", "plot")
"""The commands of every domain; who asks questions releases by those."""


def verb(name: str, text: str, example: str, run: Callable[..., Any], *options_of: options.Decorator) -> click.Command:
    """A command of a domain: its word, its help, the example that this begins with, and what takes the values of its options."""
    run.__doc__ = text
    return command(name, example=example)(options.with_options(run, *options_of))


def registered(domain: str) -> "Domain":
    """A domain that has commands."""
    value = find(domain)
    assert value is not None, "a command belongs to a registered domain"
    return value


def planning(
    domain: str, text: str, example: str, *own: options.Decorator, plan: options.Decorator = options.plan_file
) -> click.Command:
    """The command `plan` of a domain, what a plan holds and costs: its help, the example that this begins with, and options of its own."""

    def run(plan: Path | str, **values: Any) -> Described:
        return registered(domain).verbs.plan(str(plan), **values)

    return verb("plan", text, example, run, plan, *own)


def previewing(
    domain: str,
    text: str,
    example: str,
    *own: options.Decorator,
    step: str,
    plan: options.Decorator = options.plan_file,
    pages: "Callable[[Any], Pages] | None" = None,
) -> click.Command:
    """The command `preview` of a domain: how far numbers will be off; as a page too. Arguments as those of `planning`.

    `pages` are those of a preview, which `--open` shows on this machine; without it `--open` shows the page.
    """

    def run(plan: Path | str, out: Path | None, opens: bool, **values: Any) -> Described:
        working(step)
        preview = registered(domain).verbs.preview(str(plan), **values)
        if opens and out is None and pages is not None:
            from starling.cli.opening.site import open_site

            open_site(pages(preview), str(plan))
        elif out is not None or opens:
            from starling.cli.browser import page_folder, show

            page = preview.write(page_folder() if out is None else out)
            click.echo(f"starling: wrote {page}", err=True)
            if opens:
                show(page.absolute().as_uri())
        return preview

    return verb("preview", text, example, run, plan, *own, options.page, options.open_page)


def schema_of(domain: str) -> click.Command:
    """The command `schema` of a domain: the JSON Schema of its plan files."""

    def run() -> Result:
        from starling.planfile.grammar import plan_schema

        text = plan_schema(domain, *registered(domain).grammars.values())
        return Result(lambda: json.dumps(text, indent=2), lambda: text)

    text = (
        "The JSON Schema of plan files.\n\nBy it, editors complete keys and mark wrong ones. Keep it beside the plan."
    )
    return verb("schema", text, f"starling {domain} schema", run)


def releasing(
    domain: str, what: str, example: str, *own: options.Decorator, plan: options.Decorator = options.plan_file
) -> click.Command:
    """The command `release` of a domain: it charges, reads, draws and publishes. `what` begins its help, `own` has its files."""

    def run(plan: Path | str, destination: Destination, **values: Any) -> Described:
        release = registered(domain).verbs.release or partial(delivered, domain)
        return publish(destination, *release(str(plan), **values))

    text = f"{what}\n\nA run that died is taken up by the same command, at no further cost."
    return verb("release", text, example, run, plan, *own, destination)


def delivered(
    domain: str, plan: str, *, engine: str | None = None, **files: Path
) -> "tuple[Callable[[], str], Publish]":
    """A release of what a domain delivers to a server too: of a plan and its files, without further options of its own."""
    from starling.release.domain import Asking
    from starling.release.pipeline import publish

    delivery = delivering_of(domain).open(plan, files, *([] if engine is None else [engine]))
    publication = delivery.publication
    assert not isinstance(publication, Asking), "a domain with this command publishes plans"
    return lambda: publication.title, lambda out, **more: publish(publication, delivery.source, out.absolute(), **more)


def generating(
    domain: str, text: str, example: str, *own: options.Decorator, step: str, plan: options.Decorator | None
) -> click.Command:
    """The command `generate` of a domain: invented records; `plan` is None where they come with a plan of their own alone."""

    def run(plan: Path | str | None = None, **values: Any) -> Described:
        generate = registered(domain).verbs.generate
        assert generate is not None, "a domain with this command invents records"
        working(step)
        generated = generate(None if plan is None else str(plan), **values)
        return generated if plan is None else replace(generated, plan=Path(plan))

    return verb(
        "generate", text, example, run, *([] if plan is None else [plan]), *own, options.new_folder, options.seed
    )


def plotting(domain: str, text: str, example: str, *own: options.Decorator, several: bool = False) -> click.Command:
    """The command `plot` of a domain: pictures of a release, or of `several` together, and a page of them all."""

    def run(releases: tuple[Path, ...] | Path, out: Path, key: str | None, **values: Any) -> Result:
        plot = registered(domain).verbs.plot
        assert plot is not None, "a domain with this command draws its releases"
        working("checking the release and drawing it")
        paths = (releases,) if isinstance(releases, Path) else releases
        with closing(_opened(paths, domain, key)) as opened:
            page, *pictures = plot(opened, **values).save(out)
        # Shown as the user named the folder.
        named = {path.stem: str(out / path.name) for path in pictures}
        shown = str(out / page.name)
        return Result(lambda: facts([("page", shown), *named.items()]), lambda: {"page": shown, "pictures": named})

    argument = click.argument(
        "releases", nargs=-1 if several else 1, required=True, type=options.PATH, metavar=f"RELEASE{'...' * several}"
    )
    return verb("plot", text, example, run, argument, options.new_folder, *own, options.signer)


def _opened(paths: tuple[Path, ...], domain: str, key: str | None) -> "Generator[Release]":
    """Each release opened, and closed before the next one."""
    for path in paths:
        with opened_release(path, domain, key) as release:
            yield release


def opened_release(path: Path, domain: str, key: str | None) -> "Release":
    """A release of a domain, opened and compared with its signature; raises ParameterError for one of another domain."""
    from starling.cli.auditing import pin
    from starling.verification import open_release

    opened = open_release(path, key=pin(key))
    if (other := opened.statement["domain"]) == domain:
        return opened
    with opened:
        raise ParameterError(str(path), f"is a release of {other}", f"name releases of {domain}")
