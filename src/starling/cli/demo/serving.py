"""A home with the demo's data: `starling server demo` makes it, and `starling serve --demo` serves one that it removes.

The latter listens before its data are registered, by a process of its own: the web process imports nothing that reads records.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from starling.cli import options
from starling.cli.commands import Result, command
from starling.cli.demo import new_folder, town

if TYPE_CHECKING:
    from starling.server.access_rows import Role
    from starling.server.home import Home
    from starling.worker.sources import Registered

PERSONS: Final = 20_000
SEED: Final = 1
PEOPLE: Final = 2000
SNPS: Final = 2000
CAUSAL: Final = {500: 3.5, 1500: 3.0}
"""Of the study: the odds ratio for each copy of the allele, by the number of the SNP."""
EPSILON: Final = "4"
"""What one question to the study may cost: for so few people, noise hides everything at less."""
DAYS: Final = 1
DEADLINE: Final = 10
"""Seconds: each of the releases takes few."""
USERS: "Final[dict[str, Role]]" = {"ada": "analyst", "otto": "auditor", "cleo": "custodian"}
"""By their names, their roles."""
NICE: Final = 10
"""The priority of the process that registers data at a home that is served, as of nice(1): requests come first."""
TOUR: Final = tuple(town.QUESTIONS)
"""The datasets of the tour, which are registered first: it begins while the others are."""
DATASETS: Final = (*TOUR, "airports", "flights", "nation", "study")
RELEASES: Final = 3
"""How many releases of each dataset the cap covers; the analyst may charge one less."""


@command("demo", example="starling server demo shop")
@click.argument("folder", type=options.PATH)
@options.number("--persons", default=PERSONS, help="How many to invent.")
@options.with_default("--deadline", type=int, default=DEADLINE, metavar="SECONDS", help="When answers leave.")
@click.option("--ledger", metavar="URL", help="A new ledger; without it, ledger.sqlite in the home.")
def demo(folder: Path, *, persons: int, deadline: int, ledger: str | None) -> Result:
    """Make a home with the data of `starling demo`, its ledger, and a user of each role, in a new FOLDER.

    The data are invented or public: a town, a nation, flights, airports, a case-control study.
    The ledger is made with your key, as `starling ledger create` does.
    """
    _check_data()
    new_folder(folder)
    home = _make_home(folder.absolute(), ledger)
    _add_data(home.folder, persons, deadline, DATASETS)
    return Result(home.text, home.json)


@command("demo-data", example="starling server demo-data shop/home nation", hidden=True)
@click.argument("home", type=options.PATH)
@click.argument("names", type=click.Choice(DATASETS), nargs=-1, required=True)
def demo_data(home: Path, names: tuple[str, ...]) -> Result:
    """Register data of a demo at its home, which `starling serve --demo` serves meanwhile."""
    os.nice(NICE)
    _add_data(home.absolute(), PERSONS, DEADLINE, names)
    return Result(lambda: "registered", lambda: {"datasets": list(names)})


@dataclass(frozen=True, slots=True)
class DemoHome:
    """The home of a demo, which may be served before its data are registered.

    Attributes:
        folder: Its folder.
        fingerprint: Of the server's key, which signs its releases.
        tokens: The tokens of the users, by their names.
        password: By which each of them signs in with a browser.
        ledger: The URL of its ledger.
        tour: The path of the tour, which signs its analyst in, once.
    """

    folder: Path
    fingerprint: str
    tokens: Mapping[str, str]
    password: str
    ledger: str
    tour: str

    def json(self) -> dict[str, Any]:
        """All of it, for programs."""
        return {
            "home": str(self.folder),
            "key": self.fingerprint,
            "datasets": list(DATASETS),
            "tokens": dict(self.tokens),
            "password": self.password,
            "tour": self.tour,
        }

    def text(self, url: str = "URL") -> str:
        """Tokens, and commands that work when pasted while the home is served at `url`: what each user does, in the order of use."""
        lines = {
            "ada": [
                f"export STARLING_SERVER={url} STARLING_TOKEN={self.tokens['ada']}",
                "starling remote datasets",
                f"STARLING_SERVER={url}/sandbox starling remote release airports --out invented.zip",
                f"starling remote release airports --out airports.zip --key {self.fingerprint}",
                f"starling remote ask num-sig study --epsilon {EPSILON} --out answers --key {self.fingerprint}",
            ],
            "otto": [
                f'curl -H "Authorization: Bearer {self.tokens["otto"]}" {url}/v1/ledger > ledger.jsonl',
                f"starling verify airports.zip --ledger ledger.jsonl --key {self.fingerprint}",
            ],
            "cleo": [
                f"{_key_home()}starling ledger raise {self.ledger} {town.POPULATION} analyst ada --cap {town.CAP} --yes",
                f"starling server findings {self.folder} airports",
            ],
        }
        names = ", ".join(USERS)
        texts = [
            f"A tour of five steps, in a browser: {url}{self.tour}, once, and later {url}/tour",
            f"In a browser: {url}/sign-in, as one of {names}, each by the password {self.password}",
            "Or try next, in another terminal:",
        ]
        for name, commands in lines.items():
            texts += [f"{name}, {USERS[name]}: {self.tokens[name]}", *commands]
        return "\n".join(texts)


@contextmanager
def temporary_home() -> Iterator[DemoHome]:
    """A home without data in a temporary folder, which is removed at the end of the block, with the key of its custodian."""
    _check_data()
    before = os.environ.get("STARLING_HOME")
    with TemporaryDirectory(prefix="starling-demo-") as folder:
        os.environ["STARLING_HOME"] = f"{folder}/custodian"
        try:
            yield _make_home(Path(folder))
        finally:
            del os.environ["STARLING_HOME"]
            if before is not None:
                os.environ["STARLING_HOME"] = before


def register_data(home: DemoHome, names: Sequence[str]) -> None:
    """Register data of a demo, in a process of its own: this one imports nothing that reads records.

    Raises:
        Exit: the process failed, and wrote the reason on standard error.
    """
    line = [sys.executable, "-c", "from starling.cli import main; main()", "server", "demo-data"]
    line += [str(home.folder), *names]
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as process:
        try:
            if code := process.wait():
                raise click.exceptions.Exit(code)
        finally:
            process.kill()


def _check_data() -> None:
    """Raises ParameterError where the packages of the public data are not installed."""
    from starling.cli.demo import airports, flights

    flights.data()
    airports.data()


def _make_home(folder: Path, ledger: str | None = None) -> DemoHome:
    from starling.ledger.opening import create_ledger
    from starling.privacy.sampling.entropy import fresh_bytes
    from starling.server.home import make_home
    from starling.server.passwords import hashed
    from starling.server.sandbox import make_sandbox
    from starling.server.settings import FILE
    from starling.server.tour import Tour, write_tour

    home = make_home(folder / "home", ledger=ledger)
    settings = home.folder / FILE
    # A free port: another server may listen at the usual one.
    settings.write_text(settings.read_text().replace(f"port = {home.settings.port}", "port = 0"))
    create_ledger(home.settings.ledger).close()
    make_sandbox(home)
    tokens, password = {}, fresh_bytes(8).hex()
    for name, role in USERS.items():
        home.access.add_user(name, role)
        home.access.set_password(name, hashed(password))
        tokens[name], _ = home.access.issue(name, days=DAYS)
    begin = f"/tour/{write_tour(home.folder, Tour(*TOUR), 'ada')}"
    return DemoHome(home.folder, home.key.public.fingerprint, tokens, password, home.settings.ledger, begin)


def _key_home() -> str:
    """What stands before a command of the custodian, where their key is not where it is looked for."""
    folder = os.environ.get("STARLING_HOME")
    return "" if folder is None else f"STARLING_HOME={folder} "


def _add_data(folder: Path, persons: int, deadline: int, names: Sequence[str]) -> None:
    """Register data at the home in a folder; the files lie beside it."""
    from starling.cli.progress import steps
    from starling.server.home import open_home

    home, parent = open_home(folder), folder.parent
    sources: dict[str, Callable[[], Registered]] = {
        **{name: partial(town.source, parent / name, name) for name in TOUR},
        "airports": lambda: _public(parent / "airports", "places"),
        "flights": lambda: _public(parent / "flights", "groups"),
        "nation": lambda: _nation(parent / "nation", persons),
        "study": lambda: _study(parent / "study"),
    }
    with steps() as step:
        for name in names:
            step(f"registering {name}")
            _register(home, name, sources[name](), deadline)


def _register(home: "Home", name: str, source: "Registered", deadline: int) -> None:
    """Everything that a custodian does with a delivery, for ada."""
    from starling.cli.serving_data import tell_missing
    from starling.privacy.budget import Epsilon
    from starling.release.domain import Asking
    from starling.worker.adding import Addition, add

    publication = source.open().publication
    cost = Epsilon(Fraction(EPSILON)) if isinstance(publication, Asking) else publication.guarantee.cost
    population, cap, granted = name, RELEASES * cost.amount, (RELEASES - 1) * cost.amount
    if name in TOUR:
        population, cap, granted = town.POPULATION, Fraction(town.CAP), Fraction(town.GRANTED)
    addition = Addition(name, source, population, cap, {"ada": granted}, deadline, DAYS)
    added = add(home, addition, lambda _: None, lambda _: None)
    if added.missing is not None:
        tell_missing(added.missing)


def _nation(folder: Path, persons: int) -> "Registered":
    from starling.tables.generate import generate
    from starling.tables.plan import Plan, shipped
    from starling.worker.sources import source_of

    folder.mkdir()
    plan = Path(shutil.copy(shipped()["demo"], folder / "plan.toml"))
    files = generate(Plan.load(plan), persons=persons, seed=SEED, out=folder / "invented")
    return source_of("tables", str(plan), {"persons": files.records, "geography": files.files["geography"]})


def _public(folder: Path, domain: str) -> "Registered":
    """Flights or airports, as a chapter of the demo writes them."""
    from starling.cli.demo import airports, flights
    from starling.worker.sources import source_of

    chapter = flights if domain == "groups" else airports
    chapter.write(folder, chapter.data())
    return source_of(domain, str(folder / "plan.toml"), {"records": folder / f"{folder.name}.parquet"})


def _study(folder: Path) -> "Registered":
    from starling.genome import generate
    from starling.worker.sources import source_of

    files = generate(people=PEOPLE, snps=SNPS, seed=SEED, out=folder, causal=CAUSAL)
    return source_of("genome", str(files.plan), {"genotypes": files.records})
