"""`conversations.json`, as ChatGPT and Claude export it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from memspan.errors import FormatError
from memspan.formats import detect, read_turns

WriteJson = Callable[..., Path]


def node(
    name: str, parent: str | None, role: str, content: Any, at: float | None, **more: Any
) -> dict[str, Any]:
    author = {"role": role, "name": None, "metadata": {}}
    message = {"id": f"m-{name}", "author": author, "create_time": at, "content": content, **more}
    return {name: {"id": name, "parent": parent, "children": [], "message": message}}


def text(*parts: Any) -> dict[str, Any]:
    return {"content_type": "text", "parts": list(parts)}


def chatgpt(**more: Any) -> dict[str, Any]:
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    heard = {"content_type": "audio_transcription", "text": "and the bus?"}
    nodes = (
        {"root": {"id": "root", "parent": None, "children": ["a"], "message": None}}
        | node("a", "root", "system", text(""), None)
        | node("b", "a", "user", {"content_type": "user_editable_context", "user_profile": "x"}, None)
        | node("c", "b", "user", text("Tell me of Rome."), 1704067200.0)
        | node("d", "b", "user", text("When does the ferry leave?", picture, heard), 1704067260.5)
        | node("e", "d", "assistant", {"content_type": "thoughts", "thoughts": []}, 1704067261.0)
        | node("f", "e", "assistant", {"content_type": "code", "text": "search('ferry')"}, 1704067262.0)
        | node("g", "f", "tool", {"content_type": "execution_output", "text": "24 August"}, None)
        | node("h", "g", "system", text("Be brief."), None, **hidden)
        | node("i", "h", "assistant", text("On the 24th."), 1704067264.0)
    )
    return {
        "title": "Ferry",
        "create_time": 1704067000.0,
        "mapping": nodes,
        "current_node": "i",
        "id": "c1",
        **more,
    }


CLAUDE = {
    "uuid": "c2",
    "name": "Ferry",
    "created_at": "2024-01-01T00:00:00.5Z",
    "account": {"uuid": "x"},
    "chat_messages": [
        {
            "uuid": "m1",
            "sender": "human",
            "text": "When?",
            "content": [],
            "created_at": "2024-01-01T00:00:01Z",
        },
        {
            "uuid": "m2",
            "sender": "assistant",
            "text": "On the 24th.",
            "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "On the 24th."}],
            "created_at": "2024-01-01T00:00:09Z",
        },
    ],
}


def second(at: datetime | None) -> float:
    assert at is not None
    return (at - datetime(2024, 1, 1, tzinfo=timezone.utc)).total_seconds()


@pytest.mark.parametrize("current", ["i", None, "gone"])
def test_the_branch_of_chatgpt_that_was_open_last(write_json: WriteJson, current: str | None) -> None:
    path = write_json([chatgpt(current_node=current)])

    turns = list(read_turns(path, user="ana"))

    assert detect(path) == "chat"
    assert [(turn.id, turn.speaker, turn.text, second(turn.at)) for turn in turns] == [
        ("m-d", "user", "When does the ferry leave?\nand the bus?", 60.5),
        ("m-f", "assistant", "search('ferry')", 62.0),
        ("m-g", "tool", "24 August", 62.000001),
        ("m-i", "assistant", "On the 24th.", 64.0),
    ]
    assert {turn.session for turn in turns} == {"c1"}


def test_claudes_messages_have_their_own_times(write_json: WriteJson) -> None:
    path = write_json([CLAUDE])

    turns = list(read_turns(path, user="ana"))

    assert detect(path) == "chat"
    assert [(turn.id, turn.session, turn.speaker, turn.text, second(turn.at)) for turn in turns] == [
        ("m1", "c2", "user", "When?", 1.0),
        ("m2", "c2", "assistant", "On the 24th.", 9.0),
    ]


def test_a_mapping_that_leads_in_circles_ends(write_json: WriteJson) -> None:
    nodes = node("a", "b", "user", text("One."), 1.0) | node("b", "a", "user", text("Two."), 2.0)
    turns = read_turns(write_json([{"mapping": nodes, "current_node": "b"}]), user="ana")
    assert [turn.text for turn in turns] == ["One.", "Two."]


def test_a_type_of_content_that_is_no_text_says_nothing(write_json: WriteJson) -> None:
    nodes = node("a", None, "user", text("One.") | {"content_type": {"name": "text"}}, 1.0)
    turns = read_turns(write_json([{"mapping": nodes, "current_node": "a"}]), user="ana")
    assert [turn.text for turn in turns] == ["One."]


@pytest.mark.parametrize(
    ("conversation", "reason"),
    [
        (chatgpt(mapping={"i": 3}), r"mapping\.i: got 3; accepted: an object"),
        (chatgpt(mapping=node("i", None, "user", text("x"), "soon")), r"message\.create_time: got 'soon'"),  # type: ignore[arg-type]
        (CLAUDE | {"chat_messages": [{"text": "x"}]}, r"chat_messages\[0\]: the field 'sender' is missing"),
        (CLAUDE | {"chat_messages": ["x"]}, r"chat_messages\[0\]: got 'x'"),
    ],
)  # fmt: skip
def test_what_is_broken_is_named(write_json: WriteJson, conversation: dict[str, Any], reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        list(read_turns(write_json([conversation]), user="ana"))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (
            "It leaves at 9. \ue200cite\ue202turn0search1\ue202turn0news2\ue201 So does the bus.",
            "It leaves at 9. So does the bus.",
        ),
        (
            'In \ue200entity\ue202["city","Oslo","Norway"]\ue201, see \ue200url\ue202Ruter\ue202turn0search1\ue201.',
            "In Oslo, see Ruter.",
        ),
        ("As the report says【6:2†report.pdf】.", "As the report says."),
        ("A broken \ue200entity\ue202Oslo\ue201 one, \ue200cite", "A broken one, \ue200cite"),
        ("† 1890 【so】", "† 1890 【so】"),
    ],
)
def test_marks_of_sources_are_left_out_of_what_chatgpt_says(write_json, written, read):
    nodes = node("a", None, "assistant", text(written), 1704067264.0)
    file = write_json([chatgpt(mapping=nodes, current_node="a")])
    assert [turn.text for turn in read_turns(file, user="ana")] == [read]


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"text": "", "content": []}, "The cat is Bob."),
        ({"text": "Sum it up:", "content": []}, "Sum it up:\nThe cat is Bob."),
        ({"text": "x", "content": [{"type": "text", "text": "Sum it up:"}]}, "Sum it up:\nThe cat is Bob."),
    ],
)
def test_what_was_pasted_into_claude_was_said(write_json, message, said):
    pasted = [
        {"file_name": "", "file_type": "txt", "extracted_content": "The cat is Bob."},
        {"file_name": "a.png", "extracted_content": ""},
        {"file_name": "large.txt", "extracted_content": "x" * 3_000_000},
    ]
    message = {"uuid": "m1", "sender": "human", "created_at": "2024-01-01T00:00:01Z", **message}
    file = write_json([{**CLAUDE, "chat_messages": [{**message, "attachments": pasted}]}])
    assert [turn.text for turn in read_turns(file, user="ana")] == [said]
