"""Stores that are loaded from each other again and again: what was overwritten meanwhile is one version here."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from memspan import Memory, Quotas, Record

Open = Callable[..., Memory]


@pytest.fixture
def other(open_memory: Open, tmp_path: Path) -> Memory:
    return open_memory(tmp_path / "other.memspan")


def exported(memory: Memory) -> list[str]:
    output = io.StringIO()
    memory.export(None, output)
    return output.getvalue().splitlines(keepends=True)


def say(memory: Memory, text: str, id_: str = "home", at: int = 0) -> None:
    memory.add({"id": id_, "text": text, "at": at}, user="ana")


def wordings(memory: Memory, id_: str = "home") -> list[str]:
    history = memory.history(user="ana", id=id_)
    assert history is not None
    return [one.record.text for one in history.versions]


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("batch", [1, 512])
def test_what_was_corrected_since_the_last_time(
    memory: Memory, other: Memory, monkeypatch: pytest.MonkeyPatch, batch: int, backwards: bool
) -> None:
    monkeypatch.setattr("memspan.remember.transfer.loading._BATCH", batch)
    said: list[str] = []
    for text in ("in Bergen", "in Rome", "in Oslo"):
        say(memory, text)
        said.append(text)
        header, *lines = exported(memory)
        assert other.load(io.StringIO("".join([header, *(reversed(lines) if backwards else lines)]))) == len(
            said
        )
        assert wordings(other) == said
        assert sorted(exported(other)) == sorted(exported(memory))
        assert other.verify() == []


def test_what_was_said_again_there_is_the_last_that_is_said_here(memory: Memory, other: Memory) -> None:
    """It was learnt before what stood there in between."""
    say(memory, "in Bergen")
    other.load(io.StringIO("".join(exported(memory))))
    say(other, "in Rome")
    say(other, "in Bergen")
    memory.load(io.StringIO("".join(exported(other))))
    history = memory.history(user="ana", id="home")
    assert history is not None
    assert [one.record.id == "home" for one in history.versions] == [False, False, True]
    assert wordings(memory) == ["in Bergen", "in Rome", "in Bergen"]


@pytest.mark.parametrize("batch", [1, 512])
def test_what_is_said_again_is_not_believed_in_between(
    memory: Memory, other: Memory, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr("memspan.remember.transfer.loading._BATCH", batch)
    for text in ("in Bergen", "in Rome", "in Bergen"):
        say(memory, text)
        if text == "in Bergen":
            other.load(io.StringIO("".join(exported(memory))))
    assert wordings(other) == ["in Bergen", "in Rome", "in Bergen"]
    assert sorted(exported(other)) == sorted(exported(memory))
    history = other.history(user="ana", id="home")
    assert history is not None
    for version in history.versions:
        believed = other.search("home", user="ana", as_of=version.since)
        assert [one.text for one in believed] == [version.record.text]
    assert other.verify() == []


def test_what_says_something_else_under_the_id_of_a_version(memory: Memory, other: Memory) -> None:
    say(memory, "in Bergen")
    other.load(io.StringIO("".join(exported(memory))))
    say(memory, "in Rome")
    lines = exported(memory)
    assert other.load(io.StringIO("".join(lines).replace("Bergen", "Turin"))) == 2
    assert sorted(wordings(other)) == ["in Bergen", "in Rome", "in Turin"]
    assert other.verify() == []


def test_what_is_held_here_stays_held(memory: Memory, other: Memory) -> None:
    say(memory, "in Bergen")
    other.load(io.StringIO("".join(exported(memory))))
    other.hold(user="ana", id="home")
    say(memory, "in Rome")
    other.load(io.StringIO("".join(exported(memory))))
    history = other.history(user="ana", id="home")
    assert history is not None
    assert "in Bergen" in [one.record.text for one in history.versions if one.record.held]
    assert other.verify() == []


def test_what_both_had_evicted(memory: Memory, other: Memory) -> None:
    for each in (memory, other):
        each.set_quotas(Quotas(capacity=3, eviction="oldest"), user="ana")
    say(memory, "in Bergen")
    say(memory, "something new", "new", 1)
    assert [one.id for one in memory.evicted(user="ana")] == ["home"]
    other.load(io.StringIO("".join(exported(memory))))
    say(memory, "in Rome")
    say(memory, "something newer", "newer", 2)
    other.load(io.StringIO("".join(exported(memory))))
    assert wordings(other) == wordings(memory) == ["in Bergen", "in Rome"]
    assert other.verify() == []


def test_records_of_another_store_with_their_versions(memory: Memory, other: Memory) -> None:
    def copy() -> None:
        with memory._engine.store.reading() as reader:
            found: list[Record] = [each for page in reader.scan("ana", 100) for each in page]
        other.add_records(found)

    for text in ("in Bergen", "in Rome"):
        say(memory, text)
        copy()
    assert wordings(other) == ["in Bergen", "in Rome"]
    assert other.verify() == []


def test_what_was_shortened_keeps_its_wording(memory: Memory, other: Memory) -> None:
    text = "I went to the market in the morning, and I bought three green apples and some bread there. " * 4
    say(memory, text)
    memory.compress("ana", "uniform", 0.5)
    other.load(io.StringIO("".join(exported(memory))))
    say(memory, "in Rome")
    other.load(io.StringIO("".join(line for line in exported(memory) if '"original"' not in line)))
    (version,) = (one.record.id for one in other.history(user="ana", id="home").versions[:-1])  # type: ignore[union-attr]
    assert other.original(user="ana", id=version).text.strip() == text.strip()  # type: ignore[union-attr]
    assert other.original(user="ana", id="home") is None
    assert other.verify() == []
