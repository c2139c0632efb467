"""What the server says when it refuses or fails: one JSON shape for every error, with field, problem and fix."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from starling.errors import Problem, StarlingError, plain
from starling.server.access import User
from starling.server.pages.frame import error_page, wants_page
from starling.server.rates import TooOften


class ProblemBody(BaseModel):
    """One thing that is wrong: the field at fault, what is wrong with it, and one fix."""

    field: str
    problem: str
    fix: str


class Fault(BaseModel):
    """The kind of an error, and all that is wrong."""

    kind: str
    problems: list[ProblemBody]


class ErrorReply(BaseModel):
    """The body of every reply whose status is 400 or more."""

    error: Fault


JSON: Final = "application/json"
SCHEMAS: Final = "#/components/schemas/"
"""Where the published OpenAPI has the schemas."""
ERROR_SCHEMA: Final = {"$ref": f"{SCHEMAS}{ErrorReply.__name__}"}
"""Of the body of an error. FastAPI would make one from the model for each status of each route: most of the start of a server."""


def error_schemas() -> dict[str, Any]:
    """The schema to which ERROR_SCHEMA points, and those that it needs, by their names."""
    schema = ErrorReply.model_json_schema(ref_template=f"{SCHEMAS}{{model}}")
    return {**schema.pop("$defs"), ErrorReply.__name__: schema}


def refusal(
    status: int, kind: str, problems: Sequence[Problem], headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """A reply that says what is wrong."""
    bodies = [
        ProblemBody(field=plain(each.field), problem=plain(each.problem), fix=plain(each.fix)) for each in problems
    ]
    body = ErrorReply(error=Fault(kind=kind, problems=bodies))
    return JSONResponse(body.model_dump(), status_code=status, headers=dict(headers or {}))


def answer_errors(app: FastAPI, user_of: Callable[[Request], User | None]) -> None:
    """Make an application answer each of its errors in the one shape; `user_of` says whose session the request brings."""
    app.add_exception_handler(StarlingError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, partial(_no_such_route, user_of))
    app.add_exception_handler(Exception, _failed)


def error_reply(
    request: Request, status: int, kind: str, problems: Sequence[Problem], headers: Mapping[str, str] | None = None
) -> Response:
    """An error as a page where a browser asks for one, else as JSON."""
    if wants_page(request):
        return error_page(request, status, problems, headers)
    return refusal(status, kind, problems, headers)


def headers_of(error: StarlingError) -> dict[str, str]:
    """The headers of a reply that says this error."""
    if isinstance(error, TooOften):
        return {"Retry-After": str(error.seconds)}
    return {"WWW-Authenticate": "Bearer"} if error.status == 401 else {}


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, StarlingError)
    if error.status == 401 and wants_page(request):
        return error_page(request, error.status, error.problems, headers_of(error), await request.body())
    return error_reply(request, error.status, type(error).__name__, error.problems, headers_of(error))


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = [
        Problem(".".join(str(part) for part in each["loc"]), f"is refused: {each['msg']}", "see /v1/openapi.json")
        for each in error.errors()
    ]
    return error_reply(request, 422, "ParameterError", problems)


async def _no_such_route(user_of: Callable[[Request], User | None], request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if wants_page(request) and not hasattr(request.state, "user"):
        # No route looked at the session, and the page has its menu all the same.
        request.state.user = await run_in_threadpool(user_of, request)
    what = "names an address that is not there" if error.status_code == 404 else f"is refused: {error.detail}"
    problem = Problem("request", what, "see /v1/openapi.json for what can be asked")
    return error_reply(request, error.status_code, "UsageError", [problem], error.headers)


async def _failed(request: Request, _: Exception) -> Response:
    problem = Problem("server", "stopped by a fault of Starling's own", "tell the custodian when it happened")
    return error_reply(request, 500, "InternalError", [problem])
