"""The plan of a case-control study: every public choice, as one immutable value. It opens nothing confidential.

The study is a table {0, 1, 2, missing}^m x {case, control} of n people (Johnson and Shmatikov 2013, Section 3). n is public, m is
the length of a public list, and neighbours differ by everything about one person: replace one person, n fixed. There is no adjacency
by adding or removing a person, because n is public: such studies are no neighbours at all. Where a file is filled up to n with
people without calls or phenotype, a person who is added takes the place of one of them (docs/decisions/0017).

That is the unit "person". With the unit "phenotype" neighbours differ by one person's phenotype: genotypes, covariates and who takes part
are the same in all neighbours, and are not protected.

Rules for what is missing, the same for every study: a missing call is a person without the allele, or in a cell of its own where the plan
says so (missing.py); a person whose phenotype is not the plan's word for a case, or no number above the plan's, missing included, is a
control. Where all of a person is protected and the phenotype is quantitative, who lacks a call is left out of that SNP, and who lacks the
phenotype of all; how many are, is noisy too. Covariates are for the unit "phenotype" alone; there a missing call or covariate is the mean
of its column, which no phenotype changes. Men have two copies or none of what is on X, as PLINK writes it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final

from starling.errors import ParameterError, PlanError, Problem
from starling.genome.plan.choices import (
    ALPHA,
    BUILDS,
    CASE,
    IDS,
    LEAST_PEOPLE,
    OF_CARRIERS,
    P_VALUE_ONLY,
    QUESTIONS,
    RELATIONS,
    UNITS,
    UNPROTECTED,
    Build,
    Counted,
    Ids,
    Model,
    Unit,
    tests_of,
)
from starling.genome.plan.columns import column_problems
from starling.genome.plan.grammar import PLAN
from starling.genome.plan.missing import Missing, cell_in_words, kinds_of, missing_problems
from starling.genome.plan.quantitative import STEPS, phenotype_in_words, phenotype_json, phenotype_problems
from starling.genome.plan.sites import Region
from starling.genome.plan.snps import Row, Snps, snps_of
from starling.planfile.spelling import did_you_mean, shown
from starling.planfile.values import exact_text, toml_of
from starling.privacy.budget import check_int, decimal_up, exact
from starling.privacy.neighbours import Relation
from starling.release.codec import OPTIONAL, Json, digest
from starling.release.plan_file import PlanInFile
from starling.release.session import Described, Part

_COST_OF_ANSWERS: Final = (
    "Each answer costs the epsilon that is asked for it, of every person's budget; asked again under the same request id it costs"
    " nothing.\nWhat an epsilon buys: starling genome preview."
)
MOST_REGIONS: Final = 30
"""Regions that a plan shows; its JSON has all."""


@dataclass(frozen=True, eq=False, repr=False)
class Plan(PlanInFile, Described):
    """Every public choice of a study.

    Attributes:
        people: n, public.
        snps: The public SNP list, m long.
        alpha: Above 0; a SNP is significant when its p-value is at or below alpha/m (Bonferroni).
        regions: Named stretches of chromosomes in which answers are looked for; each holds at least one SNP.
        case: The phenotype of a case, as text; everybody else is a control.
        above: Of a quantitative phenotype the public number above which it is a case; None where `case` says it.
        phenotype: Column of a phenotype file with a header; None for the first after the ids.
        build: The reference genome of the list's positions, stated by whoever wrote the plan; None where it is not stated.
        ids: Whether it is public who takes part. Where it is, neighbours have the same ids, so that the guarantee hides what is known of a
            person and not that the person takes part; and ids that do not join are refused before the charge.
        unit: Whose data are protected: all of one person, or one person's phenotype.
        covariates: Columns of the covariate file that tests adjust for; of the unit "phenotype" alone.
        components: How many principal components of the SNPs they adjust for; of the unit "phenotype" alone.
        between: Of a quantitative phenotype the public ends to which it is clipped, in place of `case`.
        steps: How many equal steps are between these ends.
        chromosome_out: Whether components of a SNP's test are of the SNPs on other chromosomes alone.
        genotypes: Whether calls or dosages are counted; dosages of the additive model alone.
        x_model: How many copies a man's single one on X counts as: 2, or 1 in the additive model alone.
        missing: "cell" where who lacks a call is counted in a cell of their own; None for the one rule.
    """

    grammar: ClassVar = PLAN
    title: str
    people: int
    snps: Snps = field(repr=False)
    model: Model
    tests: tuple[str, ...]
    alpha: Fraction = ALPHA
    regions: tuple[Region, ...] = field(default=(), repr=False)
    case: str = CASE
    phenotype: str | None = None
    build: Build | None = None
    ids: Ids = "confidential"
    unit: Unit = field(default="person", metadata=OPTIONAL)
    covariates: tuple[str, ...] = field(default=(), metadata=OPTIONAL)
    components: int = field(default=0, metadata=OPTIONAL)
    above: Fraction | None = field(default=None, metadata=OPTIONAL)
    between: tuple[Fraction, Fraction] | None = field(default=None, metadata=OPTIONAL)
    steps: int = field(default=STEPS, metadata=OPTIONAL)
    chromosome_out: bool = field(default=False, metadata=OPTIONAL)
    genotypes: Counted = field(default="calls", metadata=OPTIONAL)
    x_model: int = field(default=2, metadata=OPTIONAL)
    missing: Missing | None = field(default=None, metadata=OPTIONAL)

    def __post_init__(self) -> None:
        try:
            check_int(self.people, field="study.people")
            check_int(self.components, field="analysis.components")
            check_int(self.x_model, field="analysis.x-model")
            object.__setattr__(self, "alpha", exact(self.alpha, field="analysis.alpha"))
            if self.above is not None:
                object.__setattr__(self, "above", exact(self.above, field="study.above"))
            check_int(self.steps, field="study.steps")
            if self.between is not None:
                object.__setattr__(self, "between", tuple(exact(end, field="study.between") for end in self.between))
        except ParameterError as error:
            raise PlanError(problems=error.problems) from None
        if not self.regions:
            object.__setattr__(self, "regions", tuple(whole_chromosomes(self.snps)))
        problems = [*self._size_problems(), *self._unit_problems(), *self._region_problems()]
        problems += phenotype_problems(self)
        if self.build is not None and self.build not in BUILDS:
            problems.append(Problem("study.build", f"is not {' or '.join(BUILDS)}", "name one, or leave it out"))
        if self.ids not in IDS:
            fix = "say whether it is public who takes part"
            problems.append(Problem("study.ids", f"are not {' or '.join(IDS)}", fix))
        PlanError.check(problems)

    def _size_problems(self) -> list[Problem]:
        # It brings a compiler, which to read a plan should not wait for.
        from starling.genome.distance.constants import LARGEST_P, MOST_PATIENTS, SMALLEST_P

        problems: list[Problem] = []
        most = MOST_PATIENTS // 2 if self.model == "allelic" else MOST_PATIENTS
        if not LEAST_PEOPLE <= self.people <= most:
            fix = "say how many people the study has"
            problems.append(Problem("study.people", f"are not {LEAST_PEOPLE} to {most}", fix))
        if not SMALLEST_P <= self.p_threshold <= LARGEST_P:
            reason = "is not such that alpha / m is from 1e-250 to 0.3"
            problems.append(Problem("analysis.alpha", reason, 'write a chance such as "0.05"'))
        return problems

    def _unit_problems(self) -> list[Problem]:
        """What fits the unit: model, tests, covariates, components, and how missing calls are counted."""
        if self.unit not in UNITS:
            return [Problem("privacy.unit", f"is not {' or '.join(UNITS)}", "say whose data the guarantee hides")]
        known, problems = tests_of(self.unit, quantitative=self.between is not None), []
        fix = f"the {self.model} model has {', '.join(known.get(self.model, ()))}"
        if self.model not in known:
            problems.append(Problem("analysis.model", f"is not {' or '.join(known)}", "name one of them"))
        elif not self.tests or len(set(self.tests)) < len(self.tests):
            problems.append(Problem("analysis.tests", "are none, or one is there twice", fix))
        elif set(self.tests) - set(known[self.model]):
            problems.append(Problem("analysis.tests", "name one that the model has not", fix))
        return [*problems, *column_problems(self), *missing_problems(self)]

    def _region_problems(self) -> list[Problem]:
        problem, fix = "holds no SNP of the list", "widen it, or leave it out"
        ranges = [(region.name, self._range(region)) for region in self.regions]
        problems = [Problem(f"region {name}", problem, fix) for name, (start, stop) in ranges if start == stop]
        if len({name for name, _ in ranges}) < len(ranges):
            problems.insert(0, Problem("regions", "have a name twice", "name each differently"))
        return problems

    def _range(self, region: Region) -> tuple[int, int]:
        return self.snps.within(region.chromosome, region.low, region.high)

    @property
    def relation(self) -> Relation:
        """Neighbouring studies."""
        return RELATIONS[self.unit]

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all fields but the title and optional ones at their defaults, the SNP list by its own digest, hexadecimal."""
        public = {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name != "title" and not (each.metadata == OPTIONAL and getattr(self, each.name) == each.default)
        }
        return digest(public | {"snps": self.snps.digest})

    @property
    def p_threshold(self) -> Fraction:
        """alpha/m: the largest p-value that is significant."""
        return self.alpha / max(len(self.snps), 1)

    @property
    def first_test(self) -> str:
        """What is meant where no test is named: the first that has a distance, or the first of all."""
        return next((name for name in self.tests if name not in P_VALUE_ONLY), self.tests[0])

    @cached_property
    def ranges(self) -> dict[str, tuple[int, int]]:
        """The half-open range of SNPs of each region, by its name."""
        return {region.name: self._range(region) for region in self.regions}

    def within(
        self, names: Iterable[str] | None = None, excluding: Iterable[tuple[int, int]] = ()
    ) -> tuple[tuple[int, int], ...]:
        """The SNPs of some regions as half-open ranges, ascending and apart; none crosses a chromosome.

        Regions that overlap are taken together, those that only touch are not.

        Args:
            names: Names of regions of the plan; all regions without them.
            excluding: Half-open ranges of SNPs to leave out, such as released blocks.

        Raises:
            ParameterError: for a name that the plan does not have, or when no SNP is left.
        """
        chosen = sorted(self._named(name) for name in (self.ranges if names is None else names))
        merged: list[tuple[int, int]] = []
        for start, stop in chosen:
            if merged and start < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(merged[-1][1], stop))
            else:
                merged.append((start, stop))
        for low, high in excluding:
            cut = [((start, min(stop, low)), (max(start, high), stop)) for start, stop in merged]
            merged = [(start, stop) for pair in cut for start, stop in pair if start < stop]
        if not merged:
            raise ParameterError("regions", "leave no SNP", "name regions of the plan, exclude less")
        return tuple(merged)

    def _named(self, name: str) -> tuple[int, int]:
        if name in self.ranges:
            return self.ranges[name]
        problem = f"{shown(name)} is not in the plan"
        fix = did_you_mean(name, self.ranges).replace("remove it", "name regions of the plan")
        raise ParameterError("regions", problem, fix)

    @staticmethod
    def snp_list(rows: Iterable[Row | Any]) -> Snps:
        """A public SNP list for `of`, which takes it under "snps" in place of a dict that names files; sorted by place.

        Args:
            rows: Each SNP's id, chromosome, position in base pairs, carried allele and other allele.

        Raises:
            PlanError: with every problem, each with its row.
        """
        return snps_of(rows)

    def values(self) -> dict[str, Any]:
        """The values that `of` makes this plan of."""
        return self._values()

    def _files(self, path: Path) -> dict[Path, str]:
        listed = path.with_suffix(".pvar")
        snps = self.snps
        lines = zip(snps.chromosomes, snps.positions.tolist(), snps.ids, snps.other, snps.carried, strict=True)
        rows = "".join("\t".join(map(str, line)) + "\n" for line in lines)
        plan = toml_of({**self._values(), "snps": {"list": listed.name}})
        return {listed: f"#CHROM\tPOS\tID\tREF\tALT\n{rows}", path: plan}

    def _facts(self) -> list[tuple[str, str]]:
        snps, public = self.snps, "; who takes part is public" if self.ids == "public" else ""
        chromosomes = len(snps.chromosome_ranges)
        many = f"{chromosomes:,} chromosome{'' if chromosomes == 1 else 's'}"
        return [
            ("plan", self.title),
            ("protects", self._protected),
            ("people", f"{self.people:,}; {phenotype_in_words(self)}{public}"),
            ("SNPs", f"{len(snps):,} on {many}, list {snps.digest[:16]}"),
            ("build", self.build or "not stated: positions are of no stated reference genome"),
            ("carried", f"public alleles, such as {snps.carried[0]} of {snps.ids[0]}"),
            (
                "model",
                f"{self.model}{'' if self.genotypes == 'calls' else ', of dosages'}; tests {', '.join(self.tests)}",
            ),
            *([] if self.unit == "person" else [("adjusted for", self.adjusted)]),
            *([] if self.missing is None else [("missing calls", cell_in_words(self))]),
            ("threshold", f"p at or below {float(self.p_threshold):z.4g} = {decimal_up(self.alpha)} / {len(snps):,}"),
        ]

    @property
    def _protected(self) -> str:
        if self.unit == "person":
            return f"one person, all genotypes and the phenotype ({self.relation}; n is public)"
        return f"one person's phenotype ({self.relation}; n is public). {UNPROTECTED}"

    @property
    def case_in_words(self) -> str:
        """The phenotype of a case."""
        return repr(self.case) if self.above is None else f"a number above {exact_text(self.above)}"

    @property
    def largest(self) -> int:
        """L: the largest whole number that a phenotype becomes."""
        return 1 if self.between is None else self.steps

    @property
    def by_moments(self) -> bool:
        """Whether all of a person is protected and the phenotype is quantitative: answers are made of noisy moments (plan/moments.py)."""
        return self.unit == "person" and self.between is not None

    @property
    def adjusted(self) -> str:
        """What tests adjust for, in words."""
        of = " of the SNPs on other chromosomes" if self.chromosome_out else ""
        components = f"{self.components} principal component{'' if self.components == 1 else 's'}{of}"
        return ", ".join([*self.covariates, *([components] if self.components else [])]) or "nothing"

    def _parts(self) -> list[Part]:
        """The first regions, the questions that the plan has, and what they cost."""
        rows = [
            (region.name, region.chromosome, f"{region.low:,}", f"{region.high:,}", f"{stop - start:,}")
            for region, (start, stop) in zip(self.regions, self.ranges.values(), strict=True)
        ]
        parts: list[Part] = [(("region", "chromosome", "from", "to", "SNPs"), rows[:MOST_REGIONS])]
        if len(rows) > MOST_REGIONS:
            parts.append(f"and {len(rows) - MOST_REGIONS:,} more: --json has all of them")
        searching = [test for test in self.tests if test not in P_VALUE_ONLY]
        by = {"snp_pval": ", ".join(self.tests), **dict.fromkeys(("loc_block", "snp_corr"), "r2, dprime")}
        choices = [
            (kind.replace("_", "-"), answer, by.get(kind, ", ".join(searching)))
            for kind, (_, answer) in QUESTIONS.items()
            if (searching or kind in by) and kind in kinds_of(self)
        ]
        return [
            *parts,
            (("question", "answers", "by"), choices),
            f"{_COST_OF_ANSWERS}\n{OF_CARRIERS}" if "snp_corr" in kinds_of(self) else _COST_OF_ANSWERS,
        ]

    def as_json(self) -> dict[str, Json]:
        """Every public choice, with all regions."""
        return {
            "title": self.title,
            "neighbours": str(self.relation),
            "people": self.people,
            **phenotype_json(self),
            "phenotype": self.phenotype,
            "ids": self.ids,
            "snps": len(self.snps),
            "snps_sha256": self.snps.digest,
            "build": self.build,
            "model": self.model,
            "tests": list(self.tests),
            **self._of_phenotypes(),
            **({} if self.missing is None else {"missing": self.missing}),
            "alpha": str(self.alpha),
            "p_threshold": {"exact": str(self.p_threshold), "float": float(self.p_threshold)},
            "regions": [
                {"name": of.name, "chromosome": of.chromosome, "from": of.low, "to": of.high, "snps": stop - start}
                for of, (start, stop) in zip(self.regions, self.ranges.values(), strict=True)
            ],
        }

    def _of_phenotypes(self) -> dict[str, Json]:
        if self.unit == "person":
            return {}
        return {
            "unit": self.unit,
            "covariates": list(self.covariates),
            "components": self.components,
            **({"chromosome_out": True} if self.chromosome_out else {}),
            **({} if self.genotypes == "calls" else {"genotypes": self.genotypes}),
            **({} if self.x_model == 2 else {"x_model": self.x_model}),
        }


def whole_chromosomes(snps: Snps) -> list[Region]:
    """One region a chromosome, named after it."""
    return [
        Region(name, name, int(snps.positions[start]), int(snps.positions[stop - 1]))
        for name, (start, stop) in snps.chromosome_ranges.items()
    ]
