"""`Memory.search` by its learned ranking: what is planned, what is given by hand, and what nothing may break."""

from __future__ import annotations

import inspect
import socket
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memspan import errors
from memspan.memory import Memory
from memspan.one_user.user_memory import UserMemory
from memspan.query import Query
from memspan.ranking import FEATURES, Ranker, default_ranker
from memspan.ranking.conditions import conditions_of
from memspan.recall import Plan, plan_by_rules
from memspan.remember.searching.asking import DEFAULT_FUSION, asked
from memspan.remember.searching.searching import features

TURNS = [
    ("d1", "Ana", "Where did you sail last summer?"),
    ("d1", "Bo", "Around the isle of Fur, with my sister."),
    ("d1", "Ana", "Did the boat hold?"),
    ("d1", "Bo", "It did. We painted the boat red in March."),
    ("d2", "Ana", "My sister moved to Lund."),
    ("d2", "Bo", "Has she found work?"),
    ("d2", "Ana", "Yes, in a bakery."),
    ("d3", "Bo", "I sold the red boat."),
    ("d3", "Ana", "Why?"),
    ("d3", "Bo", "The mast broke in the storm of 5 May."),
    ("d3", "Ana", "What a pity."),
    ("", "", "A note without a session about paint."),
]
DAYS = {"d1": "2023-03-05", "d2": "2023-04-10", "d3": "2023-05-06", "": "2023-06-01"}


def messages() -> list[dict[str, Any]]:
    return [
        {
            "id": f"m{number}",
            "text": text,
            "at": f"{DAYS[session]}T10:{number:02d}:00Z",
            **({"session": session, "speaker": speaker} if session else {}),
        }
        for number, (session, speaker, text) in enumerate(TURNS)
    ]


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.add(messages(), user="ana")
    memory.add([{"id": "m0", "text": "Ben's boat is blue and secret", "speaker": "Ben"}], user="ben")
    return memory


def pairs(found: Any) -> list[tuple[str, float]]:
    return [(recall.id, recall.score) for recall in found]


def native(memory: Memory, **arguments: Any) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in memory._engine.current().search(user="ana", **arguments)]


def embedded(memory: Memory, text: str) -> Any:
    return memory._engine.embedder.query(text)


def test_the_default_plans_and_ranks_by_learned_weights(filled: Memory) -> None:
    assert DEFAULT_FUSION == "learned"
    question = "What colour did Bo paint the boat in March 2023?"
    found = filled.search(question, user="ana", k=5)
    plan = found.plan
    assert plan is not None
    assert plan.question == question
    assert plan.intervals
    vocabulary = filled._engine.vocabularies.of(filled._engine.current(), "ana")
    assert plan == plan_by_rules(question, now="2023-06-01T10:11:00Z", vocabulary=vocabulary)
    ranking = default_ranker().ranking(conditions_of(plan, vocabulary), plan.intervals)
    assert pairs(found) == native(
        filled,
        text=plan.lexical,
        embedding=embedded(filled, plan.semantic),
        fusion="learned",
        ranking=ranking,
        views=["semantic", "lexical"],
        depth=256,
        k=5,
    )
    assert pairs(filled.search(question, user="ana", k=5, fusion="learned")) == pairs(found)


def test_rrf_is_what_it_was(filled: Memory) -> None:
    question = "the red boat in March"
    for options in ({}, {"neighbors": 2}, {"kinds": ["episodic"]}):
        found = filled.search(question, user="ana", fusion="rrf", **options)
        assert found.plan is None
        assert pairs(found) == native(
            filled, text=question, embedding=embedded(filled, question), depth=1000, fusion="rrf", **options
        )


def test_neighbours_by_a_rule_go_with_a_fusion_by_rank(filled: Memory) -> None:
    found = filled.search("red boat", user="ana", neighbors=1)
    assert found.plan is None
    assert pairs(found) == pairs(filled.search("red boat", user="ana", neighbors=1, fusion="rrf"))
    with pytest.raises(errors.InvalidArgumentError, match="^neighbors"):
        filled.search("red boat", user="ana", neighbors=1, fusion="learned")
    with pytest.raises(errors.InvalidArgumentError, match="^neighbors"):
        filled.search("red boat", user="ana", neighbors=101)


def test_one_view_keeps_its_own_order(filled: Memory) -> None:
    for view in ("lexical", "semantic"):
        found = filled.search("red boat", user="ana", views=[view])
        assert found.plan is None
        assert pairs(found) == pairs(filled.search("red boat", user="ana", views=[view], fusion="rrf"))
        ranked = filled.search("red boat", user="ana", views=[view], fusion="learned")
        assert ranked.plan is not None
        assert (
            ranked.plan == filled.search("red boat", user="ana", views=[view], ranker=default_ranker()).plan
        )


def test_a_plan_by_hand_is_followed(filled: Memory) -> None:
    hand = Plan(question="?", semantic="paint", lexical="mast storm", k=3)
    found = filled.search("what happened", user="ana", plan=hand, views=["lexical"], k=1)
    assert found.plan is hand
    assert found[0].id == "m9"
    both = filled.search("what happened", user="ana", plan=hand, k=12)
    assert pairs(both) == native(
        filled,
        text="mast storm",
        embedding=embedded(filled, "paint"),
        fusion="learned",
        ranking=default_ranker().ranking(
            conditions_of(hand, filled._engine.vocabularies.of(filled._engine.current(), "ana"))
        ),
        views=["semantic", "lexical"],
        depth=256,
        k=12,
    )


def test_times_of_a_plan_lift_and_never_filter(filled: Memory) -> None:
    start, end = 1_680_307_200_000_000, 1_682_899_200_000_000  # April
    ranker = Ranker({"always": {"bm25_z": 0.001, "hinted": 1.0}})
    plan = Plan(question="sister boat", intervals=((start, end),))
    found = filled.search("sister boat", user="ana", plan=plan, ranker=ranker, k=12)
    assert len(found) == 12  # all that there are
    assert {recall.id for recall in found[:3]} == {"m4", "m5", "m6"}
    filtered = filled.search("sister boat", user="ana", plan=plan, ranker=ranker, k=12, between=(start, end))
    assert {recall.id for recall in filtered} == {"m4", "m5", "m6"}


def test_tags_of_a_plan_lift_and_never_filter(memory: Memory) -> None:
    memory.add(
        [{"id": str(i), "text": f"boat {i}", "tags": ["sea"] if i == 3 else []} for i in range(6)], user="ana"
    )
    ranker = Ranker({"always": {"tagged": 1.0}})
    found = memory.search("boat", user="ana", plan=Plan(question="boat", tags=("sea",)), ranker=ranker)
    assert len(found) == 6
    assert pairs(found)[0] == ("3", 1.0)
    # Views that are named leave tags out unless they are among them.
    plain = memory.search(
        "boat", user="ana", plan=Plan(question="boat", tags=("sea",)), ranker=ranker, views=["lexical"]
    )
    assert all(recall.score == 0.0 for recall in plain)
    assert memory.search("boat", user="ana", plan=Plan(question="boat", tags=("nowhere",)))


def test_a_plan_decides_what_comes_back(memory: Memory) -> None:
    memory.add(
        [
            {
                "id": f"{day}{number}",
                "text": text,
                "at": f"2023-05-0{day}",
                "speaker": "Ana",
                "session": str(day),
            }
            for day in (1, 2, 3)
            for number, text in enumerate(("The red boat sails.", "The boat sails far today."))
        ],
        user="ana",
    )
    ranker = Ranker({"always": {"coverage": 1.0}})
    question = "red boat"

    def found(k: int = 3, **fields: Any) -> list[str]:
        plan = Plan(question=question, k=k, **fields)
        return [recall.id for recall in memory.search(question, user="ana", plan=plan, ranker=ranker, k=k)]

    assert found(distinct=False) == ["30", "20", "10"]  # equals: newer first
    assert found(k=2) == ["30", "31"]  # the others say the same
    assert found(k=6) == ["30", "20", "10", "31", "21", "11"]  # nobody is lost
    assert {id_[0] for id_ in found(k=2, sessions=2, distinct=False)} == {"2", "3"}
    assert len({id_[0] for id_ in found(k=3, sessions=3, distinct=False)}) == 3
    plan = Plan(question=question, spread=True, diversity=1.0)
    told = memory.search(question, user="ana", plan=plan, ranker=ranker, k=2, explain=True)
    assert told.explanation is not None
    assert told.explanation["repeats"]
    assert told[0].explanation is not None
    assert told[0].explanation["selection"]["rank"] == 1
    assert told[1].explanation is not None
    assert told[1].explanation["selection"]["alike"] > 0.0


def test_age_never_counts(memory: Memory) -> None:
    """Equal scores come newer first, and say so; nothing else looks at how old a record is."""
    texts = ["The boat is red.", "The mast is long.", "A boat with a sail."]
    for user, year in (("ana", 2023), ("bo", 1923)):
        memory.add(
            [
                {"id": str(number), "text": text, "at": f"{year + number}-01-01"}
                for number, text in enumerate(texts)
            ],
            user=user,
        )
    new, old = (memory.search("boat", user=user, now="2026-01-01") for user in ("ana", "bo"))
    assert [(recall.id, recall.score) for recall in new] == [(recall.id, recall.score) for recall in old]
    equal = memory.search(
        "boat", user="ana", ranker=Ranker({}), plan=Plan(question="boat"), k=3, explain=True
    )
    assert [recall.id for recall in equal] == ["2", "1", "0"]
    assert all(recall.explanation is not None and recall.explanation["tied"] for recall in equal)


def test_records_equal_in_everything_but_their_time_are_tied(memory: Memory) -> None:
    memory.add(
        [
            {"id": str(day), "text": "Ana likes tea.", "at": f"2024-01-0{day}", "session": f"s{day}"}
            for day in range(1, 6)
        ],
        user="ana",
    )
    found = memory.search("When does Ana like tea?", user="ana", explain=True)
    assert [recall.id for recall in found] == ["5", "4", "3", "2", "1"]
    assert len({recall.score for recall in found}) == 1
    assert all(recall.explanation is not None and recall.explanation["tied"] for recall in found)
    assert {recall.views["lexical"][0] for recall in found} == {1}


def test_names_of_a_plan_lift_what_they_said(memory: Memory) -> None:
    speakers = ["Ana", "Bea Lind"]
    memory.add([{"text": f"The boat of {n}.", "speaker": speakers[n % 2]} for n in range(6)], user="ana")
    question, only_names = "Did the boat hold?", Ranker({"always": {"named": 1.0}})
    for name, speaker in (("ana", "Ana"), ("Bea", "Bea Lind")):
        plan = Plan(question=question, names=(name,))
        found = memory.search(question, user="ana", plan=plan, ranker=only_names)
        assert {recall.record.speaker for recall in found if recall.score == 1.0} == {speaker}
    of_bea = "Did Bea's boat hold?"
    named = memory.search(of_bea, user="ana", plan=Plan(question=of_bea, names=("bea",)))
    assert pairs(named) == pairs(memory.search(of_bea, user="ana", plan=Plan(question=of_bea)))


def test_depth_is_that_of_the_plan_if_none_is_named(filled: Memory) -> None:
    assert len(filled.search("boat", user="ana", k=None, plan=Plan(question="boat", k=4))) == 4
    assert len(filled.search("boat", user="ana", k=2, plan=Plan(question="boat", k=4))) == 2
    found = filled.search("Where did Bo sail?", user="ana", k=None)
    assert found.plan is not None
    assert len(found) == min(found.plan.k, len(TURNS))
    assert len(filled.search("boat", user="ana", k=None, fusion="rrf")) == 10


def test_a_ranker_of_ones_own(filled: Memory) -> None:
    questions = Ranker({"always": {"asks": 1.0}})
    found = filled.search("boat", user="ana", ranker=questions, k=12)
    asking = {f"m{number}" for number, (_, _, text) in enumerate(TURNS) if text.endswith("?")}
    assert {recall.id for recall in found if recall.score == 1.0} == asking
    assert {recall.id for recall in found[: len(asking)]} == asking


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"plan": "boat"}, "plan"),
        ({"plan": {"question": "boat"}}, "plan"),
        ({"ranker": {"always": {}}}, "ranker"),
        ({"ranker": "weights.json"}, "ranker"),
        ({"plan": Plan(question="x"), "fusion": "rrf"}, "plan"),
        ({"plan": Plan(question="x"), "neighbors": 2}, "neighbors"),
        ({"ranker": default_ranker(), "fusion": "union"}, "ranker"),
        ({"fusion": "learnt"}, "fusion"),
        ({"fusion": 3}, "fusion"),
        ({"k": "many"}, "k"),
        ({"k": 0}, "k"),
        ({"k": 10**9}, "k"),
        ({"k": True}, "k"),
    ],
)
def test_bad_options_are_named(filled: Memory, options: dict[str, Any], named: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=f"^{named}"):
        filled.search("boat", user="ana", **options)


def test_explanations_tell_what_each_feature_added(filled: Memory) -> None:
    found = filled.search("Who painted the red boat in March?", user="ana", k=6, explain=True)
    for recall in found:
        assert recall.explanation is not None
        parts = recall.explanation["features"]
        assert set(parts) <= set(FEATURES)
        assert sum(parts.values()) == pytest.approx(recall.score, abs=1e-3)
        sizes = [abs(part) for part in parts.values()]
        assert sizes == sorted(sizes, reverse=True)
        assert recall.explanation["net"] != 0.0
    plain = filled.search("red boat", user="ana", fusion="rrf", explain=True)
    assert all("features" not in recall.explanation for recall in plain if recall.explanation)


def test_the_net_is_silent_where_an_assistant_speaks(filled: Memory) -> None:
    question = "Who painted the red boat?"
    assert all(recall.explanation["net"] for recall in filled.search(question, user="ana", explain=True))  # type: ignore[index]
    filled.add({"text": "How can I help you?", "speaker": "assistant"}, user="ana")
    found = filled.search(question, user="ana", explain=True)
    assert len(found) > 1
    assert all(recall.explanation["net"] == 0.0 for recall in found)  # type: ignore[index]


def test_what_a_search_ranks_by_can_be_had(filled: Memory) -> None:
    prepared = asked(
        filled._engine,
        "red boat",
        user="ana",
        now=None,
        views=None,
        exclude=(),
        fusion="learned",
        arguments={"k": 12},
    )
    ids, rows = features(filled._engine, prepared)
    found = filled.search("red boat", user="ana", k=12)
    vocabulary = filled._engine.vocabularies.of(filled._engine.current(), "ana")
    assert prepared.plan is not None
    ranker = default_ranker()
    assert ranker.net is not None
    weights = np.zeros(len(FEATURES))
    for name in ("always", *conditions_of(prepared.plan, vocabulary)):
        for feature, weight in ranker.weights.get(name, {}).items():
            weights[FEATURES.index(feature)] += weight
    scores = dict(zip(ids, rows @ weights + ranker.net(rows), strict=True))
    for recall in found:
        assert recall.score == pytest.approx(scores[recall.id], abs=1e-3)
    assert isinstance(Query(**prepared.arguments), Query)


def test_unknown_and_empty_users(filled: Memory) -> None:
    for question in ("boat", "When did she sail last week?", "the of and"):
        found = filled.search(question, user="nobody")
        assert found == []
        assert found.plan is not None
    filled.forget(user="ben")
    assert filled.search("boat", user="ben") == []


ODD_QUESTIONS = {
    "only stop words": "what is the of and to a",
    "only marks": "?! ... --- '' \"\"",
    "operators": '"red boat" AND (NOT mast) OR sail* NEAR/3 col:val ^2 ~ \\ %_ ; DROP TABLE records; --',
    "quotes": "'\"''\"\"' “boat” «boat» `boat`",
    "another script": "赤い船はどこですか？ Где лодка? أين القارب؟ ⛵",
    "controls": "boat\x00\x01\x7f\u200b\u202e\ufeff",
    "a combining storm": "b" + "\u0301" * 500 + "oat",
    "json": '{"question": {"$ne": null}}',
    "a path": "../../etc/passwd",
    "one letter": "x",
    "huge": "boat in March with my sister " * 3_000,
    "one huge word": "boat" * 30_000,
    "many times": " ".join(f"on {day} May {year}" for year in range(1900, 2024) for day in range(1, 29)),
}


@pytest.mark.parametrize("name", ODD_QUESTIONS)
def test_odd_questions_bring_records_back(filled: Memory, name: str) -> None:
    found = filled.search(ODD_QUESTIONS[name], user="ana", k=5)
    assert len(found) == 5  # every record has an embedding
    assert all(recall.record.user == "ana" for recall in found)
    assert np.isfinite([recall.score for recall in found]).all()


@pytest.mark.parametrize(
    "now",
    ["0001-01-01T00:00:00Z", "1800-01-01", "2023-05-08T12:00:00Z", "2500-01-01", "9999-12-31T23:59:59Z", 0],
)
@pytest.mark.parametrize(
    "question",
    [
        "What did Bo do last week?",
        "two years ago, a boat",
        "next summer",
        "in 300 days",
        "since 1900 until now",
        "yesterday",
    ],
)
def test_any_now_will_do(filled: Memory, now: Any, question: str) -> None:
    found = filled.search(question, user="ana", now=now, k=12)
    assert len(found) == 12


def test_now_moves_what_a_question_speaks_of(filled: Memory) -> None:
    ranker = Ranker({"always": {"hinted": 1.0}})

    def best(now: Any) -> set[str]:
        found = filled.search("What happened last month?", user="ana", now=now, k=12, ranker=ranker)
        return {recall.record.session or "" for recall in found if recall.score == 1.0}

    assert best("2023-05-20") == {"d2"}
    assert best("2023-04-20") == {"d1"}
    assert best(None) == {"d3"}  # the newest record is of June
    assert best("1990-01-01") == set()


def test_no_other_users_records_and_names_matter(
    filled: Memory, open_memory: Callable[..., Memory], tmp_path: Any
) -> None:
    alone = open_memory(tmp_path / "alone.memspan")
    alone.add(messages(), user="ana")
    for question in ("What about Ben's boat?", "red boat", "the secret"):
        ours, theirs = filled.search(question, user="ana", k=12), alone.search(question, user="ana", k=12)
        assert pairs(ours) == pairs(theirs)
        assert ours.plan == theirs.plan
        assert all(recall.record.user == "ana" for recall in ours)
        assert all(recall.record.user == "ben" for recall in filled.search(question, user="ben"))


def test_vault_records_never_come_unasked(memory: Memory) -> None:
    turns = [
        {
            "id": str(i),
            "text": f"boat turn {i}",
            "session": "s",
            "at": i,
            "kind": "vault" if i % 2 else "episodic",
        }
        for i in range(30)
    ]
    memory.add(turns, user="ana")
    for question in ("boat turn 7", "turn", "unrelated"):
        assert {recall.record.kind for recall in memory.search(question, user="ana", k=30)} == {"episodic"}
    assert {recall.id for recall in memory.search("boat", user="ana", kinds=["vault"], k=30)} == {
        str(i) for i in range(1, 30, 2)
    }


def test_a_change_of_the_vocabulary_is_seen_at_once(memory: Memory) -> None:
    memory.add([{"id": "1", "text": "hello", "speaker": "Ana"}], user="u")
    first = memory.search("What did Zebulon say?", user="u").plan
    memory.add([{"id": "2", "text": "hello", "speaker": "Zebulon"}], user="u")
    second = memory.search("What did Zebulon say?", user="u").plan
    assert first is not None
    assert second is not None
    assert "Zebulon" in second.names
    memory.forget(user="u", id="2")
    third = memory.search("What did Zebulon say?", user="u").plan
    assert third == first


def test_the_default_search_needs_no_network(
    monkeypatch: pytest.MonkeyPatch, open_memory: Callable[..., Memory], tmp_path: Any
) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a socket was opened")

    for name in ("socket", "create_connection", "getaddrinfo", "gethostbyname"):
        monkeypatch.setattr(socket, name, refuse)
    memory = open_memory(tmp_path / "offline.memspan")
    memory.add(messages(), user="ana")
    assert len(memory.search("What did Bo paint last March?", user="ana", k=None)) > 0


async def _asked_in_three_ways(memory: Memory) -> list[list[tuple[str, float]]]:
    plan, ranker = Plan(question="boat", lexical="mast"), Ranker({"always": {"bm25_z": 1.0}})
    options: dict[str, Any] = {"plan": plan, "ranker": ranker, "k": None}
    return [
        pairs(memory.search("boat", user="ana", **options)),
        pairs(memory.user("ana").search("boat", **options)),
        pairs(await memory.asearch("boat", user="ana", **options)),
    ]


def test_bound_and_async_forms_take_the_same(filled: Memory) -> None:
    import asyncio

    first, *others = asyncio.run(_asked_in_three_ways(filled))
    assert all(other == first for other in others)
    plain = inspect.signature(Memory.search).parameters
    for form in (UserMemory.search, Memory.asearch):
        own = inspect.signature(form).parameters
        for name, parameter in plain.items():
            if name in own and name != "self":
                assert own[name].default == parameter.default, name
    assert set(plain) - set(inspect.signature(UserMemory.search).parameters) == {"user"}
