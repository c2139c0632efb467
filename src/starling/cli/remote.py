"""`starling remote`: datasets, budgets and releases of a server. The work is done in starling.client."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from starling.cli import options
from starling.cli.commands import Group, Result, check_terminal, command, confirm
from starling.cli.progress import until_deadline
from starling.distribution import install
from starling.errors import ParameterError
from starling.planfile.foreign import content
from starling.release.session import attributes

if TYPE_CHECKING:
    from starling.client import Client, Progress
    from starling.client.replies import Dataset, Preview, Request

URL: Final = "STARLING_SERVER"
TOKEN: Final = "STARLING_TOKEN"  # noqa: S105 - the name of a variable
MOST_BYTES: Final = 1 << 16
"""Bytes of a question; a server takes no more."""

remote = Group(
    "remote",
    example="starling remote datasets",
    help=f"Ask a server: which data there are, what is left to spend, and releases.\n\n{URL} says where it is, as in"
    f" https://statistics.example:8470 or, for invented records, https://statistics.example:8470/sandbox. {TOKEN} holds your token:"
    " as an option, every user of this machine would see it.",
    lazy={
        **{name: f"starling.cli.remote:{name}" for name in ("datasets", "budget", "preview", "release")},
        "ask": "starling.cli.remote_asking:ask",
        **{name: f"starling.cli.remote:{name}" for name in ("request", "requests", "approved", "fetch")},
        **{name: f"starling.cli.remote_answering:{name}" for name in ("questions", "answer")},
        **{name: f"starling.cli.remote_own:{name}" for name in ("releases", "tokens", "token", "revoke")},
    },
)

_out = options.path("--out", required=True, metavar="FILE", help="The zip file to make.")
key_option = click.option(
    "--key",
    metavar="KEY",
    help="Who should have signed it.  [default: the key that signed what you fetched first there]",
)


request_id_option = click.option(
    "--request-id",
    metavar="ID",
    help="A name for the charge; the same command finds it without one.  [default: a fresh one]",
)
_question = click.option(
    "--question",
    metavar="JSON",
    help="What is asked of data that take questions, as the page of a question shows it; @FILE reads it from a file.",
)


def client_of(key: str | None = None) -> "Client":
    """A client as the variables say it."""
    try:
        from starling.client import Client
    except ImportError:
        raise ParameterError("remote", "needs a package that is missing", install("client")) from None
    return Client(_set(URL, "as in https://statistics.example:8470"), _set(TOKEN, "a token of yours"), key=key)


def question_of(text: str) -> dict[str, Any]:
    """A question by its JSON, or by @FILE; raises ParameterError where it is no JSON object."""
    try:
        value = json.loads(content(Path(text[1:]), MOST_BYTES) if text.startswith("@") else text)
    except OSError:
        raise ParameterError(
            "--question", "names a file that cannot be read", "write @FILE, or the JSON itself"
        ) from None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ParameterError("--question", "is no JSON object", 'write it like {"kind": "rows", "table": "t1"}')
    return value


def _set(name: str, what: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise ParameterError(name, "is not set", f"set this variable to {what}")
    return value


@command("datasets", example="starling remote datasets")
def datasets() -> Result:
    """What can be released, what it costs, and when its answer leaves."""
    with client_of() as client:
        listed = client.datasets()
    names = ("name", "domain", "title", "population", "purpose", "neighbours", "risk", "deadline", "invented")
    return Result(
        lambda: "\n".join(line for each in listed for line in _dataset_lines(each)),
        lambda: [
            {
                **attributes(each, *names),
                "uses": dict(each.uses),
                "cost": each.cost and dict(each.cost),
                "questions": each.questions is not None,
            }
            for each in listed
        ],
    )


@command("budget", example="starling remote budget trips")
@click.argument("dataset")
def budget(dataset: str) -> Result:
    """What you may still spend on a dataset, and how many more releases that is."""
    with client_of() as client:
        budget = client.budget(dataset)
    lines = [] if budget.amount is None else [f"a release costs {budget.measure} {budget.amount}"]
    lines += [
        f"left of the {scope}'s cap: {'no limit' if left is None else left}" for scope, left in budget.left.items()
    ]
    lines += [f"left for you: {budget.available}"]
    lines += [] if budget.more is None else [f"releases that can still be charged: {budget.more:,}"]
    if budget.release is not None:
        lines += [f"you have it as release {budget.release}: starling remote fetch {budget.release} --out FILE"]
    if budget.ask_first:
        lines += [f"each needs the custodian's approval: starling remote request {dataset} --reason WHY"]
    if budget.reserve != "0":
        lines += [f"kept of the dataset's cap for the custodian: {budget.reserve}"]
    if budget.retired:
        lines += [f"{dataset} is retired: nothing is charged to it any more, and what was released stays"]
    names = ("dataset", "population", "measure", "amount", "more", "available", "approved", "release", "ask_first")
    body = {**attributes(budget, *names, "reserve", "retired", "invented"), "left": dict(budget.left)}
    return Result(lambda: "\n".join(lines), lambda: body)


@command("preview", example="starling remote preview trips")
@click.argument("dataset")
@_question
def preview(dataset: str, *, question: str | None) -> Result:
    """What a release of a dataset, or the answer to a question, costs, and how far its numbers may be off. Free."""
    with client_of() as client:
        seen = client.preview(dataset, None if question is None else question_of(question))
    names = ("dataset", "title", "neighbours", "measure", "amount", "more", "release", "ask_first", "invented")
    return Result(
        lambda: preview_text(seen),
        lambda: {
            **attributes(seen, *names),
            "cost": dict(seen.cost),
            "sections": [dict(each) for each in seen.sections],
        },
    )


@command("request", example='starling remote request trips --reason "Noise near the school"')
@click.argument("dataset")
@click.option("--reason", required=True, metavar="WHY", help="What the release is for; the custodian reads it.")
@click.option("--request-id", metavar="ID", help="Under which it will be charged.  [default: a fresh one]")
@options.flag("--wait", help="Wait until the custodian has decided.")
def request(dataset: str, *, reason: str, request_id: str | None, wait: bool) -> Result:
    """Ask the custodian to approve a release of a dataset that asks first. Charges nothing; once it is approved, `release` does."""
    with client_of() as client:
        waiting = client.request(dataset, reason, request_id=request_id)
        if wait:
            click.echo(f"starling: request {waiting.number} waits for the custodian", err=True)
            waiting = client.approval(waiting)
    return Result(lambda: request_text(waiting), lambda: request_json(waiting))


@command("requests", example="starling remote requests")
def requests() -> Result:
    """What you asked the custodian to approve, and what became of it."""
    with client_of() as client:
        listed = client.requests()
    return Result(
        lambda: "\n".join(map(request_text, listed)) or "nothing was asked", lambda: list(map(request_json, listed))
    )


@command("approved", example="starling remote approved 1 --out trips.zip --yes")
@options.numbered
@_out
@key_option
@options.flag("--yes", help="Spend without asking.")
def approved(number: int, *, out: Path, key: str | None, yes: bool) -> Result:
    """Pay for what the custodian approved as request NUMBER, wait for it, fetch it, and verify it. Run again, it goes on."""
    with client_of(key) as client:
        waiting = client.decision(number)
        if not yes:
            cost = waiting.approved_cost or waiting.cost
            check_terminal("and there is no terminal to ask whether to spend", f"add --yes to charge {cost}")
            click.echo(f"This charges {cost}, once, for: {waiting.title}", err=True)
            confirm("Spend it?", "Nothing was charged.")
        charged = client.charge(waiting.dataset, request_id=waiting.request_id, question=waiting.question)
        return _fetched(client, charged, out)


@command("release", example="starling remote release trips --out trips.zip --yes")
@click.argument("dataset")
@_question
@_out
@request_id_option
@key_option
@options.flag("--yes", help="Spend without asking.")
def release(
    dataset: str, *, question: str | None, out: Path, request_id: str | None, key: str | None, yes: bool
) -> Result:
    """Pay for a release of a dataset, wait for it, fetch it, and verify it. Run again, it goes on and pays nothing."""
    with client_of(key) as client:
        query = None if question is None else question_of(question)
        if not yes:
            seen = client.preview(dataset, query)
            cost = "nothing: you have it" if seen.release is not None else _price(seen)
            check_terminal("and there is no terminal to ask whether to spend", f"add --yes to charge {cost}")
            click.echo(f"This charges {cost}{_more(seen)}.", err=True)
            confirm("Spend it?", "Nothing was charged.")
        progress = client.charge(dataset, request_id=request_id, question=query)
        click.echo(
            f"starling: charged as release {progress.id}; starling remote fetch {progress.id} goes on with it", err=True
        )
        return _fetched(client, progress, out)


@command("fetch", example="starling remote fetch 7 --out trips.zip")
@options.numbered
@_out
@key_option
def fetch(number: int, *, out: Path, key: str | None) -> Result:
    """Wait for a release that was charged before, fetch what is missing of it, and verify it."""
    with client_of(key) as client:
        return _fetched(client, client.progress(number), out)


@contextmanager
def waiting() -> "Iterator[Callable[[Progress], None]]":
    """What a client tells how far a release is, which is shown."""
    with until_deadline() as show:
        yield lambda progress: show(f"waiting for release {progress.id}; it leaves at its deadline", progress.wait)


def _fetched(client: "Client", progress: "Progress", out: Path) -> Result:
    with waiting() as on_progress:
        number = client.wait(progress, on_progress).id
    client.fetch(number, out)
    return Result(
        lambda: f"release {number}: {out}\nstarling verify {out} says what was checked",
        lambda: {"release": number, "file": str(out)},
    )


def preview_text(seen: "Preview") -> str:
    """What is charged, then the expected error."""
    from starling.release.report.plain import section_text

    first = f"{seen.title}: {_price(seen)}, to {seen.neighbours}{_more(seen)}"
    return "\n\n".join([first, *map(section_text, seen.sections)])


def _price(seen: "Preview") -> str:
    return (
        f"{seen.measure} {seen.amount}"
        if seen.more is not None
        else "nothing: it reads a response that was paid for before"
    )


def _more(seen: "Preview") -> str:
    return "" if seen.more is None else f"; {seen.more:,} like it can be charged now"


def request_text(request: "Request") -> str:
    """One line: what was asked and what became of it; then what to do now, or why not."""
    line = f"request {request.number}  {request.dataset}  {request.cost}  {request.state}"
    text = f"{line}: {request.words}" if request.words else line
    return f"{text}; starling remote approved {request.number} --out FILE" if request.state == "approved" else text


def request_json(request: "Request") -> dict[str, Any]:
    """What `request_text` says, for programs."""
    return attributes(
        request, "number", "dataset", "request_id", "title", "cost", "reason", "state", "words", "approved_cost"
    )


def _dataset_lines(dataset: "Dataset") -> list[str]:
    """A line about a dataset, and lines about whose and what for it is."""
    lines = [f"{dataset.name}  {dataset.domain}  {_cost(dataset.cost)}  {dataset.title}"]
    lines += [f"    a delivery of {dataset.population}"] if dataset.population is not None else []
    lines += [f"    for use: {dataset.purpose}"] if dataset.purpose else []
    lines += [f"    {dataset.risk}"] if dataset.risk else []
    return lines + [f"    for use: {code}{name and f', {name}'}" for code, name in dataset.uses.items()]


def _cost(cost: Any) -> str:
    """The cost under the first adjacency that there is, for people."""
    if cost is None:
        return "asked questions"
    budget = cost.get("add-remove") or cost.get("replace-one") or {}
    measure = next((name for name in ("epsilon", "rho") if name in budget), "")
    return f"{measure} {budget.get('decimal', '')}"
