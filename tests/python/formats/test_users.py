"""Whose memory turns go into: what the file says against what the caller says."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memspan.errors import FormatError
from memspan.formats import read_turns

SampleFile = Callable[[str], Path]
WriteJson = Callable[..., Path]


def users(source: Path, user: str | None = None) -> list[str]:
    return [turn.user for turn in read_turns(source, user=user)]


@pytest.mark.parametrize(
    ("name", "user", "count"), [("locomo", "garden-1", 3), ("halumem", "u-17", 3), ("longmemeval", "q-2", 1)]
)
def test_a_user_selects_from_a_file_of_several(
    sample_file: SampleFile, name: str, user: str, count: int
) -> None:
    assert users(sample_file(name), user) == [user] * count


def test_an_unknown_user_of_a_file_of_several_is_refused_with_the_list(sample_file: SampleFile) -> None:
    with pytest.raises(FormatError, match=r"no conversation of user 'ana'; its users: garden-1, garden-2$"):
        users(sample_file("locomo"), "ana")
    with pytest.raises(FormatError, match=r"no conversation of user 'ana'; its users: mo$"):
        users(sample_file("jsonl"), "ana")


def test_the_list_of_users_is_cut(write_json: WriteJson) -> None:
    path = write_json(*({"text": "x", "user": f"u{number}"} for number in range(50)))
    with pytest.raises(FormatError, match=r"u18, u19, \.\.\.$"):
        users(path, "ana")


@pytest.mark.parametrize("name", ["locomo", "halumem", "longmemeval"])
def test_a_file_of_one_conversation_goes_to_the_user(
    samples: dict[str, str], name: str, write_json: WriteJson
) -> None:
    values = json.loads(samples[name]) if name != "halumem" else json.loads(samples[name].splitlines()[0])
    path = write_json(values[:1] if isinstance(values, list) else values)
    assert set(users(path)) < {"garden-1", "u-17", "q-1"}
    assert set(users(path, "ana")) == {"ana"}


def test_the_user_owns_what_names_nobody(write_json: WriteJson) -> None:
    path = write_json({"text": "a"}, {"text": "b", "user": "mo"}, {"text": "c", "user": "zoe"})
    assert [(turn.user, turn.text) for turn in read_turns(path, user="mo")] == [("mo", "a"), ("mo", "b")]


@pytest.mark.parametrize("text", ['{"text": "a"}', '{"messages": [{"role": "user", "content": "a"}]}'])
def test_nobody_to_own_it_is_an_error(text: str) -> None:
    with pytest.raises(FormatError, match="<stdin>:1: names no user; pass the user"):
        list(read_turns(io.StringIO(text)))


def test_a_chat_file_on_standard_input_needs_a_user(samples: dict[str, str]) -> None:
    for name in ("realtalk", "beam"):
        with pytest.raises(FormatError, match="names no user"):
            list(read_turns(io.StringIO(samples[name])))
        assert {turn.user for turn in read_turns(io.StringIO(samples[name]), user="ana")} == {"ana"}


def test_a_file_name_that_is_no_unicode_text_names_no_user(samples: dict[str, str]) -> None:
    for name in ("realtalk", "beam"):
        stream = io.StringIO(samples[name])
        stream.name = "chat\udcff.json"  # type: ignore[attr-defined]
        with pytest.raises(FormatError, match="names no user"):
            list(read_turns(stream))
