"""Formats are told by content alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memspan.errors import FormatError
from memspan.formats import FORMATS, detect, read_turns


@pytest.mark.parametrize("name", list(FORMATS))
def test_every_format_is_told(sample_file: Callable[[str], Path], samples: dict[str, str], name: str) -> None:
    path = sample_file(name)
    assert detect(path) == detect(str(path)) == detect(samples[name].encode()) == name
    renamed = path.rename(path.with_name("input"))
    assert detect(renamed) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"role": "user", "content": "x"}', "chat"),
        ('[{"role": "user", "content": "x"}]', "chat"),
        ('[{"messages": []}]', "chat"),
        ('{"speaker": "x", "text": "y"}', "jsonl"),
        ('{"role": "x", "text": "y"}', "jsonl"),
    ],
)
def test_shapes_of_messages(text: str, name: str) -> None:
    assert detect(text.encode()) == name


def test_bytes_that_end_inside_the_first_value_are_refused(samples: dict[str, str]) -> None:
    with pytest.raises(FormatError, match="<bytes>:1: not JSON"):
        detect(samples["locomo"].encode()[:100])
    with pytest.raises(FormatError, match="<bytes>: empty"):
        detect(b"")


def test_formats_carry_their_names_and_summaries() -> None:
    for name, each in FORMATS.items():
        assert each.name == name
        assert each.summary


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("beam", "locomo"),
        ("locomo", "beam"),
        ("realtalk", "chat"),
        ("claude-code", "chat"),
        ("codex", "claude-code"),
    ],
)
def test_a_file_of_another_format_says_which(
    sample_file: Callable[[str], Path], called: str, name: str
) -> None:
    with pytest.raises(FormatError, match=f"; it looks like {name}$"):
        list(read_turns(sample_file(name), format=called, user="mo"))


def test_a_broken_file_of_its_own_format_looks_like_no_other(sample_file: Callable[[str], Path]) -> None:
    path = sample_file("locomo")
    path.write_text(path.read_text(encoding="utf-8").replace("31 October", "31 Brumaire"), encoding="utf-8")
    with pytest.raises(FormatError, match="accepted: a date like '[^']*'$"):
        list(read_turns(path, format="locomo"))
