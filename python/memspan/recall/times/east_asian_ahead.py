"""Which sentences in Chinese and Japanese look ahead, so that what recurs is the next one ("星期五有空吗")."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from .calendar import Span, shifted
from .reading import Reading

__all__ = ["ahead_in", "has_begun", "last_weekend", "tells_past"]

_SENTENCE: Final = re.compile(r"[^。！？!?\n]+")
_AHEAD: Final = re.compile(
    r"[有没]空|有(?:没有)?时间|安排|计划|打算|日程|行程|预约|截止|到期|要(?:做|完成|准备|去|交|见|开会|参加|上班|上课|考试)|将|"
    r"有(?:什么|啥)(?:事|活动|会议|课|约)|(?:[来到]|出发|回来|开始|开会|上[课班])吗|会(?:来|去|下雨|下雪|不会)|"
    r"空いて|予定|暇|つもり|締め?切り?|期限|スケジュール|計画|しなければ|しないと|何をする(?!か.{0,30}た)|やるべき|やること|する必要|何かある|何がある|"
    r"(?:来る|着く|帰る|出発する|始まる)(?:[のか。！？!?]|$)|"
    r"(?:[何誰]|だれ|どこ|いつ).{0,30}(?:し|行き|来|会い|出かけ|帰り|始まり)ます"
)
_PAST: Final = re.compile(
    r"了|过(?![生年节])|当时|那时|本来|原本|是(?:谁|哪天|什么时候|在哪|怎么).{0,30}(?<!样)的$|"
    r"(?<![なま])た(?=[。、？?！!のかよねら]|$|(?![方後時場])[一-鿿])|(?:まし|でし|だっ|てい)た|かった"
)
_THIS: Final = ("这", "本", "今", "この")
_INTENDED: Final = re.compile(r"[说讲提约想问]|告诉|计划|打算|决定|安排|商量|[言話聞]|予定|計画|決め|約束|誘")
"""What is said or planned in the past is often to come."""
_AROUND: Final = 40


def ahead_in(text: str) -> bytearray | None:
    """For each character, whether it stands in a sentence about what is to come, and nothing in it about the past;
    `None` where none does. O(text)."""
    if _AHEAD.search(text) is None:
        return None
    flags = bytearray(len(text))
    for match in _SENTENCE.finditer(text):
        sentence = match[0]
        if _AHEAD.search(sentence) is not None and _PAST.search(sentence) is None:
            flags[match.start() : match.end()] = b"\1" * len(sentence)
    return flags if any(flags) else None


def tells_past(text: str) -> bool:
    """Whether a text tells of the past. O(text)."""
    return _PAST.search(text) is not None


def has_begun(text: str, start: int, end: int) -> bool:
    """As in "自从三月", "3月以来"."""
    return text.endswith("自从", 0, start) or text.startswith("以来", end)


def last_weekend(text: str, start: int, end: int, found: Reading, now: datetime) -> Reading:
    """The same weekend, or the one before where "this" one has not begun and what was done is asked for:
    "这个周末我做了什么". O(1)."""
    if found.span.start <= now or not text.startswith(_THIS, start):
        return found
    words = text[max(0, start - _AROUND) : start] + "," + text[end : end + _AROUND]
    if _PAST.search(words) is None or _INTENDED.search(words) is not None:
        return found
    return found._replace(span=Span(*(shifted(side, days=-7) for side in found.span)))
