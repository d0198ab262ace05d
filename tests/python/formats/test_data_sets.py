"""The readers of the data sets, each against a file of its layout."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from memspan.errors import FormatError
from memspan.formats import FORMATS, read_turns

SampleFile = Callable[[str], Path]
WriteJson = Callable[..., Path]


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=timezone.utc)  # type: ignore[arg-type,misc]


def test_locomo_keeps_ids_dates_captions_and_the_order_of_sessions(sample_file: SampleFile) -> None:
    turns = list(read_turns(sample_file("locomo")))
    assert [(turn.user, turn.session, turn.id) for turn in turns] == [
        ("garden-1", "session_2", "D2:1"),
        ("garden-1", "session_2", "D2:1#2"),
        ("garden-1", "session_10", "D10:1"),
        ("garden-2", "session_1", "D1:1"),
    ]
    first, second, third, _ = turns
    assert first.metadata == second.metadata == {"turn_id": "D2:1"}
    assert first.images == ("a photo of a small tree in a pot",)
    assert (first.speaker, first.text) == ("Ilka", "Look at this.")
    assert first.at == utc(2021, 10, 31, 23, 59)
    assert second.at == utc(2021, 10, 31, 23, 59, 1)
    assert third.at == utc(2022, 3, 2, 0, 5)
    assert first.position.endswith("locomo.json:1: [0].conversation.session_2[0]")


def test_locomo_accepts_one_sample_without_a_list(samples: dict[str, str], write_json: WriteJson) -> None:
    sample = json.loads(samples["locomo"])[1]
    path = write_json(sample, document=True)
    assert [turn.user for turn in read_turns(path)] == ["garden-2"]


def test_realtalk_takes_the_day_first_and_the_user_from_the_file_name(sample_file: SampleFile) -> None:
    first, second = read_turns(sample_file("realtalk"))
    assert first.user == "Chat_9_Noor_Piet"
    assert (first.id, second.id, second.metadata) == ("D1:2", "D1:2#2", {"turn_id": "D1:2"})
    assert first.at == utc(2024, 1, 8, 22, 23, 7)
    assert second.at == first.at + timedelta(microseconds=1)
    assert second.images == ("a parcel on a doormat",)


def test_beam_takes_anchors_and_drops_the_marks_of_the_plan(sample_file: SampleFile) -> None:
    turns = list(read_turns(sample_file("beam")))
    assert [(turn.user, turn.id, turn.session, turn.text) for turn in turns] == [
        ("100K-7", "0", "batch_1", "How do I size a sail?"),
        ("100K-7", "1", "batch_1", "Measure the spars first."),
        ("100K-7", "2", "batch_1", "x ->-> y, done"),
        ("100K-7", "3", "batch_2", "It is sewn."),
    ]
    assert [turn.at for turn in turns] == [
        utc(2024, 3, 15),
        utc(2024, 3, 15, 0, 0, 1),
        utc(2024, 3, 15, 0, 0, 2),
        utc(2024, 4, 5),
    ]
    assert turns[1].position.endswith("chat.json: [0].turns[0][1]")


@pytest.mark.parametrize(
    ("name", "user"),
    [("12/chat.json", "12"), ("1M/3/chat.json", "1M-3"), ("sails.json", "sails"), ("misc/chat.json", None)],
)
def test_beam_names_the_chat_by_its_folder(
    samples: dict[str, str], write_json: WriteJson, name: str, user: str | None
) -> None:
    path = write_json(json.loads(samples["beam"]), name=name)
    if user is None:
        with pytest.raises(FormatError, match="--user"):
            list(read_turns(path))
    else:
        assert {turn.user for turn in read_turns(path)} == {user}
    assert {turn.user for turn in read_turns(path, user="ana")} == {"ana"}


def test_beam_without_any_anchor_has_no_times(samples: dict[str, str], write_json: WriteJson) -> None:
    batches = json.loads(samples["beam"])
    batches[0]["turns"][0][0]["time_anchor"] = batches[1]["time_anchor"] = None
    assert {turn.at for turn in read_turns(write_json(batches, name="b.json"))} == {None}


def test_halumem_numbers_turns_and_keeps_their_times(sample_file: SampleFile) -> None:
    turns = list(read_turns(sample_file("halumem")))
    assert [(turn.user, turn.id, turn.speaker) for turn in turns] == [
        ("u-17", "session_1:0", "user"),
        ("u-17", "session_1:1", "assistant"),
        ("u-17", "session_2:0", "user"),
    ]
    assert turns[0].at == utc(2025, 9, 4, 9, 5, 32)
    assert turns[1].at == utc(2025, 9, 4, 9, 5, 32, 1)
    assert turns[2].at == utc(2025, 12, 31, 23, 59, 59)
    assert turns[2].metadata == {"turn_id": "session_2:0"}


def test_longmemeval_reads_both_layouts_and_leaves_labels_out(sample_file: SampleFile) -> None:
    turns = list(read_turns(sample_file("longmemeval")))
    assert [(turn.user, turn.session, turn.id) for turn in turns] == [
        ("q-1", "s-a", "s-a:0"),
        ("q-1", "s-b", "s-b:0"),
        ("q-1", "s-a#2", "s-a#2:0"),
        ("q-2", "s-c", "s-c:0"),
    ]
    assert turns[0].at == utc(2023, 5, 20, 2, 21)
    assert "has_answer" not in turns[1].metadata


def test_a_name_that_comes_twice_in_a_data_set_is_refused(
    samples: dict[str, str], write_json: WriteJson
) -> None:
    locomo = json.loads(samples["locomo"])
    locomo[1]["sample_id"] = "garden-1"
    with pytest.raises(FormatError, match=r"\[1\]: got 'garden-1'; accepted: .* once"):
        list(read_turns(write_json(locomo)))
    realtalk = json.loads(samples["realtalk"])
    with pytest.raises(FormatError, match="one chat a file"):
        list(read_turns(write_json(realtalk, realtalk)))


BREAKS: list[tuple[str, list[str | int], Any, str]] = [
    (
        "locomo",
        [0, "conversation", "session_2", 0, "text"],
        5,
        r"session_2\[0\]\.text: got 5; accepted: a string",
    ),
    ("locomo", [0, "conversation", "session_2", 0, "dia_id"], " ", "dia_id: got ' '"),
    (
        "locomo",
        [0, "conversation", "session_2", 0, "blip_caption"],
        {},
        "blip_caption: got an object with 0 fields",
    ),
    ("locomo", [0, "conversation", "session_2", 1], "x", r"session_2\[1\]: got 'x'; accepted: an object"),
    (
        "locomo",
        [0, "conversation", "session_2_date_time"],
        "31 October",
        "a date like '1:56 pm on 8 May, 2023'",
    ),
    ("locomo", [0, "conversation", "session_2_date_time"], "13:05 pm on 8 May, 2023", "a date like"),
    ("locomo", [0, "conversation", "session_10"], {}, "session_10: got an object"),
    ("realtalk", ["session_1", 0, "date_time"], "08.13.2024, 22:23:07", "day first"),
    ("realtalk", ["session_1", 1, "speaker"], None, "speaker: got null"),
    ("beam", [0, "turns", 0, 0, "time_anchor"], "Smarch-13-2024", "March-15-2024"),
    ("beam", [0, "turns", 0, 0, "id"], True, "id: got True"),
    ("beam", [0, "turns", 1], 3, r"turns\[1\]: got 3; accepted: a list"),
    ("longmemeval", [0, "haystack_dates", 1], "2023/02/30 (Thu) 10:00", r"haystack_dates\[1\]: got"),
    ("longmemeval", [0, "haystack_dates"], [], "haystack_dates: got a list of 0; accepted: a list of 3"),
    ("longmemeval", [0, "question_id"], None, "question_id: got null"),
]


@pytest.mark.parametrize(("name", "path", "value", "message"), BREAKS)
def test_a_wrong_value_is_named_with_its_path(
    samples: dict[str, str], write_json: WriteJson, name: str, path: list[str | int], value: Any, message: str
) -> None:
    broken = copy.deepcopy(json.loads(samples[name]))
    holder = broken
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    with pytest.raises(FormatError, match=message):
        list(read_turns(write_json(broken, document=True, name="x.json"), format=name))


@pytest.mark.parametrize("field", ["speaker", "dia_id", "text"])
def test_a_missing_field_is_named(samples: dict[str, str], write_json: WriteJson, field: str) -> None:
    broken = json.loads(samples["locomo"])
    del broken[1]["conversation"]["session_1"][0][field]
    with pytest.raises(
        FormatError, match=rf"\[1\]\.conversation\.session_1\[0\]: the field '{field}' is missing"
    ):
        list(read_turns(write_json(broken, document=True)))


@pytest.mark.parametrize("name", list(FORMATS))
def test_every_turn_is_complete(sample_file: SampleFile, name: str) -> None:
    user = "ana" if name in ("chat", "claude-code", "codex", "telegram") else None
    turns = list(read_turns(sample_file(name), user=user))
    assert turns
    for turn in turns:
        assert turn.user
        assert turn.text or turn.images
        assert turn.at is None or turn.at.utcoffset() == timedelta(0)
        assert turn.position
