"""Tasks about public plans and releases, as JSON and answered as JSON.

The web process of a server knows no domain, and loads nothing that could read records. What only a domain knows of a question it asks a
process that is told the path of a public plan or of a release, and holds no token.
"""

import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from starling.domains import DOMAINS, domain
from starling.errors import IntegrityError, ParameterError, StarlingError
from starling.public.showing import shown
from starling.release.codec import Json
from starling.release.domain import Asking
from starling.release.questions import schema
from starling.release.reading import Release
from starling.release.report.plain import sections_json
from starling.release.statement import stated
from starling.release.work import check_work
from starling.screens.frame import Frame
from starling.screens.release import Screens
from starling.screens.replies import Query, Reply
from starling.verification import open_release, verify

MOST_OPEN: Final = 4
"""Plans, and releases, that are kept open."""

OPENING: Final = ("dp_accounting.pld.privacy_loss_distribution",)
"""Libraries by which the cost of a release in rho is compared when it is opened."""


def answer(task: Any) -> dict[str, Json]:
    """The answer to a task.

    A task has `do`, and `question` where something is asked; then `most`, the most work in millions of steps (release/work.py).

    - "ask" and "preview" have `domain` and `plan`, a folder that `Asking.write` wrote. They are answered by `title`, `request` and `price`
      (the guarantee, as `statement.stated` says it); a preview by `sections` and `margin`, its `within` and `unit`, besides. A preview may
      have a `margin` in place of the cost of its question: then `question` is that question with the least cost that keeps it.
    - "further" has these, of a question that reads what was kept for an earlier one, and `earlier`, the plan and the question of that. It
      is answered by nothing.
    - "read" has `release`, the path of one. It is answered by `answer`, at no cost; without a question by `schema`, the JSON Schema of
      those that can be asked.
    - "verify" has `release`, and `key`, the public key that should have signed it. It is answered by `outcome`, `not_checked`, `signed_by`,
      the fingerprint of whoever signed, and `checks`, each by `name`, `state`, `says` and `findings`.

    - "show" has `release`. It is answered by what `showing.shown` gives, for a page.
    - "page" has `release`, `path` and `query` of an address, `frame`, the values of a `screens.frame.Frame`, and `into`, the path of an
      empty file, which the body is written into. It is answered by the reply's `status`, `kind` and `headers`.
    - "plan_page" has `domain` and `plan`, the folder of a plan that says all, in place of `release`. "accuracy" has these and `query`: the
      answer is the value of that page.

    - "prepare" has `plans`, each by its domain, its folder and whether it is asked questions, and `domains`: plans are read, and pages of
      releases of the domains loaded, so that other tasks need not. It is answered by nothing.

    What is refused is answered by `error`, the name of the error's class, and `problems`.
    """
    try:
        if task["do"] in _PUBLISHED:
            return _PUBLISHED[task["do"]](task)
        plan, question = _plan(task["domain"], task["plan"]), task["question"]
        check_work(plan.work(question, preview=task["do"] == "preview"), task["most"])
        if task.get("margin") is not None:
            question = plan.at_margin(question, task["margin"])
        publication = plan.ask(question)
        reply: dict[str, Json] = {
            "title": publication.title,
            "request": publication.request,
            "price": stated(publication.guarantee),
        }
        if task["do"] == "preview":
            margin = plan.margin(question)
            reply["question"] = question
            reply["margin"] = None if margin is None else {"within": margin.within, "unit": margin.unit}
            reply["sections"] = list(sections_json(plan.preview(question).sections()))
    except StarlingError as error:
        problems: list[Json] = [
            {"field": each.field, "problem": each.problem, "fix": each.fix} for each in error.problems
        ]
        return {"error": type(error).__name__, "problems": problems}
    return reply


def _prepare(task: Any) -> dict[str, Json]:
    for name, folder, is_asked in task["plans"][:MOST_OPEN]:
        with suppress(StarlingError):
            (_plan if is_asked else _plan_pages)(name, folder)
    pages = [DOMAINS[name].pages.partition(":")[0] for name in task["domains"]]
    for module in (*pages, *(OPENING if pages else ())):
        import_module(module)
    return {}


def _further(task: Any) -> dict[str, Json]:
    plan, earlier = (_plan(task["domain"], each["plan"]) for each in (task, task["earlier"]))
    plan.check_further(task["question"], earlier, task["earlier"]["question"])
    return {}


def _read(task: Any) -> dict[str, Json]:
    release = _release(task["release"])
    if task["question"] is None:
        return {"schema": dict(schema(release.questions))}
    return {"answer": release.tell(task["question"], task["most"])}


def _show(task: Any) -> dict[str, Json]:
    return shown(_release(task["release"]))


def _page(task: Any) -> dict[str, Json]:
    reply = _screens(task["release"]).reply(task["path"], task["query"], Frame(**task["frame"], most=task["most"]))
    return _written(reply, task["into"])


def _plan_page(task: Any) -> dict[str, Json]:
    pages = _plan_pages(task["domain"], task["plan"])
    return _written(pages.reply(task["path"], task["query"], Frame(**task["frame"])), task["into"])


def _accuracy(task: Any) -> dict[str, Json]:
    chosen = _plan_pages(task["domain"], task["plan"]).chosen(Query(task["query"]))
    return dict(chosen.as_json())


def _written(reply: Reply, into: str) -> dict[str, Json]:
    """What is said of a reply whose body was written into an empty file."""
    with reply.opened() as body, Path(into).open("r+b") as file:
        shutil.copyfileobj(body, file)
    return {"status": int(reply.status), "kind": reply.kind, "headers": dict(reply.headers)}


def _verified(task: Any) -> dict[str, Json]:
    result = verify(task["release"], key=task["key"])
    return {
        "outcome": result.outcome.value,
        "not_checked": list(result.left_open),
        "signed_by": None if result.signer is None else result.signer.fingerprint,
        "checks": [
            {"name": each.name, "state": each.state, "says": each.says, "findings": list(map(str, each.findings))}
            for each in result.checks
        ],
    }


_PUBLISHED: Final[dict[str, Callable[[Any], dict[str, Json]]]] = {
    "prepare": _prepare,
    "further": _further,
    "read": _read,
    "show": _show,
    "page": _page,
    "plan_page": _plan_page,
    "accuracy": _accuracy,
    "verify": _verified,
}
"""What is done but to say what a question asks."""


@lru_cache(MOST_OPEN)
def _release(path: str) -> Release:
    try:
        return open_release(path)
    except StarlingError:
        raise IntegrityError("release", "is not what was signed", "ask a custodian to look at it") from None


@lru_cache(MOST_OPEN)
def _screens(path: str) -> Screens:
    return Screens(_release(path))


@lru_cache(MOST_OPEN)
def _plan_pages(name: str, folder: str) -> Any:
    registered = domain(name)
    assert registered is not None, "the plan of a registered domain was written"
    module, _, value = DOMAINS[name].plan_pages.partition(":")
    try:
        publication = registered.reopen(Path(folder))
    except StarlingError:
        raise IntegrityError("plan", "is not as it was registered", "ask a custodian to restore it") from None
    return getattr(import_module(module), value)(publication.plan)


@lru_cache(MOST_OPEN)
def _plan(name: str, folder: str) -> Asking:
    registered = domain(name)
    if registered is None or registered.delivering is None or registered.delivering.asking is None:
        raise ParameterError("domain", "is none that is asked questions", "register the dataset anew")
    try:
        return registered.delivering.asking(Path(folder))
    except StarlingError:
        raise IntegrityError("plan", "is not as it was registered", "ask a custodian to restore it") from None
