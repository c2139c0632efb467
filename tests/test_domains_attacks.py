"""Attack A17: run on a neighbour with what was drawn before, no release of any domain draws or publishes anything else, or costs more."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling import genome, groups, places, tables
from starling.places.plan import METHODS
from starling.privacy.budget import Measure
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.sampling import noise
from tests import four_domains
from tests.genome.studies import plan_of, write_bed
from tests.genome.worlds import QUESTIONS, a_study
from tests.groups import worlds as group_worlds
from tests.places import plans as grids
from tests.places.areas import worlds as areas
from tests.places.flows import worlds as flows
from tests.places.trips import worlds as trips
from tests.replaying import Tape

VISITS = "id,sex,age,needs\na,F,3,a\na,F,5,\nb,M,40,a;b\nc,F,0,b\nd,M,12,c\n"


@dataclass(frozen=True)
class Case:
    """A release, and neighbours of its records.

    Attributes:
        run: Publish records of this text, or of this number where they are binary, into a folder; the release.
        texts: The records first, then neighbours of them.
        budget: The most that one of them may cost, in `measure`.
    """

    run: Callable[[Path, Any], Any]
    texts: tuple[Any, ...]
    budget: Fraction
    measure: Measure = "epsilon"


def without_each(text: str, key: Callable[[str], str]) -> tuple[str, ...]:
    """The text, and the text without the lines of each of the first three people."""
    header, *lines = text.splitlines()
    people = [*dict.fromkeys(map(key, lines))][:3]
    return text, *("\n".join([header, *(line for line in lines if key(line) != each)]) + "\n" for each in people)


def of_file(
    plan: Callable[[Path], Any], text: str, budget: str, key: Callable[[str], str] = str, measure: Measure = "epsilon"
) -> Case:
    """A case whose records are one CSV file."""

    def run(folder: Path, records: str) -> Any:
        chosen = plan(folder)
        (folder / "records.csv").write_text(records)
        return chosen.release(folder / "records.csv", out=folder / "out")

    return Case(run, without_each(text, key), Fraction(budget), measure)


def first_field(line: str) -> str:
    return line.split(",", maxsplit=1)[0]


def last_field(line: str) -> str:
    return line.rsplit(",", maxsplit=1)[-1]


def custom_plan(folder: Path) -> tables.Plan:
    (folder / "plan.toml").write_text(four_domains.TABLES)
    return tables.Plan.load(folder / "plan.toml")


def visits_plan(measure: str) -> Callable[[Path], tables.Plan]:
    """Detail, sums and quantiles of both ways, of two records a person."""
    quantiles = {"of": "age", "groups": "sex", "shares": ["0.5"], "classes": [0, 10, 20, 30], "budget": "1"}
    values: dict[str, Any] = {
        "title": "Visits",
        "privacy": {"unit": "person", "neighbours": "add-remove", "measure": measure, "stage-1-share": "0.1"},
        "records": {"of-a-person": 2, "person": "id", "expected": 100},
        "columns": [
            {"name": "age", "from": 0, "to": 40},
            {"name": "sex", "values": ["F", "M"]},
            {"name": "needs", "values": ["a", "b", "c"], "separator": ";", "most": 2},
        ],
        "groups": [{"name": "sex", "columns": ["sex"]}, {"name": "needs", "columns": ["needs"]}],
        "detail": {"columns": ["age"], "steps": [{"age": [0, 20]}, {"age": [0, 10, 20, 30]}]},
        "publication": {"negative-counts": True},
        "levels": [{"groups": name, "budget": "1", "thresholds": [1, 3]} for name in ("sex", "needs")],
        "sums": [{"of": "age", "groups": "sex", "budget": "1"}],
        "quantiles": [quantiles, {**quantiles, "groups": "needs", "way": "selection"}],
    }
    return lambda _: tables.Plan.of(values)


def cross_plan(_: Path) -> tables.Plan:
    return tables.plan(["sex", "age"], {"sex": ["F", "M"], "age": range(41)}, rho="0.5", cross=2)


def groups_plan(folder: Path) -> groups.Plan:
    group_worlds.write_world(folder, "persons")
    return groups.Plan.load(folder / "plan.toml")


def grid_plan(method: str) -> Callable[[Path], places.Plan]:
    return lambda _: places.Plan.of(grids.values(grids.PERSON, grids.SLICED, {"method": {"name": method}}))


def areas_plan(folder: Path) -> places.AreasPlan:
    areas.plan(folder)
    return places.AreasPlan.of(areas.values(), folder=folder)


def flows_plan(folder: Path) -> places.FlowsPlan:
    flows.plan(folder, **flows.PERSON)
    return places.FlowsPlan.load(folder / "plan.toml")


def trips_plan(folder: Path) -> places.TripsPlan:
    trips.plan(folder, **trips.PERSON)
    return places.TripsPlan.load(folder / "plan.toml")


def of_study(question: Any) -> Case:
    """Of a study whose whole persons are protected: another phenotype and other genotypes of one of them."""

    def run(folder: Path, which: int | None) -> Any:
        study = a_study()
        if which is not None:
            copies = study.copies.copy()
            copies[:, which] = 2 - copies[:, which]
            phenotypes = [*study.phenotypes]
            phenotypes[which] = "1" if phenotypes[which] == "2" else "2"
            study = replace(study, copies=copies, phenotypes=tuple(phenotypes))
        write_bed(study, folder / "study")
        plan_of(a_study(), folder)
        return genome.Plan.load(folder / "plan.toml").release(folder / "study", question, out=folder / "out")

    return Case(run, (None, 0, 60, 150), question.epsilon)


def of_phenotypes(question: Any) -> Case:
    """Of a study whose phenotypes alone are protected: another one of one person."""

    def run(folder: Path, which: int | None) -> Any:
        invented = genome.generate(people=60, snps=20, seed=1, out=folder / "invented", populations=2)
        assert invented.plan is not None
        fam = Path(f"{invented.records}.fam")
        if which is not None:
            lines = fam.read_text().splitlines()
            words = lines[which].split()
            lines[which] = " ".join([*words[:-1], "1" if words[-1] == "2" else "2"])
            fam.write_text("\n".join(lines) + "\n")
        return genome.Plan.load(invented.plan).release(invented.records, question, out=folder / "out")

    return Case(run, (None, 0, 59), Fraction(question.epsilon))


ONE = Fraction(1)
CASES: dict[str, Case] = {
    "tables": of_file(custom_plan, "sex,age\nF,17\nM,20\nF,\n", "2"),
    "sums and quantiles, epsilon": of_file(visits_plan("epsilon"), VISITS, "5", first_field),
    "sums and quantiles, rho": of_file(visits_plan("rho"), VISITS, "5", first_field, "rho"),
    "cross tables": of_file(cross_plan, "sex,age\nF,17\nM,20\nF,\n", "1/2", measure="rho"),
    "groups": of_file(groups_plan, group_worlds.records(group_worlds.SIZES, "persons"), "1"),
    **{f"places, {name}": of_file(grid_plan(name), grids.RECORDS, "1", first_field) for name in METHODS},
    "areas": of_file(areas_plan, "x,y\n0.5,0.5\n1.5,1.5\n2.5,0.5\n9,9\n", "3"),
    "flows": of_file(flows_plan, flows.RECORDS, "1", last_field, "rho"),
    "trips": of_file(trips_plan, trips.RECORDS, "1", last_field),
    **{f"genome, {name}": of_study(question) for name, question in QUESTIONS.items()},
    "genome, scan": of_phenotypes(genome.Scan(ONE)),
    "genome, score": of_phenotypes(genome.LocSig("score", 1, ONE)),
    "genome, effects": of_phenotypes(genome.SnpEffects(("s1", "s2"), ONE, prevalence_epsilon=ONE / 10)),
}

WRONG = {
    "published exactly": "what is published depends on what no noise covers",
    "drawn by what was counted": "the second run draws otherwise",
    "twice as sensitive": "noise is too small",
}
"""What is said of a mechanism that is wrong in one of these ways."""
QUICK = ("areas",)
"""Of the default tier."""


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in CASES]
)
def test_attack_a17_nothing_but_noise_tells_neighbours_apart(name: str, tmp_path: Path) -> None:
    costs = compare_neighbours(CASES[name], tmp_path)
    assert costs[0] == 0 < max(costs), "a neighbour differs in something that is measured"


def compare_neighbours(case: Case, folder: Path) -> list[Fraction]:
    """Publish the records, and by the same tape the records again and each neighbour; what each of these cost."""
    first, *neighbours = case.texts
    tape, costs = Tape(case.measure), []
    # Modules are imported by then.
    case.run(new_folder(folder / "before"), first)
    with tape.stands_before_sampling():
        published = content(case.run(new_folder(folder / "first"), first))
        for at, records in enumerate([first, *neighbours]):
            tape.rewind()
            again = content(case.run(new_folder(folder / str(at)), records))
            tape.end()
            assert again == published, "what is published depends on what no noise covers"
            assert tape.cost <= case.budget, "noise is too small for what a neighbour changes"
            costs.append(tape.cost)
    assert tape.calls
    return costs


@pytest.mark.parametrize("mutant", ["published exactly", "drawn by what was counted", "twice as sensitive"])
def test_attack_a17_is_found_where_it_succeeds(mutant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add = Tape.add

    def wrong(tape: Tape, counts: Any, drawn: Any) -> Any:
        if mutant == "published exactly":
            return np.where(counts > 0, counts, add(tape, counts, drawn))
        if mutant == "twice as sensitive":
            return add(tape, 2 * counts, drawn)
        tape.noise("draw", noise.draw, (DiscreteLaplace(ONE), int(counts.sum())), {})
        return add(tape, counts, drawn)

    monkeypatch.setattr(Tape, "add", wrong)
    with pytest.raises(AssertionError, match=WRONG[mutant]):
        compare_neighbours(CASES["areas"], tmp_path)


def new_folder(path: Path) -> Path:
    path.mkdir()
    return path


def content(release: Any) -> dict[str, bytes | dict[str, Any]]:
    """What is published, but for what names the charge: the signed list of files, the pages, the ledger and the account."""
    files = {
        str(path.relative_to(release.path)): path.read_bytes() for path in release.path.rglob("*") if path.is_file()
    }
    named = ("SIGNATURE", "datapackage.json", "report.html", "ledger.sqlite", "privacy.json")
    statement = json.loads(files["privacy.json"])
    del statement["account"]
    return {name: value for name, value in files.items() if name not in named} | {"privacy.json": statement}
