"""From what a model wrote to a checked object."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

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


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        (GOOD, None),
        (f"\n  {GOOD}\n", None),
        (f'<think>\nShould I say {{this}}? {{"facts": []}}\n</think>\n\n{GOOD}', None),
        (f"I think {{hm}}.\n</think>{GOOD}", None),
        (f"{GOOD} I said it.</think>", "text around the JSON"),
        (f"```json\n{GOOD}\n```", "text around the JSON"),
        (f'Here {{is}} what you want: {GOOD} Anything "else?', "text around the JSON"),
        (f'For {{"example": 1}} I say {GOOD}', "text around the JSON"),
        (GOOD[len('{"facts": ') : -1], "a bare list"),
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
        ("[1, 2]", r"facts\.0"),
        ('{"answer": []}', "none of the fields facts"),
        ('{"facts": "none"}', "facts: Input should be a valid list"),
        ('{"facts": [{"text": "x", "turn": -1}]}', r"facts\.0\.turn: Input should be greater"),
        ('{"facts": [{"turn": 1}]}', r"facts\.0\.text: Field required"),
        ('{"facts": [' + ", ".join(['{"turn": 1}'] * 9) + "]}", "and 4 more"),
        ('Say {"example": 1} and {"other": 2}', "none of the fields facts"),
        ('{"facts": [], // two are left out: {a: 1}, {b: 2}\n}', "not valid JSON"),
        ('{"facts": ' + "[" * 3_000 + "]" * 3_000 + "}", "not valid JSON"),
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

    monkeypatch.setattr("memspan.llm.reading.json_repair.loads", never)
    with pytest.raises(UnusableReply, match="not valid JSON"):
        read_object(broken, Facts)


def test_data_that_speaks_of_thoughts_stays() -> None:
    for around in ("{}", "```\n{}\n```", "<think>so</think>{}"):
        value, _ = read_object(around.replace("{}", '{"text": "a</think>b", "more": []}'), Note)
        assert value.text == "a</think>b"


def test_half_emoji_become_a_sign_and_whole_ones_stay() -> None:
    text = r'{"text": "\ud83d\ude00 \ud83d \\ud83d", "more": ["\uDE00"]}'

    assert read_object(text, Note)[0] == Note(text="\U0001f600 \ufffd \\ud83d", more=["\ufffd"])


def test_quotes_that_were_not_escaped_are_repaired() -> None:
    value, remark = read_object('{"text": "she said "yes" and left", "more": ["", "a"]}', Note)

    assert value == Note(text='she said "yes" and left', more=["", "a"])
    assert remark == "JSON that had to be repaired"
