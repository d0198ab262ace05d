"""By what a Chinese or a Japanese question is known to be of a kind; their words are not apart by spaces."""

from __future__ import annotations

from typing import Final

from .table import Table

__all__ = ["CHINESE", "JAPANESE"]

CHINESE: Final[Table] = (
    ("summary", r"总结|總結|概括|概述", "asks for a summary"),
    ("order", r"顺序|順序|按时间|时间线|先后", "asks for an order"),
    (
        "order",
        r"(?:哪个|谁|什么).{0,40}(?:先|早|后|晚).{0,40}还是|先.{1,40}还是",
        "asks which of two came first",
    ),
    ("when", r"什么时候|什麼時候|何时|几号|几点|哪(?:一)?(?:天|年|个?月)", "asks when"),
    ("when", r"多久|多长时间|多大(?:年纪|了)?[？?]?$|几岁", "asks how long"),
    (
        "when",
        r"(?:几|多少)(?:个)?(?:天|周|星期|月|年|小时|分钟)(?:前|以前|之前|过去)|隔了(?:几|多少)",
        "asks for the time between events",
    ),
    ("list", r"(?<!是)多少(?!钱)|[花付用赚].{0,6}多少钱|几个|几次|几本|总共|一共", "counts"),
    ("list", r"哪些|全部|所有", "asks for all"),
    (
        "assistant",
        r"你(?:之前|以前|上次|曾经|刚才|刚刚).{0,12}(?:推荐|建议|说|告诉|提|解释|回答)|"
        r"你(?:给我|向我|跟我|对我|帮我|替我)?(?:推荐|建议|说|告诉我?|提到?|解释|答应|承诺|保证|问|发|写|订)(?:过|了|的)",
        "asks what the assistant did",
    ),
    ("assistant", r"你的(?:上一?个)?(?:回答|建议|推荐|解释|答案)", "refers to the assistant's words"),
    ("preference", r"(?:推荐|建议)(?![了过])|我(?:应该|该)|帮我", "asks for advice"),
    ("update", r"现在|目前|还在|最近|最新|当前", "asks for what holds now"),
    ("yes_no", r"[吗嗎]\W*$|是不是|有没有|是否|会不会|能不能|喜不喜欢", "asks whether"),
)

JAPANESE: Final[Table] = (
    ("summary", r"概要|要約|まとめ", "asks for a summary"),
    ("order", r"順番|順序|どの順|時系列", "asks for an order"),
    ("order", r"(?:どちら|どっち).{0,30}(?:先|早|後)", "asks which of two came first"),
    ("when", r"いつ|何日|何時|何月|何年(?!間)|何曜日|哪一天", "asks when"),
    ("when", r"ど(?:の|れ)くらい(?:前|の間|の?時間|かか)|何歳|何年間", "asks how long"),
    ("list", r"いくつ|何回|何冊|何人|何個|何度|合計", "counts"),
    ("list", r"全部|すべて|全て", "asks for all"),
    (
        "assistant",
        r"(?:勧め|すすめ|薦め|教え|言っ|提案し|話し|説明し|答え)て(?:くれ|くださ)|あなた(?:が|は).{0,12}(?:言|勧め|薦め|すすめ|教え|提案|説明)",
        "asks what the assistant did",
    ),
    ("assistant", r"あなたの(?:前の)?(?:回答|答え|提案|説明)", "refers to the assistant's words"),
    (
        "preference",
        r"おすすめ|お勧め|オススメ|推薦|アドバイス|(?:た|ば)ら?いい(?:(?:です)?か|の?\W*$)|べき",
        "asks for advice",
    ),
    ("update", r"今(?:[はもの]|どこ|誰|だれ|何(?!時))|現在|まだ|最近|最新", "asks for what holds now"),
    (
        "yes_no",
        r"^(?!.*(?:何|誰|だれ|どこ|いつ|どの|どれ|どう|なぜ|なに|いく|どんな|どちら|どっち)).*"
        r"(?:ます|です|ました|ません|でした|でしょう)か\W*$",
        "has no question word",
    ),
)
