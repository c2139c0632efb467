"""Lines that do the same at a server say it as programs read it, whatever stands in a body."""

import ast
import json
import shlex

import pytest

from starling.pages.repeating import server_lines


@pytest.mark.parametrize("text", ["plain", "it's", '"; rm -rf /; "', "$(id) `id`", "a\nb", "\u202e\\"])
def test_a_body_is_one_word_of_the_shell(text: str) -> None:
    body = json.dumps({"text": text})
    python, shell, curl = server_lines("http://127.0.0.1:1", "/v1/x", f"client.answer({text!r})", "starling", body)
    ast.parse(python.text)
    assert shell.text.splitlines()[0] == "export STARLING_SERVER=http://127.0.0.1:1"
    words = shlex.split(curl.text.replace("\\\n", ""))
    assert (words[words.index("-d") + 1], words[-1]) == (body, "http://127.0.0.1:1/v1/x")
