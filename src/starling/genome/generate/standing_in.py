"""An invented study that stands in for that of a plan: its SNP list and number of people, with the plan under a title that says so.

Half of the people are cases, since how many are is not public. Where the plan adjusts for principal components, people are of several
populations, which these find.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from starling.engine.new_folder import new_folder
from starling.errors import ParameterError
from starling.genome.generate import MAGIC, NAME, NOTICE, check_causal
from starling.genome.generate.listed import Listed, calls_of
from starling.genome.plan import Plan
from starling.planfile.invented import NOTE, PLAN, SEED, titled, write_note
from starling.release.described import Generated

COVARIATES: Final = "covariates.txt"
"""The file of covariates, of a plan that adjusts for some; they say nothing about anybody's phenotype."""
MOST_BYTES: Final = 1 << 30
"""Bytes of invented calls; a larger study takes too long to invent and too much room."""
POPULATIONS: Final = 3
"""Populations of an invented study, at most."""
FEWEST: Final = 8
"""People of each, at least on average."""
PHENOTYPES: Final = "phenotypes.txt"
"""The file of phenotypes, of a plan that asks for one by its name."""


def invent(
    plan: Plan, out: Path, *, cases: int | None, seed: int, causal: Mapping[str, float] | None = None
) -> Generated:
    """Invent a study of a plan into the new folder `out`, half of its people cases without a number; files and errors as of `stand_in`.

    `causal` has the odds ratio of each causal SNP by its id in the plan's list; without it up to four are chosen.
    """
    chosen = plan.people // 2 if cases is None else cases
    for name, number, low, high in (("cases", chosen, 1, plan.people - 1), ("seed", seed, 0, 2**63)):
        if not low <= number <= high:
            raise ParameterError(name, f"is not a whole number from {low} to {high}", "give another")
    check_causal(causal or {})
    named = {plan.snps.index(name, field="causal"): ratio for name, ratio in (causal or {}).items()}
    if len(named) < len(causal or {}):
        raise ParameterError("causal", "names a SNP twice", "name each once")
    _check_size(plan)
    with new_folder(out) as folder:
        files = _write(plan, Listed(plan.snps, plan.people, chosen, seed, _populations(plan), named), folder)
    sizes = {"people": plan.people, "SNPs": len(plan.snps)}
    return Generated({name: out / path.name for name, path in files.items()}, out / NOTE, sizes)


def stand_in(name: str, folder: Path) -> tuple[Path, dict[str, Path]]:
    """Invented genotypes and phenotypes of a plan file, with the plan itself and its SNP list, in an empty folder.

    Returns the plan file; the prefix of .bed, .bim and .fam as "genotypes", and the files of phenotypes and of covariates as "phenotype"
    and "covariates" where there are such. Raises PlanError where the plan is not what it should be, ParameterError where its study has
    more than MOST_BYTES of calls, and OutputError or OSError where the folder cannot be written.
    """
    plan = Plan.load(name)
    _check_size(plan)
    replace(plan, title=titled(plan.title)).save(folder / PLAN)
    design = Listed(plan.snps, plan.people, plan.people // 2, SEED, _populations(plan))
    return folder / PLAN, _write(plan, design, folder)


def _populations(plan: Plan) -> int:
    """One more than the components that find them, and few; one of a plan without components, or with hardly any people."""
    return max(1, min(plan.components + 1, POPULATIONS, plan.people // FEWEST))


def _check_size(plan: Plan) -> None:
    size = len(plan.snps) * -(-plan.people // 4)
    if size > MOST_BYTES:
        problem = f"are so many that an invented study would have {size:,} bytes of calls, more than {MOST_BYTES:,}"
        raise ParameterError("people", problem, "leave such a study without an invented one")


def _write(plan: Plan, design: Listed, folder: Path) -> dict[str, Path]:
    with (folder / f"{NAME}.bed").open("xb") as bed:
        bed.write(MAGIC)
        for calls in calls_of(design, os.cpu_count() or 1):
            bed.write(calls.data)
    snps = plan.snps
    sites = zip(snps.chromosomes, snps.ids, snps.positions.tolist(), snps.carried, snps.other, strict=True)
    lines = (f"{place}\t{each}\t0\t{at}\t{carried}\t{other}\n" for place, each, at, carried, other in sites)
    (folder / f"{NAME}.bim").write_text("".join(lines), encoding="utf-8")
    case, control = plan.case, "2" if plan.case == "1" else "1"
    if plan.above is not None:
        case, control = (f"{float(plan.above) + step}" for step in (1, -1))
    if plan.between is not None:
        # Half way from the middle to an end.
        low, high = map(float, plan.between)
        case, control = (f"{low + share * (high - low)}" for share in (0.75, 0.25))
    words = [case if row < design.cases else control for row in range(plan.people)]
    # Women have two copies of whatever is on X.
    people = "".join(f"p{row} p{row} 0 0 2 {word}\n" for row, word in enumerate(words, 1))
    (folder / f"{NAME}.fam").write_text(people, encoding="utf-8")
    causal = [{"snp": snps.ids[at], "odds_ratio": ratio} for at, ratio in design.causal().items()]
    note = {
        "seed": design.seed,
        "people": plan.people,
        "cases": design.cases,
        "snps": len(snps),
        "causal": causal,
        **({"populations": design.populations} if design.populations > 1 else {}),
        "plan": plan.title,
        "numpy": np.__version__,
    }
    write_note(folder, NOTICE, note)
    files = {"genotypes": folder / NAME}
    if plan.phenotype is not None:
        rows = "".join(f"p{row} p{row} {word}\n" for row, word in enumerate(words, 1))
        (folder / PHENOTYPES).write_text(f"#FID IID {plan.phenotype}\n{rows}", encoding="utf-8")
        files["phenotype"] = folder / PHENOTYPES
    if plan.covariates:
        number = len(plan.covariates)
        values = np.random.default_rng([design.seed, number]).normal(size=(plan.people, number))
        lines = (" ".join([f"p{row} p{row}", *(f"{value:z.4f}" for value in of)]) for row, of in enumerate(values, 1))
        text = "\n".join([f"#FID IID {' '.join(plan.covariates)}", *lines, ""])
        (folder / COVARIATES).write_text(text, encoding="utf-8")
        files["covariates"] = folder / COVARIATES
    return files
