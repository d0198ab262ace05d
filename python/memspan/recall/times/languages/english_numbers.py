"""The English words for the numbers from 1 to 99, and for what is the so manyth."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["SPELLED"]

_ONES: Final = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_NEXT = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen"]
_NEXT += ["sixteen", "seventeen", "eighteen", "nineteen"]
_TENS: Final = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_FIRST: Final = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"]
_TENTH: Final = [f"{word.replace('elve', 'elf')}th" for word in _NEXT]


def _spelled() -> dict[str, Any]:
    """Every number by its spellings, as tables have them; "twenty-five" may be written with a space."""
    words: dict[str, Any] = {word: 1 + place for place, word in enumerate(_ONES + _NEXT)}
    words |= {word: (1 + place,) for place, word in enumerate(_FIRST + _TENTH)}
    words |= {f"{word} hundred": 100 * place for place, word in enumerate(_ONES, 1)}
    for place, word in enumerate(_TENS):
        tens = 20 + 10 * place
        words |= {word: tens, word[:-1] + "ieth": (tens,)}
        for one in range(1, 10):
            words[f"{word} - {_ONES[one - 1]}|{word} {_ONES[one - 1]}"] = tens + one
            words[f"{word} - {_FIRST[one - 1]}|{word} {_FIRST[one - 1]}"] = (tens + one,)
    return words


SPELLED: Final = _spelled()
"""A number for how many, a tuple of one for the so manyth."""
