"""Questions and evidence of every data set, from files of its layout."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memspan.errors import FormatError, InvalidArgumentError
from memspan.formats import read_turns
from memspan.formats.questions import DATA_SETS, LabelledQuestion, read_labelled

Labelled = Callable[..., Path]


def questions(path: Path, name: str) -> list[LabelledQuestion]:
    return list(read_labelled(path, name).questions)


@pytest.mark.parametrize("name", list(DATA_SETS))
def test_users_and_records_are_those_of_the_conversations(labelled: Labelled, name: str) -> None:
    path = labelled(name)
    file = read_labelled(path, name)
    turns = list(read_turns(path, format=name))
    assert [(user, id_) for user, ids in file.turns.items() for id_ in ids] == [
        (turn.user, turn.id) for turn in turns
    ]
    sessions = {(turn.user, turn.session) for turn in turns}
    for question in file.questions:
        assert {(question.user, session) for session in question.sessions} <= sessions
        assert question.evidence <= set(file.turns[question.user])
    assert len({question.id for question in file.questions}) == len(file.questions)


def test_locomo(labelled: Labelled) -> None:
    asked = questions(labelled("locomo"), "locomo")
    assert [(each.id, each.category, each.answerable) for each in asked] == [
        ("orchard/0", "multi-hop", True),
        ("orchard/1", "temporal", True),
        ("orchard/2", "open-domain", True),
        ("orchard/3", "single-hop", True),
        ("orchard/4", "adversarial", False),
        ("harbour/0", "single-hop", True),
    ]
    hops, _, empty, bees, adversarial, _ = asked
    assert hops.evidence == {"D1:1", "D2:2"}  # "D1:1; D2:02": two ids in a string, and a zero
    assert hops.sessions == {"session_1", "session_2"}
    assert (empty.evidence, empty.sessions, empty.missing) == (frozenset(), frozenset(), ())
    assert (bees.evidence, bees.missing) == ({"D1:2"}, ("D9:9", "D:1:2"))
    assert adversarial.evidence == {"D2:1"}
    assert (hops.now, hops.until) == (None, None)
    assert hops.position.endswith("locomo.json:1: [0].qa[0]")


def test_realtalk(labelled: Labelled) -> None:
    came, when, reading = questions(labelled("realtalk"), "realtalk")
    assert came.user == "Chat_9_Noor_Piet"
    assert came.evidence == {"D1:1", "D1:3"}  # a range names its ends
    assert (when.evidence, when.missing) == ({"D1:1"}, ("D1:7",))
    assert [each.category for each in (came, when, reading)] == ["multi-hop", "temporal", "commonsense"]


def test_beam(labelled: Labelled) -> None:
    abstention, contradiction, order, nothing = questions(labelled("beam"), "beam")
    assert {each.user for each in (abstention, contradiction, order, nothing)} == {"100K-7"}
    assert (abstention.category, abstention.answerable, abstention.evidence) == (
        "abstention",
        False,
        frozenset(),
    )
    assert contradiction.evidence == {"2", "4"}
    assert contradiction.sessions == {"batch_2"}
    assert (order.evidence, order.missing) == ({"0", "2"}, ("99",))
    assert (nothing.answerable, nothing.evidence) == (True, frozenset())
    assert contradiction.position.endswith("probing_questions.json:1: contradiction_resolution[0]")


def test_beam_tells_outdated_evidence_of_updates(labelled: Labelled) -> None:
    def update(asked: Any) -> None:
        labels = (
            {"original_info": [0, 2], "updated_info": [2, 4]},
            {"original_info": [0], "updated_info": [99]},
            [0, 4],
        )
        asked["knowledge_update"] = [{"question": "How now?", "source_chat_ids": each} for each in labels]

    found = [
        each for each in questions(labelled("beam", update), "beam") if each.category == "knowledge_update"
    ]
    # What holds both stands; without what replaces it nothing is outdated; a plain list does not say.
    assert [each.outdated for each in found] == [{"0"}, frozenset(), frozenset()]
    assert found[0].evidence == {"0", "2", "4"}
    assert not any(each.outdated for each in questions(labelled("beam"), "beam"))


def test_a_pipe_is_refused_as_it_could_be_read_once_only(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FormatError, match="a pipe, which is read once"):
        read_labelled(tmp_path / "pipe", "locomo")


def test_longmemeval(labelled: Labelled) -> None:
    ladder, anvil, dog, tea = questions(labelled("longmemeval"), "longmemeval")
    assert (ladder.id, ladder.user, ladder.category) == ("q-1", "q-1", "knowledge-update")
    assert ladder.evidence == {"answer_b:0", "answer_b:1"}
    assert ladder.sessions == {"answer_b"}
    assert ladder.now == datetime(2023, 6, 1, 10, tzinfo=timezone.utc)
    assert (anvil.category, anvil.answerable) == ("abstention", False)
    assert (dog.id, dog.user, dog.text) == ("q-3/0", "q-3", "What did you call my dog?")
    assert (dog.evidence, dog.sessions) == ({"s-e:1"}, {"s-e", "s-e#2"})  # an id that comes twice
    assert (tea.evidence, tea.sessions, tea.missing) == (frozenset(), {"s-f"}, ("s-gone",))
    assert dog.now is None


def test_longmemeval_takes_marks_of_the_questions_own_sessions_only(labelled: Labelled) -> None:
    def mark_another(items: Any) -> None:
        items[0]["haystack_sessions"][2][0]["has_answer"] = True

    assert questions(labelled("longmemeval", mark_another), "longmemeval")[0].evidence == {
        "answer_b:0",
        "answer_b:1",
    }


def test_longmemeval_marks_of_turns_without_text_are_missing(labelled: Labelled) -> None:
    def blank(items: Any) -> None:
        items[0]["haystack_sessions"][1][0]["content"] = " "

    ladder = questions(labelled("longmemeval", blank), "longmemeval")[0]
    assert (ladder.evidence, ladder.missing) == ({"answer_b:1"}, ("answer_b:0",))


def test_halumem(labelled: Labelled) -> None:
    lives, back, boat = questions(labelled("halumem"), "halumem")
    end = datetime(2025, 9, 4, 9, 6, 0, 1, tzinfo=timezone.utc)
    assert (lives.sessions, lives.until, lives.now) == ({"session_1"}, end, end)
    assert lives.evidence == frozenset()
    # The text stands in both sessions up to the question's own; the boat comes later.
    assert (back.sessions, back.missing) == ({"session_1", "session_2"}, ("Greta has a boat",))
    assert (boat.answerable, boat.sessions, boat.category) == (False, frozenset(), "Memory Boundary")


def test_halumem_questions_before_anything_was_said_see_nothing(labelled: Labelled) -> None:
    def silence(users: Any) -> None:
        users[0]["sessions"][0]["dialogue"] = []

    lives, back, _ = questions(labelled("halumem", silence), "halumem")
    assert lives.until == datetime(1, 1, 1, tzinfo=timezone.utc)
    assert (lives.now, lives.sessions, lives.missing) == (None, frozenset(), ("Greta lives in Lund",))
    assert back.sessions == {"session_2"}


DAMAGE: list[tuple[str, Callable[[Any], Any], str]] = [
    ("locomo", lambda v: v[0].pop("qa"), "'qa' is missing"),
    (
        "locomo",
        lambda v: v[0]["qa"][1].update(category=6),
        r"\[0\].qa\[1\].category: got 6; accepted: one of 1",
    ),
    ("locomo", lambda v: v[0]["qa"][1].update(category=True), "5 .adversarial."),
    ("locomo", lambda v: v[0]["qa"][1].pop("category"), r"\[0\].qa\[1\]: the field 'category' is missing"),
    ("locomo", lambda v: v[0]["qa"][1].update(question=" "), r"qa\[1\].question: got ' '; .* not blank"),
    ("locomo", lambda v: v[0]["qa"][1].update(question=3), r"qa\[1\].question: got 3; accepted: a string"),
    ("locomo", lambda v: v[0]["qa"][1].update(evidence="D1:1"), r"evidence: got 'D1:1'; accepted: a list"),
    ("locomo", lambda v: v[0]["qa"][1].update(evidence=[1]), r"evidence\[0\]: got 1; accepted: a string"),
    ("locomo", lambda v: v[0].update(qa={}), "qa: got an object with 0 fields; accepted: a list"),
    ("locomo", lambda v: [each.update(qa=[]) for each in v], "holds no questions"),
    ("realtalk", lambda v: v["qa"].append(7), r"qa\[3\]: got 7; accepted: an object"),
    ("realtalk", lambda v: v["qa"][0].update(category=4), "3 .commonsense."),
    ("realtalk", lambda v: v.update(session_1=[]), "holds no turns"),
    ("beam", lambda v: v.update(event_ordering={}), "event_ordering: got an object with 0 fields"),
    (
        "beam",
        lambda v: v["event_ordering"][0].update(source_chat_ids=["4"]),
        r"event_ordering\[0\].source_chat_ids\[0\]: got '4'; accepted: ids of turns",
    ),
    ("beam", lambda v: v["event_ordering"][0].pop("question"), "'question' is missing"),
    ("longmemeval", lambda v: v[0].pop("question"), "'question' is missing"),
    ("longmemeval", lambda v: v[0].pop("answer_session_ids"), "'answer_session_ids' is missing"),
    ("longmemeval", lambda v: v[0].pop("question_type"), "'question_type' is missing"),
    (
        "longmemeval",
        lambda v: v[0].update(question_date="soon"),
        "question_date: got 'soon'; accepted: a date",
    ),
    ("longmemeval", lambda v: v[2]["answer_session_ids"].pop(), "answer_session_ids: got a list of 1"),
    (
        "longmemeval",
        lambda v: v[0]["haystack_sessions"][1][0].update(has_answer="yes"),
        r"haystack_sessions\[1\]\[0\].has_answer: got 'yes'; accepted: true or false",
    ),
    (
        "halumem",
        lambda v: v[0]["sessions"][0]["questions"][0].pop("question_type"),
        "'question_type' is missing",
    ),
    (
        "halumem",
        lambda v: v[0]["sessions"][0]["questions"][0].update(evidence=["Lund"]),
        r"sessions\[0\].questions\[0\].evidence\[0\]: got 'Lund'; accepted: an object",
    ),
    ("halumem", lambda v: v[0]["sessions"][1]["memory_points"][0].clear(), "'memory_content' is missing"),
]


@pytest.mark.parametrize(("name", "change", "message"), DAMAGE)
def test_damage_is_refused_with_its_place(
    labelled: Labelled, name: str, change: Callable[[Any], Any], message: str
) -> None:
    path = labelled(name, change)
    with pytest.raises(FormatError, match=message) as caught:
        read_labelled(path, name)
    assert str(caught.value).startswith(str(path.parent))


def test_the_file_of_another_data_set_is_refused(labelled: Labelled) -> None:
    files = {name: labelled(name) for name in DATA_SETS}
    for name, path in files.items():
        for other in DATA_SETS.keys() - {name}:
            with pytest.raises(FormatError, match=path.name):
                read_labelled(path, other)


def test_a_foreign_file_is_told_what_is_accepted(labelled: Labelled, tmp_path: Path) -> None:
    path = labelled("locomo")
    with pytest.raises(
        FormatError,
        match=rf"{path.name}:1: \[0\]: got an object with \d+ fields; accepted: a chat of REALTALK.*'session_1'",
    ):
        read_labelled(path, "realtalk")
    with pytest.raises(
        FormatError,
        match=rf"{path.name}:1: \[0\]: the field 'uuid' is missing; accepted: a user of HaluMem.*'sessions'",
    ):
        read_labelled(path, "halumem")
    lines = tmp_path / "users.jsonl"
    lines.write_text('{"uuid": "greta"}\n')
    with pytest.raises(
        FormatError, match=r"users.jsonl:1: the field 'sessions' is missing; accepted: a user"
    ):
        read_labelled(lines, "halumem")
    chat = tmp_path / "chat.json"
    chat.write_text("{}")
    with pytest.raises(
        FormatError, match=r"chat.json:1: got an object with 0 fields; accepted: a chat of REALTALK"
    ):
        read_labelled(chat, "realtalk")


@pytest.mark.parametrize(("folder", "user"), [("greta's chat", "greta's chat"), ("12", "12")])
def test_beam_takes_any_folder_for_the_user(
    labelled: Labelled, tmp_path: Path, folder: str, user: str
) -> None:
    path = labelled("beam")
    path = path.parent.rename(tmp_path / folder) / path.name
    found = read_labelled(path, "beam")
    assert list(found.turns) == [user]
    assert {question.user for question in found.questions} == {user}


def test_beam_without_its_questions_says_where_they_should_be(labelled: Labelled) -> None:
    path = labelled("beam")
    (path.parent / "probing_questions" / "probing_questions.json").unlink()
    with pytest.raises(FormatError, match=r"accepted: a file '.*7/probing_questions/probing_questions.json'"):
        read_labelled(path, "beam")


def test_unreadable_files(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('[{"sample_id": ')
    for path in (broken, tmp_path / "absent.json"):
        with pytest.raises(FormatError, match=path.name):
            read_labelled(path, "locomo")
    with pytest.raises(InvalidArgumentError, match="data_set: got 'jsonl'; accepted: locomo, "):
        read_labelled(broken, "jsonl")


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["\ud800", "D1:1", 10**30, " "]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return [path] + [place for key, child in children for place in places(child, (*path, key))]


@pytest.mark.parametrize("name", list(DATA_SETS))
@given(data=st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_changed_reading_raises_nothing_but_format_errors(
    labelled: Labelled, name: str, data: st.DataObject
) -> None:
    def change(value: Any) -> None:
        *path, key = data.draw(st.sampled_from(places(value)[1:]))
        for step in path:
            value = value[step]
        if data.draw(st.booleans()):
            value[key] = data.draw(junk)
        elif isinstance(value, dict):
            del value[key]

    path = labelled(name, change)
    with contextlib.suppress(FormatError):
        for question in read_labelled(path, name).questions:
            json.dumps([question.text, question.category, question.user]).encode()
            assert question.text.strip()
            question.text.encode("utf-8")
