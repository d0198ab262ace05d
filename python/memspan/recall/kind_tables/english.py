"""By what an English question is known to be of a kind."""

from __future__ import annotations

from typing import Final

from .table import Table

__all__ = ["ENGLISH"]

_ASK: Final = r"^(?:\W*(?:and|but|so|ok|okay|well|hey|hi|please|also|then)\b)*\W*"
_TELL: Final = (
    r"(?:(?:can|could|would|will) you (?:please )?(?:tell|remind|show) (?:me )?|do you (?:remember|"
    r"know|recall) |"
    r"(?:please )?(?:tell|remind) me |i (?:want|need|would like|'d like) to know |i forgot |i "
    r"wonder(?:ed)? )?"
)
_TOLD: Final = (
    "say|said|tell|told|mention(?:ed)?|recommend(?:ed)?|suggest(?:ed)?|give|gave|given|provided?|"
    "explain(?:ed)?|"
    "proposed?|advised?|write|wrote|written|list(?:ed)?|describ(?:ed?)|shared?|answer(?:ed)?|repl(?:y|ied)|"
    "call(?:ed)?|come up with|came up with|created?|drafted?|compared?|summari[sz]ed?|calculated?|outlined?"
)
_HAS_TOLD: Final = (
    "said|told|mentioned|recommended|suggested|gave|given|provided|explained|proposed|advised|wrote|"
    "written|listed|"
    "described|shared|answered|replied|came up with|created|drafted|compared|summari[sz]ed|"
    "calculated|outlined"
)
# "Last" before these is a date.
_OF_TIME: Final = (
    r"(?:(?!in\b|on\b)\w+ )?(?:nights?|days?|evening|weeks?|weekends?|months?|years?|spring|summer|autumn|fall|winter|"
    r"christmas|easter|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|"
    r"september|october|november|december)\b"
)
_PLEASE: Final = r"(?:(?:can|could|would|will) you )?(?:please )?(?:tell me )?"
# Advice is for whoever asks: "what did Bryan recommend to Ana" asks for a fact.
_SELF: Final = r"(?=.*\b(?:i|i'm|me|my|we|us|our|you)\b)"
# A plural after "what" and before the verb asks for several things; these words only look like plurals.
_SINGULAR: Final = (
    r"(?!(?:is|was|does|has|this|its|his|news|address|class|business|bus|process|progress|status|"
    r"series|basis|stress|success|dress|illness|fitness|loss|boss|gas|always|us|yes|ones?|texas|paris|days?|times?)\b)"
)


ENGLISH: Final[Table] = (
    (
        "summary",
        r"\b(?:summar(?:y|ies|i[sz]e|i[sz]ing)|overview|recap|sum up|the gist|tl;?dr)\b",
        "asks for a summary",
    ),
    (
        "summary",
        rf"{_ASK}{_TELL}how (?:has|have|did|had|my|our|the) .{{1,200}}\b(?:progress|develop|evolve|change)(?:d|ed)?\b"
        r".{0,100}(?:\bover\b|\bthroughout\b|\bsince\b|\bacross\b|\bso far\b)",
        "asks how something went over time",
    ),
    (
        "order",
        r"\b(?:in (?:what|which|chronological|the correct) order|chronological(?:ly)?|timeline)\b",
        "asks for an order",
    ),
    (
        "order",
        r"\b(?:the|what|which) (?:order|sequence) (?:in which|of|that|did|were|was)\b",
        "asks for an order",
    ),
    (
        "order",
        rf"{_ASK}{_PLEASE}(?:put|arrange|sort|rank|place|list|give|show|order)\b.{{0,200}}\b(?:in|by) (?:the )?"
        r"(?:(?:right |correct |proper )?(?:order|sequence)|date)\b(?! to\b)|^\W*order (?:these|those|the|my|them)\b",
        "asks for an order",
    ),
    (
        "order",
        r"\b(?:which|what|who|did)\b.{1,200}\b(?:first|earlier|earliest|before|later|last|most "
        r"recently)\b.{0,200}\bor\b",
        "asks which of two came first",
    ),
    (
        "order",
        r"\b(?:happened|came|occurred|did i \w+) (?:first|earlier(?! (?:this|today)\b)|later|"
        rf"last(?! {_OF_TIME}))\b|\bfrom (?:first|earliest) to (?:last|latest)\b",
        "asks what came first or last",
    ),
    ("when", rf"{_ASK}{_TELL}(?:since )?when\b(?! \w+ing\b)", "begins with when"),
    ("when", r"\b(?:tell|remind|know|remember|recall|forgot|wonder)(?: me)? when\b", "asks when"),
    (
        "when",
        r"\b(?:what|which) (?:exact |specific )?(?:date|day|month|year|week|weekend|season|time of "
        r"(?:day|year))\b(?!s)",
        "asks for a date",
    ),
    (
        "when",
        r"\b(?:at )?what time\b|\bwhat (?:is|was|are) the (?:\w+ ){0,2}(?:date|day|deadline)\b",
        "asks for a time",
    ),
    (
        "when",
        r"\bhow (?:long|recently|soon)\b(?! (?:is|was) the (?:list|text|essay|drive|table|wall|book))",
        "asks how long",
    ),
    (
        "when",
        r"\bhow many (?:\w+ )?(?:seconds|minutes|hours|days|weeks|weekends|months|years)\b.{0,200}"
        r"\b(?:ago|between|passed|elapsed|since|before|after|until|from|left|take|took|taken|last|"
        r"lasted)\b",
        "asks for the time between events",
    ),
    (
        "when",
        r"\bhow much time\b.{0,200}\b(?:between|passed|elapsed|went by|since|until|before|after|left)\b",
        "asks for the time between events",
    ),
    ("when", r"\bhow old\b", "asks for an age"),
    ("list", r"\bhow many\b", "counts"),
    (
        "list",
        r"\bhow (?:much|often|frequently)\b.{0,200}\b(?:total|altogether|overall|combined|in all)\b|"
        r"\bhow often\b",
        "counts",
    ),
    ("list", r"\b(?:in total|altogether|total (?:number|amount|cost)|average)\b", "adds up"),
    (
        "list",
        r"\b(?:list|name|enumerate|count) (?:all|every|each|the|some|out|any|me|down|my|his|her|their)\b",
        "asks for a list",
    ),
    (
        "list",
        rf"{_ASK}{_PLEASE}(?:(?:list|name|enumerate|mention|give)(?: me)? |(?<=me ))(?:at least |up to )?"
        r"(?:two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|several|a few|a couple of)"
        r" (?!(?:minutes|hours|days|weeks|months|years)\b)\w",
        "asks for several things (a number)",
    ),
    (
        "list",
        r"\b(?:what|which|who|where) (?:are |were )?(?:all|else)\b|\ball (?:of )?(?:the|my|his|her|"
        r"their|those)\b|\bevery(?:one|thing| )",
        "asks for all",
    ),
    (
        "list",
        r"\b(?:across|throughout|over|in) (?:all |both )?(?:of )?(?:my|our|the|all|several|multiple) "
        r"(?:\w+ ){0,2}(?:sessions|conversations|chats|discussions|requests|messages)\b",
        "looks over several sessions",
    ),
    (
        "list",
        rf"{_ASK}{_TELL}(?:(?:in|at|with|to|for|on|by|from) )?(?:what|which) (?:(?!(?:is|was|does|did|"
        rf"has|do)\b)[\w'-]+ ){{0,3}}?"
        rf"{_SINGULAR}[a-z-]+[a-rt-z]s (?:has|have|had|did|does|do|are|were|can|could|might|would|will|"
        rf"made|make|help|helped)\b",
        "asks for several things (a plural)",
    ),
    (
        "list",
        rf"{_ASK}{_TELL}what (?:are|were) (?:\w+'s |\w+ (?:and|or) \w+'s |my |the |some |some of )",
        "asks for several things (what are)",
    ),
    (
        "list",
        r"\bin what ways\b|\b(?:kinds|types|sorts) of\b|\b(?:kind|type|sort) of \w+[a-rt-z]s\b",
        "asks for several kinds",
    ),
    (
        "assistant",
        rf"\b(?:did|have|had|were|was) you (?:ever |just |previously |already |originally )?(?:{_TOLD})\b",
        "asks what the assistant did",
    ),
    (
        "assistant",
        rf"\byou(?:'ve|'d)? (?:have |had |just |previously |already |once |also )*(?:{_HAS_TOLD})\b",
        "refers to the assistant's words",
    ),
    (
        "assistant",
        r"\byour (?:\w+ )?(?:answer|reply|response|suggestion|recommendation|advice|explanation|"
        r"proposal|previous|last|earlier)s?\b",
        "refers to the assistant's words",
    ),
    (
        "assistant",
        r"\bour (?:previous|last|earlier|past|prior) (?:\w+ )?(?:chat|conversation|discussion|"
        r"session)s?\b|\bremind me\b.{0,100}\bwe (?:discussed|talked|covered|said)\b",
        "refers to an earlier conversation",
    ),
    (
        "preference",
        rf"^{_SELF}.*?\b(?:recommend|suggest|advi[sc]e|propose)\b|\b(?:any|some|your|good) (?:tips|"
        rf"advice|ideas|suggestions|recommendations|thoughts)\b|\btips (?:for|on)\b",
        "asks for advice",
    ),
    (
        "preference",
        r"\b(?:should|shall|could|can|would|do|might) i\b.{0,200}\?|\b(?:should|shall) i\b|\bwhat "
        r"(?:to|would be (?:a|the))\b",
        "asks what to do",
    ),
    (
        "preference",
        rf"{_ASK}(?:how (?:to\b|(?:do|can|could|should|would) (?:i|we|you|one)\b)|(?:can|could|would|"
        rf"will) you (?:please )?(?:help|show|walk|guide|explain|write|create|make|give me (?:some|a "
        rf"few|ideas|advice)))",
        "asks for help",
    ),
    (
        "preference",
        r"\bhelp me\b|\bi'?m (?:planning|looking|thinking|trying|hoping|working|considering)\b",
        "asks for help",
    ),
    (
        "preference",
        r"\b(?:would|might|could)\b.{1,80}\b(?:like|enjoy|prefer|love|appreciate|be interested|want)\b",
        "asks what someone would like",
    ),
    (
        "preference",
        r"\bwould (?:best |really )?(?:suit|fit|be (?:best|good|right|ideal|suitable|a good fit) for|"
        r"work (?:best )?for) (?:me|us|my|our)\b",
        "asks what would suit",
    ),
    (
        "update",
        r"\b(?:now|nowadays|still|currently|current|latest|newest|these days|at the moment|at present|"
        r"presently)\b",
        "asks for what holds now",
    ),
    (
        "update",
        r"\b(?:most recent|most recently|any ?more|any longer|up to date|so far|as of|yet|last time|"
        r"to date|updated)\b",
        "asks for what holds now",
    ),
    (
        "yes_no",
        rf"{_ASK}(?:is|are|was|were|am|do|does|did|has|have|had|will|would|should|can|could|may|might|"
        rf"must)(?:n't)?\b(?! you\b)",
        "begins with a verb",
    ),
    (
        "yes_no",
        r"\b(?:yes or no|whether)\b|\bor not\W*$|\bif (?:i|he|she|they|we) (?:have|has|had|ever)\b",
        "asks whether",
    ),
)
