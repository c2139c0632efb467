"""Statistics about people under differential privacy: the shape of the flock, never the bird.

Two domains, each a package with a plan, a preview, a release and a validation of its own:

    starling.tables   detailed race and ethnicity counts by geography (SafeTab), from person records to T1 and T2
    starling.genome   a researcher explores a case-control study that she cannot see, question by question

Whatever the domain:

    starling.open_release(PATH)   opens a release: its tables, its numbers with their noise, what it promises
    starling.verify(PATH)         verifies one: files, signature, cost and every number
    starling.open_ledger(URL)     opens the ledger that pays, `sqlite:///FILE` or `postgresql://...`
    starling.PaymentOptions(...)  says who pays for a release, for which data, under which name
    starling.errors               every error that Starling raises, in one tree

A session of tables begins with `starling.tables.Plan`, one of a study with `starling.genome.Study`; `help` of each says how.
"""

from typing import TYPE_CHECKING

from starling.lazy import lazy

if TYPE_CHECKING:
    from starling.ledger.opening import open_ledger
    from starling.release.payment import PaymentOptions
    from starling.verification import open_release, verify

__all__ = ["PaymentOptions", "open_ledger", "open_release", "verify"]

lazy(
    __name__,
    {
        "PaymentOptions": "release.payment",
        "open_ledger": "ledger.opening",
        "open_release": "verification",
        "verify": "verification",
    },
    ("errors", "genome", "tables"),
)
