"""The words of a question: without what it says about itself, and with whom it is about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["bare_question", "with_names"]

_I: Final = re.IGNORECASE

# From the start, again and again: politeness, the request, and the form that is wanted; not the "well" of "well-known".
_OPENINGS: Final = tuple(
    re.compile(rf"^\W*(?:{pattern})\b(?![-'’]\w)[\s,:!.]*", _I)
    for pattern in (
        r"(?:hi|hey|hello)(?: there)?|ok|okay|so|well|thanks|thank you|please|pls|plz|by the way|btw|hmm|"
        r"(?:um|uh)(?=[,.])|quick question|just wondering",
        r"(?:can|could|would|will) (?:you|u)(?: please| pls| plz)?(?: (?:tell|remind|show|give|list|provide|describe|"
        r"explain|walk)\b"
        r"(?: me)?(?: through| about| again)?)",
        r"(?:please )?(?:tell|remind|give) me(?: about| again)?",
        r"do (?:you|u) (?:remember|recall|know)(?: about)?|"
        r"(?:you|u) (?:remember|recall|know) (?=(?:what|when|where|who|which|how|why|if|whether)\b)",
        r"i (?:was wondering|wonder|want to know|would like to know|need to know|forgot|don'?t "
        r"(?:remember|know)|can'?t (?:remember|recall))(?: if| whether)?|"
        r"any (?:idea|chance (?:you|u) (?:remember|know)) (?=(?:what|when|where|who|which|how|why|if)\b)",
        r"i'd like to know",
        r"(?:an? |the )?(?:(?:clear|brief|short|quick|full|complete|comprehensive|detailed) "
        r")*(?:summary|overview|recap) (?:of|about)",
        r"(?:in )?the order (?:in which|of|that)",
        r"(?:i|we) (?:brought up|mentioned|discussed|talked about) (?:(?:the|different|various|"
        r"several|all) )*"
        r"(?:aspects|parts|topics|things|concepts|points) (?:of|about|related to)",
    )
)

# What a remark on the form of an answer is made of; other words tell what is asked for ("List only Ben's allergies").
_FORM: Final = (
    r"(?:me|us|up|to|the|an?|in|with|as|by|of|for|and|or|your|it|them|no|not|more|less|than|most|exactly|only|at|just|"
    r"please|single|short|brief|plain|simple|complete|full|important|key|main|relevant|different|distinct|separate|"
    r"total|\d+|zero|one|two|three|four|five|six|seven|eight|nine|ten|dozen|items?|things?|words?|terms?|phrases?|"
    r"sentences?|lines?|paragraphs?|bullets?|points?|entry|entries|elements?|examples?|options?|results?|answers?|"
    r"responses?|reply|names?|numbers?|digits?|letters?|dates?|years?|facts?|reasons?|steps?|aspects?|topics?|yes|list|"
    r"text|form|format|order|english|json)"
)

# Anywhere: where it was said, which is everywhere, and how to answer.
_REMARKS: Final = tuple(
    re.compile(pattern, _I)
    for pattern in (
        r"\b(?:throughout|across|over|during) (?:all )?(?:of )?(?:my|our|these|those) (?:\w+ )?"
        r"(?:conversations?|sessions?|chats?|discussions?)\b,?(?: in order\b)?",
        r"(?:^|(?<=[.!?] ))(?:please )?(?:mention|answer|reply|respond|list|use|give)\b"
        rf"(?=[^.!?]{{0,40}}\b(?:only|exactly|at most|just)\b)(?:[ ,:'\"-]+{_FORM}\b){{1,15}}[\s\"']*[.!?]?\s*$",
    )
)

_WORD: Final = re.compile(r"\w+")

_LEAST_WORDS: Final = 2
_MOST_ROUNDS: Final = 4


def bare_question(question: str) -> str:
    """The question without what it says about itself ("Can you tell me", "Mention only three items"); as it is, when
    fewer than two words would be left."""
    text = " ".join(question.split())
    for remark in _REMARKS:
        text = _without(remark, text)
    for _ in range(_MOST_ROUNDS):
        before = text
        for opening in _OPENINGS:
            text = _without(opening, text)
        if text == before:
            break
    return text


def with_names(query: str, names: Iterable[str]) -> str:
    """The query with those of the names behind it of which it has no word: a first name is enough. O(its length)."""
    there = {word.casefold() for word in _WORD.findall(query)}
    missing = [name for name in names if there.isdisjoint(map(str.casefold, _WORD.findall(name)))]
    return " ".join([query, *missing])


def _without(pattern: re.Pattern[str], text: str) -> str:
    shorter = " ".join(pattern.sub(" ", text, count=1).split())
    return shorter if len(shorter.split()) >= _LEAST_WORDS else text
