"""Forgetting reaches what jobs hold: answers, logs, reasons, and the records that came of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tiny_recipe import Custom, Facts, NoteTurns, ScriptedModel, SumUp, recipe_of

from memspan import errors
from memspan.encode.values import Work
from memspan.llm import Prompt
from memspan.memory import Memory

SECRET = "Wolfsbane"
Open = Callable[..., Memory]


def leaks(path: Path) -> list[str]:
    return [
        file.name for file in path.parent.iterdir() if SECRET.lower().encode() in file.read_bytes().lower()
    ]


def texts(memory: Memory, user: str = "ana") -> list[str]:
    return sorted(found.text for found in memory.latest(user=user, k=100))


async def gossip(work: Work, tools: Any) -> Work:
    """Leaves what was said in every place that a job has."""
    for turn in (*work.turns, *work.history):
        tools.note("dropped", text=turn.text)

    async def make() -> str:
        return " ".join(turn.text for turn in (*work.turns, *work.history))

    await tools.once("heard", make)
    prompt = Prompt(name="note", version=1, system="", user=await make())
    await tools.ask("gossip", prompt, Facts)
    tags = [turn.text for turn in work.turns]
    return replace(work, relations=tuple(("topics", tag) for tag in tags))


def test_a_turn_of_a_done_job(path: Path, open_memory: Open, model: ScriptedModel) -> None:
    memory = open_memory(recipe=recipe_of(NoteTurns(), SumUp(), Custom(do=gossip)))
    memory.add([{"id": SECRET, "text": SECRET}, {"id": "m2", "text": "harmless"}], user="ana", session="s")
    memory.process()
    assert {f"It was said: {SECRET}", "It was said: harmless"} <= set(texts(memory))
    # The other turn's fact goes, too: the model saw the secret when it was made.
    assert memory.forget(user="ana", id=SECRET) == 4
    assert texts(memory) == ["harmless"]
    assert memory.verify() == []
    (job,) = memory.jobs()
    assert (job.state, job.turns, job.records) == ("pending", 1, 0)
    assert memory.job_log(job.id) == []
    assert leaks(path) == []
    assert SECRET.lower() not in {tag.name for tag in memory.tags(user="ana")}
    memory.process()
    assert "It was said: harmless" in texts(memory)
    memory.close()
    assert leaks(path) == []


def test_a_turn_of_a_job_under_way(path: Path, open_memory: Open, model: ScriptedModel) -> None:
    def fail(prompt: Prompt) -> None:
        if prompt.name == "sum":
            raise errors.BadReplyError(f"unusable: {prompt.user}")

    model.misbehave = fail
    memory = open_memory(recipe=recipe_of(Custom(do=gossip), NoteTurns(), SumUp()))
    memory.add([{"id": "m1", "text": SECRET}, {"id": "m2", "text": "harmless"}], user="ana")
    assert memory.process().parked == 1
    assert SECRET in (memory.jobs()[0].reason or "")
    assert memory.forget(user="ana", id="m1") == 1
    assert leaks(path) == []
    (job,) = memory.jobs()
    assert (job.state, job.turns, job.reason, job.attempts) == ("pending", 1, None, 0)
    model.misbehave = None
    assert memory.process().done == 1
    assert texts(memory) == ["In short: It was said: harmless", "It was said: harmless", "harmless"]


def test_a_turn_that_is_forgotten_while_its_job_runs(
    open_memory: Open, model: ScriptedModel, path: Path
) -> None:
    def forget(prompt: Prompt) -> None:
        if prompt.name == "sum" and SECRET in prompt.user:
            memory.forget(user="ana", id="m1")

    model.misbehave = forget
    memory = open_memory()
    memory.add([{"id": "m1", "text": SECRET}, {"id": "m2", "text": "harmless"}], user="ana")
    report = memory.process()
    assert (report.done, report.failed, report.waiting) == (1, 0, 0)
    assert texts(memory) == ["In short: It was said: harmless", "It was said: harmless", "harmless"]
    assert memory.verify() == []
    assert leaks(path) == []


def test_a_turn_that_later_jobs_were_shown(open_memory: Open, path: Path) -> None:
    memory = open_memory(recipe=recipe_of(Custom(do=gossip), NoteTurns(), history=2))
    memory.add([{"id": "m1", "text": SECRET}], user="ana", session="s")
    memory.process()
    memory.add("second", user="ana", session="s")
    memory.add("apart", user="ana", session="t")
    memory.process()
    assert memory.forget(user="ana", id="m1") == 3
    assert [(job.session, job.state) for job in memory.jobs()] == [("s", "pending"), ("t", "done")]
    assert leaks(path) == []
    assert memory.process().done == 1
    assert texts(memory) == ["It was said: apart", "It was said: second", "apart", "second"]


def test_the_last_turn_takes_the_job_along(memory: Memory) -> None:
    memory.add([{"id": "m1", "text": SECRET}], user="ana", session=SECRET)
    memory.add("other", user="ana", session="t")
    memory.process()
    memory.forget(user="ana", id="m1")
    assert [job.session for job in memory.jobs()] == ["t"]
    assert leaks(memory._engine.store.path) == []


def test_a_user_takes_all_jobs_along(memory: Memory, path: Path, model: ScriptedModel) -> None:
    memory.add([{"id": SECRET, "text": SECRET}], user=SECRET, session=SECRET)
    memory.add("other", user="ben")
    memory.process()
    memory.forget(user=SECRET)
    assert [job.user for job in memory.jobs()] == ["ben"]
    assert leaks(path) == []
    with memory._engine.store.reading() as reader:
        for table in ("job_turns", "job_made", "job_relations", "job_steps", "job_log"):
            assert reader._one(f"SELECT count(*) FROM {table} WHERE job_pk = 1") == 0, table
    assert memory.verify() == []


def test_a_made_record_does_not_come_back(memory: Memory, path: Path, model: ScriptedModel) -> None:
    memory.add([{"id": "m1", "text": SECRET}], user="ana")
    memory.process()
    fact = next(found for found in memory.latest(user="ana") if found.text.startswith("It was"))
    memory.forget(user="ana", id=fact.id)
    (job,) = memory.jobs()
    assert (job.state, job.records) == ("done", 1)
    assert memory.job_log(job.id) == []
    assert memory.process().done == 0
    assert len(texts(memory)) == 2


def test_relations_that_others_hold_stay(memory: Memory) -> None:
    memory.add([{"id": "m1", "text": "one"}], user="ana", session="s")
    memory.add([{"id": "m2", "text": "two"}], user="ana", session="t")
    memory.process()
    memory.forget(user="ana", id="m1")
    assert [(tag.name, tag.parents) for tag in memory.tags(user="ana")] == [("fact", ("sum",)), ("sum", ())]
    memory.relate(user="ana", parent="sum", child="fact")
    memory.add([{"id": "m3", "text": "three", "tags": ["fact", "sum"]}], user="ana", session="u")
    memory.forget(user="ana", id="m2")
    assert [(tag.name, tag.parents) for tag in memory.tags(user="ana")] == [
        ("fact", ("sum",)),
        ("sum", ()),
    ], "a relation that was given stays"
    assert memory.verify() == []


def test_a_provenance_takes_its_jobs_along(memory: Memory, path: Path) -> None:
    memory.add([{"text": SECRET, "provenance": "mail"}, {"text": "kept"}], user="ana")
    memory.process()
    assert memory.forget(user="ana", source="mail") == 4
    assert leaks(path) == []
    memory.process()
    assert texts(memory) == ["In short: It was said: kept", "It was said: kept", "kept"]


def test_what_is_held_outlives_another_run_of_its_job(memory: Memory, model: ScriptedModel) -> None:
    memory.add([{"id": "m1", "text": "one"}], user="ana")
    memory.process()
    made = {found.text: found.id for found in memory.latest(user="ana", kinds=["semantic"])}
    fact, summed = made["It was said: one"], made["In short: It was said: one"]
    memory.hold(user="ana", id=fact)
    memory.add([{"id": "m1", "text": "two"}], user="ana")
    memory.process()
    kept = memory.get(user="ana", id=fact)
    assert kept is not None
    assert kept.held
    assert kept.text == "It was said: one", "as it was when it was held"
    other = memory.get(user="ana", id=summed)
    assert other is None or "two" in other.text
    assert memory.verify() == []
    memory.add([{"id": "m1", "text": "nothing to note"}], user="ana")
    model.misbehave = None
    memory.process()
    assert memory.get(user="ana", id=fact) is not None


def test_what_is_held_in_the_cold_tier_outlives_it_too(memory: Memory) -> None:
    memory.add([{"id": "m1", "text": "one"}], user="ana")
    memory.process()
    memory.set_quotas(3)
    (before,) = [each.record for each in memory.evicted(user="ana")]
    assert before.kind == "semantic"
    assert memory.hold(user="ana", id=before.id) == 1
    for text in ("two", "nothing to note"):
        memory.add([{"id": "m1", "text": text}], user="ana")
        memory.process()
        kept = {each.id: each.record for each in memory.evicted(user="ana")}[before.id]
        assert (kept.text, kept.held) == (before.text, True)
    assert memory.verify() == []
