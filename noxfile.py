"""The tasks of the project, one command each: `nox --list`. `.ci/run` is what must pass before a change lands."""

import nox

nox.options.sessions = ["lint", "tests"]
nox.options.reuse_venv = "yes"

PYTHONS = ["3.11", "3.12", "3.13"]


@nox.session(python="3.11")
def lint(session: nox.Session) -> None:
    """Style, types and import contracts."""
    session.install("-e", ".[test]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("lint-imports", "--no-logo")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The tests, or those that are named: `nox -s tests-3.11 -- tests/privacy`."""
    session.install("-e", ".[test]")
    session.run("pytest", *session.posargs)


@nox.session(python="3.11")
def docs(session: nox.Session) -> None:
    """The pages, into the folder `site`."""
    session.install("-e", ".[docs]")
    session.run("mkdocs", "build", "--strict", env={"NO_MKDOCS_2_WARNING": "1"})


@nox.session(python="3.11")
def reference(session: nox.Session) -> None:
    """The command-line reference, made anew from the commands."""
    session.install("-e", ".[test]")
    session.run("python", "docs/build_cli_reference.py")
    session.run("python", "docs/build_api_reference.py")
    session.run("python", "docs/build_plan_reference.py")


@nox.session(python=False)
def whole(session: nox.Session) -> None:
    """Everything that must pass, as it runs before a change lands (Debian; installs its services)."""
    session.run("bash", ".ci/run", external=True)


@nox.session(python=False)
def lock(session: nox.Session) -> None:
    """The lock file, made anew by uv."""
    session.run(
        *(
            "uv",
            "pip",
            "compile",
            "pyproject.toml",
            "--all-extras",
            "--universal",
            "--python-version",
            "3.11",
            "--quiet",
        ),
        *("--upgrade", "--no-emit-index-url", "--no-header", "--no-annotate", "--output-file", "requirements.lock"),
        external=True,
    )
