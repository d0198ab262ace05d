"""Plans: as values, by hand, and by rules; with bad input for each field."""

from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memspan import InvalidArgumentError, TimeError
from memspan.recall import KINDS_OF_QUESTION, Plan, ViewWeights, Vocabulary, plan_by_rules
from memspan.recall.settings import SETTINGS
from memspan.recall.wording import bare_question, with_names
from memspan.times import MAX_MICROS, MIN_MICROS, to_micros

NOW = "2023-06-15T14:30:00Z"
EMPTY = Vocabulary()
VOCABULARY = Vocabulary(speakers=["Melanie", "June"], names=["Oslo"], tags=["camping", "pride_parade"])
PROFILE = settings(deadline=None, derandomize=True, database=None, max_examples=100)


def plan(question: str, vocabulary: Vocabulary = VOCABULARY) -> Plan:
    return plan_by_rules(question, now=NOW, vocabulary=vocabulary)


# As a value.


def test_a_question_is_enough() -> None:
    one = Plan(question="Where is the key?")
    assert one.semantic == one.lexical == one.question
    assert one.k == 10
    assert Plan.from_dict({"question": "Where is the key?"}) == one
    assert hash(one) == hash(Plan(question="Where is the key?"))
    assert pickle.loads(pickle.dumps(one)) == one
    with pytest.raises(FrozenInstanceError):
        one.k = 5  # type: ignore[misc]


def test_by_hand() -> None:
    one = Plan.from_dict(
        {
            "question": "?",
            "intervals": [["2023-05-01", "2023-06-01"], [None, 5], ["2024-01-01", None]],
            "weights": {"lexical": 2},
            "kind": "list",
            "also": ["update"],
            "tags": ["camping"],
        }
    )
    assert one.intervals == (
        (to_micros("2023-05-01"), to_micros("2023-06-01")),
        (None, 5),
        (to_micros("2024-01-01"), None),
    )
    assert one.weights == ViewWeights(lexical=2.0)
    assert Plan(question="?", intervals=(("2023-05-01", "2023-06-01"),)).intervals == one.intervals[:1]  # type: ignore[arg-type]
    assert replace(one, k=3).k == 3


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("question", None, "question: got None; accepted: a str"),
        ("question", "\ud800", "question"),
        ("semantic", 5, "semantic: got 5"),
        ("lexical", b"x", "lexical"),
        ("intervals", "2023", "intervals"),
        ("intervals", 5, "intervals"),
        ("intervals", [5], r"intervals\[0\]"),
        ("intervals", [["2023-05-01"]], r"intervals\[0\]"),
        ("intervals", [["2023-05-01", "2023-05-01"]], r"intervals\[0\].*start < end"),
        ("intervals", [["2023-05-02", "2023-05-01"]], r"intervals\[0\]"),
        ("intervals", [["soon", None]], r"intervals\[0\]: got 'soon'"),
        ("intervals", [[None, None]] * 2_000, "intervals: got '2000 intervals'"),
        ("tags", "camping", "tags: got 'camping'; accepted: a list of str"),
        ("tags", [5], r"tags\[0\]"),
        ("names", [None], r"names\[0\]"),
        ("kind", "poem", r"kind: got 'poem'; accepted: summary \| order"),
        ("kind", 5, "kind"),
        ("also", ["when", "poem"], r"also\[1\]: got 'poem'"),
        ("also", "when", "also"),
        ("k", 0, "k: got 0; accepted: an integer of 1-"),
        ("k", True, "k: got True"),
        ("k", 2.5, "k: got 2.5"),
        ("k", 10**9, "k"),
        ("weights", 5, "weights"),
        ("weights", {"vector": 1}, "weights"),
        ("weights", {"lexical": -1}, r"weights.lexical: got -1"),
        ("weights", {"lexical": float("nan")}, r"weights.lexical"),
        ("weights", {"lexical": 101}, r"weights.lexical: got 101; accepted: a number of 0-100"),
        ("weights", {"semantic": 0, "lexical": 0, "symbolic": 0}, "weights: .* at least one"),
        ("smoothing", 10.5, "smoothing: got 10.5; accepted: a number of 0-10"),
        ("smoothing", -1, "smoothing"),
        ("distinct", None, "distinct: got None; accepted: True or False"),
        ("diversity", -0.5, "diversity: got -0.5; accepted: a number of 0-1"),
        ("diversity", float("nan"), "diversity"),
        ("spread", 1, "spread: got 1; accepted: True or False"),
        ("sessions", 0, "sessions: got 0"),
        ("sessions", 5_000, "sessions"),
        ("reasons", "because", "reasons"),
    ],
)
def test_bad_fields(field: str, value: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        Plan.from_dict({"question": "?", field: value})


def test_bad_plans() -> None:
    for bad in (None, [], "question"):
        with pytest.raises(InvalidArgumentError, match="plan: got"):
            Plan.from_dict(bad)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="plan: got 'depth'; accepted: the fields question"):
        Plan.from_dict({"question": "?", "depth": 3})
    with pytest.raises(InvalidArgumentError, match="plan: got 5"):
        Plan.from_dict({5: "?"})  # type: ignore[dict-item]
    with pytest.raises(InvalidArgumentError, match="question"):
        Plan.from_dict({"k": 3})


TIMES = st.none() | st.integers(MIN_MICROS, MAX_MICROS)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
PLANS = st.builds(
    Plan,
    question=TEXTS,
    semantic=TEXTS,
    lexical=TEXTS,
    intervals=st.lists(
        st.tuples(TIMES, TIMES).filter(lambda pair: None in pair or pair[0] < pair[1]),  # type: ignore[operator]
        max_size=3,
    ).map(tuple),
    tags=st.lists(TEXTS, max_size=3).map(tuple),
    names=st.lists(TEXTS, max_size=3).map(tuple),
    kind=st.sampled_from(KINDS_OF_QUESTION),
    also=st.lists(st.sampled_from(KINDS_OF_QUESTION), max_size=3).map(tuple),
    k=st.integers(1, 100),
    weights=st.builds(
        ViewWeights, semantic=st.floats(0.1, 9), lexical=st.floats(0, 9), symbolic=st.floats(0, 9)
    ),
    smoothing=st.floats(0, 1),
    spread=st.booleans(),
    sessions=st.integers(1, 1000),
    distinct=st.booleans(),
    diversity=st.floats(0, 1000),
    reasons=st.lists(TEXTS, max_size=3).map(tuple),
)


@PROFILE
@given(PLANS)
def test_json_and_back(one: Plan) -> None:
    assert Plan.from_dict(json.loads(json.dumps(one.to_dict()))) == one


# By rules.


def test_every_kind_has_its_setting() -> None:
    assert set(SETTINGS) == set(KINDS_OF_QUESTION)
    for kind, setting in SETTINGS.items():
        assert setting.k >= 3
        assert setting.k <= 20 or kind in ("list", "order", "summary")


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Where did Ana buy the boat?", "lookup"),
        ("When did Ana buy the boat?", "when"),
        ("Which did Ana buy first, the boat or the car?", "order"),
        ("How many boats did Ana buy?", "list"),
        ("Can you recommend a boat?", "preference"),
        ("What did you recommend?", "assistant"),
        ("Where does Ana live now?", "update"),
        ("Does Ana own a boat?", "yes_no"),
        ("Give me a summary of Ana's year", "summary"),
    ],
)
def test_settings_of_each_kind(question: str, kind: str) -> None:
    one = plan(question)
    setting = SETTINGS[one.kind]
    assert one.kind == kind
    assert (one.k, one.sessions) == (setting.k, setting.sessions)
    assert one.distinct == setting.distinct
    assert (one.weights, one.smoothing) == (ViewWeights(), 1.0)  # as learned
    assert (one.spread, one.diversity) == (False, 0.0)
    assert any(setting.reason in reason for reason in one.reasons)


@pytest.mark.parametrize(
    ("question", "spread"),
    [
        ("In which order did Ana visit the cities?", True),
        ("List the order in which I brought up my projects.", True),
        ("What is the order of the three trips, from earliest to latest?", True),
        ("In welcher Reihenfolge hat Ana die Städte besucht?", True),
        ("Which did Ana buy first, the boat or the car?", False),
        ("Did Ana swim before Ben?", False),
        ("How many cities did Ana visit?", False),
        ("Give me a summary of Ana's year", False),
    ],
)
def test_the_steps_of_an_order_are_spread_over_the_time(question: str, spread: bool) -> None:
    one = plan(question)
    assert one.spread == spread
    assert any("spread over the time" in reason for reason in one.reasons) == spread


def test_what_wants_every_mention_keeps_repetitions() -> None:
    assert plan("Where did Ana swim?").distinct
    for question in ("How many times did Ana swim?", "When did Ana swim?", "Where does Ana live now?"):
        assert not plan(question).distinct
    assert plan("How many times did Ana swim?").sessions > 1


def test_times_names_and_tags() -> None:
    one = plan("Did Mel go camping in May 2023 or at two pride parades last week?")
    assert one.names == ("Melanie",)
    assert one.tags == ("camping", "pride_parade")
    assert one.intervals == (
        (to_micros("2023-05-01"), to_micros("2023-06-01")),
        (to_micros("2023-06-05"), to_micros("2023-06-12")),
    )
    assert one.lexical.endswith("? Melanie")
    assert one.k == 15
    for words in ("'Mel'", "'camping'", "'May 2023'", "'last week'", "Melanie", "several times"):
        assert any(words in reason for reason in one.reasons), words


def test_accents_may_be_signs_of_their_own() -> None:
    for question in ("¿Qué libros leí el sábado pasado?", "Où étais-je en août ?", "Was geschah im März?"):
        apart = plan(normalize("NFD", question))
        assert apart.question == normalize("NFD", question)
        assert len(apart.intervals) == 1
        assert replace(apart, question=question) == plan(question)


def test_words_join_the_lexical_query_for_names_that_are_spelled_otherwise() -> None:
    people = Vocabulary(speakers=["Melanie", "Caroline", "June"])
    one = plan("Could you tell me where Mel met June's friend Carolinne?", people)
    assert one.semantic == "where Mel met June's friend Carolinne?"
    assert one.lexical == f"{one.semantic} Melanie Caroline"
    assert "words added: Melanie, Caroline" in one.reasons
    assert any("without what the question says about itself" in reason for reason in one.reasons)
    plain = plan("Does Melanie's friend go campng?")  # only a tag is misspelled: no memory spells it so
    assert plain.lexical == plain.question
    assert not any(reason.startswith(("words added", "query")) for reason in plain.reasons)


def test_people_are_no_months() -> None:
    assert plan("Did Melanie meet June in Oslo?").intervals == ()
    assert plan("Did Melanie meet June in Oslo?").names == ("Melanie", "June", "Oslo")
    assert plan("What did June say?").intervals == ()
    assert plan("Was it before June?").intervals == ()
    assert len(plan("Was it before June?", EMPTY).intervals) == 1
    assert len(plan("What did June say in June?").intervals) == 1


def test_names_of_several_words_keep_no_months() -> None:
    known = Vocabulary(speakers=["June Miller"], names=["April Fair", "May Street"])
    assert plan("Was it before May?", known).intervals == ((None, to_micros("2023-05-01")),)
    assert plan("Was it before the April Fair?", known).intervals == ()
    assert (
        plan("Was it before June?", known).intervals == ()
    )  # whoever speaks is called by each of their names


@pytest.mark.parametrize(
    ("question", "k", "reason"),
    [
        ("When does Ana swim?", 10, None),
        ("When does Ana swim now?", 12, "depth +2: may have changed"),
        ("Does Ana still swim?", 10, None),  # asks for just that, which its own depth is for
        ("Where does Melanie meet June?", 15, "depth +5: names several"),
        ("Where was Ana in May 2023 and in July 2022?", 15, "depth +5: several times"),
    ],
)
def test_what_a_question_has_more_of_goes_deeper(question: str, k: int, reason: str | None) -> None:
    one = plan(question)
    assert one.k == k
    assert [each for each in one.reasons if each.startswith("depth +")] == (
        [] if reason is None else [reason]
    )


def test_depth_is_bounded() -> None:
    deep = plan("What did you still tell Melanie and June in Oslo in May 2023, in 2022, and last week?")
    assert deep.k == 20
    assert plan("How many boats did Melanie and June buy in 2021 and in 2022?").k == 30


@pytest.mark.parametrize(
    ("question", "bare"),
    [
        ("Can you tell me when Ana went camping?", "when Ana went camping?"),
        ("Hi, could you please remind me what the dog is called?", "what the dog is called?"),
        ("I was wondering where Ana lives", "where Ana lives"),
        ("Do you remember where Ana lives?", "where Ana lives?"),
        ("Do you recall what Ben said?", "what Ben said?"),
        ("So, do you know about the dog's name?", "the dog's name?"),
        ("I'd like to know who sings", "who sings"),
        ("Do you know Ben?", "Do you know Ben?"),  # one word is no question
        ("Do you knowingly lie?", "Do you knowingly lie?"),
        (
            "Can you list the order in which I brought up different aspects of my garden throughout our conversations, "
            "in order? Mention only five items.",
            "my garden ?",
        ),
        ("Give me a brief summary of the trip to Oslo", "the trip to Oslo"),
        ("What did I say? Answer with exactly one word.", "What did I say?"),
        ("Which did I see? Mention ONLY and ONLY five items.", "Which did I see?"),
        (
            "I lost it. Give me exactly the dose of ibuprofen.",
            "I lost it. Give me exactly the dose of ibuprofen.",
        ),
        ("The doctor called. List only Ben's allergies.", "The doctor called. List only Ben's allergies."),
        ("can u pls remind me what ana said", "what ana said"),
        ("i cant remember where i parked", "where i parked"),
        ("Any idea where my keys are?", "where my keys are?"),
        ("any ideas for dinner", "any ideas for dinner"),
        ("Tell me more", "Tell me more"),
        ("Please", "Please"),
        ("Where  is\tit?", "Where is it?"),
        ("List the cheeses", "List the cheeses"),
        ("Well-known restaurants I like?", "Well-known restaurants I like?"),
        ("Hi, so-young's birthday?", "so-young's birthday?"),
        ("Well, where is it?", "where is it?"),
        ("thanks! and what about Tom?", "and what about Tom?"),
        ("hi there! what's my address", "what's my address"),
        ("I was wondering if you remember what I said", "what I said"),
        ("hmm... btw what did Ana say?", "what did Ana say?"),
        ("Um Kulthum's best song", "Um Kulthum's best song"),
    ],
)
def test_what_a_question_says_about_itself(question: str, bare: str) -> None:
    assert bare_question(question) == bare


@pytest.mark.parametrize("question", ["", " \n\t", "\u3000"])
def test_blank_questions(question: str) -> None:
    with pytest.raises(InvalidArgumentError, match="question: .* not blank"):
        plan(question)


@pytest.mark.parametrize(
    "question",
    [
        "?",
        "the of and to in",
        '"AND" (OR) NOT -x +y ~2 ^3 field:* \\ \'',
        "¿Dónde está mi perro?",
        "我的狗在哪里？",
        "أين كلبي؟",
        "🐕❓",
        "\x00\x01",
        "\u202ereversed",
        "a" * 100_000,
        "May 2023 or Melanie " * 50_000,
        "can you " * 120_000,
        '"' * 1_000_000,
        "give me " * 100_000,
        "mention only " * 80_000,
    ],
)
@pytest.mark.parametrize("now", [MIN_MICROS, 0, NOW, "9999-12-31T23:59:59.999999Z"])
def test_odd_questions_and_times(question: str, now: Any) -> None:
    one = plan_by_rules(question, now=now, vocabulary=VOCABULARY)
    assert one.question == question
    assert one.semantic.strip()
    assert one.lexical.strip()
    assert len(one.semantic) <= 10_000
    assert Plan.from_dict(json.loads(json.dumps(one.to_dict()))) == one


def test_bad_arguments() -> None:
    with pytest.raises(TimeError, match="now"):
        plan_by_rules("When?", now="soon", vocabulary=EMPTY)
    with pytest.raises(InvalidArgumentError, match="vocabulary"):
        plan_by_rules("When?", now=NOW, vocabulary=None)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="question"):
        plan_by_rules(5, now=NOW, vocabulary=EMPTY)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="lone surrogates"):
        plan_by_rules("\ud800", now=NOW, vocabulary=EMPTY)


@PROFILE
@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80),
    st.integers(MIN_MICROS, MAX_MICROS),
)
def test_whatever_comes(question: str, now: int) -> None:
    if question.strip():
        assert plan_by_rules(question, now=now, vocabulary=VOCABULARY).question == question


@pytest.mark.parametrize(
    ("question", "distinct"),
    [
        ("What dishes does Ana like?", True),
        ("List all the countries that she counted on.", True),
        ("How many times did Ana cook risotto?", False),
        ("How much did she spend in total?", False),
        ("Wie oft hat Ana gekocht?", False),
        ("When did Ana cook?", False),
    ],
)
def test_who_counts_wants_every_mention_and_who_lists_each_thing_once(question: str, distinct: bool) -> None:
    assert plan(question).distinct is distinct


def test_names_join_a_query_that_lacks_them() -> None:
    assert (
        with_names("What did she paint?", ["Melanie", "Ana Lind"]) == "What did she paint? Melanie Ana Lind"
    )
    assert with_names("What did MELANIE paint with Ana's aunt?", ["Melanie", "Ana Lind"]) == (
        "What did MELANIE paint with Ana's aunt?"
    )


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Was war im Juli?", ()),
        ("What did we do in Jul 2023?", ()),
        ("Qu'ai-je fait hier matin ?", ()),
        ("O que fiz em março?", ()),
        ("what happened on Friday", ()),
        ("What did Jul say in July?", ("Julia",)),
        ("What did Marco say in March?", ("Marco",)),
        ("Wo ist die Kabine?", ()),
        ("¿Dónde está mi perro?", ()),
    ],
)
def test_a_time_is_nobody_with_a_name_like_it(question, names):
    known = Vocabulary(speakers=["Julia", "Marco", "Martin", "Frida", "Sabine", "Pedro"])
    assert plan_by_rules(question, now="2024-06-15T00:00:00Z", vocabulary=known).names == names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("who came besides Ana?", ()),
        ("what did anyone other than Ana tell Ben?", ("Ben",)),
        ("who came except Ana, Ben and Mira?", ()),
        ("instead of Ana, Ben came", ("Ben",)),
        ("who apart from Ana did Ana meet?", ("Ana",)),
        ("Wer kam außer Ana und Mira?", ()),
        ("what exception did Ana make?", ("Ana",)),
    ],
)
def test_who_is_left_out_is_not_named(question, names):
    known = Vocabulary(speakers=["Ana", "Ben", "Mira"])
    assert plan_by_rules(question, now="2024-06-15T00:00:00Z", vocabulary=known).names == names
