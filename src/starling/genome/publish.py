"""An answer to a question about a study: from genotypes to a folder that everybody may read."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from starling.genome.artifact.files import read_drawn
from starling.genome.asking import QuestionPlan
from starling.genome.counts.responses import StoredCounts, count_stored, identities, read_stored
from starling.genome.counts.study import StudyCounts, count_study
from starling.genome.plan import Plan, Question, Scan
from starling.genome.postprocess.estimates import Answer, Error, estimate
from starling.genome.postprocess.wording import answer_facts, answer_text, error_text
from starling.genome.publication import GenomePublication
from starling.genome.source import Genotypes, open_genotypes, study_files, validate
from starling.ledger.responses import charge_of
from starling.planfile.values import exact_text
from starling.privacy.trust import Confidential
from starling.release.codec import Json, plain
from starling.release.domain import Delivery
from starling.release.payment import DEFAULT_PAYMENT, PaymentOptions
from starling.release.pipeline import SILENT, Listener, Published, publish
from starling.release.session import html


@dataclass(frozen=True, slots=True, repr=False)
class Answered(Published):
    """An answer, and the release that it stands in.

    Attributes:
        code: A line of Python that repeats the answer at no cost, by its request id: a call of `genome.release` with the session's `plan`
            and `ledger`, or of its `study`.
        command: The command line that does the same, where one asked the question.
    """

    answer: Answer
    error: Error
    code: str
    command: str = ""

    @property
    def plan(self) -> Plan:
        """The public choices."""
        plan: Plan = self.publication.plan
        return plan

    @property
    def question(self) -> Question:
        """What was asked."""
        assert isinstance(self.publication, GenomePublication)
        return self.publication.question

    def _outcome(self) -> list[tuple[str, str]]:
        stored = self._stored_response
        further = f"--epsilon {exact_text(self.question.epsilon)} --response {stored}"
        if isinstance(self.question, Scan) and self.plan.between is not None:
            further += f" --intervals {self.question.values}"
            if self.question.median_epsilon is not None:
                further += f" --median-epsilon {exact_text(self.question.median_epsilon)}"
        more = [("further scans", f"of this response cost nothing, by other plans too: {further}")]
        facts = [("release", str(self.folder)), ("again, free", self.command or self.code)]
        return facts if stored is None else facts + more

    @property
    def _stored_response(self) -> int | None:
        """The charge whose response can be scanned again: of a scan that a lasting ledger paid for now, or paid for before."""
        if not isinstance(self.question, Scan) or self.question.response is not None:
            return charge_of(self.publication.guarantee)
        entry = None if self.receipt is None else self.receipt.entry
        return None if entry is None or entry.inside else entry.position

    def __str__(self) -> str:
        answer = answer_text(self.plan, self.question, self.answer)
        return "\n".join([*answer, "", *error_text(self.plan, self.question, self.error), "", Published.__str__(self)])

    def _repr_html_(self) -> str:
        facts = answer_facts(self.plan, self.question, self.answer, self.error)
        title = f"An answer: {self.question.guaranteed(self.plan.relation).name}"
        return html(title, [*facts, *self._facts()], self._parts())

    def as_json(self) -> dict[str, Json]:
        """What was released and paid, the answer, and how to repeat it."""
        return {
            **Published.as_json(self),
            "question": self.question.as_json(),
            **({} if self._stored_response is None else {"response": self._stored_response}),
            "answer": plain(self.answer),
            "answer_in_words": [*answer_text(self.plan, self.question, self.answer)],
            "error_in_words": [*error_text(self.plan, self.question, self.error)],
            "again": {**({"command": self.command} if self.command else {}), "python": self.code},
        }


@dataclass(frozen=True, slots=True)
class _Files:
    """A `release.domain.Source`: genotypes, phenotypes and covariates."""

    plan: Plan
    genotypes: str | Path
    phenotype: str | Path | None
    covariates: str | Path | None
    sample: str | Path | None
    scan: Scan | None = field(default=None, kw_only=True)
    """The question, where it is a scan and known already."""

    def files(self) -> Iterable[Path]:
        """The files of the study."""
        return study_files(self.genotypes, self.phenotype, self.covariates, self.sample)

    def opened(self) -> Genotypes:
        """Them, checked by their public shape."""
        return open_genotypes(self.genotypes, self.plan, self.phenotype, self.covariates, self.sample)

    def open(self) -> Callable[[ExitStack], Confidential[StudyCounts]]:
        """What the mechanisms may ask of files whose people, SNPs and sizes are those of the plan."""
        genotypes = self.opened()
        return lambda _: count_study(self.plan, genotypes)

    def open_stored(self, stored: bytes, /) -> Callable[[ExitStack], Confidential[StoredCounts]]:
        """What a scan of a kept response may ask of them; no phenotype."""
        genotypes = self.opened()
        response = read_stored(self.plan, genotypes.people, stored, self.scan)
        return lambda _: count_stored(self.plan, genotypes, response)


def release(
    plan: Plan,
    question: Question,
    genotypes: str | Path,
    out: str | Path,
    *,
    phenotype: str | Path | None = None,
    covariates: str | Path | None = None,
    sample: str | Path | None = None,
    payment: PaymentOptions = DEFAULT_PAYMENT,
    listener: Listener = SILENT,
) -> Answered:
    """Publish the answer to a question as the folder `out`.

    Args:
        plan: The public choices.
        question: A query of `genome.plan`, or an exploration.
        genotypes: Confidential: PLINK's prefix of .bed or .pgen, or a .bed, .pgen, .vcf, .vcf.gz, .bcf or .bgen.
        out: The folder to make; it must not exist, unless it is the answer of this very request.
        phenotype: File of phenotypes; needed for VCF and BCF, else it takes the place of what .fam or .psam say.
        covariates: File of covariates, as PLINK's --covar takes it; needed where the plan adjusts for some.
        sample: The .sample of a BGEN that does not name its people; without it the one that is beside it.
        payment: Who pays, for which data, and under which request id.
        listener: Hears of each public step, approves of the charge, and hears of it.

    Raises:
        ParameterError, SourceError, OutputError: by public checks, before anything is charged.
        BudgetRefused, PolicyRefused, RequestConflict: by the ledger, before anything is read.
        RunFailed: after the charge, always with the same words.
    """
    listener.step("checking the question and the files")
    publication = GenomePublication(plan, question)
    scan = question if isinstance(question, Scan) else None
    files = _Files(plan, genotypes, phenotype, covariates, sample, scan=scan)
    done = publish(publication, files, Path(out).absolute(), payment, listener)
    shown = estimate(plan, question, read_drawn(done.folder, question, moments=plan.by_moments))
    code = _code(question, files, out, payment, done.request_id)
    return Answered(done.folder, done.request_id, done.receipt, publication, shown.answer, shown.error, code)


def deliver(plan: str, files: Mapping[str, Path]) -> Delivery:
    """A plan file with the genotypes, and phenotypes, covariates and people where they have a file, opened; raises PlanError or SourceError
    by public checks.
    """
    chosen = Plan.load(plan)
    source = _Files(chosen, files["genotypes"], *(files.get(name) for name in ("phenotype", "covariates", "sample")))
    opened = source.opened()
    return Delivery(
        QuestionPlan(chosen),
        source,
        lambda most: validate(chosen, opened, most=most).value,
        lambda: identities(chosen, opened.people),
    )


def _code(question: Question, files: _Files, out: str | Path, payment: PaymentOptions, request_id: str) -> str:
    """A call of `release` with the same arguments."""
    call = f"genome.{type(question).__name__}({question.stated})"
    arguments = ["plan", call, repr(str(files.genotypes)), repr(str(out))]
    optional = {"phenotype": files.phenotype, "covariates": files.covariates, "sample": files.sample}
    arguments += [f"{name}={str(path)!r}" for name, path in optional.items() if path is not None]
    paid = "" if payment.ledger is None else f"ledger, {payment.dataset!r}, {payment.analyst!r}, "
    return f"genome.release({', '.join(arguments)}, payment=PaymentOptions({paid}request_id={request_id!r}))"
