"""What comes of jobs, and what happens when they fail."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tiny_recipe import (
    COST,
    Custom,
    Facts,
    NoteTurns,
    ScriptedModel,
    SumUp,
    derived,
    note_fact,
    one_job,
    recipe_of,
    sum_fact,
)

from memspan import Quotas, errors
from memspan.encode.values import Statement, Work
from memspan.llm import Prompt, Usage
from memspan.memory import Memory
from memspan.remember.jobs.pace import Pace
from memspan.reports.job_info import UsageEntry

Open = Callable[..., Memory]


def test_records_say_where_they_come_from(memory: Memory, model: ScriptedModel) -> None:
    memory.add(
        [{"id": "m1", "text": "I bought a tent", "speaker": "Ana"}, {"id": "m2", "text": "Nice"}],
        user="ana",
        session="s1",
        at="2024-05-01T10:00:00Z",
    )
    report = memory.process()
    assert (report.done, report.failed, report.parked, report.waiting, report.records) == (1, 0, 0, 0, 3)
    assert report.usage == COST + COST + COST
    assert report.seconds > 0
    first, second, summed = sorted(derived(memory), key=lambda record: record.metadata["stage"])
    assert {first.text, second.text} == {note_fact("I bought a tent"), note_fact("Nice")}
    tent = first if "tent" in first.text else second
    assert tent.sources == ("m1",)
    assert tent.metadata == {
        "recipe": "tiny", "stage": "note", "model": "scripted-1", "prompt": "note@1", "session": "s1",
    }  # fmt: skip
    assert (tent.kind, tent.tags, tent.session, tent.speaker) == ("semantic", ("fact",), None, None)
    assert tent.at.isoformat() == "2024-05-01T10:00:00+00:00"
    assert 0 < tent.fidelity < 1
    assert tent.recorded_at is not None
    assert summed.sources == ("m1", "m2")
    assert summed.text == sum_fact(f"{note_fact('I bought a tent')} & {note_fact('Nice')}")
    assert [(tag.name, tag.parents) for tag in memory.tags(user="ana")] == [("fact", ("sum",)), ("sum", ())]
    assert memory.search("what was bought?", user="ana", k=5)
    assert memory.verify() == []
    job = one_job(memory)
    assert (job.state, job.records, job.reason, job.attempts) == ("done", 3, None, 0)
    (event,) = memory.job_log(job.id)
    assert (event.stage, event.event, event.details, event.run) == ("sum", "summed up", {"statements": 2}, 1)
    assert model.answered.total() == 3


def test_turns_are_searchable_before_and_stay(memory: Memory) -> None:
    memory.add("a tent", user="ana")
    assert [found.text for found in memory.search("tent", user="ana")] == ["a tent"]
    memory.process()
    assert "a tent" in [found.text for found in memory.search("tent", user="ana")]


def test_a_job_without_statements_is_done(open_memory: Open) -> None:
    async def gate(work: Work, tools: Any) -> Work:
        return work

    memory = open_memory(recipe=recipe_of(Custom(do=gate), SumUp()))
    memory.add("hm", user="ana")
    assert memory.process().records == 0
    job = one_job(memory)
    assert (job.state, job.records) == ("done", 0)
    assert [event.event for event in memory.job_log(job.id)] == ["nothing to sum up"]


def test_history_is_shown_and_not_processed(open_memory: Open, model: ScriptedModel) -> None:
    seen: list[tuple[list[str], list[str]]] = []

    async def look(work: Work, tools: Any) -> Work:
        seen.append(([turn.text for turn in work.history], [turn.text for turn in work.turns]))
        return work

    memory = open_memory(recipe=recipe_of(Custom(do=look), history=3))
    for start in (0, 2, 4):
        memory.add([f"turn {start}", f"turn {start + 1}"], user="ana", session="s")
        memory.add("elsewhere", user="ana", session="t")
        memory.process()
    assert [pair for pair in seen if "elsewhere" not in pair[1]] == [
        ([], ["turn 0", "turn 1"]),
        (["turn 0", "turn 1"], ["turn 2", "turn 3"]),
        (["turn 1", "turn 2", "turn 3"], ["turn 4", "turn 5"]),
    ]


def test_turns_come_in_the_order_of_time(open_memory: Open) -> None:
    seen: list[str] = []

    async def look(work: Work, tools: Any) -> Work:
        seen.extend(turn.text for turn in work.turns)
        assert work.turns[0].speaker == "Ben"
        return work

    memory = open_memory(recipe=recipe_of(Custom(do=look)))
    memory.add({"text": "late", "at": 2_000_000, "images": ["a dog"]}, user="ana")
    memory.add({"text": "early", "at": 1_000_000, "speaker": "Ben"}, user="ana")
    memory.process()
    assert seen == ["early", "late [image: a dog]"]


def test_jobs_of_a_session_run_in_order_and_sessions_side_by_side(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memspan.store.sqlite.job_writer.MOST_TURNS", 1)
    running: dict[str, str] = {}
    order: list[str] = []
    most = 0

    async def watch(work: Work, tools: Any) -> Work:
        nonlocal most
        session = work.turns[0].session or ""
        assert session not in running
        running[session] = work.turns[0].text
        most = max(most, len(running))
        await asyncio.sleep(0.01)
        order.append(running.pop(session))
        return work

    memory = open_memory(recipe=recipe_of(Custom(do=watch)))
    for session in "abc":
        memory.add([f"{session}{i}" for i in range(4)], user="ana", session=session)
    report = memory.process(jobs_in_flight=2)
    assert report.done == 12
    assert 2 <= most <= 3  # one more than may ask, so that the model does not wait for a job to be stored
    for session in "abc":
        assert [text for text in order if text[0] == session] == [f"{session}{i}" for i in range(4)]


def test_what_was_answered_is_not_asked_again(open_memory: Open, model: ScriptedModel) -> None:
    memory = open_memory()
    failures = iter([errors.LLMError("server gone"), RuntimeError("no thread for a stage")])

    def fail_when_summing(prompt: Prompt) -> None:
        if prompt.name == "sum" and (error := next(failures, None)) is not None:
            raise error

    model.misbehave = fail_when_summing
    memory.add(["one", "two"], user="ana")
    report = memory.process()
    assert (report.done, report.failed, report.parked) == (1, 2, 0)
    assert model.asked["note", "one"] == model.asked["note", "two"] == 1
    assert set(model.asked.values()) == {1, 3}
    assert len(derived(memory)) == 3
    assert {record.metadata["model"] for record in derived(memory)} == {"scripted-1"}
    log = memory.job_log(one_job(memory).id)
    assert [(event.event, event.run) for event in log] == [("failed", 1), ("failed", 2), ("summed up", 3)]
    assert "server gone" in log[0].details["reason"]
    assert log[1].details["reason"] == "RuntimeError: no thread for a stage"


def test_answers_under_way_are_kept_when_another_one_fails(open_memory: Open, model: ScriptedModel) -> None:
    def misbehave(prompt: Prompt) -> Any:
        if prompt.user == "fails" and model.asked[prompt.name, "fails"] == 1:
            raise errors.LLMError("at once")
        return asyncio.sleep(0.05)

    model.misbehave = misbehave
    memory = open_memory()
    memory.add(["one", "fails", "two"], user="ana")
    report = memory.process()
    assert (report.done, report.failed) == (1, 1)
    assert model.asked["note", "one"] == model.asked["note", "two"] == 1
    assert report.usage.calls == 4


def test_nothing_is_asked_after_the_end_of_a_run(open_memory: Open, model: ScriptedModel) -> None:
    async def ask(work: Work, tools: Any) -> Work:
        async def chain() -> None:
            for name in ("first", "second"):
                await tools.ask(name, Prompt(name="note", version=1, system="", user=name), Facts)

        async def fail() -> None:
            if model.asked["note", "second"] == 0:
                await asyncio.sleep(0.01)
                raise errors.LLMError("now")

        model.seconds = 0.05
        await asyncio.gather(chain(), fail())
        return work

    memory = open_memory(Pace(first_pause=0.2), recipe=recipe_of(Custom(do=ask)))
    memory.add("one", user="ana")
    assert memory.process(limit=1).failed == 1
    assert model.asked == {("note", "first"): 1}


def test_a_job_that_keeps_failing_is_parked_and_can_be_retried(
    open_memory: Open, model: ScriptedModel, caplog: pytest.LogCaptureFixture
) -> None:
    memory = open_memory()

    def fail(prompt: Prompt) -> None:
        raise errors.BadReplyError(f"not JSON: {prompt.user}")

    model.misbehave = fail
    memory.add("one", user="ana")
    memory.add("two", user="ben")
    report = memory.process(user="ana")
    assert (report.done, report.failed, report.parked, report.waiting) == (0, 5, 1, 0)
    (parked,) = memory.jobs(state="parked")
    (said,) = caplog.messages
    assert said == f"job {parked.id} failed (BadReplyError) and is parked; `jobs` has the reason"
    assert (parked.user, parked.attempts, parked.reason) == ("ana", 5, "BadReplyError: not JSON: one")
    assert [event.event for event in memory.job_log(parked.id)] == ["failed"] * 4 + ["parked"]
    assert memory.process(user="ana").failed == 0, "parked jobs rest"
    memory.add("three", user="ana")
    model.misbehave = None
    assert memory.process(user="ana").done == 1, "a parked job does not stand in the way"
    for arguments in ({"user": "ben"}, {"job": "unknown"}, {"job": memory.jobs(user="ben")[0].id}):
        if "job" in arguments:
            with pytest.raises(errors.JobError):
                memory.retry(**arguments)
        else:
            assert memory.retry(**arguments) == 0
    with pytest.raises(errors.JobError, match="there is no job"):
        memory.retry(parked.id, user="ben")
    assert memory.user("ana").retry(parked.id) == 1
    assert memory.jobs(state="parked") == []
    assert memory.process().done == 2
    assert memory.job_log(parked.id)[5].event == "retried"
    assert len(derived(memory)) == 4


def test_a_job_whose_records_find_no_room_stops_no_other(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    memory.add([{"id": "fact", "text": "a fact", "kind": "semantic"}], user="ana")
    memory.pin(user="ana", ids=["fact"])
    shares = {"episodic": 0.8, "semantic": 0.1, "procedural": 0.1}
    memory.set_quotas(Quotas(capacity=10, shares=shares), user="ana")
    for user in ("ana", "ben", "cem"):
        for session in "abc":
            memory.add(f"text {session}", user=user, session=session)
    rebuilt = []
    monkeypatch.setattr(memory._engine.snapshots, "load", lambda *arguments: rebuilt.append(arguments))
    report = memory.process()
    assert (report.done, report.parked, report.failed) == (6, 3, 3)
    assert all("semantic" in (job.reason or "") for job in memory.jobs(user="ana"))
    assert [len(derived(memory, user)) for user in ("ana", "ben", "cem")] == [0, 6, 6]
    assert len(rebuilt) <= 1, "who fails alone leaves the index as it is"
    memory.set_quotas(None, user="ana")
    memory.retry()
    assert memory.process().done == 3
    assert len(derived(memory)) == 6
    assert memory.verify() == []


def test_a_job_that_gets_on_is_not_parked(open_memory: Open, model: ScriptedModel) -> None:
    memory = open_memory()

    def one_at_a_time(prompt: Prompt) -> None:
        if prompt.name == "note" and model.asked[prompt.name, prompt.user] <= int(prompt.user):
            raise errors.LLMError("later")

    model.misbehave = one_at_a_time
    memory.add([str(i) for i in range(12)], user="ana")
    report = memory.process()
    assert (report.done, report.parked) == (1, 0)
    assert report.failed >= 11


def test_pauses_grow() -> None:
    pauses = [Pace(growth=4, first_pause=1, longest_pause=20).pause(failures) for failures in range(1, 6)]
    for pause, longest in zip(pauses, [1, 4, 16, 20, 20], strict=True):
        assert longest * 0.75 <= pause <= longest


def test_a_pause_is_shown_and_kept(open_memory: Open, model: ScriptedModel) -> None:
    memory = open_memory(Pace(first_pause=300))
    model.misbehave = lambda prompt: (_ for _ in ()).throw(errors.LLMError("down"))
    memory.add("one", user="ana")
    assert memory.process(limit=1).waiting == 1
    job = one_job(memory)
    assert (job.state, job.attempts) == ("pending", 1)
    assert job.due is not None
    assert job.due > job.updated


def test_truncated_answers_are_remembered(open_memory: Open, model: ScriptedModel) -> None:
    failures = iter([errors.LLMError("down")])

    async def split(work: Work, tools: Any) -> Work:
        try:
            await tools.ask("whole", Prompt(name="note", version=1, system="", user="whole"), Facts)
        except errors.TruncatedReplyError:
            prompt = Prompt(name="note", version=1, system="", user="half")
            answer = await tools.ask("half", prompt, Facts)
        statement = Statement(text=answer.facts[0], at=work.turns[0].at, sources=(work.turns[0].id,))
        return replace(work, statements=(statement,))

    def too_long(prompt: Prompt) -> None:
        if prompt.user == "whole":
            error = errors.TruncatedReplyError("too long")
            error.usage = Usage(prompt_tokens=7, calls=1)
            raise error
        if (error := next(failures, None)) is not None:
            raise error

    model.misbehave = too_long
    memory = open_memory(recipe=recipe_of(Custom(do=split)))
    memory.add("a", user="ana")
    report = memory.process()
    assert (report.done, report.failed) == (1, 1)
    assert model.asked["note", "whole"] == 1
    assert report.usage == COST + Usage(prompt_tokens=7, calls=1)


def test_a_stage_that_cannot_ask_for_less_gets_another_answer(
    open_memory: Open, model: ScriptedModel
) -> None:
    def too_long(prompt: Prompt) -> None:
        if model.asked[prompt.name, prompt.user] < 3:
            raise errors.TruncatedReplyError("too long")

    model.misbehave = too_long
    memory = open_memory()
    memory.add("one", user="ana")
    assert memory.process().done == 1
    model.misbehave = lambda prompt: (_ for _ in ()).throw(errors.TruncatedReplyError("always"))
    memory.add("two", user="ana")
    assert (memory.process().failed, memory.jobs()[1].state) == (5, "parked")


def test_values_that_are_made_once(open_memory: Open) -> None:
    made: list[int] = []
    results: list[Any] = []

    async def stage(work: Work, tools: Any) -> Work:
        async def make() -> Any:
            made.append(1)
            return {"numbers": [1, 2.5, None], "text": "Zoë \ud800"}

        results.append(await tools.once("key", make))
        if len(results) < 3:
            raise RuntimeError("again")
        return work

    memory = open_memory(recipe=recipe_of(Custom(do=stage)))
    memory.add("a", user="ana")
    assert memory.process().done == 1
    assert made == [1]
    assert results == [{"numbers": [1, 2.5, None], "text": "Zoë \ud800"}] * 3


def test_answers_to_another_version_of_a_prompt_are_not_used(open_memory: Open, model: ScriptedModel) -> None:
    broken = threading.Event()

    async def stop(work: Work, tools: Any) -> Work:
        if not broken.is_set():
            raise RuntimeError("stop here")
        return work

    memory = open_memory(recipe=recipe_of(NoteTurns(version=1), SumUp(), Custom(do=stop)))
    memory.add("a", user="ana")
    memory.process(limit=1)
    memory.close()
    broken.set()
    memory = open_memory(recipe=recipe_of(NoteTurns(version=2), SumUp(), Custom(do=stop)))
    assert memory.process().done == 1
    assert set(model.answered.values()) == {2}, "what followed from it is asked again, too"
    assert {record.metadata["prompt"] for record in derived(memory)} == {"note@2", "sum@1"}


def test_without_a_model_no_job_is_blamed(open_memory: Open) -> None:
    memory = open_memory(llm=None)
    memory.add("a", user="ana")
    with pytest.raises(errors.JobError, match=r"Memory\(path, llm=\.\.\.\)"):
        memory.process()
    assert [(job.state, job.attempts) for job in memory.jobs()] == [("pending", 0)]


def test_what_every_job_would_meet_ends_processing(open_memory: Open, model: ScriptedModel) -> None:
    memory = open_memory()

    def lack(prompt: Prompt) -> None:
        raise errors.MissingExtraError("openai")

    model.misbehave = lack
    for session in "abc":
        memory.add("a", user="ana", session=session)
    with pytest.raises(errors.MissingExtraError):
        memory.process()
    assert {(job.state, job.attempts) for job in memory.jobs()} == {("pending", 0)}
    model.misbehave = None
    assert memory.process().done == 3


def test_limit(memory: Memory) -> None:
    for session in "abc":
        memory.add("a", user="ana", session=session)
    report = memory.process(limit=2)
    assert (report.done, report.waiting) == (2, 1)
    assert memory.process(progress=True, limit=5).done == 1


def test_usage_is_counted_by_user_recipe_stage_and_model(memory: Memory) -> None:
    assert memory.usage() == memory.usage(by=()) == []
    memory.add(["a", "b"], user="ana")
    memory.add("c", user="ben")
    memory.process()
    note = UsageEntry(None, "tiny", "note", "scripted-1", COST + COST + COST)
    assert memory.usage() == [note, UsageEntry(None, "tiny", "sum", "scripted-1", COST + COST)]
    (total,) = memory.usage(by=())
    assert total == UsageEntry(None, None, None, None, COST + COST + COST + COST + COST)
    assert [(entry.user, entry.usage.calls) for entry in memory.usage(by=["user"])] == [
        ("ana", 3),
        ("ben", 2),
    ]
    assert memory.user("ben").usage(by=["stage"])[0].usage == COST
    for by in ("stage", ["colour"], None, 5, [["stage"]]):
        with pytest.raises(errors.InvalidArgumentError, match="^by"):
            memory.usage(by=by)
    memory.forget(user="ana")
    assert memory.usage(by=())[0].usage == COST + COST


def test_steps_do_not_advance_the_change_counter(open_memory: Open, model: ScriptedModel) -> None:
    memory = open_memory()
    memory.add("a", user="ana")
    before = memory.stats()["sequence"]

    def fail(prompt: Prompt) -> None:
        if prompt.name == "sum":
            raise errors.LLMError("down")

    model.misbehave = fail
    assert memory.process().parked == 1
    assert memory.stats()["sequence"] == before
    model.misbehave = None
    memory.retry()
    memory.process()
    assert memory.stats()["sequence"] > before


def test_bad_arguments(memory: Memory) -> None:
    for arguments in (
        {"user": ""}, {"jobs_in_flight": 0}, {"jobs_in_flight": 5000}, {"limit": 0}, {"limit": True},
    ):  # fmt: skip
        with pytest.raises(errors.InvalidArgumentError, match=r": got .*; accepted: "):
            memory.process(**arguments)  # type: ignore[arg-type]
    for state in ("asleep", np.array(["done", "parked"])):
        with pytest.raises(errors.InvalidArgumentError, match="^state"):
            memory.jobs(state=state)  # type: ignore[arg-type]
        with pytest.raises(errors.InvalidArgumentError, match="^state"):
            memory.resources(state=state)  # type: ignore[arg-type]
    for unknown in (errors.JobError, errors.UnknownIdError, errors.UnknownJobError):
        for call in (memory.job_log, memory.retry):
            with pytest.raises(unknown, match="there is no job 'x'"):
                call("x")
    memory.add("a", user="ana")
    with pytest.raises(errors.JobError, match="there is no job"):
        memory.user("ben").job_log(memory.jobs()[0].id)
    memory.close()
    for call in (memory.process, memory.jobs, memory.usage, memory.retry, memory.start_processing):
        with pytest.raises(errors.StoreError, match="closed"):
            call()
