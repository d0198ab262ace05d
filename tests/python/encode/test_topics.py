"""Which keyphrases and names become tags, rule by rule."""

from __future__ import annotations

import random
from collections.abc import Sequence
from unicodedata import category, normalize

import pytest
from counted_calls import counted_calls

from memspan.encode.tags.entities import find_names_in
from memspan.encode.tags.grammar import Grammar
from memspan.encode.tags.keyphrases import weight_of
from memspan.encode.tags.topics import Topic, find_topics
from memspan.encode.tags.words import Word, WordReader, singular


def words(text: str) -> list[Word]:
    return WordReader().read(text)


def topics(
    texts: Sequence[str], speakers: Sequence[str | None] = (), sessions: Sequence[str] = ()
) -> dict[str, Topic]:
    found = find_topics(
        texts, speakers or [None] * len(texts), sessions or [f"s{i // 4}" for i in range(len(texts))]
    )
    assert len({topic.tag for topic in found}) == len(found)
    for topic in found:
        assert list(topic.turns) == sorted(set(topic.turns))
        assert set(topic.turns) <= set(range(len(texts)))
    return {topic.tag: topic for topic in found}


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("dogs", "dog"), ("dog", "dog"), ("classes", "class"), ("class", "class"), ("stories", "story"),
        ("story", "story"), ("movies", "movy"), ("movie", "movy"), ("bushes", "bush"), ("boxes", "box"),
        ("bus", "bus"), ("tennis", "tennis"), ("ana's", "ana"), ("gas", "gas"), ("собаки", "собаки"),
        ("s", "s"), ("", ""),
    ],
)  # fmt: skip
def test_plurals_have_the_key_of_their_singular(word: str, key: str) -> None:
    assert singular(word) == key


def test_words_know_their_place() -> None:
    read = words("We went home. A well-known café, ana’s 猫咪")
    assert [word.folded for word in read] == [
        "we", "went", "home", "a", "well", "known", "café", "ana's", "猫", "咪",
    ]  # fmt: skip
    assert [word.starts for word in read] == [True, False, False, True] + [False] * 6
    assert [word.joined for word in read] == [False, True, True, False, True, True, True, False, True, True]
    assert [word.unspaced for word in read] == [False] * 8 + [True, True]


def test_nouns_are_told_by_what_stands_around_them() -> None:
    grammar = Grammar(
        [words("I painted the lake. We painted a vase. The vase is so amazing. A woman holding a sign")]
    )
    assert grammar.is_noun("vase")
    assert grammar.is_noun("lake")
    assert not grammar.is_noun("painted")
    assert not grammar.is_noun("amazing")
    assert not grammar.is_noun("holding")
    assert grammar.is_noun("кошка"), "nothing is known of other languages"


def test_a_phrase_in_two_turns_is_a_topic_and_one_in_a_single_turn_is_not() -> None:
    found = topics(["My pottery class is on the hill", "The pottery class was long", "A kayak on the river"])
    assert "pottery_class" in found
    assert found["pottery_class"].turns == (0, 1)
    assert "kayak" not in found


def test_no_topic_begins_or_ends_with_a_function_word_or_an_empty_one() -> None:
    texts = [
        "I went to the old lighthouse of my uncle today",
        "To the old lighthouse of my uncle, today or tomorrow",
    ]
    assert set(topics(texts)) == {"lighthouse", "uncle"}


def test_singular_and_plural_are_one_topic_under_the_commoner_form() -> None:
    found = topics(["Look at my turtles", "He fed the turtles", "A turtle on the rock"])
    assert found["turtles"].turns == (0, 1, 2)
    assert "turtle" not in found


def test_parts_of_a_longer_phrase_are_left_out_unless_they_stand_alone_too() -> None:
    together = ["Near the guinea pig", "For the guinea pig"]
    assert set(topics(together)) == {"guinea_pig"}
    alone = [*together, "A pig in the barn", "Of the pig", "With a pig"]
    assert {"guinea_pig", "pig"} <= set(topics(alone))


def test_two_spellings_of_a_compound_are_one() -> None:
    found = topics(
        ["On the book shelf", "From my bookshelf", "In the bookshelf", "Near a book shelf", "The bookshelf"]
    )
    assert found["bookshelf"].turns == (0, 1, 2, 3, 4)
    assert "book_shelf" not in found


def test_words_of_everywhere_are_about_nothing() -> None:
    texts = [f"The ferry near the harbour number{i % 7}" if i % 3 else "The ferry of old" for i in range(90)]
    assert "ferry" not in topics(texts), "in all turns of many"
    assert "ferry" in topics(texts[:8])


def test_code_links_and_times_are_not_said() -> None:
    text = (
        "```python\nimport frobnicator\n``` the tram https://example.org/gizmo me@widget.example in January"
    )
    assert set(topics([text, text])) == {"tram"}


def test_speakers_and_their_short_names_are_no_topics() -> None:
    texts = ["Hi Mel, the tram came", "Thanks Melanie, the tram left", "A tram for Mel", "Bye Melanie"]
    assert set(topics(texts, ["Caroline", "Melanie", "Caroline", "Caroline"])) == {"tram"}


def test_names_are_told_by_their_capital_inside_sentences() -> None:
    texts = [
        words("We saw Gjógv and New York. Boats came. I like boats with Oskar Blue"),
        words("Oskar Blue left"),
    ]
    found = {name.text: name.turns for name in find_names_in(texts, frozenset())}
    assert found == {"Gjógv": (0,), "New York": (0,), "Oskar Blue": (0, 1)}


def test_small_words_join_a_name_but_do_not_end_it() -> None:
    text = "I saw Cirque du Soleil and read Lord of the Rings with Ana of the old days of Oslo"
    assert [name.text for name in find_names_in([words(text)], frozenset())] == [
        "Ana", "Cirque du Soleil", "Lord of the Rings", "Oslo",
    ]  # fmt: skip


def test_names_may_not_be_shouted_or_of_the_calendar() -> None:
    texts = [words("and THIS IS REALLY LOUD TODAY but on Monday in May we met Zoe")]
    assert [name.text for name in find_names_in(texts, frozenset())] == ["Zoe"]
    assert find_names_in(texts, frozenset({"zoe"})) == []


def test_a_name_is_a_topic_even_if_it_comes_once() -> None:
    found = topics(["We went to Bergen with a kayak", "It rained"])
    assert found["bergen"].name
    assert "kayak" not in found


def test_what_comes_in_few_sessions_weighs_more() -> None:
    assert weight_of(6, 100, 2, 10, 1) > weight_of(6, 100, 6, 10, 1)
    assert weight_of(6, 100, 6, 10, 1) > weight_of(2, 100, 2, 10, 1)
    assert weight_of(6, 100, 6, 10, 2) > weight_of(6, 100, 6, 10, 1)
    assert weight_of(1, 1, 1, 1, 1) > 0


def test_topics_grow_with_the_root_of_the_turns() -> None:
    texts = [f"The w{i // 2}x and the v{i // 2}y with a q{i // 2}z" for i in range(4000)]
    assert len(topics(texts[:400])) == 120
    assert len(topics(texts)) == 380


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["我喜欢苹果派", "今天吃苹果派", "苹果派很好"], "苹果派"),
        (["Мы любим Москву", "Осенью Москву не узнать"], "москву"),
        (["Wir fahren nach Hamburg", "Morgen ist Hamburg dran"], "hamburg"),
        (["🎉🎉", "🎉"], None),
        (["", "   ", "..."], None),
        (["\ud800 broken", "\ud800 broken"], "broken"),
        (["שלום עולם", "שלום עולם"], "שלום_עולם"),
        (["แมว", "แมว", "แมว"], "แมว"),
    ],
)
def test_other_scripts(texts: list[str], expected: str | None) -> None:
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    found = topics(texts)
    assert (expected in found) if expected else not found


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["เราไปทะเลสาบ", "ทะเลสาบหนาว", "พายแอปเปิลอร่อย", "แอปเปิลหมดแล้ว"], {"ทะเลสาบ", "แอปเปิล"}),
        (["ဈေးသွားတယ်", "ဈေးကပိတ်တယ်", "မနက်ဖြန်ဈေးသွားမယ်"], {"ဈေးသွား"}),
        ([normalize("NFD", text) for text in ("ガンダムを買った", "ガンダムが好き")], {"ガンダム"}),
    ],
)
def test_marks_and_vowels_stay_with_their_consonant(texts: list[str], expected: set[str]) -> None:
    """No topic begins with a mark of the letter before, or ends with a vowel of the one behind."""
    found = topics(texts, sessions=[f"s{i}" for i in range(len(texts))])
    assert expected <= set(found)
    for tag in found:
        assert not category(tag[0]).startswith("M")
        assert tag[0] not in "ะาำ"
        assert tag[-1] not in "เแโใไ"


def test_accents_make_one_word_however_they_are_written() -> None:
    assert "café" in topics(["the café was open", normalize("NFD", "a café by the sea")])


def test_no_turns() -> None:
    assert find_topics([], [], []) == []


def test_an_address_takes_nothing_with_it_that_is_written_without_spaces() -> None:
    found = topics(
        ["我们去灯塔散步，请写信到me@widget.example谢谢", "灯塔很高", "me@widget.example 公园", "公园"]
    )
    assert found["灯塔"].turns == (0, 1)
    assert not any("widget" in tag or "me" in tag for tag in found)


def test_words_are_looked_at_few_times() -> None:
    """A user's turns may hold millions of them."""
    chance = random.Random(1)
    said = [
        "camping",
        "pottery",
        "guitar",
        "lesson",
        "the",
        "a",
        "we",
        "went",
        "to",
        "garden",
        "museum",
        "painting",
        "with",
        "lovely",
        "school",
    ]
    texts = [" ".join(chance.choices(said, k=100)) for _ in range(100)]
    topics(texts)
    assert counted_calls(lambda: topics(texts)) < 14 * 100 * 100
