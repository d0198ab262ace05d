"""The kind of a question: every rule by an example, what rules must leave alone, and bad input."""

from __future__ import annotations

from pathlib import Path
from unicodedata import normalize

import pytest
from english_kind_examples import EXAMPLES as WORDINGS
from english_kind_examples import NO_DEEDS
from hypothesis import given, settings
from hypothesis import strategies as st
from kind_examples import EXAMPLES as OTHERS

from memspan import InvalidArgumentError
from memspan.recall import KINDS_OF_QUESTION, kind_of
from memspan.recall.kind_rules import rules_of
from memspan.recall.kind_tables import TABLES
from memspan.recall.kind_tables.shorthand import spelled_out
from memspan.recall.question_language import languages_of
from memspan.recall.times.languages import LANGUAGES

EXAMPLES = {
    "summary": [
        "Can you give me a summary of the trip?",
        "Summarise what we said about the garden",
        "How has my Spanish progressed over the last months?",
        "Tell me how my project developed since May",
    ],
    "order": [
        "In which order did I buy the tools?",
        "List the order in which I visited the cities",
        "Give me a timeline of the move",
        "Which did I read first, Dune or Emma?",
        "Which happened first: the wedding or the move?",
        "What was the sequence of the repairs, from first to last?",
        "Put these events in order: the wedding, the move",
        "Can you list the trips by date?",
        "Order these trips: Oslo, Bergen",
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
        "How much time passed between the wedding and the move?",
    ],
    "list": [
        "How many books did I read?",
        "How often does Ana swim?",
        "How much did I spend on tools in total?",
        "What is my average pace?",
        "Name all the plants in my garden",
        "What are all of my allergies?",
        "Name three cities she visited",
        "Can you tell me two books she read?",
        "What else did she buy?",
        "What did I say about rent across our conversations?",
        "What sports does Leo play?",
        "Which national parks has Ana visited?",
        "In which cities did she live?",
        "What are Ana's hobbies?",
        "In what ways does she help?",
        "What kinds of music does he like?",
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
        "Which hotel would suit me best?",
    ],
    "update": [
        "What is Leo's current job?",
        "Where does she live now?",
        "What is the latest version of my essay?",
        "What did I paint most recently?",
        "What was Ana's title as of June 2023?",
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
        "What did Ana do after she moved?",  # one turn tells it, as in LoCoMo
        "What did she put in her bag in order to sleep?",
    ],
}


EXAMPLES_BY_LANGUAGE = {"en": EXAMPLES, **OTHERS}


@pytest.mark.parametrize(
    ("kind", "question"),
    [
        (kind, one)
        for examples in EXAMPLES_BY_LANGUAGE.values()
        for kind, all_ in examples.items()
        for one in all_
    ],
)
def test_examples(kind: str, question: str) -> None:
    found = kind_of(question)
    assert found.main == kind, found
    assert found.reasons[0].startswith(f"{kind}: ")


@pytest.mark.parametrize(
    ("kind", "question"), [(kind, one) for kind, all_ in WORDINGS.items() for one in all_]
)
def test_wordings(kind: str, question: str) -> None:
    found = kind_of(question)
    assert found.main == kind, found
    assert "en" in languages_of(question.lower())


def table() -> list[list[str]]:
    lines = (Path(__file__).parent / "question_kinds.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines[1:]]


@pytest.mark.parametrize(("language", "kind", "question"), table())
def test_table(language: str, kind: str, question: str) -> None:
    assert kind_of(question).main == kind
    assert language in languages_of(question.lower())


def test_table_has_every_kind_and_no_question_twice() -> None:
    rows = table()
    assert {kind for language, kind, _ in rows if language == "en"} == set(KINDS_OF_QUESTION)
    assert len(rows) == len({question for _, _, question in rows}) >= 400


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what did u say", "what did you say"),
        ("isnt it ur cat", "isn't it your cat"),
        ("u've r&b won'ts don't", "u've r&b won'ts don't"),
        ("hours are up", "hours are up"),
    ],
)
def test_what_phones_make_of_words(question: str, expected: str) -> None:
    assert spelled_out(question) == expected


@pytest.mark.parametrize(
    ("question", "simple"),
    [
        ("我們去了幾次？", "我们去了几次？"),
        ("你給我推薦了什麼？", "你给我推荐了什么？"),
        ("一共花了多少錢", "一共花了多少钱"),
        ("多長時間", "多长时间"),
        ("他還在公司嗎", "他还在公司吗"),
    ],
)
def test_traditional_chinese(question: str, simple: str) -> None:
    kind = kind_of(question)
    assert (kind.main, kind.also) == (kind_of(simple).main, kind_of(simple).also) != ("lookup", ())


def test_accents_may_be_signs_of_their_own() -> None:
    assert kind_of(normalize("NFD", "qué libros he leído")).main == "list"


@pytest.mark.parametrize("question", NO_DEEDS)
def test_no_deeds_of_the_assistant(question: str) -> None:
    assert "assistant" not in kind_of(question)


@pytest.mark.parametrize("language", TABLES)
def test_every_rule_is_used(language: str) -> None:
    examples = [*EXAMPLES_BY_LANGUAGE[language].values(), *(WORDINGS.values() if language == "en" else ())]
    questions = [one.lower() for all_ in examples for one in all_]
    questions += [question.lower() for spoken, _, question in table() if spoken == language]
    for rule in rules_of(language):
        assert any(rule.pattern.search(question) for question in questions), rule


def test_a_table_for_every_language_of_times() -> None:
    assert list(TABLES) == list(LANGUAGES)


@pytest.mark.parametrize("language", TABLES)
def test_the_language_of_every_example(language: str) -> None:
    for examples in EXAMPLES_BY_LANGUAGE[language].values():
        for one in examples:
            assert language in languages_of(one.lower()), one


@pytest.mark.parametrize(
    ("question", "languages"),
    [
        ("東京はどこ", ["ja"]),
        ("东京在哪里", ["zh", "ja"]),  # without kana it may be either
        ("ana住在哪里", ["zh", "ja", "en"]),
        ("¿dónde vive ana?", ["es"]),
        ("qu'a dit ana ?", ["fr"]),
        ("didn't ana call?", ["en"]),
        ("was macht ana?", ["de"]),
        ("was ana in oslo?", ["en", "nl"]),
    ],
)
def test_languages_of_a_question(question: str, languages: list[str]) -> None:
    assert languages_of(question) == languages


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Would Caroline pursue writing as a career option?", "yes_no"),  # "as" and "a" are Portuguese, too
        ("When will Elise leave Los Angeles?", "when"),
        ("Was Ana in Oslo?", "yes_no"),
        ("was it raining", "yes_no"),
        ("Was Robert happy?", "yes_no"),
        ("When did Ana visit 東京?", "when"),
    ],
)
def test_english_with_words_of_others(question: str, kind: str) -> None:
    assert kind_of(question).main == kind


def test_several_kinds() -> None:
    found = kind_of("When did you recommend the book that I am still reading?")
    assert found.main == "when"
    assert found.also == ("assistant", "update")
    assert len(found.reasons) == 3
    assert "when" in found
    assert "update" in found
    assert "list" not in found
    assert "'did you recommend'" in found.reasons[1]


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        # What was said is asked for, and nothing is asked of whom it is asked.
        ("What did you suggest for dinner?", ("assistant",)),
        ("¿Me avisaste?", ("assistant",)),
        # A length of time is counted, and no things.
        ("How many days ago did I water the plants?", ("when",)),
        ("How long ago and how many times did I swim?", ("when", "list")),
        # The answer is a text, an order or a list, whatever the question begins with.
        ("Pode resumir a nossa viagem?", ("summary",)),
        ("Did I visit Rome before or after Oslo?", ("order",)),
        ("Quels pays ai-je visités ?", ("list",)),
    ],
)
def test_kinds_that_others_rule_out(question: str, kinds: tuple[str, ...]) -> None:
    found = kind_of(question)
    assert (found.main, *found.also) == kinds


@pytest.mark.parametrize("quoted", ['"{}"', "“{}”", "«{}»", "`{}`"])
def test_what_is_quoted_is_not_asked(quoted: str) -> None:
    title = quoted.format("How many days until when")
    assert kind_of(f"Who wrote {title} here?").main == "lookup"


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
    "piece",
    [
        *("how has ", "what as ", "which ", "you have ", "a" * 50, '"', "what xs ", "'"),
        *("when a ", "when a, ", "could i ", "did a ", "did you ever ", "i. ", "how many days has ", "and "),
    ],
)
def test_huge_questions_are_bounded(piece: str) -> None:
    assert kind_of(piece * (1_000_000 // len(piece))).main in KINDS_OF_QUESTION
