"""OpenAI-style chats in all the shapes that files have."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from memspan.errors import FormatError
from memspan.formats import alone, detect, read_turns

WriteJson = Callable[..., Path]

HELLO = {"role": "user", "content": "Hello."}
BYE = {"role": "assistant", "content": "Bye."}


def test_a_conversation_gives_session_times_names_and_captions(sample_file: Callable[[str], Path]) -> None:
    first, second = read_turns(sample_file("chat"), user="ana")
    assert (first.user, first.session, first.speaker, first.id) == ("ana", "talk-1", "Ansel", None)
    assert first.at == datetime(2024, 6, 1, 9, 59, 58, tzinfo=timezone.utc)
    assert first.position.endswith("chat.jsonl:1: messages[1]")
    assert (second.text, second.images, second.tags) == ("A fine name.", ("a sloop at anchor",), ("boats",))
    assert second.at == datetime.fromtimestamp(1717236000, timezone.utc)


@pytest.mark.parametrize("document", [False, True])
@pytest.mark.parametrize(
    ("value", "sessions"),
    [
        ([HELLO, BYE], [None, None]),
        ([{"messages": [HELLO], "session": "a"}, {"messages": [BYE], "id": 2}], ["a", "2"]),
    ],
)
def test_the_same_messages_in_any_layout(
    write_json: WriteJson, value: Any, sessions: list[str | None], document: bool
) -> None:
    turns = list(read_turns(write_json(value, document=document), user="ana"))
    assert [turn.text for turn in turns] == ["Hello.", "Bye."]
    assert [turn.session for turn in turns] == sessions
    assert [turn.at for turn in turns] == [None, None]


def test_what_was_spoken_is_read_by_its_transcript(write_json: WriteJson) -> None:
    asked = {"role": "user", "content": [{"type": "input_audio", "transcript": "When does it leave?"}]}
    answered = {"role": "assistant", "content": None, "audio": {"id": "a", "transcript": "On Friday."}}
    turns = list(read_turns(write_json([asked, answered]), user="ana"))
    assert [turn.text for turn in turns] == ["When does it leave?", "On Friday."]


def test_conversations_without_a_name_are_sessions_of_their_own(write_json: WriteJson) -> None:
    value = [{"messages": [HELLO, BYE]}, {"messages": [HELLO, BYE]}]
    sessions = [turn.session for turn in read_turns(write_json(value), user="ana")]
    assert all(sessions)
    assert sessions[0] == sessions[1] != sessions[2] == sessions[3]


def test_a_conversation_without_a_name_has_that_of_its_first_message(write_json: WriteJson) -> None:
    value = {"messages": [HELLO | {"id": "m1"}, BYE | {"id": "m2"}]}
    turns = list(read_turns(write_json(value), user="ana"))
    assert [(turn.session, turn.id) for turn in turns] == [("m1", "m1"), ("m1", "m2")]


@pytest.mark.parametrize("content", [None, "", []])
def test_the_text_counts_where_the_content_is_empty(write_json: WriteJson, content: Any) -> None:
    message = {"role": "user", "content": content, "text": "Hello."}
    (turn,) = read_turns(write_json([message]), user="ana", format="chat")
    assert turn.text == "Hello."


def seconds(turns: list[Any]) -> list[float | None]:
    start = datetime(2024, 1, 1, tzinfo=timezone.utc)
    return [None if turn.at is None else (turn.at - start).total_seconds() for turn in turns]


@pytest.mark.parametrize(
    ("conversation", "expected"),
    [
        ({}, [-2, -1, 0, 1e-6, 2e-6, 60]),
        ({"at": "2023-12-31T23:00:00Z"}, [-3600, -3599, 0, 1e-6, 2e-6, 60]),
        ({"at": "2023-12-31T23:59:59Z"}, [-2, -1, 0, 1e-6, 2e-6, 60]),
        ({"at": "2024-06-01"}, [-2, -1, 0, 1e-6, 2e-6, 60]),
    ],
)
def test_messages_without_a_time_stay_in_their_place(
    write_json: WriteJson, conversation: dict[str, Any], expected: list[float]
) -> None:
    timed = {"at": "2024-01-01T00:00:00Z"}, {"timestamp": 1704067260}
    messages = [HELLO, BYE, HELLO | timed[0], BYE, HELLO, BYE | timed[1]]
    turns = list(read_turns(write_json(conversation | {"messages": messages}), user="ana"))
    assert seconds(turns) == expected


@pytest.mark.parametrize("field", ["timestamp", "created_at", "createdAt", "create_time"])
@pytest.mark.parametrize("value", [1704067260.0, 1704067260000, 1704067260000000, "2024-01-01T00:01:00Z"])
def test_the_fields_in_which_programs_write_times(
    write_json: WriteJson, field: str, value: str | float
) -> None:
    timed = {"messages": [HELLO | {field: value}, BYE | {field: None}]}
    assert seconds(list(read_turns(write_json(timed), user="ana"))) == [60, 60.000001]
    assert seconds(list(read_turns(write_json({field: value, "messages": [HELLO]}), user="ana"))) == [60]


def test_messages_alone_follow_those_of_their_user_and_session(write_json: WriteJson) -> None:
    at = "2024-01-01T00:00:00Z"
    lines = [
        HELLO | {"at": at, "user": "mo"},
        HELLO | {"user": "zoe"},
        BYE | {"user": "mo"},
        BYE | {"user": "mo", "session": "later"},
        HELLO | {"at": at, "user": "mo"},
    ]
    assert seconds(list(read_turns(write_json(*lines)))) == [0, 1e-6, 2e-6, None, None]


@pytest.mark.parametrize("alone", [False, True])
def test_messages_without_a_time_lie_between_those_that_have_one(write_json: WriteJson, alone: bool) -> None:
    """Also where these are less than a second apart, as those of programs are."""
    times = ("2024-01-01T00:00:00.25Z", None, None, "2024-01-01T00:00:00.5Z")
    messages = [HELLO | {"at": at} for at in times]
    value = messages if alone else {"messages": messages}
    found = seconds(list(read_turns(write_json(value), user="ana")))
    assert found == [0.25, 0.250001, 0.250002, 0.5]


def test_messages_alone_before_the_first_time_precede_it(write_json: WriteJson) -> None:
    at = "2024-01-01T00:00:00Z"
    lines = [
        HELLO | {"user": "mo"},
        BYE | {"user": "zoe"},
        BYE | {"user": "mo"},
        HELLO | {"at": at, "user": "mo"},
        BYE | {"user": "mo"},
    ]
    turns = list(read_turns(write_json(*lines)))
    assert seconds([turn for turn in turns if turn.user == "mo"]) == [-2, -1, 0, 1e-6]
    assert seconds([turn for turn in turns if turn.user == "zoe"]) == [None]


@pytest.mark.parametrize("broken", [5, HELLO | {"at": "soon"}, HELLO | {"at": "2024-01-01", "role": 5.5}])
def test_messages_alone_that_wait_for_a_time_come_before_a_broken_line(
    write_json: WriteJson, broken: Any
) -> None:
    read = read_turns(write_json(HELLO, BYE, broken), user="ana")
    assert [next(read).text, next(read).text] == ["Hello.", "Bye."]
    with pytest.raises(FormatError, match=r":3: (got 5|at: got 'soon'|role: got 5\.5)"):
        next(read)


def test_no_more_than_some_messages_wait_for_a_time(
    write_json: WriteJson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alone, "_MOST", 2)
    timed = HELLO | {"at": "2024-01-01T00:00:00Z"}
    assert seconds(list(read_turns(write_json(HELLO, BYE, HELLO, timed), user="ana"))) == [
        None,
        None,
        None,
        0,
    ]


def test_nothing_before_the_first_moment(write_json: WriteJson) -> None:
    messages = [HELLO, BYE | {"at": "0001-01-01T00:00:00Z"}]
    first, _ = read_turns(write_json({"messages": messages}), user="ana")
    assert first.at == datetime.min.replace(tzinfo=timezone.utc)


def test_messages_alone_on_their_lines(write_json: WriteJson) -> None:
    at = "2024-01-01T00:00:00Z"
    lines = [HELLO | {"id": "m1", "at": at, "user": "mo"}, BYE | {"at": at}, HELLO | {"user": "zoe"}]
    turns = list(read_turns(write_json(*lines), user="mo"))
    assert [(turn.user, turn.id, turn.text) for turn in turns] == [
        ("mo", "m1", "Hello."),
        ("mo", None, "Bye."),
    ]
    assert turns[0].at is not None
    assert turns[1].at is not None
    assert turns[0].at < turns[1].at


def test_speaker_and_text_are_understood_too(write_json: WriteJson) -> None:
    path = write_json({"messages": [{"speaker": "Mo", "text": "Hi", "images": ["a door"], "kind": "vault"}]})
    (turn,) = read_turns(path, user="ana")
    assert (turn.speaker, turn.text, turn.images, turn.kind) == ("Mo", "Hi", ("a door",), "vault")


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (
            {"content": "x"},
            r"messages\[0\]: the field 'role' is missing; accepted: a message with a role \(or speaker\)",
        ),
        ({"role": "user"}, "the field 'content' is missing"),
        ({"role": "user", "content": 5}, "content: got 5"),
        ({"role": "user", "content": ["x"]}, r"content\[0\]: got 'x'; accepted: an object"),
        ({"role": "user", "content": [{"type": "text", "text": 1}]}, r"content\[0\]\.text: got 1"),
        ({"role": ["user"], "content": "x"}, "role: got a list of 1"),
        ({"role": "user", "content": "x", "at": "soon"}, "at: got 'soon'"),
        (
            {"role": "user", "content": "x", "timestamp": 1e300},
            "timestamp: got 1e.300; accepted: seconds since 1970",
        ),
        ({"role": "user", "content": "x", "timestamp": True}, "timestamp: got True"),
        (
            {"role": "user", "content": "x", "timestamp": "1700000000"},
            "accepted: .* or a number of seconds since",
        ),
        ({"role": "user", "content": "x", "kind": "dream"}, "kind: got 'dream'; accepted: one of episodic"),
        ({"role": "user", "content": "x", "tags": "a"}, "tags: got 'a'; accepted: a list"),
        ({"role": "user", "content": "x", "metadata": []}, "metadata: got a list"),
        ({"role": "system", "content": "x", "until": 1.5}, "until: got 1.5"),
    ],
)
def test_a_broken_message_is_named(write_json: WriteJson, message: dict[str, Any], reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        list(read_turns(write_json({"messages": [message]}), user="ana"))


def test_tool_calls_and_results_are_turns(write_json: WriteJson) -> None:
    call = {"id": "c1", "function": {"name": "find", "arguments": '{"city": "Oslo"}'}}
    use = {"type": "tool_use", "id": "c2", "name": "look", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "c2", "content": [{"type": "text", "text": "4 hits"}]}
    path = write_json(
        {
            "messages": [
                HELLO,
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c1", "content": '{"error": "no such city"}'},
                {"role": "assistant", "content": [{"type": "text", "text": "Hm."}, use]},
                {"role": "user", "content": [result]},
                {"role": "tool", "tool_call_id": "c3", "content": ""},
                {"type": "reasoning", "id": "rs1", "summary": []},
            ]
        }
    )

    turns = list(read_turns(path, user="ana"))[1:]

    assert [(turn.speaker, turn.text) for turn in turns] == [
        ("assistant", 'find(city="Oslo")'),
        ("tool", '{"error": "no such city"}'),
        ("assistant", "Hm.\nlook()"),
        ("tool", "4 hits"),
    ]
    assert [list(turn.metadata) for turn in turns] == [["actions"], ["outcomes"], ["actions"], ["outcomes"]]
    assert turns[1].metadata["outcomes"] == [{"call": "c1", "success": False}]


@pytest.mark.parametrize(
    "thought",
    [{"type": "reasoning", "text": "Rain?"}, {"text": "Rain?", "thought": True}],
    ids=["type", "flag"],
)
def test_what_a_model_thought_was_not_said(write_json: WriteJson, thought: dict[str, Any]) -> None:
    answer = {"role": "assistant", "content": [thought, {"type": "text", "text": "Sunny."}]}
    messages = [HELLO, answer, {"role": "assistant", "content": [thought]}]
    turns = list(read_turns(write_json({"messages": messages}), user="ana"))
    assert [turn.text for turn in turns] == ["Hello.", "Sunny."]


@pytest.mark.parametrize(
    "messages",
    [
        [
            {"id": "1", "role": "user", "parts": [{"type": "text", "text": "Hello."}]},
            {
                "id": "2",
                "role": "assistant",
                "parts": [{"type": "step-start"}, {"type": "reasoning", "text": "Hm."}, {"text": "Bye."}],
            },
        ],
        [{"role": "user", "parts": [{"text": "Hello."}]}, {"role": "model", "parts": [{"text": "Bye."}]}],
    ],
    ids=["AI SDK", "Google"],
)
@pytest.mark.parametrize("alone", [False, True])
def test_parts_stand_for_the_content(write_json: WriteJson, messages: list[Any], alone: bool) -> None:
    path = write_json(messages if alone else {"messages": messages})
    turns = list(read_turns(path, user="ana"))
    assert detect(path) == "chat"
    assert [(turn.speaker, turn.text) for turn in turns] == [
        ("user", "Hello."),
        (messages[1]["role"], "Bye."),
    ]


def test_numbers_of_messages_belong_to_their_conversation(write_json: WriteJson) -> None:
    """Conversations that each count from 1 would take the place of each other."""
    conversations = [
        {"id": "a", "messages": [HELLO | {"id": 1}, BYE | {"id": "2"}]},
        {"id": "b", "messages": [HELLO | {"id": 1}, BYE | {"id": "m2"}]},
    ]
    turns = read_turns(write_json(conversations), user="ana")
    assert [turn.id for turn in turns] == ["a:1", "a:2", "b:1", "m2"]


@pytest.mark.parametrize("number", [int, str])
def test_numbers_of_messages_belong_to_their_conversation_without_a_name_too(
    write_json: WriteJson, number: Callable[[int], Any]
) -> None:
    """Which has the same name when the file is read again: else its turns would be there twice."""
    said = [[HELLO, BYE], [HELLO, HELLO]]
    conversations = [
        {"messages": [each | {"id": number(count)} for count, each in enumerate(messages, 1)]}
        for messages in said
    ]
    path = write_json(conversations)
    turns = list(read_turns(path, user="ana"))
    first, other = turns[0].session, turns[2].session
    assert first
    assert other
    assert first != other
    assert [turn.session for turn in turns] == [first, first, other, other]
    assert [turn.id for turn in turns] == [f"{first}:1", f"{first}:2", f"{other}:1", f"{other}:2"]
    assert [turn.session for turn in read_turns(path, user="ana")] == [turn.session for turn in turns]


def test_numbers_of_messages_that_name_their_session_belong_to_it(write_json: WriteJson) -> None:
    messages = [HELLO | {"session": name, "id": 1} for name in "ab"]
    alone = list(read_turns(write_json(*messages), user="ana"))
    assert [(turn.session, turn.id) for turn in alone] == [("a", "a:1"), ("b", "b:1")]
    together = read_turns(write_json({"messages": messages}), user="ana")
    assert [turn.id for turn in together] == ["a:1", "b:1"]


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("number", [int, str])
def test_numbers_that_count_the_messages_of_a_file_say_nothing_of_the_next(
    write_json: WriteJson, number: Callable[[int], Any], lines: bool
) -> None:
    """A second file that counts from 1 would take the place of the first."""

    def ids(*said: dict[str, Any], first: int = 1) -> list[str | None]:
        messages = [each | {"id": number(count)} for count, each in enumerate(said, first)]
        path = write_json(*messages) if lines else write_json(messages)
        return [turn.id for turn in read_turns(path, user="ana")]

    one = ids(HELLO, BYE)
    assert [str(each)[:2] for each in one] == ["1-", "2-"]
    assert ids(HELLO, BYE, HELLO)[:2] == one
    other = ids(BYE, HELLO, HELLO | {"tool_calls": []})
    assert len({*one, *other}) == 5
    assert ids(HELLO, first=0) != ["0"]
    assert ids(HELLO, BYE, first=7) == ["7", "8"]


def test_a_users_numbers_count_by_themselves(write_json: WriteJson) -> None:
    messages = [
        HELLO | {"user": "ana", "id": 1},
        HELLO | {"user": "ben", "id": 40},
        HELLO | {"user": "ana", "id": 9},
        HELLO | {"user": "ana", "id": "m3"},
        HELLO | {"user": "ana", "id": 2, "session": "s"},
    ]
    path = write_json(*messages)
    [first, later, named, placed] = [str(turn.id) for turn in read_turns(path, user="ana")]
    assert first.startswith("1-")
    assert later.startswith("9-")
    assert (named, placed) == ("m3", "s:2")
    assert [turn.id for turn in read_turns(path, user="ben")] == ["40"]
