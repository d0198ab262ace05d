"""Thoughts before an answer that comes in pieces."""

from __future__ import annotations

import random

import pytest

from memspan.llm.thoughts import Thoughts


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>\nIs 1 < 2?\nSources: 2\n</think>\n\nPorto.\nSources: 1", "Porto.\nSources: 1"),
        (" \n<THINKING>a</thin </Thinking> Porto, <think>not", "Porto, <think>not"),
        ("<thing> is one", "<thing> is one"),
        ("Porto </think>", "Porto </think>"),
        ("<thi", "<thi"),
        ("[THINK]Hm.[/THINK]Porto.", "Porto."),
        ("<thought>\nHm. </thought>\n\nPorto.", "Porto."),
        ("<seed:think>Hm.</seed:think>Porto.", "Porto."),
        ("[1] Porto [/think]", "[1] Porto [/think]"),
        ("[thi", "[thi"),
        ("<think>without end", ""),
        ("<think></think> \n", ""),
        ("", ""),
    ],
)
@pytest.mark.parametrize("most", [1, 5, 100])
def test_they_are_left_out_however_the_text_is_cut(text: str, answer: str, most: int) -> None:
    chance, thoughts, said, at = random.Random(7), Thoughts(), "", 0
    while at < len(text):
        length = chance.randint(1, most)
        said += thoughts.feed(text[at : at + length])
        at += length
    assert said + thoughts.end() == answer
