"""Adding: durable, searchable at once, idempotent, all or nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest

from memspan import errors
from memspan.embed.hashing import HashEmbedder
from memspan.memory import Memory
from memspan.records import Record

AT = datetime(2023, 5, 8, 13, 56, tzinfo=timezone.utc)


class CountingEmbedder(HashEmbedder):
    """Counts the texts it embeds; fails on request."""

    def __init__(self) -> None:
        super().__init__(32)
        self.texts: list[str] = []
        self.broken = False

    def embed_documents(self, texts):  # type: ignore[no-untyped-def]
        if self.broken:
            raise errors.EmbedderError("the model is gone")
        self.texts += texts
        return super().embed_documents(texts)


def test_a_text_is_searchable_at_once(memory: Memory) -> None:
    (id_,) = memory.add("We went camping in the mountains", user="ana", at=AT)
    (found,) = memory.search("camping", user="ana")
    assert (found.id, found.text, found.at) == (id_, "We went camping in the mountains", AT)
    assert set(found.views) == {"semantic", "lexical"}
    assert found.views["lexical"][0] == 1
    assert found.record.recorded_at is not None
    assert memory.search("camping", user="ben") == []


def test_numbers_of_numpy(memory: Memory) -> None:
    score, long = np.float32(0.5), np.int64(3600)
    memory.add({"id": "m1", "text": "tea", "importance": score, "fidelity": np.int8(1)}, user="ana", ttl=long)
    record = memory.get(user="ana", id="m1")
    assert record is not None
    assert record.recorded_at is not None
    assert (record.importance, record.fidelity) == (0.5, 1.0)
    assert record.expires_at == record.recorded_at + timedelta(hours=1)
    memory.set_quotas(np.int64(20))  # type: ignore[arg-type]
    quotas = memory.quotas()
    assert quotas is not None
    assert quotas.capacity == 20
    for odd in (np.True_, np.timedelta64(1, "s"), np.array(0.5)):
        with pytest.raises(errors.TimeError, match="^ttl"):
            memory.add("tea", user="ana", ttl=odd)  # type: ignore[arg-type]
        with pytest.raises(errors.InvalidArgumentError, match="importance"):
            memory.add({"text": "tea", "importance": odd}, user="ana")
        with pytest.raises(errors.InvalidArgumentError, match="^quotas"):
            memory.set_quotas(odd)  # type: ignore[arg-type]


def test_what_is_added_is_there_after_reopening(open_memory: Callable[..., Memory]) -> None:
    message = {
        "id": "m1",
        "speaker": "Ana",
        "text": "Look at my tent",
        "at": "2023-05-08T13:56:00Z",
        "until": "2023-06-01",
        "session": "s1",
        "kind": "semantic",
        "tags": ["Outdoor Life"],
        "entities": ["tent"],
        "images": ["a red tent"],
        "importance": 0.5,
        "provenance": "chat",
        "fidelity": 0.9,
        "sources": ["m0"],
        "metadata": {"nested": {"list": [1, 2.5, None, True]}},
    }
    memory = open_memory()
    memory.add([message], user="ana")
    memory.close()
    record = open_memory().get(user="ana", id="m1")
    assert record is not None
    assert (record.speaker, record.text, record.at, record.session) == ("Ana", "Look at my tent", AT, "s1")
    assert record.until == datetime(2023, 6, 1, tzinfo=timezone.utc)
    assert (record.kind, record.tags, record.entities) == ("semantic", ("outdoor_life",), ("tent",))
    assert (record.importance, record.provenance, record.fidelity) == (0.5, "chat", 0.9)
    assert record.sources == ("m0",)
    assert record.metadata == {"nested": {"list": [1, 2.5, None, True]}, "images": ["a red tent"]}
    expected = HashEmbedder(32).embed_documents(["Ana: Look at my tent [image: a red tent]"])[0]
    assert record.embedding is not None
    np.testing.assert_array_equal(record.embedding, expected)


def test_speaker_caption_and_date_are_found_by_words(memory: Memory) -> None:
    memory.add(
        [
            {"id": "m1", "speaker": "Caroline", "text": "hello", "at": "2023-05-08"},
            {"id": "m2", "speaker": "Melanie", "text": "", "images": ["a red kayak"], "at": "2023-06-09"},
        ],
        user="ana",
    )
    for question, id_ in [("Caroline", "m1"), ("kayak", "m2"), ("8 May 2023", "m1"), ("June", "m2")]:
        assert memory.search(question, user="ana", views=["lexical"])[0].id == id_
    assert memory.search("kayak", user="ana")[0].text == "[image: a red kayak]"


def test_the_same_message_again_changes_nothing(open_memory: Callable[..., Memory]) -> None:
    embedder = CountingEmbedder()
    memory = open_memory(embedder=embedder)
    message = {"id": "m1", "text": "hello", "metadata": {"a": (1, 2)}}
    memory.add([message], user="ana")
    first, sequence = memory.get(user="ana", id="m1"), memory.stats()["sequence"]
    memory.add([message], user="ana")
    memory.add([{**message, "at": first.at}], user="ana")  # type: ignore[union-attr]
    second = memory.get(user="ana", id="m1")
    assert first is not None
    assert second is not None
    assert (second.at, second.recorded_at) == (first.at, first.recorded_at)
    assert memory.stats()["sequence"] == sequence
    assert embedder.texts == ["hello"]


def test_other_content_replaces_the_older_which_stays_as_a_version(
    open_memory: Callable[..., Memory],
) -> None:
    embedder = CountingEmbedder()
    memory = open_memory(embedder=embedder)
    memory.add([{"id": "m1", "text": "old words", "tags": ["old"]}], user="ana", at=AT)
    before = memory.get(user="ana", id="m1")
    memory.add([{"id": "m1", "text": "new words", "tags": ["new"]}], user="ana")
    after = memory.get(user="ana", id="m1")
    assert before is not None
    assert after is not None
    assert after.text == "new words"
    assert after.at == AT, "a message that does not say when keeps the time of the record it replaces"
    assert after.recorded_at is not None
    assert before.recorded_at is not None
    assert after.recorded_at > before.recorded_at
    assert memory.search("old", user="ana", views=["lexical"]) == []
    assert [one.id for one in memory.latest(user="ana")] == ["m1"]
    (found,) = memory.search("old", user="ana", views=["lexical"], as_of=before.recorded_at)
    assert (found.text, found.record.tags, found.record.until) == ("old words", ("old",), None)
    assert memory.verify() == []
    memory.add([{"id": "m1", "text": "new words", "tags": ["newer"]}], user="ana", at=AT)
    assert embedder.texts == ["old words", "new words"], "the embedding stays as long as the text does"
    assert memory.get(user="ana", id="m1").tags == ("newer",)  # type: ignore[union-attr]


def test_nothing_is_added_when_one_message_is_refused(memory: Memory) -> None:
    for bad in [
        {"text": ""},
        {"text": "x", "at": "yesterday"},
        {"text": "x", "kind": "odd"},
        {"txt": "x"},
        7,
    ]:
        with pytest.raises(errors.InvalidArgumentError, match=r"^messages\[1\]"):
            memory.add([{"text": "fine"}, bad], user="ana")  # type: ignore[list-item]
    assert memory.users() == []


def test_nothing_is_added_when_the_embedder_fails(open_memory: Callable[..., Memory]) -> None:
    embedder = CountingEmbedder()
    memory = open_memory(embedder=embedder)
    embedder.broken = True
    with pytest.raises(errors.EmbedderError, match="the model is gone"):
        memory.add("hello", user="ana")
    assert memory.users() == []
    embedder.broken = False
    memory.add("hello", user="ana")
    assert memory.users() == ["ana"]


def test_ids_twice_in_one_call(memory: Memory) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="id 'a' twice"):
        memory.add([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], user="ana")
    assert memory.users() == []


def test_live_texts_keep_their_order(memory: Memory) -> None:
    ids = [memory.add(f"text {i}", user="ana")[0] for i in range(50)]
    assert [found.id for found in memory.latest(user="ana", k=50)] == ids[::-1]
    assert sorted(ids) == ids


def test_empty_input(memory: Memory) -> None:
    assert memory.add([], user="ana") == []
    assert memory.add_records([]) == 0
    assert memory.users() == []


def test_add_records(open_memory: Callable[..., Memory]) -> None:
    embedder = CountingEmbedder()
    memory = open_memory(embedder=embedder)
    own = np.full(32, 0.25, np.float32)
    records = [Record(id=f"r{i}", user="ana" if i % 2 else "ben", text=f"text {i}", at=AT) for i in range(10)]
    records.append(Record(id="own", user="ana", text="vector of mine", at=AT, embedding=own))
    assert memory.add_records(iter(records), batch=3) == 11
    assert memory.stats()["records"] == 11
    assert len(embedder.texts) == 10
    found = memory.get(user="ana", id="own")
    assert found is not None
    np.testing.assert_array_equal(found.embedding, own)  # type: ignore[arg-type]
    assert memory.add_records(records) == 11
    assert len(embedder.texts) == 10
    other = Record(id="own", user="ana", text="vector of mine", at=AT, embedding=own * [2, *[1] * 31])
    assert memory.add_records([other]) == 1
    assert memory.get(user="ana", id="own").embedding[0] == 0.5  # type: ignore[union-attr, index]
    assert memory.verify() == []


class Tensor:
    """As one that needs a gradient: it must not become an array."""

    def __array__(self, dtype: object = None, copy: bool | None = None) -> np.ndarray:
        raise RuntimeError("call detach() first")


@pytest.mark.parametrize("embedding", [Tensor(), np.ma.masked_array(np.ones(32), mask=np.arange(32) == 1)])
def test_add_records_names_a_vector_that_is_none(memory: Memory, embedding: Any) -> None:
    record = Record(id="r", user="ana", text="text", at=AT, embedding=embedding)
    with pytest.raises(errors.EmbeddingError, match=r"^records\[0\]\.embedding: got "):
        memory.add_records([record])
    assert memory.stats()["records"] == 0


def test_add_records_keeps_what_came_before_a_refused_one(memory: Memory) -> None:
    records = [Record(id=f"r{i}", user="ana", text="text", at=AT) for i in range(5)]
    bad = Record(id="bad", user="ana", text="x", at=AT, embedding=np.zeros(32, np.float32))
    with pytest.raises(errors.EmbeddingError, match=r"^records\[3\]\.embedding"):
        memory.add_records([*records[:3], bad, *records[3:]], batch=2)
    assert {found.id for found in memory.latest(user="ana")} == {"r0", "r1", "r2"}
    with pytest.raises(errors.InvalidArgumentError, match=r"^records\[1\]\.id"):
        memory.add_records([records[3], records[3]])
    with pytest.raises(errors.InvalidArgumentError, match=r"^records\[0\]\.user"):
        memory.add_records([records[4]], user="ben")
    assert memory.stats()["records"] == 4


@pytest.mark.parametrize("form", ["message", "record", "loosely"])
def test_what_is_recorded_as_time_ends_could_not_be_changed(memory: Memory, form: str) -> None:
    fine = datetime(9999, 12, 31, tzinfo=timezone.utc)
    late = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=timezone.utc)

    def add(recorded: datetime, text: str) -> None:
        when = recorded.isoformat() if form == "loosely" else recorded
        if form == "message":
            memory.add({"id": "m", "text": text, "recorded_at": when}, user="ana")
        else:
            memory.add_records([Record(id="m", user="ana", text=text, at=fine, recorded_at=when)])  # type: ignore[arg-type]

    with pytest.raises(errors.TimeError, match=r"\]?\.recorded_at: got .*9999.*accepted: a time up to 9999"):
        add(late, "tea")
    assert memory.users() == []
    add(fine, "tea")
    add(fine, "coffee")
    memory.supersede(user="ana", id="m", text="cocoa")
    assert memory.verify() == []


def test_a_broken_iterable_keeps_what_it_gave(memory: Memory) -> None:
    def some() -> object:
        yield Record(id="r1", user="ana", text="text", at=AT)
        raise OSError("disk gone")

    with pytest.raises(OSError, match="disk gone"):
        memory.add_records(some())  # type: ignore[arg-type]
    assert memory.stats()["records"] == 1


def test_progress_goes_to_standard_error(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    memory.add([f"text {i}" for i in range(5)], user="ana", progress=True)
    output = capsys.readouterr()
    assert output.out == ""
    assert "adding" in output.err
    memory.add("quiet", user="ana")
    assert capsys.readouterr().err == ""


def test_many_records_are_added_where_no_thread_starts(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while the interpreter ends, from Python 3.12 on."""

    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        memory.add([f"text {number}" for number in range(600)], user="ana")
    assert memory.stats("ana")["records"] == 600
    assert memory.verify() == []


def test_a_record_shows_no_numbers_of_its_vector(memory: Memory) -> None:
    (id_,) = memory.add("We went camping in the mountains", user="ana", at=AT)
    record = memory.get(user="ana", id=id_)
    assert record is not None
    assert record.embedding is not None
    shown = repr(record)
    assert "We went camping" in shown
    assert "array(" not in shown
    assert "\n" not in shown
