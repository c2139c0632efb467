"""A response that is scanned again: charged once, drawn once, kept encrypted and in no release, and read instead of phenotypes."""

import signal
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starling
from starling.errors import IntegrityError, ParameterError, PolicyRefused, RunFailed, SourceError, StarlingError
from starling.genome.artifact.files import read_drawn
from starling.genome.counts.responses import read_stored
from starling.genome.counts.scan import read_scores
from starling.genome.measurements import Scanned, SnpScores
from starling.genome.mechanism import scan as mechanism
from starling.genome.plan import Plan, Scan
from starling.genome.publish import Answered, release
from starling.genome.source import open_genotypes
from starling.genome.source.people import People
from starling.ledger import keys
from starling.ledger.opening import Ledger, create_ledger
from starling.ledger.responses import find
from starling.ledger.rules import UNIT
from starling.privacy.neighbours import REPLACE_PHENOTYPE
from starling.release.payment import PaymentOptions
from starling.release.responses import Vault
from tests.forking import run
from tests.genome.dying_scan import POINTS, scan
from tests.genome.studies import Study, write_bed
from tests.genome.worlds import a_study

TWO = Fraction(2)
SNPS = 8


@dataclass(frozen=True)
class World:
    """A study whose phenotypes are protected, two plans of it, and a ledger with epsilon 5."""

    folder: Path
    ledger: Ledger

    @property
    def url(self) -> str:
        return f"sqlite:///{self.folder / 'ledger.sqlite'}"

    def plan(self, name: str = "first") -> Plan:
        return Plan.load(self.folder / f"{name}.toml")

    def ask(self, out: str, plan: Plan, question: Scan, prefix: str = "study", **files: Any) -> Answered:
        payment = PaymentOptions(self.ledger, "study", "ann", unvalidated=True)
        return release(plan, question, self.folder / prefix, self.folder / out, payment=payment, **files)

    def spent(self) -> int:
        return self.ledger.reading.account("people").caps[0].spent // UNIT

    def kinds(self) -> list[str]:
        return [event.kind for event in self.ledger.reading.events()]

    def stored(self) -> list[Path]:
        return sorted((keys.folder() / "responses").glob("*"))

    def response(self, charge: int) -> bytes:
        return Vault(self.ledger.book).read(find(self.ledger.charging.responses("study"), charge))


def plans(study: Study, folder: Path) -> None:
    """The additive model, and the dominant one of fewer SNPs with a component."""
    rows = list(zip(study.ids, study.places, study.alleles, strict=True))
    for name, model, components, chosen in (("first", "additive", 0, rows), ("second", "dominant", 1, rows[2:])):
        listed = Plan.snp_list([(snp, *place, *alleles) for snp, place, alleles in chosen])
        values: dict[str, Any] = {
            "title": name,
            "privacy": {"unit": "phenotype", "neighbours": "replace-one"},
            "study": {"people": study.people},
            "snps": listed,
            "analysis": {"model": model, "tests": ["score"]} | ({"components": components} if components else {}),
        }
        Plan.of(values).save(folder / f"{name}.toml")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    study = a_study()
    write_bed(study, tmp_path / "study")
    plans(study, tmp_path)
    ledger = create_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    ledger.custody.add_population("people", "epsilon", REPLACE_PHENOTYPE, 5)
    ledger.custody.add_dataset("study", "people", {})
    ledger.custody.grant("people", "ann", 5)
    return World(tmp_path, ledger)


def charge_of(answered: Answered) -> int:
    assert answered.receipt is not None
    assert answered.receipt.entry is not None
    return answered.receipt.entry.position


def drawn_of(answered: Answered) -> Scanned:
    drawn = read_drawn(answered.folder, answered.question)
    assert isinstance(drawn, Scanned)
    return drawn


def values_of(tests: SnpScores) -> list[list[float]]:
    return [np.atleast_1d(np.asarray(each, dtype=np.float64)).tolist() for each in tests]


@pytest.mark.slow
def test_other_plans_scan_the_same_response_at_no_cost(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    first = world.ask("one", world.plan(), Scan(TWO))
    charge = charge_of(first)
    assert f"--epsilon 2 --response {charge}" in str(first)
    genotypes = open_genotypes(world.folder / "study", world.plan("second"))
    response = read_stored(world.plan("second"), genotypes.people, world.response(charge)).answers
    assert response.sum() == drawn_of(first).ones
    # Whatever the file of people says of phenotypes now, nobody reads it.
    text = (world.folder / "study.fam").read_text()
    (world.folder / "study.fam").write_text("".join(f"{line[:-1]}1\n" for line in text.splitlines()))
    monkeypatch.setattr(People, "cases", None)
    monkeypatch.setattr(mechanism, "randomized_response", None)
    again = world.ask("two", world.plan("second"), Scan(TWO, charge))
    expected = read_scores(world.plan("second"), genotypes, response.astype(np.float64))
    assert values_of(drawn_of(again).tests) == values_of(expected)
    assert drawn_of(again).ones == drawn_of(first).ones
    assert (world.spent(), len(world.stored())) == (2, 1)
    assert f"nothing: event {charge} paid epsilon 2" in str(again)
    report = " ".join((again.folder / "report.html").read_text().split())
    assert f"this scan reads the response that event {charge} of the ledger paid for" in report
    # Asked again it is the same release, and no event.
    before = world.kinds()
    assert world.ask("two", world.plan("second"), Scan(TWO, charge)).receipt is None
    assert world.kinds() == before
    for folder in (first.folder, again.folder):
        assert not starling.verify(folder, ledger=world.url).findings
    world.ledger.reading.verify()


def test_the_response_is_encrypted_and_in_no_release(world: World) -> None:
    charge = charge_of(world.ask("one", world.plan(), Scan(TWO)))
    world.ask("two", world.plan("second"), Scan(TWO, charge))
    content = world.response(charge)
    bits = content[content.index(b"\n", 32) + 1 :]
    assert len(bits) == 25
    response = np.unpackbits(np.frombuffer(bits, dtype=np.uint8))
    forms = (bits, np.packbits(response, bitorder="little").tobytes(), response.tobytes(), content[:32])
    seen = [path for path in world.folder.rglob("*") if path.is_file()]
    assert {world.folder / "one" / "report.html", world.folder / "ledger.sqlite", *world.stored()} <= {*seen}
    for path in seen:
        read = path.read_bytes()
        assert all(each not in read for each in forms), path
    # Who has the ledger and the file, and not the custodian's key, opens nothing.
    paid = find(world.ledger.charging.responses("study"), charge)
    book = world.ledger.book
    stranger = Vault(type("Book", (), {"id": book.id, "witness": book.witness, "key": keys.Key(bytes(32))})())
    with pytest.raises(IntegrityError):
        stranger.read(paid)


def lost(world: World) -> None:
    world.stored()[0].unlink()


def altered(world: World) -> None:
    path = world.stored()[0]
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("harm", [lost, altered])
def test_a_lost_or_altered_response_is_refused_before_anything(harm: Callable[[World], None], world: World) -> None:
    charge = charge_of(world.ask("one", world.plan(), Scan(TWO)))
    harm(world)
    before = world.kinds()
    with pytest.raises(IntegrityError, match=rf"response of event {charge} is not here as it was drawn"):
        world.ask("two", world.plan("second"), Scan(TWO, charge))
    assert (world.kinds(), (world.folder / "two").exists()) == (before, False)
    assert charge_of(world.ask("two", world.plan("second"), Scan(TWO))) != charge
    assert (world.spent(), len(world.stored())) == (4, 2 - (harm is lost))


def test_other_people_or_another_phenotype_are_refused_before_anything(world: World) -> None:
    charge = charge_of(world.ask("one", world.plan(), Scan(TWO)))
    lines = (world.folder / "study.fam").read_text().splitlines(keepends=True)
    for ending in ("bed", "bim"):
        (world.folder / f"turned.{ending}").write_bytes((world.folder / f"study.{ending}").read_bytes())
    (world.folder / "turned.fam").write_text("".join(lines[::-1]))
    (world.folder / "other.phe").write_text("".join(line.rsplit(maxsplit=4)[0] + " 1\n" for line in lines))
    (world.folder / "named.phe").write_text("IID height\n" + "".join(f"{line.split()[1]} 1\n" for line in lines))
    plan, question, before = world.plan(), Scan(TWO, charge), world.kinds()
    refused: list[tuple[Plan, str, dict[str, Path], str]] = [
        (plan, "turned", {}, "is of other people, or of these in another order"),
        (replace(plan, case="yes"), "study", {}, r'says {"case": "2"} of a case, and it says {"case": "yes"} now'),
        (replace(plan, above=Fraction(3)), "study", {}, r'and it says {"above": "3"} now'),
        (plan, "study", {"phenotype": world.folder / "other.phe"}, "and 'other.phe' is given"),
        (
            plan,
            "study",
            {"phenotype": world.folder / "named.phe"},
            "is of the column None of phenotypes, and 'height' is given",
        ),
    ]
    for other, prefix, files, problem in refused:
        with pytest.raises(SourceError, match=problem):
            world.ask("two", other, question, prefix, **files)
    wrong: list[tuple[Scan, type[StarlingError]]] = [
        (Scan(Fraction(1), charge), PolicyRefused),
        (Scan(TWO, charge + 1), PolicyRefused),
        (Scan(TWO, 0), ParameterError),
    ]
    for asked, kind in wrong:
        with pytest.raises(kind):
            world.ask("two", plan, asked)
    with pytest.raises(ParameterError, match="response is kept by the charge of a ledger, and none is named"):
        release(plan, question, world.folder / "study", world.folder / "two", payment=PaymentOptions(unvalidated=True))
    assert (world.kinds(), (world.folder / "two").exists()) == (before, False)


def test_a_scan_without_a_lasting_ledger_keeps_nothing(world: World) -> None:
    alone = release(
        world.plan(),
        Scan(TWO),
        world.folder / "study",
        world.folder / "alone",
        payment=PaymentOptions(unvalidated=True),
    )
    assert world.stored() == []
    assert "--response" not in str(alone)


def test_a_scan_of_a_kept_response_has_no_phenotype_to_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    charge = charge_of(world.ask("one", world.plan(), Scan(TWO)))
    # The mutant: the mechanism of a first scan in the place of that of a further one.
    monkeypatch.setattr("starling.genome.mechanism.explore.StoredScanMechanism", mechanism.ScanMechanism)
    with pytest.raises(RunFailed):
        world.ask("two", world.plan("second"), Scan(TWO, charge))


@pytest.mark.series(2)
@pytest.mark.parametrize(
    ("point", "which"),
    [
        ("before the draw is committed to", "first"),
        ("after the draw is committed to", "second"),
        *((point, which) for which in ("first", "second") for point in POINTS),
    ],
)
def test_scans_killed_anywhere_have_one_response(point: str, which: str, world: World) -> None:
    """The first scan, or a further one; a response that a killed run kept, and that was not committed to, is removed."""
    charge = charge_of(world.ask("one", world.plan(), Scan(TWO))) if which == "second" else None
    (world.folder / "published").mkdir()
    request = world.url, world.folder / f"{which}.toml", world.folder / "study", world.folder / "published" / "out"
    done = run("tests.genome.dying_scan:main", *request, charge or 0, point)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert world.spent() == (0 if point == "before the charge" and which == "first" else 2)
    scan(*request, charge)
    answered = scan(*request, charge)
    assert (answered.receipt, world.spent(), len(world.stored())) == (None, 2, 1)
    paid = world.ledger.charging.responses("study")
    assert len(paid) == 1
    other = "second" if which == "first" else "first"
    again = world.ask("three", world.plan(other), Scan(TWO, paid[0].charge))
    assert drawn_of(again).ones == drawn_of(answered).ones
    assert (world.kinds().count("drawn"), world.spent()) == (2 if which == "first" else 3, 2)
    world.ledger.reading.verify()
