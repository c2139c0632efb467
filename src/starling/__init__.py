"""Statistics about people under differential privacy: the shape of the flock, never the bird.

Four domains, each a package with a plan, a preview, a release and a validation of its own:

    starling.tables   detailed race and ethnicity counts by geography (SafeTab), from person records to T1 and T2
    starling.groups   numbers of groups by size, such as households, over nested regions that add up exactly
    starling.places   location histograms that answer any rectangle, with intervals that surely hold the truth
    starling.genome   a researcher explores a case-control study that she cannot see, question by question

The shortest way to a number:

    starling.count(FRAME, by=["sex"], domains={"sex": ["F", "M"]}, epsilon=1)

With a budget that every count is taken from:

    with starling.session(FRAME, epsilon=2) as s:
        s.count(by=["sex"], domains={"sex": ["F", "M"]}, epsilon="0.5")

Whatever the domain:

    starling.open_release(PATH)   opens a release: its tables, its numbers with their noise, what it promises
    starling.verify(PATH)         verifies one: files, signature, cost and every number
    starling.open_ledger(URL)     opens the ledger that pays, `sqlite:///FILE` or `postgresql://...`
    starling.Client(URL, TOKEN)   asks a server: datasets, budgets, releases and answers (pip install 'starling-dp[client]')
    starling.PaymentOptions(...)  says who pays for a release, for which data, under which name
    starling.errors               every error that Starling raises, in one tree

A session of tables begins with `starling.tables.Plan`, one of a study with `starling.genome.Study`; `help` of each says how.
"""

from typing import TYPE_CHECKING

from starling.lazy import lazy

if TYPE_CHECKING:
    from starling.budget_session import session
    from starling.client import Client
    from starling.ledger.opening import open_ledger
    from starling.release.payment import PaymentOptions
    from starling.tables.session import count
    from starling.verification import open_release, verify

__all__ = ["Client", "PaymentOptions", "count", "open_ledger", "open_release", "session", "verify"]

lazy(
    __name__,
    {
        "budget_session": "session",
        "client": "Client",
        "ledger.opening": "open_ledger",
        "release.payment": "PaymentOptions",
        "tables.session": "count",
        "verification": "open_release verify",
    },
    ("errors", "genome", "groups", "places", "tables"),
)
