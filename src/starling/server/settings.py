"""server.toml: where a server listens and where its ledger is. Every key is documented in the file that `init` writes."""

import ipaddress
import json
import re
from collections.abc import Collection
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from starling.errors import PlanError, Problem
from starling.planfile.toml import Section, read_file

FILE: Final = "server.toml"
CALLBACK: Final = "/v1/oidc/callback"
"""The path to which an OpenID Connect provider leads browsers back."""

_DOCUMENTED: Final = """\
# Settings of a Starling server. A key that is not described here is refused.

# The IP address to listen on. An address beyond this machine needs `certificate` and `private_key`, or `trusted_proxy`.
address = "127.0.0.1"

# The TCP port to listen on; 0 takes a free one, which is said at the start.
port = 8470

# The names by which clients reach the server, without a port: a request for another host is refused.
hosts = ["127.0.0.1", "localhost"]

# The budget ledger: sqlite:///FILE or postgresql://HOST/NAME. Make it with `starling ledger create`.
ledger = LEDGER

# TLS: files in PEM format, the certificate with its chain, and its private key without a password.
# certificate = "/etc/starling/certificate.pem"
# private_key = "/etc/starling/private-key.pem"

# The account of the web process, where the server is started as root: it may open nothing of the worker's.
# account = "starling-web"

# The IP address of a proxy that ends TLS: connections from anywhere else are refused.
# trusted_proxy = "10.0.0.2"

# The path below which a proxy offers the server, which may pass it on or leave it out.
# root_path = "/statistics"

# The most charges of one analyst that have not left: one more is refused, and costs nothing.
# open_charges = 20

# The most work of a question that costs nothing or of a preview, in millions of steps: one takes a millisecond or so. More is refused.
# question_work = 10000

# The most seconds that a worker gives a release; after three such ends it is parked: starling server jobs.
# job_seconds = 3600

# What tells you that a request waits for your approval: a command, each word a text, or a URL, which gets an empty POST. Nothing is said
# of the request. It is tried again for some minutes where it fails.
# notify_command = ["/usr/local/bin/something-waits"]
# notify_url = "https://chat.example/hooks/starling"

# An OpenID Connect provider, by which users may sign in besides. It needs the extra `oidc`, and all of these keys, at the end of the file.
# [oidc]
# The provider, as it names itself in its tokens.
# issuer = "https://login.example"
# This server, as the provider names it.
# client_id = "starling"
# A file with the secret of this server at the provider, closed to other users of the machine (chmod 600).
# client_secret = "/etc/starling/oidc-secret"
# The claim of the ID token that says which user of this server signs in: "email", which has to be verified, or "sub", or another.
# claim = "email"
# The URL by which browsers reach this server. Register this URL with /v1/oidc/callback after it as redirection at the provider.
# url = "https://statistics.example"
"""
OPEN_CHARGES: Final = 20
QUESTION_WORK: Final = 10_000
JOB_SECONDS: Final = 3600


@dataclass(frozen=True, slots=True)
class Oidc:
    """What server.toml says of an OpenID Connect provider.

    Attributes:
        issuer: The provider, as it names itself.
        client_id: This server, as the provider names it.
        client_secret: The file with the secret of this server there.
        claim: The claim of the ID token that names a user.
        url: The URL by which browsers reach this server, without a slash at its end.
    """

    issuer: str
    client_id: str
    client_secret: Path
    claim: str
    url: str

    @property
    def callback(self) -> str:
        """The URL to which the provider leads browsers back."""
        return f"{self.url}{CALLBACK}"


@dataclass(frozen=True, slots=True)
class Settings:
    """What server.toml says.

    Attributes:
        address: The IP address to listen on.
        port: The TCP port; 0 for a free one.
        hosts: The names by which clients may reach the server.
        ledger: The URL of the ledger.
        certificate: File of the TLS certificate, where there is one.
        private_key: File of its private key; there if and only if the certificate is.
        account: The account of the web process, where there is one.
        trusted_proxy: The IP address of the only client that may connect, where a proxy ends TLS.
        root_path: The path below which clients reach the server, without a slash at its end; empty at the top.
        open_charges: The most charges of one analyst that have not left.
        question_work: The most work of a question that costs nothing, in millions of steps (release/work.py).
        job_seconds: The most seconds that a worker gives a release.
        notify_command: The command that is run when something waits for a custodian, where there is one.
        notify_url: The URL that is then sent an empty POST, where there is one.
        oidc: The OpenID Connect provider, where there is one.
    """

    address: str
    port: int
    hosts: tuple[str, ...]
    ledger: str
    certificate: Path | None
    private_key: Path | None
    account: str | None
    trusted_proxy: str | None
    root_path: str = ""
    open_charges: int = OPEN_CHARGES
    question_work: int = QUESTION_WORK
    job_seconds: int = JOB_SECONDS
    notify_command: tuple[str, ...] = ()
    notify_url: str | None = None
    oidc: Oidc | None = None

    @property
    def encrypted(self) -> bool:
        """Whether clients reach the server over TLS, ended here or by the trusted proxy."""
        return self.certificate is not None or self.trusted_proxy is not None


KEYS: Final = tuple(each.name for each in fields(Settings))
OIDC_KEYS: Final = tuple(each.name for each in fields(Oidc))
_PEM: Final = "name a file in PEM format"
_ROOT_PATH: Final = re.compile(r"(/[A-Za-z0-9_][A-Za-z0-9._-]*)+")


def documented(ledger: str) -> str:
    """The text of a new server.toml, whose ledger is at the URL `ledger`."""
    return _DOCUMENTED.replace("= LEDGER", f"= {json.dumps(ledger)}")


def with_ledger(text: str, ledger: str) -> str:
    """The text of a server.toml, with the ledger at another URL."""
    return re.sub(r"^ledger\s*=.*$", lambda _: f"ledger = {json.dumps(ledger)}", text, count=1, flags=re.MULTILINE)


def read_settings(file: Path) -> Settings:
    """What a server.toml says; raises PlanError with every fault of the file: an unknown or missing key, or an address beyond this machine
    without TLS and proxy.
    """
    top = read_file(file)
    top.only(KEYS)
    hosts, root_path = _hosts(top), _root_path(top) if "root_path" in top.values else ""
    settings = Settings(
        address=_address(top, "address"),
        port=top.whole("port", 0, 65535),
        hosts=hosts,
        ledger=_ledger(top),
        certificate=_file(top, "certificate", _PEM) if "certificate" in top.values else None,
        private_key=_file(top, "private_key", _PEM) if "private_key" in top.values else None,
        account=top.text("account", "name an account of this machine") if "account" in top.values else None,
        trusted_proxy=_address(top, "trusted_proxy") if "trusted_proxy" in top.values else None,
        oidc=_oidc(top, hosts, root_path) if "oidc" in top.values else None,
        open_charges=top.whole("open_charges", 1, 10**6) if "open_charges" in top.values else OPEN_CHARGES,
        question_work=top.whole("question_work", 1, 10**9) if "question_work" in top.values else QUESTION_WORK,
        job_seconds=top.whole("job_seconds", 1, 10**7) if "job_seconds" in top.values else JOB_SECONDS,
        root_path=root_path,
        notify_command=_command(top) if "notify_command" in top.values else (),
        notify_url=_notify_url(top) if "notify_url" in top.values else None,
    )
    if (settings.certificate is None) != (settings.private_key is None):
        missing = "certificate" if settings.certificate is None else "private_key"
        top.refuse(missing, "is missing", "TLS needs both, certificate and private_key")
    if not top.problems and not settings.encrypted and not ipaddress.ip_address(settings.address).is_loopback:
        fix = "give certificate and private_key, or the trusted_proxy that ends TLS, or listen on 127.0.0.1"
        top.refuse("address", "is beyond this machine, and nothing encrypts the connections", fix)
    if top.problems:
        raise PlanError(problems=top.problems)
    return settings


def _address(top: Section, key: str) -> str:
    fix = 'write an IP address such as "127.0.0.1"'
    text = top.text(key, fix)
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        if text:
            top.refuse(key, "is not an IP address", fix)
        return "127.0.0.1"


def _hosts(top: Section) -> tuple[str, ...]:
    fix = 'write names without a port, as in ["localhost"]'
    hosts = top.texts("hosts", fix)
    if "hosts" in top.values and not hosts:
        top.refuse("hosts", "names no host", fix)
    return tuple(host.lower() for host in hosts)


def _ledger(top: Section) -> str:
    url = top.text("ledger", "write sqlite:///FILE or postgresql://HOST/NAME")
    relative = url.startswith("sqlite:///") and not url.startswith("sqlite:////")
    if url and (relative or "://" not in url):
        top.refuse("ledger", "is not a whole URL", "write sqlite:////FOLDER/FILE, from the root, or postgresql://")
    return url


def _file(top: Section, key: str, fix: str) -> Path:
    file = Path(top.text(key, fix))
    if not file.is_absolute():
        top.refuse(key, "is not a whole path", "begin with /")
    return file


def _root_path(top: Section) -> str:
    fix = 'write a path such as "/statistics", without a slash at its end'
    path = top.text("root_path", fix)
    if path and not _ROOT_PATH.fullmatch(path):
        top.refuse("root_path", "is not a path of plain letters, digits, dots, dashes and underscores", fix)
        return ""
    return path


def _command(top: Section) -> tuple[str, ...]:
    fix = 'write its words, as in ["/usr/local/bin/something-waits"]'
    words = top.texts("notify_command", fix)
    if not words or not Path(words[0]).is_absolute():
        top.refuse("notify_command", "does not begin with the whole path of a program", fix)
    return tuple(words)


def _notify_url(top: Section) -> str:
    fix = "write https://, a host, and what comes after it"
    url = top.text("notify_url", fix)
    try:
        parts = urlsplit(url)
        plain = url.isascii() and url.isprintable() and " " not in url and "@" not in parts.netloc and parts.port != 0
        encrypted = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname))
        good = plain and encrypted and bool(parts.hostname)
    except ValueError:
        good = False
    if url and not good:
        top.refuse("notify_url", "is not a URL over TLS, or of this machine", fix)
    return url


def _oidc(top: Section, hosts: Collection[str], root_path: str) -> Oidc:
    section = top.table("oidc")
    section.only(OIDC_KEYS)
    issuer, url = _url(section, "issuer"), _url(section, "url").removesuffix("/")
    parts = urlsplit(issuer)
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        section.refuse("issuer", "is beyond this machine, and nothing encrypts the connections", "begin with https://")
    parts, encrypted = urlsplit(url), bool({"certificate", "trusted_proxy"} & top.values.keys())
    if url and (
        parts.hostname not in hosts or parts.path != root_path or parts.scheme != ("https" if encrypted else "http")
    ):
        fix = f"write {'https' if encrypted else 'http'}://, a host that is listed under hosts, its port, and the root_path"
        section.refuse("url", "is not a URL of this server", fix)
    return Oidc(
        issuer=issuer,
        client_id=section.text("client_id", "write it as the provider shows it"),
        client_secret=_file(section, "client_secret", "name a file with the secret"),
        claim=section.text("claim", 'name a claim of the ID token, such as "email"'),
        url=url,
    )


def _url(section: Section, key: str) -> str:
    fix = "write https://, a host, and what comes after it, without a query"
    text = section.text(key, fix)
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("https", "http") and parts.hostname and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        good = False
    if text and (not good or "?" in text or "#" in text):
        section.refuse(key, "is not a URL", fix)
        return ""
    return text


def is_loopback(host: str | None) -> bool:
    """Whether the host of a URL is this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


def refused_setting(key: str, problem: str, fix: str) -> PlanError:
    """The error for a setting that turned out wrong when it was used."""
    return PlanError(problems=[Problem(key, problem, fix, FILE)])
