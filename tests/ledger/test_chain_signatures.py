"""A signature is over one ledger, kind and body."""

from starling.ledger.chain import approval_message, custodian_message


def test_a_signature_is_over_one_ledger_kind_and_body() -> None:
    messages = {
        custodian_message("a", "grant", {"cap": 1}),
        custodian_message("b", "grant", {"cap": 1}),
        custodian_message("a", "raise", {"cap": 1}),
        custodian_message("a", "grant", {"cap": 2}),
        approval_message("a", {"population": "x", "scope": "population", "name": "x", "from": 1, "to": 2}),
        approval_message("a", {"population": "x", "scope": "population", "name": "x", "from": 0, "to": 2}),
    }
    assert len(messages) == 6
