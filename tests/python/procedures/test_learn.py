"""Procedures in a memory: learnt, kept up to date, forgotten, left alone."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from agent_sessions import cancel_order, session
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_profile import PROFILE

from memspan import errors
from memspan.lifecycle.procedures import Mining
from memspan.lifecycle.procedures.mining import mine_procedures
from memspan.memory import Memory
from memspan.reports.procedure_info import Procedure, ProcedureStep

STEPS = ("find_order", "check_refund", "cancel_order")


def the_procedure(memory: Memory, user: str = "ana") -> Procedure:
    (one,) = memory.procedures(user=user)
    return one


def runs(memory: Memory, *numbers: int, user: str = "ana", fails: bool = False) -> None:
    memory.add([cancel_order(number, fails=fails) for number in numbers], user=user)


def test_a_sequence_that_comes_back_is_a_procedure(memory: Memory) -> None:
    runs(memory, 1, 2, 3, 4)

    report = memory.learn_procedures("ana")

    assert (report.users, report.sessions, report.actions, report.found, report.new) == (1, 4, 12, 1, 1)
    one = the_procedure(memory)
    assert report.ids == (one.id,)
    assert one.steps == (
        ProcedureStep("find_order", {"order": "as asked", "region": '= "eu"'}),
        ProcedureStep("check_refund", {"payment": "result of step 1", "order": "order of step 1"}),
        ProcedureStep(
            "cancel_order", {"order": "order of step 1", "reason": '= "customer"', "api_key": "text"}
        ),
    )
    assert (one.name, one.successes, one.failures, one.runs) == ("cancel order", 4, 0, 4)
    assert one.asked == "Please cancel order 1001"
    assert one.last.day == 5
    record = memory.get(user="ana", id=one.id)
    assert record is not None
    assert (record.kind, record.fidelity, record.text) == ("procedural", 0.7, one.text)
    assert record.importance == pytest.approx(5 / 6)
    assert {"s4-0-call", "s4-0-result", "s1-2-result", "s1-asked"} <= set(record.sources)
    assert one.text == (
        "How to cancel order\n"
        'Asked like: "Please cancel order 1001"\n'
        '1. find_order(order: as asked, region = "eu")\n'
        "2. check_refund(payment: result of step 1, order: order of step 1)\n"
        '3. cancel_order(order: order of step 1, reason = "customer", api_key: text)'
    )
    assert json.loads(json.dumps(one.to_dict()))["steps"][0]["action"] == "find_order"


def test_two_runs_are_no_procedure_yet(memory: Memory) -> None:
    runs(memory, 1, 2)

    assert memory.learn_procedures("ana").found == 0
    assert memory.procedures(user="ana") == []
    assert memory.learn_procedures("ana", settings=Mining(least=2)).new == 1


def test_a_procedure_keeps_its_id_and_its_counts_grow(memory: Memory) -> None:
    runs(memory, 1, 2, 3)
    memory.learn_procedures("ana")
    before = the_procedure(memory)

    assert memory.learn_procedures("ana").changed == 0
    runs(memory, 4, 5)
    runs(memory, 6, fails=True)
    report = memory.learn_procedures("ana")

    after = the_procedure(memory)
    assert (report.new, report.changed, report.ids) == (0, 1, (before.id,))
    assert after.id == before.id
    assert (after.successes, after.failures, after.runs) == (5, 1, 6)
    assert after.last > before.last


def test_runs_that_stop_at_a_step_that_failed_count_as_failures(memory: Memory) -> None:
    runs(memory, 1, 2, 3, 4)
    memory.add(session("s9", "find_order", "!check_refund", day=20), user="ana")

    memory.learn_procedures("ana")

    one = the_procedure(memory)
    assert (one.successes, one.failures, one.runs) == (4, 1, 5)


def test_a_retry_is_one_step(memory: Memory) -> None:
    memory.add(
        [session(f"s{i}", "open_form", "!send_form", "send_form", "close_form", day=i + 1) for i in range(3)],
        user="ana",
    )

    memory.learn_procedures("ana")

    one = the_procedure(memory)
    assert [step.action for step in one.steps] == ["open_form", "send_form", "close_form"]
    assert (one.successes, one.failures) == (3, 0)


def test_other_things_between_the_steps_do_no_harm(memory: Memory) -> None:
    extra = ["look_up_weather", "read_mail", "take_note", "play_music"]
    for i, other in enumerate(extra):
        steps = ["find_order", "check_refund", "cancel_order"]
        steps.insert(i % 3, other)
        memory.add(session(f"s{i}", *steps, day=i + 1), user="ana")

    memory.learn_procedures("ana")

    assert tuple(step.action for step in the_procedure(memory).steps) == STEPS


def test_what_was_always_done_before_is_a_precondition(memory: Memory) -> None:
    noise = [["read_mail", "play_music"], ["take_note", "look_up_weather"], ["draw_map", "count_files"]]
    for i in range(6):
        others = noise[i % 3] if i % 2 else list(reversed(noise[i % 3]))
        memory.add(
            session(f"s{i}", "log_in", *others, *STEPS, *noise[(i + 1) % 3], "clean_up", day=i + 1),
            user="ana",
        )

    memory.learn_procedures("ana", settings=Mining(gap=0))

    found = {tuple(step.action for step in one.steps): one for one in memory.procedures(user="ana")}
    assert found[STEPS].preconditions == ("log_in",)
    assert "First: log_in\n" in found[STEPS].text


def test_each_user_learns_from_their_own(memory: Memory) -> None:
    runs(memory, 1, 2, 3)
    runs(memory, 4, 5, user="bo")

    report = memory.learn_procedures()

    assert (report.users, report.new) == (2, 1)
    assert memory.procedures(user="bo") == []
    assert memory.user("bo").learn_procedures(settings=Mining(least=2)).new == 1
    assert len(memory.user("ana").procedures()) == 1


def test_a_dry_run_writes_nothing(memory: Memory) -> None:
    runs(memory, 1, 2, 3)

    report = memory.learn_procedures("ana", dry_run=True)

    assert (report.new, len(report.ids)) == (1, 1)
    assert memory.procedures(user="ana") == []
    assert memory.learn_procedures("ana").ids == report.ids


def test_forgetting_a_turn_erases_what_was_learnt_from_it_and_the_rest_teaches_again(memory: Memory) -> None:
    runs(memory, 1, 2, 3, 4)
    memory.learn_procedures("ana")
    before = the_procedure(memory)

    memory.forget(user="ana", id="s1-asked")

    assert memory.procedures(user="ana") == []
    memory.learn_procedures("ana")
    after = the_procedure(memory)
    assert after.id == before.id
    assert after.asked == "Please cancel order 1002"
    memory.forget(user="ana", id="s1-0-call")
    memory.learn_procedures("ana")
    assert the_procedure(memory).runs == 3
    memory.forget(user="ana")
    assert memory.learn_procedures("ana").found == 0


def test_runs_count_on_when_their_turns_are_gone(memory: Memory) -> None:
    runs(memory, 1, 2, 3)
    memory.learn_procedures("ana")
    old = the_procedure(memory)
    # Eviction takes records out of the store without what was derived from them.
    gone = [id_ for id_ in old.sources if id_.startswith(("s1-", "s2-"))]
    with memory._engine.changing() as change:
        change.writer.remove("ana", gone)
        change.apply(lambda index: index.remove(user="ana", ids=gone))
    runs(memory, 7, 8, 9)

    memory.learn_procedures("ana")

    one = the_procedure(memory)
    assert (one.id, one.runs) == (old.id, 6)
    assert set(gone) <= set(one.sources)


def test_a_procedure_that_was_wound_up_or_written_anew_is_left_alone(memory: Memory) -> None:
    runs(memory, 1, 2, 3)
    memory.learn_procedures("ana")
    one = the_procedure(memory)
    memory.add(
        {"id": one.id, "text": "Ask Bo to cancel it.", "kind": "procedural", "at": one.last}, user="ana"
    )
    runs(memory, 4)

    assert memory.learn_procedures("ana").new == 0

    assert the_procedure(memory).text == "Ask Bo to cancel it."
    assert the_procedure(memory).steps == ()


def test_a_retired_procedure_is_not_learnt_again(memory: Memory) -> None:
    runs(memory, 1, 2, 3)
    memory.learn_procedures("ana")
    record = memory.get(user="ana", id=the_procedure(memory).id)
    assert record is not None
    from dataclasses import replace
    from datetime import timedelta

    memory.add_records([replace(record, until=record.at + timedelta(days=9))])
    runs(memory, 4)

    assert memory.learn_procedures("ana").ids == ()
    assert the_procedure(memory).retired


def test_steps_that_change_keep_the_id(memory: Memory) -> None:
    runs(memory, 1, 2, 3)
    memory.learn_procedures("ana")
    before = the_procedure(memory)
    for number in range(4, 20):
        run = cancel_order(number)
        run["messages"] += session(f"s{number}x", "send_receipt")["messages"]
        memory.add(run, user="ana")

    memory.learn_procedures("ana")

    one = the_procedure(memory)
    assert one.id == before.id
    assert [step.action for step in one.steps] == [*STEPS, "send_receipt"]


def test_a_procedure_that_was_a_part_of_a_longer_one_gives_way(memory: Memory) -> None:
    long = ["find_order", "check_refund", "ask_boss", "cancel_order", "send_receipt", "close_case"]
    for number in range(3):
        memory.add(session(f"a{number}", *long[:2], day=number + 1), user="ana")
    memory.learn_procedures("ana")
    short = the_procedure(memory)
    for number in range(12):
        memory.add(session(f"b{number}", *long, day=number + 5), user="ana")

    report = memory.learn_procedures("ana")

    assert (report.new, report.merged) == (1, 1)
    now = {one.retired: one for one in memory.procedures(user="ana")}
    assert [step.action for step in now[False].steps] == long
    assert now[True].id == short.id
    assert memory.learn_procedures("ana").merged == 0


def test_only_believed_turns_of_what_happened_teach(memory: Memory) -> None:
    for number, kind in enumerate(("vault", "semantic", "resource", "vault")):
        memory.add(cancel_order(number), user="ana", kind=kind)

    assert memory.learn_procedures("ana").sessions == 0


def test_turns_that_were_merged_away_still_happened_and_retired_ones_did_not(memory: Memory) -> None:
    from dataclasses import replace

    runs(memory, 1, 2, 3, 4, 5)
    for id_, ended in (("s1-1-call", {"action": "merge", "by": ["x"]}), ("s5-1-call", {"action": "retire"})):
        record = memory.get(user="ana", id=id_)
        assert record is not None
        metadata = {**record.metadata, "ended": ended}
        memory.add_records([replace(record, until=record.at, retired_at=record.at, metadata=metadata)])

    memory.learn_procedures("ana")

    assert the_procedure(memory).runs == 4


def test_procedures_written_by_hand_are_listed(memory: Memory) -> None:
    memory.add("Restart the server: stop it, wait, start it.\nAsk first.", user="ana", kind="procedural")

    one = the_procedure(memory)

    assert one.name == "Restart the server: stop it, wait, start it."
    assert (one.steps, one.runs, one.retired) == ((), 0, False)


def test_actions_written_by_hand_teach_as_well(memory: Memory) -> None:
    for day in range(1, 5):
        messages = [
            {"text": f"{name} now", "metadata": {"actions": [{"action": name, "success": day != 4}]}}
            for name in ("build", "test", "deploy")
        ]
        memory.add(messages, user="ana", at=f"2024-05-{day:02d}")

    memory.learn_procedures("ana")

    one = the_procedure(memory)
    assert [step.action for step in one.steps] == ["build", "test", "deploy"]
    assert (one.successes, one.failures) == (3, 1)


def test_made_and_given_tags_and_pins_stay_when_counts_grow(memory: Memory) -> None:
    runs(memory, 1, 2, 3)
    memory.learn_procedures("ana")
    record = memory.get(user="ana", id=the_procedure(memory).id)
    assert record is not None
    from dataclasses import replace

    memory.add_records([replace(record, tags=("shop",), pinned=True)])
    memory.tag("ana")
    runs(memory, 4)
    memory.learn_procedures("ana")

    after = memory.get(user="ana", id=record.id)
    assert after is not None
    assert "shop" in after.tags
    assert after.pinned
    memory.untag("ana")
    untagged = memory.get(user="ana", id=record.id)
    assert untagged is not None
    assert untagged.tags == ("shop",)


def test_what_is_held_stays_as_it_is(memory: Memory) -> None:
    runs(memory, 1, 2, 3)
    memory.learn_procedures("ana")
    id_ = the_procedure(memory).id
    memory.hold(user="ana", id=id_)
    before = memory.get(user="ana", id=id_)
    runs(memory, 4)
    memory.learn_procedures("ana")
    after = memory.get(user="ana", id=id_)
    assert before is not None
    assert after is not None
    assert (after.text, after.metadata, after.at) == (before.text, before.metadata, before.at)
    memory.release(user="ana")
    memory.learn_procedures("ana")
    assert the_procedure(memory).successes == 4


def test_what_was_forgotten_meanwhile_does_not_come_back(memory: Memory) -> None:
    from memspan.lifecycle.procedures import mining

    runs(memory, 1, 2, 3)
    proposals = mining.propose(memory._engine, "ana")
    memory.forget(user="ana", id="s2-1-call")

    report = mining.apply(memory._engine, proposals)

    assert report.new == 0
    assert memory.procedures(user="ana") == []


@settings(PROFILE, max_examples=12)
@given(st.lists(st.tuples(st.integers(0, 2), st.booleans(), st.booleans()), min_size=1, max_size=14))
def test_learning_bit_by_bit_and_at_once_count_the_same(moves: list[tuple[int, bool, bool]]) -> None:
    kinds = [STEPS, ("open_form", "send_form"), ("read_mail", "write_mail", "send_mail", "file_mail")]
    with (
        TemporaryDirectory() as folder,
        Memory(Path(folder) / "a", "hash:16") as bit_by_bit,
        Memory(Path(folder) / "b", "hash:16") as at_once,
    ):
        for number, (kind, works, learns) in enumerate(moves):
            steps = [*kinds[kind][:-1], kinds[kind][-1] if works else f"!{kinds[kind][-1]}"]
            messages = session(f"s{number}", *steps)["messages"]
            for memory in (bit_by_bit, at_once):
                memory.add(
                    messages, user="ana", session=f"s{number}", at=(1_000_000 + number) * 1_000_000_000
                )
            if learns:
                bit_by_bit.learn_procedures("ana")
        found = []
        for memory in (bit_by_bit, at_once):
            memory.learn_procedures("ana")
            found.append({one.id: one.to_dict() for one in memory.procedures(user="ana")})
            assert memory.verify() == []

    assert found[0] == found[1]
    counted = Counter((kind, works) for kind, works, _ in moves)
    by_steps = {tuple(step["action"] for step in one["steps"]): one for one in found[0].values()}
    for kind, steps in enumerate(kinds):
        good, bad = counted[kind, True], counted[kind, False]
        assert (steps in by_steps) == (good + bad >= 3)
        if steps in by_steps:
            assert (by_steps[steps]["successes"], by_steps[steps]["failures"]) == (good, bad)


def test_two_that_learn_at_once_learn_it_once(memory: Memory) -> None:
    from memspan.lifecycle.procedures import mining

    runs(memory, 1, 2, 3)
    first, second = (mining.propose(memory._engine, "ana") for _ in range(2))

    assert mining.apply(memory._engine, first).new == 1
    assert mining.apply(memory._engine, second).new == 0
    assert the_procedure(memory).runs == 3
    assert memory.verify() == []


def test_what_another_one_learnt_and_took_away_meanwhile_is_left(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memspan.lifecycle.procedures import mining

    runs(memory, 1, 2, 3)
    first, second = (mining.propose(memory._engine, "ana") for _ in range(2))
    assert mining.apply(memory._engine, first).new == 1
    found = mining._vectors

    def then_forget(*arguments: Any) -> Any:
        vectors = found(*arguments)
        memory.forget(user="ana", id=first.changes[0].id)
        return vectors

    monkeypatch.setattr(mining, "_vectors", then_forget)
    assert mining.apply(memory._engine, second).new == 0
    assert memory.procedures(user="ana") == []
    assert memory.verify() == []


def test_many_runs_are_counted_and_the_newest_ones_named(memory: Memory) -> None:
    def add(numbers: range) -> None:
        for number in numbers:
            run = cancel_order(number)
            memory.add(
                run["messages"], user="ana", session=run["session"], at=(1_000_000 + number) * 1_000_000_000
            )

    add(range(1, 280))
    memory.learn_procedures("ana")
    first = the_procedure(memory)
    add(range(280, 300))

    memory.learn_procedures("ana")

    after = the_procedure(memory)
    assert (first.runs, after.runs, after.successes) == (279, 299, 299)
    assert len(after.sources) <= 1024
    record = memory.get(user="ana", id=after.id)
    assert record is not None
    assert len(record.metadata["procedure"]["seen"]) == 256
    assert memory.learn_procedures("ana").changed == 0


def test_a_journal_may_write(memory: Memory) -> None:
    runs(memory, 1, 2, 3)
    written: list[Any] = []

    mine_procedures(memory._engine, "ana", write=lambda change, records: written.extend(records))

    assert [record.kind for record in written] == ["procedural"]
    assert memory.procedures(user="ana") == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"settings": 3},
        {"user": ""},
        {"user": 3},
        {"dry_run": "yes"},
    ],
)
def test_bad_arguments_are_refused(memory: Memory, wrong: dict[str, Any]) -> None:
    with pytest.raises(errors.InvalidArgumentError):
        memory.learn_procedures(**{"user": "ana", **wrong})


@pytest.mark.parametrize(
    "wrong",
    [
        {"least": 1}, {"gap": -1}, {"longest": 1}, {"certain": 2}, {"share": -1}, {"lift": 0}, {"chance": "x"},
        {"effort": 0},
    ],
)  # fmt: skip
def test_bad_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(errors.InvalidArgumentError):
        Mining(**wrong)


def test_a_closed_memory_says_so(memory: Memory) -> None:
    memory.close()
    for ask in (lambda: memory.procedures(user="ana"), lambda: memory.learn_procedures("ana")):
        with pytest.raises(errors.StoreError):
            ask()
