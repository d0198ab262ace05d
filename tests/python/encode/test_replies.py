"""Replies forgive what does no harm."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from memspan.encode.replies.extract import Extracted, ExtractReply
from memspan.encode.replies.procedures import ProceduresReply
from memspan.encode.replies.summarise import SummariseReply
from memspan.encode.replies.synthesise import SynthesiseReply
from memspan.encode.replies.tag import TagReply
from memspan.encode.replies.verify import EvidenceReply, QuestionReply
from memspan.recall.answer.reply import AnswerReply

SCHEMAS = [
    ExtractReply, SynthesiseReply, TagReply, EvidenceReply, QuestionReply, SummariseReply, ProceduresReply,
]  # fmt: skip


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


@pytest.mark.parametrize("name", ["content", "statement", "summary", "text", "fact"])
def test_a_statement_keeps_its_words_under_another_name(name: str) -> None:
    reply = ExtractReply.model_validate({"statements": [{name: "Ana moved.", "turns": [1]}]})

    assert reply.statements == [Extracted(content="Ana moved.", turns=[1])]
    assert ExtractReply.model_validate_json(reply.model_dump_json()) == reply


def test_lists_of_texts_keep_the_texts() -> None:
    reply = TagReply.model_validate({"items": [{"n": "item 2", "tags": ["a", 1, None, "b"]}, {"tags": "c"}]})

    assert [(item.n, item.tags) for item in reply.items] == [(2, ["a", "b"]), (0, ["c"])]


@pytest.mark.parametrize("odd", [None, "B is so", 3, ["C"]])
def test_one_odd_item_does_not_cost_the_others(odd: Any) -> None:
    for schema in SCHEMAS:
        (name,) = schema.model_fields
        reply = schema.model_validate({name: [{}, odd, {}]})
        assert len(getattr(reply, name)) == 3

    reply = ExtractReply.model_validate({"statements": [{"content": "A"}, odd]})
    assert reply.statements == [Extracted(content="A"), Extracted()]  # empty ones are dropped and noted


@pytest.mark.parametrize(
    ("odd", "count"), [(None, 0), ("a > b", 1), (["a > b"], 1), ({}, 1), ([{}, None], 2)]
)
def test_odd_lists_inside_of_an_item_do_not_cost_the_reply(odd: Any, count: int) -> None:
    (item,) = TagReply.model_validate({"items": [{"n": 1, "relations": odd}]}).items
    (segment,) = SummariseReply.model_validate({"segments": [{"segment": 1, "entries": odd}]}).segments
    (procedure,) = ProceduresReply.model_validate({"procedures": [{"name": "x", "steps": odd}]}).procedures

    assert [len(item.relations), len(segment.entries), len(procedure.steps)] == [count] * 3


@pytest.mark.parametrize(
    ("odd", "found", "worked"),
    [
        (None, False, True),
        ("partly", True, True),
        ("No", False, False),
        ("Not found.", False, False),
        ("**no**, nobody says so", False, False),
        ("nothing but hints", True, True),
        ("0.9", True, True),
        (1, True, True),
        ([], False, False),
    ],
)
def test_odd_flags_do_not_cost_the_reply(odd: Any, found: bool, worked: bool) -> None:
    (answer,) = EvidenceReply.model_validate({"answers": [{"n": 1, "found": odd}]}).answers
    (procedure,) = ProceduresReply.model_validate({"procedures": [{"name": "x", "worked": odd}]}).procedures

    assert (answer.found, procedure.worked) == (found, worked)
    assert AnswerReply.model_validate({"answer": "Oslo", "enough": odd}).enough is worked


def test_a_text_in_pieces_is_put_together() -> None:
    reply = ExtractReply.model_validate({"statements": [{"content": ["Ana moved.", "She likes it."]}]})

    assert reply.statements[0].content == "Ana moved. She likes it."


@pytest.mark.parametrize(
    ("odd", "text"),
    [
        ({"who": "Ana", "what": ["moved to", {"where": "Porto"}], "sure": True, "in": 2023}, "Ana moved to Porto 2023"),
        (["Ana", 3, None], "Ana 3"),
        ([], ""),
        ({}, ""),
        ([[["\ud800"]]], "\ufffd"),
    ],
)  # fmt: skip
def test_an_odd_text_does_not_cost_the_reply(odd: Any, text: str) -> None:
    items = [{"content": "A"}, {"content": odd, "topic": odd, "timestamp": odd, "salience": odd}]
    reply = ExtractReply.model_validate({"statements": items})

    assert [one.content for one in reply.statements] == ["A", text]
    assert reply.statements[1].topic == text


@pytest.mark.parametrize(
    ("odd", "texts"),
    [
        ({"people": ["Ana", 1], "place": "Porto", "none": None}, ["Ana", "Porto"]), (5, []), (False, []), ({}, []),
        ("Ana, Luca bakery; Porto,", ["Ana", "Luca bakery", "Porto"]), ("- Ana\n- Bo", ["Ana", "Bo"]),
        ('["Ana", "Porto, Portugal"]', ["Ana", "Porto, Portugal"]), ("['Ana', Bo]", ["Ana", "Bo"]),
        ("日本、中国", ["日本", "中国"]),
        ([{"type": "person", "name": "Ana"}, {"entity": "Bo", "type": "dog"}, {"n": 1}, "Eve"], ["Ana", "Bo", "Eve"]),
        ([{"role": "baker", "name": "Ana"}, [], {"type": "person"}], ["Ana"]),
        (["Porto, Portugal"], ["Porto, Portugal"]), ("", []),
    ],
)  # fmt: skip
def test_odd_lists_of_texts_do_not_cost_the_reply(odd: Any, texts: list[str]) -> None:
    reply = ExtractReply.model_validate({"statements": [{"content": "A", "entities": odd}]})

    assert reply.statements[0].entities == texts


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize(
    "wrong", [[], {}, "x", {"statements": "x"}, {"items": [1]}, {"units": None}, {"segments": ["a", None]}]
)
def test_another_structure_is_refused(schema: Any, wrong: Any) -> None:
    with pytest.raises(ValidationError):
        schema.model_validate(wrong)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_schema_describes_every_field(schema: Any) -> None:
    for one in schema.model_json_schema()["$defs"].values():
        for name, field in one["properties"].items():
            assert field.get("description") or "items" in field, name
