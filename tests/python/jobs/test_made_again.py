"""What becomes of made records, tags and relations when turns or stages change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tiny_recipe import Custom, Facts, NoteTurns, ScriptedModel, derived, note_fact, one_job, recipe_of

from memspan import Quotas
from memspan.encode.values import Statement, Work
from memspan.errors import HeldError
from memspan.llm import Prompt
from memspan.memory import Memory
from memspan.records import Record
from memspan.times import from_micros

Open = Callable[..., Memory]


def test_a_turn_that_changes_is_processed_again(memory: Memory, model: ScriptedModel) -> None:
    memory.add([{"id": "m1", "text": "old"}, {"id": "m2", "text": "other"}], user="ana")
    memory.process()
    before = {record.id: record.text for record in derived(memory)}
    memory.add([{"id": "m1", "text": "new"}], user="ana")
    job = one_job(memory)
    assert (job.state, job.turns) == ("pending", 2)
    assert {record.id: record.text for record in derived(memory)} == before, "until the next run is done"
    memory.process()
    texts = [record.text for record in derived(memory)]
    assert len(texts) == 3
    assert not any("old" in text for text in texts)
    assert memory.verify() == []


def test_what_became_of_a_made_record_is_kept_unless_it_says_something_else(memory: Memory) -> None:
    memory.add([{"id": "m1", "text": "one"}, {"id": "m2", "text": "two"}], user="ana")
    memory.process()
    notes = {record.sources[0]: record for record in derived(memory) if record.metadata["stage"] == "note"}
    end = notes["m1"].at + timedelta(days=1)
    memory.add_records([replace(notes[id_], until=end, embedding=None) for id_ in ("m1", "m2")])
    rest = {"user": "ana", "at": end, "text": "merged"}
    memory.add_records([Record(id=f"of {id_}", sources=(notes[id_].id,), **rest) for id_ in ("m1", "m2")])
    memory.add([{"id": "m2", "text": "new"}], user="ana")
    memory.process()
    first, second = (memory.get(user="ana", id=notes[id_].id) for id_ in ("m1", "m2"))
    assert first is not None
    assert second is not None
    assert (first.text, first.until) == (note_fact("one"), end)
    assert (second.text, second.until) == (note_fact("new"), None)
    assert memory.get(user="ana", id="of m1") is not None
    assert memory.get(user="ana", id="of m2") is None, "it was made of what does not hold any more"
    assert memory.verify() == []


def test_the_model_for_other_work(memory: Memory, model: ScriptedModel) -> None:
    async def ask(llm: Any) -> str:
        reply = await llm.acomplete(Prompt(name="note", version=1, system="", user="x"), Facts, stage="s")
        fact: str = reply.value.facts[0]
        return fact

    assert memory._processing.ask(ask) == note_fact("x")


def test_records_that_a_new_run_does_not_make_go(open_memory: Open, model: ScriptedModel) -> None:
    async def fact_of_first(work: Work, tools: Any) -> Work:
        facts = [
            Statement(text=f"fact {turn.text}", at=turn.at, sources=(turn.id,), tags=(turn.text,))
            for turn in work.turns
            if turn.text != "nothing"
        ]
        return replace(
            work, statements=tuple(facts), relations=tuple(("top", fact.tags[0]) for fact in facts)
        )

    memory = open_memory(recipe=recipe_of(Custom(do=fact_of_first)))
    memory.add([{"id": "m1", "text": "aa"}, {"id": "m2", "text": "bb"}], user="ana")
    memory.process()
    assert {tag.name for tag in memory.tags(user="ana")} == {"top", "aa", "bb"}
    memory.add([{"id": "m2", "text": "nothing"}], user="ana")
    memory.process()
    assert [record.text for record in derived(memory)] == ["fact aa"]
    assert {tag.name for tag in memory.tags(user="ana")} == {"top", "aa"}
    assert memory.verify() == []


def test_tags_of_turns_are_made_tags(open_memory: Open) -> None:
    async def tag(work: Work, tools: Any) -> Work:
        known = await tools.tags()
        return replace(
            work,
            turn_tags={turn.id: tuple(turn.text.split()) for turn in work.turns} | {"elsewhere": ("x",)},
            relations=(("things", known[0] if known else "tent"),),
        )

    def tags() -> dict[str, tuple[str, ...]]:
        return {found.id: found.record.tags for found in memory.latest(user="ana")}

    memory = open_memory(recipe=recipe_of(Custom(do=tag)))
    memory.add(
        [{"id": "m1", "text": "tent", "tags": ["mine"]}, {"id": "m2", "text": "lake fire"}], user="ana"
    )
    memory.process()
    assert tags() == {"m1": ("mine", "tent"), "m2": ("lake", "fire")}
    assert [found.id for found in memory.search("?", user="ana", require_tags=["lake"])] == ["m2"]
    memory.add([{"id": "m1", "text": "tent", "tags": ["mine"]}], user="ana")
    assert one_job(memory).state == "done", "the same message: its made tags are not the caller's"
    memory.add([{"id": "m2", "text": "lake"}], user="ana")
    memory.process()
    assert tags() == {"m1": ("mine", "tent"), "m2": ("lake",)}
    memory.add([{"id": "m1", "text": "tent", "importance": 0.5, "tags": ["mine"]}], user="ana")
    assert tags()["m1"] == ("mine",)
    memory.process()
    assert tags()["m1"] == ("mine", "tent")
    memory.forget(user="ana", id="m2")
    assert tags() == {"m1": ("mine",)}, "the model chose these when it saw the other turn"
    assert memory.verify() == []
    memory.process()
    assert tags() == {"m1": ("mine", "tent")}
    assert memory.verify() == []


def test_bad_relations_are_refused_and_logged(open_memory: Open) -> None:
    async def relate(work: Work, tools: Any) -> Work:
        relations = (("a", "b"), ("b", "c"), ("c", "a"), ("A", "B"), ("", "x"), ("d", "d"))
        return replace(work, relations=relations)

    memory = open_memory(recipe=recipe_of(Custom(do=relate)))
    memory.add("x", user="ana")
    assert memory.process().done == 1
    log = memory.job_log(one_job(memory).id)
    refused = [(event.details["parent"], event.details["child"]) for event in log]
    assert refused == [("", "x"), ("c", "a"), ("d", "d")]
    assert {event.event for event in log} == {"refused relation"}
    assert memory.verify() == []


LONG = "the boat and the very old lamp stand in the harbour of Porto beside many other things"


def noted(open_memory: Open) -> tuple[Memory, str, str]:
    """A memory with two notes of one job, and their ids: that of a turn that stays, and that of one that changes."""
    memory = open_memory(recipe=recipe_of(NoteTurns()))
    memory.add([{"id": "m1", "text": f"{LONG} one"}, {"id": "m2", "text": f"{LONG} two"}], user="ana")
    memory.process()
    ids = {record.sources[0]: record.id for record in derived(memory)}
    return memory, ids["m1"], ids["m2"]


def change(memory: Memory) -> None:
    memory.add([{"id": "m2", "text": f"{LONG} three"}], user="ana")
    memory.process()


def test_what_was_shortened_stays_so_and_ended(open_memory: Open) -> None:
    memory, first, second = noted(open_memory)
    memory.compress("ana", "uniform", 0.3, kinds=["semantic"])
    memory.retire(user="ana", ids=[first])
    before = memory.get(user="ana", id=first)
    change(memory)
    after = memory.get(user="ana", id=first)
    assert before is not None
    assert after is not None
    assert (after.text, after.retired_at) == (before.text, before.retired_at)
    assert memory.original(user="ana", id=first).text == note_fact(f"{LONG} one")  # type: ignore[union-attr]
    assert memory.get(user="ana", id=second).text == note_fact(f"{LONG} three")  # type: ignore[union-attr]
    assert memory.original(user="ana", id=second) is None, "it is of what was said before"
    assert memory.verify() == []


def test_what_ended_and_was_evicted_stays_away(open_memory: Open) -> None:
    memory, first, second = noted(open_memory)
    memory.retire(user="ana", ids=[first])
    memory.set_quotas(Quotas(capacity=3))
    assert first in {one.id for one in memory.evicted("ana")}
    change(memory)
    (away,) = (one for one in memory.evicted("ana") if one.id == first)
    assert away.record.retired_at is not None
    assert memory.get(user="ana", id=second).text == note_fact(f"{LONG} three")  # type: ignore[union-attr]
    assert memory.verify() == []


def test_originals_of_what_is_held_stay(open_memory: Open) -> None:
    memory, _, second = noted(open_memory)
    memory.compress("ana", "uniform", 0.3, kinds=["semantic"])
    memory.hold(user="ana", id=second)
    memory.add_records([Record(id="m2", user="ana", text="kept", at=from_micros(0), kind="semantic")])
    memory.process()
    assert memory.get(user="ana", id=second) is not None
    assert memory.original(user="ana", id=second) is not None
    assert memory.verify() == []


async def repeated(work: Work, tools: Any) -> Work:
    """A fact of each turn, but of "nothing", with all that was said before."""
    facts = [
        Statement(
            text="It is " + " ".join(each.text for each in (*work.history, turn)),
            at=turn.at,
            sources=(turn.id,),
        )
        for turn in work.turns
        if turn.text != "nothing"
    ]
    return replace(work, statements=tuple(facts))


def made_of_shown(memory: Memory) -> str:
    """The id of a record that a job made of a turn, and that says what an earlier turn said."""
    for id_, text in (("m1", "Wolfsbane"), ("m2", "harmless")):
        memory.add([{"id": id_, "text": text}], user="ana", session="s")
        memory.process()
    (made,) = (record for record in derived(memory) if record.sources == ("m2",))
    assert made.text == "It is Wolfsbane harmless"
    memory.search("harmless", user="ana")
    return str(made.id)


def test_nothing_is_kept_of_a_made_record_that_goes(open_memory: Open, path: Path) -> None:
    memory = open_memory(recipe=recipe_of(Custom(do=repeated), history=1))
    made = made_of_shown(memory)
    memory.retire(user="ana", ids=[made])
    memory.add([{"id": "m2", "text": "nothing"}], user="ana", session="s")
    memory.process()
    assert memory.get(user="ana", id=made) is None
    memory.forget(user="ana", id="m1")
    memory.close()
    content = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"Wolfsbane" not in content
    assert made.encode() not in content


def test_what_is_held_stays_the_jobs_own(open_memory: Open) -> None:
    memory = open_memory(recipe=recipe_of(Custom(do=repeated), history=1))
    made = made_of_shown(memory)
    memory.hold(user="ana", id=made)
    memory.add([{"id": "m2", "text": "nothing"}], user="ana", session="s")
    memory.process()
    assert memory.get(user="ana", id=made) is not None
    with pytest.raises(HeldError):
        memory.forget(user="ana", id="m1")
    memory.release(user="ana", id=made)
    memory.forget(user="ana", id="m1")
    assert memory.get(user="ana", id=made) is None
    assert memory.verify() == []


def test_tags_of_a_shortened_turn_go_with_the_turn_that_they_came_from(open_memory: Open, path: Path) -> None:
    async def tag(work: Work, tools: Any) -> Work:
        return replace(work, turn_tags={turn.id: ("xyzzy",) for turn in work.turns})

    memory = open_memory(recipe=recipe_of(Custom(do=tag)))
    long = "Yesterday we finally went to the old market because we really wanted to buy 3 quince trees."
    memory.add([{"id": "m1", "text": long}, {"id": "m2", "text": "The code is xyzzy."}], user="ana")
    memory.process()
    assert memory.compress(user="ana", ratio=0.5, kinds=["episodic"]).compressed
    memory.forget(user="ana", id="m2")
    assert memory.original(user="ana", id="m1").text == long
    assert not any(b"xyzzy" in file.read_bytes() for file in path.parent.iterdir() if file.is_file())


def test_tags_of_an_evicted_turn_are_those_of_the_last_run(open_memory: Open, path: Path) -> None:
    async def tag(work: Work, tools: Any) -> Work:
        return replace(
            work, turn_tags={turn.id: tuple(one.text for one in work.turns) for turn in work.turns}
        )

    memory = open_memory(recipe=recipe_of(Custom(do=tag)))
    memory.add(
        [{"id": f"m{i}", "text": word} for i, word in enumerate(["lake", "tent", "xyzzy"])], user="ana"
    )
    memory.process()
    memory.retire(user="ana", ids=["m0"])
    memory.pin(user="ana", ids=["m1", "m2"])
    memory.set_quotas(Quotas(capacity=4), user="ana")
    assert [one.record.id for one in memory.evicted("ana")] == ["m0"]
    memory.set_quotas(None, user="ana")
    memory.add({"id": "m1", "text": "fire"}, user="ana")
    memory.process()
    memory.forget(user="ana", id="m2")
    memory.restore(user="ana", ids=["m0"])
    assert memory.get(user="ana", id="m0").tags == ()
    assert not any(b"xyzzy" in file.read_bytes() for file in path.parent.iterdir() if file.is_file())
