"""The report says what was promised and charged, stands alone, and lets no released text become markup."""

import hashlib
import html
import re
from fractions import Fraction

import pytest

from starling.ledger.keys import Public
from starling.pages.marks import Sheet
from starling.pages.parts import Picture, Section, Table
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.guarantee import Guarantee, joint, measurement
from starling.privacy.neighbours import ADD_REMOVE_PERSON, REPLACE_PERSON
from starling.privacy.trust import Entry, Receipt
from starling.release.claims import claim
from starling.release.report import render
from starling.release.report.pages import amounts
from starling.release.statement import UNLIMITED

GAUSSIAN = measurement("count", ADD_REMOVE_PERSON, DiscreteGaussian(Fraction(5)))
LAPLACE = measurement("count", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(5)))
REPLACED = measurement("count", REPLACE_PERSON, DiscreteLaplace(Fraction(5)))


def page(guarantee: Guarantee, title: str = "Title", sections: tuple[Section, ...] = ()) -> str:
    """The report of an in-memory charge."""
    receipt = Receipt("0123abc", guarantee, "in memory")
    return render(title, receipt, Section("What was charged", "One.\n\n  Two\n   lines."), sections)


@pytest.mark.parametrize(
    ("guarantee", "expected"),
    [
        (GAUSSIAN, ("ρ = 0.1", "<mo>≤</mo><mi>ρ</mi><mi>α</mi>", "costs ρ = 0.4", "zero-concentrated")),
        (LAPLACE, ("ε = 0.2", "<msup><mi>e</mi><mi>ε</mi></msup>", "costs ε = 0.4", "pure differential privacy")),
        (REPLACED, ("ε = 0.2", "the\nnumber of\nunits is public".replace("\n", " "), "how many there are is public")),
    ],
)
def test_the_guarantee_stands_in_words_and_symbols(guarantee: Guarantee, expected: tuple[str, ...]) -> None:
    text = " ".join(page(guarantee).split())
    for part in (*expected, "one person", str(guarantee.relation), "0123abc", html.escape(UNLIMITED)):
        assert part in text


def test_key_and_place_in_the_ledger_stand_there() -> None:
    entry = Entry(1234, "ab" * 32, "census-2030", "people", "01" * 32)
    receipt = Receipt("id", LAPLACE, "ledger-7", entry, day="2031-05-05")
    text = render("Title", receipt, Section("What was charged"), ())
    for part in (
        "1,234",
        "ab" * 32,
        "census-2030, of the population people",
        "ledger-7",
        "2031-05-05",
        Public(b"\1" * 32).fingerprint,
    ):
        assert part in text
    assert "nobody signed" in page(LAPLACE)


def test_the_epsilon_of_others_is_stated() -> None:
    assert "ε = 0.2 at δ = 1e-10" in page(LAPLACE)


RENYI = "conversion of Renyi divergences, which zCDP bounds, rounded up"
EARLIER = measurement("earlier", ADD_REMOVE_PERSON, DiscreteGaussian(Fraction(5, 4)))


def test_what_is_added_to_counts_for_the_whole() -> None:
    receipt = Receipt("id", GAUSSIAN, "in memory")
    text = " ".join(render("Title", receipt, Section("Charged"), (), joint(GAUSSIAN, [EARLIER])).split())
    for part in (
        "ρ = 0.5<small>",
        "ρ = 0.1 of it charged for this release",
        "For all of them together ρ = 0.5",
        "(rho 0.5)",
        # Budgets may have been chosen after the earlier results, where privacy loss distributions are not proved to compose.
        f"ε = {claim(joint(GAUSSIAN, [EARLIER])).epsilon} at δ = 1e-10 ({RENYI}), of all of them",
        f"ε = {claim(GAUSSIAN).epsilon} at δ = 1e-10 (privacy loss distribution, rounded up), of this charge alone",
        "release costs ρ = 2, together with those that it adds to; ρ = 0.4 of it for this charge alone",
    ):
        assert part in text
    assert Fraction(claim(joint(GAUSSIAN, [EARLIER])).epsilon) > Fraction(claim(GAUSSIAN).epsilon)
    assert "of it charged" not in page(GAUSSIAN)


@pytest.mark.parametrize(
    ("guarantee", "whole", "digest"),
    [
        (GAUSSIAN, None, "2b5dee204ab8e076ff36e7d0ed0d5fc0a472ec70b9333bd6c7f8cddac6460ec8"),
        (LAPLACE, None, "387f7dba484e92d88c93763b1b3c33618333be9a265e6cbdfacdaab21453251f"),
        (REPLACED, None, "7471a3b7e94a6fe58ecdc62b170b354ad94ad240b04bc5ecf47b19b375a2d2e7"),
        (GAUSSIAN, joint(GAUSSIAN, [EARLIER]), "453868beebbe31e6a71054af4222f95919f4069f3a75a741bb3b5d6aee2a86be"),
    ],
)
def test_amounts_stand_as_they_did_in_reports_before_030(
    guarantee: Guarantee, whole: Guarantee | None, digest: str
) -> None:
    """Verification of a release by an earlier version compares these parts of its report with ours; the digests are of 0.2.0."""
    receipt = Receipt("0123abc", guarantee, "in memory")
    text = render("Title", receipt, Section("What was charged"), (), whole, ("a < b",))
    assert hashlib.sha256("\n".join(amounts(text)).encode()).hexdigest() == digest


MOST_WORDS = 500
"""Words of a report before its folds."""


def words_before_folds(text: str) -> list[str]:
    """What a reader of a report sees before anything is opened, without its style, letters of pictures and what stands in tables."""
    shown = re.sub(r"<(style|svg|table|title)\b.*?</\1>|(</summary>).*?</details>", " ", text, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", " ", shown)).split()


def test_words_before_folds_are_counted() -> None:
    folded = Section("Folded", "one two three", folded=True)
    counted = {len(words_before_folds(page(GAUSSIAN, sections=sections))) for sections in ((), (folded,))}
    assert max(counted) - min(counted) == 1, "its title alone"
    assert len(words_before_folds(page(GAUSSIAN, sections=(Section("Open", "one two three"),)))) == min(counted) + 4


def test_paragraphs_are_cut_at_empty_lines() -> None:
    assert "<p>One.</p>\n<p>Two lines.</p>" in page(GAUSSIAN)


def test_the_page_needs_nothing_from_elsewhere() -> None:
    text = page(GAUSSIAN)
    assert "<script" not in text
    assert "default-src 'none'" in html.unescape(text)
    assert not re.findall(r"""(?:href|src)\s*=\s*"(?!data/)|url\s*\(""", text)


def test_released_text_cannot_become_markup() -> None:
    evil = "<script>x</script>"
    section = Section(evil, evil, (Picture(lambda: Sheet(1, 0, 1), evil, "one"),), (Table((evil,), ((evil,),), evil),))
    text = page(GAUSSIAN, evil, (section,))
    assert evil not in text
    assert html.escape(evil) in text
    assert "<svg" in text


def test_tables_of_words_are_marked() -> None:
    words = Section("t", tables=(Table(("a",), (("b",),), "c", words=True),))
    numbers = Section("t", tables=(Table(("a",), (("b",),), "c"),))
    assert '<table class="words">' in page(GAUSSIAN, sections=(words,))
    assert '<table class="words">' not in page(GAUSSIAN, sections=(numbers,))


@pytest.mark.parametrize(
    ("guarantee", "invariants", "expected"),
    [
        (LAPLACE, (), "none<small>every number carries noise</small>"),
        (
            LAPLACE,
            ("a total", "b < c"),
            "what is public<small>a total; b &lt; c; every other number carries noise</small>",
        ),
        (REPLACED, (), "what is public<small>how many persons there are; every other number carries noise</small>"),
    ],
)
def test_the_tile_of_exact_numbers_says_what_the_plan_publishes(
    guarantee: Guarantee, invariants: tuple[str, ...], expected: str
) -> None:
    receipt = Receipt("0123abc", guarantee, "in memory")
    text = render("Title", receipt, Section("Charged"), (), invariants=invariants)
    assert f"<dt>Exact numbers published</dt><dd>{expected}</dd>" in text
    assert ("made noisy on purpose. " in text) == (expected[:4] == "none")
