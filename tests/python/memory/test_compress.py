"""`Memory.compress`: shorter records, their originals kept, what was lost measured."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memspan import InvalidArgumentError, LLMError, Memory, Quotas, Record
from memspan.embed import HashEmbedder
from memspan.encode.compression.cross_entropy import CrossEntropy
from memspan.encode.compression.pieces import Piece
from memspan.llm.logprobs import TokenLogProb
from memspan.store import StoreWriter

START = datetime(2024, 1, 1, tzinfo=timezone.utc)
LONG = (
    "Yesterday Ilka and I finally went to the old market in Lisbon because we really wanted to buy "
    "3 quince trees, and it was not cheap at all: 40 euros for the lot, which is quite something."
)
keeps = pytest.mark.skipif(not hasattr(StoreWriter, "cold"), reason="the cold tier is not there yet")


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.add_records(
        [
            Record(
                id=f"m{number}",
                user="ana",
                text=f"{LONG} It was visit number {number}.",
                at=START + timedelta(days=number),
                importance=number / 4,
                speaker="Ana",
                tags=("market",),
                sources=("s",),
                metadata={"topic": "trees"},
            )
            for number in range(5)
        ]
    )
    return memory


def records(memory: Memory, user: str = "ana") -> dict[str, Record]:
    return {recall.id: recall.record for recall in memory.latest(user=user, k=100)}


def test_it_shortens_and_says_by_how_much(filled: Memory) -> None:
    before = records(filled)
    report = filled.compress("ana", "uniform", 0.5, keep_originals=False)
    after = records(filled)
    assert (report.records, report.compressed, report.skipped) == (5, 5, 0)
    assert report.words_after < report.words_before
    assert report.nominal == pytest.approx(0.8)
    assert report.measured.entities == report.measured.numbers == 1
    assert 0.3 < report.measured.tokens < 1
    assert report.measured.agreement is not None
    for id_, old in before.items():
        new = after[id_]
        assert len(new.text) < len(old.text)
        for word in ("Ilka", "Lisbon", "3", "40", "not", "Yesterday"):
            assert word in new.text
        assert (new.at, new.recorded_at, new.tags, new.sources, new.speaker, new.importance) == (
            old.at,
            old.recorded_at,
            old.tags,
            old.sources,
            old.speaker,
            old.importance,
        )
        assert new.fidelity == pytest.approx(0.8)
        assert new.metadata["topic"] == "trees"
        noted = new.metadata["compression"]
        assert (noted["strategy"], noted["target"], noted["ratio"], noted["nominal"]) == (
            "uniform",
            0.5,
            0.5,
            0.8,
        )
        assert set(noted["measured"]) == {"ratio", "tokens", "entities", "numbers", "agreement"}


def test_searches_see_the_short_form(filled: Memory) -> None:
    filled.compress("ana", "uniform", 0.3, keep_originals=False)
    assert [recall.text for recall in filled.search("quince trees", user="ana")] == [
        records(filled)[recall.id].text for recall in filled.search("quince trees", user="ana")
    ]
    assert filled.verify() == []


def test_adaptive_keeps_more_of_what_is_important(filled: Memory) -> None:
    filled.compress("ana", "adaptive", 0.9, keep_originals=False)
    after = records(filled)
    assert len(after["m4"].text.split()) > len(after["m0"].text.split())
    assert after["m4"].fidelity > after["m0"].fidelity


@keeps
def test_the_original_is_kept_and_comes_back(filled: Memory) -> None:
    before = records(filled)["m1"]
    filled.compress("ana", "uniform", 0.5)
    kept = filled.original(user="ana", id="m1")
    assert kept is not None
    assert kept.text == before.text
    assert filled.restore(user="ana", ids=["m1"], originals=True) == ["m1"]
    back = records(filled)["m1"]
    assert (back.text, back.fidelity, back.metadata) == (before.text, 1.0, before.metadata)
    assert filled.original(user="ana", id="m1") is None


@pytest.mark.parametrize("evicted", [False, True])
def test_adding_the_same_again_leaves_it_short(memory: Memory, evicted: bool) -> None:
    message = {"id": "l", "text": LONG, "at": START, "tags": ["market"], "metadata": {"topic": "trees"}}
    memory.add(message, user="ana")
    memory.compress("ana")
    if evicted:
        memory.set_quotas(Quotas(capacity=3, eviction="oldest"), user="ana")
        memory.add(
            [{"text": f"turn {number}"} for number in range(3)], user="ana", at=START + timedelta(days=1)
        )
        assert "l" in {one.id for one in memory.evicted(user="ana")}
        memory.set_quotas(100, user="ana")
    else:
        short = memory.get(user="ana", id="l")
        assert short is not None
    memory.add(message, user="ana", ttl=3600)
    long = Record(id="l", user="ana", **{key: message[key] for key in ("text", "at", "tags", "metadata")})
    memory.add_records([replace(long, pinned=True, embedding=np.ones(32, np.float32))])
    after = memory.get(user="ana", id="l")
    assert after is not None
    assert after.text != LONG
    assert after.pinned
    assert after.expires_at is not None
    if not evicted:
        names = ("text", "at", "fidelity", "metadata", "tags", "recorded_at")
        assert [getattr(after, name) for name in names] == [getattr(short, name) for name in names]
        assert np.array_equal(after.embedding, short.embedding)
    original = memory.original(user="ana", id="l")
    assert original is not None
    assert original.text == LONG
    history = memory.history(user="ana", id="l")
    assert history is not None
    assert len(history.versions) == 1
    assert memory.verify() == []


def test_the_same_again_may_end_what_is_short(filled: Memory) -> None:
    before = records(filled)["m1"]
    filled.compress("ana", "uniform", 0.5)
    filled.add_records([replace(before, retired_at=START + timedelta(days=9), embedding=None)])
    after = filled.get(user="ana", id="m1")
    assert after is not None
    assert after.retired_at == START + timedelta(days=9)
    assert after.text != before.text
    assert set(after.metadata) == {"topic", "compression"}
    assert filled.original(user="ana", id="m1").text == before.text  # type: ignore[union-attr]


def test_other_words_or_no_original_replace_what_is_short(filled: Memory) -> None:
    before = records(filled)
    filled.compress("ana", "uniform", 0.5)
    filled.add_records([replace(before["m1"], importance=1.0, embedding=None)])
    assert filled.get(user="ana", id="m1").text == before["m1"].text  # type: ignore[union-attr]
    assert len(filled.history(user="ana", id="m1").versions) == 2  # type: ignore[union-attr]


def test_who_says_the_short_words_says_no_more(filled: Memory) -> None:
    before = records(filled)["m1"]
    filled.compress("ana", "uniform", 0.5)
    short = records(filled)["m1"].text
    filled.add({"id": "m1", "text": short, "at": before.at}, user="ana")
    assert filled.original(user="ana", id="m1") is None
    assert filled.restore(user="ana", ids=["m1"], originals=True) == []
    assert records(filled)["m1"].text == short
    (version, _) = filled.history(user="ana", id="m1").versions  # type: ignore[union-attr]
    assert filled.original(user="ana", id=version.record.id).text == before.text  # type: ignore[union-attr]


def test_nothing_is_embedded_to_see_that_it_is_the_same(open_memory: Any) -> None:
    asked: list[str] = []

    class Listening(HashEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            asked.extend(texts)
            return super().embed_documents(texts)

    memory = open_memory(embedder=Listening(dim=32))
    memory.add({"id": "l", "text": LONG}, user="ana", at=START)
    memory.compress("ana")
    asked.clear()
    memory.add({"id": "l", "text": LONG}, user="ana", at=START)
    assert asked == []


def test_originals_may_be_given_up(filled: Memory) -> None:
    assert not filled.compress("ana", "uniform", 0.5, keep_originals=False).kept_originals
    if hasattr(filled, "original"):
        assert filled.original(user="ana", id="m1") is None


def test_a_dry_run_changes_nothing_and_tells_the_same(filled: Memory) -> None:
    before = records(filled)
    dry = filled.compress("ana", "uniform", 0.5, dry_run=True, keep_originals=False)
    assert {id_: record.text for id_, record in records(filled).items()} == {
        id_: record.text for id_, record in before.items()
    }
    wet = filled.compress("ana", "uniform", 0.5, keep_originals=False)
    assert dry.dry_run
    assert (dry.compressed, dry.words_after, dry.measured) == (wet.compressed, wet.words_after, wet.measured)


def test_nothing_is_compressed_twice(filled: Memory) -> None:
    filled.compress("ana", "uniform", 0.5, keep_originals=False)
    again = filled.compress("ana", "uniform", 0.2, keep_originals=False)
    assert (again.records, again.compressed) == (0, 0)


def test_what_must_stay_stays(memory: Memory) -> None:
    def record(id_: str, **fields: Any) -> Record:
        return Record(id=id_, user="ana", text=LONG, at=START, **fields)

    memory.add_records(
        [
            record("pinned", pinned=True),
            record("held", held=True),
            record("history", retired_at=START + timedelta(days=1)),
            record("pointer", kind="resource"),
            record("secret", kind="vault"),
            record("fact", kind="semantic"),
        ]
    )
    report = memory.compress("ana", "uniform", 0.5, keep_originals=False)
    assert (report.records, report.compressed) == (1, 1)
    for id_ in ("pinned", "held", "history", "pointer", "secret"):
        found = memory.get(user="ana", id=id_)
        assert found is not None
        assert found.text == LONG


def test_short_and_empty_texts_stay(memory: Memory) -> None:
    memory.add(
        [{"id": "a", "text": "Ilka"}, {"id": "b", "text": "", "images": ["a quince"]}], user="ana", at=START
    )
    report = memory.compress("ana", "uniform", 0.1, keep_originals=False)
    assert (report.records, report.compressed, report.skipped) == (2, 0, 2)
    assert report.measured.mean == 1


def test_none_and_unknown_users_do_nothing(filled: Memory) -> None:
    assert filled.compress("ana", "none", 0.5).compressed == 0
    assert filled.compress("nobody", "uniform", 0.5).records == 0


def test_only_some(filled: Memory) -> None:
    report = filled.compress("ana", "uniform", 0.5, before=START + timedelta(days=2), keep_originals=False)
    assert report.compressed == 2
    assert filled.compress("ana", "uniform", 0.5, kinds=["procedural"]).records == 0


def test_made_tags_stay(filled: Memory) -> None:
    filled.tag("ana")
    before = {id_: record.tags for id_, record in records(filled).items()}
    filled.compress("ana", "uniform", 0.5, keep_originals=False)
    assert {id_: record.tags for id_, record in records(filled).items()} == before


def test_another_handle_sees_it(filled: Memory, open_memory: Any) -> None:
    other = open_memory()
    other.search("quince", user="ana")
    filled.compress("ana", "uniform", 0.4, keep_originals=False)
    assert records(other)["m0"].text == records(filled)["m0"].text


class Backwards:
    """A scorer that likes the last words best."""

    name = "backwards"

    async def score(
        self, texts: Sequence[str], pieces: Sequence[Sequence[Piece]], tools: Any
    ) -> list[NDArray[np.float64]]:
        await tools.frequencies(["quince"])
        tools.note("scored", texts=len(texts))
        return [np.arange(len(of_text), dtype=np.float64) for of_text in pieces]


class Failing:
    name = "failing"

    async def score(self, *arguments: Any) -> list[NDArray[np.float64]]:
        raise LLMError("no model is there")


def test_a_scorer_of_your_own(filled: Memory) -> None:
    filled.compress("ana", "uniform", 0.4, scorer=Backwards(), keep_originals=False)
    assert "something" in records(filled)["m0"].text


def test_a_scorer_gets_nothing_that_has_outlived_its_time(filled: Memory) -> None:
    scored: list[str] = []

    class Noting(Backwards):
        async def score(self, texts: Any, pieces: Any, tools: Any) -> Any:
            scored.extend(texts)
            return await super().score(texts, pieces, tools)

    text = "Ana whispered that she will leave the old house near the harbour in the spring"
    filled.add([{"id": "gone", "text": text}], user="ana", ttl=0.001)
    time.sleep(0.002)
    report = filled.compress("ana", "uniform", 0.4, scorer=Noting())
    assert report.compressed > 0
    assert scored
    assert text not in scored


def test_a_scorer_may_be_used_inside_an_event_loop(filled: Memory) -> None:
    report = asyncio.run(filled.acompress("ana", "uniform", 0.4, scorer=Backwards(), keep_originals=False))
    assert report.compressed == 5


def test_a_scorer_that_fails_changes_nothing(filled: Memory) -> None:
    with pytest.raises(LLMError):
        filled.compress("ana", "uniform", 0.4, scorer=Failing())
    assert all(LONG in record.text for record in records(filled).values())


def test_what_changed_meanwhile_is_left_alone(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    import memspan.remember.capacity.compressing as module

    real = module._write

    def change_first(*arguments: Any) -> Any:
        filled.add([{"id": "m0", "text": "another text", "speaker": "Ana"}], user="ana", at=START)
        return real(*arguments)

    monkeypatch.setattr(module, "_write", change_first)
    report = filled.compress("ana", "uniform", 0.5, keep_originals=False)
    assert (report.compressed, report.skipped) == (4, 1)
    assert records(filled)["m0"].text == "another text"


def test_what_a_record_gets_meanwhile_stays(filled: Memory) -> None:
    class Slow(Backwards):
        async def score(self, *arguments: Any) -> list[NDArray[np.float64]]:
            given = {"tags": ("market", "trees"), "importance": 1.0, "provenance": "ana"}
            changed: Record = replace(records(filled)["m0"], **given, embedding=None)
            filled.add_records([changed])
            return await super().score(*arguments)

    report = filled.compress("ana", "uniform", 0.4, scorer=Slow())
    record = records(filled)["m0"]
    assert (report.compressed, len(record.text) < len(LONG)) == (5, True)
    assert (record.tags, record.importance, record.provenance) == (("market", "trees"), 1.0, "ana")
    assert filled.verify() == []


def test_an_interrupt_ends_what_a_scorer_asks(filled: Memory) -> None:
    said: list[str] = []

    class Waiting(Backwards):
        async def score(self, *arguments: Any) -> list[NDArray[np.float64]]:
            os.kill(os.getpid(), signal.SIGINT)
            try:
                await asyncio.sleep(20)
            except asyncio.CancelledError:
                said.append("cancelled")
                raise
            raise AssertionError("it went on")

    before = threading.enumerate()
    with pytest.raises(KeyboardInterrupt):
        filled.compress("ana", "uniform", 0.4, scorer=Waiting())
    assert said == ["cancelled"]
    assert set(threading.enumerate()) <= set(before)


def test_what_is_forgotten_meanwhile_is_not_sent(filled: Memory) -> None:
    class Slow:
        """Forgets all others while it has the first one."""

        async def alogprobs(self, text: str) -> list[TokenLogProb]:
            sent.append(text)
            if len(sent) == 1:
                filled.forget(user="ana", id=[one.id for one in records(filled).values() if one.text != text])
            return [TokenLogProb(0, len(text), -1.0)]

    sent: list[str] = []
    report = filled.compress("ana", "uniform", 0.4, scorer=CrossEntropy(model=Slow(), concurrency=1))
    assert len(set(sent)) == 1
    assert (report.compressed, len(records(filled))) == (1, 1)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"strategy": "zip"}, "strategy"),
        ({"ratio": 0}, "ratio"),
        ({"ratio": 1.2}, "ratio"),
        ({"ratio": float("nan")}, "ratio"),
        ({"kinds": ["vault"]}, "kinds"),
        ({"kinds": "episodic"}, "kinds"),
        ({"before": "yesterday"}, "before"),
        ({"scorer": "lingua"}, "scorer"),
        ({"dry_run": 1}, "dry_run"),
        ({"keep_originals": None}, "keep_originals"),
        ({"user": ""}, "user"),
    ],
)
def test_bad_arguments_are_refused(filled: Memory, arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgumentError, match=named):
        filled.compress(**{"user": "ana", **arguments})


def test_a_report_is_json(filled: Memory) -> None:
    document = filled.user("ana").compress("uniform", 0.5, dry_run=True).to_dict()
    assert json.loads(json.dumps(document))["measured"]["numbers"] == 1
