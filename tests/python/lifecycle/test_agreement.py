"""Which texts of nearly the same words say the same."""

from __future__ import annotations

from datetime import datetime, timezone
from unicodedata import normalize

import numpy as np
import pytest

from memspan import Record
from memspan.lifecycle.merging.agreement import agree
from memspan.lifecycle.merging.duplicates import Merging, mergers
from memspan.reports.duplicates import Duplicate

START = datetime(2023, 5, 1, tzinfo=timezone.utc)
APART = [
    ("Ana owes Ben 5 euros", "Ben owes Ana 5 euros"),
    ("Ana loves Ben", "Ben loves Ana"),
    ("Ana moved from Porto to Lisbon", "Ana moved from Lisbon to Porto"),
    ("The meeting is at 5 am on Friday", "The meeting is at 5 pm on Friday"),
    ("The meeting is at 5:30 a.m. on Friday", "The meeting is at 5:30 P.M. on Friday"),
    ("The temperature was -5 degrees", "The temperature was 5 degrees"),
    ("Ana moves to Rome in May", "Ana moves to Rome in May?"),
    ("Ana isst Fleisch am Montag", "Ana isst kein Fleisch am Montag"),
    ("Ana gehört das Haus in Porto", "Ana gehört das Haus in Porto nicht"),
    ("Ana come carne los lunes", "Ana nunca come carne los lunes"),
    ("A Ana vai ao mercado hoje", normalize("NFD", "A Ana não vai ao mercado hoje")),
    ("Анна ест мясо", "Анна не ест мясо"),
    ("アナは肉を食べる", "アナは肉を食べない"),
    ("安娜吃肉", "安娜不吃肉"),
    ("Anna äter fisk", "Anna äter inte fisk"),
    ("Η Άννα τρώει ψάρι", "Η Άννα δεν τρώει ψάρι"),
    ("آنا تأكل السمك", "آنا لا تأكل السمك"),
    ("अन्ना मछली खाती है", "अन्ना मछली नहीं खाती है"),
    ("แอนนากินปลา", "แอนนาไม่กินปลา"),
]
TOGETHER = [
    ("Ana drinks green tea in the morning.", "ana drinks green tea in the morning"),
    ("Ana drinks green tea in the morning", "Ana drinks some green tea in the morning at home"),
    ("It was not cheap, never", "It was not cheap - never!"),
    ("The meeting is at 5 pm", "The meeting is at 5 PM"),
    ("It is -5 degrees", "It is -5 degrees."),
    ("", ""),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_says_something_else_stays_apart(one: str, other: str) -> None:
    assert not agree(one, other)
    assert not agree(other, one)
    assert not merged(one, other)


@pytest.mark.parametrize(("one", "other"), TOGETHER)
def test_what_says_the_same_agrees(one: str, other: str) -> None:
    assert agree(one, other)
    assert agree(other, one)


def test_what_agrees_is_merged() -> None:
    assert merged(*TOGETHER[0])


def merged(*texts: str) -> bool:
    """Whether memories with these texts and equal vectors become one."""
    vector = np.full(4, 0.5, np.float32)
    known = {
        str(place): Record(
            id=str(place),
            user="ana",
            text=text,
            at=START,
            kind="semantic",
            recorded_at=START,
            sources=(f"t{place}",),
            embedding=vector,
        )
        for place, text in enumerate(texts)
    }
    return bool(mergers([Duplicate("0", "1", 0.99)], known, Merging()))
