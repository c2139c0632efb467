"""What was made by a relative path means the same after the working folder has changed."""

import inspect
import tomllib
from collections.abc import Callable
from contextlib import closing
from dataclasses import fields
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final, is_typeddict

import pytest

import starling
from starling import genome, groups, places, tables
from starling.genome.source.genotypes import open_genotypes
from starling.ledger.opening import Ledger, create_ledger, open_ledger, read_ledger
from starling.planfile.values import toml_of
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.release.payment import PaymentOptions
from starling.release.zipped import zipped
from starling.server.home import make_home, open_home
from starling.tables.plan import read_regions
from starling.tables.source import open_records
from tests import four_domains
from tests.genome.worlds import QUESTIONS, a_study
from tests.groups import worlds
from tests.places.areas import worlds as area_worlds
from tests.places.flows import worlds as flow_worlds
from tests.places.trips import worlds as trip_worlds

Use = Callable[[], Any]
UNPAID: Final = PaymentOptions(unvalidated=True)
SEX: Final[dict[str, Any]] = {"by": ["sex"], "domains": {"sex": ["F", "M"]}, "epsilon": 1}
PLANS: Final[dict[str, Any]] = {
    "tables": tables.Plan,
    "groups": groups.Plan,
    "places": places.Plan,
    "genome": genome.Plan,
}
BY_AREA: Final[dict[str, Any]] = {
    "places.AreasPlan": places.AreasPlan,
    "places.FlowsPlan": places.FlowsPlan,
    "places.TripsPlan": places.TripsPlan,
}
KINDS: Final = {**PLANS, **BY_AREA}
"""Every kind of plan, by the folder of its world."""


def checked(path: Path) -> None:
    """A release that verifies there."""
    assert not starling.verify(path).findings


def records_of(domain: str) -> Path:
    return Path(domain, "study" if domain == "genome" else "records.csv")


def words_of(domain: str) -> dict[str, Any]:
    return {"question": QUESTIONS["num_sig"]} if domain == "genome" else {}


def published(domain: str) -> Use:
    found = four_domains.release(Path(), domain, "published")
    return lambda: checked(found.folder)


def released(domain: str) -> Use:
    plan = KINDS[domain].load(f"{domain}/plan.toml")
    found = plan.release(records_of(domain), out=f"{domain}/released", **words_of(domain))

    def use() -> None:
        checked(found.folder)
        assert all(found.table(name) is not None for name in found.names)

    return use


def loaded(domain: str) -> Use:
    """A plan, some public files of which are read again when it is released."""
    return released_later(KINDS[domain].load(f"{domain}/plan.toml"), domain, "loaded")


def stated(domain: str) -> Use:
    """The same of a plan that Python states; the folder of its files is the working folder's."""
    values = tomllib.loads(Path(domain, "plan.toml").read_text())
    return released_later(KINDS[domain].of(values, folder=domain), domain, "stated")


def planned_groups() -> Use:
    plan = groups.plan(
        "groups/regions.csv",
        ["land", "state", "county"],
        largest=4,
        kind="persons",
        register="groups/register.csv",
        groups=worlds.GROUPS,
        epsilon=1,
    )
    return released_later(plan, "groups", "planned")


def planned_study() -> Use:
    return released_later(genome.plan("genome/public.bim", a_study().people), "genome", "planned")


def released_later(plan: Any, domain: str, out: str) -> Use:
    here = Path.cwd()
    return lambda: plan.release(here / records_of(domain), out=here / domain / out, **words_of(domain))


def generated(domain: str) -> Use:
    plan = KINDS[domain].load(f"{domain}/plan.toml")
    result = plan.generate(f"{domain}/generated")
    values = result.values() if isinstance(result, dict) else [getattr(result, each.name) for each in fields(result)]

    def use() -> None:
        files = [path for path in values if isinstance(path, Path)]
        # Genotypes are named by the prefix of their three files.
        assert files
        assert all(path.exists() or path.with_suffix(".bed").exists() for path in files)

    return use


def opened_records(domain: str) -> Use:
    plan, path = PLANS[domain].load(f"{domain}/plan.toml"), records_of(domain)
    if domain == "tables":
        return partial(tables.validate, plan, read_regions(plan), open_records(path, plan))
    if domain == "genome":
        return partial(genome.validate, plan, open_genotypes(path, plan))
    room: Any = {"groups": groups, "places": places}[domain]
    return partial(room.validate, plan, room.open_records(path, plan))


def opened(path: str) -> Use:
    found = starling.open_release(path)

    def use() -> None:
        checked(found.folder)
        assert found.table(found.names[0]).num_rows

    return use


def exported() -> Use:
    found: Any = starling.open_release("tables/out")
    return found.export("wide.csv", "wide").read_bytes  # type: ignore[no-any-return]


def exported_list() -> Use:
    plan = genome.Plan.load("genome/plan.toml")
    genome.release(plan, QUESTIONS["snp_pval"], "genome/study", "genome/p-value", payment=UNPAID)
    found: Any = starling.open_release("genome/p-value")
    paths = found.export("list.assoc", "plink-assoc")
    return lambda: [path.read_bytes() for path in paths]


def connected_again(ledger: Ledger) -> Use:
    """A ledger that connects again, as it does in a process that is forked."""

    def use() -> None:
        ledger.close()
        ledger.reading.head()
        ledger.close()

    return use


def paying() -> Use:
    create_ledger("paying.sqlite").close()
    payment = PaymentOptions("sqlite:///paying.sqlite", "data")

    def use() -> None:
        with payment.opening() as ledger:
            assert ledger is not None

    return use


def in_session() -> Use:
    session = starling.session("tables/records.csv", epsilon=4)

    def use() -> None:
        with session:
            checked(session.count(**SEX).folder)

    return use


def in_paid_session() -> Use:
    with closing(create_ledger("session.sqlite")) as ledger:
        ledger.custody.add_population("people", "epsilon", ADD_REMOVE_PERSON, 4)
        ledger.custody.add_dataset("data", "people", {})
        ledger.custody.grant("people", "custodian", 4)
    session = starling.session("tables/records.csv", ledger="session.sqlite", dataset="data", folder="of-session")

    def use() -> None:
        with session:
            checked(session.count(**SEX).folder)

    return use


def study() -> Use:
    asked = genome.Study.open("genome/plan.toml", "genome/study", folder="answers", payment=UNPAID)
    return lambda: checked(asked.ask(QUESTIONS["num_sig"]).folder)


def explored() -> Use:
    found = genome.explore("genome/plan.toml", "genome/study", "genome/explored", epsilon="4", payment=UNPAID)
    return lambda: checked(found.folder)


def home() -> Use:
    make_home(Path("home"))
    found = open_home(Path("home"))
    return lambda: (found.key, found.access.add_user("ada", "analyst"))


MADE: Final[dict[str, Callable[[], Use]]] = {
    **{f"{domain}.release": partial(published, domain) for domain in PLANS},
    **{f"{domain}.Plan.release": partial(released, domain) for domain in PLANS},
    **{f"{domain}.Plan.load": partial(loaded, domain) for domain in PLANS},
    **{f"{domain}.Plan.generate": partial(generated, domain) for domain in PLANS},
    **{f"{kind}.release": partial(released, kind) for kind in BY_AREA},
    **{f"{kind}.load": partial(loaded, kind) for kind in BY_AREA},
    **{f"{kind}.generate": partial(generated, kind) for kind in BY_AREA},
    **{f"{kind}.of": partial(stated, kind) for kind in BY_AREA},
    "groups.Plan.of": partial(stated, "groups"),
    "groups.plan": planned_groups,
    "genome.plan": planned_study,
    **{f"{domain}.open_records": partial(opened_records, domain) for domain in PLANS},
    "open_release": partial(opened, "tables/out"),
    "open_release, a zip": partial(opened, "out.zip"),
    "TablesRelease.export": exported,
    "GenomeRelease.export": exported_list,
    "create_ledger": lambda: connected_again(create_ledger("created.sqlite")),
    "open_ledger": lambda: connected_again(open_ledger("ledger.sqlite")),
    "open_ledger, a URL": lambda: connected_again(open_ledger("sqlite:///ledger.sqlite")),
    "read_ledger": lambda: connected_again(read_ledger("ledger.sqlite")),
    "PaymentOptions": paying,
    "session": in_session,
    "session, of a ledger": in_paid_session,
    "genome.Study.open": study,
    "genome.explore": explored,
    "make_home": home,
}
"""Public entries that keep what a path names, or give it back: each makes something in one folder, and gives what uses it."""
AT_ONCE: Final = {
    "count",
    "verify",
    "tables.Plan.of",
    "tables.Plan.preview",
    "tables.Plan.save",
    "tables.Plan.validate",
    "tables.count",
    "tables.evaluate",
    "tables.generate",
    "tables.read_geography",
    "groups.Plan.save",
    "groups.Plan.validate",
    "places.AreasPlan.save",
    "places.AreasPlan.validate",
    "places.FlowsPlan.save",
    "places.FlowsPlan.validate",
    "places.TripsPlan.save",
    "places.TripsPlan.validate",
    "places.Plan.of",
    "places.Plan.save",
    "places.Plan.validate",
    "genome.Plan.of",
    "genome.Plan.save",
    "genome.Plan.validate",
    "genome.Study",
    "genome.generate",
}
"""Those that are done with their paths when they return; and a study, which `Study.open` makes."""
CLIENT: Final = {"Client.study", "Client.release", "Client.approved", "Client.ask", "Client.fetch"}
"""tests/client/test_studies.py has them."""


def write_by_area(folder: Path) -> None:
    """A plan and records of areas, of flows between areas, and of trips on a grid."""
    for kind, columns in (("places.AreasPlan", "x,y"), ("places.FlowsPlan", "a,b")):
        (folder / kind).mkdir()
        (folder / kind / "records.csv").write_text(f"{columns}\n1,1\n2,1\n")
    area_worlds.plan(folder / "places.AreasPlan")
    (folder / "places.AreasPlan" / "plan.toml").write_text(toml_of(area_worlds.values()))
    flow_worlds.plan(folder / "places.FlowsPlan")
    (folder / "places.TripsPlan").mkdir()
    (folder / "places.TripsPlan" / "records.csv").write_text(trip_worlds.RECORDS)
    trip_worlds.plan(folder / "places.TripsPlan")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan, records and a release of each domain, and a ledger."""
    with pytest.MonkeyPatch.context() as patch:
        folder = four_domains.write(tmp_path_factory.mktemp("world") / "of all")
        write_by_area(folder)
        patch.chdir(folder)
        zipped(four_domains.release(folder, "tables").folder, folder / "out.zip")
        create_ledger("ledger.sqlite").close()
    return folder


@pytest.mark.series(2)
@pytest.mark.parametrize("entry", MADE)
def test_it_means_the_same_in_another_folder(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    monkeypatch.chdir(world)
    use = MADE[entry]()
    monkeypatch.chdir(tmp_path)
    use()
    assert not [*tmp_path.iterdir()]


def test_a_ledger_keeps_the_folder_of_its_witness(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARLING_HOME", "keys")
    monkeypatch.chdir(world)
    with closing(create_ledger("witnessed.sqlite")) as ledger:
        monkeypatch.chdir(tmp_path)
        ledger.custody.add_population("people", "epsilon", ADD_REMOVE_PERSON, 1)
    assert not [*tmp_path.iterdir()]


def test_every_public_entry_with_a_path_is_tried() -> None:
    entries = set()
    for package in ("", *PLANS, "client"):
        room = import_module(f"starling.{package}".rstrip("."))
        for name in [each for each in room.__all__ if not is_typeddict(getattr(room, each))]:
            value, prefix = getattr(room, name), f"{package}.{name}".lstrip(".")
            parts = {} if not inspect.isclass(value) else {each: getattr(value, each) for each in dir(value)}
            public = {f"{prefix}.{each}": part for each, part in parts.items() if not each.startswith("_")}
            called = {
                entry: part for entry, part in public.items() if inspect.isfunction(part) or inspect.ismethod(part)
            }
            for entry, part in {prefix: value, **called}.items():
                parameters = inspect.signature(part).parameters.values()
                if any("Path" in str(parameter.annotation) for parameter in parameters):
                    entries.add(entry.replace("client.", ""))
    assert entries - AT_ONCE - CLIENT <= MADE.keys()
    assert entries >= AT_ONCE | CLIENT
