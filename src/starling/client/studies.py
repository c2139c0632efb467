"""A genome study at a server, asked as one on this machine: by the same methods, with the same values as answers.

    with Client(url, token) as client:
        study = client.study("asthma", "answers")
        study.num_sig(epsilon="0.5").answer

Each answer is a release of its own, paid once, verified, and kept in the folder: asked again it is there, at no cost.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from starling.errors import IntegrityError, ParameterError
from starling.genome.asking import Asks, read_asked
from starling.genome.plan import Plan, Question
from starling.release.codec import encode
from starling.release.session import InSession
from starling.release.zipped import opened
from starling.verification import open_release

if TYPE_CHECKING:
    from collections.abc import Callable

    from starling.client.asking import Client
    from starling.client.replies import Progress
    from starling.genome.analysis import GenomeRelease


class Study(Asks["GenomeRelease"], InSession):
    """A study of a server that can be asked, and previewed here. Make one with `Client.study`.

    Attributes:
        plan: Public choices.
        folder: Where answers are kept.
    """

    def __init__(
        self, client: "Client", name: str, folder: Path, plan: Plan, on_progress: "Callable[[Progress], None]"
    ) -> None:
        self._client = client
        self._on_progress = on_progress
        self._name = name
        self.folder = folder
        self.plan = plan

    def _facts(self) -> list[tuple[str, str]]:
        plan = self.plan
        return [
            ("study", plan.title),
            ("plan", f"{plan.people:,} people, {len(plan.snps):,} SNPs, {plan.model} model, {', '.join(plan.tests)}"),
            ("asked at", f"{self._client!r}, as {self._name}"),
            ("answers in", str(self.folder)),
        ]

    def ask(self, question: Question, *, request_id: str | None = None) -> "GenomeRelease":
        """The answer to a question: paid once, awaited until its deadline, fetched, verified and opened.

        Args:
            question: A `NumSig`, `LocSig`, `LocBlock`, `SnpPval`, `SnpCorr` or `Explore` of `starling.genome`.
            request_id: Under which the charge is found again; a fresh one without it.

        Raises:
            ParameterError: by the plan, here, before anything is sent.
            BudgetRefused, PolicyRefused, RequestConflict: by the server's ledger; a study that asks first needs an approval
                (`Client.request`).
            IntegrityError: what arrived is not what the key signed, or answers another question.
        """
        question.check(self.plan)
        charged = self._client.charge(self._name, request_id=request_id, question=question_json(question))
        done = self._client.wait(charged, self._on_progress)
        opened = open_release(self._client.fetch(done.id, self.folder / f"{question.kind}-{done.id}.zip"))
        release = cast("GenomeRelease", opened)
        if opened.statement["domain"] != "genome" or (release.question, release.plan.digest) != (
            question,
            self.plan.digest,
        ):
            raise IntegrityError("answer", "is of another question, or of another study", "ask who runs the server")
        return release


def question_json(question: Question) -> dict[str, Any]:
    """A question as a server is sent it."""
    values: dict[str, Any] = encode(Question, question)
    return values


def fetched_study(
    client: "Client", name: str, folder: Path, content: bytes, on_progress: "Callable[[Progress], None]"
) -> Study:
    """A study by the zip of its public plan, as the server gave it; its answers are kept in a folder, which is made if it is not there.

    Raises:
        IntegrityError, PlanError: it is not as Starling writes it.
        ParameterError: the folder cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise ParameterError("folder", "cannot be made", "choose one in a place that you may write") from None
    with TemporaryDirectory() as scratch:
        file = Path(scratch) / "plan.zip"
        file.write_bytes(content)
        with opened(file) as unpacked:
            return Study(client, name, folder, read_asked(unpacked).plan, on_progress)
