"""A further scan is refused when it is asked, wherever what is public decides: not by the worker, and whatever the records are."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from starling import genome
from starling.client import Client
from starling.errors import ParameterError, PolicyRefused, StarlingError
from starling.genome.plan import Plan, Scan
from starling.genome.publish import release
from starling.ledger.opening import create_ledger, open_ledger
from starling.privacy.neighbours import REPLACE_PHENOTYPE
from starling.release.payment import PaymentOptions
from starling.server.home import make_home
from starling.worker.findings import Inspections
from starling.worker.sources import Sources, source_of
from tests.client.conftest import DEADLINE, Site
from tests.genome.studies import Study, a_study, write_bed
from tests.server.in_process import Here

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

PEOPLE = 20
SCAN: dict[str, Any] = {"kind": "scan", "epsilon": "2"}
OTHERS = {
    "fewer": "people",
    "named": "people",
    "ends": "people",
    "ordered": "people",
    "column": "people",
    "elsewhere": "strangers",
}
"""Studies beside `study` and `asked`, which are alike, each with its population."""


def plan_of(study: Study, name: str) -> Plan:
    listed = [
        (snp, *place, *alleles) for snp, place, alleles in zip(study.ids, study.places, study.alleles, strict=True)
    ]
    between = ("15", "50" if name == "ends" else "45")
    named = "weight" if name == "named" else None
    return genome.plan(listed, people=study.people, unit="phenotype", between=between, phenotype=named)


def save(folder: Path, name: str) -> tuple[Plan, Path, Path]:
    """The plan of a study, its genotypes and its phenotypes."""
    study = a_study(snps=4, people=PEOPLE - (name == "fewer"), seed=1)
    (into := folder / name).mkdir()
    prefix = write_bed(study, into / "study")
    if name == "ordered":
        fam = Path(f"{prefix}.fam")
        fam.write_text("".join(reversed(fam.read_text().splitlines(keepends=True))))
    ids = [line.split()[:2] for line in Path(f"{prefix}.fam").read_text().splitlines()]
    rows = "".join(f"{family} {person} {20 + at}\n" for at, (family, person) in enumerate(ids))
    column = {"named": "weight", "column": "height"}.get(name, "bmi")
    (into / "trait.txt").write_text(f"FID IID {column}\n" + rows)
    plan = plan_of(study, name)
    plan.save(into / "plan.toml")
    return plan, prefix, into / "trait.txt"


@pytest.fixture
def scans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server with studies of two populations, on which ada may spend an epsilon of 8; one of them asks first."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "keys"))
    home = make_home(tmp_path / "served")
    create_ledger(home.settings.ledger).close()
    with closing(open_ledger(home.settings.ledger)) as ledger:
        for population in ("people", "strangers"):
            ledger.custody.add_population(population, "epsilon", REPLACE_PHENOTYPE, 20)
            ledger.custody.grant(population, "ada", 8)
            ledger.custody.grant(population, "custodian", 8)
        for name, population in {"study": "people", "asked": "people", **OTHERS}.items():
            _, prefix, phenotypes = save(tmp_path, name)
            source = source_of(
                "genome", str(tmp_path / name / "plan.toml"), {"genotypes": prefix, "phenotype": phenotypes}
            )
            Sources(home).register(name, source, deadline=DEADLINE, preview=())
            ledger.custody.add_dataset(name, population, {}, 15)
            ledger.custody.delegate(name, home.key.public, days=1)
            ledger.custody.accept(name, Inspections(home).token(Sources(home).open(name)))
        ledger.custody.set_terms("asked", ask_first=True)
    home.access.add_user("ada", "analyst")
    with closing(Here()) as understanding:
        yield Site(home, understanding)


def told(ask: Callable[[], object]) -> str:
    """What is refused, of the field `response` alone."""
    with pytest.raises(StarlingError) as refused:
        ask()
    assert isinstance(refused.value, ParameterError | PolicyRefused)
    ((field, text),) = [(each.field, f"{each.problem}; {each.fix}") for each in refused.value.problems]
    assert field == "response"
    return text


def told_everywhere(client: Client, dataset: str, question: Mapping[str, Any]) -> str:
    """The same words by a preview, a charge and, where a dataset asks first, a request for approval."""
    ways: list[Callable[[], object]] = [lambda: client.preview(dataset, question)]
    if dataset == "asked":
        ways.append(lambda: client.request(dataset, "why", question=question))
    else:
        ways.append(lambda: client.charge(dataset, question=question))
    (words,) = {told(each) for each in ways}
    return words


@pytest.mark.slow
def test_what_is_public_of_a_response_decides_when_it_is_asked_for(scans: Site, tmp_path: Path) -> None:
    with closing(open_ledger(scans.home.settings.ledger)) as ledger:
        plan, prefix, phenotypes = (
            Plan.load(tmp_path / "study" / "plan.toml"),
            tmp_path / "study/study",
            tmp_path / "study/trait.txt",
        )
        payment = PaymentOptions(ledger, "study", "custodian", unvalidated=True)
        release(plan, Scan(2, intervals=5), prefix, tmp_path / "own", phenotype=phenotypes, payment=payment)  # type: ignore[arg-type]
        own = next(event.seq for event in ledger.reading.events() if event.kind == "charge")
    with scans.client() as client:
        counted = client.charge("study", question={"kind": "num_sig", "epsilon": "1"}).id
        paid = client.charge("study", question=SCAN | {"intervals": 5}).id
        further, none = SCAN | {"intervals": 5, "response": paid}, "paid for none that was kept of these people; "
        # Whether the run is done is not told before its release leaves: neither of the response, nor beside another.
        early = [told_everywhere(client, "study", further | {"response": seq}) for seq in (paid, 1)]
        scans.sleep(0)
        assert [told_everywhere(client, "study", further | {"response": seq}) for seq in (paid, 1)] == early
        assert (
            early[0]
            == f"is that of event {paid}, whose release has not left yet; ask again once it has: GET /v1/releases/{paid}"
        )
        assert early[1] == f"names event 1, which {none}leave it out: a new response is drawn and charged"
        scans.sleep(100)
        charges = scans.charges()
        not_kept = "which has not kept its response; ask where it was charged, or leave it out: a new response is drawn"
        new = ", or leave it out: a new response is drawn and charged"
        there = f"{none}name one that did: {paid} (epsilon 2)"
        for dataset, changed, words in (
            ("study", {"response": 1}, f"names event 1, which {there}"),
            ("study", {"response": 999}, f"names event 999, which {there}"),
            ("study", {"response": counted}, f"names event {counted}, which {there}"),
            ("study", {"response": own}, f"names event {own}, a charge that was not made by this server, {not_kept}"),
            ("study", {"epsilon": "1"}, f"of event {paid} was drawn at epsilon 2, and another cost is stated; state epsilon 2"),
            ("study", {"intervals": 3}, "was drawn of 5 intervals of the phenotype, and 3 are asked for; name 5 intervals" + new),
            ("asked", {"intervals": 2}, "was drawn of 5 intervals of the phenotype, and 2 are asked for; name 5 intervals" + new),
            ("fewer", {}, "is of other people, or of these in another order; give the study that it was drawn of" + new),
            ("named", {}, "is of the phenotype None, and the plan names 'weight'; correct phenotype in the plan" + new),
            ("ordered", {}, "is of other people, or of these in another order; give the study that it was drawn of" + new),
            ("column", {}, "is of another column of phenotypes; give the study that it was drawn of" + new),
            ("elsewhere", {}, f"names event {paid}, which {none}leave it out: a new response is drawn and charged"),
        ):  # fmt: skip
            assert told_everywhere(client, dataset, further | changed) == words
        assert "was drawn where the plan says" in told_everywhere(client, "ends", further)
        assert scans.charges() == charges
        assert client.preview("asked", further).amount == "0"
        client.request("asked", "why", question=further)
        again = client.charge("study", question=further, request_id="again")
        scans.sleep(100)
        assert client.progress(again.id).state == "released"
        assert client.preview("study", further).release == again.id
        assert client.charge("study", question=further, request_id="again").id == again.id
        assert "names event" in told_everywhere(client, "study", further | {"response": again.id})
