"""Korean: what the patterns of `..korean` look for, as words take particles at their ends."""

from __future__ import annotations

from typing import Final

from memspan.recall.times.calendar import Unit

__all__ = [
    "DAYS",
    "FEASTS",
    "MOMENTS",
    "MONTHS",
    "NATIVE_DAYS",
    "NUMBER",
    "PARTS",
    "SEASONS",
    "THIRDS",
    "TURNS",
    "UNITS",
    "WEEKDAYS",
    "YEARS",
    "number_of",
]

_SINO: Final = {word: value for value, word in enumerate("일이삼사오육칠팔구", 1)}
_NATIVE: Final = {
    "한": 1,
    "두": 2,
    "세": 3,
    "석": 3,
    "네": 4,
    "넉": 4,
    "다섯": 5,
    "여섯": 6,
    "일곱": 7,
    "여덟": 8,
    "아홉": 9,
}
NUMBER: Final = (
    rf"(?:\d{{1,3}}|[{''.join(_SINO)}]?십[{''.join(_SINO)}]?|열(?:{'|'.join(_NATIVE)})?|{'|'.join(_NATIVE)}"
    rf"|[{''.join(_SINO)}])"
)
NATIVE_DAYS: Final = {
    "하루": 1,
    "이틀": 2,
    "사흘": 3,
    "나흘": 4,
    "닷새": 5,
    "엿새": 6,
    "이레": 7,
    "열흘": 10,
    "보름": 15,
}
UNITS: Final[dict[str, Unit]] = {
    "일": "day",
    "주일": "week",
    "주": "week",
    "개월": "month",
    "달": "month",
    "년": "year",
    "해": "year",
    "시간": "hour",
    "분": "minute",
}
DAYS: Final = {
    "그끄저께": -3,
    "그저께": -2,
    "그제": -2,
    "어저께": -1,
    "어제": -1,
    "오늘": 0,
    "내일모레": 2,
    "내일": 1,
    "모레": 2,
    "글피": 3,
}
MOMENTS: Final = {"어젯밤": (-1, 3), "어제밤": (-1, 3), "간밤": (-1, 3), "지난밤": (-1, 3), "오늘밤": (0, 3)}
"""Days from now, and the part of that day."""
PARTS: Final = {
    "새벽": 0,
    "아침": 0,
    "오전": 0,
    "낮": 1,
    "오후": 1,
    "저녁": 2,
    "밤": 3,
}
"""What may stand behind a day."""
YEARS: Final = {
    "재작년": -2,
    "작년": -1,
    "지난해": -1,
    "지난 해": -1,
    "올해": 0,
    "금년": 0,
    "내년": 1,
    "다음 해": 1,
    "다음해": 1,
    "내후년": 2,
    "후년": 2,
}
TURNS: Final = {
    "지지난": -2,
    "저저번": -2,
    "지난번": -1,
    "지난": -1,
    "저번": -1,
    "이번": 0,
    "올": 0,
    "이": 0,
    "금": 0,
    "다음번": 1,
    "다음": 1,
    "담": 1,
    "오는": 1,
    "다다음": 2,
}
MONTHS: Final = {
    "일": 1,
    "이": 2,
    "삼": 3,
    "사": 4,
    "오": 5,
    "유": 6,
    "칠": 7,
    "팔": 8,
    "구": 9,
    "시": 10,
    "십일": 11,
    "십이": 12,
}
WEEKDAYS: Final = {"월": 0, "화": 1, "수": 2, "목": 3, "금": 4, "토": 5, "일": 6}
SEASONS: Final = {"봄": 0, "여름": 1, "가을": 2, "겨울": 3}
THIRDS: Final = {
    "초순": 0,
    "상순": 0,
    "초반": 0,
    "초": 0,
    "중순": 1,
    "중반": 1,
    "하순": 2,
    "후반": 2,
    "말": 2,
}
FEASTS: Final[dict[str, str | tuple[int, int]]] = {
    "크리스마스 이브": "christmas eve",
    "크리스마스이브": "christmas eve",
    "크리스마스": "christmas",
    "성탄절": "christmas",
    "새해 첫날": "new year",
    "새해": "new year",
    "여름방학": "summer holidays",
    "여름 방학": "summer holidays",
    "겨울방학": "winter holidays",
    "겨울 방학": "winter holidays",
    "신정": "new year",
    "발렌타인데이": "valentine",
    "밸런타인데이": "valentine",
    "화이트데이": (3, 14),
    "부활절": "easter",
    "핼러윈": "halloween",
    "할로윈": "halloween",
    "추수감사절": "thanksgiving",
    "삼일절": (3, 1),
    "근로자의 날": "labour",
    "어린이날": (5, 5),
    "어버이날": (5, 8),
    "스승의 날": (5, 15),
    "현충일": (6, 6),
    "광복절": (8, 15),
    "개천절": (10, 3),
    "한글날": (10, 9),
}
"""By their names in `NAMED_DAYS`, or by month and day."""


def number_of(text: str) -> int:
    """The value of a match of `NUMBER`, or of the name of so many days."""
    if text.isdecimal():
        return int(text)
    if text in NATIVE_DAYS:
        return NATIVE_DAYS[text]
    if text.startswith("열"):
        return 10 + _NATIVE.get(text[1:], 0)
    if text in _NATIVE:
        return _NATIVE[text]
    tens, ten, ones = text.partition("십")
    return 10 * _SINO.get(tens, 1) + _SINO.get(ones, 0) if ten else _SINO[text]
