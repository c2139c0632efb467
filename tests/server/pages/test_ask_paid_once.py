"""Nothing is paid twice, whatever a browser and the network do: long histories of both, after each step of which the ledger is looked at.

What the events must be is reckoned beside the server from what arrived there: a question is charged once, when its first form arrives by
a session that lives and fits into the cap. Everything else charges nothing.
"""

import random
import threading
from contextlib import closing
from dataclasses import dataclass, field
from fractions import Fraction

import pytest

from starling.ledger.opening import read_ledger
from starling.ledger.reading import Charge
from tests.client.conftest import Site
from tests.server.pages.browsing import Browser, Form
from tests.server.pages.conftest import browser_of

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

CAP, PRICE = Fraction(3), Fraction(1, 2)
FITTING = CAP / PRICE
QUESTIONS = range(1, 10)
STEPS = 120


def charges(site: Site) -> list[Charge]:
    """By the events of the ledger, which is verified."""
    with closing(read_ledger(site.home.settings.ledger)) as ledger:
        ledger.reading.verify()
        events = sorted(event.seq for event in ledger.reading.events() if event.kind == "charge")
        listed = sorted(ledger.reading.charges(0, 1000), key=lambda each: each.seq)
        assert events == [each.seq for each in listed]
        assert all(each.times == 1 for each in listed)
        return listed


@dataclass
class History:
    """A user with tabs of one browser at a study, and what must have been charged.

    Attributes:
        site: The server.
        tabs: The tabs.
        forms: Forms that pay, of pages that were opened: the question, and the form.
        paid: The number of the release of each question that is charged.
        signed_in: Whether the session lives.
        steps: What was done, to be read where it goes wrong.
    """

    site: Site
    tabs: list[Browser]
    forms: list[tuple[int, Form]] = field(default_factory=list)
    paid: dict[int, int] = field(default_factory=dict)
    signed_in: bool = True
    steps: list[str] = field(default_factory=list)

    def open(self, tab: Browser, question: int) -> None:
        """Open the page of a question; it shows its price, or where its answer is."""
        tab.open(f"/datasets/data/ask?kind=num_sig&k={question}&epsilon={float(PRICE)}")
        if not self.signed_in:
            assert tab.path.startswith("/sign-in")
        elif question in self.paid:
            assert f"open release {self.paid[question]}" in tab.text
        elif len(self.paid) == FITTING:
            assert "it does not fit" in tab.text
        else:
            self.forms.append((question, tab.form("Spend")))

    def arrives(self, question: int) -> bool:
        """A form arrived: whether it charges; it is the first of its question, the session lives, and it fits."""
        return self.signed_in and question not in self.paid and len(self.paid) < FITTING

    def send(self, tab: Browser, question: int, form: Form) -> None:
        """Send a form, by a click, a reload, or after going back to its page."""
        is_charged = self.arrives(question)
        tab.send(form)
        if is_charged:
            self.paid[question] = int(tab.path.rpartition("/")[2])
        if not self.signed_in:
            assert tab.path.startswith("/sign-in")
        elif question in self.paid:
            assert tab.path == f"/questions/{self.paid[question]}"
        else:
            assert tab.page.status_code == 403

    def lose(self, tab: Browser, question: int, form: Form, *, arrives: bool) -> None:
        """The connection is lost: before the form arrived, or before its reply did."""
        if arrives:
            is_charged, lost = self.arrives(question), tab.share()
            lost.send(form)
            if is_charged:
                self.paid[question] = int(lost.path.rpartition("/")[2])

    def click_twice(self, question: int, form: Form) -> None:
        """Both tabs send the same form at once."""
        is_charged = self.arrives(question)
        both_at_once([(tab, form) for tab in self.tabs])
        paths = {tab.path for tab in self.tabs}
        if is_charged:
            (path,) = paths
            self.paid[question] = int(path.rpartition("/")[2])

    def check(self) -> None:
        """The ledger has what must have been charged, and nothing else."""
        events = charges(self.site)
        assert [each.seq for each in events] == sorted(self.paid.values()), self.steps
        assert len({each.request_hash for each in events}) == len(events) == len({each.request_id for each in events})
        assert all(each.cost.amount == PRICE for each in events)
        assert sum(each.cost.amount for each in events) <= CAP


def both_at_once(sent: list[tuple[Browser, Form]]) -> None:
    """Each tab sends a form, all at the same time."""
    threads = [threading.Thread(target=tab.send, args=(form,)) for tab, form in sent]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.series(1)
@pytest.mark.parametrize("seed", range(3))
def test_a_question_is_charged_once_whatever_browser_and_network_do(study_site: Site, seed: int) -> None:
    first = browser_of(study_site)
    history, choose = History(study_site, [first, first.share()]), random.Random(seed)
    done = dict.fromkeys(("open", "send", "lost before", "lost after", "twice", "session ends", "sign in"), 0)
    for _ in range(STEPS):
        step = choose.choices(list(done), (6, 6, 2, 3, 2, 1, 3))[0]
        tab, question = choose.choice(history.tabs), choose.choice(QUESTIONS)
        # Mostly one of the last pages; now and then any, as by going back.
        sent = choose.choice(history.forms[-3:] if choose.random() < 0.7 else history.forms) if history.forms else None
        history.steps.append(f"{step} {question if step == 'open' else sent and sent[0]}")
        if step == "open":
            history.open(tab, question)
        elif step == "session ends":
            study_site.home.access.set_password("ada", None)
            history.signed_in = False
        elif step == "sign in":
            if not history.signed_in:
                fresh = browser_of(study_site)
                history.tabs, history.signed_in = [fresh, fresh.share()], True
        elif sent is None:
            continue
        elif step == "send":
            history.send(tab, *sent)
        elif step == "twice":
            history.click_twice(*sent)
        else:
            history.lose(tab, *sent, arrives=step == "lost after")
        done[step] += 1
        history.check()
    assert min(done.values()) >= 2, "each was done"
    assert len(history.paid) == FITTING, "to the end of the budget"
