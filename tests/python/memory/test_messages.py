"""The shapes of input that `Memory.add` takes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from memspan import errors
from memspan.records import Record
from memspan.remember.input.messages import to_drafts
from memspan.times import to_micros


def records(messages: Any, **options: Any) -> list[Record]:
    defaults: dict[str, Any] = {
        "user": "ana", "at": None, "session": None, "metadata": None, "tags": (), "kind": "episodic",
    }  # fmt: skip
    return [draft.record for draft in to_drafts(messages, **{**defaults, **options})]


def seconds(found: list[Record], start: str = "2023-05-08") -> list[float]:
    return [(to_micros(record.at) - to_micros(start)) / 1e6 for record in found]


def test_a_text() -> None:
    (record,) = records("hello", session="s", metadata={"a": 1}, tags=["Big Plan"], kind="semantic")
    assert (record.text, record.speaker, record.session, record.kind) == ("hello", None, "s", "semantic")
    assert (record.metadata, record.tags) == ({"a": 1}, ("big_plan",))


def test_chat_completion_messages() -> None:
    found = records(
        [
            {"role": "system", "content": "Be nice"},
            {
                "role": "user",
                "name": "Ana",
                "content": [{"type": "text", "text": "Look"}, {"type": "image_url"}],
            },
            {"role": "assistant", "content": None, "tool_calls": [{"id": "call"}]},
            {"role": "tool", "tool_call_id": "call", "content": "42"},
            {"role": "assistant", "content": "Nice", "refusal": None, "annotations": []},
        ]
    )
    assert [(record.speaker, record.text) for record in found] == [
        ("system", "Be nice"),
        ("Ana", "Look"),
        ("tool", "42"),
        ("assistant", "Nice"),
    ]


@pytest.mark.parametrize("words", [[], [{"type": "text", "text": " "}]])
@pytest.mark.parametrize("kind", ["image_url", "input_image", "image", "input_audio"])
def test_a_picture_alone_is_left_out_and_keeps_nothing_else_away(
    kind: str, words: list[dict[str, str]]
) -> None:
    picture = {"role": "user", "content": [*words, {"type": kind, kind: {"url": "data:"}}]}
    found = records([{"role": "user", "content": "Look"}, picture, {"role": "assistant", "content": "Nice"}])
    assert [record.text for record in found] == ["Look", "Nice"]
    for told in ({"images": ["a sloop"]}, {"metadata": {"images": ["a sloop"]}}):
        (shown,) = records({**picture, **told})
        assert shown.metadata["images"] == ["a sloop"]
    assert records(picture) == []


def test_what_is_written_beside_a_picture_or_sound_is_kept() -> None:
    sloop = {"type": "image_url", "image_url": {"url": "data:", "caption": "a sloop"}}
    found = records(
        [
            {
                "role": "user",
                "content": [sloop, {"type": "image", "caption": "a quay"}],
                "images": ["a quay"],
            },
            {"role": "user", "content": [{"type": "input_audio", "transcript": "When does it leave?"}]},
            {"role": "assistant", "content": None, "audio": {"id": "a", "transcript": "On Friday."}},
            {"role": "assistant", "content": "At nine.", "audio": {"id": "b", "transcript": "At 9."}},
        ]
    )
    assert found[0].metadata["images"] == ["a quay", "a sloop"]
    assert [record.text for record in found] == ["", "When does it leave?", "On Friday.", "At nine."]


@pytest.mark.parametrize("content", [[], [{"type": "file"}], [{"type": "text", "txt": "Look"}], ""])
def test_a_message_that_may_say_something_is_refused(content: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=r"messages\[1\]\.text: got ''"):
        records([{"role": "user", "content": "Look"}, {"role": "user", "content": content}])


def test_a_speaker_goes_before_a_name_and_a_role() -> None:
    (record,) = records({"speaker": "Bo", "name": "b", "role": "user", "text": "x"})
    assert record.speaker == "Bo"


def test_one_message_and_mixed_lists() -> None:
    assert [record.text for record in records(["a", {"text": "b"}])] == ["a", "b"]
    assert [record.text for record in records({"text": "b"})] == ["b"]
    assert [record.text for record in records(("a", "b"))] == ["a", "b"]


def test_messages_follow_each_other_by_a_second() -> None:
    assert seconds(records(["a", "b", "c"], at="2023-05-08")) == [0, 1, 2]
    later = [{"text": "a"}, {"text": "b", "at": "2023-05-08T01:00:00"}, {"text": "c"}]
    assert seconds(records(later, at="2023-05-08")) == [0, 3600, 3601]


def test_messages_between_two_times_stay_between_them() -> None:
    near = [{"text": "a", "at": "2023-05-08"}, "b", "c", {"text": "d", "at": "2023-05-08T00:00:00.9"}, "e"]
    assert seconds(records(near)) == [0, 0.3, 0.6, 0.9, 1.9]
    assert seconds(records(near[1:], at="2023-05-08")) == [0, 0.45, 0.9, 1.9]
    back = [{"text": "a", "at": "2023-05-08"}, "b", {"text": "c", "at": "2023-05-07T23:59:59"}, "d"]
    assert seconds(records(back)) == [0, 1, -1, 0]


def test_messages_before_the_first_time_precede_it() -> None:
    assert seconds(records(["a", "b", {"text": "c", "at": "2023-05-08"}, "d"])) == [-2, -1, 0, 1]


@pytest.mark.parametrize(
    ("messages", "at", "position"),
    [
        (["x", "y"], "9999-12-31T23:59:59.999999", 1),
        (["x", "y", "z"], "9999-12-31T23:59:58.5", 2),
        ([{"text": "x", "at": "9999-12-31T23:59:59.5"}, "y"], None, 1),
        (["x", {"text": "y", "at": "0001-01-01"}], None, 0),
        (["x", "y", {"text": "z", "at": "0001-01-01T00:00:01"}], None, 0),
    ],
)
def test_times_that_follow_from_others_stay_within_the_calendar(
    messages: Any, at: str | None, position: int
) -> None:
    with pytest.raises(errors.TimeError, match=rf"^messages\[{position}\]\['at'\]: got .*years 1-9999"):
        records(messages, at=at)


def test_the_first_and_the_last_moment_of_the_calendar() -> None:
    last = ["x", {"text": "y", "at": "9999-12-31T23:59:59.999999"}]
    assert [record.at.year for record in records(last)] == [9999, 9999]
    assert [record.at.year for record in records([{"text": "x", "at": "0001-01-01"}, "y"])] == [1, 1]


def test_without_any_time_it_is_now_and_in_order() -> None:
    found = records(["a", "b", "c"])
    drafts = to_drafts("x", user="ana", at=None, session=None, metadata=None, tags=(), kind="episodic")
    assert not drafts[0].dated
    assert found[0].at < found[1].at < found[2].at < drafts[0].record.at
    assert found[2].at - found[0].at == timedelta(microseconds=2)


def test_sessions_as_mappings() -> None:
    found = records(
        [
            {"session": "s1", "at": "2023-05-08", "tags": ["x"], "messages": ["a", "b"]},
            {
                "messages": [{"text": "c", "id": "m3", "session": "own", "metadata": {"b": 2}}],
                "metadata": {"a": 1},
            },
        ],
        at="2023-05-09",
        tags=["y"],
        metadata={"c": 3},
    )
    assert [record.session for record in found] == ["s1", "s1", "own"]
    assert seconds(found) == [0, 1, 86400]
    assert [record.tags for record in found] == [("y", "x"), ("y", "x"), ("y",)]
    assert found[2].metadata == {"a": 1, "b": 2, "c": 3}


def test_one_session_as_a_mapping() -> None:
    assert [record.session for record in records({"session": "s", "messages": ["a", "b"]})] == ["s", "s"]


def test_texts_are_no_roles() -> None:
    assert [record.text for record in records([("we met", "a user"), ("user", "of it", "hi")])] == [
        "we met", "a user", "user", "of it", "hi"
    ]  # fmt: skip


def test_sessions_as_lists_get_names_that_last() -> None:
    given = [[{"id": "m1", "text": "a"}, {"text": "b"}], [{"id": "m3", "text": "c"}]]
    first, second = records(given), records(given)
    assert [record.session for record in first] == ["m1", "m1", "m3"]
    assert [record.session for record in second] == ["m1", "m1", "m3"]
    unnamed = records([["a", "b"], ["c"]])
    assert unnamed[0].session == unnamed[1].session != unnamed[2].session


def test_image_captions() -> None:
    (record,) = records({"text": "", "images": ["a tent", "a lake"]})
    assert record.metadata == {"images": ["a tent", "a lake"]}
    (record,) = records({"text": "x", "images": "a tent"})
    assert record.metadata == {"images": ["a tent"]}
    (record,) = records({"text": "x", "metadata": {"images": 3}})
    assert record.metadata == {"images": 3}


def test_captions_beside_metadata_of_that_name() -> None:
    (record,) = records({"text": "x", "images": ["a", "a"], "metadata": {"images": ["b", "a"]}})
    assert record.metadata == {"images": ["a", "a", "b"]}
    (record,) = records({"text": "x", "images": ["a"]}, metadata={"images": ["b"], "place": "Rome"})
    assert record.metadata == {"images": ["a", "b"], "place": "Rome"}
    (record,) = records({"text": "x", "images": ["a"], "metadata": {"images": None}})
    assert record.metadata == {"images": ["a"]}
    for own in (3, {"count": 2}, [{"url": "x"}]):
        with pytest.raises(
            errors.InvalidArgumentError, match=r"\['images'\]: .*something else under 'images'"
        ):
            records({"text": "x", "images": ["a"], "metadata": {"images": own}})


def test_half_emoji_are_replaced_in_texts_and_refused_in_names() -> None:
    (record,) = records("wave \ud83d and \ud83d\ude00")
    assert record.text == "wave \ufffd and \U0001f600"
    with pytest.raises(errors.InvalidArgumentError, match="lone surrogates"):
        records({"text": "x", "id": "\ud83d"})


@pytest.mark.parametrize(
    ("messages", "place"),
    [
        (7, "messages"),
        (None, "messages"),
        (b"bytes", "messages"),
        ("  ", "messages.text"),
        (["a", None], r"messages\[1\]"),
        (["a", ["b"]], r"messages\[0\]: .*session"),
        ([("user", "hi"), ("ai", "hello")], r"messages\[0\]: .*role.*content"),
        (("Human", "hi"), r"messages: .*role.*content"),
        ([{"text": "a", "content": "b"}], r"messages\[0\]: .*either"),
        ([{"text": 7}], r"messages\[0\]\['text'\]"),
        ([{"text": "x", "at": "soon"}], r"messages\[0\]\['at'\]"),
        ([{"text": "x", "at": True}], r"messages\[0\]\['at'\]"),
        ([{"text": "x", "id": ""}], r"messages\[0\]\.id"),
        ([{"text": "x", "id": 7}], r"messages\[0\]\.id"),
        ([{"text": "x", "id": "i" * 513}], r"messages\[0\]\.id"),
        ([{"text": "x", "tags": "single"}], r"messages\[0\]\['tags'\]"),
        ([{"text": "x", "tags": ["__"]}], r"messages\[0\]\.tags\[0\]"),
        ([{"text": "x", "tags": [f"t{i}" for i in range(65)]}], r"messages\[0\]\.tags"),
        ([{"text": "x", "metadata": {"a": float("nan")}}], r"messages\[0\]\['metadata'\]\['a'\]"),
        ([{"text": "x", "metadata": {1: 2}}], r"messages\[0\]\['metadata'\]"),
        ([{"text": "x", "metadata": {"a": object()}}], r"messages\[0\]\['metadata'\]\['a'\]"),
        ([{"text": "x", "metadata": "a"}], r"messages\[0\]\['metadata'\]"),
        ([{"text": "x", "at": "2023", "until": "2022"}], r"messages\[0\]\.until"),
        ([{"text": "x", "importance": 2}], r"messages\[0\]\.importance"),
        ([{"text": "x", "fidelity": 0}], r"messages\[0\]\.fidelity"),
        ([{"text": "x", "kind": "odd"}], r"messages\[0\]\.kind"),
        ([{"text": "x" * (4 << 20)}], r"messages\[0\]\.text"),
        ([{"messages": "text"}], r"messages\[0\]\['messages'\]"),
        ([{"messages": ["a"], "extra": 1}], r"messages\[0\]\['extra'\]"),
        ([{"messages": [{"text": ""}]}], r"messages\[0\]\['messages'\]\[0\]\.text"),
    ],
)
def test_bad_messages_are_named(messages: Any, place: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=f"^{place}"):
        records(messages)


class Missing:
    """As pandas' `NA`: neither equal to anything nor different, which it says by raising."""

    def __eq__(self, other: object) -> Any:
        return self

    def __hash__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        raise TypeError("boolean value of NA is ambiguous")


def test_a_session_that_is_missing_in_a_data_frame_is_named() -> None:
    with pytest.raises(errors.InvalidArgumentError, match=r"^session: got "):
        records("x", session=Missing())
    with pytest.raises(errors.InvalidArgumentError, match=r"^messages\[0\].*session: got "):
        records({"text": "x", "session": Missing()})


def test_deep_metadata() -> None:
    deep: Any = "x"
    for _ in range(40):
        deep = {"a": deep}
    with pytest.raises(errors.InvalidArgumentError, match="nested at most"):
        records({"text": "x", "metadata": deep})


def test_tool_calls_and_results_are_turns_that_tell_what_was_done() -> None:
    call = {"id": "c1", "function": {"name": "find", "arguments": '{"city": "Oslo"}'}}
    found = records(
        [
            {"role": "user", "content": "Find me something in Oslo"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "Error: no such city"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c2", "name": "look", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c2", "content": "4 hits"}]},
            {"type": "function_call", "call_id": "c3", "name": "book", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c3", "output": ""},
        ]
    )

    assert [(record.speaker, record.text, record.metadata) for record in found[1:]] == [
        ("assistant", 'find(city="Oslo")', {
            "actions": [
                {"action": "find", "arguments": {"city": "text"}, "values": {"city": "Oslo"}, "call": "c1"}
            ],
        }),
        ("tool", "Error: no such city", {"outcomes": [{"call": "c1", "success": False}]}),
        ("assistant", "look()", {"actions": [{"action": "look", "call": "c2"}]}),
        ("tool", "4 hits", {"outcomes": [{"call": "c2", "success": True}]}),
        ("assistant", "book()", {"actions": [{"action": "book", "call": "c3"}]}),
    ]  # fmt: skip


def test_what_packages_and_servers_write_is_taken_as_it_is() -> None:
    """The fields are those of `model_dump()` of OpenAI's package, and of servers that tell what their model thought."""
    unset = {"id": None, "status": None, "async_": None, "caller": None, "namespace": None}
    text = {"type": "output_text", "text": "Sunny.", "annotations": [], "logprobs": None}
    found = records(
        [
            {"role": "user", "content": "What is the weather?"},
            {"type": "reasoning", "id": "rs1", "summary": [], "content": None, "encrypted_content": None},
            {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}", **unset},
            {"type": "function_call_output", "call_id": "c1", "output": "sun", **unset},
            {"type": "custom_tool_call", "call_id": "c2", "name": "shell", "input": "ls", "namespace": None},
            {"type": "custom_tool_call_output", "call_id": "c2", "output": "a.txt"},
            {"type": "message", "role": "assistant", "content": [text], "status": "completed", "phase": None},
            {"role": "assistant", "content": "Yes.", "reasoning_content": "Sun it is.", "refusal": None},
        ]
    )

    assert [(record.speaker, record.text) for record in found] == [
        ("user", "What is the weather?"),
        ("assistant", "weather()"),
        ("tool", "sun"),
        ("assistant", 'shell("ls")'),
        ("tool", "a.txt"),
        ("assistant", "Sunny."),
        ("assistant", "Yes."),
    ]
    assert [list(record.metadata) for record in found[1:5]] == [["actions"], ["outcomes"]] * 2


@pytest.mark.parametrize("content", [None, "", []])
@pytest.mark.parametrize("field", ["reasoning", "reasoning_content", "reasoning_details", "refusal"])
def test_what_only_thinks_is_left_out(content: Any, field: str) -> None:
    thought = {"role": "assistant", "content": content, field: "Sun it is."}
    assert records([thought]) == []
    assert [record.text for record in records(["How is it?", thought, "Well?"])] == ["How is it?", "Well?"]
    with pytest.raises(errors.InvalidArgumentError, match="not blank"):
        records([thought | {field: None}])


@pytest.mark.parametrize(
    "part",
    [
        {"type": "thinking", "thinking": "Sun it is.", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "refusal", "refusal": "No."},
        {"type": "reasoning", "text": "Sun it is."},
        {"text": "Sun it is.", "thought": True},
    ],
)
def test_parts_that_think_are_left_out(part: dict[str, Any]) -> None:
    assert records({"role": "assistant", "content": [part]}) == []
    (record,) = records({"role": "assistant", "content": [part, {"type": "text", "text": "Sunny."}]})
    assert record.text == "Sunny."


def test_a_speaker_that_is_named_stays_when_a_message_holds_results_only() -> None:
    content = [{"type": "tool_result", "tool_use_id": "c", "content": "4 hits"}]
    (record,) = records({"role": "user", "name": "Ana", "content": content})
    assert record.speaker == "Ana"


def test_metadata_of_the_callers_own_stays_beside_actions() -> None:
    (record,) = records(
        {"content": "", "function_call": {"name": "f"}, "metadata": {"a": 1}}, metadata={"b": 2}
    )
    assert record.metadata == {"a": 1, "b": 2, "actions": [{"action": "f"}]}


class Dumped(BaseModel, extra="allow"):
    """Stands for the objects of a model's package."""


def test_an_object_of_a_models_package_says_how_it_becomes_a_message() -> None:
    message = Dumped(role="assistant", content="Noted.")  # type: ignore[call-arg]
    for messages, place in ((message, "messages"), ([message], r"messages\[0\]")):
        with pytest.raises(
            errors.InvalidArgumentError, match=rf"^{place}: got .*; of this object, its `model_dump"
        ):
            records(messages)
    assert [record.text for record in records([message.model_dump()])] == ["Noted."]


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "human", "content": "Noted.", "additional_kwargs": {}, "response_metadata": {}},
        {"role": "assistant", "content": [{"type": "text", "text": "Noted."}], "stop_reason": "end_turn"},
        {"role": "user", "parts": [{"text": "Noted."}]},
    ],
)
def test_an_object_whose_fields_are_no_messages_is_not_sent_from_one_error_to_the_next(fields: Any) -> None:
    message = Dumped(**fields)
    for messages in (message, [message]):
        with pytest.raises(errors.InvalidArgumentError) as refused:
            records(messages)
        assert "model_dump" not in str(refused.value)
        assert str(refused.value).endswith(
            '; of this object, {"role": ..., "content": ...} with what is said'
        )
    with pytest.raises(errors.InvalidArgumentError, match="a message has"):
        records([message.model_dump()])


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "message", "role": "assistant", "status": "completed", "content": "Noted."},
        {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}"},
        {"type": "reasoning", "id": "r1", "summary": []},
    ],
)
def test_an_object_of_the_responses_interface_is_taken_as_its_dump(fields: Any) -> None:
    item = Dumped(**fields)
    with pytest.raises(errors.InvalidArgumentError, match=r"of this object, its `model_dump\(\)`"):
        records([item])
    records([item.model_dump()])


CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
SAID = {"type": "text", "text": "Sunny."}
USED = {"type": "tool_use", "id": "c1", "name": "weather", "input": {}}


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ({"content": "Let me look.", "tool_calls": [Dumped(**CALL)]}, "['tool_calls'][0]"),
        ({"content": None, "tool_calls": [CALL, Dumped(**CALL)]}, "['tool_calls'][1]"),
        (
            {"tool_calls": [{"id": "c1", "function": Dumped(**CALL["function"])}]},
            "['tool_calls'][0]['function']",
        ),
        ({"content": "", "function_call": Dumped(**CALL["function"])}, "['function_call']"),
        ({"content": [Dumped(**SAID)]}, "['content'][0]"),
        ({"content": [SAID, Dumped(**USED)]}, "['content'][1]"),
        (
            {"content": [{"type": "tool_result", "tool_use_id": "c1", "content": [Dumped(**SAID)]}]},
            "['content'][0]['content'][0]",
        ),
        ({"content": (SAID,)}, "['content']"),
        ({"content": ["Look", b"Look"]}, "['content'][1]"),
    ],
)
def test_parts_that_are_objects_are_refused_and_not_lost(message: dict[str, Any], place: str) -> None:
    with pytest.raises(errors.InvalidArgumentError) as refused:
        records([{"role": "assistant", **message}])
    assert str(refused.value).startswith(f"messages[0]{place}: got ")
    assert ("its `model_dump()`" in str(refused.value)) == ("Dumped" in repr(message))


def test_parts_of_no_use_are_passed_over() -> None:
    deep: Any = [SAID]
    for _ in range(5000):
        deep = [deep]
    (record,) = records({"role": "user", "content": [None, 5, 1.5, True, deep, {"content": None}, "Look"]})
    assert record.text == "Look"
