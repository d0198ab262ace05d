"""Which conditions hold for a question."""

from __future__ import annotations

import pytest

from memspan.ranking import CONDITIONS
from memspan.ranking.conditions import conditions_of
from memspan.recall import Plan, plan_by_rules
from memspan.recall.vocabulary import Vocabulary

NOBODY = Vocabulary()


def asked(question: str) -> set[str]:
    return set(conditions_of(plan_by_rules(question, now="2023-06-01", vocabulary=NOBODY), NOBODY))


def test_kinds_and_their_company() -> None:
    assert conditions_of(Plan(question="x"), NOBODY) == ()
    assert conditions_of(Plan(question="x", kind="when"), NOBODY) == ("when",)
    assert conditions_of(Plan(question="x", kind="update", also=("list", "lookup")), NOBODY) == (
        "list",
        "update",
    )
    assert conditions_of(Plan(question="x", kind="yes_no", also=("yes_no",)), NOBODY) == ("yes_no",)


def test_they_come_in_one_order() -> None:
    plan = Plan(question="my?", kind="yes_no", also=("summary", "when"), intervals=((0, 1),))
    assert conditions_of(plan, NOBODY) == tuple(sorted(conditions_of(plan, NOBODY), key=CONDITIONS.index))


@pytest.mark.parametrize(
    "question", ["Where do I live?", "What's my name?", "who told us", "I’ve a cat, which?", "MINE?"]
)
def test_the_askers_own_affairs(question: str) -> None:
    assert "first_person" in conditions_of(Plan(question=question), NOBODY)


@pytest.mark.parametrize(
    "question", ["Where does Ian live?", "a mine", "the US army's bus", "wet weather", ""]
)
def test_the_affairs_of_others(question: str) -> None:
    found = conditions_of(Plan(question=question), NOBODY)
    assert ("first_person" in found) == (
        question in ("a mine", "the US army's bus")
    )  # spelt like the real ones


def test_a_time_in_the_question() -> None:
    assert "timed" in asked("What did Ana do on 7 May 2023?")
    assert "timed" not in asked("What did Ana do?")
    assert "when" in asked("When did Ana sail?")


def test_a_memory_of_a_user_and_an_assistant() -> None:
    plan = Plan(question="x")
    assert conditions_of(plan, Vocabulary(speakers=["user", "assistant"])) == ("roles",)
    assert conditions_of(plan, Vocabulary(speakers=["Ana", "Bob"])) == ()
    assert conditions_of(plan, Vocabulary(tags=["assistant"])) == ()
    assert conditions_of(plan, Vocabulary(speakers=["Assistant Bob"])) == ()


def test_a_huge_question_is_read_from_its_beginning() -> None:
    assert conditions_of(Plan(question="x " * 500_000 + " my"), NOBODY) == ()


def test_roles_hold_where_an_assistant_speaks_but_not_for_questions_about_others_who_do() -> None:
    both = Vocabulary(speakers=["user", "assistant", "Ana"])
    alone = Vocabulary(speakers=["user", "assistant"], names=["Ana"])

    def roles(question: str, vocabulary: Vocabulary) -> bool:
        plan = plan_by_rules(question, now="2023-06-01", vocabulary=vocabulary)
        return "roles" in conditions_of(plan, vocabulary)

    assert roles("What did I plan?", both)
    assert roles("What did the assistant suggest?", both)
    assert not roles("What did Ana plan?", both)
    assert roles("What did Ana plan?", alone)
    assert not roles("What did Ana plan?", Vocabulary(speakers=["Ana"]))
