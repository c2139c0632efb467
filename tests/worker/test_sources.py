"""Where records lie is kept apart from what is public, and a source that is not what was registered is refused."""

from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from starling.errors import IntegrityError, ParameterError, PlanError, PolicyRefused, SourceError
from starling.ledger.opening import Ledger
from starling.privacy.budget import Measure
from starling.privacy.neighbours import Change, Relation, Unit
from starling.release.domain import Asking
from starling.server.datasets import Catalogue
from starling.server.home import Home
from starling.worker.sources import Registered, Sources, source_of
from tests.worker.studies import write_study


def test_the_web_process_is_told_no_path(registered: Home, groups: Registered) -> None:
    assert Sources(registered).find("data") == groups
    assert Sources(registered).names() == ["data"]
    public = (registered.folder / "datasets" / "data.json").read_text()
    assert str(groups.files["records"]) not in public
    assert "records.csv" not in public
    assert "plan.toml" not in public
    assert "records.csv" in (registered.folder / "worker" / "sources" / "data.json").read_text()
    described = Catalogue(registered.folder / "datasets").release("data")
    publication = Sources(registered).open("data").publication
    assert not isinstance(publication, Asking)
    assert (described.domain, described.title) == ("groups", "Households by size")
    assert (described.request, described.guarantee) == (publication.request, publication.guarantee)


def test_a_name_is_taken_for_good(registered: Home, groups: Registered) -> None:
    with pytest.raises(ParameterError, match="is taken"):
        Sources(registered).register("data", groups, deadline=8)


@pytest.mark.slow
def test_what_was_cut_off_is_registered_anew(served: Home, groups: Registered) -> None:
    """A registration that died before its last step left a source that nobody describes."""
    Sources(served).register("data", groups, deadline=8)
    (served.folder / "datasets" / "data.json").unlink()
    assert Sources(served).names() == []
    with pytest.raises(ParameterError, match="is not registered"):
        Sources(served).find("data")
    Sources(served).register("data", groups, deadline=8)
    assert Sources(served).find("data") == groups


def test_another_plan_is_not_released_in_its_place(registered: Home, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    text = plan.read_text()
    plan.write_text(text.replace('epsilon = "1"', 'epsilon = "2"'))
    with pytest.raises(PolicyRefused, match="were changed since they were registered"):
        Sources(registered).open("data")
    plan.write_text("nonsense")
    with pytest.raises(PlanError):
        Sources(registered).open("data")
    plan.write_text(text)
    assert Sources(registered).open("data").publication.title == "Households by size"


def test_files_that_are_gone_are_said(registered: Home, groups: Registered) -> None:
    groups.files["records"].unlink()
    with pytest.raises(SourceError):
        Sources(registered).open("data")


@pytest.mark.parametrize("text", ["", "[]", '{"format": "other"}', '{"format": "starling-source/1"}'])
def test_a_source_that_was_changed_is_refused(registered: Home, text: str) -> None:
    (registered.folder / "worker" / "sources" / "data.json").write_text(text)
    with pytest.raises(IntegrityError, match="not written as Starling does"):
        Sources(registered).find("data")


@pytest.mark.parametrize("domain", ["weather", ""])
def test_what_is_no_release_of_a_plan_is_not_registered(domain: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="choose one: tables, genome, groups, places"):
        source_of(domain, "plan.toml", {"records": tmp_path / "records.csv"})


@pytest.mark.parametrize("names", [(), ("records",), ("geography",), ("persons", "geography", "records")])
def test_each_domain_has_its_files(names: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="does not name persons, or something else than persons and geography"):
        source_of("tables", "demo", {name: tmp_path / name for name in names})


def test_paths_are_kept_from_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.toml").touch()
    source = source_of("groups", "plan.toml", {"records": Path("records.csv")})
    assert (source.plan, source.files["records"]) == (str(tmp_path / "plan.toml"), tmp_path / "records.csv")
    shipped = source_of("tables", "demo", {"persons": Path("p"), "geography": Path("g")})
    assert shipped.plan == "demo"


RELATIONS = [Relation(change, unit) for change in get_args(Change) for unit in get_args(Unit)]


@pytest.mark.parametrize("kind", ["groups", "genome"])
def test_a_population_to_which_data_cannot_be_charged_is_refused_before_anything_is_registered(
    served: Home, custodian: Ledger, groups: Registered, kind: str, tmp_path: Path
) -> None:
    """Every change, unit and measure: refused at registration exactly where each charge would be refused."""
    source = groups if kind == "groups" else write_study(tmp_path / "study")
    mine = Relation("add-remove", "member") if kind == "groups" else Relation("replace-one", "person")
    taken = 0
    for number, (relation, measure) in enumerate(product(RELATIONS, get_args(Measure))):
        name = f"data-{number}"
        custodian.custody.add_population(name, measure, relation, 100)
        custodian.custody.add_dataset(name, name, {}, 50)
        fits = relation.unit == mine.unit and relation.change in (mine.change, "replace-one")
        taken += fits
        if fits:
            Sources(served).register(name, source, deadline=8, preview=[])
            Sources(served).check_population(name)
            continue
        with pytest.raises(PolicyRefused, match=r"unit|neighbours"):
            Sources(served).register(name, source, deadline=8)
        assert not [*(served.folder / "worker").rglob(f"{name}.*"), *(served.folder / "datasets").glob(f"{name}.*")]
    assert taken == (4 if kind == "groups" else 2)


@pytest.mark.slow
def test_what_the_ledger_does_not_have_yet_is_checked_when_its_files_are_accepted(
    served: Home, custodian: Ledger, groups: Registered
) -> None:
    sources = Sources(served)
    sources.register("data", groups, deadline=8)
    with pytest.raises(ParameterError, match="data is not registered"):
        sources.check_population("data")
    custodian.custody.add_population("people", "epsilon", Relation("add-remove", "person"), 10)
    custodian.custody.add_dataset("data", "people", {}, 5)
    with pytest.raises(PolicyRefused, match="of protection is the member, of this population it is the person"):
        sources.check_population("data")


def test_labels_tell_which_datasets_are_of_the_same_and_no_digest(served: Home) -> None:
    """Also where a registration was cut off, and its name comes again with other files."""
    sources = Sources(served)
    (folder := served.folder / "worker" / "sources").mkdir(parents=True, exist_ok=True)
    assert sources._labels("a", {"people": "d1", "column": "c1"}) == {"people": "a", "column": "a"}
    assert sources._labels("b", {"people": "d1", "column": "c2"}) == {"people": "a", "column": "b"}
    assert sources._labels("a", {"people": "d1", "column": "c2"}) == {"people": "a", "column": "b"}
    assert sources._labels("a", {"people": "d2", "column": "c1"}) == {"people": "a+", "column": "a"}
    (folder / "b.identities").write_text("[]")
    with pytest.raises(IntegrityError, match=r"b\.identities is not written as Starling does"):
        sources._labels("c", {"people": "d2"})


def test_the_web_process_is_told_labels_of_a_study_of_phenotypes(served: Home, tmp_path: Path) -> None:
    study = write_study(tmp_path)
    plan = Path(study.plan)
    assert not Sources(served).register("persons", study, deadline=8).identities  # type: ignore[union-attr]
    text = plan.read_text().replace('"person"', '"phenotype"').replace('tests = ["g"]', 'tests = ["score"]')
    plan.write_text(text.replace('model = "dominant"', 'model = "additive"'))
    Sources(served).register("first", study, deadline=8)
    Sources(served).register("second", study, deadline=8)
    labels = [Catalogue(served.folder / "datasets").study(name).identities for name in ("first", "second")]
    assert labels[0] == labels[1]
    assert set(labels[0].values()) == {"first"}
    assert len(labels[0]) == 3
