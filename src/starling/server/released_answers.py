"""The API of questions to what was released: they cost nothing, since everybody who may fetch a release could answer them."""

from typing import Annotated, Any, Literal

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field

from starling.server.access import User
from starling.server.authentication import Service, errors
from starling.server.previewing import INVENTED
from starling.server.releasing import ReleaseId, released


class FreeQuestion(BaseModel):
    """A question to a release."""

    model_config = ConfigDict(extra="forbid", strict=True)
    question: dict[str, Any] = Field(description="By the schema that GET /v1/releases/RELEASE/questions gives.")


class FreeAnswer(BaseModel):
    """What a release says to a question."""

    release: int
    answer: Any
    invented: bool = INVENTED


class CheckReply(BaseModel):
    """One check of a release."""

    name: str
    state: Literal["holds", "fails", "not checked"]
    says: str = Field(description="What holds where nothing was found.")
    findings: list[str]


class VerificationReply(BaseModel):
    """What `starling verify RELEASE --key KEY` finds, with the key of this server."""

    release: int
    outcome: Literal["verified", "consistent", "failed"]
    not_checked: list[str] = Field(
        description="The charge, always: fetch GET /v1/ledger and check it with the release."
    )
    signed_by: str | None = Field(description="The fingerprint of the key that signed it.")
    checks: list[CheckReply]
    invented: bool = INVENTED


def add_routes(app: FastAPI, service: Service) -> None:
    """Add them to an application."""
    home, charges, understanding = service.home, service.charges, service.understanding
    readers = service.user()

    @app.get(
        "/v1/releases/{release}/questions",
        summary="The JSON Schema of the questions that a release answers at no cost",
        responses=errors(404),
    )
    def questions(release: ReleaseId, user: Annotated[User, readers]) -> dict[str, Any]:
        schema: dict[str, Any] = understanding.read(released(charges, release, user)[1], None, user=user.name)
        return schema

    @app.post(
        "/v1/releases/{release}/answers",
        summary="What a release says to a question; free",
        responses=errors(404),
    )
    def answers(release: ReleaseId, body: FreeQuestion, user: Annotated[User, readers]) -> FreeAnswer:
        bundle = released(charges, release, user)[1]
        return FreeAnswer(
            release=release, answer=understanding.read(bundle, body.question, user=user.name), invented=home.invented
        )

    @app.get(
        "/v1/releases/{release}/verification",
        summary="Whether a release is what this server signed, and its numbers and cost follow; verify it yourself to be sure",
        responses=errors(404),
    )
    def verification(release: ReleaseId, user: Annotated[User, readers]) -> VerificationReply:
        verification = understanding.verify(released(charges, release, user)[1], home.key.public.text, user=user.name)
        return VerificationReply(release=release, invented=home.invented, **verification)
