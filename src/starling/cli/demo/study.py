"""The demo's second chapter: an invented case-control study, what a researcher finds in it, and the SNPs that were planted.

The planted SNPs may be shown because nobody in the study exists. A researcher sees the answers alone.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starling.cli.commands import Result
from starling.cli.demo.chapter import written

if TYPE_CHECKING:
    from starling.genome.postprocess.estimates import Exploration
    from starling.genome.publish import Answered
    from starling.release.described import Generated

PEOPLE: Final = 2000
SNPS: Final = 5000
SEED: Final = 1
CAUSAL: Final = {1200: 3.5, 3800: 3.0}
"""Odds ratio for each copy of the allele, by number of SNP: large, so that 2,000 people are enough."""
EPSILON: Final = "4"
MOST: Final = 2
"""SNPs to follow up: with linkage, those around a causal SNP are significant too, and the budget is for places, not for SNPs."""
LONGEST: Final = 100


def check() -> None:
    """Raises ParameterError where msprime, which invents the genealogies, is not installed."""
    from starling.genome.generate.coalescent import library

    library()


def chapter(out: Path, step: Callable[[str], None]) -> tuple[Result, tuple[str, ...]]:
    """Invent a study, explore it in the folder `out`, and compare: what is shown, and commands that work when pasted."""
    from starling.genome import Study, generate
    from starling.release.payment import PaymentOptions
    from starling.release.pipeline import Listener

    step(f"inventing {PEOPLE:,} genomes")
    files = generate(people=PEOPLE, snps=SNPS, seed=SEED, out=out / "study", causal=CAUSAL, linkage="coalescent")
    study = Study.open(
        out / "study" / "plan.toml",
        files.records,
        folder=out / "answers",
        payment=PaymentOptions(unvalidated=True),
        listener=Listener(step=step),
    )
    answered = study.explore(epsilon=EPSILON, most=MOST, independent=True, longest=LONGEST)
    planted = {row["snp"]: row["frequency"] for row in json.loads(files.note.read_text(encoding="utf-8"))["causal"]}
    # As the other chapters name theirs: from where the demo was begun.
    folder = out / "answers" / answered.folder.name
    shown = Result(lambda: _text(answered, folder, planted), lambda: _json(files, answered, planted))
    options = f"--epsilon {EPSILON} --most {MOST} --longest {LONGEST} --independent"
    return shown, (
        f"starling genome preview {files.plan} --question explore --epsilon 1,2,4,8",
        f"starling genome explore {files.plan} --genotypes {files.records} {options} --out {out / 'again'} --unvalidated --yes",
        f"starling genome plot {folder} --out {out / 'pictures'}",
    )


def _explored(answered: "Answered") -> "Exploration":
    from starling.genome.postprocess.estimates import Exploration

    assert isinstance(answered.answer, Exploration)
    return answered.answer


def _text(answered: "Answered", folder: Path, planted: dict[str, float]) -> str:
    from starling.genome.postprocess.wording import answer_text, p_text, verdict
    from starling.release.text import facts, table

    exploration = _explored(answered)
    guarantee = answered.question.guarantee
    named = " and ".join(f"{snp} ({share:z.0%} of alleles)" for snp, share in planted.items())
    rows = [
        (
            each.snp,
            p_text(each)[0],
            " to ".join(p_text(each)[1:]),
            verdict(answered.plan, each),
            _near(each.snp, planted),
        )
        for each in exploration.p_values
    ]
    return "\n\n".join(
        [
            (
                f"An invented study: {PEOPLE:,} people, half of them cases, {SNPS:,} SNPs. Nobody in it exists.\n"
                f"Two SNPs cause the disease: {named}. Their neighbours are inherited with them."
            ),
            facts(
                [
                    ("protected", f"one person, all SNPs and the disease ({guarantee.relation})"),
                    ("charged", str(guarantee.cost)),
                    ("answered", answer_text(answered.plan, answered.question, answered.answer)[0]),
                ]
            ),
            table(("SNP", "p", "95 % interval", "significant", "planted nearby"), rows)
            if rows
            else "It answered that no SNP is significant, and stopped: that is the noise of the first answer.",
            written(folder),
        ]
    )


def _near(snp: str, planted: dict[str, float]) -> str:
    """The planted SNP that is nearest on the list, and how far."""
    here = int(snp[1:])
    name = min(planted, key=lambda one: abs(int(one[1:]) - here))
    far = abs(int(name[1:]) - here)
    return name if far == 0 else f"{name}, {far} SNP{'s' if far > 1 else ''} away"


def _json(files: "Generated", answered: "Answered", planted: dict[str, float]) -> dict[str, Any]:
    from starling.release.claims import claim

    exploration = _explored(answered)
    return {
        "plan": str(files.plan),
        "genotypes": str(files.records),
        "release": str(answered.folder),
        "cost": claim(answered.question.guarantee).adjacencies(),
        "significant": {"low": exploration.number.low, "high": exploration.number.high},
        "snps": [{"snp": each.snp, "p": each.p, "low": each.low, "high": each.high} for each in exploration.p_values],
        "planted": list(planted),
    }
