"""The pieces that the patterns of English questions are made of."""

from __future__ import annotations

from typing import Final

__all__ = [
    "ADVERBS",
    "ADVISE",
    "ASK",
    "BEGIN",
    "DEED",
    "END",
    "HABIT",
    "HAS_TOLD",
    "IN_THE_PAST",
    "LATER_QUESTION",
    "OF_OTHERS",
    "OF_TIME",
    "PLEASE",
    "PLURAL",
    "SELF",
    "TELL",
    "TIPS",
    "TOLD",
    "USUALLY",
    "VERB",
    "WANT_TIPS",
]

ASK: Final = r"^(?:\W*(?:and|but|so|ok|okay|well|hey|hi|please|also|then)\b)*\W*"
BEGIN: Final = rf"(?:{ASK}|^\W*(?:when|if|while|after|before|since|once) [^,?]{{1,200}}, )"
"""Where a question begins, be it behind a clause."""
TELL: Final = (
    r"(?:(?:can|could|would|will) you (?:please )?(?:tell|remind|show) (?:me )?|do you (?:remember|"
    r"know|recall) |"
    r"(?:please )?(?:tell|remind) me |i (?:want|need|would like|'d like) to know |i (?:forgot|don't know) |i "
    r"wonder(?:ed)? |may i ask |(?:could|can) you check |i'm trying to (?:remember|recall) |any idea )?"
)
PLEASE: Final = r"(?:(?:can|could|would|will) you )?(?:please )?(?:tell me )?"

VERB: Final = (
    r"(?:is|are|was|were|am|do|does|did|has|have|had|will|would|should|shall|can|could|may|might|"
    r"must)(?:n't)?"
)
"""What a question begins with, or has behind its question word."""

# "When I was in Rome, which hotel did I take?" asks for no time, but for what comes after the clause: a question, which
# is told from a relative clause by its verb, or a request. Before "did", which only questions have, a comma may be
# missing.
_MAIN_CLAUSE: Final = (
    rf"(?:(?:what|why|how|whose|whom)\b|which (?!{VERB}\b)|(?:where|who) (?={VERB}\b[^,]*$)|{VERB} |"
    r"(?:please )?(?:tell|remind|list|name|give|show|recommend|suggest) )"
)
LATER_QUESTION: Final = (
    rf"(?= (?!{VERB}\b|(?:exactly|precisely|roughly|approximately|and|or|else)\b)"
    rf"(?:[^,;?]{{1,200}}[,;?] (?:then )?(?:(?:at|in|on|with|to|for|from|about) )?{_MAIN_CLAUSE}"
    r"|(?!(?:in|on|at|during|this|last|next)\b)[^,;?]{1,200} (?:(?:what|which|who|where|why|how) (?:\w+ ){0,2})?"
    r"(?:did|does) (?:i|we|you|he|she|they|it|my)\b))"
)

TOLD: Final = (
    "say|said|tell|told|mention(?:ed)?|recommend(?:ed)?|suggest(?:ed)?|give|gave|given|provided?|"
    "explain(?:ed)?|"
    "proposed?|advised?|write|wrote|written|list(?:ed)?|describ(?:ed?)|shared?|answer(?:ed)?|repl(?:y|ied)|"
    "call(?:ed)?|come up with|came up with|created?|drafted?|compared?|summari[sz]ed?|calculated?|outlined?"
)
HAS_TOLD: Final = (
    "said|told|mentioned|recommended|suggested|gave|given|provided|explained|proposed|advised|wrote|"
    "written|listed|"
    "described|shared|answered|replied|came up with|created|drafted|compared|summari[sz]ed|"
    "calculated|outlined|promised|asked|warned|offered|sent|booked|scheduled|ordered|saved|made|found|showed|shown|"
    "helped me"
)
ADVERBS: Final = r"(?:(?:ever|just|previously|already|originally|once|also|even|really|not) )*"
# What follows "did you" is something that was done, but not in "did you know", "had you any ideas" or small talk.
DEED: Final = (
    rf"{ADVERBS}(?!(?:ever|just|previously|already|originally|once|also|even|really|not|known?|see|seen|hear|heard|"
    r"noticed?|remember|forget|get|got|gotten|been|any|some|an?|the|enough|and|or|both|all|guys|two|my|your|time|"
    r"ideas?|tips|suggestions?|advice|recommendations?|have|had|like|love|enjoy|feel|felt|want|need|sleep|eat|live|"
    r"grow|miss|hope|expect)\b)[a-z]+"
)

# "Last" before these is a date.
OF_TIME: Final = (
    r"(?:(?!in\b|on\b)\w+ )?(?:nights?|days?|evening|weeks?|weekends?|months?|years?|spring|summer|autumn|fall|winter|"
    r"christmas|easter|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|"
    r"september|october|november|december)\b"
)

END: Final = r"(?:first|last|earliest|latest|oldest|newest|most recent)"
"""Where an order begins or ends."""

# Advice is for whoever asks: "what did Bryan recommend to Ana" asks for a fact.
SELF: Final = r"(?=.*\b(?:i|i'm|me|my|we|us|our|you)\b)"
ADVISE: Final = r"\b(?:recommend|suggest|advi[sc]e|propose)\b"
_ADVICE: Final = r"(?:advice|tips|ideas|suggestions|recommendations)"
TIPS: Final = (
    rf"\b(?:(?:any (?:[\w-]+ ){{0,2}}?|(?:some|good) (?:[\w-]+ )?|your )(?:{_ADVICE}|thoughts)\b|"
    r"tips (?:for|on)\b)"
)
WANT_TIPS: Final = rf"(?:i (?:need|want|could use)|give me|send me) (?:[\w-]+ ){{0,2}}{_ADVICE}\b"
# So does "what did my doctor suggest" or "what advice did Ana give me": who advises is not who is asked.
OF_OTHERS: Final = (
    r"(?:\b(?:did|does|do|has|had|have)(?:n't)? (?!any(?:one|body)\b|some(?:one|body)\b)"
    r"(?:(?!you\b)[\w'-]+ ){1,6}?"
    r"(?:(?:recommend|suggest|advise|propose)\b|"
    rf"(?:give|get|got|have|share|offer|send) (?:[\w'-]+ ){{0,3}}?{_ADVICE}\b)"
    rf"|\b{_ADVICE} (?:did|has|have|had) (?!you\b))"
)
# "Could I swim as a child" asks for a fact as well.
IN_THE_PAST: Final = (
    r"(?=[^.?!]{0,200}\b(?:as an? (?:child|kid|baby|boy|girl|teenager|student)|when i was|back (?:then|in|when)|"
    r"years? ago|last (?:night|week|month|year|spring|summer|autumn|fall|winter)|yesterday|used to)\b)"
)

# "How do I usually get to work" asks for a habit, "how do I like my eggs" for a taste: neither wants help. But "how
# do I look up a user", "take it apart", "know if it works" or "spend the gift card" ask for steps.
_MINE: Final = r"(?:my|our|your|their)"
USUALLY: Final = r"(?:usually|normally|typically|generally|always|often)\b"
HABIT: Final = (
    r"(?:like|prefer|feel|want|commute|get along|spell my|celebrate|relate to|look(?! (?:up|for|into|after|at)\b)|"
    r"know(?! (?:if|when|whether|that|the|which|what|how|where|why|who)\b)|"
    rf"take (?:it(?! \w)|{_MINE} (?:\w+ )?(?:coffee|tea|eggs?|steak|burgers?|pizza|whiske?y|drinks?))|"
    rf"spend (?:(?:{_MINE}|the|last) (?:\w+ )?(?:time|(?:day|night|morning|evening|afternoon|week|weekend|holiday|"
    r"vacation|summer|winter|year|birthday)s?|christmas|easter|spring|autumn|fall)|christmas|easter))\b"
)

# A plural after "what" and before the verb asks for several things; the words that are left out only look like plurals.
_SINGULAR: Final = (
    r"(?!(?:is|was|does|has|this|its|his|news|address|class|business|bus|process|progress|status|series|species|"
    r"basis|stress|success|dress|illness|fitness|loss|boss|gas|always|us|yes|ones?|texas|paris|days?|times?|"
    r"\w+sis|\w+itis|tennis|lens|canvas|atlas|chaos|physics|mathematics|economics|politics|gymnastics|athletics|"
    r"diabetes|christmas|(?:camp|vir|bon|foc|gen|chor|cact|surpl|min|cens|consens|circ|gymnasi)i?us)\b)"
)
PLURAL: Final = (
    rf"(?:(?!{VERB}\b)[\w'-]+ ){{0,3}}?"
    rf"(?:{_SINGULAR}[a-z-]+[a-rt-z]s|people|children|men|women|teeth|feet|criteria)"
)
"""Up to three words, and a noun in the plural."""
