"""From statements to records: whatever a stage hands over, only sound records come of it."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from memspan.encode.values import Statement
from memspan.record_order import record_order
from memspan.remember.jobs.derived import records_of, relations_of, turn_tags_of
from memspan.store.jobs import ClaimedJob, Step
from memspan.times import from_micros

JOB = ClaimedJob(1, "job1", "ana", 1, "tiny", "s", "w", 1)
MODELS = {"extract": Step("{}", "model-1", "extract", 3)}
AT = from_micros(1_700_000_000_000_000)
Drops = list[tuple[str, dict[str, Any]]]


def statement(text: str = "fact", **fields: Any) -> Statement:
    return Statement(text=text, **{"at": AT, "sources": ("m1",), **fields})


def make(*statements: Statement, job: ClaimedJob = JOB) -> tuple[list[Any], Drops]:
    drops: Drops = []
    records = records_of(
        job, statements, {"m1", "m2"}, MODELS, lambda event, details: drops.append((event, dict(details)))
    )
    return records, drops


def test_fields() -> None:
    until = datetime(2030, 1, 1, tzinfo=timezone.utc)
    (record,), drops = make(
        statement(
            kind="procedural",
            until=until,
            topic="Tents",
            tags=("Big Tent", "big_tent"),
            entities=("Ana", "Ana", ""),
            salience=0.25,
            metadata={"note": [1], "recipe": "forged"},
            sources=("m2", "m1", "m2"),
        )
    )
    assert drops == []
    assert (record.user, record.text, record.kind, record.until) == ("ana", "fact", "procedural", until)
    assert (record.tags, record.entities, record.importance) == (("big_tent",), ("Ana",), 0.25)
    assert record.sources == ("m2", "m1")
    assert record.metadata == {
        "note": [1], "recipe": "tiny", "stage": "extract", "model": "model-1", "prompt": "extract@3",
        "session": "s", "topic": "Tents",
    }  # fmt: skip
    (plain,), _ = make(statement(stage="verify"), job=ClaimedJob(1, "job1", "ana", 1, "tiny", None, "w", 1))
    assert plain.metadata == {"recipe": "tiny", "stage": "verify"}


def test_ids_are_the_same_in_every_run_and_nowhere_else() -> None:
    both = [statement("a"), statement("b")]
    ids = [record.id for record in make(*both)[0]]
    assert ids == [
        record.id for record in make(*both, job=ClaimedJob(1, "job1", "ana", 1, "tiny", "s", "x", 9))[0]
    ]
    others = make(*both, job=ClaimedJob(2, "job2", "ana", 1, "tiny", "s", "w", 1))[0]
    assert len({*ids, *(record.id for record in others)}) == 4


def test_ids_are_in_the_order_of_the_statements() -> None:
    """Of records of one time, the smaller id comes first: in contexts, and among equal scores."""
    records, _ = make(*(statement(f"fact {n}", stage=("extract", "complete")[n // 10]) for n in range(20)))
    assert sorted(records, key=lambda record: record_order(record.at, record.id)) == records


def test_sources_that_the_job_never_saw() -> None:
    records, drops = make(
        statement("one", sources=("m1", "invented")),
        statement("two", sources=("invented", "theirs")),
        statement("three"),
    )
    assert [(record.text, record.sources) for record in records] == [("one", ("m1",)), ("three", ("m1",))]
    assert drops == [
        ("unknown sources", {"text": "one", "sources": ["invented"]}),
        ("unknown sources", {"text": "two", "sources": ["invented", "theirs"]}),
    ]


def test_a_statement_of_nothing_is_left_out() -> None:
    records, drops = make(statement("of nothing", sources=()), statement("one"))
    assert [record.text for record in records] == ["one"]
    assert drops == [("refused", {"text": "of nothing", "reason": "no sources"})]


def test_details_of_an_abstract() -> None:
    (first, second, abstract), drops = make(
        statement("all", sources=("m1", "m2"), details=("one", "two"), salience=0.5)
    )
    assert drops == []
    assert [first.text, second.text, abstract.text] == ["one", "two", "all"]
    assert first.sources == second.sources == abstract.sources == ("m1", "m2")
    assert abstract.metadata["details"] == [first.id, second.id]
    assert first.metadata["abstract"] == second.metadata["abstract"] == abstract.id
    assert abstract.fidelity < first.fidelity < 1


def test_details_that_are_statements_are_linked() -> None:
    records, _ = make(statement("one"), statement("all", details=("one", "other")), statement("two"))
    one, other, abstract, two = records
    assert [record.text for record in records] == ["one", "other", "all", "two"]
    assert abstract.metadata["details"] == [one.id, other.id]
    assert one.metadata["abstract"] == other.metadata["abstract"] == abstract.id
    assert "abstract" not in two.metadata


def test_details_with_the_same_words_are_told_apart() -> None:
    ran = [statement("Ana ran.", sources=(source,)) for source in ("m1", "m2")]
    twice, first, second = make(
        statement("Ana ran twice.", sources=("m1", "m2"), details=("Ana ran.", "Ana ran.")), *ran
    )[0]
    assert twice.metadata["details"] == [first.id, second.id]
    assert first.metadata["abstract"] == second.metadata["abstract"] == twice.id


def test_each_of_two_abstracts_has_its_own_of_two_details_with_the_same_words() -> None:
    same = {"details": ("Ana ran.",)}
    by_source = make(
        statement("Ana ran.", sources=("m1",)),
        statement("Ana ran.", sources=("m2",)),
        statement("second", sources=("m2",), **same),
        statement("first", sources=("m1",), **same),
    )[0]
    one, two, second, first = by_source
    assert (first.metadata["details"], second.metadata["details"]) == ([one.id], [two.id])
    assert (one.metadata["abstract"], two.metadata["abstract"]) == (first.id, second.id)
    one, two, first, second, third = make(
        statement("Ana ran."), statement("Ana ran."), *(statement(name, **same) for name in "abc")
    )[0]
    assert [each.metadata["details"] for each in (first, second, third)] == [[one.id], [two.id], [one.id]]


def test_details_that_name_a_statement_twice_link_it_once() -> None:
    one, abstract = make(statement("one"), statement("all", details=("one", "one")))[0]
    assert abstract.metadata["details"] == [one.id]


def test_tags_of_turns() -> None:
    drops: Drops = []
    found = turn_tags_of(
        {"m1": ("Big Tent", "", "big_tent"), "m2": (), "m3": ("x",)},
        {"m1", "m2"},
        lambda event, details: drops.append((event, dict(details))),
    )
    assert found == {"m1": ("big_tent",), "m2": ()}
    assert drops == [("unknown turn", {"id": "m3", "tags": ["x"]})]


@pytest.mark.parametrize(
    "bad",
    [
        {"text": ""}, {"text": "  "}, {"kind": "gossip"}, {"text": "x" * (5 << 20)},
        {"metadata": {"x": object()}},
    ],
)  # fmt: skip
def test_what_cannot_be_a_record_is_left_out_and_noted(bad: dict[str, Any]) -> None:
    records, drops = make(statement(**bad), statement("good"))
    assert [record.text for record in records] == ["good"]
    assert [event for event, _ in drops] == ["refused"]


def test_what_can_be_mended_is_mended() -> None:
    (record,), drops = make(
        statement(
            "half an emoji \ud83d",
            until=from_micros(0),
            salience=7.0,
            tags=(*(f"tag {i}" for i in range(90)), "x" * 500, ""),
            entities=("\ud800", "Ana"),
        )
    )
    assert record.text == "half an emoji \ufffd"
    assert (record.until, record.importance, record.entities) == (None, 1.0, ("Ana",))
    assert len(record.tags) == 64
    assert make(statement(salience=float("nan")))[0][0].importance is None
    assert [event for event, _ in drops] == ["impossible end"]


def test_relations() -> None:
    drops: Drops = []
    found = relations_of(
        [("Out Doors", "camping"), ("out_doors", "Camping"), ("", "x"), ("x" * 500, "y")],
        lambda event, details: drops.append((event, dict(details))),
    )
    assert found == [("out_doors", "camping")]
    assert [details["child"] for _, details in drops] == ["x", "y"]
