"""A server of its own process: it says where it listens, answers over a socket, and ends when it is told to."""

import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from starling.ledger.rules import Request
from starling.server.home import Home
from tests.ledger.worlds import costing
from tests.server.conftest import child_of

Start = Callable[[], tuple[subprocess.Popen[str], str]]
STARLING = [sys.executable, "-c", "from starling.cli import main; main()"]


@pytest.fixture
def start(served: Home, tmp_path: Path) -> Iterator[Start]:
    """Starts the server of the home on a free port; gives its process and its URL."""
    file = tmp_path / "served" / "server.toml"
    file.write_text(file.read_text().replace("port = 8470", "port = 0"))
    assert served.settings.port == 8470
    started = []

    def begin() -> tuple[subprocess.Popen[str], str]:
        process = subprocess.Popen(
            [*STARLING, "serve", str(tmp_path / "served")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        started.append(process)
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("starling: listening on http"), line + process.stderr.read()
        if os.geteuid() == 0:
            assert "name an account" in process.stderr.readline()
        return process, line.split()[-1]

    yield begin
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_it_answers_holds_its_port_and_ends_by_ctrl_c(start: Start, tokens: dict[str, str], tmp_path: Path) -> None:
    process, url = start()
    reply = httpx.get(f"{url}/v1/me", headers={"Authorization": f"Bearer {tokens['analyst']}"}, timeout=60)
    assert reply.json() == {"name": "analyst", "role": "analyst"}
    assert "server" not in reply.headers
    port = url.rpartition(":")[2]
    file = tmp_path / "served" / "server.toml"
    file.write_text(file.read_text().replace("port = 0", f"port = {port}"))
    code, taken = ended(tmp_path)
    assert code == 74
    assert f"127.0.0.1 port {port} cannot be listened on" in taken
    process.send_signal(signal.SIGINT)
    check_stopped(process)


def check_stopped(process: subprocess.Popen[str]) -> None:
    """It ended in good order."""
    out, said = process.communicate()
    assert (process.returncode, out) == (0, "stopped\n")
    assert said == "", "nothing is logged of what was asked"


@pytest.mark.slow
def test_its_process_holds_no_library_that_opens_records(start: Start, tokens: dict[str, str]) -> None:
    process, url = start()
    assert (
        httpx.get(f"{url}/v1/me", headers={"Authorization": f"Bearer {tokens['auditor']}"}, timeout=60).status_code
        == 200
    )
    assert httpx.get(f"{url}/readyz", timeout=60).status_code == 200
    heavy = ("/_duckdb.", "/numba/", "/llvmlite/", "/pyarrow/")
    for each in (process.pid, child_of(process.pid, "web")):
        mapped = Path(f"/proc/{each}/maps").read_text()
        assert "/numpy/" in mapped or each == process.pid, "what is loaded can be seen there"
        assert not [name for name in heavy if name in mapped]
        assert ("/pydantic_core/" in mapped) == (each != process.pid), (
            "what keeps it running holds none of its packages"
        )


@pytest.mark.slow
def test_a_request_with_two_lengths_is_no_request(start: Start) -> None:
    """What a proxy in front might read in another way than the server is read by neither."""
    _, url = start()
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))) as connection:
        connection.sendall(
            b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"
        )
        with connection.makefile("rb") as reply:
            said = reply.read()
    assert said.startswith(b"HTTP/1.1 400 ")
    assert b"connection: close" in said.lower()
    assert said.count(b"HTTP/1.1") == 1


def certify(folder: Path) -> Path:
    """Write a certificate for 127.0.0.1 that is its own authority, and its private key; gives the file of the first."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a test")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return folder / "certificate.pem"


def with_tls(tmp_path: Path) -> Path:
    """Name the files of TLS in the settings; gives the file of the certificate."""
    file = tmp_path / "served" / "server.toml"
    certificate = tmp_path / "certificate.pem"
    file.write_text(f'{file.read_text()}certificate = "{certificate}"\nprivate_key = "{tmp_path / "key.pem"}"\n')
    return certificate


@pytest.mark.slow
def test_over_tls_it_tells_browsers_to_stay_there(start: Start, tmp_path: Path) -> None:
    certify(tmp_path)
    trusted = ssl.create_default_context(cafile=str(with_tls(tmp_path)))
    _, url = start()
    assert url.startswith("https://127.0.0.1:")
    reply = httpx.get(f"{url}/healthz", verify=trusted, timeout=60)
    assert (reply.status_code, reply.headers["strict-transport-security"]) == (200, "max-age=31536000")
    with pytest.raises(httpx.TransportError):
        httpx.get(url.replace("https", "http"))


def ended(tmp_path: Path) -> tuple[int, str]:
    """How `starling serve` ends that does not begin to listen: its exit code and what it says."""
    done = subprocess.run(
        [*STARLING, "serve", str(tmp_path / "served")], capture_output=True, text=True, check=False, env=os.environ
    )
    return done.returncode, done.stderr


@pytest.mark.slow
def test_a_certificate_that_is_none_is_told_in_a_sentence(served: Home, tmp_path: Path) -> None:
    assert served.settings.certificate is None
    with_tls(tmp_path).write_text("no certificate")
    (tmp_path / "key.pem").write_text("no key")
    code, said = ended(tmp_path)
    assert code == 65
    assert said.startswith("starling: server.toml: certificate cannot be used for TLS; ")


@pytest.mark.slow
def test_a_custodian_is_told_by_the_process_that_serve_starts(start: Start, served: Home, tmp_path: Path) -> None:
    """Once for a request, by the command and by nothing that the web process waits for; it ends with the server."""
    told, command = tmp_path / "told", tmp_path / "command"
    command.write_text(f"#!/bin/sh\necho told >> {told}\n")
    command.chmod(0o700)
    file = served.folder / "server.toml"
    file.write_text(f"{file.read_text()}\nnotify_command = [{str(command)!r}]\n")
    process, url = start()
    assert not told.exists()
    served.requests.ask(Request("ada", "first", "census", "{}"), "A count", costing(1), "why")
    wait_until(told.exists)
    notifier = child_of(process.pid, "notify")
    assert httpx.get(f"{url}/healthz", timeout=60).status_code == 200
    process.send_signal(signal.SIGTERM)
    check_stopped(process)
    wait_until(lambda: not Path(f"/proc/{notifier}").exists())
    assert told.read_text() == "told\n", "once, however often it looked"


def wait_until(done: Callable[[], bool]) -> None:
    """Wait for what comes from another process; a minute is a fault, on the slowest machine."""
    for _ in range(600):
        if done():
            return
        time.sleep(0.1)
    raise AssertionError("it never came")
