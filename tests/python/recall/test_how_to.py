"""Questions that ask how something is done, and what a plan makes of them."""

from __future__ import annotations

import pytest

from memspan.errors import InvalidArgumentError
from memspan.recall import Plan, plan_by_rules
from memspan.recall.how_to import asks_how_to
from memspan.recall.vocabulary import Vocabulary


@pytest.mark.parametrize(
    "question",
    [
        "How do I cancel an order?",
        "And how can we deploy this?",
        "How to reset a password",
        "what are the steps to close a ticket",
        "What is the usual procedure for refunds?",
        "Walk me through a release",
        "How is a refund done?",
        "How did I fix the printer last time?",
        "How did I do the migration?",
        "How did I get the printer to work?",
        "How did we go about the release?",
        "How do I take a picture of the screen?",
        # Words of habits that ask for steps here.
        "How do we usually release a version?",
        "How do I normally deploy the app?",
        "How do you usually reset the router?",
        "How do people usually book a table?",
        "How do we usually get a refund?",
        "How do we usually go about a release?",
        "How do we usually start the server?",
        "How do I look up a user in the database?",
        "How do I look for a lost file in the archive?",
        "How do I look into an outage?",
        "How do I look after my plants?",
        "How do I relate the two tables?",
        "How do I know if the build passed?",
        "How do I know which build passed?",
        "How do I take it apart?",
        "How do I take my pulse?",
        "How do I spend the gift card?",
        "How do I spend less time on mail?",
        "Wie kann ich eine Bestellung stornieren?",
        "Comment puis-je annuler une commande ?",
        "¿Cómo puedo cancelar un pedido?",
        "Come posso annullare un ordine?",
        "Como posso cancelar um pedido?",
        "Hoe kan ik een bestelling annuleren?",
        "Jak mogę anulować zamówienie?",
        "Как мне отменить заказ?",
        "如何取消订单？",
        "注文をキャンセルする方法は？",
    ],
)
def test_how_something_is_done(question: str) -> None:
    plan = plan_by_rules(question, now="2024-05-01", vocabulary=Vocabulary())

    assert plan.record_kinds == ("procedural",)
    assert any("how something is done" in reason for reason in plan.reasons)
    assert Plan.from_dict(plan.to_dict()) == plan


@pytest.mark.parametrize(
    "question",
    [
        "When did Ana move?",
        "How old is Bo?",
        "How many orders did we cancel?",
        "How was the concert?",
        "How are you?",
        "Who does the shopping?",
        "Which way did they go?",
        "How do I take my coffee?",
        "How do I usually get to work?",
        "How do I usually take my morning coffee?",
        "How do you take your tea?",
        "How do I take it?",
        "How do I usually go to school?",
        "How do we usually travel?",
        "How do we usually start the day?",
        "How do I always feel after a run?",
        "How do I normally spend my evenings?",
        "How did I spend the summer?",
        "How did we spend last Christmas?",
        "How did they spend their free time?",
        "How do I look in red?",
        "How do I relate to my sister?",
        "How did they feel about it?",
        "How do we know Leo?",
        "How did I sleep on Sunday night?",
        "How did I do on the exam?",
        "How did we meet?",
        "how did they react to the news",
        "How did I end up in Oslo?",
        "How did I get to Bergen?",
    ],
)
def test_other_questions(question: str) -> None:
    assert asks_how_to(question) is None
    assert plan_by_rules(question, now="2024-05-01", vocabulary=Vocabulary()).record_kinds == ()


def test_plans_take_known_kinds_but_never_the_vault() -> None:
    assert Plan(question="x", record_kinds=("semantic", "semantic")).record_kinds == ("semantic",)
    for wrong in (("vault",), ("dream",), "procedural", (3,)):
        with pytest.raises(InvalidArgumentError, match="record_kinds"):
            Plan(question="x", record_kinds=wrong)  # type: ignore[arg-type]
