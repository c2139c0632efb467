"""A genome plan as text and for machines: what it holds, what may be asked, and what an answer costs. Nothing here can open genotypes."""

from typing import TYPE_CHECKING, Final

from starling.release.text import facts, table

if TYPE_CHECKING:
    from starling.genome.plan import Plan
    from starling.release.statement import Json

QUESTIONS: Final = (
    ("num-sig", "how many SNPs are significant"),
    ("loc-sig", "which are, or are nearest to it"),
    ("loc-block", "the block of correlated SNPs around a SNP"),
    ("snp-pval", "the p-value of a SNP"),
    ("snp-corr", "the correlation of two SNPs"),
    ("explore", "all of these, a quarter each"),
)
"""Command and what it tells."""
MOST_REGIONS: Final = 30
"""In the text."""


def plan_text(plan: "Plan") -> str:
    """Sizes, choices, regions, questions."""
    from starling.genome.plan.choices import P_VALUE_ONLY
    from starling.genome.plan.queries import OF_CARRIERS
    from starling.privacy.budget import decimal_up

    snps = plan.snps
    searching = [test for test in plan.tests if test not in P_VALUE_ONLY]
    public = "; who takes part is public" if plan.ids == "public" else ""
    pairs = [
        ("plan", plan.title),
        ("protects", f"one person, all genotypes and the phenotype ({plan.relation}; n is public)"),
        ("people", f"{plan.people:,}; a case is {plan.case!r}, everybody else a control{public}"),
        ("SNPs", f"{len(snps):,} on {_many(len(snps.chromosome_ranges), 'chromosome')}, list {snps.digest[:16]}"),
        ("build", plan.build or "not stated: positions are of no stated reference genome"),
        ("carried", f"public alleles, such as {snps.carried[0]} of {snps.ids[0]}"),
        ("model", f"{plan.model}; tests {', '.join(plan.tests)}"),
        ("threshold", f"p at or below {float(plan.p_threshold):.4g} = {decimal_up(plan.alpha)} / {len(snps):,}"),
    ]
    rows = [
        (region.name, region.chromosome, f"{region.low:,}", f"{region.high:,}", f"{stop - start:,}")
        for region, (start, stop) in zip(plan.regions, plan.ranges.values(), strict=True)
    ]
    regions = table(("region", "chromosome", "from", "to", "SNPs"), rows[:MOST_REGIONS], left=2)
    if len(rows) > MOST_REGIONS:
        regions += f"\nand {len(rows) - MOST_REGIONS:,} more: --json has all of them"
    asked = [
        (command, tells, _tests(command, plan.tests, searching))
        for command, tells in QUESTIONS
        if searching or command not in ("num-sig", "loc-sig", "explore")
    ]
    questions = table(("question", "answers", "by"), asked, left=3)
    return (
        f"{facts(pairs)}\n\n{regions}\n\n{questions}\n\n"
        "Each answer costs the epsilon that is asked for it, of every person's budget; asked again under the same request id it costs"
        f" nothing.\nWhat an epsilon buys: starling genome preview.\n{OF_CARRIERS}"
    )


def _tests(command: str, tests: tuple[str, ...], searching: list[str]) -> str:
    if command == "snp-pval":
        return ", ".join(tests)
    return "r2, dprime" if command in ("loc-block", "snp-corr") else ", ".join(searching)


def _many(number: int, what: str) -> str:
    return f"1 {what}" if number == 1 else f"{number:,} {what}s"


def plan_json(plan: "Plan") -> "dict[str, Json]":
    """The same for machines."""
    return {
        "title": plan.title,
        "neighbours": str(plan.relation),
        "people": plan.people,
        "case": plan.case,
        "phenotype": plan.phenotype,
        "ids": plan.ids,
        "snps": len(plan.snps),
        "snps_sha256": plan.snps.digest,
        "build": plan.build,
        "model": plan.model,
        "tests": list(plan.tests),
        "alpha": str(plan.alpha),
        "p_threshold": {"exact": str(plan.p_threshold), "float": float(plan.p_threshold)},
        "regions": [
            {
                "name": region.name,
                "chromosome": region.chromosome,
                "from": region.low,
                "to": region.high,
                "snps": plan.ranges[region.name][1] - plan.ranges[region.name][0],
            }
            for region in plan.regions
        ],
    }
