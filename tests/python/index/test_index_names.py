"""When what a user's records call people and things has changed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, cast

import pytest

import memspan
from memspan.remember.searching.vocabularies import Vocabularies


@pytest.fixture
def index() -> memspan.Index:
    index = memspan.Index(dim=2)
    index.add(user="ana", id="1", at=0, text="a boat", tags=["boat"], speaker="Al", session="first")
    index.add(user="ana", id="2", at=1, text="the sea", tags=["boat", "sea"], speaker="Bo", session="Al")
    return index


def version(index: memspan.Index) -> int:
    return index.names_version(user="ana")


@pytest.mark.parametrize(
    "write",
    [
        lambda index: index.add(
            user="ana", id="3", at=2, text="more", tags=["sea"], speaker="Bo", session="new"
        ),
        lambda index: index.add(user="ana", id="3", at=2, text="nobody said it"),
        lambda index: index.add(user="ben", id="1", at=2, text="other", tags=["other"], speaker="Cy"),
        lambda index: index.remove(user="ana", ids=["nobody"]),
        lambda index: index.consolidate(user="ana", force=True),
        lambda index: index.search(user="ana", text="boat"),
    ],
)
def test_it_stays_where_no_name_comes_or_goes(index: memspan.Index, write: Callable[[memspan.Index], Any]):
    before, names = version(index), index.names(user="ana")
    write(index)
    assert version(index) == before
    assert index.names(user="ana") == names


@pytest.mark.parametrize(
    ("write", "names"),
    [
        (
            lambda index: index.add(user="ana", id="3", at=2, speaker="Cy"),
            (["Al", "Bo", "Cy"], ["boat", "sea"]),
        ),
        (
            lambda index: index.add(user="ana", id="3", at=2, speaker="first"),
            (["Al", "Bo", "first"], ["boat", "sea"]),
        ),
        (
            lambda index: index.add(user="ana", id="3", at=2, tags=["port"]),
            (["Al", "Bo"], ["boat", "port", "sea"]),
        ),
        (lambda index: index.remove(user="ana", ids=["1"]), (["Bo"], ["boat", "sea"])),
        (lambda index: index.remove(user="ana", ids=["2"]), (["Al"], ["boat"])),
        (
            lambda index: index.relate(user="ana", parent="place", child="sea"),
            (["Al", "Bo"], ["boat", "place", "sea"]),
        ),
        (lambda index: index.rename_tag(user="ana", old="sea", new="lake"), (["Al", "Bo"], ["boat", "lake"])),
        (lambda index: index.merge_tags(user="ana", tags=["sea"], into="boat"), (["Al", "Bo"], ["boat"])),
        (lambda index: index.drop_tags(user="ana", tags=["boat"]), (["Al", "Bo"], ["sea"])),
        (lambda index: index.forget(user="ana"), ([], [])),
    ],
)
def test_it_changes_with_the_names(
    index: memspan.Index, write: Callable[[memspan.Index], Any], names: tuple[list[str], list[str]]
):
    before = version(index)
    write(index)
    assert version(index) != before
    assert index.names(user="ana") == names


def retire(index: memspan.Index, id: str, speaker: str | None, tags: list[str]) -> None:
    index.add(user="ana", id=id, at=0, speaker=speaker, tags=tags, recorded_at=0, retired_at=10)


def test_what_is_no_longer_believed_takes_its_names_along(index: memspan.Index):
    before = version(index)
    retire(index, "2", "Bo", ["boat", "sea"])
    assert version(index) != before
    assert index.names(user="ana") == (["Al"], ["boat"])
    before = version(index)
    index.add(user="ana", id="3", at=3, speaker="Bo", tags=["sea"])
    assert version(index) != before
    assert index.names(user="ana") == (["Al", "Bo"], ["boat", "sea"])


def test_a_retired_record_beside_others_changes_nothing(index: memspan.Index):
    retire(index, "0", "Al", ["boat"])
    before = version(index)
    index.add(user="ana", id="3", at=3, speaker="Al", tags=["boat", "sea"])
    retire(index, "4", None, ["boat"])
    assert version(index) == before


def test_a_tag_among_many_retired_records_turns_up(index: memspan.Index):
    for number in range(40):
        retire(index, f"old {number}", "Al", ["port"])
    assert index.names(user="ana") == (["Al", "Bo"], ["boat", "sea"])
    before = version(index)
    index.add(user="ana", id="new", at=3, speaker="Al", tags=["port"])
    assert version(index) != before
    assert index.names(user="ana") == (["Al", "Bo"], ["boat", "port", "sea"])


def test_a_hidden_tag_that_gets_a_place_is_shown(index: memspan.Index):
    retire(index, "0", "Al", ["port"])
    index.relate(user="ana", parent="boat", child="sea")
    before = version(index)
    index.relate(user="ana", parent="boat", child="port")
    assert version(index) != before
    assert "port" in index.names(user="ana")[1]
    before = version(index)
    index.unrelate(user="ana", parent="boat", child="port")
    assert version(index) != before
    assert "port" not in index.names(user="ana")[1]
    before = version(index)
    index.set_tag_embedding(user="ana", tag="port", embedding=[1, 0])
    assert version(index) != before
    assert "port" in index.names(user="ana")[1]


def test_who_never_was_has_a_version_too(index: memspan.Index):
    assert index.names_version(user="nobody") == 0
    before = version(index)
    index.forget(user="ana")
    index.add(user="ana", id="1", at=0, speaker="Al")
    assert version(index) not in {before, 0}


def test_a_loaded_index_has_other_versions(index: memspan.Index, tmp_path: Any):
    index.save(tmp_path / "index.snapshot")
    loaded = memspan.Index.load(tmp_path / "index.snapshot")
    assert loaded.names(user="ana") == index.names(user="ana")
    assert version(loaded) != version(index)


def test_names_that_come_while_they_are_read(index: memspan.Index):
    """Nothing is kept for longer than it is true."""
    vocabularies = Vocabularies()
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            vocabularies.of(index, "ana")

    thread = threading.Thread(target=ask)
    thread.start()
    for number in range(500):
        index.add(user="ana", id=f"x{number}", at=number, speaker=f"Name {number}")
    stop.set()
    thread.join()
    assert vocabularies.of(index, "ana").speakers == {
        "Al",
        "Bo",
        *(f"Name {number}" for number in range(500)),
    }


def test_a_vocabulary_is_kept_until_the_names_are_others(index: memspan.Index):
    vocabularies = Vocabularies()
    first = vocabularies.of(index, "ana")
    index.add(user="ana", id="3", at=3, speaker="Al", tags=["boat"])
    assert vocabularies.of(index, "ana") is first
    index.add(user="ana", id="4", at=4, speaker="Cy")
    assert vocabularies.of(index, "ana").speakers == {"Al", "Bo", "Cy"}
    index.remove(user="ana", ids=["4"])
    again = vocabularies.of(index, "ana")
    assert again.speakers == first.speakers
    index.forget(user="ana")
    assert len(vocabularies.of(index, "ana")) == 0


class FilledWhenRead:
    """An index whose user comes right after the version was read."""

    def __init__(self, index: memspan.Index) -> None:
        self._index = index

    def names_version(self, *, user: str) -> int:
        found = self._index.names_version(user=user)
        self._index.add(user=user, id="1", at=1, speaker="Al")
        return found

    def names(self, *, user: str, retired: bool) -> tuple[list[str], list[str]]:
        return self._index.names(user=user, retired=retired)


def test_names_that_came_to_a_user_with_nothing_go_with_them() -> None:
    vocabularies, index = Vocabularies(), memspan.Index(2)
    assert vocabularies.of(cast(memspan.Index, FilledWhenRead(index)), "ana").speakers == {"Al"}
    index.remove(user="ana", ids=["1"])
    assert len(vocabularies.of(index, "ana")) == 0


class ErasedWhenRead:
    """An index whose user is erased right after the names were read."""

    def __init__(self, index: memspan.Index, vocabularies: Vocabularies) -> None:
        self._index, self._vocabularies = index, vocabularies

    def names_version(self, *, user: str) -> int:
        return self._index.names_version(user=user)

    def names(self, *, user: str, retired: bool) -> tuple[list[str], list[str]]:
        found = self._index.names(user=user, retired=retired)
        self._index.forget(user=user)
        self._vocabularies.forget(user)
        return found


def test_names_read_before_an_erasure_are_not_kept(index: memspan.Index):
    vocabularies = Vocabularies()
    vocabularies.of(cast(memspan.Index, ErasedWhenRead(index, vocabularies)), "ana")
    kept = list(vocabularies._known)
    assert kept == []


@pytest.mark.parametrize("user", ["", 3, None, "x" * 2_000])
def test_a_user_that_is_none(index: memspan.Index, user: Any):
    with pytest.raises(memspan.InvalidArgumentError, match="user"):
        index.names_version(user=user)
