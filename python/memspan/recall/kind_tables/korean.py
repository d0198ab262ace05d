"""By what a Korean question is known to be of a kind; its words take particles and endings."""

from __future__ import annotations

from typing import Final

from .table import Table

__all__ = ["KOREAN"]

KOREAN: Final[Table] = (
    ("summary", r"요약|간추려|정리해", "asks for a summary"),
    ("order", r"순서|시간 ?순|연대순", "asks for an order"),
    (
        "order",
        r"(?:뭐가|무엇이|누가|어느 ?(?:게|것이|쪽이)).{0,30}먼저|먼저.{0,30}아니면",
        "asks which of two came first",
    ),
    ("when", r"언제|며칠(?= ?(?:에|이|날))|몇 ?(?:월|년도|시)(?!간)|무슨 요일", "asks when"),
    (
        "when",
        r"얼마나 (?:오래|걸)|몇 ?(?:년|달|개월|주|일|시간) ?(?:전|동안|만에|됐|걸)|몇 ?살",
        "asks how long",
    ),
    ("list", r"몇 ?(?:번|권|명|개(?!월)|곳|마리|잔|편)|총 얼마", "counts"),
    ("list", r"전부|모든|모두", "asks for all"),
    (
        "assistant",
        r"(?:추천|제안|설명|말)해 ?(?:줬|준|주었)|알려 ?(?:줬|준)|(?:네가|당신이).{0,12}(?:말|추천|제안|설명|알려)",
        "asks what the assistant did",
    ),
    ("assistant", r"(?:네|너의|당신의) (?:답변|대답|제안|추천|설명)", "refers to the assistant's words"),
    (
        "preference",
        r"추천해 ?(?:주|줘|줄)|조언|뭐가 좋을까|어떻게 하면 좋|(?:뭘|뭐|어디).{0,20}[할살볼갈을]까\W*$",
        "asks for advice",
    ),
    ("update", r"지금|현재|아직|요즘|최근|최신", "asks for what holds now"),
    (
        "yes_no",
        r"^(?!.*(?:뭐|뭘|뭔|무엇|무슨|누가|누구|어디|언제|어떻|어땠|어때|어떤|왜|몇|얼마|어느|며칠)).*[가-힣]\s*\?\W*$",
        "has no question word",
    ),
)
