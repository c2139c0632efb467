"""A file of a secret that cannot be read, is open to others or holds none is refused; TLS is tried in test_running."""

from pathlib import Path

import pytest

from starling.errors import PlanError
from starling.server.secret_files import secret_of
from starling.server.settings import Oidc
from tests.server.providers import URL


@pytest.mark.parametrize(
    ("content", "mode", "problem"),
    [
        (b"secret", 0o640, "is open to other users"),
        (b"secret", 0o604, "is open to other users"),
        (b" \n", 0o600, "holds no secret"),
        (b"\xff", 0o600, "holds no secret"),
        (b"a\nb", 0o600, "holds no secret"),
        (None, 0o600, "cannot be read"),
    ],
)
def test_a_secret_is_closed_to_others(tmp_path: Path, content: bytes | None, mode: int, problem: str) -> None:
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content)
        file.chmod(mode)
    with pytest.raises(PlanError, match=problem):
        secret_of(Oidc("https://login.example", "starling", file, "sub", URL))
