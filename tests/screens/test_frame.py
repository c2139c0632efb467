"""The lines that put a question to a release are the same question wherever they are typed."""

import json
import shlex

from starling.screens.frame import Frame

QUESTION = {"kind": "rows", "table": "t1", "where": [["region_id", "a'b"]]}


def test_at_a_server_shell_and_curl_ask_what_python_asks() -> None:
    python, shell, curl = Frame(base="https://s:1/x", number=7).lines(QUESTION, "release.to_pandas()")  # type: ignore[arg-type]
    assert repr(QUESTION) in python.text
    assert json.loads(shlex.split(shell.text)[-1]) == QUESTION
    words = shlex.split(curl.text)
    assert json.loads(words[words.index("-d") + 1]) == {"question": QUESTION}
    assert words[-1] == "https://s:1/x/v1/releases/7/answers"


def test_on_ones_own_machine_the_release_is_opened_by_its_path() -> None:
    python, shell = Frame(path="it's/r.zip").lines(QUESTION, "release.verify()")  # type: ignore[arg-type]
    words = shlex.split(shell.text)
    assert (words[:3], json.loads(words[-1])) == (["starling", "answer", "it's/r.zip"], QUESTION)
    namespace: dict[str, object] = {}
    code = python.text.replace("import starling\n", "starling = Opened\n")
    exec(code, {"Opened": Opened}, namespace)
    assert repr(namespace["release"]) == "it's/r.zip"


class Opened:
    """Stands for `starling`, and for what it opens."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __repr__(self) -> str:
        return self._path

    @staticmethod
    def open_release(path: str) -> "Opened":
        return Opened(path)

    def verify(self) -> None:
        return
