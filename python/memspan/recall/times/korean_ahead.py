"""Which sentences in Korean look ahead, so that what recurs is the next one ("금요일에 시간 있어?")."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ahead_in", "tells_past"]

_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+")
_AHEAD: Final = re.compile(
    r"예정|일정|계획|약속|마감|스케줄|시간 ?(?:있|돼|되|괜찮)|(?:할|갈|올|볼|될|만날|먹을|있을) ?(?:거|건|것|게)|"
    r"[할갈올볼될날을]까|[할갈올볼될]게|[가-힣]야 ?(?:해|하|할|돼|되|지)|뭐 ?(?:해|하|할)|뭘 ?(?:해|하|할)|"
    r"있(?:어|나|니|습니까|지|는)|"
    r"(?:오|가|시작하|출발하|도착하|열리|끝나|떠나|돌아오)(?:나요|니|는지)|[와가]요?\s*$|시작해|출발해|도착해|합니까|옵니까|갑니까"
)
_FINAL: Final = 28
_SSANG_SIOT: Final = 20
_FIRST: Final = 0xAC00
_NO_PAST: Final = frozenset("있겠")


def ahead_in(text: str) -> bytearray | None:
    """For each character, whether it stands in a sentence about what is to come, and nothing in it about the past;
    `None` where none does. O(text)."""
    flags = bytearray(len(text))
    for match in _SENTENCE.finditer(text):
        sentence = match[0]
        if _AHEAD.search(sentence) is not None and not tells_past(sentence):
            flags[match.start() : match.end()] = b"\1" * len(sentence)
    return flags if any(flags) else None


def tells_past(sentence: str) -> bool:
    """Whether a syllable ends as the past tense does: "했", "갔"."""
    return any(
        "가" <= letter <= "힣" and (ord(letter) - _FIRST) % _FINAL == _SSANG_SIOT and letter not in _NO_PAST
        for letter in sentence
    )
