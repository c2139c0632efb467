"""Examples of the API in its OpenAPI: what is sent and what is answered, by route; tests send each and compare.

They stand together and not beside each route, so that they tell one story: ada asks for sizes of households, has the custodian approve
one more release, and asks what was released at no cost.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from fastapi import FastAPI

from starling.server.replies import JSON, error_schemas

_COST: Final = {
    "add-remove": {"epsilon": "1", "decimal": "1"},
    "replace-one": {"epsilon": "2", "decimal": "2"},
}
_DATASET: Final = {
    "name": "households",
    "domain": "groups",
    "title": "Households by size",
    "population": "residents",
    "purpose": "Planning of homes and schools",
    "uses": [{"code": "DUO:0000042", "name": "general research use"}],
    "neighbours": "add or remove one member of an existing group",
    "cost": _COST,
    "risk": "From a release, an attacker who accepts 5 false alarms in 100 finds at most 14 of 100 members in the data."
    " By guessing alone, without any release, he finds 5 of 100.",
    "deadline": 60,
    "questions": None,
    "invented": False,
}
_REQUEST: Final = {
    "number": 1,
    "at": "2026-03-01T12:00:00Z",
    "analyst": "ada",
    "dataset": "households",
    "request_id": "homes-2026",
    "title": "Households by size",
    "cost": "epsilon 1",
    "reason": "How many large homes are missing",
    "state": "waiting",
    "words": "",
    "approved_cost": None,
    "question": None,
}
_RELEASE: Final = {
    "id": 7,
    "dataset": "households",
    "request_id": "homes-2026",
    "state": "charged",
    "leaves": "2026-03-01T12:01:00Z",
    "wait": 60,
    "invented": False,
}
_TOKEN: Final = {
    "id": "0123456789abcdef",
    "expires": "2026-03-08T12:00:00Z",
    "used": "2026-03-01T12:00:00Z",
    "revoked": False,
    "session": False,
    "current": True,
}
_SECTION: Final = {
    "title": "Expected error",
    "text": ["Simulated: sizes of households of the United States in 2010 assumed, 40 releases."],
    "tables": [
        {
            "caption": "In groups, by method and level",
            "header": ["Method", "Level", "Sum of errors (L1)"],
            "rows": [["c_eb", "county", "9.6"]],
        }
    ],
}
_NUM_SIG: Final = {"kind": "num_sig", "k": 10, "epsilon": "0.5"}


@dataclass(frozen=True, slots=True)
class Example:
    """What one route is sent, and answers.

    Attributes:
        status: Of the answer.
        reply: The answer.
        requests: Bodies by what they ask, the one that is answered so first; none where nothing is sent.
    """

    status: int
    reply: Any
    requests: Mapping[str, Any] = field(default_factory=dict)


EXAMPLES: Final[Mapping[tuple[str, str], Example]] = {
    ("get", "/healthz"): Example(200, {"status": "ok"}),
    ("get", "/readyz"): Example(200, {"status": "ready"}),
    ("get", "/v1/me"): Example(200, {"name": "ada", "role": "analyst"}),
    ("get", "/v1/tokens"): Example(200, [_TOKEN]),
    ("post", "/v1/tokens"): Example(
        201,
        {
            "id": _TOKEN["id"],
            "expires": _TOKEN["expires"],
            "token": f"starling_{_TOKEN['id']}_{'0' * 64}_e3c0e81b",
        },
        {"token": {"days": 7}},
    ),
    ("get", "/v1/log"): Example(
        200, [{"number": 1, "at": "2026-03-01T12:00:00Z", "who": "ada", "what": "GET /v1/datasets"}]
    ),
    ("get", "/v1/datasets"): Example(200, [_DATASET]),
    ("get", "/v1/datasets/{name}"): Example(200, _DATASET),
    ("get", "/v1/datasets/{name}/budget"): Example(
        200,
        {
            "dataset": "households",
            "population": "residents",
            "measure": "epsilon",
            "amount": "1",
            "caps": [
                {"scope": "population", "name": "residents", "cap": "10", "spent": "1", "left": "9"},
                {"scope": "dataset", "name": "households", "cap": None, "spent": "1", "left": None},
                {"scope": "analyst", "name": "ada", "cap": "3", "spent": "1", "left": "2"},
            ],
            "more": 0,
            "available": "2",
            "approved": "0",
            "release": 7,
            "ask_first": False,
            "reserve": "0",
            "retired": False,
            "invented": False,
        },
    ),
    ("post", "/v1/datasets/{name}/preview"): Example(
        200,
        {
            "dataset": "households",
            "title": "Households by size",
            "neighbours": "add or remove one member of an existing group",
            "cost": _COST,
            "measure": "epsilon",
            "amount": "1",
            "more": 0,
            "release": 7,
            "ask_first": False,
            "question": None,
            "margin": None,
            "request": None,
            "sections": [_SECTION],
            "invented": False,
        },
        {
            "release": {},
            "answer": {"question": _NUM_SIG},
            "margin": {"question": {"kind": "num_sig", "k": 10}, "margin": "20"},
        },
    ),
    ("get", "/v1/datasets/{name}/accuracy"): Example(
        200,
        {
            "title": "Visits",
            "measure": "epsilon",
            "cost": "1",
            "factor": "1/2",
            "numbers": [
                {
                    "level": "all sex",
                    "number": "total only",
                    "unit": "persons",
                    "within": "3",
                    "budget": "1",
                    "reason": None,
                }
            ],
            "invented": False,
        },
    ),
    ("post", "/v1/datasets/{name}/releases"): Example(
        202,
        _RELEASE,
        {
            "release": {"request_id": "homes-2026"},
            "answer": {"request_id": "how-many-snps", "question": _NUM_SIG},
        },
    ),
    ("post", "/v1/datasets/{name}/requests"): Example(
        202,
        _REQUEST,
        {
            "release": {"request_id": "homes-2026", "reason": "How many large homes are missing"},
            "answer": {"request_id": "more-snps", "reason": "To plan a study", "question": _NUM_SIG | {"k": 3}},
        },
    ),
    ("get", "/v1/requests"): Example(200, [_REQUEST]),
    ("get", "/v1/requests/{number}"): Example(200, _REQUEST),
    ("get", "/v1/releases"): Example(
        200,
        {
            "releases": [
                _RELEASE | {"at": "2026-03-01T12:00:00Z", "analyst": "ada", "cost": "epsilon 1", "question": None}
            ],
            "next": None,
        },
    ),
    ("get", "/v1/releases/{release}"): Example(200, _RELEASE | {"state": "released", "wait": 0}),
    ("post", "/v1/releases/{release}/answers"): Example(
        200,
        {
            "release": 7,
            "answer": {"estimate": 32, "standard_deviation": 2.1, "lower": 28, "upper": 36},
            "invented": False,
        },
        {
            "number": {"question": {"kind": "number", "region": "land", "least": 1, "most": 2}},
            "rows": {"question": {"kind": "rows", "table": "regions", "where": [["level", "state"]], "most": 2}},
        },
    ),
    ("get", "/v1/releases/{release}/verification"): Example(
        200,
        {
            "release": 7,
            "outcome": "consistent",
            "not_checked": ["the charge"],
            "signed_by": "0e25-b472-acd4-f357-575f-0f5e-96e5-86ae",
            "checks": [
                {"name": "key", "state": "holds", "says": "the key that was given signed it", "findings": []},
            ],
            "invented": False,
        },
    ),
    ("get", "/v1/releases/{release}/questions"): Example(
        200,
        {
            "oneOf": [
                {
                    "type": "object",
                    "title": "rows",
                    "properties": {"kind": {"const": "rows"}, "table": {"type": "string"}},
                    "required": ["kind", "table"],
                }
            ]
        },
    ),
}
"""By method and path."""


class Published(FastAPI):
    """An application whose OpenAPI has these examples."""

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI, made once."""
        if self.openapi_schema is None:
            published = super().openapi()
            schemas = published["components"]["schemas"]
            published["components"]["schemas"] = dict(sorted({**schemas, **error_schemas()}.items()))
            for path, operations in published["paths"].items():
                for method, operation in operations.items():
                    if (example := EXAMPLES.get((method, path))) is None:
                        continue
                    operation["responses"][str(example.status)]["content"][JSON]["example"] = example.reply
                    if example.requests:
                        named = {name: {"value": body} for name, body in example.requests.items()}
                        operation["requestBody"]["content"][JSON]["examples"] = named
        assert self.openapi_schema is not None
        return self.openapi_schema
