"""Times in each language: chosen, guessed, and read from tables that wait until they are needed."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime, timedelta

import pytest

from memspan.recall.times import LANGUAGES, FoundTime, find_times
from memspan.times import from_micros

NOW = "2023-06-15T14:30Z"


def shown(times: list[FoundTime]) -> str:
    days = (f"{from_micros(side):%Y-%m-%d}" for time in times for side in (time.start or 0, time.end or 0))
    return " ".join([*(time.relation for time in times), *days])


def test_languages_may_be_chosen() -> None:
    assert find_times("vorgestern", NOW, languages=["en"]) == []
    assert shown(find_times("hier", NOW, languages=["fr"])) == "in 2023-06-14 2023-06-15"
    assert find_times("hier", NOW, languages=["de"]) == []
    assert shown(find_times("7/5/2023", NOW, languages=["fr"])) == "in 2023-05-07 2023-05-08"
    assert find_times("昨天", NOW, languages=["en"]) == []
    assert find_times("yesterday", NOW, languages=[]) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_knows_yesterday(language: str) -> None:
    words = {"en": "yesterday", "de": "gestern", "fr": "hier", "es": "ayer", "it": "ieri", "pt": "ontem"}
    words |= {"nl": "gisteren", "pl": "wczoraj", "ru": "вчера", "zh": "昨天", "ja": "昨日", "ko": "어제"}
    assert shown(find_times(words[language], NOW, languages=[language])) == "in 2023-06-14 2023-06-15"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "from {} to {} May 2022"),
        ("de", "vom {}. bis {}. Mai 2022"),
        ("de", "zwischen dem {}. und dem {}. Mai 2022"),
        ("fr", "du {} au {} mai 2022"),
        ("es", "del {} al {} de mayo de 2022"),
        ("it", "dal {} al {} maggio 2022"),
        ("pt", "de {} a {} de maio de 2022"),
        ("nl", "van {} tot {} mei 2022"),
        ("pl", "od {} do {} maja 2022"),
        ("ru", "с {} по {} мая 2022"),
        ("zh", "2022年5月{}日到{}日"),
        ("ja", "2022年5月{}日から{}日まで"),
        ("ko", "2022년 5월 {}일부터 {}일까지"),
    ],
)
def test_every_language_has_ranges_of_days(language: str, text: str) -> None:
    for first, last in ((1, 2), (3, 5), (9, 31)):
        end = datetime(2022, 5, last) + timedelta(days=1)
        expected = f"between 2022-05-{first:02} {end:%Y-%m-%d}"
        assert shown(find_times(text.format(first, last), NOW)) == expected
        assert shown(find_times(text.format(first, last), NOW, languages=[language])) == expected


def test_tables_are_read_when_needed() -> None:
    code = (
        "import sys; from memspan.recall.times import find_times;"
        "find_times('What did Ana buy last week for the party in May?', 0);"
        "print([name for name in sys.modules if 'recall.times.' in name])"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "english" in loaded
    assert "german" not in loaded
    assert "east_asian" not in loaded
