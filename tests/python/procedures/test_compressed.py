"""`Memory.compress` and procedures: they keep their words unless asked for, and get them back when they are learnt."""

from __future__ import annotations

from agent_sessions import cancel_order

from memspan.memory import Memory
from memspan.records import Record


def stored(memory: Memory) -> Record:
    (procedure,) = memory.procedures(user="ana")
    record = memory.get(user="ana", id=procedure.id)
    assert record is not None
    return record


def learnt(memory: Memory) -> Record:
    memory.add([cancel_order(number) for number in range(1, 5)], user="ana")
    memory.learn_procedures("ana")
    return stored(memory)


def test_they_are_left_alone_by_default(memory: Memory) -> None:
    before = learnt(memory)
    assert memory.compress("ana", "uniform", 0.4).compressed > 0
    assert (stored(memory).text, stored(memory).fidelity) == (before.text, before.fidelity)


def test_learning_them_again_restores_them(memory: Memory) -> None:
    before = learnt(memory)
    assert memory.compress("ana", "uniform", 0.4, kinds=["procedural"]).compressed == 1
    assert len(stored(memory).text) < len(before.text)
    assert stored(memory).fidelity < before.fidelity

    assert memory.learn_procedures("ana").changed == 1
    after = stored(memory)
    assert (after.text, after.fidelity, after.metadata) == (before.text, before.fidelity, before.metadata)
    assert memory.learn_procedures("ana").changed == 0
