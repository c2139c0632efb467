"""`starling.Client`: datasets, budgets and releases of a server, in a session or a script.

    client = starling.Client("https://statistics.example:8470", token)
    release = client.release("trips", "trips.zip")
    client.answer(7, {"kind": "rows", "table": "cells"})

A release is charged once, whatever is cut in between: the same call goes on where the last one was stopped, and pays nothing.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

from starling.client import pins, replies
from starling.client.custody import CustodyClient
from starling.client.replies import Budget, Dataset, Listed, NewToken, Preview, Progress, Request, Token
from starling.client.transport import NO_SUCH_RANGE, Transport
from starling.errors import IntegrityError, LedgerUnavailable, OutputError, ParameterError, PolicyRefused
from starling.ledger import rules
from starling.ledger.keys import Pin, Public
from starling.planfile.values import exact_text
from starling.privacy.budget import Exact, exact
from starling.privacy.sampling.entropy import fresh_id

if TYPE_CHECKING:
    import httpx

    from starling.client.studies import Study
    from starling.release.reading import Release

Question: TypeAlias = Mapping[str, Any]
"""A question as JSON."""
LONGEST: Final = 1 << 38
"""Bytes of a bundle."""
LONGEST_PLAN: Final = 1 << 30
"""Bytes of a public plan."""
LOOK: Final = 30.0
"""Seconds between two looks at whether a custodian has decided."""
_TOKEN_ID: Final = re.compile("[0-9a-f]{16}")
CUTS: Final = 20
"""How often a download goes on after its connection was cut."""


class Client(CustodyClient):
    """A user of a server. Use it as a context manager, or `close` it.

    Args:
        url: The server, as in https://statistics.example:8470, or its sandbox, as in https://statistics.example:8470/sandbox; plain http
            for this machine alone.
        token: The user's token.
        key: Who should sign what comes from it: a public key or its fingerprint. Without it the key that signed what was fetched first is
            remembered in STARLING_HOME, and has to sign everything after it.
        carrier: Carries the requests; the network without it.
        sleep: Waits so many seconds.

    Raises:
        ParameterError: the URL, the token or the key is none.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        key: str | Public | Pin | None = None,
        carrier: "httpx.BaseTransport | None" = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._transport = Transport(url, token, carrier=carrier, sleep=sleep)
        self._key = None if key is None else Pin.parse(key)

    def __repr__(self) -> str:
        return f"Client({self._transport.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of connections."""
        self._transport.close()

    def datasets(self) -> tuple[Dataset, ...]:
        """What can be released.

        Raises:
            LedgerUnavailable: it cannot be reached; every call raises this, and the server's own errors.
        """
        return replies.read_all(Dataset, self._transport.ask("GET", "/v1/datasets"))

    def budget(self, dataset: str) -> Budget:
        """What may still be spent on a dataset."""
        return replies.read(Budget, self._transport.ask("GET", f"/v1/datasets/{_name(dataset)}/budget"))

    def preview(self, dataset: str, question: Question | None = None, *, margin: Exact | None = None) -> Preview:
        """Cost and expected error of a release, or of the answer to a question (by the schema of `datasets`); free.

        A `margin` in place of the question's cost, 95 times of 100 and in the unit of `x-margin` of the schema, finds the least cost:
        `charge` takes the `question` that is returned.
        """
        body: dict[str, Any] = {"question": question}
        if margin is not None:
            body["margin"] = exact_text(exact(margin, field="margin"))
        return replies.read(Preview, self._transport.ask("POST", f"/v1/datasets/{_name(dataset)}/preview", body))

    def study(
        self, dataset: str, folder: str | Path, *, on_progress: Callable[[Progress], None] = lambda _: None
    ) -> "Study":
        """A genome study of the server, with the methods of `starling.genome.Study`.

        Args:
            dataset: Its name.
            folder: Where each answer gets a zip file; it is made if it is not there.
            on_progress: Is told at each look how far an answer is.

        Raises:
            ParameterError: it is no dataset that is asked questions, or the folder cannot be made.
            IntegrityError: its plan is not as Starling writes it.
        """
        from starling.client.studies import fetched_study

        with self._transport.reply("GET", f"/v1/datasets/{_name(dataset)}/plan") as response:
            content = bytearray()
            for part in response.iter_bytes():
                content += part
                if len(content) > LONGEST_PLAN:
                    raise IntegrityError("plan", "is longer than any plan", "ask who runs the server")
        return fetched_study(self, dataset, Path(folder).absolute(), bytes(content), on_progress)

    def charge(self, dataset: str, *, request_id: str | None = None, question: Question | None = None) -> Progress:
        """Pay for a release, or with a question as JSON for its answer; what was paid before, under whichever id, costs nothing.

        A `request_id` is a name that is used once; a fresh one without it.
        """
        return replies.read(Progress, self._post(dataset, "releases", request_id, question))

    def request(
        self, dataset: str, reason: str, *, request_id: str | None = None, question: Question | None = None
    ) -> Request:
        """Ask the custodian to approve a release, with a reason of at most 2000 letters; nothing is charged.

        Returns:
            The request; what was asked before and waits or is approved is the same.
        """
        return replies.read(Request, self._post(dataset, "requests", request_id, question, reason=reason))

    def requests(self) -> tuple[Request, ...]:
        """The first thousand requests of this user for approval, and what became of them."""
        return replies.read_all(Request, self._transport.ask("GET", "/v1/requests?most=1000"))

    def decision(self, number: int) -> Request:
        """What became of a request for approval."""
        return replies.read(Request, self._transport.ask("GET", f"/v1/requests/{int(number)}"))

    def approval(self, waiting: Request, on_progress: Callable[[Request], None] = lambda _: None) -> Request:
        """Wait until the custodian has decided on a request; `on_progress` is told at each look how it stands.

        Raises:
            PolicyRefused: it was declined; the problem says why, in the custodian's words.
        """
        while waiting.state == "waiting":
            on_progress(waiting)
            self._transport.sleep(LOOK)
            waiting = self.decision(waiting.number)
        if waiting.state == "declined":
            raise PolicyRefused("request", f"was declined: {waiting.words}", "ask again, with another reason")
        return waiting

    def approved(
        self, waiting: Request, out: str | Path, *, on_progress: Callable[[Progress], None] = lambda _: None
    ) -> "Release":
        """Pay for what was approved, wait for it, fetch it, verify it, and open it.

        Args:
            waiting: An approved request: what `decision` or `approval` gave.
            out: The zip file to make.
            on_progress: Is told at each look how far it is.

        Raises:
            PolicyRefused: it is not approved, or not any more.
        """
        return self.ask(waiting.dataset, waiting.question, out, request_id=waiting.request_id, on_progress=on_progress)

    def releases(self) -> Iterator[Listed]:
        """The releases of this user, the newest first; pages come when needed."""
        path: str | None = "/v1/releases"
        while path is not None:
            page = self._transport.ask("GET", path)
            yield from replies.read_all(Listed, replies.part(page, "releases"))
            before = replies.following(page)
            path = None if before is None else f"/v1/releases?before={before}"

    def tokens(self) -> tuple[Token, ...]:
        """The tokens and sessions of this user."""
        return replies.read_all(Token, self._transport.ask("GET", "/v1/tokens"))

    def make_token(self, days: int) -> NewToken:
        """A new token for so many days; it ends with that of this client."""
        return replies.read(NewToken, self._transport.ask("POST", "/v1/tokens", {"days": days}))

    def revoke_token(self, identity: str) -> None:
        """Refuse a token or a session of this user from now on, by its id."""
        if not _TOKEN_ID.fullmatch(identity):
            raise ParameterError("id", "is not 16 hexadecimal digits", "see which there are: tokens()")
        with self._transport.reply("DELETE", f"/v1/tokens/{identity}"):
            return

    def progress(self, number: int) -> Progress:
        """How far a release has come."""
        return replies.read(Progress, self._transport.ask("GET", f"/v1/releases/{int(number)}"))

    def questions(self, number: int) -> Mapping[str, Any]:
        """The JSON Schema of the questions that a release answers at no cost."""
        return replies.schema(self._transport.ask("GET", f"/v1/releases/{int(number)}/questions"))

    def answer(self, number: int, question: Question) -> Any:
        """What a release says to a question, by the schema that `questions` gives, as JSON; free."""
        return replies.answer(
            self._transport.ask("POST", f"/v1/releases/{int(number)}/answers", {"question": question})
        )

    def wait(self, progress: Progress, on_progress: Callable[[Progress], None] = lambda _: None) -> Progress:
        """Wait until a release has left; `on_progress` is told at each look how far it is."""
        while progress.state != "released":
            on_progress(progress)
            self._transport.sleep(progress.wait)
            progress = self.progress(progress.id)
        return progress

    def fetch(self, number: int, out: str | Path) -> Path:
        """Fetch a release as a zip, and verify it; what an earlier call fetched is kept.

        Args:
            number: The release.
            out: The file to make; one that is there, and is this release, is left as it is.

        Returns:
            The file.

        Raises:
            IntegrityError: it is not what the key signed, another release, or contradicts itself; what was fetched is not kept.
            OutputError: it cannot be written.
        """
        path = Path(out).absolute()
        if not path.exists():
            partial = path.with_name(f".{path.name}.{number}.partial")
            try:
                for _ in range(CUTS):
                    if self._go_on(number, partial):
                        break
                else:
                    fix = "try again; what was fetched is kept"
                    raise LedgerUnavailable("server", "is cut off again and again", fix)
                self._verify(partial, number)
                partial.replace(path)
            except IntegrityError:
                partial.unlink(missing_ok=True)
                raise
            except OSError:
                raise OutputError(str(path), "cannot be written", "name a file in a folder with room") from None
        else:
            self._verify(path, number)
        return path

    def release(
        self,
        dataset: str,
        out: str | Path,
        *,
        request_id: str | None = None,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> "Release":
        """Pay for a release, wait for it, fetch it, verify it, and open it, as `ask` does."""
        return self.ask(dataset, None, out, request_id=request_id, on_progress=on_progress)

    def ask(
        self,
        dataset: str,
        question: Question | None,
        out: str | Path,
        *,
        request_id: str | None = None,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> "Release":
        """Pay for the answer to a question, wait for it, fetch it, verify it, and open it.

        Args:
            dataset: Of which data.
            question: As JSON, by the schema that `datasets` gives; None where the plan says all.
            out: The zip file to make.
            request_id: A name that is used once; a fresh one without it.
            on_progress: Is told at each look how far it is.
        """
        path = Path(out).absolute()
        done = self.wait(self.charge(dataset, request_id=request_id, question=question), on_progress)
        from starling.verification import open_release

        return open_release(self.fetch(done.id, path))

    def _post(self, dataset: str, what: str, request_id: str | None, question: Question | None, **more: str) -> Any:
        """Ask once under an id; what is asked twice under it is the same."""
        name = fresh_id() if request_id is None else rules.name(request_id, field="request_id")
        body = {"request_id": name, "question": question, **more}
        return self._transport.ask("POST", f"/v1/datasets/{_name(dataset)}/{what}", body)

    def _go_on(self, number: int, partial: Path) -> bool:
        """Fetch what is missing; whether all of it is there now."""
        import httpx

        begin = partial.stat().st_size if partial.exists() else 0
        # One byte that is there is asked for again: a range behind the end is refused.
        headers = {"Range": f"bytes={begin - 1}-"} if begin else None
        with self._transport.reply("GET", f"/v1/releases/{int(number)}/bundle", headers=headers) as response:
            if response.status_code == NO_SUCH_RANGE:
                # What was kept is not of this release.
                partial.unlink()
                return False
            ranged = response.status_code == 206
            with partial.open("r+b" if ranged else "wb") as file:
                size = file.seek(begin - 1 if ranged else 0)
                try:
                    for part in response.iter_raw():
                        size += len(part)
                        if size > LONGEST:
                            raise IntegrityError("bundle", "is longer than any release", "ask who runs the server")
                        file.write(part)
                except httpx.TransportError:
                    return False
        return True

    def _verify(self, path: Path, number: int) -> None:
        """Raises IntegrityError where a file is not this release, or not what the key signed; remembers the key of the first."""
        from starling.verification import Outcome, verify

        wanted = self._key or pins.pinned(self._transport.url)
        verification = verify(path, key=wanted)
        if verification.outcome is Outcome.FAILED or verification.signer is None:
            raise IntegrityError(
                problems=verification.findings
                or IntegrityError("bundle", "is not signed", "ask who runs the server").problems
            )
        if verification.ledger is None or verification.ledger[1] != number:
            raise IntegrityError("bundle", f"is not release {number}", "name another file, or ask who runs the server")
        if wanted is None:
            pins.pin(self._transport.url, verification.signer)


def _name(dataset: str) -> str:
    if not isinstance(dataset, str):
        raise ParameterError("dataset", "is not a name", "see which there are: datasets()")
    return rules.name(dataset, field="dataset")
