"""server.toml: every key is documented in the file that is written, and whatever is not a key or not safe is refused."""

import re
from pathlib import Path

import pytest

from starling.errors import PlanError
from starling.server.settings import KEYS, OIDC_KEYS, Oidc, Settings, documented, read_settings

URL = "sqlite:////var/lib/starling/ledger.sqlite"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    written = tmp_path / "server.toml"
    written.write_text(documented(URL))
    return written


def add(file: Path, line: str) -> None:
    """Write one more line."""
    file.write_text(f"{file.read_text()}{line}\n")


def put(file: Path, key: str, value: str) -> None:
    """Change the value of a key that is there."""
    text, count = re.subn(rf"(?m)^{key} = .*$", f"{key} = {value}", file.read_text())
    assert count == 1
    file.write_text(text)


def test_the_written_file_is_read(file: Path) -> None:
    assert read_settings(file) == Settings("127.0.0.1", 8470, ("127.0.0.1", "localhost"), URL, None, None, None, None)


def test_every_key_is_documented() -> None:
    lines = documented(URL).splitlines()
    keys = [key for key in (*KEYS, *OIDC_KEYS) if key != "oidc"]
    found = [(key[1], lines[at - 1]) for at, line in enumerate(lines) if (key := re.match(r"(?:# )?(\w+) = ", line))]
    assert sorted(key for key, _ in found) == sorted(keys)
    assert all(before.startswith("# ") for _, before in found)


def test_a_url_with_quotes_stays_one_text(file: Path) -> None:
    file.write_text(documented('postgresql://h/"a\\b'))
    assert read_settings(file).ledger == 'postgresql://h/"a\\b'


def test_an_unknown_key_is_refused_with_what_was_meant(file: Path) -> None:
    add(file, 'adress = "::1"')
    with pytest.raises(PlanError, match="adress is an unknown key; did you mean address"):
        read_settings(file)


@pytest.mark.parametrize("key", ["address", "port", "hosts", "ledger"])
def test_a_missing_key_is_refused(file: Path, key: str) -> None:
    file.write_text(re.sub(rf"(?m)^{key} = .*$", "", file.read_text()))
    with pytest.raises(PlanError, match=f"{key} is missing"):
        read_settings(file)


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("address", '"localhost"', "address is not an IP address"),
        ("address", "1", "address is not a text"),
        ("port", "65536", "port is not an integer from 0 to 65535"),
        ("port", '"8470"', "port is not an integer"),
        ("hosts", "[]", "hosts names no host"),
        ("hosts", '"localhost"', "hosts is not a list of strings"),
        ("ledger", '"sqlite:///ledger.sqlite"', "ledger is not a whole URL"),
        ("ledger", '"ledger.sqlite"', "ledger is not a whole URL"),
        *(
            ("# root_path", f'"{path}"', "root_path is not a path")
            for path in ("statistics", "/", "/a/", "/a//b", "/../b", "/a b", "/%41", "/a?b", "/<x>", "//evil.example")
        ),
        ("# notify_command", "[]", "notify_command does not begin"),
        ("# notify_command", '["mail", "me"]', "notify_command does not begin"),
        ("# notify_command", '"/bin/true"', "notify_command is not a list"),
        *(
            ("# notify_url", f'"{url}"', "notify_url is not a URL")
            for url in ("http://chat.example/x", "https://", "ftp://a/b", "https://a b/", "https://u@h/", "file:///etc")
        ),
    ],
)
def test_a_wrong_value_is_refused(file: Path, key: str, value: str, problem: str) -> None:
    put(file, key, value)
    file.write_text(file.read_text().replace(f"{key} =", f"{key.removeprefix('# ')} ="))
    with pytest.raises(PlanError, match=problem):
        read_settings(file)


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "10.0.0.1", "192.0.2.7"])
def test_an_address_beyond_this_machine_needs_encryption(file: Path, address: str) -> None:
    put(file, "address", f'"{address}"')
    with pytest.raises(PlanError, match="address is beyond this machine, and nothing encrypts"):
        read_settings(file)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.8.8", "::1"])
def test_this_machine_needs_none(file: Path, address: str) -> None:
    put(file, "address", f'"{address}"')
    assert not read_settings(file).encrypted


@pytest.mark.parametrize(
    "lines", ['certificate = "/a.pem"\nprivate_key = "/b.pem"', 'trusted_proxy = "10.0.0.2"'], ids=["tls", "proxy"]
)
def test_tls_or_a_proxy_allows_any_address(file: Path, lines: str) -> None:
    put(file, "address", '"0.0.0.0"')
    add(file, lines)
    assert read_settings(file).encrypted


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('certificate = "/a.pem"', "private_key is missing"),
        ('private_key = "/a.pem"', "certificate is missing"),
        ('certificate = "a.pem"\nprivate_key = "/b.pem"', "certificate is not a whole path"),
        ('trusted_proxy = "proxy"', "trusted_proxy is not an IP address"),
    ],
)
def test_wrong_encryption_is_refused(file: Path, line: str, problem: str) -> None:
    add(file, line)
    with pytest.raises(PlanError, match=problem):
        read_settings(file)


OIDC = """
[oidc]
issuer = "https://login.example/realm/"
client_id = "starling"
client_secret = "/etc/starling/oidc-secret"
claim = "email"
url = "http://localhost:8470"
"""


def test_a_provider_is_read(file: Path) -> None:
    add(file, OIDC)
    found = read_settings(file).oidc
    assert found == Oidc(
        "https://login.example/realm/",
        "starling",
        Path("/etc/starling/oidc-secret"),
        "email",
        "http://localhost:8470",
    )
    assert found.callback == "http://localhost:8470/v1/oidc/callback"


def test_the_documented_provider_is_read_where_its_marks_are_removed(file: Path) -> None:
    text, _, table = documented(URL).partition("# [oidc]\n")
    lines = ["[oidc]", *(line.removeprefix("# ") for line in table.splitlines() if " = " in line)]
    file.write_text(text.replace('"localhost"]', '"statistics.example"]') + "\n".join(lines))
    add(file, "")
    with pytest.raises(PlanError, match="is not a URL of this server"):
        read_settings(file)
    file.write_text(f'trusted_proxy = "10.0.0.2"\n{file.read_text()}')
    assert read_settings(file).oidc == Oidc(
        "https://login.example",
        "starling",
        Path("/etc/starling/oidc-secret"),
        "email",
        "https://statistics.example",
    )


def test_a_provider_on_this_machine_needs_no_tls(file: Path) -> None:
    for issuer in ("http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1/a"):
        file.write_text(documented(URL) + OIDC.replace("https://login.example/realm/", issuer))
        found = read_settings(file).oidc
        assert found is not None
        assert found.issuer == issuer


def test_behind_tls_browsers_reach_the_server_by_https(file: Path) -> None:
    add(file, 'trusted_proxy = "10.0.0.2"')
    add(file, OIDC.replace("http://localhost:8470", "https://localhost/"))
    found = read_settings(file).oidc
    assert found is not None
    assert found.callback == "https://localhost/v1/oidc/callback"


@pytest.mark.parametrize("key", OIDC_KEYS)
def test_a_provider_needs_every_key(file: Path, key: str) -> None:
    add(file, re.sub(rf"(?m)^{key} = .*$", "", OIDC))
    with pytest.raises(PlanError, match=rf"oidc.{key} is missing"):
        read_settings(file)


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("issuer", '"http://login.example"', "oidc.issuer is beyond this machine, and nothing encrypts"),
        ("issuer", '"login.example"', "oidc.issuer is not a URL"),
        ("issuer", '"https://a@login.example"', "oidc.issuer is not a URL"),
        ("issuer", '"https://login.example?a=b"', "oidc.issuer is not a URL"),
        ("issuer", '"https://[::1"', "oidc.issuer is not a URL"),
        ("issuer", '"ftp://login.example"', "oidc.issuer is not a URL"),
        ("client_secret", '"secret"', "oidc.client_secret is not a whole path"),
        ("claim", "1", "oidc.claim is not a text"),
        ("url", '"http://elsewhere.example"', "oidc.url is not a URL of this server"),
        ("url", '"https://localhost:8470"', "oidc.url is not a URL of this server"),
        ("url", '"http://localhost:8470/starling"', "oidc.url is not a URL of this server"),
    ],
)
def test_a_wrong_provider_is_refused(file: Path, key: str, value: str, problem: str) -> None:
    add(file, re.sub(rf"(?m)^{key} = .*$", f"{key} = {value}", OIDC))
    with pytest.raises(PlanError, match=problem):
        read_settings(file)


def test_an_unknown_key_of_a_provider_is_refused(file: Path) -> None:
    add(file, f'{OIDC}secret = "x"')
    with pytest.raises(PlanError, match=r"oidc\.secret is an unknown key"):
        read_settings(file)


def test_a_path_and_what_tells_of_what_waits_are_read(file: Path) -> None:
    text = file.read_text()
    for key in ("root_path", "notify_command", "notify_url"):
        text = text.replace(f"# {key} =", f"{key} =")
    file.write_text(text)
    settings = read_settings(file)
    assert settings.root_path == "/statistics"
    assert settings.notify_command == ("/usr/local/bin/something-waits",)
    assert settings.notify_url == "https://chat.example/hooks/starling"
