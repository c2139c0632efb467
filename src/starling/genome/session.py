"""A study in a Python session: a plan that previews, validates, and releases the answer to a question. `Study` asks many.

plan = genome.Plan.load("plan.toml")
release = plan.release("study.bed", genome.NumSig(epsilon="1"))
release.answer
"""

from pathlib import Path

from starling.errors import SHOWN
from starling.genome.analysis import GenomeRelease
from starling.genome.plan import Plan as PlanChoices
from starling.genome.plan import Question
from starling.genome.preview import preview
from starling.genome.preview.expected import Expected
from starling.genome.publish import release
from starling.genome.source import open_genotypes, validate
from starling.ledger.opening import Ledger
from starling.release.domain import Validated
from starling.release.in_session import SessionPayment
from starling.release.payment import CUSTODIAN


class Plan(PlanChoices):
    """The plan of a study, and what a session does with it; read by `Plan.load` or stated in `Plan.of`."""

    def preview(self, question: Question) -> Expected:
        """How far the answer to a question may be off. Opens no records.

        Args:
            question: What is asked, with its price.

        Raises:
            ParameterError: the question does not fit the plan.
        """
        return preview(self, question)

    def validate(self, records: str | Path, *, phenotype: str | Path | None = None, most: int = SHOWN) -> Validated:
        """What queries read otherwise than the files may have meant it, for the custodian of the records alone: it is NOT PRIVATE.

        Args:
            records: Genotypes: PLINK's prefix of .bed or .pgen, or a .bed, .pgen, .vcf, .vcf.gz or .bcf.
            phenotype: File of phenotypes.
            most: How many faults are listed, and how many notes; all are counted.

        Raises:
            SourceError: they are no study of the plan, or are no longer what they were.
        """
        return validate(self, open_genotypes(records, self, phenotype), most=most).value

    def release(
        self,
        records: str | Path,
        question: Question,
        out: str | Path | None = None,
        *,
        ledger: Ledger | str | None = None,
        dataset: str = "",
        analyst: str = CUSTODIAN,
        request_id: str | None = None,
        unvalidated: bool | None = None,
        phenotype: str | Path | None = None,
    ) -> GenomeRelease:
        """Charge the question, read the study, draw the answer, publish, and open what was published.

        Args:
            records: Genotypes: PLINK's prefix of .bed or .pgen, or a .bed, .pgen, .vcf, .vcf.gz or .bcf.
            question: A `NumSig`, `LocSig`, `LocBlock`, `SnpPval`, `SnpCorr` or `Explore` with its price.
            out: The folder to make. Without it and without a ledger, a temporary one that goes with the release.
            ledger: Pays, opened or as its URL. Without it nothing limits a further release of the same records.
            dataset: The name of the records in the ledger.
            analyst: Who has a grant there.
            request_id: The id under which the charge is found again; a fresh one without it.
            unvalidated: Whether records are read that nobody accepted in the ledger; by default only without a ledger.
            phenotype: File of phenotypes; needed for VCF and BCF, else it takes the place of what .fam or .psam say.

        Raises:
            ParameterError, PlanError, SourceError, OutputError: by public checks, before anything is charged.
            BudgetRefused, PolicyRefused, RequestConflict: by the ledger, before anything is read.
            RunFailed: after the charge, always with the same words.
        """
        payment = SessionPayment(ledger, dataset, analyst, request_id, unvalidated)
        return payment.release(
            lambda folder, paid: release(self, question, records, folder, phenotype=phenotype, payment=paid),
            GenomeRelease,
            out,
        )
