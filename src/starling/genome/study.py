"""A study as an analyst asks it: one question after another, each charged, answered, and published as a folder of its own.

The same question is the same request: asked again it is answered from its folder, at no cost.
"""

from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Self, Unpack

from starling.errors import OutputError
from starling.genome.asking import Asks
from starling.genome.plan import Plan, Question
from starling.genome.plan.exploring import ExploreOptions, code_of, exploration
from starling.genome.publication import request_body
from starling.genome.publish import Answered, release
from starling.genome.source import open_genotypes
from starling.ledger.rules import name
from starling.privacy.budget import Exact
from starling.release.payment import DEFAULT_PAYMENT, PaymentOptions
from starling.release.pipeline import SILENT, Listener
from starling.release.session import InSession


@dataclass(frozen=True, slots=True, repr=False)
class Study(Asks[Answered], InSession):
    """A case-control study that can be asked, and previewed. Make one with `Study.open`.

    Each question is a method of `Asks`: `num_sig`, `loc_sig`, `loc_block`, `snp_pval`, `snp_corr`, and `explore` for all in one. `preview`
    says what an answer will be worth before it is paid for.

    Attributes:
        plan: Public choices.
        genotypes: Confidential files, not yet read.
        phenotype: File of phenotypes, where there is one.
        covariates: File of covariates, where the plan adjusts for some.
        sample: The .sample of a BGEN, where it was given.
        folder: The folder in which each answer gets a folder.
        payment: Who pays; without a ledger, each answer brings one of its own, and nothing limits what all of them cost.
        listener: Hears of each public step.
    """

    plan: Plan
    genotypes: Path
    phenotype: Path | None
    covariates: Path | None
    sample: Path | None
    folder: Path
    payment: PaymentOptions = field(default=DEFAULT_PAYMENT, repr=False)
    listener: Listener = field(default=SILENT, repr=False)

    @classmethod
    def open(
        cls,
        plan: Plan | str | Path,
        genotypes: str | Path,
        phenotype: str | Path | None = None,
        *,
        covariates: str | Path | None = None,
        sample: str | Path | None = None,
        folder: str | Path,
        payment: PaymentOptions = DEFAULT_PAYMENT,
        listener: Listener = SILENT,
    ) -> Self:
        """A study of checked, but unread, files.

        Args:
            plan: Public choices, or the path of a plan file.
            genotypes: Confidential: PLINK's prefix of .bed or .pgen, or a .bed, .pgen, .vcf, .vcf.gz, .bcf or .bgen.
            phenotype: File of phenotypes; needed for VCF and BCF, else it takes the place of what .fam or .psam say.
            covariates: File of covariates, as PLINK's --covar takes it; needed where the plan adjusts for some.
            sample: The .sample of a BGEN that does not name its people; without it the one that is beside it.
            folder: The folder in which each answer gets one of its own; it is made if it is not there.
            payment: Who pays for each answer; without a ledger nothing limits what all answers cost together.
            listener: Hears of each public step as it begins.

        Raises:
            PlanError, SourceError: the plan, or a file by its public shape, is not what it should be.
            ParameterError, OutputError: the ledger or the folder is none.
        """
        chosen = plan if isinstance(plan, Plan) else Plan.load(plan)
        paths = (None if path is None else Path(path).absolute() for path in (phenotype, covariates, sample))
        phenotypes, adjusted, people = paths
        answers = Path(folder).absolute()
        open_genotypes(genotypes, chosen, phenotypes, adjusted, people)
        ledger = payment.opened()
        if ledger is not None:
            name(payment.dataset, field="dataset")
        try:
            answers.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            fix = "choose a folder in a place that you may write"
            raise OutputError("folder", f"cannot be made ({error.strerror})", fix) from None
        paid = replace(payment, ledger=ledger)
        return cls(chosen, Path(genotypes).absolute(), phenotypes, adjusted, people, answers, paid, listener)

    def _facts(self) -> list[tuple[str, str]]:
        plan, paid = self.plan, self.payment
        own = "each answer brings a ledger of its own, and nothing limits what all of them cost"
        return [
            ("study", plan.title),
            ("plan", f"{plan.people:,} people, {len(plan.snps):,} SNPs, {plan.model} model, {', '.join(plan.tests)}"),
            ("genotypes", f"{self.genotypes} (confidential, not read)"),
            *([] if self.phenotype is None else [("phenotype", f"{self.phenotype} (confidential, not read)")]),
            *([] if self.covariates is None else [("covariates", f"{self.covariates} (not read)")]),
            *([] if self.sample is None else [("people", f"{self.sample} (confidential, not read)")]),
            ("pays", own if paid.ledger is None else f"the ledger, for {paid.dataset}, in the name of {paid.analyst}"),
            ("answers in", str(self.folder)),
        ]

    def ask(self, question: Question, *, request_id: str | None = None) -> Answered:
        """The answer to a question, charged and published; from its folder, at no cost, where it was asked before.

        Args:
            question: A `NumSig`, `LocSig`, `LocBlock`, `SnpPval`, `SnpCorr`, `Explore`, `Scan`, `SnpEffects` or `ExploreEffects` of
                `starling.genome`.
            request_id: Under which the charge is found again; a fresh one without it.

        Raises:
            ParameterError, SourceError, OutputError: by public checks, before anything is charged.
            BudgetRefused, PolicyRefused, RequestConflict: by the ledger, before anything is read.
            RunFailed: after the charge, always with the same words.
        """
        body = f"{self.payment.dataset}\n{request_body(self.plan, question)}"
        answered = release(
            self.plan,
            question,
            self.genotypes,
            self.folder / f"{question.kind}-{sha256(body.encode()).hexdigest()[:12]}",
            phenotype=self.phenotype,
            covariates=self.covariates,
            sample=self.sample,
            payment=replace(self.payment, request_id=request_id),
            listener=self.listener,
        )
        return replace(answered, code=code_of(question, answered.request_id))


def explore(
    plan: Plan | str | Path,
    genotypes: str | Path,
    out: str | Path,
    *,
    epsilon: Exact,
    test: str | None = None,
    phenotype: str | Path | None = None,
    payment: PaymentOptions = DEFAULT_PAYMENT,
    listener: Listener = SILENT,
    **options: Unpack[ExploreOptions],
) -> Answered:
    """Publish an exploration of a study as the folder `out`: how many SNPs are significant, which, in which blocks, with which p-values.

    After Johnson and Shmatikov (2013), Section 4.

    Args:
        plan: Public choices, or the path of a plan file.
        genotypes: Confidential: PLINK's prefix of .bed or .pgen, or a .bed, .pgen, .vcf, .vcf.gz, .bcf or .bgen.
        out: Folder to make; must not exist, unless it is the answer of this very request.
        epsilon: What the whole costs, charged at the start whatever its parts leave unspent: a text such as "2", or an exact number.
        test: One of the plan's tests that has a distance to significance; the first of them without it.
        phenotype: File of phenotypes; needed for VCF and BCF, else it takes the place of what .fam or .psam say.
        payment: Who pays, for which data, and under which request id.
        listener: Hears of each public step, approves of the charge, and hears of it.
        options: What may be chosen besides, by name; `starling.genome.ExploreOptions` lists it.

    Raises:
        PlanError, ParameterError, SourceError, OutputError: by public checks, before anything is charged.
        BudgetRefused, PolicyRefused, RequestConflict: by the ledger, before anything is read.
        RunFailed: after the charge, always with the same words.
    """
    chosen = plan if isinstance(plan, Plan) else Plan.load(plan)
    question = exploration(chosen, test, epsilon, options)
    return release(chosen, question, genotypes, out, phenotype=phenotype, payment=payment, listener=listener)
