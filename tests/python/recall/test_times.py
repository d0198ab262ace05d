"""Time expressions: a table of them, the rules at the edges, and properties of whatever text."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memspan import InvalidArgumentError, TimeError
from memspan.recall import Vocabulary, plan_by_rules
from memspan.recall.times import LANGUAGES, RELATIONS, FoundTime, compound, find_times
from memspan.recall.times.absolute import read_absolute
from memspan.recall.times.find import MAX_FOUND, MAX_SCANNED
from memspan.recall.times.languages import lexicon_of
from memspan.recall.times.languages.english_numbers import SPELLED
from memspan.recall.times.lexicon import Lexicon
from memspan.recall.times.reading import Reading, Sentence
from memspan.recall.times.spelling import hasty
from memspan.times import MAX_MICROS, MIN_MICROS, from_micros, to_micros

NOW = datetime(2023, 6, 15, 14, 30, tzinfo=timezone.utc)
PROFILE = settings(deadline=None, derandomize=True, database=None, max_examples=150)


# The same in other characters, or beside some that show nothing, as phones, word processors and models write it.
WRITTEN = {
    "decomposed": lambda text: normalize("NFD", text),
    "hyphens that do not break": lambda text: text.replace("-", "\u2011"),
    "minus signs": lambda text: text.replace("-", "\u2212"),
    "apostrophes that are letters": lambda text: text.replace("'", "\u02bc"),
    "wide digits": lambda text: text.translate({48 + digit: 0xFF10 + digit for digit in range(10)}),
    "marks of direction": lambda text: text.replace(" ", " \u200e"),
    "soft hyphens": lambda text: re.sub("([a-z]{4})(?=[a-z]{4})", "\\1\u00ad", text),
    "a mark of byte order": lambda text: "\ufeff" + text,
}


def table() -> list[tuple[str, str]]:
    lines = (Path(__file__).parent / "time_expressions.tsv").read_text(encoding="utf-8").splitlines()
    return [(text, expected) for text, expected in (line.split("\t") for line in lines[1:])]


def moment(micros: int | None) -> str:
    if micros is None:
        return ".."
    at = from_micros(micros)
    return f"{at:%Y-%m-%d}" if (at.hour, at.minute) == (0, 0) else f"{at:%Y-%m-%dT%H:%M}"


def shown(times: list[FoundTime]) -> str:
    return " ; ".join(f"{time.relation} {moment(time.start)} {moment(time.end)}" for time in times) or "-"


@pytest.mark.parametrize(("text", "expected"), table())
def test_table(text: str, expected: str) -> None:
    assert shown(find_times(text, NOW)) == expected


@pytest.mark.parametrize("form", WRITTEN)
def test_signs_that_look_alike_are_read_alike(form: str) -> None:
    for text, _ in table()[::5]:
        written = WRITTEN[form](text)
        found = find_times(written, NOW)
        assert [time.interval for time in found] == [time.interval for time in find_times(text, NOW)], written
        assert all(time.text == written[slice(*time.span)] for time in found), written


def test_the_place_of_a_time_is_that_in_the_text_as_written() -> None:
    (week,) = find_times(normalize("NFD", "Où étais-je la semaine dernière, Zoë\u200b?"), NOW)
    assert week.text == normalize("NFD", "la semaine dernière")


def test_the_first_look_misses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [find_times(text, NOW, languages=[language]) for text, _ in table() for language in LANGUAGES]
    monkeypatch.setattr(Lexicon, "may_have_time", lambda *_: True)
    assert found == [
        find_times(text, NOW, languages=[language]) for text, _ in table() for language in LANGUAGES
    ]


def test_table_is_large_enough() -> None:
    rows = table()
    assert len(rows) == len({text for text, _ in rows}) >= 150
    assert sum(expected == "-" for _, expected in rows) >= 40


@pytest.mark.parametrize(
    ("now", "text", "expected"),
    [
        # Around the turn of the year.
        ("2023-01-02T00:00:00Z", "last week", "in 2022-12-26 2023-01-02"),
        ("2023-01-02T00:00:00Z", "last month", "in 2022-12-01 2023-01-01"),
        ("2023-01-02T00:00:00Z", "December 30 to January 1", "between 2022-12-30 2023-01-02"),
        ("2023-01-15T00:00:00Z", "this winter", "in 2022-12-01 2023-03-01"),
        ("2023-01-15T00:00:00Z", "last winter", "in 2021-12-01 2022-03-01"),
        ("2023-10-01T00:00:00Z", "last summer", "in 2023-06-01 2023-09-01"),
        ("2023-12-26T00:00:00Z", "the weekend before Christmas", "in 2023-12-23 2023-12-25"),
        ("2024-12-25T09:00:00Z", "Christmas", "in 2024-12-25 2024-12-26"),
        ("2023-12-31T23:30:00Z", "between Christmas and New Year", "between 2023-12-25 2024-01-02"),
        ("2023-12-31T23:30:00Z", "between Christmas and Easter", "between 2022-12-25 2023-04-10"),
        ("2023-12-31T23:30:00Z", "around New Year's", "in 2023-12-29 2024-01-05"),
        ("2024-01-05T09:00:00Z", "What did I do at the end of the year?", "in 2023-09-01 2024-01-01"),
        ("2024-01-05T09:00:00Z", "What is due at the end of the year?", "in 2024-09-01 2025-01-01"),
        # Moments with a zone, on the day that it was in that of the question.
        ("2023-06-15T12:00:00+09:00", "log of 2023-05-03T22:00:00Z", "in 2023-05-03T15:00 2023-05-04T15:00"),
        ("2023-06-15T12:00:00+09:00", "since 2023-05-03T08:00-08:00", "since 2023-05-03T15:00 .."),
        ("2023-06-15T12:00:00+09:00", "at 2023-05-03T22:00:00", "in 2023-05-02T15:00 2023-05-03T15:00"),
        ("2023-06-15T12:00:00Z", "at 2023-05-03T00:30:00+02:00", "in 2023-05-02 2023-05-03"),
        ("2023-06-15T12:00:00Z", "at 2023-05-03T25:30:00Z", "in 2023-05-03 2023-05-04"),
        # Weekends and days of the week, on the day itself.
        ("2023-06-17T12:00:00Z", "last weekend", "in 2023-06-10 2023-06-12"),
        ("2023-06-17T12:00:00Z", "this weekend", "in 2023-06-17 2023-06-19"),
        ("2023-06-16T12:00:00Z", "last Friday", "in 2023-06-09 2023-06-10"),
        ("2023-06-16T12:00:00Z", "on Friday", "in 2023-06-16 2023-06-17"),
        ("2023-06-16T12:00:00Z", "Is the party on Friday?", "in 2023-06-16 2023-06-17"),
        ("2023-06-17T00:00:00Z", "Is the party on Friday?", "in 2023-06-23 2023-06-24"),
        ("2023-06-16T12:00:00Z", "How was the weekend?", "in 2023-06-10 2023-06-12"),
        # A month is the running one, and its last day where the other has no such day.
        ("2023-05-31T12:00:00Z", "in May", "in 2023-05-01 2023-06-01"),
        ("2023-05-31T12:00:00Z", "last May", "in 2022-05-01 2022-06-01"),
        ("2023-03-31T12:00:00Z", "the past month", "in 2023-02-28 2023-03-31T12:00"),
        ("2024-02-29T12:00:00Z", "the past year", "in 2023-02-28 2024-02-29T12:00"),
        ("2024-03-01T12:00:00Z", "29 February", "in 2024-02-29 2024-03-01"),
        ("1903-03-01T12:00:00Z", "29 February", "in 1896-02-29 1896-03-01"),
        # What stands beside a month or a day says which one, whatever the latest one is.
        ("2024-08-01T00:00:00Z", "in May last year", "in 2023-05-01 2023-06-01"),
        ("2024-02-14T09:00:00Z", "in January last year", "in 2023-01-01 2023-02-01"),
        ("2024-02-14T09:00:00Z", "next year in March", "in 2025-03-01 2025-04-01"),
        ("2024-02-14T09:00:00Z", "winter of last year", "in 2023-12-01 2024-03-01"),
        ("2024-02-14T09:00:00Z", "on Wednesday last week", "in 2024-02-07 2024-02-08"),
        ("2024-02-14T09:00:00Z", "the Christmas before last", "in 2022-12-25 2022-12-26"),
        ("2024-12-25T09:00:00Z", "two Christmases ago", "in 2022-12-25 2022-12-26"),
        ("9999-06-15T00:00:00Z", "in March next year", "in 9999-03-01 9999-04-01"),
    ],
)
def test_against_other_nows(now: str, text: str, expected: str) -> None:
    assert shown(find_times(text, now)) == expected


def test_days_are_those_of_the_zone_of_now() -> None:
    tokyo = timezone(timedelta(hours=9))
    (time,) = find_times("yesterday", datetime(2023, 6, 15, 1, 0, tzinfo=tokyo))
    assert moment(time.start) == "2023-06-13T15:00"
    assert moment(time.end) == "2023-06-14T15:00"


def test_span_text_and_reason() -> None:
    text = "Before May 2023, what did Ana say about last week?"
    before, week = find_times(text, NOW)
    assert before.text == "Before May 2023"
    assert before.interval == (None, to_micros("2023-05-01"))
    assert text[slice(*week.span)] == week.text == "last week"
    assert before.relation == "before"
    assert before.certainty == 1.0
    assert "month" in before.reason


def test_names_are_no_months() -> None:
    question = "What did June cook in June?"
    assert [time.text for time in find_times(question, NOW)] == ["June"]
    assert find_times("Did I hear of June from August?", NOW, names=["june", "august"]) == []
    assert find_times("What was in June's room?", NOW, names=["june"]) == []
    assert (
        shown(find_times("What did June cook on June 3?", NOW, names=["june"])) == "in 2023-06-03 2023-06-04"
    )


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did June say in June?", "in 2023-06-01 2023-07-01"),
        ("What did June say last June?", "in 2022-06-01 2022-07-01"),
        ("What did June say in late June?", "in 2023-06-21 2023-07-01"),
        ("What did June say in June last year?", "in 2022-06-01 2022-07-01"),
        ("Was sagte August im August?", "in 2022-08-01 2022-09-01"),
        ("What did June say before June?", "-"),
        ("What did June say?", "-"),
    ],
)
def test_names_are_months_where_only_a_time_can_stand(question: str, expected: str) -> None:
    assert shown(find_times(question, NOW, names=["june", "august"])) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did May say this May?", "in 2023-05-01 2023-06-01"),
        ("What did April do in the month of May?", "in 2023-05-01 2023-06-01"),
        ("What did May cook in the last week of April?", "in 2023-04-24 2023-05-01"),
        ("What happened between April and May?", "between 2023-04-01 2023-06-01"),
        ("What happened from April to May?", "between 2023-04-01 2023-06-01"),
        (
            "In April, May and June",
            "in 2023-04-01 2023-05-01 ; in 2023-05-01 2023-06-01 ; in 2023-06-01 2023-07-01",
        ),
        ("my May expenses", "-"),
        ("a letter from May", "-"),
        ("since April", "-"),
        ("What did April and May cook?", "-"),
        ("the friends of May", "-"),
        ("Who stood between April and Bob?", "-"),
        ("In April, what did May say?", "in 2023-04-01 2023-05-01"),
        ("What did May's sister say?", "-"),
    ],
)
def test_names_are_months_in_lists_and_ranges(question: str, expected: str) -> None:
    assert shown(find_times(question, NOW, names=["april", "may", "june"])) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did April Smith say on June 3?", "in 2023-06-03 2023-06-04"),
        ("What did I hear from April Smith?", "-"),
        ("What have I read since April?", "since 2023-04-01 .."),
        ("Was it in April Smith's garden?", "-"),
        ("What did April say?", "-"),
        ("What did we do at Summer Camp last week?", "in 2023-06-05 2023-06-12"),
        ("What did we do in Summer?", "in 2023-06-01 2023-09-01"),
        ("photos from The May Day Fair", "-"),
        ("photos since May, and from the fair", "since 2023-05-01 .."),
    ],
)
def test_names_of_several_words_are_names_as_a_whole(question: str, expected: str) -> None:
    names = ["april smith", "summer camp", "the may day fair"]
    assert shown(find_times(question, NOW, names=names)) == expected


@pytest.mark.parametrize("spelled", ["noël", "noel"])
def test_names_are_known_without_their_accents(spelled: str) -> None:
    assert find_times("Qu'est-ce que Noël a dit ?", NOW, names=[spelled]) == []
    assert find_times("Qu'est-ce que Noël Dupont a dit ?", NOW, names=[f"{spelled} dupont"]) == []
    found = find_times("Qu'est-ce que Noël a dit à Noël 2020 ?", NOW, names=[spelled])
    assert shown(found) == "in 2020-12-25 2020-12-26"
    plan = plan_by_rules("Qu'est-ce que Noël a dit ?", now=NOW, vocabulary=Vocabulary(speakers=["Noël"]))
    assert plan.names == ("Noël",)
    assert plan.intervals == ()


def test_slips_are_no_other_words_of_time() -> None:
    words = lexicon_of("en").words
    for word in ("yesterday", "tomorrow", "weekend", "january", "wednesday", "friday"):
        assert all(words[slip] == words[word] for slip in hasty(word)), word
    assert not {"mayor", "moth", "frida", "monda", "marc"} & words.keys()


def test_days_that_are_words_of_names_stay_days() -> None:
    names = ["christmas", "market", "natale"]
    question = "What did we buy for Christmas at the Christmas Market?"
    assert shown(find_times(question, NOW, names=names)) == "in 2022-12-25 2022-12-26"
    assert find_times("Cosa ha detto Natale di me?", NOW, names=names) == []


def test_bad_arguments() -> None:
    with pytest.raises(TimeError, match="now: got .* aware datetime"):
        find_times("today", datetime(2023, 6, 15))
    with pytest.raises(TimeError, match="now"):
        find_times("today", "soon")
    with pytest.raises(InvalidArgumentError, match="text"):
        find_times(5, NOW)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match=r"languages\[1\]: got 'tlh'"):
        find_times("today", NOW, languages=["en", "tlh"])
    with pytest.raises(InvalidArgumentError, match="languages"):
        find_times("today", NOW, languages="en")


def test_now_in_all_its_forms() -> None:
    same = [find_times("last week", now) for now in (NOW, "2023-06-15T14:30:00Z", to_micros(NOW))]
    assert same[0] == same[1] == same[2]


EDGES = [
    from_micros(now).replace(tzinfo=timezone(timedelta(hours=offset)))
    for now, offsets in ((MIN_MICROS, (-14, 0)), (MIN_MICROS + 1, (-14, 0)), (MAX_MICROS, (0, 14)))
    for offset in offsets
]


@pytest.mark.parametrize("now", EDGES, ids=str)
def test_edges_of_the_calendar(now: datetime) -> None:
    for text, _ in table():
        check(text, find_times(text, now))
    for text in ("100000 centuries ago and 99999 centuries from now", "the week before the year 1900"):
        check(text, find_times(text, now))


def test_nows_outside_the_calendar() -> None:
    with pytest.raises(TimeError, match="now"):
        find_times("today", from_micros(MIN_MICROS).replace(tzinfo=timezone(timedelta(hours=14))))


def check(text: str, times: list[FoundTime]) -> None:
    last = 0
    for time in times:
        start, end = time.span
        assert last <= start < end <= len(text)
        assert text[start:end] == time.text
        last = end
        assert time.relation in RELATIONS
        assert 0 < time.certainty <= 1
        assert time.reason
        assert time.start is not None or time.end is not None
        for side in time.interval:
            assert side is None or MIN_MICROS <= side <= MAX_MICROS
        if time.start is not None and time.end is not None:
            assert time.start < time.end


WORDS = sorted({word for text, _ in table() for word in text.split()})


@PROFILE
@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join),
        st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=4)), max_size=10).map("".join),
    ),
    st.integers(MIN_MICROS, MAX_MICROS),
)
def test_whatever_comes(text: str, now: int) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    check(text, find_times(text, now))


MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September"]
MONTHS += ["October", "November", "December"]


@PROFILE
@given(st.dates(min_value=datetime(1900, 1, 1).date(), max_value=datetime(2099, 12, 30).date()))
def test_written_dates_are_that_day(day: datetime) -> None:
    name = MONTHS[day.month - 1]
    for text in (
        f"on {day.isoformat()}",
        f"{day.day} {name} {day.year}",
        f"{name} {day.day}, {day.year}",
        f"{day.day}.{day.month}.{day.year}",
        f"the {day.day}. of {name[:3]} {day.year}",
    ):
        assert shown(find_times(text, NOW)) == f"in {day} {day + timedelta(days=1)}", text


@PROFILE
@given(st.datetimes(min_value=datetime(1000, 1, 1), max_value=datetime(9000, 1, 1)), st.integers(0, 400))
def test_ago_is_around_that_moment(now: datetime, count: int) -> None:
    at = now.replace(tzinfo=timezone.utc)
    for unit, days in (("days", 1), ("weeks", 7)):
        for time in find_times(f"{count} {unit} ago", at):
            assert time.start is not None
            assert time.end is not None
            assert time.start <= to_micros(at - timedelta(days=days * count)) < time.end
            assert time.end - time.start == days * 86_400_000_000


def test_spelled_numbers_are_those_in_digits() -> None:
    counts = {value for value in SPELLED.values() if isinstance(value, int)}
    assert counts >= set(range(1, 100))
    for spellings, value in SPELLED.items():
        for spelling in spellings.replace(" - ", "-").split("|"):
            if isinstance(value, int):
                expected = shown(find_times(f"{value} days ago", NOW))
                assert shown(find_times(f"{spelling} days ago", NOW)) == expected, spelling
            elif value[0] <= 31:
                expected = shown(find_times(f"{value[0]} May 2022", NOW))
                assert shown(find_times(f"the {spelling} of May 2022", NOW)) == expected, spelling


@PROFILE
@given(
    st.datetimes(min_value=datetime(1000, 1, 1), max_value=datetime(9000, 1, 1)),
    st.sampled_from(range(12)),
    st.sampled_from([("last year", -1), ("this year", 0), ("next year", 1), ("two years ago", -2)]),
)
def test_a_year_beside_a_month_says_which(now: datetime, month: int, words: tuple[str, int]) -> None:
    name, (year, count) = MONTHS[month], words
    first = datetime(now.year + count, month + 1, 1)
    after = datetime(first.year + month // 11, (month + 1) % 12 + 1, 1)
    expected = f"in {moment(to_micros(first))} {moment(to_micros(after))}"
    for text in (f"in {name} {year}", f"in {name} of {year}", f"{year} in {name}"):
        assert shown(find_times(text, now.replace(tzinfo=timezone.utc))) == expected, text


@PROFILE
@given(
    st.lists(st.sampled_from(range(12)), min_size=2, max_size=5, unique=True),
    st.integers(1950, 2050),
    st.sampled_from(["and", "or"]),
)
def test_a_list_of_months_shares_its_year(months: list[int], year: int, joint: str) -> None:
    names = [MONTHS[month] for month in months]
    times = find_times(f"in {', '.join(names[:-1])} {joint} {names[-1]} {year}", NOW)
    assert [moment(time.start) for time in times] == [f"{year}-{month + 1:02}-01" for month in months]


def test_huge_texts_are_bounded() -> None:
    for piece in (
        "May 2023 ",
        "last week before ",
        "1,",
        "第",
        "1.",
        "the early ",
        "between ",
        "'",
        "3-",
        "3 and ",
        "March, ",
        "this ",
        "last year in ",
        "after May but before ",
        "the first and ",
        "my May and ",
        "1-2-May-",
        "a week from ",
        "Monday to ",
        "24. 12. ",
        "5/12 and ",
        "on 5/12 to ",
        "2021 2022 ",
        "not in May or ",
        "from now until ",
        "week 12 ",
        "2weeks ",
        "a" * 50,
    ):
        text = piece * (1_000_000 // len(piece))
        times = find_times(text, NOW)
        assert len(times) <= MAX_FOUND
        assert all(time.span[1] <= MAX_SCANNED for time in times)


@pytest.mark.parametrize("piece", ["may/", "may and the ", "June, ", "fall/", "mon/"])
def test_long_lists_are_read_once(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []

    def counting(sentence: Sentence, at: int) -> Reading | None:
        counted.append(at)
        return read_absolute(sentence, at)

    monkeypatch.setattr(compound, "read_absolute", counting)
    count = MAX_SCANNED // len(piece)
    find_times(piece * count, NOW, languages=["en"])
    assert len(counted) <= 3 * count
