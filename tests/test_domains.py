"""The registry names every domain once, with what the frame asks of it; the import contracts list the same domains."""

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
