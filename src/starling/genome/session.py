"""A study in a Python session: a plan that previews, validates, invents, and releases the answer to a question. `Study` asks many.

plan = genome.plan("array.bim", people=2000)
release = plan.release("study.bed", genome.NumSig("g", 3, Fraction(1)))
release.answer
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from starling.engine.held_records import InMemory, check_session
from starling.engine.spark import DUCKDB
from starling.errors import SHOWN
from starling.genome.analysis import GenomeRelease
from starling.genome.generate.standing_in import invent
from starling.genome.plan import Plan as PlanChoices
from starling.genome.plan import Question
from starling.genome.plan.choices import ALPHA, CASE, TESTS_OF, Build, Counted, Ids, Model, Unit, tests_of
from starling.genome.plan.missing import Missing
from starling.genome.plan.snps import Row
from starling.genome.preview.expected import Expected, preview
from starling.genome.publish import release
from starling.genome.source import open_genotypes, validate
from starling.genome.source.held import Records, as_files, snp_rows
from starling.ledger.opening import Ledger
from starling.planfile.values import exact_text
from starling.privacy.budget import Exact, exact
from starling.privacy.most import warn_of_large
from starling.release.described import Generated
from starling.release.domain import Validated
from starling.release.in_session import released, session_payment
from starling.release.payment import CUSTODIAN


class Plan(PlanChoices):
    """The plan of a study, and what a session does with it. It is made by `genome.plan`, read by `Plan.load`, or stated in `Plan.of`."""

    def preview(self, question: Question) -> Expected:
        """How far the answer to a question may be off at its price. Opens no records. Raises ParameterError where the plan has no such
        question.
        """
        warn_of_large(question.guaranteed(self.relation).cost)
        return preview(self, question)

    def generate(self, out: str | Path, *, cases: int | None = None, seed: int = 1) -> Generated:
        """Invent a study of the plan's SNPs and number of people, to try everything with. It describes nobody.

        Args:
            out: Folder to make; must not exist.
            cases: How many people are cases; half of them without it.
            seed: Public: the same gives the same records.

        Raises:
            ParameterError: a number is out of range, or the study would have more than 1 GiB of calls.
            OutputError: the folder exists or cannot be written.
        """
        return invent(self, Path(out).absolute(), cases=cases, seed=seed)

    def validate(
        self,
        records: Records,
        *,
        phenotype: Records | None = None,
        covariates: Records | None = None,
        sample: str | Path | None = None,
        most: int = SHOWN,
    ) -> Validated:
        """What queries read otherwise than the files may have meant it, for the custodian of the records alone: it is NOT PRIVATE.

        Args:
            records: Genotypes, as `release` takes them.
            phenotype: Phenotypes, as `release` takes them.
            covariates: Covariates, as `release` takes them.
            sample: The people of a BGEN, as `release` takes them.
            most: How many faults are listed, and how many notes; all are counted.

        Raises:
            SourceError: they are no study of the plan, or are no longer what they were.
        """
        with as_files(self, records, phenotype, covariates) as (genotypes, words, adjusted):
            return validate(self, open_genotypes(genotypes, self, words, adjusted, sample), most=most).value

    def release(  # noqa: PLR0913 - the files of a study and who pays, by name
        self,
        records: Records,
        question: Question,
        out: str | Path | None = None,
        *,
        ledger: Ledger | str | None = None,
        dataset: str = "",
        analyst: str = CUSTODIAN,
        request_id: str | None = None,
        unvalidated: bool | None = None,
        phenotype: Records | None = None,
        covariates: Records | None = None,
        sample: str | Path | None = None,
    ) -> GenomeRelease:
        """Charge the question, read the study, draw the answer, publish, and open what was published.

        Args:
            records: Genotypes: PLINK's prefix of .bed or .pgen, or a .bed, .pgen, .vcf, .vcf.gz, .bcf or .bgen; or a frame with a row for
                each person (a column IID, or the index of a pandas frame) and a column for each SNP, which holds the copies of the
                carried allele: 0, 1, 2, or missing; of a plan that counts dosages any number from 0 to 2.
            question: A `NumSig`, `LocSig`, `LocBlock`, `SnpPval`, `SnpCorr`, `Explore`, `Scan`, `SnpEffects` or `ExploreEffects`, with
                its price.
            out: The folder to make. Without it and without a ledger, a temporary one that goes with the release.
            ledger: Pays, opened or as its URL. Without it nothing limits a further release of the same records.
            dataset: The name of the records in the ledger.
            analyst: Who has a grant there.
            request_id: The id under which the charge is found again; a fresh one without it.
            unvalidated: Whether records are read that nobody accepted in the ledger; by default only without a ledger. A frame cannot be
                accepted.
            phenotype: A file of phenotypes, or a frame with IID and a column of them; needed for VCF, BCF, BGEN and frames, else it takes
                the place of what .fam or .psam say.
            covariates: A file of covariates, as PLINK's --covar takes it, or a frame with IID and their columns; needed where the plan
                adjusts for some.
            sample: The .sample of a BGEN that does not name its people; without it the one that is beside it.

        Raises:
            ParameterError, PlanError, SourceError, OutputError: by public checks, before anything is charged.
            BudgetRefused, PolicyRefused, RequestConflict: by the ledger, before anything is read.
            RunFailed: after the charge, always with the same words.
        """
        payment = session_payment(ledger, dataset, analyst, request_id, unvalidated)
        if not isinstance(records, str | Path):
            check_session((), DUCKDB, None if out is None else Path(out))
        with as_files(self, records, phenotype, covariates) as files:
            publish = partial(release, self, question, files[0], phenotype=files[1], covariates=files[2], sample=sample)
            return released(payment, publish, GenomeRelease, out)


def plan(  # noqa: PLR0913 - what a plan may state, by name
    snps: str | Path | Sequence[Row] | InMemory,
    people: int,
    *,
    model: Model | None = None,
    tests: Sequence[str] | None = None,
    alpha: Exact = ALPHA,
    case: str = CASE,
    above: Exact | None = None,
    between: tuple[Exact, Exact] | None = None,
    steps: int | None = None,
    phenotype: str | None = None,
    regions: Mapping[str, tuple[str, int, int]] | None = None,
    build: Build | None = None,
    ids: Ids = "confidential",
    unit: Unit = "person",
    covariates: Sequence[str] = (),
    components: int = 0,
    chromosome_out: bool = False,
    genotypes: Counted = "calls",
    x_model: int = 2,
    missing: Missing | None = None,
    title: str = "Cases and controls",
) -> Plan:
    """A plan of a case-control study; other choices are keys of a plan file, which `Plan.of` takes.

    Args:
        snps: The public SNP list: a .bim or .pvar; or, for each SNP, its id, chromosome, position, carried allele and other allele, as
            rows or as a frame with the columns id, chromosome, position, carried and other.
        people: How many people the study has; public.
        model: What is compared between cases and controls: "dominant" without it; "additive" where the unit is the phenotype.
        tests: Which tests may be asked for; all of the model without it.
        alpha: A SNP is significant when its p-value is at or below alpha divided by the number of SNPs.
        case: The phenotype of a case; everybody else is a control.
        above: In place of case, of a quantitative phenotype: numbers above this public one are cases.
        between: In place of case, of a quantitative phenotype as it is: the public ends to which it is clipped; a missing one is in the
            middle. Of the unit "phenotype" alone.
        steps: How many equal steps are between these ends; 100 without it.
        phenotype: The name of the phenotype's column; the first one without it.
        regions: Stretches of chromosomes in which answers are looked for, by name: chromosome, first and last base pair. Each chromosome
            without it.
        build: The reference genome of the positions.
        ids: Whether it is public who takes part.
        unit: Whose data are protected: all of one person, or one person's "phenotype" and nothing else: neither genotypes nor covariates.
        covariates: Columns of the covariate file that tests adjust for; of phenotypes alone.
        components: How many principal components of the SNPs they adjust for; of phenotypes alone.
        x_model: How many copies a man's single one on X counts as, as PLINK's --xchr-model: 2, or 1 of phenotypes alone.
        chromosome_out: Whether components of a SNP's test are of the SNPs on other chromosomes alone.
        genotypes: Whether calls or imputed "dosages" are counted; dosages of phenotypes alone.
        missing: "cell" to count who lacks a call in a cell of their own, for `NumSig`, `LocSig` and `SnpPval`; as no copy, or the mean,
            without it.
        title: What the study is.

    Raises:
        PlanError: with every problem.
        SourceError: the SNP list is a frame without these columns.

    >>> plan([("rs1", "1", 1000, "A", "C"), ("rs2", "1", 2000, "G", "T")], people=500).tests
    ('g', 'chi2', 'fisher', 'logistic', 'wald')
    """
    model = model or ("additive" if unit == "phenotype" or between is not None else "dominant")
    known = tests_of(unit, quantitative=between is not None) if unit in TESTS_OF else {}
    listed: Any = {"list": str(snps)}
    if not isinstance(snps, str | Path):
        listed = Plan.snp_list(snps if isinstance(snps, list | tuple) else snp_rows(snps))
    listed_regions = [
        {"name": name, "chromosome": chromosome, "from": first, "to": last}
        for name, (chromosome, first, last) in (regions or {}).items()
    ]
    values: dict[str, Any] = {
        "title": title,
        "privacy": {"unit": unit, "neighbours": "replace-one"},
        "study": {
            "people": people,
            "case": None if (above, between) != (None, None) and case == CASE else case,
            "above": None if above is None else exact_text(exact(above, field="above")),
            "between": None if between is None else [exact_text(exact(end, field="between")) for end in between],
            "steps": steps,
            "phenotype": phenotype,
            "build": build,
            "ids": ids,
        },
        "snps": listed,
        "analysis": {
            "model": model,
            "tests": list(known.get(model, ()) if tests is None else tests),
            "alpha": alpha if isinstance(alpha, str | int) else str(Fraction(alpha)),
            "covariates": list(covariates) or None,
            "components": components or None,
            "chromosome-out": chromosome_out or None,
            "genotypes": genotypes,
            "x-model": x_model,
            "missing": missing,
        },
        "regions": listed_regions or None,
    }
    return Plan.of(values)
