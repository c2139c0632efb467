"""A study as an analyst asks it: one question after another, each charged, answered, and published as a folder of its own.

The same question is the same request: asked again it is answered from its folder, at no cost.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Self, Unpack

from starling.errors import OutputError
from starling.genome.plan import LocBlock, LocSig, NumSig, Plan, Question, SnpCorr, SnpPval, kind
from starling.genome.plan.exploring import ExploreOptions, Texts, code_of, exploration, threshold
from starling.genome.plan.queries import Correlation, Noise, Selection
from starling.genome.preview import Assumed, ExpectedErrors, expected_errors
from starling.genome.preview.typical import RAREST
from starling.genome.publication import request_body
from starling.genome.publish import Answered, release
from starling.genome.source import open_genotypes
from starling.ledger.rules import name
from starling.privacy.budget import Exact
from starling.release.payment import DEFAULT_PAYMENT, PaymentOptions
from starling.release.pipeline import SILENT, Listener
from starling.release.session import InSession


@dataclass(frozen=True, slots=True, repr=False)
class Study(InSession):
    """A case-control study that can be asked, and previewed. Make one with `Study.open`.

    Each question is a method, with its cost as `epsilon`: `num_sig`, `loc_sig`, `loc_block`, `snp_pval`, `snp_corr`, and `explore` for
    all in one. `preview` says what an answer will be worth before it is paid for. What all methods that ask have in common:

    - `epsilon`: what the whole answer costs, above 0: a text such as "0.5", or an exact number.
    - `test`: one of the plan's tests, for a selection one that has a distance to significance; the first such of them without it.
    - `regions`: names of regions of the plan to look in, one or several; all of them without it.
    - `excluding`: ranges of SNPs to leave out, each by its first and its last SNP.
    - `correlation`: "r2" or "dprime".
    - `noise`: of counts: "lattice", or "laplace" as published.
    - `request_id`: under which the charge is found again; a fresh one without it.

    Each raises what `ask` raises.

    Attributes:
        plan: Public choices.
        genotypes: Confidential files, not yet read.
        phenotype: File of phenotypes, where there is one.
        folder: The folder in which each answer gets a folder.
        payment: Who pays; without a ledger, each answer brings one of its own, and nothing limits what all of them cost.
        listener: Hears of each public step.
    """

    plan: Plan
    genotypes: Path
    phenotype: Path | None
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
        folder: str | Path,
        payment: PaymentOptions = DEFAULT_PAYMENT,
        listener: Listener = SILENT,
    ) -> Self:
        """A study of checked, but unread, files.

        Args:
            plan: Public choices, or the path of a plan file.
            genotypes: Confidential: PLINK's prefix of .bed or .pgen, or a .bed, .pgen, .vcf, .vcf.gz or .bcf.
            phenotype: File of phenotypes; needed for VCF and BCF, else it takes the place of what .fam or .psam say.
            folder: The folder in which each answer gets one of its own; it is made if it is not there.
            payment: Who pays for each answer; without a ledger nothing limits what all answers cost together.
            listener: Hears of each public step as it begins.

        Raises:
            PlanError, SourceError: the plan, or a file by its public shape, is not what it should be.
            ParameterError, OutputError: the ledger or the folder is none.
        """
        chosen = plan if isinstance(plan, Plan) else Plan.load(plan)
        phenotypes = None if phenotype is None else Path(phenotype)
        open_genotypes(genotypes, chosen, phenotypes)
        ledger = payment.opened()
        if ledger is not None:
            name(payment.dataset, field="dataset")
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            fix = "choose a folder in a place that you may write"
            raise OutputError("folder", f"cannot be made ({error.strerror})", fix) from None
        return cls(chosen, Path(genotypes), phenotypes, Path(folder), replace(payment, ledger=ledger), listener)

    def _facts(self) -> list[tuple[str, str]]:
        plan, paid = self.plan, self.payment
        own = "each answer brings a ledger of its own, and nothing limits what all of them cost"
        return [
            ("study", plan.title),
            ("plan", f"{plan.people:,} people, {len(plan.snps):,} SNPs, {plan.model} model, {', '.join(plan.tests)}"),
            ("genotypes", f"{self.genotypes} (confidential, not read)"),
            *([] if self.phenotype is None else [("phenotype", f"{self.phenotype} (confidential, not read)")]),
            ("pays", own if paid.ledger is None else f"the ledger, for {paid.dataset}, in the name of {paid.analyst}"),
            ("answers in", str(self.folder)),
        ]

    def ask(self, question: Question, *, request_id: str | None = None) -> Answered:
        """The answer to a question, charged and published; from its folder, at no cost, where it was asked before.

        Args:
            question: A `NumSig`, `LocSig`, `LocBlock`, `SnpPval`, `SnpCorr` or `Explore` of `starling.genome`.
            request_id: Under which the charge is found again; a fresh one without it.

        Raises:
            ParameterError, SourceError, OutputError: by public checks, before anything is charged.
            BudgetRefused, PolicyRefused, RequestConflict: by the ledger, before anything is read.
            RunFailed: after the charge, always with the same words.
        """
        asked = f"{self.payment.dataset}\n{request_body(self.plan, question)}"
        answered = release(
            self.plan,
            question,
            self.genotypes,
            self.folder / f"{kind(question)}-{sha256(asked.encode()).hexdigest()[:12]}",
            phenotype=self.phenotype,
            payment=replace(self.payment, request_id=request_id),
            listener=self.listener,
        )
        return replace(answered, code=code_of(question, answered.request_id))

    def preview(
        self, question: Question, *, cases: int | None = None, rarest: Exact = RAREST, followed: int | None = None
    ) -> ExpectedErrors:
        """What an answer will be worth at its cost, before anything is spent; nothing confidential is read.

        What holds for every study is told in patients; what that means in odds ratios is told for a typical study, which is supposed.

        Args:
            question: A `NumSig`, `LocSig`, `LocBlock`, `SnpPval`, `SnpCorr` or `Explore` of `starling.genome`.
            cases: Suppose that so many people are cases; half of them without it.
            rarest: Suppose that alleles of the list are no rarer than this frequency.
            followed: How many SNPs an `Explore` is supposed to follow up; the most that it may without it.

        Raises:
            ParameterError: the plan has no such question, or nothing like what is supposed.
        """
        assumed = Assumed.of(self.plan, cases, rarest)
        return expected_errors(assumed, {kind(question): question}, [question.epsilon], followed=followed)

    def num_sig(
        self,
        test: str | None = None,
        *,
        epsilon: Exact,
        k: int = 1,
        selection: Selection = "permute-and-flip",
        request_id: str | None = None,
    ) -> Answered:
        """How many SNPs are significant, told one by one up to `k`, then as a range between powers of two.

        `selection` is "permute-and-flip", or "exponential" as published. The class says what the rest means and what is raised.
        """
        return self._ask(NumSig, request_id, test=self._test(test), k=k, epsilon=epsilon, selection=selection)

    def loc_sig(
        self,
        test: str | None = None,
        *,
        epsilon: Exact,
        k: int = 1,
        regions: Texts | None = None,
        excluding: Sequence[tuple[str, str]] = (),
        request_id: str | None = None,
    ) -> Answered:
        """The `k` SNPs that are significant, or nearest to it, by the most patients; the class says what else is asked for."""
        choices = {"k": k, "epsilon": epsilon, "regions": regions, "excluding": excluding}
        return self._ask(LocSig, request_id, test=self._test(test), **choices)

    def loc_block(
        self,
        snps: Texts,
        *,
        epsilon: Exact,
        correlation: Correlation = "r2",
        delta_c: Exact | None = None,
        regions: Texts | None = None,
        longest: int | None = None,
        excluding: Sequence[tuple[str, str]] = (),
        request_id: str | None = None,
    ) -> Answered:
        """The longest block of correlated SNPs that contains one of `snps`, an id or several.

        `delta_c` is what each correlation within the block must exceed, in (0, 1): 0.2 for r2 and 0.8 for dprime without it. `longest` is
        the most SNPs of a block; without it there is no bound, and the regions may hold up to 10,000 SNPs.
        """
        choices = {"snps": snps, "epsilon": epsilon, "regions": regions, "longest": longest, "excluding": excluding}
        above = threshold(correlation, delta_c)
        return self._ask(LocBlock, request_id, correlation=correlation, delta_c=above, **choices)

    def snp_pval(
        self,
        snp: str,
        test: str | None = None,
        *,
        epsilon: Exact,
        noise: Noise = "lattice",
        request_id: str | None = None,
    ) -> Answered:
        """The p-value of a SNP from noisy counts, with an interval; epsilon is at least 1/4096."""
        return self._ask(SnpPval, request_id, snp=snp, test=self._test(test), epsilon=epsilon, noise=noise)

    def snp_corr(
        self,
        first: str,
        second: str,
        *,
        epsilon: Exact,
        correlation: Correlation = "r2",
        noise: Noise = "lattice",
        request_id: str | None = None,
    ) -> Answered:
        """The correlation of two SNPs from noisy counts of who carries both, one or none; epsilon is at least 1/4096."""
        choices = {"correlation": correlation, "epsilon": epsilon, "noise": noise}
        return self._ask(SnpCorr, request_id, first=first, second=second, **choices)

    def explore(
        self,
        test: str | None = None,
        *,
        epsilon: Exact,
        request_id: str | None = None,
        **options: Unpack[ExploreOptions],
    ) -> Answered:
        """How many SNPs are significant, which, in which blocks, with which p-values, in one answer.

        All of epsilon is charged at the start, whatever its parts leave unspent. `starling.genome.ExploreOptions` lists what may be chosen
        besides.
        """
        return self.ask(exploration(self.plan, test, epsilon, options), request_id=request_id)

    def _ask(self, kind_of: Callable[..., Question], request_id: str | None, **choices: Any) -> Answered:
        """The answer to a question of that kind, which makes its amounts exact and its lists tuples."""
        return self.ask(kind_of(**choices), request_id=request_id)

    def _test(self, test: str | None) -> str:
        return test or self.plan.first_test


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
        genotypes: Confidential: PLINK's prefix of .bed or .pgen, or a .bed, .pgen, .vcf, .vcf.gz or .bcf.
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
