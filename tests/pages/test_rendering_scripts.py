"""The types that the scripts of pages state hold, as TypeScript sees it: each begins with `@ts-check`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parents[2] / "src" / "starling").glob("**/static/*.js"))
CONFIG = '{"compilerOptions": {"lib": ["dom", "dom.iterable", "esnext"], "checkJs": true, "strict": true}}'


def checked(folder: Path, *scripts: Path) -> tuple[int, str]:
    """Exit code and findings of the type checker."""
    deno = shutil.which("deno", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if deno is None:
        pytest.skip("no deno: the extra `test` installs it")
    (folder / "deno.json").write_text(CONFIG)
    # Nothing is fetched, and nothing kept in the home of whoever runs it.
    own = {"DENO_DIR": str(folder / "deno"), "NO_COLOR": "1", "DENO_NO_UPDATE_CHECK": "1"}
    done = subprocess.run(
        [deno, "check", "--no-remote", "--no-npm", "--config", folder / "deno.json", *scripts],
        env=os.environ | own,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_every_script_says_that_its_types_are_checked() -> None:
    assert SCRIPTS
    assert [each.name for each in SCRIPTS if not each.read_text().startswith("// @ts-check\n")] == []


@pytest.mark.slow
def test_the_types_of_every_script_hold(tmp_path: Path) -> None:
    code, findings = checked(tmp_path, *SCRIPTS)
    assert code == 0, findings


@pytest.mark.slow
def test_a_wrong_type_is_found(tmp_path: Path) -> None:
    (tmp_path / "wrong.js").write_text("// @ts-check\n/** @type {number} */\nconst text = 'text';\n")
    code, findings = checked(tmp_path, tmp_path / "wrong.js")
    assert (code, "not assignable to type 'number'" in findings) == (1, True)
