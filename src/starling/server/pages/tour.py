"""Screen 12: the tour of a demo, as a strip above the ordinary pages. Its step follows from what was released, and from the page."""

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import Response

from starling.errors import StarlingError
from starling.server.access import User
from starling.server.authentication import Service
from starling.server.browsers import cookie, cookie_name, keep
from starling.server.pages.frame import below, only_pages, show
from starling.server.releasing import read_budget
from starling.server.tour import Tour, begin_tour

PATH: Final = "/tour"
STEPS: Final = ("Look at the data", "See the price", "Read the answer", "Ask it again", "Spend the rest")
FINISHED: Final = "The tour is finished: the budget for the invented town is spent. What you have stays yours."
DATASETS: Final = ("To the datasets", "/")


@dataclass(frozen=True, slots=True)
class Strip:
    """What stands above a page of the tour.

    Attributes:
        step: From 1.
        text: What to see here, and what to do.
        links: Labels and paths of where to go on.
        invented: Whether the page is of the invented records: of a dataset of the tour, or of what was released of one.
    """

    step: int
    text: str
    links: tuple[tuple[str, str], ...] = ()
    invented: bool = True
    steps: tuple[str, ...] = STEPS


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a user has come.

    Attributes:
        first: The release of the first dataset; None where there is none yet.
        second: The release of the second one.
        waiting: The releases of these that have not left.
        left: What can still be charged.
    """

    first: int | None
    second: int | None
    waiting: tuple[int, ...]
    left: str

    @property
    def is_finished(self) -> bool:
        """Whether nothing of the tour is left to do: its last answer is there, or its budget was spent in another order."""
        answered = self.second is not None and self.second not in self.waiting
        return answered or (self.left == "0" and not self.waiting)


def strip_of(tour: Tour, standing: Standing, path: str) -> Strip | None:
    """The strip above a page; once the tour is finished, None above all but its own pages."""
    pages = _pages(tour, standing)
    if path in pages:
        return pages[path]
    numbers = [number for number in (standing.first, standing.second) if number is not None]
    own = [f"/datasets/{name}/" for name in tour.datasets] + [
        f"/{kind}/{number}/" for kind in ("questions", "releases") for number in numbers
    ]
    is_own = f"{path}/".startswith(tuple(own))
    if standing.is_finished:
        return Strip(5, FINISHED, (DATASETS,)) if is_own else None
    wanted, label = _next(tour, standing)
    step = pages[wanted].step
    text = (
        "This demo has a tour of five steps, with invented people. Nothing on it can go wrong."
        if step == 1
        else "The tour goes on where you left it."
    )
    return Strip(step, text, ((label, wanted),), invented=is_own)


def _next(tour: Tour, standing: Standing) -> tuple[str, str]:
    """Where a tour that is not finished goes on, and what the link is called."""
    if standing.first is None:
        return f"/datasets/{tour.first}", "Take the tour"
    return f"/questions/{standing.second or standing.first}", "Go on with the tour"


def _pages(tour: Tour, standing: Standing) -> dict[str, Strip]:
    """The pages of the tour by their paths, as far as a user can reach them."""
    asks = {name: f"/datasets/{name}/ask" for name in tour.datasets}
    look = (
        "These people are invented, and so is their town. Each of them is protected: an answer hardly changes if one person is taken"
        " out. The bar is your budget."
    )
    if standing.is_finished:
        return _last_pages(tour, standing, asks)
    pages = {f"/datasets/{tour.first}": Strip(1, look, (("Next: see the price", asks[tour.first]),))}
    if standing.first is None:
        price = (
            "How many people of each age are there? Here is what that costs, and how far each number will be off. Nothing is spent"
            " yet. Press the button that says what it spends."
        )
        return pages | {asks[tour.first]: Strip(2, price)}
    answer = (
        "Chance has changed this number a little, on purpose: that hides each person. The true number lies within the interval, 95"
        " times of 100."
    )
    repeated = (
        "You have this answer, so it costs nothing: not today, and never again. New chance for the same question would wear down the"
        " protection."
    )
    pages |= {
        f"/questions/{standing.first}": _waiting(3)
        if standing.first in standing.waiting
        else Strip(3, answer, (("Next: ask it again", asks[tour.first]),)),
        asks[tour.first]: Strip(4, repeated, (("Next: spend the rest", asks[tour.second]),)),
    }
    if standing.second is None:
        rest = "Another question about the same people. It costs all that is left of your budget. Press the button."
        return pages | {asks[tour.second]: Strip(5, rest)}
    return pages | {f"/questions/{standing.second}": _waiting(5), asks[tour.second]: _waiting(5)}


def _last_pages(tour: Tour, standing: Standing, asks: dict[str, str]) -> dict[str, Strip]:
    """Those at the end: the last answer, and the question that the server refuses."""
    end = "It does not fit: together, such answers would tell too much of one person. So the server refuses. That is the protection."
    if standing.left != "0":
        end = "A custodian gave you more budget for the invented town, so that you can ask again."
    pages = {asks[tour.third]: Strip(5, f"{end} {FINISHED}", (DATASETS,))}
    if standing.second is None:
        return pages
    spent = "With this answer the budget for the invented town is spent. See what happens at the next question."
    strip = Strip(5, spent, (("Next: ask for more", asks[tour.third]),))
    return pages | {f"/questions/{standing.second}": strip, asks[tour.second]: strip}


def _waiting(step: int) -> Strip:
    return Strip(
        step,
        "It is paid. The answer leaves at a time that is fixed: how long the work takes could tell of the records.",
    )


def add_routes(app: FastAPI, service: Service, tour: Tour) -> None:
    """Add the tour to an application, and its strip to the pages of analysts."""
    settings, access = service.home.settings, service.home.access

    def page_of(request: Request, user: User) -> Response:
        """What the tour is, where it goes on, or that it is finished."""
        try:
            standing = _standing(service, tour, user.name)
        except StarlingError:
            # Its data are not registered yet.
            standing = Standing(None, None, (), "")
        label = "Begin" if standing.first is None else "Go on"
        return show(
            request,
            "tour.html",
            user,
            finished=standing.is_finished,
            button=(label, _next(tour, standing)[0]),
            refused=f"/datasets/{tour.third}/ask",
            has_sandbox=service.home.sandbox is not None,
            steps=STEPS,
        )

    def strip(request: Request, user: User) -> Strip | None:
        if user.role != "analyst" or f"{below(request)}/".startswith(f"{PATH}/"):
            return None
        try:
            return strip_of(tour, _standing(service, tour, user.name), below(request))
        except StarlingError:
            # Its data are not registered yet.
            return None

    app.state.tour = strip

    @app.get(PATH, include_in_schema=False, dependencies=[Depends(only_pages)])
    def page(request: Request, user: Annotated[User, service.user("analyst")]) -> Response:
        return page_of(request, user)

    @app.get(f"{PATH}/{{secret}}", include_in_schema=False, dependencies=[Depends(only_pages)])
    def begin(request: Request, secret: str) -> Response:
        """The page that follows is no redirection: a cookie that is set with one is not sent where another program's link began it."""
        name = begin_tour(service.home.folder, secret)
        if name is None:
            raise HTTPException(404)
        left = cookie(request.headers, cookie_name(settings))
        token, user = access.begin_session(name, f"GET {PATH}/{{secret}}", left=left)
        reply = page_of(request, user)
        keep(reply, settings, cookie_name(settings), token, sites="strict", seconds=None)
        return reply


def _standing(service: Service, tour: Tour, user: str) -> Standing:
    first, second = (read_budget(service, user, name) for name in (tour.first, tour.second))
    released = [each.release for each in (first, second)]
    waiting = tuple(
        each for each in released if each is not None and service.charges.progress(each, user).state != "released"
    )
    return Standing(first.release, second.release, waiting, first.available)
