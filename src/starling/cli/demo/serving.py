"""A home with the demo's data, served at once: `starling server demo` makes it, and `starling serve --demo` serves one that it removes.

Made in a process of its own, since the web process imports nothing that reads records.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from starling.cli.commands import Result, command
from starling.cli.options import PATH

if TYPE_CHECKING:
    from starling.server.access import Role
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
RELEASES: Final = 3
"""How many releases of each dataset the cap covers; the analyst may charge one less."""


@command("demo", example="starling server demo shop")
@click.argument("folder", type=PATH)
@click.option("--persons", type=int, default=PERSONS, show_default=True, metavar="N", help="How many to invent.")
@click.option(
    "--deadline", type=int, default=DEADLINE, show_default=True, metavar="SECONDS", help="When answers leave."
)
def demo(folder: Path, *, persons: int, deadline: int) -> Result:
    """Make a home with the data of `starling demo`, its ledger, and a user of each role, in a new FOLDER.

    The data are invented or public: a nation, flights, airports, a case-control study.
    The ledger is made with your key, as `starling ledger create` does.
    """
    from starling.cli.demo import airports, flights, new_folder
    from starling.cli.progress import steps

    flights.data()
    airports.data()
    new_folder(folder)
    with steps() as step:
        made = _furnish(folder.absolute(), persons, deadline, step)
    return Result(made.text, made.json)


@dataclass(frozen=True, slots=True)
class Made:
    """A home that can be served.

    Attributes:
        home: Its folder.
        fingerprint: Of the server's key, which signs its releases.
        datasets: The names of what is registered.
        tokens: The tokens of the users, by their names.
    """

    home: Path
    fingerprint: str
    datasets: tuple[str, ...]
    tokens: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> "Made":
        """What `json` gave, as a text."""
        said = json.loads(text)
        return cls(Path(said["home"]), said["key"], tuple(said["datasets"]), said["tokens"])

    def json(self) -> dict[str, Any]:
        """All of it, for programs."""
        return {
            "home": str(self.home),
            "key": self.fingerprint,
            "datasets": list(self.datasets),
            "tokens": dict(self.tokens),
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
            "cleo": [f"starling server findings {self.home} airports"],
        }
        texts = ["Try next, in another terminal:"]
        for name, commands in lines.items():
            texts += [f"{name}, {USERS[name]}: {self.tokens[name]}", *commands]
        return "\n".join(texts)


@contextmanager
def made_for_now(step: Callable[[str], None]) -> Iterator[Made]:
    """A home in a temporary folder, which is removed at the end of the block, with the key of its custodian."""
    with TemporaryDirectory(prefix="starling-demo-") as folder:
        step("inventing people and genomes, and registering them with flights and airports")
        line = [sys.executable, "-c", "from starling.cli import main; main()", "server", "demo", f"{folder}/demo"]
        environment = os.environ | {"STARLING_HOME": f"{folder}/custodian"}
        done = subprocess.run([*line, "--json"], stdout=subprocess.PIPE, env=environment, check=False, text=True)
        if done.returncode:
            # It said on stderr why.
            raise click.exceptions.Exit(done.returncode)
        yield Made.parse(done.stdout)


def _furnish(folder: Path, persons: int, deadline: int, step: Callable[[str], None]) -> Made:
    from starling.ledger.opening import create_ledger
    from starling.server.home import make_home
    from starling.server.sandbox import make_sandbox
    from starling.server.settings import FILE

    home = make_home(folder / "home")
    settings = home.folder / FILE
    # A free port: a server of their own may listen at the usual one.
    settings.write_text(settings.read_text().replace(f"port = {home.settings.port}", "port = 0"))
    create_ledger(home.settings.ledger).close()
    make_sandbox(home)
    sources: dict[str, Callable[[], Registered]] = {
        "nation": lambda: _nation(folder / "nation", persons),
        "flights": lambda: _flights(folder / "flights"),
        "airports": lambda: _airports(folder / "airports"),
        "study": lambda: _study(folder / "study"),
    }
    tokens = {}
    for name, role in USERS.items():
        home.access.add_user(name, role)
        tokens[name], _ = home.access.issue(name, days=DAYS)
    for name, source in sources.items():
        step(f"registering {name}")
        _register(home, name, source(), deadline)
    return Made(home.folder, home.key.public.fingerprint, tuple(sources), tokens)


def _register(home: "Home", name: str, source: "Registered", deadline: int) -> None:
    """Everything that a custodian does with a delivery, for ada."""
    from starling.cli.serving_data import tell_missing
    from starling.privacy.budget import Epsilon
    from starling.release.domain import Asking
    from starling.worker.adding import Addition, add

    publication = source.open().publication
    cost = Epsilon(Fraction(EPSILON)) if isinstance(publication, Asking) else publication.guarantee.cost
    cap, granted = (each * cost.amount for each in (RELEASES, RELEASES - 1))
    wanted = Addition(name, source, name, cap, {"ada": granted}, deadline, DAYS)
    made = add(home, wanted, lambda _: None, lambda _: None)
    if made.missing is not None:
        tell_missing(made.missing)


def _nation(folder: Path, persons: int) -> "Registered":
    from starling.tables.generate import generate
    from starling.tables.plan import Plan, shipped
    from starling.worker.sources import source_of

    folder.mkdir()
    plan = Path(shutil.copy(shipped()["demo"], folder / "plan.toml"))
    made = generate(Plan.load(plan), persons=persons, seed=SEED, out=folder / "invented")
    return source_of("tables", str(plan), {"persons": made.persons, "geography": made.geography})


def _flights(folder: Path) -> "Registered":
    from starling.cli.demo import flights
    from starling.worker.sources import source_of

    flights.write(folder, flights.data())
    return source_of("groups", str(folder / "plan.toml"), {"records": folder / "flights.parquet"})


def _airports(folder: Path) -> "Registered":
    from starling.cli.demo import airports
    from starling.worker.sources import source_of

    airports.write(folder, airports.data())
    return source_of("places", str(folder / "plan.toml"), {"records": folder / "airports.parquet"})


def _study(folder: Path) -> "Registered":
    from starling.genome import generate
    from starling.worker.sources import source_of

    made = generate(people=PEOPLE, snps=SNPS, seed=SEED, out=folder, causal=CAUSAL)
    return source_of("genome", str(made.plan), {"genotypes": made.prefix})
