"""Names in questions: every way to write one, what must not be one, and the typing errors against an oracle."""

from __future__ import annotations

import time
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memspan import InvalidArgumentError
from memspan._core import NearWords
from memspan.recall import Vocabulary, find_names

PROFILE = settings(deadline=None, derandomize=True, database=None, max_examples=150)
VOCABULARY = Vocabulary(
    speakers=["Melanie", "Caroline", "José", "Will"],
    names=["Sarah Garcia", "Whispering Falls", "Marianne", "Mariana", "Michael", "Мария", "田中"],
    tags=["pride_parade", "camping", "dog", "adoption_agency", "story", "may"],
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did Melanie paint?", [("Melanie", "exact")]),
        ("what did melanie paint", [("Melanie", "exact")]),
        ("MELANIE", [("Melanie", "exact")]),
        ("Melanie's kids", [("Melanie", "inflected")]),
        ("Melanie’s kids", [("Melanie", "inflected")]),
        ("the Melanies", [("Melanie", "inflected")]),
        ("What did Mel paint?", [("Melanie", "prefix")]),
        ("What did Mel's kids do?", [("Melanie", "prefix")]),
        ("mel", []),  # without a capital, three letters are no name
        ("Me?", []),
        ("Is Mari here?", []),  # Marianne or Mariana
        ("Mariann", [("Marianne", "prefix")]),
        ("Ask Jose or josé", [("José", "exact")]),
        ("Melaine and Carolin", [("Melanie", "typo"), ("Caroline", "prefix")]),
        ("melaine and caroilne", [("Melanie", "typo"), ("Caroline", "typo")]),
        ("Micheal's car", [("Michael", "typo")]),
        ("Mlenie", []),  # two errors in seven letters
        ("the whispring fals", [("Whispering Falls", "typo")]),
        ("Whispering Falls", [("Whispering Falls", "exact")]),
        ("whispering falls' water", [("Whispering Falls", "exact")]),
        ("What did Sarah say?", [("Sarah Garcia", "part")]),
        ("Sarah Garcia", [("Sarah Garcia", "exact")]),
        ("Sarah met Sarah Garcia", [("Sarah Garcia", "exact")]),
        ("will she come?", []),
        ("Will she come?", []),
        ("Did Will come?", [("Will", "exact")]),
        ("What may I do in May?", []),
        ("two pride parades and dogs", [("pride_parade", "inflected"), ("dog", "inflected")]),
        ("a parade", []),  # a part of a tag is no tag
        ("stories of an adoption agency", [("story", "inflected"), ("adoption_agency", "exact")]),
        ("campng", [("camping", "typo")]),
        ("camp", []),
        ("Где Мария?", [("Мария", "exact")]),
        ("田中 さん", [("田中", "exact")]),
        ("", []),
        ("the of and", []),
        ('"Melanie" OR (Caroline)^2', [("Melanie", "exact"), ("Caroline", "exact")]),
        ("2023", []),
    ],
)
def test_table(question: str, expected: list[tuple[str, str]]) -> None:
    assert [(found.name, found.how) for found in find_names(question, VOCABULARY)] == expected


PEOPLE = Vocabulary(
    speakers=["Will", "May", "Mark Twain", "J. R. Smith"],
    names=[
        *("Rose", "Hope", "Art", "Grace", "Bill", "June", "April", "Faith", "Joy", "Dawn", "Sunny", "Summer"),
        *("Anne-Marie", "O'Brien", "Mary-Jane Watson", "T. S. Eliot", "McDonald", "D'Angelo", "Jean-Luc"),
        *("St. John", "Ana Lucía", "Zoë", "Müller", "Will Smith", "May Day Parade", "Robin Hood"),
    ],
    tags=["rose_garden", "art", "will", "joy_ride"],
)


def people_table() -> list[tuple[str, str]]:
    lines = (Path(__file__).parent / "question_names.tsv").read_text(encoding="utf-8").splitlines()
    return [(question, expected) for question, expected in (line.split("\t") for line in lines[1:])]


@pytest.mark.parametrize(("question", "expected"), people_table())
def test_table_of_people(question: str, expected: str) -> None:
    found = sorted(name.name for name in find_names(question, PEOPLE) if name.source != "tag")
    assert (" ; ".join(found) or "-") == expected


COMMON_WORDS = Vocabulary(
    speakers=["Will Smith", "Ana"],
    names=["Mark Twain", "May Chen", "O'Brien", "D’Angelo", "The Hobbit"],
    tags=["work", "plan", "time", "may"],
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did Will say?", [("Will Smith", "part")]),
        ("Where is Will's car?", [("Will Smith", "part")]),
        ("Did Mark call?", [("Mark Twain", "part")]),
        ("Did May call?", [("May Chen", "part")]),
        ("will she mark it", []),
        ("Will she come?", []),
        ("I called. Will she come? Mark it!", []),  # the first word of a sentence has a capital
        ("WILL SHE MARK IT", []),  # all of them have
        ("What did I do in May?", []),
        ("Is it due May 5 or next May?", []),
        ("Did I like The Matrix?", []),
        ("O'Brien's car", [("O'Brien", "inflected")]),
        ("o’brien’s car", [("O'Brien", "inflected")]),
        ("the O'Briens", [("O'Brien", "inflected")]),
        ("Is O'Brien here?", [("O'Brien", "exact")]),
        ("D'Angelo's songs", [("D’Angelo", "inflected")]),
        ("La voiture d'Ana", [("Ana", "inflected")]),
        ("Il cane dell'Ana", [("Ana", "inflected")]),
        ("I'd say it's 'time'", []),
        ("Where do I work?", [("work", "exact")]),
        ("What are my plans?", [("plan", "inflected")]),
        ("At that time, may I?", []),
    ],
)
def test_names_and_tags_that_are_common_words(question: str, expected: list[tuple[str, str]]) -> None:
    assert [(found.name, found.how) for found in find_names(question, COMMON_WORDS)] == expected


UNSPACED = Vocabulary(
    speakers=["李雷", "李", "田中", "アンナ・マリア", "วิชัย", "Bo", "Анна"],
    names=["北京大学", "北京", "ガンダム"],
    tags=["food_and_drink", "Bergen", "旅行"],
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("food and drink", [("food_and_drink", "food and drink")]),
        ("what about food_and_drink?", [("food_and_drink", "food_and_drink")]),
        ("Food_And_Drinks", [("food_and_drink", "Food_And_Drinks")]),
        ("#bergen_2024", [("Bergen", "bergen")]),
        ("李雷说了什么？", [("李雷", "李雷")]),
        ("昨天李雷和Bo去哪里旅行了", [("李雷", "李雷"), ("Bo", "Bo"), ("旅行", "旅行")]),
        ("What did 李雷say?", [("李雷", "李雷")]),
        ("他在北京大学", [("北京大学", "北京大学")]),  # the longest
        ("北京的李子", [("北京", "北京")]),  # a single sign is no name
        ("李 说", [("李", "李")]),  # but by itself
        ("田中さんはどこ？", [("田中", "田中")]),
        ("昨日アンナ・マリアは来た", [("アンナ・マリア", "アンナ・マリア")]),
        ("昨日マリアは来た", [("アンナ・マリア", "マリア")]),
        ("あのガンダムは", [("ガンダム", "ガンダム")]),
        ("あのカ\u3099ンタ\u3099ムは", [("ガンダム", "カ\u3099ンタ\u3099ム")]),
        ("วิชัยพูดอะไร", [("วิชัย", "วิชัย")]),
        ("说了什么", []),
        ("шампиньаннаж", []),  # other scripts put spaces
    ],
)
def test_underscores_and_scripts_without_spaces(question: str, expected: list[tuple[str, str]]) -> None:
    found = find_names(question, UNSPACED)
    assert [(name.name, name.text) for name in found] == expected
    assert all(question[name.span[0] : name.span[1]] == name.text for name in found)


WORDS_TOO = Vocabulary(speakers=["Bill", "Hope", "Robin", "Mom"], names=["Titanic"], tags=["robin_song"])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how much was the bill for the car?", []),
        ("the bills of may", []),
        ("my hope for the year", []),
        ("the robin song", ["robin_song"]),
        ("what did bill say", ["Bill"]),
        ("what did i say to bill", ["Bill"]),
        ("The Bill I know", ["Bill"]),
        ("did my mom see the titanic", ["Mom", "Titanic"]),
    ],
)
def test_speakers_whose_names_are_words(question: str, expected: list[str]) -> None:
    assert [name.name for name in find_names(question, WORDS_TOO)] == expected


MARKED = Vocabulary(speakers=["चाचा", "राम", "सीता देवी", "Jürgen Müller"], names=["مُحَمَّد"])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("चाचा कब आए?", [("चाचा", "exact", "चाचा")]),
        ("चाची कब आई?", []),  # an aunt is no uncle
        ("रोमा और रम", []),
        ("सीता ने क्या कहा?", [("सीता देवी", "part", "सीता")]),
        (normalize("NFD", "Wo wohnt Müller?"), [("Jürgen Müller", "part", normalize("NFD", "Müller"))]),
        ("أين محمد؟", [("مُحَمَّد", "exact", "محمد")]),
    ],
)
def test_marks_belong_to_their_words(question: str, expected: list[tuple[str, str, str]]) -> None:
    assert [(name.name, name.how, name.text) for name in find_names(question, MARKED)] == expected


TOPICS = Vocabulary(tags=["work", "plan", "friend", "trip"])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How does this work?", []),
        ("How does the new printer work?", []),
        ("Doesn’t it work?", []),
        ("How do these work again?", []),
        ("Will the meeting work on Friday?", []),
        ("Can that work out?", []),
        ("Would Friday work for you?", []),
        ("Did I get it to work?", []),
        ("Did the plan work?", ["plan"]),
        ("Does it work for you if I plan a trip with a friend?", ["trip", "friend"]),
        ("Do you plan to move?", []),
        ("I have to plan my trip", ["trip"]),
        ("Did we\nplan that?", []),
        ("Did Ana plan a trip?", ["trip"]),
        ("Where do I work?", ["work"]),
        ("Where does she work?", ["work"]),
        ("Where do they work?", ["work"]),
        ("Where does the neighbour work?", ["work"]),
        ("How do I get to work?", ["work"]),
        ("Did I work for Google?", ["work"]),
        ("What did I say about work?", ["work"]),
        ("How is my work for them going?", ["work"]),
        ("Did the hard work pay off?", ["work"]),
        ("How does this work schedule look?", ["work"]),
        ("Will it work at work?", ["work"]),
        ("What is the plan?", ["plan"]),
        ("Did my plan work?", ["plan"]),
        ("What did I plan for the plan?", ["plan"]),
        ("Which friend has a plan?", ["friend", "plan"]),
    ],
)
def test_topics_are_no_verbs(question: str, expected: list[str]) -> None:
    assert [found.name for found in find_names(question, TOPICS)] == expected


def test_a_long_run_of_what_stands_before_a_verb() -> None:
    for piece in ("does the ", "did ", "x", " ", "it "):
        started = time.thread_time()
        assert [one.name for one in find_names(piece * 9_000 + "work", TOPICS)] in ([], ["work"])
        assert time.thread_time() - started < 5


SHORT = Vocabulary(speakers=["John", "Grace", "Lena"], names=["Anna Bell", "田中一郎"], tags=["bike"])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where did Jhon go?", ["John"]),
        ("Where did Jonh's dog go?", ["John"]),
        ("Did Grce and Gace meet?", ["Grace"]),
        ("Is Anan here?", ["Anna Bell"]),
        ("where did jhon go", []),  # without a capital it may be any word
        ("Jhon went where?", []),  # whatever comes first has one
        ("Is Jon here?", []),  # three letters are names, months and places of their own: Jon, Jan, San
        ("Is Joan here?", []),  # an exchanged letter makes another name
        ("Is Bkie here?", []),  # a tag
        ("Where does Lean stand?", ["Lena"]),
    ],
)
def test_slips_in_short_names(question: str, expected: list[str]) -> None:
    found = find_names(question, SHORT)
    assert [one.name for one in found] == expected
    assert all(one.how == "typo" for one in found)


def test_a_slip_that_two_names_may_make_is_neither() -> None:
    assert find_names("Is Gace here?", Vocabulary(speakers=["Grace", "Glace"])) == []
    assert find_names("Is Lean here?", Vocabulary(speakers=["Lena", "Lean"]))[0].how == "exact"


@pytest.mark.parametrize(
    ("speaker", "question", "how"),
    [
        # Letters that are none with a mark on it; the index folds them, too.
        ("Işıl", "ışıl dün ne dedi?", "exact"),
        ("Yıldız", "YILDIZ NE DEDİ?", "exact"),
        ("Yıldız", "What did Yildiz say?", "exact"),
        ("Łoś", "What did Los say?", "exact"),
        ("Đorđe", "What did Dorde say?", "exact"),
        ("Æsa", "What did Aesa say?", "exact"),
        ("Þór", "What did Thor say?", "exact"),
        ("𝓐𝓷𝓪", "What did Ana say?", "exact"),
        ("Ana", "What did 𝐀𝐧𝐚 say?", "exact"),
        # Korean writes particles and titles to the end of a name.
        ("민수", "민수는 어제 뭐 했어?", "inflected"),
        ("김민수", "김민수가 뭐라고 했어?", "inflected"),
        ("민수", "민수씨에게 뭘 줬어?", "inflected"),
        ("지영이", "지영이는 뭐래?", "inflected"),
        ("하나", "하나 어디 있어?", "exact"),
    ],
)
def test_names_as_other_languages_write_them(speaker: str, question: str, how: str) -> None:
    found = find_names(question, Vocabulary(speakers=[speaker, "Zed"]))
    assert [(name.name, name.how) for name in found] == [(speaker, how)]


def test_what_is_found() -> None:
    question = "Where did Melaine go?"
    (found,) = find_names(question, VOCABULARY)
    assert found.source == "speaker"
    assert question[slice(*found.span)] == found.text == "Melaine"
    assert 0 < found.certainty < 1


def test_vocabulary() -> None:
    vocabulary = Vocabulary(speakers=["Ana", "ana"], names=["ANA", "Leo", "?!"], tags=["leo", "red_car"])
    assert [entry.text for entry in vocabulary.entries] == ["Ana", "Leo", "red_car"]
    assert len(vocabulary) == 3
    assert vocabulary.people == {"ana", "leo"}
    people = Vocabulary(speakers=["Ana Rose"], names=["April Smith", "June"], tags=["summer_camp"]).people
    assert people == {"ana rose", "ana", "rose", "april smith", "june"}
    assert len(Vocabulary()) == 0
    assert find_names("Ana", Vocabulary()) == []


def test_bad_arguments() -> None:
    with pytest.raises(InvalidArgumentError, match="speakers"):
        Vocabulary(speakers="Ana")
    with pytest.raises(InvalidArgumentError, match=r"tags\[0\]"):
        Vocabulary(tags=[5])  # type: ignore[list-item]
    with pytest.raises(InvalidArgumentError, match="vocabulary: got"):
        find_names("Ana", ["Ana"])  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="question"):
        find_names(b"Ana", Vocabulary())  # type: ignore[arg-type]


def plain_distance(one: str, two: str) -> int:
    """Edits with exchanges of neighbours, by the textbook's whole table."""
    table = [[max(i, j) if 0 in (i, j) else 0 for j in range(len(two) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(two) + 1):
            same = one[i - 1] == two[j - 1]
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (not same))
            if i > 1 and j > 1 and one[i - 1] == two[j - 2] and one[i - 2] == two[j - 1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]


def allowed(word: str) -> int:
    return 0 if not 5 <= len(word) <= 40 else 2 if 9 <= len(word) <= 14 else 1


# Letters that share a bit of the sets (a and U+0441), that need up to four bytes, and one beyond 40.
WORDS = st.text("abс田😀", min_size=4, max_size=16) | st.text("ab", min_size=38, max_size=42)


@PROFILE
@given(st.lists(WORDS, max_size=12), WORDS, st.data())
def test_typing_errors_against_all_words(names: list[str], word: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(0, 3))):  # else hardly any is near
        at = data.draw(st.integers(0, len(word)))
        names.append(
            word[:at] + data.draw(st.text("abс", max_size=2)) + word[at + data.draw(st.integers(0, 2)) :]
        )
    near = {name: plain_distance(word, name) for name in names}
    expected = sorted((e, name) for name, e in near.items() if 0 < min(allowed(word), allowed(name)) >= e)
    assert NearWords(names).near(word) == expected


def test_typing_errors_of_bad_words() -> None:
    assert NearWords([]).near("melanie") == []
    assert NearWords(["", "melanie", "m" * 100_000]).near("x" * 1_000_000) == []
    with pytest.raises(UnicodeEncodeError):
        NearWords(["broken \ud800"])
    with pytest.raises(UnicodeEncodeError):
        NearWords(["melanie"]).near("broken \ud800")
    with pytest.raises(TypeError):
        NearWords([5])  # type: ignore[list-item]


@PROFILE
@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=10), max_size=5),
)
def test_whatever_comes(question: str, names: list[str]) -> None:
    vocabulary = Vocabulary(speakers=names, tags=names)
    for found in find_names(question + " " + " ".join(names), vocabulary):
        start, end = found.span
        assert found.text == (question + " " + " ".join(names))[start:end]
        assert found.name in names


def test_large_vocabularies_and_questions() -> None:
    vocabulary = Vocabulary(
        speakers=["Melanie"],
        names=[f"Person Number{n}" for n in range(3_000)],
        tags=[f"tag_number_{n}" for n in range(3_000)],
    )
    started = time.thread_time()
    assert find_names("tag number of a Person, Melanie " * 40_000, vocabulary)[0].name == "Melanie"
    assert time.thread_time() - started < 5


NEAR_WORDS = Vocabulary(
    speakers=[
        "Walter",
        "Heather",
        "Miles",
        "Piper",
        "Megan",
        "Alice",
        "Carly",
        "Marty",
        "Frida",
        "Brian",
        "Dennis",
        "Mark",
        "Will",
    ]
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which files did I open", []),
        ("how's the weather", []),
        ("how much water is on paper", []),
        ("is it vegan, and alive?", []),
        ("what did we do on Friday before the early party", []),
        ("what did waltr say", ["Walter"]),
        ("what did Brain say", ["Brian"]),
        ("what was in my brain", []),
        ("what did mark say", ["Mark"]),
        ("WHAT DOES WILL THINK?", ["Will"]),
        ("@mark what?", ["Mark"]),
        ("will you mark it", []),
        ("what did you mark, and has the will been read?", []),
    ],
)
def test_everyday_words_are_no_slips_of_names(question, expected):
    assert [found.name for found in find_names(question, NEAR_WORDS)] == expected
