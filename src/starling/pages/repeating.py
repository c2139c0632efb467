"""The lines that do at a server what a page does: in Python, in a shell, and by curl, each with a token in the environment."""

from shlex import quote

from starling.pages.parts import Line


def server_lines(base: str, path: str, python: str, shell: str, body: str | None = None) -> tuple[Line, ...]:
    """The lines that do it, which work when they are pasted.

    Args:
        base: The address of the server, or of its sandbox.
        path: Of the API, below it.
        python: What is done with `client`.
        shell: What is done where the server is named.
        body: JSON that is posted; without it, it is a GET.
    """
    data = "" if body is None else f" \\\n  -H 'Content-Type: application/json' -d {quote(body)}"
    client = f'import os\nimport starling\n\nclient = starling.Client("{base}", os.environ["STARLING_TOKEN"])'
    return (
        Line("Python", f"{client}\n{python}"),
        Line("Shell", f"export STARLING_SERVER={base}\n{shell}"),
        Line("curl", f'curl -H "Authorization: Bearer $STARLING_TOKEN"{data} {base}{path}'),
    )
