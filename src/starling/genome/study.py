"""A study as an analyst asks it: one question after another, each charged, answered, and published as a folder of its own.

The same question is the same request: asked again it is answered from its folder, at no cost.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Self, TypeAlias

from starling.errors import OutputError
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, Plan, Question, SnpCorr, SnpPval, kind
from starling.genome.plan.exploring import DELTA_C, Stretches
from starling.genome.plan.queries import MOST_FOUND, Correlation, Noise, Selection
from starling.genome.publish import Answered, release
from starling.genome.request import request_body
from starling.genome.source import open_genotypes
from starling.ledger.opening import Ledger, open_ledger
from starling.ledger.rules import name
from starling.privacy.budget import Exact, exact
from starling.release.road import CUSTODIAN, Step

Texts: TypeAlias = str | Sequence[str]
"""One, or several."""


@dataclass(frozen=True, slots=True)
class Study:
    """A study that can be asked. Make one with `Study.open`.

    Attributes:
        plan: Public choices.
        genotypes: Confidential files, not yet read.
        phenotype: File of phenotypes, where there is one.
        folder: In which each answer gets a folder.
        ledger: Pays; without one, each answer brings a ledger of its own, and nothing limits what all of them cost.
        dataset: Registered in the ledger.
        analyst: Who has a grant there.
        step: Told of each public step.
    """

    plan: Plan
    genotypes: Path
    phenotype: Path | None
    folder: Path
    ledger: Ledger | None = field(default=None, repr=False)
    dataset: str = ""
    analyst: str = CUSTODIAN
    step: Step = field(default=lambda _: None, repr=False)

    @classmethod
    def open(
        cls,
        plan: Plan | str | Path,
        genotypes: str | Path,
        phenotype: str | Path | None = None,
        *,
        folder: str | Path,
        ledger: Ledger | str | None = None,
        dataset: str = "",
        analyst: str = CUSTODIAN,
        step: Step = lambda _: None,
    ) -> Self:
        """A study of checked, but unread, files.

        Args:
            plan: Or the path of one.
            genotypes: As `release` takes them.
            phenotype: Likewise.
            folder: Is made if it is not there.
            ledger: Or its URL.
            dataset: See above.
            analyst: Likewise.
            step: Likewise.

        Raises:
            PlanError, SourceError: the plan, or a file by its public shape, is not what it should be.
            ParameterError, OutputError: the ledger or the folder is none.
        """
        chosen = plan if isinstance(plan, Plan) else Plan.load(plan)
        phenotypes = None if phenotype is None else Path(phenotype)
        open_genotypes(genotypes, chosen, phenotypes)
        book = open_ledger(ledger) if isinstance(ledger, str) else ledger
        if book is not None:
            name(dataset, field="dataset")
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            fix = "choose a folder in a place that you may write"
            raise OutputError(field="folder", problem=f"cannot be made ({error.strerror})", fix=fix) from None
        return cls(chosen, Path(genotypes), phenotypes, Path(folder), book, dataset, analyst, step)

    def ask(self, question: Question, *, request_id: str | None = None) -> Answered:
        """The answer to a question, charged and published; from its folder where it was asked before. Raises as `release`."""
        asked = f"{self.dataset}\n{request_body(self.plan, question)}"
        answered = release(
            self.plan,
            question,
            self.genotypes,
            self.folder / f"{kind(question)}-{sha256(asked.encode()).hexdigest()[:12]}",
            phenotype=self.phenotype,
            ledger=self.ledger,
            dataset=self.dataset,
            analyst=self.analyst,
            request_id=request_id,
            step=self.step,
        )
        return replace(answered, code=_code(question, answered.request_id))

    def num_sig(
        self,
        test: str | None = None,
        *,
        epsilon: Exact,
        k: int = 1,
        selection: Selection = "permute-and-flip",
        request_id: str | None = None,
    ) -> Answered:
        """How many SNPs are significant: exact up to `k`, then as a range; see `NumSig`."""
        return self.ask(NumSig(test or self.plan.first_test, k, _amount(epsilon), selection), request_id=request_id)

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
        """The `k` SNPs that are significant, or nearest to it, by the most patients; see `LocSig`."""
        query = LocSig(test or self.plan.first_test, k, _amount(epsilon), _texts(regions), _stretches(excluding))
        return self.ask(query, request_id=request_id)

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
        """The longest valid block that contains one of some SNPs; see `LocBlock`. `delta_c` is that of DELTA_C unless given."""
        query = LocBlock(
            correlation,
            _threshold(correlation, delta_c),
            _texts(snps) or (),
            _amount(epsilon),
            _texts(regions),
            longest,
            _stretches(excluding),
        )
        return self.ask(query, request_id=request_id)

    def snp_pval(
        self,
        snp: str,
        test: str | None = None,
        *,
        epsilon: Exact,
        noise: Noise = "lattice",
        request_id: str | None = None,
    ) -> Answered:
        """The p-value of a SNP; see `SnpPval`."""
        return self.ask(SnpPval(snp, test or self.plan.first_test, _amount(epsilon), noise), request_id=request_id)

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
        """The correlation of two SNPs; see `SnpCorr`."""
        return self.ask(SnpCorr(first, second, correlation, _amount(epsilon), noise), request_id=request_id)

    def explore(  # noqa: PLR0913 - one for each public choice
        self,
        test: str | None = None,
        *,
        epsilon: Exact,
        correlation: Correlation = "r2",
        delta_c: Exact | None = None,
        regions: Texts | None = None,
        longest: int | None = None,
        most: int = MOST_FOUND,
        noise: Noise = "lattice",
        independent: bool = False,
        selection: Selection = "permute-and-flip",
        request_id: str | None = None,
    ) -> Answered:
        """How many SNPs are significant, which, in which blocks, with which p-values; see `Explore`."""
        question = Explore(
            test or self.plan.first_test,
            correlation,
            _threshold(correlation, delta_c),
            _amount(epsilon),
            _texts(regions),
            longest,
            most,
            noise,
            independent,
            selection,
        )
        return self.ask(question, request_id=request_id)


def explore(  # noqa: PLR0913 - one for each public choice
    plan: Plan | str | Path,
    genotypes: str | Path,
    out: str | Path,
    *,
    epsilon: Exact,
    test: str | None = None,
    correlation: Correlation = "r2",
    delta_c: Exact | None = None,
    regions: Texts | None = None,
    longest: int | None = None,
    most: int = MOST_FOUND,
    noise: Noise = "lattice",
    independent: bool = False,
    selection: Selection = "permute-and-flip",
    phenotype: str | Path | None = None,
    ledger: Ledger | None = None,
    dataset: str = "",
    analyst: str = CUSTODIAN,
    request_id: str | None = None,
    step: Step = lambda _: None,
) -> Answered:
    """Publish an exploration (Johnson and Shmatikov 2013, Section 4) as the folder `out`; see `Explore` and `release`."""
    chosen = plan if isinstance(plan, Plan) else Plan.load(plan)
    question = Explore(
        test or chosen.first_test,
        correlation,
        _threshold(correlation, delta_c),
        _amount(epsilon),
        _texts(regions),
        longest,
        most,
        noise,
        independent,
        selection,
    )
    return release(
        chosen,
        question,
        genotypes,
        out,
        phenotype=phenotype,
        ledger=ledger,
        dataset=dataset,
        analyst=analyst,
        request_id=request_id,
        step=step,
    )


def _amount(epsilon: Exact) -> Fraction:
    return exact(epsilon, field="epsilon")


def _threshold(correlation: str, delta_c: Exact | None) -> Fraction:
    # Of an unknown measure any will do: the question refuses it.
    return exact(DELTA_C.get(correlation, "0.5") if delta_c is None else delta_c, field="delta_c")


def _texts(given: Texts | None) -> tuple[str, ...] | None:
    return (given,) if isinstance(given, str) else None if given is None else tuple(given)


def _stretches(given: Sequence[tuple[str, str]]) -> Stretches:
    return tuple((first, last) for first, last in given)


def _code(question: Question, request_id: str) -> str:
    """A call that asks the same of `study`; what is as it is unless said otherwise is left out."""
    said = []
    for each in fields(question):
        value = getattr(question, each.name)
        if value != each.default:
            said.append(f"{each.name}={(str(value) if isinstance(value, Fraction) else value)!r}")
    return f"study.{kind(question)}({', '.join(said)}, request_id={request_id!r})"
