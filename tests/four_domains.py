"""A small world and a release of it in each of the four domains, by the command line and by Python."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import starling
from starling import domains, genome, groups, places, tables
from starling.release.payment import PaymentOptions
from tests.genome.studies import plan_of, write_bed
from tests.genome.worlds import QUESTIONS, a_study
from tests.groups import worlds
from tests.places import plans

TABLES: Final = """title = "Sex"
[privacy]
unit = "person"
neighbours = "add-remove"
measure = "epsilon"
[records]
of-a-person = 1
[[columns]]
name = "sex"
values = ["F", "M"]
[[columns]]
name = "age"
from = 0
to = 110
[publication]
negative-counts = true
[[groups]]
name = "sex"
columns = ["sex"]
[[groups]]
name = "age"
columns = ["age"]
cuts = { age = [0, 18, 65] }
[[levels]]
groups = "sex"
budget = "1"
[[levels]]
groups = "age"
budget = "1"
"""
RELEASES: Final = {
    "tables": ("release", "--persons", "records.csv"),
    "groups": ("release", "--records", "records.csv"),
    "places": ("release", "--records", "records.csv"),
    "genome": ("num-sig", "--genotypes", "study", "--epsilon", "1"),
}
"""Of each domain the command that releases, and its records, named from the folder of its world."""


def write(folder: Path) -> Path:
    """A plan and records of each domain in a folder of the domain's name."""
    for domain in RELEASES:
        (folder / domain).mkdir(parents=True)
    (folder / "tables" / "plan.toml").write_text(TABLES)
    (folder / "tables" / "records.csv").write_text("sex,age\nF,17\nM,20\nF,\n")
    worlds.write_world(folder / "groups", "persons")
    plans.write_world(folder / "places", plans.PERSON, plans.SLICED)
    write_bed(a_study(), folder / "genome" / "study")
    plan_of(a_study(), folder / "genome")
    return folder


def release(folder: Path, domain: str, out: str = "out") -> Any:
    """The release of a domain of such a folder."""
    here = folder / domain
    payment, plan = PaymentOptions(unvalidated=True), here / "plan.toml"
    calls: dict[str, Callable[[], Any]] = {
        "tables": lambda: tables.release(
            tables.Plan.load(str(plan)), here / "records.csv", out=here / out, payment=payment
        ),
        "groups": lambda: groups.release(groups.Plan.load(plan), here / "records.csv", here / out, payment=payment),
        "places": lambda: places.release(places.Plan.load(plan), here / "records.csv", here / out, payment=payment),
        "genome": lambda: genome.release(
            genome.Plan.load(plan), QUESTIONS["num_sig"], here / "study", here / out, payment=payment
        ),
    }
    return calls[domain]()


def commands(folder: str) -> None:
    """Plan, release and verify in each domain by the command line, from within such a folder and with relative paths."""
    from starling.cli import main

    os.chdir(folder)
    for domain, (verb, *records) in RELEASES.items():
        os.chdir(domain)
        released = [domain, verb, "plan.toml", *records, "--out", "out", "--zip", "out.zip", "--unvalidated", "--yes"]
        for words in ([domain, "plan", "plan.toml"], released, ["verify", "out"], ["verify", "out.zip"]):
            expected = 7 if words[0] == "verify" else 0  # consistent: no ledger outside it limits the release
            try:
                main(words, prog_name="starling")
            except SystemExit as ended:
                if ended.code != expected:
                    sys.exit(f"{words}: exit code {ended.code}")
        os.chdir(os.pardir)


def check(folder: Path) -> None:
    """What `commands` left: a release of each domain that its verification finds consistent, and nothing half done."""
    assert set(RELEASES) == set(domains.DOMAINS)
    for domain in RELEASES:
        assert not starling.verify(folder / domain / "out").findings
        assert not [*(folder / domain).glob(".*.partial-*")]
