"""Tokens: 256 random bits, whose text is not kept, and whose mistakes of typing are found without a store."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.server import tokens


def test_a_token_has_a_prefix_an_id_256_bits_and_a_checksum() -> None:
    token, kept = tokens.fresh()
    prefix, identity, secret, checksum = token.split("_")
    assert (prefix, identity) == ("starling", kept.id)
    assert len(bytes.fromhex(secret)) * 8 == 256
    assert len(checksum) == 8


def test_what_is_kept_is_the_sha256_and_not_the_secret() -> None:
    token, kept = tokens.fresh()
    assert kept.digest == sha256(token.encode()).hexdigest()
    assert token.split("_")[2] not in repr(kept)


def test_a_token_is_of_what_was_kept_of_it_alone() -> None:
    (one, kept), (other, _) = tokens.fresh(), tokens.fresh()
    assert kept.is_of(one)
    assert not kept.is_of(other)


def test_tokens_differ() -> None:
    assert len({tokens.fresh()[0] for _ in range(1000)}) == 1000


@given(place=st.integers(0, 98), letter=st.sampled_from("0123456789abcdef_gS\n"))
def test_one_wrong_letter_is_found_by_the_checksum(place: int, letter: str) -> None:
    token, kept = tokens.fresh()
    assert len(token) == 99
    mistyped = token[:place] + letter + token[place + 1 :]
    assert tokens.id_of(mistyped) == (kept.id if mistyped == token else None)


@pytest.mark.examples(30)
@given(st.text())
def test_any_other_text_has_no_id(text: str) -> None:
    assert tokens.id_of(text) is None
