"""A small genome study as a server is given it."""

from contextlib import closing
from pathlib import Path

from starling.genome.generate import generate
from starling.server.home import Home
from starling.worker.jobs import Jobs
from starling.worker.sources import Registered, source_of


def write_study(folder: Path) -> Registered:
    """An invented study of 60 people and 12 SNPs, as files and as what is registered of it."""
    out = folder / "study"
    made = generate(people=60, snps=12, seed=1, out=out, causal={3: 20.0})
    return source_of("genome", str(made.plan), {"genotypes": made.records})


def carry_out(home: Home) -> None:
    """Do what waits at a home."""
    with closing(home.open_ledger()) as ledger:
        jobs = Jobs(home, ledger)
        for charge in jobs.waiting():
            jobs.carry_out(charge)
