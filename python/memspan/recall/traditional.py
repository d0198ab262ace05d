"""Traditional Chinese in the characters that the tables are written in."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["simplified"]

_SIMPLE: Final = str.maketrans(
    "個這兩過幾號禮從裡裏與於遲並節聖誕國慶復勞動親萬紀為來現發什麼們嗎說談講總結況還誰歲鐘賺錢給對幫訴釋應該問寫薦議諾剛經當",
    "个这两过几号礼从里里与于迟并节圣诞国庆复劳动亲万纪为来现发什么们吗说谈讲总结况还谁岁钟赚钱给对帮诉释应该问写荐议诺刚经当",
)
_ALSO_JAPANESE: Final = str.maketrans("後週時間長", "后周时间长")
_CHINESE: Final = re.compile("(?<![午明])後(?!半)|(?<=[上这本下])週|[之期]間|小時|時候|[多長]長?時間")
"""Where they are no part of Japanese "午後", "明後日", "二週間前", "時間"."""
_KANA: Final = re.compile(r"[\u3040-\u30ff]")


def simplified(text: str) -> str:
    """The same text, character by character, with simplified ones for those that the words of the tables need; as it is
    where it has kana, and so is Japanese."""
    if text.isascii() or _KANA.search(text) is not None:
        return text
    return _CHINESE.sub(lambda match: match[0].translate(_ALSO_JAPANESE), text.translate(_SIMPLE))
