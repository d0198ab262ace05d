"""From what a model wrote to a checked object."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from memspan.llm.reading import UnusableReply, read_object


class Fact(BaseModel):
    text: str
    turn: int = Field(ge=0)


class Facts(BaseModel):
    facts: list[Fact]


class Note(BaseModel):
    text: str
    more: list[str] = []


GOOD = '{"facts": [{"text": "a {b}", "turn": 1}, {"text": "c \\"d\\" ]", "turn": 2}]}'
LIST = GOOD[len('{"facts": ') : -1]
ONE, TWO = (json.dumps({"facts": [fact]}) for fact in json.loads(LIST))


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        (GOOD, None),
        (f"\n  {GOOD}\n", None),
        (f'<think>\nShould I say {{this}}? {{"facts": []}}\n</think>\n\n{GOOD}', None),
        (f"I think {{hm}}.\n</think>{GOOD}", None),
        (f"[THINK]Perhaps {ONE}, too?[/THINK]{GOOD}", None),
        (f"<thought>\nPerhaps {ONE}, too?\n</thought>\n{GOOD}", None),
        (f"{GOOD} I said it.</think>", "text around the JSON"),
        (f"```json\n{GOOD}\n```", "text around the JSON"),
        (f'Here {{is}} what you want: {GOOD} Anything "else?', "text around the JSON"),
        (f'For {{"example": 1}} I say {GOOD}', "text around the JSON"),
        (LIST, "a bare list"),
        (f"```json\n{LIST}\n```", "text around the JSON; a bare list"),
        (f"I found [1] these [two]:\n{LIST}\nThat is all [{{so}}].", "text around the JSON; a bare list"),
        (f"{ONE}\n{TWO}", "text around the JSON; several objects"),
        (f"```json\n{ONE}\n```\nand\n```json\n{TWO}\n```", "text around the JSON; several objects"),
        (f"[{ONE}, {TWO}]", "several objects"),
        (f"{ONE[10:-1]}\n{TWO[10:-1]}", "text around the JSON; a bare list; several objects"),
        (f"{GOOD}\n{GOOD}", "text around the JSON"),
        (f'Say {{"facts": []}} if there are none. But: {GOOD}', "text around the JSON; several objects"),
        (f"{ONE}\n{TWO[:-2]},]}}", "JSON that had to be repaired; several objects"),
        (f"{ONE[:-1]}, {TWO[1:]}", "a field that stands twice"),
        (GOOD.replace('"turn": 1', '"turn": 1, "turn": 1'), None),
        (GOOD[:-2] + ",]}", "JSON that had to be repaired"),
        (GOOD.replace('"turn"', "turn"), "JSON that had to be repaired"),
        (repr(json.loads(GOOD)), "JSON that had to be repaired"),
    ],
)
def test_reads_what_can_be_read_without_guessing(text: str, remark: str | None) -> None:
    value, said = read_object(text, Facts)

    assert value.model_dump() == json.loads(GOOD)
    assert said == remark


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("<think>nothing to say</think>", "empty"),
        ("I am sorry.", "no JSON object"),
        ("[1, 2", "no JSON object"),
        ('"facts"', "not a JSON object"),
        ("[1, 2]", "the list has none of the fields text, turn"),
        ('{"answer": []}', "none of the fields facts"),
        ('{"facts": "none"}', "facts: Input should be a valid list"),
        ('{"facts": [{"text": "x", "turn": -1}]}', r"facts\.0\.turn: Input should be greater"),
        ('{"facts": [{"turn": 1}]}', r"facts\.0\.text: Field required"),
        ('{"facts": [' + ", ".join(['{"turn": 1}'] * 9) + "]}", "and 4 more"),
        ('Say {"example": 1} and {"other": 2}', "none of the fields facts"),
        ('{"facts": [], // two are left out: {a: 1}, {b: 2}\n}', "not valid JSON"),
        ('{"facts": [{"text": "x", "turn": 1, "text": "y"}]}', "a field twice"),
        (f'{GOOD} and {{"facts": "none"}}', "several objects"),
        ('[{"name": "x"}]', "the list has none of the fields"),
        ('See [{"name": "x"}]', "the list has none of the fields"),
        ('{"facts": [' + "{}," * 50_001 + "{}]}", "more than 100,000 values"),
        ('{"facts": ' + "[" * 50_000 + "]" * 50_000 + "}", "not valid JSON"),
    ],
)
def test_says_what_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(UnusableReply, match=reason) as raised:
        read_object(text, Facts)

    assert not raised.value.cut


def test_reasons_quote_no_values() -> None:
    for text in ('{"facts": "the vault code is 1234"}', '{"facts": [{"text": ["1234"], "turn": "1234x"}]}'):
        with pytest.raises(UnusableReply) as raised:
            read_object(text, Facts)
        assert "1234" not in str(raised.value)


@given(
    st.integers(1, len(GOOD) - 1), st.sampled_from(["{}", "Sure: {}", "```json\n{}", "{]{}", "[{{is}}] {}"])
)
def test_cut_answers_are_never_filled_up(length: int, around: str) -> None:
    text = around.replace("{}", GOOD[:length]).replace("{{", "{").replace("}}", "}")

    with pytest.raises(UnusableReply):
        read_object(text, Facts)


@pytest.mark.parametrize("length", [20, 40, len(GOOD) - 1])
def test_cut_answers_are_told_from_wrong_ones(length: int) -> None:
    with pytest.raises(UnusableReply, match="in the middle") as raised:
        read_object(GOOD[:length], Facts)

    assert raised.value.cut


def test_an_object_inside_a_cut_one_is_not_the_answer() -> None:
    text = '{"text": "all", "more": ["x"], "other": [{"text": "inner", "more": []}, {"te'

    with pytest.raises(UnusableReply, match="in the middle"):
        read_object(text, Note)


@given(st.text(alphabet="{}[]\",:\\ abnul123e\n'`<>", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(UnusableReply):
        value, _ = read_object(text, Note)
        assert isinstance(value, Note)


@pytest.mark.parametrize(
    "broken", ['{"facts": [' + "1 2 " * 30_000 + "]}", '{"facts": ["' + 'a "b" ' * 300 + '"]}']
)
def test_json_that_takes_long_to_repair_is_asked_for_again(
    monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def never(*arguments: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr("memspan.llm.found_json.json_repair.loads", never)
    with pytest.raises(UnusableReply, match="not valid JSON"):
        read_object(broken, Facts)


def test_data_that_speaks_of_thoughts_stays() -> None:
    for around in ("{}", "```\n{}\n```", "<think>so</think>{}"):
        value, _ = read_object(around.replace("{}", '{"text": "a</think>b", "more": []}'), Note)
        assert value.text == "a</think>b"


def test_objects_of_several_fields_are_not_joined() -> None:
    for text in ('{"text": "a"} or {"text": "b"}', '[{"text": "a"}, {"text": "b"}]'):
        with pytest.raises(UnusableReply):
            read_object(text, Note)


def test_the_last_of_several_objects_is_not_lost_when_it_is_cut() -> None:
    for text in (f"{ONE}\n{TWO[:20]}", f"```json\n{LIST[:50]}"):
        with pytest.raises(UnusableReply, match="in the middle") as raised:
            read_object(text, Facts)
        assert raised.value.cut


def test_a_list_has_the_name_by_which_its_field_is_read() -> None:
    class Renamed(BaseModel):
        facts: list[Fact] = Field(alias="Facts")

    assert len(read_object(f"```\n{LIST}\n```", Renamed)[0].facts) == 2


def test_half_emoji_become_a_sign_and_whole_ones_stay() -> None:
    text = r'{"text": "\ud83d\ude00 \ud83d \\ud83d", "more": ["\uDE00"]}'

    assert read_object(text, Note)[0] == Note(text="\U0001f600 \ufffd \\ud83d", more=["\ufffd"])


def test_quotes_that_were_not_escaped_are_repaired() -> None:
    value, remark = read_object('{"text": "she said "yes" and left", "more": ["", "a"]}', Note)

    assert value == Note(text='she said "yes" and left', more=["", "a"])
    assert remark == "JSON that had to be repaired"


@pytest.mark.parametrize(
    "text", ["The talk is on Friday, 10:30", "The code is a,b:", 'Her motto, "work": hard']
)
def test_a_repair_that_makes_fields_of_a_text_is_refused(text: str) -> None:
    """json_repair takes what stands before a colon for the name of a field, and the text would end before it."""
    broken = repr({"facts": [{"text": text, "turn": 1}]})

    with pytest.raises(UnusableReply, match="the answer is not valid JSON"):
        read_object(broken, Facts)


@pytest.mark.parametrize(
    ("kind", "value"),
    [(dict[str, int], {"tea": 2}), (dict, {"tea": 2}), (Any, {"tea": 2}), (list[Any], [{"tea": 2}])],
)
def test_where_a_schema_has_fields_of_any_name_a_repair_may_make_them(kind: Any, value: Any) -> None:
    counts = create_model("Counts", counts=(kind, ...))

    assert read_object(repr({"counts": value}), counts)[0].model_dump() == {"counts": value}
