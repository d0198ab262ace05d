"""Questions that ask how something is done."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from .kind_tables.english_words import HABIT, USUALLY

__all__ = ["asks_how_to"]

_LONGEST: Final = 2_000

_DOER: Final = "(?:i|we|you|one|somebody|someone|people|they)"
# "How do we usually release" asks for the steps all the same; of these, what is usual is a habit.
_USUAL: Final = (
    r"(?:get (?:to|there|around|home|up)|go(?! (?:about|through)\b)|travel|eat|sleep|relax|"
    r"start (?:my|the|our|your|their) (?:day|morning|week|year)s?)\b"
)
_HABIT: Final = rf"(?:{HABIT}|{USUALLY} (?:{HABIT}|{_USUAL}))"
# What once happened, and was done in no steps.
_HAPPENED: Final = (
    r"(?:sleep|meet|react|respond|hear|find out|end up|lose|hurt|die|score|become|decide|vote|travel|"
    r"break (?:my|his|her|their|our)|learn (?:about|of)|do(?= (?:on|in|at|with|during|last|this)\b|\W*$)|"
    r"go(?! (?:about|through)\b)|get (?:to|home|there|here|into|engaged|married|sick|lost)|"
    r"come (?:up|to|across|home))(?!\w)"
)
_PATTERN: Final = (
    rf"\bhow (?:(?:do|does) {_DOER}\b(?! {_HABIT})|did {_DOER}\b(?! {_HABIT})(?! {_HAPPENED})"
    rf"|(?:can|could|should|shall|would|must|might) {_DOER}\b)"
    r"|\bhow (?:is|are|was|were) .{1,80}\b(?:done|made|handled|fixed|set up|deployed|installed|carried out)\b"
    r"|\bhow to\b|\bsteps? (?:to|for|of|in|needed|required)\b|\b(?:the|a|what) (?:usual |right |standard |best )?"
    r"(?:procedure|process|workflow|way) (?:to|for|of|when|is|do)\b|\b(?:walk|guide|take) me through\b"
    r"|\bshow me how\b|\binstructions (?:to|for|on)\b"
    r"|\bwie (?:kann|mache?|muss|soll|sollte|geht|stelle) (?:ich|wir|man)\b|\bwie (?:geht|macht) man\b"
    r"|\bcomment (?:puis-je|dois-je|faire|faut-il|peut-on|fait-on|je peux|on)\b"
    r"|\bcómo (?:puedo|hago|debo|se|hacemos|podemos)\b|\bcome (?:posso|faccio|devo|si fa|facciamo)\b"
    r"|\bcomo (?:posso|faço|devo|se faz|fazemos)\b|\bhoe (?:kan|moet|doe|kunnen) (?:ik|we|je|men)\b"
    r"|\bjak (?:mogę|mam|zrobić|się|można)\b|\bкак (?:мне|сделать|можно|нужно|правильно)\b"
    r"|怎么做|怎样|如何|怎麼|どうやって|のやり方|方法は|手順"
)


def asks_how_to(question: str) -> str | None:
    """The words by which a question asks how something is done; `None` if it does not. It looks at the first 2,000
    characters."""
    found = _compiled().search(" ".join(question[:_LONGEST].replace("’", "'").lower().split()))
    return None if found is None else found.group().strip()


@cache
def _compiled() -> re.Pattern[str]:
    return re.compile(_PATTERN)
