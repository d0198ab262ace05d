"""By what an English question is known to be of a kind."""

from __future__ import annotations

from typing import Final

from .english_words import (
    ADVERBS,
    ADVISE,
    ASK,
    BEGIN,
    DEED,
    END,
    HABIT,
    HAS_TOLD,
    IN_THE_PAST,
    LATER_QUESTION,
    OF_OTHERS,
    OF_TIME,
    PLEASE,
    PLURAL,
    SELF,
    TELL,
    TIPS,
    TOLD,
    USUALLY,
    VERB,
    WANT_TIPS,
)
from .table import Table

__all__ = ["ENGLISH"]

ENGLISH: Final[Table] = (
    (
        "summary",
        r"\b(?:summar(?:y|ies|i[sz]e|i[sz]ing)|overview|recap|sum up|the gist|tl;?dr|rundown|"
        r"(?:bring|get) me up to (?:speed|date)|catch me up)\b(?!\.\w)",
        "asks for a summary",
    ),
    (
        "summary",
        rf"{ASK}{TELL}how (?:has|have|did|had|my|our|the) .{{1,200}}\b(?:progress|develop|evolve|change)(?:d|ed)?\b"
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
        rf"{ASK}{PLEASE}(?:put|arrange|sort|rank|place|list|give|show|order)\b.{{0,200}}\b(?:in|by) (?:the )?"
        r"(?:(?:right |correct |proper )?(?:order|sequence)|date)\b(?! to\b)|^\W*order (?:these|those|the|my|them)\b",
        "asks for an order",
    ),
    (
        "order",
        r"\b(?:which|what|who|did)\b.{1,200}\b(?:first|earlier|earliest|before|later|"
        rf"last(?! {OF_TIME})|most recently)\b.{{0,200}}\bor\b|"
        r"\b(?:which|who|did|was|were)\b.{1,200}\bor\b.{1,200}\bfirst\W*$",
        "asks which of two came first",
    ),
    (
        "order",
        r"\b(?:happened|came|occurred|did i \w+) (?:first|earlier(?! (?:this|today)\b)|later|"
        rf"last(?! {OF_TIME})(?! (?:\w+ )?\w+\W*$))\b",
        "asks what came first or last",
    ),
    (
        "order",
        rf"\bfrom (?:the )?{END} to (?:the )?{END}\b|\b{END} (?:ones? )?first\b|[,(] ?in order\b(?! (?:to|for|that)\b)",
        "asks for an order",
    ),
    (
        "when",
        rf"{ASK}{TELL}(?:(?:since|until|till|by|from|around|about|roughly|approximately) )?when\b(?! \w+ing\b)"
        rf"(?!{LATER_QUESTION})|[,.!?;:] (?:and |but |so )?when(?:'s| {VERB})\b|"
        r"(?<!\bsay) when\W*$",
        "begins or ends with when",
    ),
    (
        "when",
        r"\b(?:tell|remind|know|remember|recall|forgot|wonder)(?: me)? (?:(?:since|until|by) )?when\b"
        rf"(?!{LATER_QUESTION})",
        "asks when",
    ),
    (
        "when",
        r"\b(?:what|which) (?:exact |specific )?(?:date|day|month|year|week|weekend|season|decade|century|time of "
        r"(?:day|year))\b(?!s)",
        "asks for a date",
    ),
    (
        "when",
        r"\b(?:at )?what time\b(?! zones?\b)|\b(?:what(?: is|'s| was| are)|(?:tell|remind|give) me) the "
        r"(?:\w+ ){0,2}(?<!up to )(?:date|day(?! (?:after|before)\b)|deadline)\b"
        r"(?! (?:format|field|night|job|trip|plan|idea)s?\b)|"
        r"\b(?:what(?: is|'s| was)|you (?:know|remember)|tell me|remind me of) (?:my|his|her|our|their|[\w-]+'s) "
        r"(?:\w+ ){0,2}(?:(?:due |start |end )date|deadline|"
        r"birthday|anniversary)\W*$",
        "asks for a time",
    ),
    (
        "when",
        r"\bhow (?:long|recent(?:ly)?|soon|late|far back)\b"
        r"(?! (?:is|was) the (?:list|text|essay|drive|table|wall|book))",
        "asks how long",
    ),
    (
        "when",
        rf"{ASK}{PLEASE}(?:give me )?(?:the )?(?:exact |due )?date (?:of|when|for)\b",
        "asks for a date",
    ),
    (
        "when",
        r"\bhow many (?:\w+ )?(?:seconds|minutes|hours|days|weeks|weekends|months|years)\b(?:.{0,200}"
        rf"\b(?:ago|between|passed|elapsed|since|before|after|until|till|from|left|take|took|taken|last(?! {OF_TIME})|"
        r"lasted)\b| (?:away|old|pregnant|to)\b|"
        # "How many days have I been to the gym this month" counts them.
        r" (?:have|has|had) (?!.{0,200}\b(?:this|last|per|each|every) (?:day|week|month|year)\b).{1,80}"
        r"\b(?:been(?! to\b)|lived|known|owned)\b)",
        "asks for the time between events",
    ),
    (
        "when",
        r"\bhow much time\b.{0,200}\b(?:between|passed|elapsed|went by|since|until|before|after|left)\b",
        "asks for the time between events",
    ),
    ("when", r"\bhow old\b|\b(?:what|which) age\b", "asks for an age"),
    ("list", r"\bhow many\b|\bwhat(?:'s| is| was) the number of (?!the\b|my\b)\w+s\b", "counts"),
    (
        "list",
        r"\bhow (?:much|often|frequently)\b.{0,200}\b(?:total|altogether|overall|combined|in all)\b|"
        r"\bhow (?:often|frequently)\b",
        "counts",
    ),
    ("list", r"\b(?:in total|altogether|total (?:number|amount|cost)|average)\b", "adds up"),
    (
        "list",
        r"\b(?:list|name|enumerate|count) "
        r"(?:all|every|each|the|some|out|any|me|down|my|his|her|their)\b(?<![iey] name the)(?<![iey] name my)|"
        rf"{ASK}{PLEASE}list (?:[\w'-]+ )?[a-z-]+[a-rt-z]s\b(?! (?:is|was|has)\b)|"
        r"\b(?:give|make|show|write|tell|send) (?:me )?(?:a|the) (?:\w+ )?list of\b",
        "asks for a list",
    ),
    (
        "list",
        rf"{ASK}{PLEASE}(?:(?:show|give) (?:me )?(?:all|every)\b|"
        r"(?:(?:list|name|enumerate|mention|give)(?: me)? |(?<=me ))(?:at least |up to )?"
        r"(?:two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|several|a few|a couple of)"
        r" (?!(?:minutes|hours|days|weeks|months|years)\b)\w)",
        "asks for several things (a number), or for all",
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
        rf"{BEGIN}{TELL}(?:"
        rf"(?:(?:in|at|with|to|for|on|by|from) )?(?:what|which) (?:{PLURAL} "
        r"(?:has|have|had|did|does|do|are|were|can|could|might|would|will|made|make|help|helped)\b|"
        # One of several things "is", so that the plural must be what is asked for.
        rf"(?!(?:[\w'-]+ ){{0,2}}of ){PLURAL} (?:am|is|was) \w)|"
        # As it is asked for: "remind me which pets I have had".
        rf"(?:what|which) (?:{PLURAL} (?:i|i'm|i've|we|we've|he|she|they)|"
        r"(?:days|dates) (?:did|do|does|have|has|had|are|were|was|am|is|will))\b)",
        "asks for several things (a plural)",
    ),
    (
        "list",
        rf"{BEGIN}{TELL}(?:what|who) (?:are|were) (?:\w+'s |\w+ (?:and|or) \w+'s |my |the |some |some of )",
        "asks for several things (what are)",
    ),
    (
        "list",
        r"\bin what ways\b|\bhave in common\b|\b(?:kinds|types|sorts) of\b|\b(?:kind|type|sort) of \w+[a-rt-z]s\b",
        "asks for several kinds",
    ),
    (
        "assistant",
        rf"\b(?:did|had) you {DEED}|\b(?:what|which|who|whom|where|how|why)\b[^,.?!]{{0,80}} have you {DEED}|"
        rf"\bhave you {ADVERBS}(?:{HAS_TOLD})\b|\b(?:were|was) you (?:just )?(?:\w+ing|{TOLD})\b|"
        rf"\b(?:did|had|has) the (?:ai|bot|chat ?bot|(?:ai |virtual )?assistant) {ADVERBS}(?:{TOLD})\b",
        "asks what the assistant did",
    ),
    (
        "assistant",
        rf"\byou(?:'ve|'d)? (?:have |had |just |previously |already |once |also )*(?:{HAS_TOLD})\b",
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
        rf"^{SELF}(?:.*[.?!] )?(?![^.?!]*{OF_OTHERS})[^.?!]*?{ADVISE}|"
        rf"^(?:.*[.?!] )?(?![^.?!]*{OF_OTHERS})[^.?!]*?{TIPS}",
        "asks for advice",
    ),
    (
        "preference",
        rf"(?:{ASK}|[.!?;:] (?:so |also )?){PLEASE}(?:(?:recommend|suggest|propose) \w|"
        rf"(?:write|draft|plan|compose|design|create|prepare) (?:an?|the|my|our|me|us|some) |{WANT_TIPS}|"
        r"(?:pick|choose) (?:me |us )?an? |find (?:me |us )?an? (?:good|nice|great|cheap|new) )",
        "asks for advice",
    ),
    (
        "preference",
        rf"\b(?:(?:could|would) i\b(?!{IN_THE_PAST})|(?:can|might|how do) i (?!{USUALLY}|{HABIT})|"
        rf"do (?:i|we) (?:need|have) to\b(?! do with\b)).{{0,200}}\?|"
        r"\b(?:should|shall) (?:(?:my |our )?\w+ and )?(?:i|we)\b|\bdo you think\b.{0,80}\bshould\b|"
        r"\bwhat (?:to|would be (?:a|the)|do (?:i|we) do (?:about|if|next))\b|"
        r"\bwhat(?:'s| is) an? (?:good|nice|great|suitable|fun|healthy)\b",
        "asks what to do",
    ),
    (
        "preference",
        rf"{ASK}(?:(?:what|where|which [\w-]+) can (?:i|we)\b|how (?:to\b|(?:do (?:i|we|you|one) (?!{USUALLY}|{HABIT})|"
        r"(?:can|could|should|would) (?:i|we|you|one)\b))|"
        r"(?:can|could|would|will) you (?:please )?(?:help|show|walk|guide|explain|write|create|make|"
        r"give me (?:some|a few|ideas|advice)))",
        "asks for help",
    ),
    (
        "preference",
        r"\bhelp me\b(?! (?:to )?(?:remember|recall|find out)\b)|"
        r"\bi'?m (?:planning|looking|thinking|trying(?! to (?:remember|recall|find out)\b)|hoping|working|"
        r"considering)\b",
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
        r"work (?:best )?for) (?:me|us|my|our)\b|"
        r"\b(?:is|are|be) (?:the )?(?:best|right|good|ideal|suitable) for (?:me|us)\b",
        "asks what would suit",
    ),
    (
        "update",
        r"\b(?:(?<!just )now|nowadays|still|currently|current|latest|newest|these days|at the moment|at present|"
        r"presently)\b",
        "asks for what holds now",
    ),
    (
        "update",
        r"^(?!.*\b(?:did|was|were|had|said|told)\b).*\bjust now\b|"
        r"\b(?:most recent|most recently|any ?more|any longer|up to date|so far|as of|yet|last time|"
        r"to date|updated)\b",
        "asks for what holds now",
    ),
    (
        "update",
        rf"{ASK}(?:what(?:'s| is) new\b(?! (?:york|zealand|orleans|delhi|jersey|mexico|year)\b)|"
        r"(?:has|have|did) (?!you\b).{1,60}\bchanged?\W*$)",
        "asks what has changed",
    ),
    (
        "yes_no",
        rf"{BEGIN}(?!may \d){VERB}\b(?! (?:you|i ask)\b)|{ASK}any chance\b(?! you\b)",
        "begins with a verb",
    ),
    (
        "yes_no",
        r"\b(?:yes or no|whether)\b|\bor not\W*$|\bif (?:i|he|she|they|we) (?:have|has|had|ever)\b|"
        r"\b(?:know|tell me|remember|recall|remind me|sure|idea|wonder(?:ing)?|check|verify|"
        r"confirm|find out) if\b",
        "asks whether",
    ),
)
