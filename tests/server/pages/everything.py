"""One server with a dataset of each domain, in whose every name, title, purpose, region, slice, SNP and reason stands what must stay text.

It has a release of each domain, one that waits, requests that wait, were approved and were declined, data that are retired, and users of
each role and one that was revoked.
"""

import csv
import io
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest

from starling.ledger.opening import create_ledger, open_ledger
from starling.planfile.values import toml_of
from starling.server import passwords
from starling.server.access_rows import Role
from starling.server.datasets import Dataset
from starling.server.home import make_home
from starling.server.purposes import Purpose
from starling.server.rates import Rates
from starling.worker.findings import Inspections
from starling.worker.sources import Sources, source_of
from starling.worker.standing_in import stand_in
from tests.client.conftest import DEADLINE, URL, Site
from tests.genome.studies import plan_of, write_bed
from tests.genome.worlds import a_study
from tests.groups import worlds
from tests.places import plans
from tests.server.conftest import CHEAP
from tests.server.in_process import Here
from tests.server.pages.browsing import Browser
from tests.server.pages.crawling import Crawl, crawl_each
from tests.worker.previews import preview_of

PASSWORD: Final = "correct horse battery"
USERS: Final[dict[str, Role]] = {"ada": "analyst", "bob": "analyst", "carl": "custodian", "otto": "auditor"}
REVOKED: Final = "bob"


UNSEEN: Final = "\u202e\u2066\x1b[2J\x00\u200f"
"""Letters that nobody sees, and that turn or hide others."""


def hostile(field: str) -> str:
    """What stands in a field, and would be an element, an attribute, a template or an entity where it is not escaped."""
    return f"a\"'><script>{field}</script>&amp;{{{{7*7}}}}"


def _rows(*rows: tuple[object, ...]) -> str:
    """Rows of CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _tables(folder: Path) -> dict[str, Path]:
    sexes, (state, *areas) = [hostile("sex-a"), hostile("sex-b")], map(hostile, ("state", "area-a", "area-b"))
    values: dict[str, Any] = {
        "title": hostile("tables-title"),
        "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "epsilon", "stage-1-share": "0.1"},
        "records": {"of-a-person": 1, "expected": 1000},
        "columns": [{"name": "sex", "values": sexes}, {"name": "age", "from": 0, "to": 110}],
        "regions": {"column": "area", "levels": ["state", "area"], "rows": [[area, state] for area in areas]},
        "groups": [{"name": hostile("family"), "columns": []}],
        "detail": {"columns": ["sex", "age"], "steps": [{"sex": True}, {"sex": True, "age": [0, 18, 65]}]},
        "publication": {"negative-counts": True},
        "levels": [
            {"regions": level, "groups": hostile("family"), "budget": "1", "thresholds": [5, 10]}
            for level in ("state", "area")
        ],
    }
    (folder / "plan.toml").write_text(toml_of(values))
    rows = [(sexes[at % 2], at % 90, areas[at % 3 % 2]) for at in range(300)]
    (folder / "records.csv").write_text(_rows(("sex", "age", "area"), *rows))
    return {"persons": folder / "records.csv"}


def _groups(folder: Path) -> dict[str, Path]:
    records = worlds.write_world(folder)
    names = {name: hostile(name) for name in ("land", "east", "west", "e1", "e2", "w1")}
    for path in (folder / "regions.csv", records):
        head, *rows = csv.reader(path.read_text().splitlines())
        path.write_text(_rows(tuple(head), *(tuple(names.get(each, each) for each in row) for row in rows)))
    plan = folder / "plan.toml"
    plan.write_text(
        plan.read_text()
        .replace('"Households by size"', json.dumps(hostile("groups-title")))
        .replace('"household"', json.dumps(hostile("household")))
        .replace('member = "person"', f"member = {json.dumps(hostile('member'))}")
    )
    return {"records": records}


def _places(folder: Path) -> dict[str, Path]:
    slices = {"slices": {"names": [hostile("slice-a"), hostile("slice-b")]}}
    # Around most of the records: of the whole box, H3 has 25,848 cells.
    names = {"title": hostile("places-title"), "point": hostile("point"), "grid": {"box": ["0.4", "1.4", "0.8", "1.6"]}}
    return {"records": plans.write_world(folder, plans.PERSON, plans.SLICED, slices, names)}


def _genome(folder: Path) -> dict[str, Path]:
    study = a_study()
    plan_of(study, folder)
    plan_file = folder / "plan.toml"
    plan_file.write_text(plan_file.read_text().replace('"Small"', json.dumps(hostile("genome-title"))))
    prefix = write_bed(study, folder / "study")
    for path in (Path(f"{prefix}.bim"), folder / "public.bim"):
        path.write_text(path.read_text().replace("rs1\t", f"{hostile('rs1')}\t"))
    return {"genotypes": prefix}


WRITERS: Final[dict[str, Callable[[Path], dict[str, Path]]]] = {
    "tables": _tables,
    "groups": _groups,
    "places": _places,
    "genome": _genome,
}
"""Of each domain what writes a plan and its records into a folder."""
QUESTION: Final = {"kind": "num_sig", "k": 3, "epsilon": "0.25"}
DATASETS: Final = {**{name: name for name in WRITERS}, "first": "genome", "fresh": "groups", "gone": "places"}
"""Of which domain each dataset is: one of each, of which there is a release; one that asks first, one not asked yet, one retired."""


@contextmanager
def everything(folder: Path) -> Iterator[Site]:
    """The server, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STARLING_HOME", str(folder / "keys"))
        patch.setattr(passwords, "_HASHER", CHEAP)
        patch.setattr(Rates, "take", lambda *_: None)
        home = make_home(folder / "served")
        create_ledger(home.settings.ledger).close()
        sources = Sources(home)
        with closing(open_ledger(home.settings.ledger)) as ledger:
            for name, domain in DATASETS.items():
                here = folder / name
                here.mkdir()
                files = WRITERS[domain](here)
                purpose = Purpose(hostile(f"{name}-purpose"), ("DUO:0000042",))
                source = source_of(domain, str(here / "plan.toml"), files)
                entry = sources.register(name, source, deadline=DEADLINE, purpose=purpose, preview=preview_of(source))
                cost = entry.guarantee.cost if isinstance(entry, Dataset) else None
                amount = Fraction(1) if cost is None else cost.amount
                ledger.custody.add_population(
                    f"people-{name}", "epsilon" if cost is None else cost.measure, entry.relation, 10 * amount
                )
                ledger.custody.add_dataset(name, f"people-{name}", {}, 5 * amount)
                ledger.custody.grant(f"people-{name}", "ada", 3 * amount)
                ledger.custody.delegate(name, home.key.public, days=1)
                ledger.custody.accept(name, Inspections(home).token(sources.open(name)))
            ledger.custody.set_terms("first", ask_first=True, reserve=1)
            ledger.custody.retire("dataset", "gone")
            for name, role in USERS.items():
                home.access.add_user(name, role)
                home.access.set_password(name, passwords.hashed(PASSWORD))
            for name in ("genome", "fresh"):
                assert stand_in(home, name) is None
            with closing(Here()) as understanding:
                site = Site(home, understanding)
                _live(site)
                waiting = home.requests.find(1)
                home.requests.decide(
                    waiting,
                    "approved",
                    hostile("approval") + UNSEEN,
                    lambda: ledger.custody.approve(waiting.request, waiting.guarantee, days=30),
                )
                home.requests.decide(home.requests.find(2), "declined", hostile("decline") + UNSEEN, lambda: None)
                yield site


def _live(site: Site) -> None:
    """What ada asked: what is released, what waits, and what a custodian has to decide."""
    with site.client() as client:
        for name in ("tables", "groups", "places"):
            client.charge(name)
        answer = client.charge("genome", question=QUESTION)
        client.wait(answer)
        client.wait(
            client.charge(
                "genome", question={"kind": "snp_pval", "snp": hostile("rs1"), "test": "g", "epsilon": "0.25"}
            )
        )
        client.charge("genome", question=QUESTION | {"k": 2})
        for number in (1, 2, 3):
            client.request("first", f"{hostile(f'reason-{number}')}{UNSEEN}", question=QUESTION | {"k": number})
    with site.client(url=f"{URL}/sandbox") as client:
        client.wait(client.charge("fresh"))


@dataclass(frozen=True)
class Crawled:
    """What files of tests share: the server, a browser of each role and without one, and every page that each is led to.

    Of the revoked user the session has ended.
    """

    site: Site
    browsers: dict[str, Browser]
    crawls: dict[str, Crawl]


_SHARED = ExitStack()
_made: list[Crawled] = []


def crawled(folder: Path) -> Crawled:
    """Made by the first file that asks, in this folder: to make and crawl it takes longer than most of what is looked at."""
    if not _made:
        site = _SHARED.enter_context(everything(folder))
        browsers = {"anonymous": Browser(site.carrier._app)} | {name: signed_in(site, name) for name in USERS}
        site.home.access.set_password(REVOKED, None)
        app: Any = site.carrier._app
        # Addresses to which no link leads a user who is signed in are opened, too.
        _made.append(Crawled(site, browsers, crawl_each(browsers, app._app, "/")))
    return _made[0]


def end_crawled() -> None:
    """End the server that files share."""
    _made.clear()
    _SHARED.close()


def signed_in(site: Site, name: str) -> Browser:
    """A browser in which this user of it is signed in."""
    browser = Browser(site.carrier._app)
    browser.open("/sign-in")
    browser.sign_in(name, PASSWORD)
    return browser
