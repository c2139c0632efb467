"""A client of a custodian has what the API has for custodians."""

import shlex
from typing import Any, Final

import pytest

from starling.errors import PolicyRefused
from tests.cli.conftest import Call, call
from tests.client.conftest import Site, site
from tests.server.pages.test_custody import asked, check_value, told

__all__ = ["asked", "call", "site"]

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

CUSTODY_CALLS: Final[dict[str, tuple[Any, ...]]] = {
    "custody": (),
    "custody_of": ("data",),
    "review": (1,),
    "decline": (1, "No."),
    "raising": ("people", "analyst", "ada", "9"),
}
"""A method for each route, with values."""


def test_a_custodian_reads_what_waits_and_what_needs_a_key_is_a_command(asked: Site, call: Call) -> None:
    """Whatever `/v1/custody` has, by a method; what needs a key is a command, which works."""
    with asked.client() as ada, pytest.raises(PolicyRefused):
        ada.custody()
    with asked.client("carl") as client:
        check_value(client.custody(), told(asked, "/v1/custody"))
        check_value(client.custody_of("data"), told(asked, "/v1/custody/datasets/data"))
        check_value(client.review(1), told(asked, "/v1/custody/requests/1"))
        raised = client.raising("people", "analyst", "ada", "4.5")
        check_value(raised, told(asked, "/v1/custody/raise?population=people&scope=analyst&name=ada&cap=4.5"))
        assert call(*shlex.split(raised.commands["raise"])[1:], "--yes").exit_code == 0
        declined = client.decline(1, "No.")
        assert (declined.state, declined.words) == ("declined", "No.")
        routes = {each.path for each in asked.carrier._app._app.routes if each.path.startswith("/v1/custody")}  # type: ignore[attr-defined]
        asked.carrier.asked.clear()
        assert len(routes) == len(CUSTODY_CALLS)
        for name, values in CUSTODY_CALLS.items():
            getattr(client, name)(*values)
