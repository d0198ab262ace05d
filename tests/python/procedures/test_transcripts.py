"""From turns to what was done: sessions, results, retries, requests; and what arguments have in common."""

from __future__ import annotations

import time
import timeit
from collections.abc import Callable
from typing import Any

import pytest
from agent_sessions import cancel_order, session
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE

from memspan.actions import read_tool_use
from memspan.lifecycle.procedures import Mining, Transcript, learn, transcripts_of
from memspan.lifecycle.procedures.learning import readable
from memspan.store.transcripts import TranscriptTurn

HOUR = 3_600_000_000


def turn(
    number: int, session: str | None = "s", speaker: str = "assistant", text: str = "", **metadata: Any
) -> Any:
    return TranscriptTurn(f"t{number}", session, number, speaker, text, metadata)


def called(*names: str, **more: Any) -> list[dict[str, Any]]:
    return [{"action": name, **more} for name in names]


def best_time(call: Callable[[], object]) -> float:
    """Of this thread, without Python's garbage collector, which would walk what other tests have left."""
    return min(timeit.repeat(call, timer=time.thread_time, number=1, repeat=3))


def test_results_find_their_calls() -> None:
    (one,) = transcripts_of(
        [
            turn(1, actions=[{"action": "a", "call": "c1"}, {"action": "b", "call": "c2"}]),
            turn(2, speaker="tool", text="no", outcomes=[{"call": "c2", "success": False}]),
            turn(3, speaker="tool", text="yes", outcomes=[{"call": "c1", "success": True}]),
            turn(4, speaker="tool", text="?", outcomes=[{"call": "c9", "success": False}]),
        ]
    )

    assert [(event.action, event.success, event.turns, event.results) for event in one.events] == [
        ("a", True, ("t1", "t3"), "yes"),
        ("b", False, ("t1", "t2"), "no"),
    ]


def test_results_of_tools_that_the_server_runs_stand_beside_their_calls() -> None:
    use = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "ferry"}}
    error = {"type": "web_search_tool_result_error", "error_code": "unavailable"}
    failed = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": error}
    hits = [
        {
            "type": "web_search_result",
            "title": "Ferries",
            "url": "https://a.example",
            "encrypted_content": "x",
        }
    ]
    worked = {"type": "web_search_tool_result", "tool_use_id": "s2", "content": hits}
    metadata = [
        read_tool_use({"role": "assistant", "content": content}).metadata
        for content in ([use, failed], [use | {"id": "s2"}, worked])
    ]

    (one,) = transcripts_of(
        [turn(1, **metadata[0]), turn(2, speaker="Ana", text="Again."), turn(3, **metadata[1])]
    )

    assert [(event.action, event.success) for event in one.events] == [
        ("web_search", False),
        ("web_search", True),
    ]


def test_results_without_a_call_belong_to_the_oldest_that_has_none() -> None:
    (one,) = transcripts_of(
        [
            turn(1, actions=called("a", "b", "a")),
            turn(2, outcomes=[{"action": "a", "success": False}]),
            turn(3, outcomes=[{"success": True}]),
            turn(4, outcomes=[{"action": "a", "success": True}]),
        ]
    )

    assert [(event.action, event.success) for event in one.events] == [("a", False), ("b", True), ("a", True)]


@pytest.mark.parametrize("names", ["ab", "a"], ids=["without ids", "one tool"])
def test_time_grows_as_the_calls_of_a_session_do(names: str) -> None:
    def took(count: int) -> float:
        turns = []
        for number in range(count):
            own = {"call": f"c{number}"} if names == "a" else {}
            turns.append(turn(2 * number, actions=called(names[number % len(names)], **own)))
            turns.append(turn(2 * number + 1, outcomes=[{"success": True, **own}]))
        (one,) = transcripts_of(turns)
        assert sum(event.calls for event in one.events) == count
        return best_time(lambda: list(transcripts_of(turns)))

    assert took(24_000) < 10 * took(6_000)


def test_time_grows_as_a_long_session_does() -> None:
    def took(count: int) -> float:
        names = [
            "login",
            *(("find", "check", "cancel") if number % 7 else ("list", "look") for number in range(count)),
        ]
        flat = [name for one in names for name in ([one] if isinstance(one, str) else one)]
        (one,) = transcripts_of(turn(place, actions=called(name)) for place, name in enumerate(flat))
        assert {procedure.actions for procedure in learn([one])} >= {("find", "check", "cancel")}
        return best_time(lambda: learn([one]))

    assert took(2_400) < 10 * took(600)


def test_what_was_loaded_twice_is_one_call() -> None:
    call = {"action": "a", "call": "c1", "values": {"x": 1}}
    (one,) = transcripts_of(
        [
            turn(1, actions=[call]),
            turn(2, actions=[call]),
            turn(3, actions=[{**call, "values": {"x": 2}}]),
            turn(4, actions=called("b")),
            turn(5, actions=called("c")),
            turn(6, actions=called("b")),
        ]
    )

    assert [(event.action, event.calls) for event in one.events] == [("a", 2), ("b", 1), ("c", 1), ("b", 1)]


def test_calls_in_a_row_are_one_step_unless_somebody_spoke_between() -> None:
    (one,) = transcripts_of(
        [
            turn(1, actions=called("a", success=False)),
            turn(2, actions=called("a", success=True)),
            turn(3, speaker="Ana", text="Again, please"),
            turn(4, actions=called("a", "b")),
        ]
    )

    assert [(event.action, event.calls, event.success) for event in one.events] == [
        ("a", 2, True),
        ("a", 1, None),
        ("b", 1, None),
    ]
    assert [(request.before, request.text) for request in one.requests] == [(1, "Again, please")]
    assert one.asked(0) is None
    assert one.asked(2) == one.requests[0]


def test_somebody_speaks_between_calls_of_a_long_session() -> None:
    turns = []
    for number in range(0, 60, 3):
        turns.append(turn(number, speaker="Ana", text="Again, please"))
        turns.append(turn(number + 1, actions=called("a", success=False)))
        turns.append(turn(number + 2, actions=called("a", success=True)))
    (one,) = transcripts_of(turns)

    assert [event.calls for event in one.events] == 20 * [2]
    assert [request.before for request in one.requests] == [*range(20)]


def test_turns_of_one_time_come_in_the_order_of_their_ids() -> None:
    turns = [
        TranscriptTurn("m10", "s", 5, "tool", "", {"outcomes": [{"success": False}]}),
        TranscriptTurn("m9", "s", 5, "assistant", "", {"actions": called("a")}),
    ]
    (one,) = transcripts_of(turns)

    assert [(event.action, event.success) for event in one.events] == [("a", False)]


def test_turns_without_a_session_are_parted_by_pauses() -> None:
    turns = [
        turn(1, None, actions=called("a")),
        TranscriptTurn("t2", None, 2 * HOUR, "Ana", "Hello", {}),
        TranscriptTurn("t3", None, 2 * HOUR + 5, "assistant", "", {"actions": called("b")}),
        TranscriptTurn("t4", "s", 3, "assistant", "", {"actions": called("c")}),
    ]

    found = transcripts_of(reversed(turns))

    assert sorted(one.actions for one in found) == [("a",), ("b",), ("c",)]


def test_only_people_ask() -> None:
    (one,) = transcripts_of(
        [
            turn(1, speaker="system", text="Be nice"),
            turn(2, speaker="assistant", text="What now?"),
            turn(3, speaker="user", text="Do it"),
            turn(4, actions=called("a")),
        ]
    )

    assert [request.id for request in one.requests] == ["t3"]


_METADATA = st.fixed_dictionaries(
    {},
    optional={
        "actions": st.lists(
            st.fixed_dictionaries(
                {"action": st.sampled_from("ab")}, optional={"call": st.sampled_from("xyz")}
            ),
            max_size=3,
        ),
        "outcomes": st.lists(
            st.fixed_dictionaries({"success": st.booleans()}, optional={"call": st.sampled_from("xyz")}),
            max_size=3,
        ),
    },
)


@PROFILE
@given(
    st.lists(st.tuples(st.sampled_from(["s", "t", None]), st.integers(0, 3 * HOUR), _METADATA), max_size=12)
)
def test_no_call_is_lost_or_doubled(parts: list[tuple[str | None, int, dict[str, Any]]]) -> None:
    turns = [
        TranscriptTurn(f"t{i}", session, at, "Ana", "text", metadata)
        for i, (session, at, metadata) in enumerate(parts)
    ]

    found = transcripts_of(turns)

    actions = [action for _, _, metadata in parts for action in metadata.get("actions", ())]
    counted = sum(event.calls for one in found for event in one.events)
    assert sum("call" not in action for action in actions) <= counted <= len(actions)
    for one in found:
        assert all(0 <= request.before <= len(one.events) for request in one.requests)
        assert all(event.turns for event in one.events)
    learn(found, Mining(least=2))


def learnt(sessions: list[Transcript]) -> Any:
    (one,) = learn(sessions)
    return one


def steps(*runs: dict[str, Any]) -> list[dict[str, str]]:
    """Arguments of the second step of runs, whose first one gets them under `first`, and whose request is `asked`."""
    found = []
    for number, run in enumerate(runs):
        turns = [
            TranscriptTurn(f"{number}a", f"s{number}", 0, "Ana", run.get("asked", "Do it"), {}),
            TranscriptTurn(f"{number}b", f"s{number}", 1, "assistant", "", {"actions": [_action("one",
            run.get("first", {}))]}), TranscriptTurn(f"{number}c", f"s{number}", 2, "tool", run.get("said", ""),
            {"outcomes": [{"success": True}]}), TranscriptTurn(f"{number}d", f"s{number}", 3, "assistant", "",
            {"actions": [_action("two", run["second"])]}),
        ]  # fmt: skip
        found += transcripts_of(turns)
    return [dict(step.arguments) for step in learnt(found).steps]


def _action(name: str, values: dict[str, Any]) -> dict[str, Any]:
    shape = {key: "number" if isinstance(value, int) else "text" for key, value in values.items()}
    return {"action": name, "arguments": shape, "values": {k: v for k, v in values.items() if v != "long"}}


def test_arguments_that_are_always_the_same_are_written_down() -> None:
    assert steps(*({"second": {"region": "eu"}} for _ in range(3)))[1] == {"region": '= "eu"'}


def test_arguments_come_from_earlier_steps_results_and_requests() -> None:
    runs = [
        {
            "asked": f"Take {i}00 to Oslo",
            "first": {"weight": i * 100, "x": "same"},
            "said": f"ticket T-{i}",
            "second": {"kilos": i * 100, "ticket": f"T-{i}", "other": f"o{i}"},
        }
        for i in range(1, 5)
    ]

    first, second = steps(*runs)

    assert first == {"weight": "as asked", "x": '= "same"'}
    assert second == {"kilos": "weight of step 1", "ticket": "result of step 1", "other": "text"}


def test_arguments_that_are_rare_or_unknown() -> None:
    runs = [{"second": {"body": "long", **({"rare": i} if i == 1 else {})}} for i in range(1, 5)]

    assert steps(*runs)[1] == {"body": "text"}


def test_short_values_are_not_looked_for_in_texts() -> None:
    runs = [{"asked": "1 2 3 4", "second": {"n": i}} for i in range(1, 5)]

    assert steps(*runs)[1] == {"n": "number"}


def test_names_are_readable() -> None:
    assert readable("cancelOrder") == readable("cancel_order") == readable("Cancel-Order") == "cancel order"
    assert readable("___") == "___"


def test_the_support_of_these_tests_makes_what_it_says() -> None:
    assert len(cancel_order(1)["messages"]) == 7
    assert len(session("s", "a", "!b")["messages"]) == 4
