"""Numbers for the operators of a server, in the format of Prometheus: they tell nothing of the data.

Counted are requests by method, route and status, and releases that were charged and have not left. Whether a release has left depends
on its deadline (charges.py), so the number says what clients are told, never when a run was done. No duration is measured.
"""

from typing import Final

from fastapi import FastAPI, Response
from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from starling.server.authentication import Service, errors
from starling.server.charges import Charges

NONE: Final = ""
"""The route, and the method, of a request for what is not there: what stood in it may be anything."""


class Metrics:
    """The numbers of one web process since it began; its charges know what waits."""

    def __init__(self, charges: Charges) -> None:
        self._registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("starling_requests", "Requests answered.", labels, registry=self._registry)
        waiting = Gauge("starling_releases_waiting", "Releases charged that have not left.", registry=self._registry)
        waiting.set_function(charges.waiting)

    def answered(self, method: str, route: str | None, status: int) -> None:
        """A request was answered."""
        self._requests.labels(NONE if route is None else method, route or NONE, status).inc()

    def text(self) -> bytes:
        """All of them, in the text format of Prometheus."""
        return generate_latest(self._registry)


def add_route(app: FastAPI, service: Service, metrics: Metrics) -> None:
    """Add the one that gives them to an application."""

    @app.get(
        "/v1/metrics",
        summary="Counts of requests and of releases that wait, for Prometheus, by a token of an auditor or custodian",
        response_class=Response,
        responses={
            200: {"content": {"text/plain": {}}, "description": "Prometheus's text format, version 0.0.4."},
            **errors(),
        },
        dependencies=[service.user("custodian", "auditor")],
    )
    def numbers() -> Response:
        return Response(metrics.text(), media_type=CONTENT_TYPE_PLAIN_0_0_4)
