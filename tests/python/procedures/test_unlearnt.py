"""A procedure that was forgotten is not learnt again from the transcripts that are still there."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from agent_sessions import cancel_order

from memspan import Quotas
from memspan.errors import FormatError
from memspan.lifecycle.expiring import sweep
from memspan.memory import Memory
from memspan.reports.procedure_info import Procedure
from memspan.times import to_micros


def ran(memory: Memory, *numbers: int) -> None:
    memory.add([cancel_order(number) for number in numbers], user="ana")


def learnt(memory: Memory) -> Procedure:
    memory.learn_procedures("ana")
    (one,) = memory.procedures(user="ana")
    return one


def test_it_stays_away_and_later_runs_alone_bring_it_back(memory: Memory, open_memory: Callable[..., Memory]):
    ran(memory, 1, 2, 3, 4)
    first = learnt(memory)
    assert memory.forget(user="ana", id=first.id) == 1
    for _ in range(2):
        assert memory.learn_procedures("ana").ids == ()
        assert memory.consolidate("ana").upkeep.learnt == 0
    assert memory.procedures(user="ana") == []

    ran(memory, 5, 6)
    assert memory.learn_procedures("ana").ids == ()
    memory.close()
    memory = open_memory()
    ran(memory, 7)
    again = learnt(memory)
    assert (again.successes, first.successes) == (3, 4)
    sources = memory.get(user="ana", id=again.id).sources
    assert {source.split("-")[0] for source in sources} == {"s5", "s6", "s7"}
    # Nor do the old ones count later on.
    ran(memory, 8)
    assert learnt(memory).successes == 4
    assert memory.verify() == []


def test_of_others_it_says_nothing(memory: Memory):
    for user in ("ana", "ben"):
        memory.add([cancel_order(number) for number in range(4)], user=user)
    memory.forget(user="ana", id=learnt(memory).id)
    assert memory.learn_procedures("ben").new == 1
    memory.forget(user="ana")
    ran(memory, 1, 2, 3)
    assert learnt(memory).successes == 3


def test_one_that_goes_with_a_source_is_learnt_from_the_others(memory: Memory):
    ran(memory, 1, 2, 3, 4)
    learnt(memory)
    memory.forget(user="ana", session="s1")
    assert memory.procedures(user="ana") == []
    assert learnt(memory).successes == 3


def with_a_source(memory: Memory, one: Procedure, how: str) -> None:
    """Forget the procedure together with one of its sources."""
    if how == "ids":
        assert memory.forget(user="ana", id=[one.id, one.sources[0]]) >= 2
    elif how == "kinds":
        last = (one.last, one.last + timedelta(days=1))
        assert memory.forget(user="ana", between=last, kinds=["episodic", "procedural"]) >= 2
    elif how == "question":
        plan = memory.forget_matching(one.text, user="ana", k=3, kinds=["episodic", "procedural"])
        assert one.id in {match.id for match in plan.matches}
        assert {match.id for match in plan.matches} & set(one.sources)
        memory.forget(confirm=plan)
    else:
        assert how == "expiry"
        source = memory.get(user="ana", id=one.sources[0])
        procedure = memory.get(user="ana", id=one.id)
        assert source is not None
        assert procedure is not None
        soon = datetime.now(timezone.utc) + timedelta(hours=1)
        memory.add_records([replace(each, expires_at=soon, embedding=None) for each in (source, procedure)])
        assert sweep(memory._engine, now=to_micros(soon)).records >= 2


@pytest.mark.parametrize("how", ["ids", "kinds", "question", "expiry"])
def test_one_that_is_named_with_a_source_stays_away(memory: Memory, how: str):
    ran(memory, 1, 2, 3, 4, 5, 6)
    with_a_source(memory, learnt(memory), how)
    assert memory.procedures(user="ana") == []
    assert memory.learn_procedures("ana").ids == ()
    assert memory.consolidate("ana").upkeep.learnt == 0
    ran(memory, 11, 12, 13)
    assert learnt(memory).successes == 3


def test_what_was_made_of_a_turn_stays_away_while_the_turn_is_there(memory: Memory):
    ran(memory, 1, 2, 3, 4)
    one = learnt(memory)
    memory.forget(user="ana", source=one.sources[-1])
    assert memory.get(user="ana", id=one.sources[-1]) is not None
    assert memory.learn_procedures("ana").ids == ()


def test_one_that_expires_in_the_cold_tier_stays_away(memory: Memory):
    ran(memory, 1, 2, 3, 4)
    one = learnt(memory)
    record = memory.get(user="ana", id=one.id)
    assert record is not None
    soon = datetime.now(timezone.utc) + timedelta(hours=1)
    memory.add_records([replace(record, expires_at=soon, embedding=None)])
    memory.set_quotas(
        Quotas(capacity=100, shares={"episodic": 0.98, "semantic": 0.01, "procedural": 0.01}), user="ana"
    )
    memory.add_records([one_more(memory, one.id)])
    assert [cold.record.id for cold in memory.evicted(user="ana", kinds=["procedural"])] == [one.id]
    memory.set_quotas(None, user="ana")
    sweep(memory._engine, now=to_micros(soon))
    assert memory.evicted(user="ana", kinds=["procedural"]) == []
    assert memory.learn_procedures("ana").ids == ()


def test_by_question_by_kind_and_from_the_cold_tier(memory: Memory):
    ran(memory, 1, 2, 3, 4)
    learnt(memory)
    memory.forget(user="ana", kinds=["procedural"])
    assert memory.learn_procedures("ana").ids == ()
    ran(memory, 5, 6, 7)
    one = learnt(memory)
    memory.set_quotas(
        Quotas(capacity=100, shares={"episodic": 0.98, "semantic": 0.01, "procedural": 0.01}), user="ana"
    )
    memory.add_records([one_more(memory, one.id)])
    (cold,) = memory.evicted(user="ana", kinds=["procedural"])
    assert cold.record.id == one.id
    memory.forget(user="ana", id=one.id)
    memory.set_quotas(None, user="ana")
    assert memory.learn_procedures("ana").ids == ()


def one_more(memory: Memory, id_: str):
    found = memory.get(user="ana", id=id_)
    return replace(found, id="by-hand", metadata={}, sources=(), pinned=True, embedding=None)


def test_what_is_undone_is_not_learnt_again(memory: Memory):
    ran(memory, 1, 2, 3, 4)
    report = memory.consolidate("ana").upkeep
    assert report.learnt == 1
    assert memory.undo(report.runs[0]).removed == 1
    assert memory.consolidate("ana").upkeep.learnt == 0
    ran(memory, 5, 6, 7)
    assert memory.consolidate("ana").upkeep.learnt == 1


@pytest.mark.parametrize("word", ["find_order", "cancel"])
def test_no_name_of_an_action_is_kept(memory: Memory, path: Path, word: str):
    ran(memory, 1, 2, 3, 4)
    memory.forget(user="ana", id=learnt(memory).id)
    with memory._engine.store.reading() as reader:
        assert (
            reader.unlearnt.through("ana", [("find_order", "check_refund", "cancel_order"), ("x",)])[1]
            is None
        )
        values = [reader.meta(f"unlearnt/{number}") for number in range(1, 4)]
    assert all(word not in value for value in values if value is not None)
    assert any(values)


def test_it_stays_away_where_its_transcripts_are_loaded(memory: Memory, tmp_path: Path):
    ran(memory, 1, 2, 3, 4)
    memory.forget(user="ana", id=learnt(memory).id)
    file = tmp_path / "export.jsonl"
    memory.export("ana", file)
    with Memory(tmp_path / "other.memspan", "hash:64") as other:
        other.load(file)
        assert other.consolidate("ana").upkeep.learnt == 0
        ran(other, 5, 6, 7)
        assert learnt(other).successes == 3
    memory.export("ana", file, records_only=True)
    assert "unlearnt" not in file.read_text()


@pytest.mark.parametrize(
    ("field", "value"), [("steps", []), ("steps", "find"), ("steps", [1]), ("through", "soon"), ("user", "")]
)
def test_what_a_file_says_of_it_is_checked(memory: Memory, field: str, value: object):
    export = io.StringIO()
    memory.export("ana", export)
    header, *_ = export.getvalue().splitlines(keepends=True)
    line = {"type": "unlearnt", "user": "ana", "steps": ["find"], "through": "2024-05-01T10:00:00Z"}
    text = header + json.dumps({**line, field: value}) + "\n"
    with pytest.raises(FormatError, match=f":2: {field}"):
        memory.load(io.StringIO(text))
