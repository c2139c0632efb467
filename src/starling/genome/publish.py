"""The road of a question to a study, from genotypes to a folder that everybody may read.

Public checks come first, with full messages. Then the charge, then the read, then the draw, to which the charge is committed
before anybody can see it: `privacy.trust.publish` holds that order. What follows is post-processing of released values. Last,
the ledger keeps the manifest of the finished folder, and the folder is put into place; a run that dies on the way is taken up
by the next one of the same request.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from starling.genome.artifact import write_release
from starling.genome.artifact.drawn import read_drawn, write_drawn
from starling.genome.counts.study import count_study
from starling.genome.mechanism import mechanism_of
from starling.genome.plan import Plan, Question
from starling.genome.postprocess import Answer, Error, tell
from starling.genome.postprocess.wording import answer_facts, answer_words, error_words
from starling.genome.request import request_body
from starling.genome.source import Genotypes, open_genotypes, study_files
from starling.ledger.opening import Ledger
from starling.privacy.trust import Receipt, publish
from starling.release.commitment import Written
from starling.release.datapackage import read_json
from starling.release.payment import Payment, finish
from starling.release.pipeline import CUSTODIAN, Approve, Charged, Published, Step, order
from starling.release.records import Records
from starling.release.session import html, public
from starling.release.statement import FILE


@dataclass(frozen=True, slots=True, repr=False)
class Answered(Published):
    """An answer, and the release that it stands in.

    Attributes:
        plan: Public choices.
        question: What was asked.
        answer: To the question.
        error: How far it may be off.
        code: A line of Python that repeats the answer at no cost, by its request id: a call of `genome.release` with the session's `plan`
            and `ledger`, or of its `study`.
    """

    plan: Plan
    question: Question
    answer: Answer
    error: Error
    code: str

    def __repr__(self) -> str:
        """For a session: the answer, how far it may be off, what it cost, where it is, how to repeat it."""
        return "\n".join(
            [
                *answer_words(self.plan, self.question, self.answer),
                *error_words(self.plan, self.question, self.error),
                f"{self._charge()}; published as {self.folder}",
                f">>> {self.code}",
            ]
        )

    def _repr_html_(self) -> str:
        facts = answer_facts(self.plan, self.question, self.answer, self.error)
        rest = [("cost", self._charge()), ("published as", str(self.folder)), ("again", self.code)]
        return html(f"An answer: {self.question.guarantee.name}", [*facts, *rest])

    def _charge(self) -> str:
        cost = self.question.guarantee.cost
        charge = f"charged {cost}" if self.receipt else "charged nothing: this question was answered before"
        return f"{charge} (request {self.request_id})"

    def __dir__(self) -> list[str]:
        return public(self)


def release(  # noqa: PLR0913 - one for each public choice
    plan: Plan,
    question: Question,
    genotypes: str | Path,
    out: str | Path,
    *,
    phenotype: str | Path | None = None,
    ledger: Ledger | None = None,
    dataset: str = "",
    analyst: str = CUSTODIAN,
    request_id: str | None = None,
    unvalidated: bool = False,
    step: Step = lambda _: None,
    approve: Approve = lambda *_: None,
    charged: Charged = lambda _: None,
) -> Answered:
    """Publish the answer to a question as the folder `out`.

    Args:
        plan: Public choices.
        question: A query of `genome.plan`, or an exploration.
        genotypes: Confidential: PLINK's prefix of .bed or .pgen, or a .bed, .pgen, .vcf, .vcf.gz or .bcf.
        out: Folder to make; must not exist, unless it is the answer of this very request.
        phenotype: File of phenotypes; needed for VCF and BCF, else it takes the place of what .fam or .psam say.
        ledger: Pays, for `dataset`, in the name of `analyst`. Without one, a fresh ledger inside the folder grants the question's
            cost once, and the report says that nothing then limits a second release.
        dataset: Registered in the ledger.
        analyst: Who has a grant there.
        request_id: Under which the charge is found again; a fresh one without it.
        unvalidated: Read files that nobody accepted in the ledger (`starling genome validate --accept`); the release then says so. Needed
            without a ledger, where nobody keeps that they were looked at.
        step: Told of each public step.
        approve: Called last before the charge, with the order and how far earlier runs of it came; refuses by raising.
        charged: Told the request id as soon as the charge is durable.

    Raises:
        ParameterError, SourceError, OutputError: by public checks, before anything is charged.
        BudgetRefused, PolicyRefused, RequestConflict: by the ledger, before anything is read.
        RunFailed: after the charge, always with the same words.
    """
    step("checking the question and the files")
    mechanism = mechanism_of(plan, question)
    asked = order(
        Path(out),
        request_body(plan, question),
        mechanism.guarantee,
        ledger=ledger,
        dataset=dataset,
        analyst=analyst,
        request_id=request_id,
        read=Records(partial(study_files, genotypes, phenotype), unvalidated, "starling genome validate"),
    )
    receipt = None
    stage = asked.stage()
    if stage != "answered":
        source = open_genotypes(genotypes, plan, phenotype)
        accepted = asked.accepted()
        approve(asked, stage)
        with asked.writing(step, accepted=accepted) as (folder, payment):
            receipt = _fill(folder, plan, question, source, payment, step, charged)
    told = tell(plan, question, read_drawn(Path(out), question))
    # Under which it was answered first.
    name = str(read_json(Path(out) / FILE)["account"]["request_id"])
    code = _code(question, genotypes, out, phenotype, None if ledger is None else (dataset, analyst), name)
    return Answered(Path(out), name, receipt, plan, question, told.answer, told.error, code)


def _fill(
    folder: Path, plan: Plan, question: Question, source: Genotypes, payment: Payment, step: Step, charged: Charged
) -> Receipt:
    """Charge, read, draw, commit, write, sign, seal."""
    with payment.paying(folder, partial(read_drawn, question=question), charged) as (account, commitment):
        step("charging, reading genotypes and drawing")
        mechanism = Written(mechanism_of(plan, question), partial(write_drawn, commitment.create))
        drawn = publish(count_study(plan, source), mechanism, commitment)
        step("writing the release")
        write_release(folder, plan, question, drawn)
        finish(account, payment, folder)
    return drawn.receipt


def _code(
    question: Question,
    genotypes: str | Path,
    out: str | Path,
    phenotype: str | Path | None,
    paid: tuple[str, str] | None,
    request_id: str,
) -> str:
    """A call of `release` with the same arguments."""
    arguments = ["plan", f"genome.{question!r}", repr(str(genotypes)), repr(str(out))]
    if phenotype is not None:
        arguments.append(f"phenotype={str(phenotype)!r}")
    if paid is not None:
        dataset, analyst = paid
        arguments += ["ledger=ledger", f"dataset={dataset!r}", f"analyst={analyst!r}"]
    return f"genome.release({', '.join(arguments)}, request_id={request_id!r})"
