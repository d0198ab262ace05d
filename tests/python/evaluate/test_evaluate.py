"""From files to figures, with the embedder that needs no model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import memspan
from memspan.errors import FormatError, InvalidArgumentError
from memspan.evaluate import (
    DATA_SETS,
    Answered,
    Evaluation,
    LabelledQuestion,
    ask_memory,
    evaluate,
)
from memspan.memory import Memory
from memspan.remember.searching.recall import Recalls, Timings

Labelled = Callable[..., Path]
HASH = "hash:64"


def run(path: Path, name: str, stores: Path, **options: Any) -> Evaluation:
    return evaluate(name, path, embedder=HASH, store_dir=stores, **options)


def answer(*retrieved: str, evidence: str = "a", category: str = "c", **question: Any) -> Answered:
    """A question as if `retrieved` had come back."""
    asked = LabelledQuestion(
        user="u",
        id=question.pop("id", "u/0"),
        text="?",
        category=category,
        position="f",
        evidence=frozenset(evidence),
        **question,
    )
    return Answered(
        question=asked,
        unit="turn",
        retrieved=retrieved,
        sessions=tuple(f"s-{id_}" for id_ in retrieved),
        score=0.0,
        timings=Timings(planning=0.125, embedding=0.25, search=0.5, fetch=0.125),
        store=Path("s"),
    )


def evaluation(*answers: Answered, ks: tuple[int, ...] = (1, 2)) -> Evaluation:
    return Evaluation(
        data_set="locomo",
        unit="turn",
        categories=tuple(sorted({each.question.category for each in answers})),
        ks=ks,
        embedder="hash",
        options={},
        files=(),
        questions=answers,
    )


@pytest.mark.parametrize("name", list(DATA_SETS))
def test_every_question_of_every_data_set_is_asked(labelled: Labelled, stores: Path, name: str) -> None:
    result = run(labelled(name), name, stores, ks=[3, 1, 3])
    assert result.ks == (1, 3)
    questions = sum(file.questions for file in result.files)
    assert len(result.questions) == questions == result.groups()[0].questions
    assert all(len(each.retrieved) == len(each.sessions) <= 3 for each in result.questions)
    total = result.groups()[0]
    assert 0 < total.scored <= total.questions
    assert total.scored + total.unanswerable + total.unlabelled == total.questions
    assert sum(group.questions for group in result.groups()[1:]) == total.questions
    assert {group.name for group in result.groups()[1:]} == set(result.categories)


@pytest.mark.parametrize(
    ("name", "left", "user"),
    [
        ("locomo", lambda value: value[1]["conversation"].update(session_1=[]), "harbour"),
        (
            "longmemeval",
            lambda value: value[1].update(
                haystack_sessions=[], haystack_session_ids=[], haystack_dates=[], answer_session_ids=[]
            ),
            "q-2_abs",
        ),
    ],
)
def test_a_conversation_in_which_nothing_is_said_is_asked_about(
    labelled: Labelled, stores: Path, name: str, left: Callable[[Any], None], user: str
) -> None:
    result = run(labelled(name, left), name, stores, tokens=100)
    (silent,) = [each for each in result.questions if each.question.user == user]
    assert silent.retrieved == ()
    assert not silent.scored
    assert result.groups()[0].scored > 0


def test_micro_averages_and_counts() -> None:
    result = evaluation(
        answer("a", "x", category="one"),
        answer("x", "b", evidence="ab", category="one"),
        answer("x", "y", evidence="a", category="two"),
        answer("x", "y", evidence="", category="two"),
        answer("a", "y", category="two", answerable=False),
    )
    everything, one, two = result.groups()
    assert (everything.questions, everything.scored, everything.unanswerable, everything.unlabelled) == (
        5,
        3,
        1,
        1,
    )
    means = {name: score.mean for name, score in everything.scores.items()}
    assert means["recall@1"] == pytest.approx(1 / 3)
    assert means["recall@2"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert means["all@2"] == pytest.approx(1 / 3)
    assert means["hit@2"] == pytest.approx(2 / 3)
    assert means["mrr"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert (one.scored, two.scored) == (2, 1)
    assert one.scores["recall@2"].mean == pytest.approx(0.75)
    assert two.scores["recall@2"].mean == 0
    assert result.groups(by_category=False) == [everything]
    assert everything.scores["recall@2"].low <= means["recall@2"] <= everything.scores["recall@2"].high


def test_nothing_scored_gives_no_figures() -> None:
    group = evaluation(answer("a", answerable=False)).groups()[0]
    assert (group.questions, group.scored, group.scores, group.session_hits) == (1, 0, {}, {})


def test_sessions_stand_beside() -> None:
    result = evaluation(
        answer("x", "a", sessions=frozenset({"s-x"})),
        answer("x", "a", evidence="", sessions=frozenset({"s-a"})),
        answer("x", "a", sessions=frozenset({"s-x"}), answerable=False),
    )
    group = result.groups()[0]
    assert (group.scored, group.session_scored) == (1, 2)
    assert {name: hit.mean for name, hit in group.session_hits.items()} == {"hit@1": 0.5, "hit@2": 1}


def test_latency_is_by_stage() -> None:
    latency = evaluation(answer("a"), answer("b")).latency()
    assert {stage: (each.p50, each.p95) for stage, each in latency.items()} == {
        "planning": (0.125, 0.125),
        "embedding": (0.25, 0.25),
        "search": (0.5, 0.5),
        "fetch": (0.125, 0.125),
        "reranking": (0.0, 0.0),
        "total": (1.0, 1.0),
    }
    assert evaluation().latency() == {}


def test_the_worst_are_those_whose_first_evidence_came_last() -> None:
    result = evaluation(
        answer("a", "x", "y", id="first"),
        answer("x", "y", "z", id="never"),
        answer("x", "a", "b", id="second, all", evidence="ab"),
        answer("x", "a", "y", id="second, half", evidence="ab"),
        answer("x", id="no answer", answerable=False),
    )
    ids = [each.question.id for each in result.worst(9)]
    assert ids == ["never", "second, half", "second, all", "first"]
    assert [each.question.id for each in result.worst(1)] == ["never"]


def test_ranks_name_what_did_not_come_back() -> None:
    assert answer("x", "b", evidence="abc").ranks == {"b": 2, "a": None, "c": None}


def test_unanswerable_questions_are_asked_and_never_scored(labelled: Labelled, stores: Path) -> None:
    result = run(labelled("locomo"), "locomo", stores)
    (adversarial,) = result.of_category("adversarial")
    assert adversarial.retrieved
    assert adversarial.relevant == {"D2:1"}
    assert not adversarial.scored
    group = next(group for group in result.groups() if group.name == "adversarial")
    assert (group.questions, group.scored, group.unanswerable, group.scores) == (1, 0, 1, {})
    assert result.categories == ("multi-hop", "temporal", "open-domain", "single-hop", "adversarial")


def test_labels_that_name_nothing_are_reported(labelled: Labelled, stores: Path) -> None:
    result = run(labelled("locomo"), "locomo", stores)
    assert result.missing_labels() == {"orchard/3": ("D9:9", "D:1:2")}


def test_labels_of_questions_of_one_id_are_all_reported() -> None:
    result = evaluation(answer("a", missing=("D9:9",)), answer("a"), answer("a", missing=("D7:1", "D7:2")))
    assert result.missing_labels() == {"u/0": ("D9:9", "D7:1", "D7:2")}


def test_the_unit_of_halumem_is_the_session(labelled: Labelled, stores: Path) -> None:
    result = run(labelled("halumem"), "halumem", stores, ks=[4])
    lives, back, _ = result.questions
    assert lives.relevant == {"session_1"}
    assert set(lives.ranked) == {"session_1"}  # nothing of the sessions that came later
    assert set(back.ranked) == {"session_1", "session_2"}
    assert result.groups()[0].scored == 2
    assert result.groups()[0].scores["recall@4"].mean == 1


def test_questions_are_asked_at_their_time_and_see_nothing_later(
    labelled: Labelled, stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[dict[str, Any]] = []
    original = Memory.search

    def search(self: Memory, question: str, **arguments: Any) -> Recalls:
        seen.append(arguments)
        return original(self, question, **arguments)

    monkeypatch.setattr(Memory, "search", search)
    result = run(labelled("halumem"), "halumem", stores, ks=[2], options={"views": ["lexical"]})
    for arguments, each in zip(seen[1:], result.questions, strict=True):
        assert arguments["now"] == each.question.now
        assert arguments["between"] == (None, each.question.until)
        assert arguments["views"] == ["lexical"]
        assert arguments["k"] == 2


def test_longmemeval_ranks_user_turns_for_its_own_metrics(labelled: Labelled, stores: Path) -> None:
    result = run(labelled("longmemeval"), "longmemeval", stores, ks=[1])
    ladder, anvil, dog, _ = (each.user_turns for each in result.questions)
    assert ladder is not None
    assert sorted(ladder.ranked) == ["answer_b:0", "answer_b:2", "s-a:0", "s-c:0"]
    assert (ladder.correct, ladder.sessions) == ({"answer_b:0"}, {"answer_b"})
    assert dog is not None
    assert (dog.correct, dog.sessions) == (frozenset(), {"s-e", "s-e#2"})
    assert anvil is not None
    turn, session = result.longmemeval()
    assert (turn["level"], turn["k"], session["level"]) == ("turn", 1, "session")
    assert turn["scripts"]["questions"] == 3  # all but the abstention
    assert turn["corrected"]["questions"] == 1
    assert session["corrected"]["questions"] == 3
    assert turn["scripts"]["recall_all"] >= 2 / 3  # twice all of nothing
    assert run(labelled("locomo"), "locomo", stores).longmemeval() == []


def test_only_these_users_and_so_many_questions(labelled: Labelled, stores: Path) -> None:
    path = labelled("locomo")
    result = run(path, "locomo", stores, users=["harbour"])
    assert [each.question.id for each in result.questions] == ["harbour/0"]
    with Memory(result.files[0].store) as memory:
        assert memory.users() == ["harbour"]
    limited = run(path, "locomo", stores, limit=2)
    assert [each.question.id for each in limited.questions] == ["orchard/0", "orchard/1"]
    assert (limited.files[0].users, limited.files[0].turns) == (1, 5)


def test_a_limit_is_over_all_files(labelled: Labelled, stores: Path, tmp_path: Path) -> None:
    path = labelled("realtalk")
    other = tmp_path / "Chat_8.json"
    other.write_bytes(path.read_bytes())
    result = evaluate("realtalk", [path, other], embedder=HASH, store_dir=stores, limit=4)
    assert [file.questions for file in result.files] == [3, 1]
    assert result.files[0].store != result.files[1].store  # the file's name names the user
    assert {each.question.user for each in result.questions} == {"Chat_9_Noor_Piet", "Chat_8"}


def test_another_way_to_ask(labelled: Labelled, stores: Path) -> None:
    asked: list[str] = []

    def ask(memory: Memory, question: LabelledQuestion, k: int, options: Mapping[str, Any]) -> Recalls:
        asked.append(question.id)
        return ask_memory(memory, replace(question, text="quince"), k, options)

    result = run(labelled("locomo"), "locomo", stores, ask=ask, limit=2)
    assert asked == ["orchard/0", "orchard/0", "orchard/1"]  # the first of all warms up
    assert result.questions[0].retrieved == result.questions[1].retrieved


def test_the_same_again_gives_the_same(labelled: Labelled, stores: Path, tmp_path: Path) -> None:
    path = labelled("locomo")
    one, two, elsewhere = (run(path, "locomo", folder) for folder in (stores, stores, tmp_path / "other"))
    for result in (two, elsewhere):
        assert [each.retrieved for each in result.questions] == [each.retrieved for each in one.questions]
        assert result.groups() == one.groups()


def test_to_be_asked_is_no_use(labelled: Labelled, stores: Path) -> None:
    path = labelled("locomo")
    options = {"staleness": "refresh", "fusion": "rrf"}
    one, two = (run(path, "locomo", stores, options=options) for _ in range(2))
    assert [each.retrieved for each in two.questions] == [each.retrieved for each in one.questions]
    with Memory(one.files[0].store, HASH) as memory, memory._engine.store.reading() as reader:
        assert not any(list(reader.uses.of(each.question.user)) for each in one.questions)


def test_progress_names_the_work_and_its_steps(labelled: Labelled, stores: Path) -> None:
    begun: list[tuple[str, int]] = []
    steps: list[int] = []

    @contextmanager
    def track(description: str, total: int) -> Any:
        begun.append((description, total))
        yield steps.append

    path = labelled("locomo")
    run(path, "locomo", stores, progress=track)
    assert begun == [("locomo.json: ingesting", 6), ("locomo.json: asking", 6)]
    assert sum(steps) == 12
    begun.clear()
    run(path, "locomo", stores, progress=track)
    assert begun == [("locomo.json: asking", 6)]


def test_json_holds_everything(labelled: Labelled, stores: Path) -> None:
    result = run(labelled("locomo"), "locomo", stores, ks=[1, 2])
    document = result.to_dict(questions=True)
    assert document["k"] == [1, 2]
    assert document["ran_on"]["memspan"] == memspan.__version__
    assert document["ran_on"]["packages"]["numpy"]
    assert document["groups"][0]["scored"] == 4
    assert document["groups"][0]["scores"]["recall@2"].keys() == {"mean", "low", "high"}
    stages = {"planning", "embedding", "search", "fetch", "reranking", "total"}
    assert document["latency_ms"].keys() == stages
    assert document["questions"][0]["id"] == "orchard/0"
    assert document["questions"][0]["retrieved"] == list(result.questions[0].retrieved)
    assert "questions" not in result.to_dict()
    assert len(result.to_dict(by_category=False)["groups"]) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ks": []}, "ks"),
        ({"ks": [0]}, "ks"),
        ({"ks": [10_001]}, "ks"),
        ({"ks": 10}, "ks: got 10; accepted: a list"),
        ({"limit": 0}, "limit"),
        ({"users": "orchard"}, "users: got 'orchard'; accepted: a list"),
        ({"users": 5}, "users"),
        ({"options": ["views"]}, "options"),
        ({"options": {"k": 5}}, "options: got 'k'; accepted: "),
        ({"options": {"zoom": 5}}, "options: got 'zoom'; accepted: .*views"),
        ({"users": ["nobody"]}, "users: got 'nobody'; accepted: users of the files: orchard, harbour"),
        ({"users": []}, "users"),
        ({"embedder": "no-such-model"}, "embedder"),
        ({"embedder": lambda texts: [[1.0, 2.0] for _ in texts]}, r"checksum, as CallableEmbedder\(function"),
    ],
)
def test_bad_arguments(labelled: Labelled, stores: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        evaluate("locomo", labelled("locomo"), **{"embedder": HASH, "store_dir": stores, **arguments})
    assert not stores.exists()


def test_bad_files(labelled: Labelled, stores: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="data_set"):
        evaluate("chat", labelled("locomo"))
    with pytest.raises(InvalidArgumentError, match="data_set"):
        evaluate([], labelled("locomo"))  # type: ignore[arg-type]
    for files in (5, [5], b"a", ["a\0b"]):
        with pytest.raises(InvalidArgumentError, match="files"):
            evaluate("locomo", files, embedder=HASH)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="files"):
        evaluate("locomo", [], embedder=HASH)
    # All files are checked before anything is stored.
    with pytest.raises(FormatError, match="absent"):
        evaluate("locomo", [labelled("locomo"), tmp_path / "absent"], embedder=HASH, store_dir=stores)
    assert not stores.exists()
