"""A small study as files, with something to be found in it, its plan, a ledger, and a question of each kind."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from starling import genome
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, Plan, SnpCorr, SnpPval
from starling.ledger.opening import Ledger, create_ledger
from starling.privacy.neighbours import REPLACE_PERSON
from tests.genome.studies import Study, plan_of, write_bed

PEOPLE = 200
HUGE = Fraction(10**5)
"""With it every answer is the exact one."""
ONE, FIFTH = Fraction(1), Fraction(1, 5)

QUESTIONS: dict[str, Any] = {
    "num_sig": NumSig("g", 2, ONE),
    "loc_sig": LocSig("g", 2, ONE),
    "loc_block": LocBlock("r2", FIFTH, ("rs2",), ONE),
    "snp_pval": SnpPval("rs2", "g", ONE),
    "snp_corr": SnpCorr("rs1", "rs2", "r2", ONE),
    "explore": Explore("g", "r2", FIFTH, Fraction(4)),
}


@dataclass(frozen=True)
class World:
    """Files of a study, and who pays for its answers.

    Attributes:
        plan: Public choices.
        prefix: Of .bed, .bim and .fam.
        url: Of the ledger.
        ledger: With epsilon 100 for "ann", and HUGE for "eve".
    """

    plan: Plan
    prefix: Path
    url: str
    ledger: Ledger

    @property
    def charges(self) -> int:
        return len(self.ledger.reading.account("patients").charges)


def a_study() -> Study:
    """200 people; SNPs 1 to 3 go together and with the disease, 4 and 5 with each other, the rest, on another chromosome, with nothing."""
    random = np.random.default_rng(5)
    cases = np.arange(PEOPLE) < PEOPLE // 2
    first = random.random(PEOPLE) < np.where(cases, 0.75, 0.25)
    second = random.random(PEOPLE) < 0.5
    copies = [first ^ (random.random(PEOPLE) < 0.03 * row) for row in range(3)]
    copies += [second ^ (random.random(PEOPLE) < 0.03) for _ in range(2)]
    copies += [random.random(PEOPLE) < 0.4 for _ in range(3)]
    places = [("1" if row < 5 else "2", 1000 * (row + 1)) for row in range(8)]
    words = ["2" if case else "1" for case in cases]
    return Study(np.stack(copies).astype(np.int8), (("A", "C"),) * 8, tuple(words), tuple(places))


def a_world(folder: Path, model: str = "dominant", test: str = "g") -> World:
    """All of it, below `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    study = a_study()
    prefix = write_bed(study, folder / "study")
    url = f"sqlite:///{folder / 'ledger.sqlite'}"
    ledger = create_ledger(url)
    ledger.custody.add_population("patients", "epsilon", REPLACE_PERSON, HUGE * 8)
    ledger.custody.add_dataset("t2d", "patients", {})
    ledger.custody.grant("patients", "ann", 100)
    ledger.custody.grant("patients", "eve", HUGE * 8)
    return World(plan_of(study, folder, model, test), prefix, url, ledger)


def write_traits(folder: Path) -> Path:
    """Genotypes, of which this is the prefix, and `trait.txt` beside them: a trait of all but two people."""
    prefix = write_bed(a_study(), folder / "study")
    traits = [str(value) for value in np.random.default_rng(3).normal(30, 6, PEOPLE).round()]
    traits[4], traits[9] = "NA", "-9"
    ids = [" ".join(line.split()[:2]) for line in Path(f"{prefix}.fam").read_text().splitlines()]
    lines = [f"{each} {value}" for each, value in zip(ids, traits, strict=True)]
    (folder / "trait.txt").write_text("\n".join(["FID IID trait", *lines, ""]))
    return prefix


def a_trait_plan(**choices: Any) -> genome.Plan:
    """Of the trait, where whole persons are protected."""
    study = a_study()
    rows = zip(study.ids, study.places, study.alleles, strict=True)
    listed = [(name, *place, *alleles) for name, place, alleles in rows]
    return genome.plan(listed, people=PEOPLE, **{"between": ("10", "50"), "steps": 40, **choices})
