"""`starling remote ask QUESTION DATASET`: the questions of `starling genome`, by the same options, asked of a server's study."""

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starling.cli import genome_asking, options
from starling.cli import genome_questions as questions
from starling.cli.commands import Group, Result, check_terminal, command, confirm
from starling.cli.genome_questions import priced
from starling.cli.remote import (
    client_of,
    key_option,
    preview_text,
    request_id_option,
    request_json,
    request_text,
    waiting,
)

if TYPE_CHECKING:
    from starling.client import Client
    from starling.client.studies import Study
    from starling.genome.analysis import GenomeRelease
    from starling.genome.plan import Question

ask = Group(
    "ask",
    example="starling remote ask num-sig asthma --k 10 --epsilon 1 --out answers --yes",
    help="Ask a genome study of a server: each question is paid once, answered at its deadline, and verified.",
    lazy={name: f"starling.cli.remote_asking:{name.replace('-', '_')}" for name in genome_asking.QUESTIONS},
)


def _command(name: str) -> click.Command:
    """The command of a question that `starling genome` has, too."""
    question_command = genome_asking.QUESTIONS[name]

    @wraps(question_command.make)
    def run(
        dataset: str,
        out: Path,
        request_id: str | None,
        key: str | None,
        reason: str | None,
        *,
        yes: bool,
        **values: Any,
    ) -> Result:
        from starling.client.studies import question_json

        with client_of(key) as client, waiting() as on_progress:
            study = client.study(dataset, out, on_progress=on_progress)
            question = priced(question_command.make, study.plan, **values)
            if reason is not None:
                requested = client.request(dataset, reason, request_id=request_id, question=question_json(question))
                return Result(lambda: request_text(requested), lambda: request_json(requested))
            return _answered(client, dataset, study, question, request_id, yes=yes)

    own = options.with_options(
        run,
        click.argument("dataset"),
        questions.price,
        *question_command.own,
        options.path("--out", required=True, metavar="DIR", help="Folder for answers, each a zip file."),
        request_id_option,
        key_option,
        click.option("--reason", metavar="WHY", help="Charge nothing, and ask the custodian to approve it: what for."),
        options.flag("--yes", help="Spend without asking."),
    )
    words = question_command.words.split("--out")[0].strip()
    return command(name, example=f"starling remote ask {name} asthma {words} --out answers --yes")(own)


def _answered(
    client: "Client", dataset: str, study: "Study", question: "Question", request_id: str | None, *, yes: bool
) -> Result:
    from starling.client.studies import question_json

    if not yes:
        seen = client.preview(dataset, question_json(question))
        check_terminal("and there is no terminal to ask whether to spend", f"add --yes to charge {seen.amount}")
        click.echo(preview_text(seen), err=True)
        confirm("Spend it?", "Nothing was charged.")
    release = study.ask(question, request_id=request_id)
    repeating = [f"release {release.request_id} is kept in {study.folder}: asked again it costs nothing"]
    return Result(lambda: "\n".join([*_words(release), "", *repeating]), lambda: _json(release))


def _words(release: "GenomeRelease") -> list[str]:
    from starling.genome.postprocess.wording import answer_text, error_text

    answer = answer_text(release.plan, release.question, release.answer)
    return [*answer, "", *error_text(release.plan, release.question, release.error)]


def _json(release: "GenomeRelease") -> dict[str, Any]:
    from starling.release.codec import plain

    answer = {"question": release.question.as_json(), "answer": plain(release.answer)}
    return answer | {"request_id": release.request_id}


num_sig, loc_sig, loc_block, snp_pval, snp_corr, explore, scan, snp_effects, explore_effects = map(
    _command, genome_asking.QUESTIONS
)
