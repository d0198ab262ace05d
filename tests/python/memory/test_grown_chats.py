"""Chats without a name, with numbers for ids, that are loaded again when they have grown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memspan import Memory
from memspan.errors import FormatError
from memspan.formats import read_turns
from memspan.ingestion import IngestReport, ingest_turns

BEGINNING = ("Hi.", "How can I help?")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "m", "hash") as memory:
        yield memory


def chat(*said: str, **fields: Any) -> dict[str, Any]:
    messages = [{"id": number, "role": "user", "content": text} for number, text in enumerate(said, 1)]
    return {"messages": messages, **fields}


def load(memory: Memory, path: Path, *chats: dict[str, Any], user: str = "ana") -> None:
    path = path / "chats.json"
    path.write_text(json.dumps(chats), encoding="utf-8")
    ingest_turns(memory, read_turns(path, format="chat", user=user), IngestReport())


def sessions(memory: Memory, user: str = "ana") -> list[list[str]]:
    """What was said in each session, the oldest first."""
    found: dict[str | None, list[str]] = {}
    for recall in reversed(memory.latest(user=user, k=1_000)):
        found.setdefault(recall.record.session, []).append(recall.text)
    return list(found.values())


def test_a_chat_that_has_grown_goes_on(memory: Memory, tmp_path: Path) -> None:
    for said in (BEGINNING, (*BEGINNING, "Tea."), (*BEGINNING, "Tea.", "Here.", "Thanks.")):
        load(memory, tmp_path, chat(*said))
        assert sessions(memory) == [[*said]]
    load(memory, tmp_path, chat(*BEGINNING))
    assert sessions(memory) == [[*BEGINNING, "Tea.", "Here.", "Thanks."]]


def test_chats_that_begin_alike_stay_apart(memory: Memory, tmp_path: Path) -> None:
    load(memory, tmp_path, chat(*BEGINNING))
    tea, milk = (*BEGINNING, "Tea."), (*BEGINNING, "Milk.")
    load(memory, tmp_path, chat(*tea), chat(*milk))
    assert sessions(memory) == [[*tea], [*milk]]
    tea, milk = (*tea, "Black."), (*milk, "Warm.")
    load(memory, tmp_path, chat(*milk), chat(*tea))
    assert sessions(memory) == [[*tea], [*milk]]


def test_a_chat_grows_in_one_file_from_its_first_message_on(memory: Memory, tmp_path: Path) -> None:
    load(memory, tmp_path, chat("Hi."), chat("Hi.", "Tea."), chat("Hi.", "Tea.", "Here."))
    assert sessions(memory) == [["Hi.", "Tea.", "Here."]]


def test_a_chat_grows_in_one_file(memory: Memory, tmp_path: Path) -> None:
    load(memory, tmp_path, chat(*BEGINNING), chat(*BEGINNING, "Tea."), chat("Bye."))
    assert sessions(memory) == [[*BEGINNING, "Tea."], ["Bye."]]


def test_who_else_said_it_is_somebody_else(memory: Memory, tmp_path: Path) -> None:
    load(memory, tmp_path, chat(*BEGINNING), user="ben")
    load(memory, tmp_path, chat(*BEGINNING, "Tea."))
    assert (sessions(memory, "ben"), sessions(memory)) == ([[*BEGINNING]], [[*BEGINNING, "Tea."]])


def test_a_chat_goes_on_that_was_shortened_or_lies_in_the_cold_tier(memory: Memory, tmp_path: Path) -> None:
    long = "I would really like to know when the old ferry to Bergen leaves on Sunday in the summer, please."
    load(memory, tmp_path, chat(long, "At nine."))
    memory.compress("ana", ratio=0.5)
    load(memory, tmp_path, chat(long, "At nine.", "Thanks."))
    assert len(sessions(memory)) == 1
    memory.set_quotas(3)
    load(memory, tmp_path, chat(long, "At nine.", "Thanks.", "Bye."))
    found = [*memory.evicted(user="ana"), *memory.latest(user="ana", k=9)]
    assert len({one.record.session for one in found}) == 1
    assert len(found) == 4
    assert {"Thanks.", "Bye."} < {one.record.text for one in found}


def test_what_stands_before_an_error_goes_on(memory: Memory, tmp_path: Path) -> None:
    load(memory, tmp_path, chat("Hi."))
    broken = chat("Hi.", "Tea.", "Milk.")
    broken["messages"][2]["content"] = 5
    with pytest.raises(FormatError, match="content"):
        load(memory, tmp_path, broken)
    assert sessions(memory) == [["Hi.", "Tea."]]
