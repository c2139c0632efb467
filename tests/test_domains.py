"""The registry names every domain once, with what the frame asks of it; the import contracts list the same domains."""

import inspect
import tomllib
from importlib import import_module

import click
import pytest

from starling.cli import main
from starling.domains import DOMAINS, domain
from tests.conftest import ROOT


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
    assert sorted(by_id["rooms"]["containers"]) == sorted(f"starling.{name}" for name in DOMAINS)
    assert " | ".join(DOMAINS) in by_id["layers"]["layers"]


OF_A_RELEASE = ("out", "ledger", "dataset", "analyst", "request_id", "unvalidated")
"""What every plan's `release` takes beside its records, in this order."""


@pytest.mark.parametrize("name", DOMAINS)
def test_every_domain_has_the_same_face(name: str) -> None:
    """One Plan with the same methods, whose arguments have the same names, order and defaults."""
    plan = import_module(f"starling.{name}").Plan
    assert isinstance(plan.__doc__, str)
    assert [each for each in ("load", "cost", "preview", "validate", "release") if not hasattr(plan, each)] == (
        ["cost"] if name == "genome" else []
    ), "a study has no cost of its own: each question has one"
    signature = inspect.signature(plan.release)
    assert list(signature.parameters)[:2] == ["self", "records"]
    assert [each for each in signature.parameters if each in OF_A_RELEASE] == [*OF_A_RELEASE]
    reference = inspect.signature(import_module("starling.tables").Plan.release)
    for each in OF_A_RELEASE:
        assert signature.parameters[each] == reference.parameters[each]
    assert next(iter(inspect.signature(plan.validate).parameters.items()))[0] == "self"
    assert {"records", "most"} <= set(inspect.signature(plan.validate).parameters)
    for shown in ("__repr__", "_repr_html_"):
        assert getattr(plan, shown) is not getattr(object, shown, None)
