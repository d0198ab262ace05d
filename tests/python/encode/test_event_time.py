"""Times that a model gives: believed, flagged, or put aside."""

from __future__ import annotations

import asyncio
from datetime import datetime, timezone
from typing import Any
from unicodedata import normalize

import pytest
from conversations import START, statement, turn, turns, work
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE
from tools import MemoryTools, run_stages

from memspan.encode import event_time
from memspan.encode.buffer import Buffer
from memspan.encode.event_time import check_time
from memspan.encode.extract import Extract
from memspan.encode.values import Turn
from memspan.encode.verify import Verify
from memspan.recall.times import find_times


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)


SAID = turn(0, "We are fine here.", at=START)


@pytest.mark.parametrize("given", ["", "  ", "\x00"])
def test_without_a_time_it_is_when_it_was_said(given: str) -> None:
    assert check_time(given, [SAID], [SAID]) == (START, None, "")


def test_of_a_day_it_is_when_it_was_said_on_it() -> None:
    """Else a correction of the same day would stand before what it corrects."""
    evening, night = (
        turn(0, "I moved today.", at=at("2023-05-08T23:50:00")),
        turn(1, "Yes.", at=at("2023-05-09T00:10:00")),
    )

    for day, when in (("2023-05-08", evening), ("2023-05-09", night)):
        assert check_time(day, [evening, night], [evening, night]) == (when.at, None, "")


def test_of_several_turns_the_last_one_says_it() -> None:
    assert check_time("", [SAID, turn(5, "Yes.")], []).at == turn(5, "").at


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2023-05-08", "2023-05-08T13:56:00"),
        ("2023-05-08T00:00:00Z", "2023-05-08T13:56:00"),
        ("2023-05-09", "2023-05-09"),
        ("2023-05-08T10:00:00Z", "2023-05-08T10:00:00"),
        ("2023-05-08T10:00:00+02:00", "2023-05-08T08:00:00"),
        ("2023-05-08T10:00:00", "2023-05-08T10:00:00"),
        ("2023-05", "2023-05-01"),
        ("2023", "2023-01-01"),
        ("2023-05-05/2023-05-07", "2023-05-05"),
        ("2023/05/07", "2023-05-07"),
        ("2023/5/7 10:30", "2023-05-07T10:30:00"),
        ("2023/05", "2023-05-01"),
        ("2023-05-XX", "2023-05-01"),
        ("2023-05-00", "2023-05-01"),
        ("2023-??-??", "2023-01-01"),
        ("2023-5-7", "2023-05-07"),
        ("2023. 5. 7.", "2023-05-07"),
        ("2023.05.07/2023.05.09", "2023-05-07"),
        ("20230507", "2023-05-07"),
        ("2023-05-07 - 2023-05-09", "2023-05-07"),
        ("2023-05-07, 10.30", "2023-05-07"),
        ("2023-05-07 （星期日）", "2023-05-07"),
        ("2023-05-07 (Sunday)", "2023-05-07"),
        ("8 May 2023", "2023-05-08T13:56:00"),
        ("today", "2023-05-08T13:56:00"),
        ("yesterday", "2023-05-07"),
    ],
)
def test_a_time_near_the_turn_is_believed(given: str, expected: str) -> None:
    assert check_time(given, [SAID], [SAID]) == (at(expected), None, "")


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("I was in Rome two weeks ago.", "2023-04-24"),
        ("I was in Rome last year.", "2022-07"),
        ("We go there next month.", "2023-06-10"),
        ("I was in Rome in 2019.", "2019"),
        ("My exam is on 3 March 2024.", "2024-03-03T09:00:00"),
        ("Since 2010 I live here.", "2015-01-01"),
        (normalize("NFD", "Ich war im März in Rom."), "2023-03-10"),
    ],
)
def test_a_time_that_the_turn_names_is_believed(text: str, given: str) -> None:
    said = turn(0, text, at=START)

    found = check_time(given, [said], [said])

    assert found.flag is None
    assert found.at.isoformat()[:4] == given[:4]


def test_a_time_that_a_turn_around_names_is_believed() -> None:
    around = [turn(0, "Where were you in August 2021?", at=START), turn(1, "In Rome last week, too.")]

    assert check_time("2021-08", [around[1]], around).flag is None
    assert check_time("2021-08", [around[1]], [around[1]]).flag == "contradicted"


def test_a_time_that_no_turn_names_may_be_so_and_is_marked() -> None:
    assert check_time("1969-07-20", [SAID], [SAID]) == (at("1969-07-20"), "unconfirmed", "1969-07-20")


@pytest.mark.parametrize(
    ("given", "flag"),
    [
        ("2023-02-30", "unreadable"),
        ("2023-13", "unreadable"),
        ("2023-13-XX", "unreadable"),
        ("0000-00-00", "unreadable"),
        ("2023/02/30", "unreadable"),
        ("2023/13/01", "unreadable"),
        ("2023.02.30", "unreadable"),
        ("2023-13-01T25:00:00", "unreadable"),
        ("0000", "unreadable"),
        ("99999-01-01", "unreadable"),
        ("soon", "unreadable"),
        ("null", "unreadable"),
        ("between May 2021 and yesterday or in 2019", "unreadable"),
        ("0023-05-08", "implausible"),
        ("1066-10-14", "implausible"),
        ("9999-12-31T23:59:59", "implausible"),
    ],
)
def test_an_impossible_time_is_put_aside(given: str, flag: str) -> None:
    found = check_time(given, [SAID], [SAID])

    assert found == (START, flag, given)
    assert found.impossible


def test_a_time_that_the_turn_excludes_is_put_aside() -> None:
    said = turn(0, "I was in Rome on 3 March 2021.", at=START)

    assert check_time("2019-03-03", [said], [said]) == (START, "contradicted", "2019-03-03")
    assert check_time("2021-03-05", [said], [said]).flag is None, "a few days are a matter of reading"


def test_an_uncertain_reading_of_ours_excludes_nothing() -> None:
    said = turn(0, "I was in Rome a few years ago.", at=START)

    assert check_time("1990", [said], [said]).flag == "unconfirmed"


@PROFILE
@given(
    given=st.text(max_size=30) | st.datetimes().map(str) | st.dates().map(str),
    text=st.sampled_from(["Hello", "yesterday", "in 2019", "before May", "since 2001", "9999-12-31"]),
    said=st.datetimes(timezones=st.just(timezone.utc)),
)
def test_any_text_gives_a_time_in_the_calendar(given: str, text: str, said: datetime) -> None:
    one: Turn = turn(0, text, at=said)

    found = check_time(given, [one], [one])

    assert found.at.tzinfo is not None
    assert found.at == said or not found.impossible
    assert (found.flag is None) == (found.given == "")


@pytest.mark.parametrize("stage", ["extract", "buffer", "verify"])
def test_each_turn_is_read_once_however_many_statements_lie_far_off(
    stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def reading(text: str, *arguments: Any) -> Any:
        read.append(text)
        return find_times(text, *arguments)

    monkeypatch.setattr(event_time, "find_times", reading)
    given = turns("We met in 2021.", "Did we?", "I moved to Porto in April.")
    far = [{"content": f"Ana did this: {n}", "turns": [1], "timestamp": "2016-03-03"} for n in range(9)]
    if stage == "verify":
        answers = [
            {"n": n, "found": True, "statement": one["content"], "turns": [1], "timestamp": one["timestamp"]}
            for n, one in enumerate(far, 1)
        ]
        asked = [{"n": n, "question": f"When was {n}?"} for n in range(1, 10)]
        replies = {"question": [{"questions": asked}], "evidence": [{"answers": answers}]}
        statements = [statement(f"Ana did it: {n}") for n in range(9)]
        done = run_stages([Verify(batch=9)], work(given, statements=statements), MemoryTools(replies))
    elif stage == "buffer":
        replies = {"summarise": [{"segments": [{"segment": 1, "entries": far}]}]}
        done = run_stages([Buffer()], work(given), MemoryTools(replies))
    else:
        done = run_stages([Extract()], work(given), MemoryTools({"extract": [{"statements": far}]}))
    assert len(asyncio.run(done).statements) == 9
    assert sorted(read) == sorted({each.text for each in given})
