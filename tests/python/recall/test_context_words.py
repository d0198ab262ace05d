"""The steps of making a context: cleaning, what says the same, shortening."""

from __future__ import annotations

from datetime import datetime, timezone
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memspan.errors import InvalidArgumentError
from memspan.recall.context import checked_budget, estimate_tokens
from memspan.recall.context.cleaning import one_line, plain_label, speaker_label
from memspan.recall.context.duplicates import Wording, says_the_same
from memspan.recall.context.entry import Candidate
from memspan.recall.context.shortening import Shortener
from memspan.records import Record
from memspan.remember.searching.recall import recall_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("  two\n\nlines\t", "two lines"),
        ("a\u2028b\u2029c\x85d\x0be\x0cf\r\ng", "a b c d e f g"),
        ("bell\x07 null\x00 esc\x1b[31m", "bell null esc[31m"),
        ("\u202eevil\u2066\ufeff", "evil"),
        ("tag\U000e0041\U000e0042s", "tags"),
        ("family 👨‍👩‍👧 می‌خواهم", "family 👨‍👩‍👧 می‌خواهم"),
        ("a</memories>b", "a‹/memories>b"),
        ("hi \U000e0148\U000e0149 there😀\U000e0154", "hi there😀"),
        (
            "a\u200c\u200d\u200c\u200db ☺\ufe0f\ufe00\ufe01 ❤\ufe0f\u200d🔥",
            "a\u200cb ☺\ufe0f ❤\ufe0f\u200d🔥",
        ),
        ("< / MEMORIES >", "‹ / MEMORIES >"),
        ("<\n/memories>", "‹ /memories>"),
        ("<mem\x00ories>", "‹memories>"),
        ("<memories>", "‹memories>"),
        ("</\u200dmemories>", "‹/\u200dmemories>"),
        ("</mem\u200cor\u0301ies>", "‹/mem\u200cor\u0301ies>"),
        ("<\ufe0f/\u3164memories>", "‹\ufe0f/\u3164memories>"),
        ("</ｍｅｍｏｒｉｅｓ> </𝐦emories>", "‹/ｍｅｍｏｒｉｅｓ> ‹/𝐦emories>"),
        ("<<memories>", "<‹memories>"),
        ("<‹memories>", "<‹memories>"),
        ("<3 memories, <memo>, <", "<3 memories, <memo>, <"),
        ("my memories < yours", "my memories < yours"),
        ("<b>bold</b>", "<b>bold</b>"),
    ],
)
def test_one_line(text: str, expected: str) -> None:
    assert one_line(text) == expected


@given(st.text())
def test_one_line_is_one_line_and_stays(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert one_line(line) == line
    assert "<memories>" not in line
    assert "</memories>" not in line


def test_names_cannot_end_their_label() -> None:
    assert speaker_label("Ana") == "Ana"
    assert speaker_label("Ana: [x]\nSystem") == "Ana x System"
    assert len(speaker_label("n" * 500)) == 40


def test_plain_ids_stand_for_themselves() -> None:
    for id_ in ("D1:3", "s07-05", "a/b.c_d", "7"):
        assert plain_label(id_) == id_
    for id_ in ("", "a b", "a]", "#1", "-x", "é", "a\n", "x" * 17, "0660dc6c2bf47c-502a7bc11e4e6e43"):
        assert plain_label(id_) is None


SENTENCE = "we all went to the lake on the last day of june"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Thanks so much!", "thanks, SO much", True),
        ("Thanks so much!", "Thanks so much, Ana!", False),  # short texts: no word more
        (SENTENCE, SENTENCE + " again", True),
        (SENTENCE, "so " + SENTENCE, True),
        (SENTENCE, SENTENCE + " again and", False),  # two of 13
        (SENTENCE, SENTENCE.replace("lake", "sea"), False),
        (SENTENCE, SENTENCE + " 2023", False),
        (SENTENCE, SENTENCE.replace("all", "all not"), False),
        (SENTENCE, SENTENCE.replace("all", "all didnt"), False),
        (SENTENCE, SENTENCE.replace("went", "almost went"), False),
        (SENTENCE, SENTENCE + " 24th", False),
        (SENTENCE, SENTENCE + " by 5pm", False),
        (
            "ich habe davon gewusst und werde das so sagen",
            "ich habe nichts davon gewusst und werde das so sagen",
            False,
        ),
        ("eu vou com eles para a casa do lago hoje", "eu não vou com eles para a casa do lago hoje", False),
        (
            "jag tycker att vi ska åka till sjön på lördag med barnen",
            "jag tycker att vi inte ska åka till sjön på lördag med barnen",
            False,
        ),
        (
            "bence cumartesi günü çocuklarla göle gitmek iyi bir fikir olur",
            "bence cumartesi günü çocuklarla göle gitmek iyi bir fikir değil olur",
            False,
        ),
        (
            "θέλω να πάμε στη λίμνη το Σάββατο με όλα τα παιδιά",
            "δεν θέλω να πάμε στη λίμνη το Σάββατο με όλα τα παιδιά",
            False,
        ),
        (
            "أريد أن نذهب إلى البحيرة يوم السبت مع كل الأطفال",
            "لا أريد أن نذهب إلى البحيرة يوم السبت مع كل الأطفال",
            False,
        ),
        (
            "나는 토요일에 아이들과 함께 호수에 가고 싶다고 어제 말했어 정말",
            "나는 토요일에 아이들과 함께 호수에 안 가고 싶다고 어제 말했어 정말",
            False,
        ),
        (
            "jag tycker att vi ska åka till sjön på lördag med barnen",
            "jag tycker att vi nog ska åka till sjön på lördag med barnen",
            True,
        ),
        ("The balance is -200", "The balance is 200", False),
        ("it was $5", "it was €5", False),
        ("the bridge is 1.5 long", "the bridge is 1-5 long", False),
        ("I know C++", "I know C#", False),
        ("coming 👍", "coming 👎", False),
        ("coming — soon! 🙂", "Coming, soon", True),
        ("चाचा को फोन करो", "चाची को फोन करो", False),
        (normalize("NFD", "das Café"), "das Café", True),
        ("if (a && b) return", "if (a || b) return", False),
        ("x = a * b", "x = a / b", False),
        ("if (!done) wait", "if (done) wait", False),
        ("dog bites man", "man bites dog", False),
        ("We leave at five?", "We leave at five.", False),
        ("We leave at five? 🙂", "we leave at five?!", True),
        (
            "I moved to Rome in May and live there with Bob now?",
            "I moved to Rome in May and live there with Bob now",
            False,
        ),
        ("五点出发？", "五点出发", False),
        ("!!!", "???", False),
        ("", "", False),
    ],
)
def test_what_says_the_same(one: str, other: str, same: bool) -> None:
    assert says_the_same(Wording("a", one), Wording("a", other)) is same
    assert says_the_same(Wording("a", other), Wording("a", one)) is same
    assert not says_the_same(Wording("a", one), Wording("b", other))


def words(text: str) -> int:
    return len(text.split())


def shortener(question: str) -> Shortener:
    return Shortener(question, "english", words)


LONG = "We met in May. The ferry was late. Then we ate fish. Nobody slept."


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        (99, LONG),
        (10, "… The ferry was late. Then we ate fish. …"),
        (6, "… The ferry was late. …"),
        (5, "… The ferry was …"),
        (2, ""),
        (0, ""),
    ],
)
def test_the_best_sentence_grows(room: int, expected: str) -> None:
    assert shortener("When did the ferries leave?").shorten(LONG, room) == expected


def test_without_a_match_the_beginning_is_kept() -> None:
    assert shortener("xyz").shorten(LONG, 5) == "We met in May. …"
    assert shortener("").shorten(LONG, 5) == "We met in May. …"


def test_the_end_grows_backwards() -> None:
    assert shortener("who slept?").shorten(LONG, 9) == "… Then we ate fish. Nobody slept."


def test_a_long_sentence_is_cut_between_words_around_the_match() -> None:
    text = " ".join(f"w{i}" for i in range(100)) + " ferry " + " ".join(f"v{i}" for i in range(100))
    assert shortener("ferry").shorten(text, 7) == "… w97 w98 w99 ferry v0 …"


def test_a_line_is_a_sentence() -> None:
    lines = [f"worker {i} served request {i}" for i in range(200)]
    lines[150] = "worker 7 ERROR OutOfMemoryError"
    found = shortener("Why did worker 7 have an OutOfMemoryError?").shorten(lines, 9)
    assert found == "… worker 7 ERROR OutOfMemoryError …"


def test_a_long_sentence_is_cut_where_most_of_the_question_stands_together() -> None:
    text = " ".join(["we spoke of the ferry", *["well"] * 99, "the ferry leaves Bergen at 7", *["well"] * 99])
    found = shortener("When does the ferry leave Bergen?").shorten(text, 8)
    assert found == "… well well the ferry leaves Bergen …"
    text = " ".join(
        ["w", *["well"] * 9, "the ferry leaves Bergen at 7", *["well"] * 99, "we spoke of Bergen"]
    )
    found = shortener("When does the ferry leave Bergen?").shorten(text, 8)
    assert found == "… well well the ferry leaves Bergen …"
    text = " ".join(["the ferry", *["well"] * 25, "Bergen", *["well"] * 25, "the ferry"])
    assert shortener("the ferry to Bergen").shorten(text, 4) == "the ferry well …"


def test_the_answer_stands_at_the_end_of_a_long_text() -> None:
    text = "Nothing happened. " * 6000 + "The ferry was late."
    assert shortener("the late ferry").shorten(text, 6) == "… The ferry was late."


def _candidate(text: str) -> Candidate:
    at = datetime(2023, 5, 8, tzinfo=timezone.utc)
    return Candidate(recall_of(Record(id="m", user="u", text=text, at=at), 1.0, {}, None), 1)


def test_a_delimiter_over_two_lines_stays_unmade() -> None:
    assert _candidate("<\n/memories>\nb").lines() == ["‹ /memories> b"]
    assert _candidate("a\n\n b \nc").lines() == ["a", "b", "c"]


def test_a_text_without_spaces_is_cut_between_characters() -> None:
    cut = Shortener("天", "simple", estimate_tokens).shorten("天气很冷" * 50, 10)
    assert cut == "天气很冷天气很冷天 …"


def test_a_text_without_spaces_is_cut_around_the_match() -> None:
    text = "今天我们聊了很多别的事情，" * 30 + "保险柜的密码是七七三一，" + "然后又聊了很多别的事情，" * 30
    assert "密码是七七三一" in Shortener("保险柜的密码是什么", "simple", estimate_tokens).shorten(text, 40)


@pytest.mark.parametrize(
    "signs",
    [
        ["น้ำ", "ที่", "ต", "ล", "า", "ด", "ปู่"],  # Thai: vowels and tones stand on consonants
        ["👨\u200d👩\u200d👧", "👍🏽", "❤\ufe0f\u200d🔥", "🇩🇪", "🇫🇷"],
        ["क्ष", "त्रि", "य", "दी"],
        [normalize("NFD", "é"), normalize("NFD", "ä"), "x"],
        [normalize("NFD", "한"), normalize("NFD", "국"), normalize("NFD", "が")],
    ],
)
def test_a_text_is_cut_between_its_signs(signs: list[str]) -> None:
    text = "".join(signs) * 20
    ends = {len("".join((signs * 20)[:count])) for count in range(len(signs) * 20 + 1)}
    for room in range(3, 60):
        cut = Shortener("ตลาด", "simple", estimate_tokens).shorten(text, room)
        assert len(cut.removesuffix(" …")) in ends
    name = speaker_label(text)
    assert len(name) <= 40
    assert len(name) - 1 in ends


def test_a_text_of_nothing_but_marks_is_cut_all_the_same() -> None:
    text = "a" + "\u0301\u0302" * 500
    assert Shortener("a", "simple", estimate_tokens).shorten(text, 40)


def test_sentences_end_with_the_signs_of_their_script() -> None:
    text = "हम मई में मिले। नाव देर से आई। फिर हमने मछली खाई।"
    assert Shortener("नाव", "english", estimate_tokens).shorten(text, 20) == "… नाव देर से आई। …"
    assert shortener("العبارة").shorten("هل نمت؟ تأخرت العبارة؟ أكلنا معا.", 4) == "… تأخرت العبارة؟ …"


@given(st.text(max_size=300), st.text(max_size=40), st.integers(0, 60))
def test_never_more_than_the_room(text: str, question: str, room: int) -> None:
    line = one_line(text)
    cut = Shortener(question, "english", estimate_tokens).shorten(line, room)
    assert estimate_tokens(cut) <= room
    if not cut.startswith("…") and not cut.endswith("…"):
        assert cut in ("", line)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"tokens": 0}, "tokens"),
        ({"tokens": -1}, "tokens"),
        ({"tokens": 1_000_001}, "tokens"),
        ({"tokens": 1.5}, "tokens"),
        ({"tokens": True}, "tokens"),
        ({"tokens": "600"}, "tokens"),
        ({"tokens": None}, "tokens"),
        ({"tokens": 1, "k": 0}, "k"),
        ({"tokens": 1, "k": 10_001}, "k"),
        ({"tokens": 1, "count_tokens": 4}, "count_tokens"),
    ],
)
def test_bad_budgets(arguments: dict[str, object], named: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{named}: got"):
        checked_budget(**arguments)  # type: ignore[arg-type]


def test_the_depth_follows_the_budget() -> None:
    assert [checked_budget(tokens).k for tokens in (1, 600, 1200, 1_000_000)] == [50, 50, 100, 10_000]
    assert checked_budget(600, 7).k == 7


def test_a_counter_that_counts_badly_is_named() -> None:
    budget = checked_budget(9, None, lambda text: "many")
    with pytest.raises(InvalidArgumentError, match="^count_tokens"):
        budget.count("x")
