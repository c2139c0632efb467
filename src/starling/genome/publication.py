"""An answer as the frame publishes and verifies it: what is charged and drawn for a question, and what follows from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import pyarrow as pa

from starling.genome.artifact import pages, parameters, scans, tables
from starling.genome.artifact.files import (
    DRAWN,
    PLAN,
    QUESTION,
    SNP_SCHEMA,
    SNPS,
    read_drawn,
    read_public,
    write_drawn,
    write_public,
)
from starling.genome.inference.answer_validation import answer_problem
from starling.genome.measurements import Drawn
from starling.genome.mechanism.base import ExactStudy
from starling.genome.mechanism.explore import mechanism_of
from starling.genome.mechanism.scan import ScanMechanism
from starling.genome.plan import Plan, Question, Scan
from starling.genome.postprocess.estimates import Estimated, estimate
from starling.ledger.rules import canonical
from starling.pages.parts import Section
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Mechanism
from starling.release.checks import TABLES, Checks, InvalidRelease
from starling.release.commitment import Written
from starling.release.datapackage import Sheet
from starling.release.domain import Publication
from starling.release.encrypted import STORED, Create
from starling.release.registry import Product
from starling.release.statement import Particulars
from starling.release.table_files import Table

VERSION: Final = 1
"""The version of the meaning of a request; it grows when the same question would be answered by another distribution."""


def request_body(plan: Plan, question: Question) -> str:
    """Canonical JSON of a question: the question as it is, and a digest of every public choice; nothing of the records."""
    return canonical({"release": "genome", "version": VERSION, "plan": plan.digest, "question": question.as_json()})


ANSWER: Final = "noisy answer"
CHECKS: Final = Checks(
    {
        ANSWER: "what was drawn is an answer that the question can have: its shape, and each choice among the public candidates",
        TABLES: "every table is what plan, question and noisy answer give: p-values, intervals, how far selections may be off",
    },
    privacy="mechanism, cost and what is exact are those of plan and question, for one person, or one phenotype, replaced",
)


def _keep(create: Create, content: bytes) -> None:
    with create(STORED) as file:
        file.write(content)


@dataclass(frozen=True, slots=True)
class GenomePublication(Publication[ExactStudy, Drawn]):
    """A `release.domain.Publication`."""

    plan: Plan
    question: Question
    domain: Final = "genome"
    notes = MappingProxyType(
        {
            PLAN: "The public plan: people, model, tests, regions",
            QUESTION: "What was asked, with exact amounts",
            DRAWN: "The noisy answer as it was drawn",
        }
    )

    @property
    def request(self) -> str:
        """The question as it is, and a digest of every public choice."""
        return request_body(self.plan, self.question)

    @property
    def guarantee(self) -> Guarantee:
        """The mechanism's. Raises ParameterError where the plan has no such question."""
        return mechanism_of(self.plan, self.question).guarantee

    @property
    def title(self) -> str:
        """The plan's, and what was asked."""
        return parameters.title(self.plan, self.question)

    @property
    def particulars(self) -> Particulars:
        """The plan's choices and the question."""
        return parameters.particulars(self.plan, self.question)

    @property
    def product(self) -> Product:
        """The answer in words."""
        return parameters.product(self.plan, self.question)

    @property
    def charged(self) -> Section:
        """The cost of each part of the question."""
        return pages.charged(self.plan, self.question)

    @property
    def tables(self) -> Sequence[Table]:
        """The tables of this kind of question."""
        return tables.tables(self.plan, self.question)

    @property
    def sheets(self) -> Sequence[Sheet]:
        """The plan's SNP list, and of a scan the scores."""
        scores = [scans.scores_sheet()] if isinstance(self.question, Scan) else []
        return [*scores, tables.list_sheet(SNPS, SNP_SCHEMA)]

    def mechanism(self, folder: Path, create: Create) -> Mechanism[Any, Drawn]:  # noqa: ARG002 - all is in the draw
        """What answers the question; the answer is written as soon as it is drawn, and what is kept of it beside it."""
        mechanism = mechanism_of(self.plan, self.question)
        if isinstance(mechanism, ScanMechanism):
            mechanism = replace(mechanism, keep=partial(_keep, create))
        return Written(mechanism, partial(write_drawn, create))

    def read(self, folder: Path) -> Drawn:
        """The noisy answer."""
        return read_drawn(folder, self.question, moments=self.plan.by_moments)

    def check(self, drawn: Drawn) -> None:
        """Its shape, and each choice among the public candidates."""
        if (problem := answer_problem(self.plan, self.question, drawn)) is not None:
            raise InvalidRelease(ANSWER, DRAWN, f"cannot be the answer: answers {problem}")

    def contents(self, folder: Path, drawn: Drawn) -> "_Contents":  # noqa: ARG002 - nothing else is in it
        """What the noisy answer tells."""
        return _Contents(self.plan, self.question, estimate(self.plan, self.question, drawn))

    def write_plan(self, folder: Path) -> None:
        """Write the plan, its SNP list and the question."""
        write_public(folder, self.plan, self.question)


def reopened(folder: Path) -> GenomePublication:
    """That of a release, from the public choices in its folder; raises as `read_public` does."""
    return GenomePublication(*read_public(folder))


@dataclass(frozen=True, slots=True)
class _Contents:
    """A `release.domain.Contents`: all tables of an answer in one piece."""

    plan: Plan
    question: Question
    estimated: Estimated

    def pieces(self) -> Iterator[Mapping[str, pa.Table]]:
        yield tables.filled(self.plan, self.question, self.estimated)

    def sections(self) -> Sequence[Section]:
        return pages.sections(self.plan, self.question, self.estimated)
