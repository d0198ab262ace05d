"""Procedures live as long as their kind, and not longer than turns that were given an end."""

from __future__ import annotations

from datetime import datetime, timedelta

from agent_sessions import cancel_order

from memspan.memory import Memory
from memspan.records import Record

HOUR = timedelta(hours=1)


def learnt(memory: Memory) -> Record:
    memory.learn_procedures("ana")
    (one,) = memory.procedures(user="ana")
    record = memory.get(user="ana", id=one.id)
    assert record is not None
    return record


def recorded_at(record: Record) -> datetime:
    assert record.recorded_at is not None
    return record.recorded_at


def test_a_procedure_lives_as_long_as_its_kind(memory: Memory) -> None:
    memory.set_lifetime("procedural", HOUR)
    memory.add([cancel_order(number) for number in range(4)], user="ana")
    first = learnt(memory)
    assert first.expires_at == recorded_at(first) + HOUR
    memory.add([cancel_order(number) for number in (4, 5)], user="ana")
    again = learnt(memory)
    assert again.id == first.id
    assert again.expires_at == recorded_at(again) + HOUR
    assert memory.learn_procedures("ana").ids == ()


def test_a_procedure_does_not_outlive_what_it_was_learnt_from(memory: Memory) -> None:
    memory.add([cancel_order(number) for number in range(4)], user="ana", ttl=HOUR)
    ends = {recall.record.expires_at for recall in memory.latest("ana", k=100)}
    assert None not in ends
    assert learnt(memory).expires_at == min(end for end in ends if end is not None)


def test_a_procedure_that_comes_to_rest_on_such_turns_ends_with_them(memory: Memory) -> None:
    memory.add([cancel_order(number) for number in range(4)], user="ana")
    assert learnt(memory).expires_at is None
    memory.add([cancel_order(number) for number in (4, 5)], user="ana", ttl=HOUR)
    assert learnt(memory).expires_at is not None
