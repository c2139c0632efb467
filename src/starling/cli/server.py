"""`starling server`: a home, its users and their tokens. `starling serve`: the server itself. serving_data.py has what is registered."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

from starling.cli import options
from starling.cli.commands import Group, Result, as_json, command
from starling.distribution import install
from starling.errors import ParameterError
from starling.release.session import attributes

if TYPE_CHECKING:
    from starling.server.access import Issued
    from starling.server.home import Home
    from starling.server.logs import Form

NICE: Final = 10
"""The priority of a worker, as of nice(1): requests come first."""
ROLES = ("custodian", "analyst", "auditor")

server = Group(
    "server",
    example="starling server init home",
    help="Set up a server: its home, its users and their tokens, and the data that it releases. `starling serve HOME` runs it.",
    lazy={
        **{name: f"starling.cli.server:{name}" for name in ("init", "user", "password", "token", "tokens", "revoke")},
        "log": "starling.cli.server:log",
        "add": "starling.cli.serving_add:add",
        **{name: f"starling.cli.serving_data:{name}" for name in ("dataset", "findings", "accept", "show", "sandbox")},
        "jobs": "starling.cli.serving_upkeep:jobs",
        **{name: f"starling.cli.approving:{name}" for name in ("requests", "approve", "decline")},
        **{name: f"starling.cli.serving_upkeep:{name}" for name in ("backup", "restore")},
        "demo": "starling.cli.demo.serving:demo",
        "demo-data": "starling.cli.demo.serving:demo_data",
    },
)

_log = options.with_default(
    "--log",
    "form",
    type=click.Choice(("text", "json")),
    default="text",
    help="How to tell on standard error what happens: sentences, or JSON lines with each request's route and status.",
)


@command("init", example="starling server init home")
@click.argument("home", type=options.PATH)
@click.option("--ledger", metavar="URL", help="The ledger of the server; without it, ledger.sqlite in HOME.")
def init(home: Path, *, ledger: str | None) -> Result:
    """Make a home in a new or empty folder: server.toml, in which every setting is explained, and no users yet."""
    from starling.server.home import make_home
    from starling.server.sandbox import make_sandbox

    new = make_home(home, ledger=ledger)
    make_sandbox(new)
    body = {"home": str(home), "ledger": new.settings.ledger, "key": new.key.public.text}
    text = (
        f"made {home}; read its server.toml\nits ledger: {new.settings.ledger} (starling ledger create)"
        f"\nits key: {new.key.public.text} (starling ledger delegate)"
    )
    return Result(lambda: text, lambda: body)


@command("user", example="starling server user home ada --role analyst")
@options.home
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), required=True, help="What the user may do.")
def user(home: "Home", name: str, *, role: str) -> Result:
    """Add a user, who can do nothing without a token or a password."""
    added = home.access.add_user(name, cast(Any, role))
    return Result(lambda: f"user {added.name}, {added.role}", lambda: attributes(added, "name", "role"))


@command("password", example="starling server password home ada")
@options.home
@click.argument("name")
@options.flag("--remove", help="Let the user have no password.")
def password(home: "Home", name: str, *, remove: bool) -> Result:
    """Give a user a password, by which they sign in with a browser; their sessions end.

    It is asked for twice. Without a terminal it is the first line of standard input. The server keeps what argon2id makes of it.
    """
    access = home.access
    if remove:
        access.set_password(name, None)
        return Result(lambda: f"{name} has no password", lambda: {"user": name, "password": False})
    try:
        from starling.server.passwords import hashed
    except ImportError:
        raise _missing_packages() from None
    access.set_password(name, hashed(_read_password()))
    return Result(lambda: f"{name} has a new password", lambda: {"user": name, "password": True})


def _read_password() -> str:
    if sys.stdin.isatty() and sys.stderr.isatty():
        password: str = click.prompt("password", hide_input=True, confirmation_prompt="again", err=True)
        return password
    return sys.stdin.readline().rstrip("\r\n")


@command("token", example="starling server token home ada --days 30")
@options.home
@click.argument("name")
@click.option("--days", type=int, required=True, help="For how many days it lets the user in.")
def token(home: "Home", name: str, *, days: int) -> Result:
    """Make a token for a user. It is shown now and never again: the server keeps its SHA-256 alone."""
    text, issued = home.access.issue(name, days=days)
    click.echo(
        f"starling: token {issued.id} of {name} ends {issued.expires:%Y-%m-%d %H:%M} UTC; keep it safe", err=True
    )
    return Result(lambda: text, lambda: {"token": text, **_issued_json(issued)})


@command("tokens", example="starling server tokens home")
@options.home
def tokens(home: "Home") -> Result:
    """List the tokens that were made, by their ids, and the sessions of users who signed in by a browser."""
    listed = home.access.tokens()
    return Result(
        lambda: "\n".join(
            f"{each.id}  {each.user}  {'revoked' if each.revoked else f'ends {each.expires:%Y-%m-%d %H:%M} UTC'}"
            f"{'' if each.used is None else f'  used {each.used:%Y-%m-%d %H:%M} UTC'}{'  session' if each.session else ''}"
            for each in listed
        ),
        lambda: [_issued_json(each) for each in listed],
    )


@command("revoke", example="starling server revoke home 0123456789abcdef")
@options.home
@click.argument("id_", metavar="ID")
def revoke(home: "Home", id_: str) -> Result:
    """Refuse a token or a session from now on, by its id."""
    home.access.revoke(id_)
    return Result(lambda: f"{id_} is revoked", lambda: {"id": id_, "revoked": True})


@command("log", example="starling server log home")
@options.home
@options.with_default("--after", type=click.IntRange(0, 2**62), default=0, help="Lines beyond this number.")
@options.with_default("--most", type=click.IntRange(1, 1_000_000), default=1000, help="At most so many lines.")
def log(home: "Home", *, after: int, most: int) -> Result:
    """Show who asked what when."""
    entries = home.access.log(after=after, most=most)
    return Result(
        lambda: "\n".join(f"{each.number}  {each.at:%Y-%m-%d %H:%M:%S}  {each.user}  {each.what}" for each in entries),
        lambda: [{**attributes(each, "number", "who=user", "what"), "at": each.at.isoformat()} for each in entries],
    )


@command("serve", example="starling serve home")
@click.argument("home", type=options.PATH, required=False)
@options.flag("--demo", help="Serve a home of invented and public data, which is removed at the end.")
@options.with_default(
    "--workers",
    type=click.IntRange(0, 64),
    default=1,
    metavar="N",
    help="Start so many workers, and one for the sandbox, which end with the server; 0 where `starling worker` is started otherwise.",
)
@click.option(
    "--open/--no-open",
    "opens",
    default=None,
    help="Open the tour of --demo in the browser.  [default: where there is a terminal and a browser]",
)
@_log
def serve(home: Path | None, *, demo: bool, workers: int, opens: bool | None, form: "Form") -> Result:
    """Serve a HOME until Ctrl-C or SIGTERM: who may use it, its log, and releases of what is registered.

    With --demo it needs no HOME: it listens, registers data of an invented town, prints the address of a tour and opens it, registers the
    other data, and then prints tokens of an analyst, an auditor and a custodian on standard output, with what to do next.
    """
    try:
        from starling.server.running import serve as run
    except ImportError:
        raise _missing_packages() from None
    from starling.server import logs
    from starling.server.home import open_home

    if opens and not demo:
        raise ParameterError("--open", "is for the tour of --demo alone", "open the address that is printed")
    if (home is None) != demo:
        raise ParameterError("HOME", "or --demo is missing, or both are given", "give one: starling serve --demo")

    def listening(url: str) -> None:
        logs.report(form, f"listening on {url}")
        if os.geteuid() == 0 and served.settings.account is None:
            logs.report(form, "the web process is root, too: name an account for it in server.toml", warning=True)

    def listening_demo(url: str) -> None:
        listening(url)
        register_data(demo_home, TOUR)
        tour = f"{url}{demo_home.tour}"
        click.echo(f"The tour, in a browser: {tour}", err=as_json())
        if opens or (opens is None and sys.stdout.isatty() and sys.stdin.isatty() and has_browser()):
            show(tour)
        register_data(demo_home, [name for name in DATASETS if name not in TOUR])
        click.echo(demo_home.text(url), err=as_json())

    logs.begin(form)
    if home is not None:
        served = open_home(home)
        run(served, listening, workers=workers, form=form)
    else:
        from starling.cli.browser import has_browser, show
        from starling.cli.demo.serving import DATASETS, TOUR, register_data, temporary_home

        with temporary_home() as demo_home:
            served = open_home(demo_home.folder)
            run(served, listening_demo, workers=workers, form=form)
    return Result(lambda: "stopped", lambda: {"stopped": True})


@command("worker", example="starling worker home")
@options.home
@options.flag("--until-end-of-input", help="Stop when standard input ends, with the process that started it.")
@_log
def worker(home: "Home", *, until_end_of_input: bool, form: "Form") -> Result:
    """Carry out what the server of a home has charged, and look at registered records, until SIGTERM or Ctrl-C. It alone reads them."""
    from starling.server import logs
    from starling.worker.children import Child
    from starling.worker.running import LANES, Worker, stop_event

    logs.begin(form)
    # Before anything is opened: processes that it starts have it, too.
    os.nice(max(0, NICE - os.nice(0)))
    begin = "sandbox: " if home.invented else ""
    lanes = [Child(home.folder, home.settings.job_seconds, ("--log", form)) for _ in range(LANES)]
    new = Worker(home, lambda words: logs.report(form, f"{begin}{words}"), lanes)
    new.run(stop_event(by_input=until_end_of_input))
    return Result(lambda: "stopped", lambda: {"stopped": True})


@command("job", example="starling job home", hidden=True)
@options.home
@_log
def job(home: "Home", *, form: "Form") -> Result:
    """Carry out the charges whose events a worker names on standard input, which starts this."""
    from starling.server import logs
    from starling.worker.children import serve as carry_out

    logs.begin(form)
    carry_out(home)
    return Result(lambda: "stopped", lambda: {"stopped": True})


@command("notify", example="starling notify home", hidden=True)
@options.home
@_log
def notify(home: "Home", *, form: "Form") -> Result:
    """Tell the custodian of a home that something waits, until standard input ends, with the server that starts this."""
    from starling.server import logs
    from starling.server.notifying import notify as run
    from starling.worker.running import stop_event

    logs.begin(form)
    run(home, stop_event(by_input=True))
    return Result(lambda: "stopped", lambda: {"stopped": True})


@command("web", example="starling web home --socket 3", hidden=True)
@options.home
@click.option("--socket", "handle", type=int, required=True, help="The open socket on which connections come.")
@_log
def web(home: "Home", *, handle: int, form: "Form") -> Result:
    """Answer requests on a socket that `starling serve` opened, which starts this."""
    import socket

    from starling.server import logs
    from starling.server.web import answer

    logs.begin(form)
    with socket.socket(fileno=handle) as taken:
        answer(home, taken)
    return Result(lambda: "stopped", lambda: {"stopped": True})


def _missing_packages() -> ParameterError:
    return ParameterError("server", "needs packages that are missing", install("server"))


def _issued_json(issued: "Issued") -> dict[str, Any]:
    used = None if issued.used is None else issued.used.isoformat()
    return {
        **attributes(issued, "id", "user", "revoked", "session"),
        "expires": issued.expires.isoformat(),
        "used": used,
    }
