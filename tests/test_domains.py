"""The registry names every domain once, with what the frame asks of it; the import contracts list the same domains."""

import inspect
import json
import re
import tomllib
from dataclasses import fields
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

from starling import genome, groups, places, tables
from starling.cli import main
from starling.cli.publishing import Destination
from starling.domains import DOMAINS, domain
from starling.errors import ParameterError
from starling.release.report.pages import Preview
from starling.release.session import SHORT, Described
from tests import four_domains
from tests.conftest import ROOT
from tests.crates import problems
from tests.genome.studies import a_study, plan_of, write_bed


@pytest.mark.parametrize("name", DOMAINS)
def test_a_domain_is_found_under_its_name(name: str) -> None:
    found = domain(name)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize("name", DOMAINS)
def test_its_verbs_are_commands(name: str) -> None:
    module, group = DOMAINS[name].verbs.split(":")
    verbs = getattr(import_module(module), group)
    assert isinstance(verbs, click.Group)
    assert main.get_command(click.Context(main), name) is verbs


def test_no_other_name_is_a_domain() -> None:
    assert domain("places of others") is None


def test_import_contracts_hold_for_every_domain() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    by_id = {contract["id"]: contract for contract in contracts}
    containers = by_id["rooms"]["containers"]
    assert {f"starling.{name}" for name in DOMAINS} <= set(containers)
    assert {each.split(".")[1] for each in containers} == set(DOMAINS), "what lies within a domain has its rooms, too"
    assert " | ".join(DOMAINS) in by_id["layers"]["layers"]


OF_A_RELEASE = ("out", "ledger", "dataset", "analyst", "request_id", "unvalidated")
"""What every plan's `release` takes beside its records, in this order."""


LACKS = {"genome": {"cost"}}
"""What a plan has not: a study has no cost of its own, as each question has one."""


@pytest.mark.parametrize("name", DOMAINS)
def test_every_domain_has_the_same_face(name: str) -> None:
    """One Plan with the same methods, whose arguments have the same names, order and defaults."""
    plan = import_module(f"starling.{name}").Plan
    assert isinstance(plan.__doc__, str)
    face = {"load", "of", "save", "cost", "preview", "validate", "release", "generate"}
    assert {each for each in face if not hasattr(plan, each)} <= LACKS.get(name, set())
    signature = inspect.signature(plan.release)
    assert list(signature.parameters)[:2] == ["self", "records"]
    assert [each for each in signature.parameters if each in OF_A_RELEASE] == [*OF_A_RELEASE]
    reference = inspect.signature(import_module("starling.tables").Plan.release)
    for each in OF_A_RELEASE:
        assert signature.parameters[each] == reference.parameters[each]
    assert next(iter(inspect.signature(plan.validate).parameters.items()))[0] == "self"
    assert {"records", "most"} <= set(inspect.signature(plan.validate).parameters)
    if hasattr(plan, "generate"):
        assert list(inspect.signature(plan.generate).parameters)[:2] == ["self", "out"]
        assert inspect.signature(plan.generate).parameters["seed"].default == 1


EVIL = "<script>alert(1)</script><b>Counts</b> & more"
"""A title that a file of somebody else may have."""


def of_tables(folder: Path) -> dict[str, Any]:
    plan = tables.plan(["sex"], {"sex": ["F", "M"]}, epsilon=1, title=EVIL)
    records = {"sex": ["F"] * 40 + ["M"] * 60 + ["X"]}
    release = plan.release(records)
    number = release.number(sex="F")
    return {
        "plan": plan,
        "validated": plan.validate(records),
        "generated": plan.generate(folder / "invented", persons=10),
        "preview": plan.preview(),
        "release": release,
        "number": number,
        "ratio": number / release.number(),
    }


def of_groups(folder: Path) -> dict[str, Any]:
    plan = groups.plan({"land": ["e1", "e2"]}, ["land", "part"], largest=4, groups=5, epsilon=1, title=EVIL)
    records = {"region": ["e1", "e1", "e2", "e2", "<b>"], "size": [1, 2, 3, 4, 5]}
    release = plan.release(records)
    return {
        "plan": plan,
        "validated": plan.validate(records),
        "generated": plan.generate(folder / "invented"),
        "preview": plan.preview(),
        "release": release,
        "number": release.number("land", 2),
    }


def of_places(folder: Path) -> dict[str, Any]:
    plan = places.plan((0, 0, 1, 1), (8, 8), epsilon=1, title=EVIL, expected=1000)
    records = {"x": [0.1, 0.2, 2.5], "y": [0.1, 0.2, 0.5]}
    release = plan.release(records)
    return {
        "plan": plan,
        "validated": plan.validate(records),
        "generated": plan.generate(folder / "invented", points=10),
        "preview": plan.preview(sizes=[25]),
        "release": release,
        "grid": release.released(),
        "answers": release.count([(0, 0, 4, 4)] * 100),
        "hotspots": release.released().hotspots(5),
    }


def of_genome(folder: Path) -> dict[str, Any]:
    study = a_study()
    prefix = write_bed(study, folder / "study")
    plan_of(study, folder)
    plan = genome.Plan.of({**genome.Plan.load(next(folder.glob("*.toml"))).values(), "title": EVIL})
    question = genome.NumSig("g", 2, Fraction(1))
    release = plan.release(prefix, question)
    return {
        "plan": plan,
        "validated": plan.validate(prefix),
        "generated": plan.generate(folder / "invented"),
        "preview": plan.preview(question),
        "release": release,
        "answer": release.answer,
        "answers": plan.release(prefix, genome.Explore("g", "r2", Fraction(1, 5), Fraction(9))).answer,
    }


SESSIONS = {"tables": of_tables, "groups": of_groups, "places": of_places, "genome": of_genome}


FRAMES = {"tables": 2, "groups": 3, "places": 64}
"""Rows of the table that is meant where none is named; the answer to a question of a study has several."""


@pytest.mark.series(2)
@pytest.mark.parametrize("name", DOMAINS)
def test_what_a_session_holds_is_short_as_text_and_escaped_as_html(name: str, tmp_path: Path) -> None:
    values = SESSIONS[name](tmp_path)
    release = values["release"]
    if name in FRAMES:
        frame = release.to_pandas()
        assert len(frame) == FRAMES[name]
        assert release.to_polars().columns == frame.columns.tolist()
    else:
        with pytest.raises(ParameterError, match="table is not named; take one of number, selections"):
            release.to_pandas()
    if name != "genome":
        values["plots"] = release.plot()
    values |= {"cost": release.cost, "verification": release.verify(), "plan of the release": release.plan}
    assert not problems(release.crate(tmp_path / "crate", license="http://a.b/c", publisher="Office"))
    for what, value in values.items():
        text = repr(value)
        assert len(text) <= SHORT, what
        assert "object at 0x" not in text, what
        page = value._repr_html_()
        assert isinstance(page, str), what
        assert not {"<script", "<b>"} & set(re.findall(r"<[a-z]+", page) + re.findall(r"<b>", page)), what
        if what in ("plan", "plan of the release") or (what == "preview" and name != "genome"):
            assert "&lt;script&gt;" in page, what


FRAME: dict[str, set[str]] = {
    "plan": {"plan"},
    "preview": {"plan", "out", "opens"},
    "release": {"plan", *(field.name for field in fields(Destination))},
    "generate": {"plan"},
    "plot": {"releases", "out", "key"},
}
"""The parameters of each command that the frame declares; `generate` gives `out` and `seed` on."""


@pytest.mark.parametrize("name", DOMAINS)
@pytest.mark.parametrize("verb", FRAME)
def test_a_command_gives_its_domain_the_options_that_it_takes(name: str, verb: str) -> None:
    """Every command of every domain is that of cli/verbs.py, and what it adds are the arguments of the domain's own function."""
    found = domain(name)
    group = main.get_command(click.Context(main), name)
    assert found is not None
    assert isinstance(group, click.Group)
    command, function = group.get_command(click.Context(group), verb), getattr(found.verbs, verb)
    if verb == "release" and found.delivering is not None and found.delivering.asking is not None:
        assert (command, function) == (None, None), "questions are released by commands of their own"
        return
    assert command is not None
    assert command.callback is not None
    assert inspect.unwrap(command.callback).__module__ == "starling.cli.verbs"
    own = {option.name for option in command.params} - FRAME[verb] - {"as_json"}
    if verb == "release" and function is None:
        assert found.delivering is not None
        taken = [*found.delivering.files, "engine"]
    else:
        assert function is not None, "every domain has it"
        _, *taken = inspect.signature(function).parameters
    assert own == {*taken}


@pytest.mark.parametrize("name", DOMAINS)
def test_what_a_domain_shows_is_one_value(name: str, tmp_path: Path) -> None:
    """Plan, preview, invented records and pictures: the values of commands are those of a session, as text, JSON and HTML."""
    folder = four_domains.write(tmp_path / "worlds") / name
    found = domain(name)
    assert found is not None
    options: dict[str, dict[str, Any]] = {
        "tables": dict.fromkeys(("geography", "scale", "total", "epsilon", "delta", "out")) | {"earlier": ()},
        "places": {"expected": 50, "sizes": (25,), "worlds": ("gather",)},
    }
    planned = found.verbs.plan(str(folder / "plan.toml"), **(options["tables"] if name == "tables" else {}))
    assert isinstance(planned, Described)
    assert json.loads(json.dumps(planned.as_json()))["title"] in str(planned)
    if name != "genome":  # Its preview is of questions; cli/test_genome_preview.py has it.
        seen = found.verbs.preview(str(folder / "plan.toml"), **(options["places"] if name == "places" else {}))
        assert isinstance(seen, Preview)
        assert seen.title in seen.page()
        assert json.loads(json.dumps(seen.as_json()))
        assert str(seen).splitlines()
