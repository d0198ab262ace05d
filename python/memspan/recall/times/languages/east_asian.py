"""Chinese and Japanese: what the patterns of `..east_asian` look for."""

from __future__ import annotations

from typing import Final

from memspan.recall.times.calendar import Unit

__all__ = [
    "AGO",
    "DAYS",
    "FEASTS",
    "JAPANESE_WEEKDAYS",
    "MOMENTS",
    "NUMBER",
    "PARTS",
    "SEASONS",
    "THIRDS",
    "TURNS",
    "UNITS",
    "WEEKDAYS",
    "YEAR",
    "number_of",
    "year_of",
]

_DIGITS: Final = {
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
    "十": 10,
}
_ERAS: Final = {"令和": 2018, "平成": 1988, "昭和": 1925}
"""The years before their first ones."""
NUMBER: Final = r"(\d{1,4}|[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九])"
YEAR: Final = rf"(?:\d{{4}}|[一二][〇零一二三四五六七八九]{{3}}|(?:{'|'.join(_ERAS)})(?:元|{NUMBER}))"
DAYS: Final = {
    "大前天": -3,
    "さきおととい": -3,
    "一昨日": -2,
    "前天": -2,
    "昨天": -1,
    "昨日": -1,
    "今天": 0,
    "今日": 0,
    "明天": 1,
    "明日": 1,
    "后天": 2,
    "大后天": 3,
    "明後日": 2,
    "おととい": -2,
    "きのう": -1,
    "きょう": 0,
    "あした": 1,
    "あさって": 2,
    "しあさって": 3,
}
MOMENTS: Final = {
    "昨晚": (-1, 3),
    "昨夜": (-1, 3),
    "昨晩": (-1, 3),
    "今晚": (0, 3),
    "今夜": (0, 3),
    "今晩": (0, 3),
} | {
    "今朝": (0, 0),
    "今早": (0, 0),
    "今晨": (0, 0),
}
"""Days from now, and the part of that day."""
PARTS: Final = {
    "早上": 0,
    "早晨": 0,
    "清晨": 0,
    "上午": 0,
    "午前": 0,
    "の朝": 0,
    "中午": 1,
    "下午": 1,
    "午後": 1,
    "の午前": 0,
    "の昼": 1,
    "の午後": 1,
    "の夕方": 2,
    "傍晚": 2,
    "夕方": 2,
    "晚上": 3,
    "夜里": 3,
    "夜晚": 3,
    "の夜": 3,
    "の晩": 3,
}
"""What may stand behind a day."""
FEASTS: Final = {
    "圣诞节": "christmas",
    "聖誕節": "christmas",
    "クリスマス": "christmas",
    "平安夜": "christmas eve",
    "クリスマスイブ": "christmas eve",
    "クリスマスイヴ": "christmas eve",
    "元旦": "new year",
    "元日": "new year",
    "大晦日": "new year eve",
    "情人节": "valentine",
    "バレンタインデー": "valentine",
    "バレンタイン": "valentine",
    "妇女节": "women",
    "儿童节": "children",
    "双十一": "singles",
    "双11": "singles",
    "复活节": "easter",
    "イースター": "easter",
    "劳动节": "labour",
    "五一节": "labour",
    "五一假期": "labour",
    "五一期间": "labour",
    "お正月": "new year",
    "国庆节": "china",
    "国慶節": "china",
    "国庆": "china",
    "母亲节": "mother",
    "父亲节": "father",
    "万圣节": "halloween",
    "ハロウィン": "halloween",
    "感恩节": "thanksgiving",
    "暑假": "summer holidays",
    "夏休み": "summer holidays",
    "寒假": "winter holidays",
    "冬休み": "christmas break",
    "ゴールデンウィーク": "golden week",
    "お盆": "obon",
}
UNITS: Final[dict[str, tuple[Unit, int]]] = {
    "上上周": ("week", -2),
    "上上个星期": ("week", -2),
    "上周": ("week", -1),
    "上星期": ("week", -1),
    "上个星期": ("week", -1),
    "这周": ("week", 0),
    "本周": ("week", 0),
    "这个星期": ("week", 0),
    "下周": ("week", 1),
    "下星期": ("week", 1),
    "下个星期": ("week", 1),
    "下下周": ("week", 2),
    "下下个星期": ("week", 2),
    "上上个礼拜": ("week", -2),
    "上个礼拜": ("week", -1),
    "上礼拜": ("week", -1),
    "这个礼拜": ("week", 0),
    "下个礼拜": ("week", 1),
    "下礼拜": ("week", 1),
    "上上个周": ("week", -2),
    "上个周": ("week", -1),
    "上一周": ("week", -1),
    "上一个星期": ("week", -1),
    "上一个礼拜": ("week", -1),
    "这个周": ("week", 0),
    "下个周": ("week", 1),
    "下下个周": ("week", 2),
    "下一周": ("week", 1),
    "上上星期": ("week", -2),
    "上上礼拜": ("week", -2),
    "这一周": ("week", 0),
    "这星期": ("week", 0),
    "本星期": ("week", 0),
    "这礼拜": ("week", 0),
    "下一个星期": ("week", 1),
    "下一个礼拜": ("week", 1),
    "下下星期": ("week", 2),
    "下下礼拜": ("week", 2),
    "上季度": ("quarter", -1),
    "上个季度": ("quarter", -1),
    "上一季度": ("quarter", -1),
    "上一个季度": ("quarter", -1),
    "这季度": ("quarter", 0),
    "这个季度": ("quarter", 0),
    "本季度": ("quarter", 0),
    "下季度": ("quarter", 1),
    "下个季度": ("quarter", 1),
    "下一季度": ("quarter", 1),
    "下一个季度": ("quarter", 1),
    "前四半期": ("quarter", -1),
    "今四半期": ("quarter", 0),
    "来四半期": ("quarter", 1),
    "上一个月": ("month", -1),
    "下一个月": ("month", 1),
    "上一年": ("year", -1),
    "下一年": ("year", 1),
    "上上个月": ("month", -2),
    "上个月": ("month", -1),
    "上月": ("month", -1),
    "这个月": ("month", 0),
    "本月": ("month", 0),
    "下个月": ("month", 1),
    "下月": ("month", 1),
    "下下个月": ("month", 2),
    "前年": ("year", -2),
    "去年": ("year", -1),
    "今年": ("year", 0),
    "明年": ("year", 1),
    "后年": ("year", 2),
    "大前年": ("year", -3),
    "先々週": ("week", -2),
    "先週": ("week", -1),
    "今週": ("week", 0),
    "来週": ("week", 1),
    "再来週": ("week", 2),
    "先々月": ("month", -2),
    "先月": ("month", -1),
    "今月": ("month", 0),
    "来月": ("month", 1),
    "再来月": ("month", 2),
    "一昨年": ("year", -2),
    "おととし": ("year", -2),
    "昨年": ("year", -1),
    "来年": ("year", 1),
    "再来年": ("year", 2),
}
AGO: Final[dict[str, Unit]] = {
    "天": "day",
    "日": "day",
    "周": "week",
    "星期": "week",
    "个星期": "week",
    "个礼拜": "week",
    "週間": "week",
    "个月": "month",
    "ヶ月": "month",
    "か月": "month",
    "カ月": "month",
    "年": "year",
    "分钟": "minute",
    "小时": "hour",
    "个小时": "hour",
    "个钟头": "hour",
    "時間": "hour",
}
WEEKDAYS: Final = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
JAPANESE_WEEKDAYS: Final = {"月": 0, "火": 1, "水": 2, "木": 3, "金": 4, "土": 5, "日": 6}
THIRDS: Final = {"上旬": 0, "初": 0, "初め": 0, "中旬": 1, "下旬": 2, "末": 2, "底": 2}
TURNS: Final = {"这个": 0, "这": 0, "今": 0, "この": 0, "上个": -1, "下个": 1, "上上个": -2, "下下个": 2}
SEASONS: Final = {"春": 0, "夏": 1, "秋": 2, "冬": 3}


def number_of(text: str) -> int:
    """The value of a match of `NUMBER`."""
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十") if "十" in text else ("", "", text)
    return (10 * _DIGITS.get(tens, 1) if ten else 0) + _DIGITS.get(ones, 0)


def year_of(text: str) -> int:
    """The value of a match of `YEAR`."""
    for era, before in _ERAS.items():
        if text.startswith(era):
            counted = text.removeprefix(era)
            return before + (1 if counted == "元" else number_of(counted))
    return int("".join(str(_DIGITS.get(digit, 0)) if not digit.isdecimal() else digit for digit in text))
