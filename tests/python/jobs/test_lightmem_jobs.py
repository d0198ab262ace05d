"""LightMem in a memory: what was said stays as it was said, and words are rare or not among all of a user's turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conversations import conversation
from scripted_llm import ScriptedLLM

from memspan.encode.compression.corpus import Corpus
from memspan.encode.segment import Segment
from memspan.llm.client import OpenAIModel
from memspan.memory import Memory
from memspan.recipes import Recipe, recipe
from memspan.remember.jobs.tools import JobTools

Open = Callable[..., Memory]
TURNS = [
    {"id": one.id, "text": one.text, "speaker": one.speaker, "at": one.at.isoformat()}
    for one in conversation(40)
]


def lightmem() -> Recipe:
    """The recipe, with the similarity of the test's embedder alone."""
    found = recipe("lightmem")
    compress, segment, buffer = found.write
    assert isinstance(segment, Segment)
    return replace(found, write=(compress, replace(segment, method="similarity"), buffer))


def test_turns_stay_and_entries_stand_beside_them(open_memory: Open, server: ScriptedLLM) -> None:
    with OpenAIModel("scripted-1", base_url=server.url) as llm:
        memory = open_memory(llm=llm, recipe=lightmem())
        memory.add(TURNS, user="ana", session="s1")
        report = memory.process()

    assert (report.done, report.parked, report.usage.calls) == (1, 0, len(server.asked))
    found = [one.record for one in memory.latest(user="ana", k=1000)]
    assert {one.id: one.text for one in found if not one.sources} == {one["id"]: one["text"] for one in TURNS}
    entries = [one for one in found if one.sources]
    assert len(entries) == report.records > 5
    for entry in entries:
        assert set(entry.sources) <= {one["id"] for one in TURNS}
        assert (entry.metadata["recipe"], entry.metadata["stage"], entry.metadata["prompt"]) == (
            "lightmem",
            "buffer",
            "summarise@1",
        )
        assert entry.metadata["topic"]
    shown = "".join(asked.user for asked in server.asked)
    assert "Hi Bo, how are you?" not in shown  # shortened
    assert "2023-06-01" in shown


def test_a_job_knows_how_common_words_are(open_memory: Open, server: ScriptedLLM) -> None:
    assert issubclass(JobTools, Corpus)

    def shown(earlier: list[dict[str, Any]], user: str) -> str:
        with OpenAIModel("scripted-1", base_url=server.url) as llm:
            memory = open_memory(llm=llm, recipe=lightmem())
            memory.add(earlier, user=user)
            memory.process()
            memory.add("we bought some lovely pottery near there", user=user)
            memory.process()
        return server.asked[-1].user

    # Where everything is pottery, the word says little.
    assert "pottery" in shown([{"text": "we went there"}] * 9, "ana")
    assert "pottery" not in shown([{"text": "pottery and pottery"}] * 9, "bob")
