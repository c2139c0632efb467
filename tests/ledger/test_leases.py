"""A lease is one run's alone, and it ends."""

import os

import pytest

from starling.errors import LedgerUnavailable
from starling.ledger import leases
from starling.ledger.leases import Tokens


def test_no_two_tokens_are_the_same_in_a_fork_either() -> None:
    tokens = Tokens()
    out, into = os.pipe()
    seen = {tokens.fresh(), tokens.fresh()}
    child = os.fork()
    if child == 0:
        os.write(into, tokens.fresh().encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(into)
    with os.fdopen(out) as file:
        seen |= {file.read(), tokens.fresh(), Tokens().fresh()}
    assert len(seen) == 5


def test_a_lease_is_held_until_it_ends() -> None:
    with pytest.raises(LedgerUnavailable, match="up to 3 seconds"):
        leases.check(10, 7)
    leases.check(10, 10)
