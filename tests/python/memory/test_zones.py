"""When a question is asked, and in which zone: whose days "yesterday" and the dates of a context are."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memspan.memory import Memory
from memspan.recall.moment import moment_line
from memspan.recall.times.written import written_interval
from memspan.times import from_micros, in_zone, to_micros, to_moment, zone_of

SUMMER = timezone(timedelta(hours=2))
NIGHT = datetime(2024, 6, 12, 0, 30, tzinfo=SUMMER)  # still the day before in UTC


@pytest.fixture
def lunches(memory: Memory) -> Memory:
    memory.add(
        [
            {"id": "bob", "text": "We had lunch with Bob.", "at": "2024-06-11T13:00:00+02:00"},
            {"id": "carl", "text": "We had lunch with Carl.", "at": "2024-06-10T13:00:00+02:00"},
            {"id": "late", "text": "A taxi after midnight.", "at": "2024-06-12T00:10:00+02:00"},
        ],
        user="ana",
    )
    return memory


@pytest.mark.parametrize(
    "now",
    [NIGHT, NIGHT.isoformat(), NIGHT.astimezone(ZoneInfo("Europe/Berlin"))],
    ids=["offset", "text", "zone"],
)
def test_yesterday_is_the_day_before_where_it_is_asked(lunches: Memory, now: Any) -> None:
    found = lunches.search("Who did we have lunch with yesterday?", user="ana", now=now)
    assert found.plan is not None
    ((start, end),) = found.plan.intervals
    assert (start, end) == (to_micros("2024-06-11T00:00+02:00"), to_micros("2024-06-12T00:00+02:00"))
    assert any("time 2024-06-11 00:00 to 2024-06-12 00:00" in reason for reason in found.plan.reasons)
    assert found[0].id == "bob"


@pytest.mark.parametrize("now", [to_micros(NIGHT), NIGHT.astimezone(timezone.utc), "2024-06-11T22:30Z", None])
def test_without_a_zone_it_is_utc(lunches: Memory, now: Any) -> None:
    plan = lunches.search("Who did we have lunch with yesterday?", user="ana", now=now).plan
    assert plan is not None
    assert plan.intervals == ((to_micros("2024-06-10"), to_micros("2024-06-11")),)


def test_a_context_has_the_dates_of_the_zone(lunches: Memory) -> None:
    there = lunches.context("taxi", user="ana", now=NIGHT)
    assert (
        there.text.index("Tue 11 Jun 2024") < there.text.index("Wed 12 Jun 2024") < there.text.index("taxi")
    )
    assert {source.id: source.at for source in there.sources}["late"] == NIGHT - timedelta(minutes=20)
    assert "Wed 12 Jun 2024" not in lunches.context("taxi", user="ana").text


def test_a_model_is_told_the_weekday_of_the_zone() -> None:
    assert moment_line(NIGHT) == {"time": "2024-06-12T00:30+02:00", "weekday": "Wednesday"}


@pytest.mark.parametrize(
    ("given", "start"),
    [
        ("2024-06-11", "2024-06-11T00:00+02:00"),
        ("2024-06", "2024-06-01T00:00+02:00"),
        ("2024-06-11T09:00", "2024-06-11T09:00+02:00"),
        ("2024-06-11T09:00Z", "2024-06-11T09:00Z"),
        ("yesterday", "2024-06-11T00:00+02:00"),
    ],
)
def test_what_a_model_writes_is_of_the_zone(given: str, start: str) -> None:
    found = written_interval(given, NIGHT)
    assert found is not None
    assert found[0] == to_micros(start)


def test_a_model_may_write_dates_with_other_hyphens() -> None:
    day = written_interval("2024-06-03", NIGHT)
    assert written_interval("2024\u201106\u201103", NIGHT) == day != written_interval("2024", NIGHT)
    assert written_interval("2024\u201102\u201131", NIGHT) is None


def test_moments_keep_their_zone() -> None:
    assert to_moment(NIGHT).utcoffset() == to_moment(NIGHT.isoformat()).utcoffset() == timedelta(hours=2)
    assert to_moment(to_micros(NIGHT)) == NIGHT
    assert (
        to_moment("2024-06-12")
        == to_moment(datetime(2024, 6, 12))
        == datetime(2024, 6, 12, tzinfo=timezone.utc)
    )
    assert zone_of(None) is zone_of(0) is timezone.utc
    first = from_micros(to_micros("0001-01-01"))
    assert in_zone(first, timezone(timedelta(hours=-5))) == first


def test_what_is_to_come_is_no_time_to_ask_at(memory: Memory) -> None:
    question = "Who did we have lunch with yesterday?"

    def asked_about() -> tuple[Any, ...]:
        plan = memory.search(question, user="ana").plan
        assert plan is not None
        return plan.intervals

    memory.add({"text": "The dentist.", "at": "9998-05-05T09:00Z"}, user="ana")
    assert asked_about() == ((to_micros("9998-05-04"), to_micros("9998-05-05")),)
    memory.add({"text": "Lunch with Bob.", "at": "2024-06-11T13:00Z"}, user="ana")
    assert asked_about() == ((to_micros("2024-06-10"), to_micros("2024-06-11")),)
    as_of = datetime.now(timezone.utc) + timedelta(hours=1)
    plan = memory.search(question, user="ana", as_of=as_of).plan
    assert plan is not None
    assert plan.intervals == asked_about()
