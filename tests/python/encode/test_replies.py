"""Replies forgive what does no harm."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from memspan.encode.extract_reply import ExtractReply
from memspan.encode.synthesise_reply import SynthesiseReply
from memspan.encode.tag_reply import TagReply
from memspan.encode.verify_reply import EvidenceReply, QuestionReply

SCHEMAS = [ExtractReply, SynthesiseReply, TagReply, EvidenceReply, QuestionReply]


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        ([1, 2], [1, 2]),
        (["1", "turn 2", "t3"], [1, 2, 3]),
        ("1, 2 and 4", [1, 2, 4]),
        (["3 (2024-05-01)", "5-7"], [3, 5, 6, 7]),
        (3, [3]),
        ([2.0, True, None, {}, 1e300], [2]),
        (None, []),
        ("none", []),
        ({}, []),
    ],
)
def test_numbers_of_turns_are_found(given: Any, numbers: list[int]) -> None:
    reply = ExtractReply.model_validate({"statements": [{"content": "x", "turns": given}]})

    assert reply.statements[0].turns == numbers


def test_what_is_missing_or_null_is_empty() -> None:
    reply = ExtractReply.model_validate(
        {"statements": [{}, {"content": None, "entities": None, "topic": 5, "timestamp": 2023}], "why": "x"}
    )

    assert reply.statements[0].content == ""
    assert (reply.statements[1].entities, reply.statements[1].topic) == ([], "5")
    assert reply.statements[1].timestamp == "2023"


def test_lists_of_texts_keep_the_texts() -> None:
    reply = TagReply.model_validate({"items": [{"n": "item 2", "tags": ["a", 1, None, "b"]}, {"tags": "c"}]})

    assert [(item.n, item.tags) for item in reply.items] == [(2, ["a", "b"]), (0, ["c"])]


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("wrong", [[], {}, "x", {"statements": "x"}, {"items": [1]}, {"units": None}])
def test_another_structure_is_refused(schema: Any, wrong: Any) -> None:
    with pytest.raises(ValidationError):
        schema.model_validate(wrong)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_schema_describes_every_field(schema: Any) -> None:
    for one in schema.model_json_schema()["$defs"].values():
        for name, field in one["properties"].items():
            assert field.get("description") or "items" in field, name
