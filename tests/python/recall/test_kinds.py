"""The kind of a question: every rule by an example, what rules must leave alone, and bad input."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memspan import InvalidArgumentError
from memspan.recall import KINDS_OF_QUESTION, kind_of
from memspan.recall.kind_rules import rules_of

EXAMPLES = {
    "summary": [
        "Can you give me a summary of the trip?",
        "Summarise what we said about the garden",
        "How has my Spanish progressed over the last months?",
        "Tell me how my project developed since May",
        "Kannst du unsere Reise zusammenfassen?",
        "¿Puedes resumir lo que dije?",
        "请总结一下我的计划",
    ],
    "order": [
        "In which order did I buy the tools?",
        "List the order in which I visited the cities",
        "Give me a timeline of the move",
        "Which did I read first, Dune or Emma?",
        "Which happened first: the wedding or the move?",
        "What was the sequence of the repairs, from first to last?",
    ],
    "when": [
        "When did Ana go camping?",
        "And when is the exam?",
        "Can you tell me when the car was repaired?",
        "Do you remember when I met Leo?",
        "Since when does she play chess?",
        "What day did he leave?",
        "Which month was Leo in Oslo?",
        "At what time does the class begin?",
        "What is the deadline for the essay?",
        "How long ago was the flood?",
        "How many days passed between the exam and the party?",
        "How many weeks ago did I start running?",
        "How old is Ana's dog?",
        "Wann war ich in Berlin?",
        "Depuis combien de temps est-il là ?",
        "¿Cuándo compré la mesa?",
        "когда мы ездили в горы?",
        "我什么时候买的车？",
        "いつ東京に行きましたか",
    ],
    "list": [
        "How many books did I read?",
        "How often does Ana swim?",
        "How much did I spend on tools in total?",
        "What is my average pace?",
        "Name all the plants in my garden",
        "What are all of my allergies?",
        "What else did she buy?",
        "What did I say about rent across our conversations?",
        "What sports does Leo play?",
        "Which national parks has Ana visited?",
        "In which cities did she live?",
        "What are Ana's hobbies?",
        "In what ways does she help?",
        "What kinds of music does he like?",
        "Wie viele Bücher habe ich gelesen?",
        "Combien de livres ai-je lus ?",
        "Сколько книг я прочитал?",
    ],
    "assistant": [
        "What did you recommend for the roof?",
        "Which book did you tell me to read?",
        "What was the name of the hotel you mentioned?",
        "What was your suggestion for the title?",
        "In our previous conversation there was a recipe; what was in it?",
        "Remind me what we discussed about taxes",
    ],
    "preference": [
        "Can you recommend a hotel in Oslo?",
        "Any tips for better sleep?",
        "What should I cook tonight?",
        "How can I organise my desk?",
        "Could you help me plan a menu?",
        "I'm looking for a new camera",
        "Would Ana enjoy a concert?",
        "Kannst du mir ein Buch empfehlen?",
        "あなたのおすすめは？",
    ],
    "update": [
        "What is Leo's current job?",
        "Where does she live now?",
        "What is the latest version of my essay?",
        "What did I paint most recently?",
        "What was Ana's title as of June 2023?",
        "Wo arbeitet sie derzeit?",
        "她现在在哪里工作？",
    ],
    "yes_no": [
        "Is Leo a vegetarian?",
        "Did Ana buy the boat?",
        "Haven't I met Leo?",
        "Tell me whether Leo came",
    ],
    "lookup": [
        "What is the name of Ana's dog?",
        "Who gave Leo the watch?",
        "Where did she buy the boat?",
        "What did Leo recommend to Ana?",
        "Which restaurant did Leo suggest to Ana?",
        "What is Leo's favorite dish?",
        "What news did she bring?",
        'Who sang "When Will You Still Recommend a Summary"?',
        "Why did she leave?",
        "the blue house",
    ],
}


@pytest.mark.parametrize(
    ("kind", "question"), [(kind, one) for kind, all_ in EXAMPLES.items() for one in all_]
)
def test_examples(kind: str, question: str) -> None:
    found = kind_of(question)
    assert found.main == kind, found
    assert found.reasons[0].startswith(f"{kind}: ")


def test_every_rule_is_used() -> None:
    questions = [one.lower().replace("’", "'") for all_ in EXAMPLES.values() for one in all_]
    for rule in rules_of(False):
        assert any(rule.pattern.search(question) for question in questions), rule


def test_several_kinds() -> None:
    found = kind_of("When did you recommend the book that I am still reading?")
    assert found.main == "when"
    assert found.also == ("assistant", "update")
    assert len(found.reasons) == 3
    assert "update" in found
    assert "list" not in found
    assert "'did you recommend'" in found.reasons[1]


def test_the_question_may_stand_at_the_end() -> None:
    assert kind_of("I went to the shop. " * 500 + "How many apples did I buy?").main == "list"


@pytest.mark.parametrize(
    "question", ["", " ", "?", "...", '"', '""""', "the of and", "AND OR NOT (x:y)^2*~", "\x00"]
)
def test_nothing_to_go_by(question: str) -> None:
    assert kind_of(question).main == "lookup"


def test_no_text() -> None:
    with pytest.raises(InvalidArgumentError, match="question"):
        kind_of(None)  # type: ignore[arg-type]


@settings(deadline=None, derandomize=True, database=None, max_examples=150)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_whatever_comes(question: str) -> None:
    found = kind_of(question)
    assert found.main in KINDS_OF_QUESTION
    assert len(found.reasons) == 1 + len(found.also)
    assert list(found.also) == [kind for kind in KINDS_OF_QUESTION if kind in found.also]


@pytest.mark.parametrize(
    "piece", ["how has ", "what as ", "which ", "you have ", "a" * 50, '"', "what xs ", "'"]
)
def test_huge_questions_are_bounded(piece: str) -> None:
    assert kind_of(piece * (1_000_000 // len(piece))).main in KINDS_OF_QUESTION
