"""Exports of Open WebUI and Telegram Desktop."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from memspan.errors import FormatError
from memspan.formats import detect, read_turns

WriteJson = Callable[..., Path]


def webui(name: str, user: str, *messages: tuple[str, str | None, str, str], **more: Any) -> dict[str, Any]:
    tree = {
        key: {"id": key, "parentId": parent, "role": role, "content": text, "timestamp": 1717236000}
        for key, parent, role, text in messages
    }
    history = {"messages": tree, "currentId": messages[-1][0]}
    return {"id": name, "user_id": user, "title": "x", "chat": {"history": history}, **more}


THOUGHT = (
    '<details type="reasoning" done="true" duration="3">\n<summary>Thought</summary>\n> Hm.\n</details>\n'
)
SAIL = webui(
    "w-1",
    "u-1",
    ("a", None, "user", "How do I patch a sail?"),
    ("b", "a", "assistant", "Not at all."),
    ("c", "a", "assistant", THOUGHT + "With tape."),
)


def test_the_branch_of_open_webui_that_was_open_last(write_json: WriteJson) -> None:
    path = write_json([SAIL], document=True)
    assert detect(path) == "open-webui"
    turns = list(read_turns(path))
    assert [(turn.user, turn.id, turn.speaker, turn.text) for turn in turns] == [
        ("u-1", "a", "user", "How do I patch a sail?"),
        ("u-1", "c", "assistant", "With tape."),
    ]
    assert {turn.session for turn in turns} == {"w-1"}
    assert turns[0].at == datetime(2024, 6, 1, 10, tzinfo=timezone.utc)
    assert turns[1].at is not None
    assert turns[1].at > turns[0].at
    assert {turn.user for turn in read_turns(path, user="ana")} == {"ana"}


def test_a_message_of_open_webui_without_a_role_is_the_models(write_json: WriteJson) -> None:
    """The server adds fields to messages that the browser never saved."""
    chat = webui("w-3", "u-1", ("e", None, "user", "And a rudder?"), ("f", "e", "", "With glue."))
    tree = chat["chat"]["history"]["messages"]
    del tree["f"]["role"]
    tree["g"] = {"id": "g", "parentId": "f", "done": True}
    chat["chat"]["history"]["currentId"] = "g"
    turns = read_turns(write_json([chat], document=True))
    assert [(turn.speaker, turn.text) for turn in turns] == [
        ("user", "And a rudder?"),
        ("assistant", "With glue."),
    ]


def test_an_export_of_all_users_of_open_webui_is_not_mixed(write_json: WriteJson) -> None:
    other = webui("w-2", "u-2", ("d", None, "user", "Where is my boat?"))
    path = write_json([SAIL, other], document=True)
    assert [turn.user for turn in read_turns(path)] == ["u-1", "u-1", "u-2"]
    assert [turn.text for turn in read_turns(path, user="u-2")] == ["Where is my boat?"]
    with pytest.raises(FormatError, match="no conversation of user 'ana'; its users: u-1, u-2"):
        list(read_turns(path, user="ana"))


def telegram(number: int, text: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "type": "message",
        "date": "2024-05-19T11:01:00",
        "date_unixtime": "1716109260",
        "from": "Noor",
        "from_id": "user1",
        "text": text,
        **more,
    }


CHAT = {
    "name": "Rowing club",
    "type": "private_group",
    "id": 4711,
    "messages": [
        telegram(1, "", type="service", action="create_group"),
        telegram(2, ["See ", {"type": "link", "text": "example.org"}, " at ", {"type": "bold", "text": "6"}]),
        {"id": 3, "type": "unsupported"},
        telegram(4, "", media_type="sticker"),
        telegram(5, "I come.", **{"from": None, "from_id": "user2", "date_unixtime": "1716195660"}),
    ],
}


@pytest.mark.parametrize(
    "value", [CHAT, {"about": "x", "chats": {"about": "x", "list": [CHAT]}}, {"left_chats": {"list": [CHAT]}}]
)
def test_chats_of_telegram(write_json: WriteJson, value: Any) -> None:
    path = write_json(value, document=True)
    assert detect(path) == "telegram"
    turns = list(read_turns(path, user="ana"))
    assert [(turn.id, turn.session, turn.speaker, turn.text) for turn in turns] == [
        ("4711:2", "4711:2024-05-19", "Noor", "See example.org at 6"),
        ("4711:5", "4711:2024-05-20", "user2", "I come."),
    ]
    assert turns[0].at == datetime(2024, 5, 19, 9, 1, tzinfo=timezone.utc)
    assert turns[0].metadata == {"chat": "Rowing club"}


def test_times_of_telegram(write_json: WriteJson) -> None:
    old = telegram(1, "x")
    del old["date_unixtime"]
    (turn,) = read_turns(write_json({**CHAT, "messages": [old]}, document=True), user="ana")
    assert turn.at == datetime(2024, 5, 19, 11, 1, tzinfo=timezone.utc)
    path = write_json({**CHAT, "messages": [telegram(1, "x", date_unixtime="soon")]}, document=True)
    with pytest.raises(FormatError, match=r"messages\[0\]\.date_unixtime: got 'soon'"):
        list(read_turns(path, user="ana"))


def test_other_chats_with_an_id_are_none_of_telegram() -> None:
    assert detect(b'{"id": 7, "type": "support", "messages": []}') == "chat"
