"""Numbers from eleven on, and how the days of the month are counted, in Polish and Russian."""

from __future__ import annotations

from typing import Final

__all__ = ["POLISH_MANY", "POLISH_ORDINALS", "RUSSIAN_MANY", "RUSSIAN_ORDINALS"]

_RUSSIAN_ONES: Final = [
    "один|одна|одну|одно|одного|одной",
    "два|две|двух",
    "три|трёх|трех",
    "четыре|четырёх|четырех",
    *(f"{stem}ь|{stem}и" for stem in ("пят", "шест", "сем")),
    "восемь|восьми",
    "девять|девяти",
]
_RUSSIAN_TEENS: Final = (
    "одиннадцат двенадцат тринадцат четырнадцат пятнадцат шестнадцат семнадцат восемнадцат девятнадцат"
)
_RUSSIAN_TENS: Final = [
    "двадцать|двадцати",
    "тридцать|тридцати",
    "сорок|сорока",
    "пятьдесят|пятидесяти",
    "шестьдесят|шестидесяти",
    "семьдесят|семидесяти",
    "восемьдесят|восьмидесяти",
    "девяносто|девяноста",
]
_POLISH_ONES: Final = [
    "jeden",
    "dwa|dwie|dwóch",
    "trzy|trzech",
    "cztery|czterech",
    "pięć|pięciu",
    "sześć|sześciu",
    "siedem|siedmiu",
    "osiem|ośmiu",
    "dziewięć|dziewięciu",
]
_POLISH_TEENS: Final = "jedena dwana trzyna czterna piętna szesna siedemna osiemna dziewiętna"
_POLISH_TENS: Final = [
    "dwadzieścia|dwudziestu",
    "trzydzieści|trzydziestu",
    "czterdzieści|czterdziestu",
    *(f"{stem}dziesiąt|{stem}dziesięciu" for stem in ("pięć", "sześć", "siedem", "osiem", "dziewięć")),
]
_RUSSIAN_FIRST: Final = {
    "первый|первая|первой|первую|первом|первые|первых": (1,),
    "второй|вторая|вторую|втором": (2,),
    "третий|третья|третье|третьего|третьей|третью|третьем": (3,),
    "четвёртый|четвёртая|четвёртой|четвёртую|четвёртом|четвертый|четвертая|четвертой|четвертую|четвертом": (
        4,
    ),
}
_RUSSIAN: Final = (
    "перв втор треть четвёрт пят шест седьм восьм девят десят одиннадцат двенадцат тринадцат четырнадцат пятнадцат "
    "шестнадцат семнадцат восемнадцат девятнадцат двадцат"
)
_POLISH_FIRST: Final = {
    "pierwsza|pierwszej|pierwszą|pierwszym|pierwsze": (1,),
    "druga|drugiej|drugą|drugim|drugie": (2,),
    "trzecia|trzeciej|trzecią|trzecim|trzecie": (3,),
    "czwarta|czwartej|czwartą|czwartym|czwarte": (4,),
}
_POLISH: Final = (
    "pierwszy drugi trzeci czwarty piąty szósty siódmy ósmy dziewiąty dziesiąty jedenasty dwunasty trzynasty "
    "czternasty piętnasty szesnasty siedemnasty osiemnasty dziewiętnasty dwudziesty"
)


def _russian(stem: str) -> str:
    if stem == "треть":
        return "третьего|третье"
    plain = stem.replace("ё", "е")
    return "|".join(dict.fromkeys(form + ending for form in (stem, plain) for ending in ("ого", "ое")))


def _polish(word: str) -> str:
    return f"{word}|{word.removesuffix('y')}ego"


def _after_tens(tens: str, ones: str) -> str:
    return "|".join(f"{ten} {one}" for ten in tens.split("|") for one in ones.split("|"))


def _many(teens: dict[str, int], tens: list[str], ones: list[str], hundred: str) -> dict[str, int]:
    """Numbers from eleven to 100."""
    numbers = {**teens, hundred: 100}
    for ten, tens_word in enumerate(tens, 2):
        numbers[tens_word] = 10 * ten
        numbers |= {_after_tens(tens_word, word): 10 * ten + one for one, word in enumerate(ones, 1)}
    return numbers


RUSSIAN_MANY: Final = _many(
    {f"{stem}ь|{stem}и": number for number, stem in enumerate(_RUSSIAN_TEENS.split(), 11)},
    _RUSSIAN_TENS,
    _RUSSIAN_ONES,
    "сто|ста",
)
POLISH_MANY: Final = _many(
    {f"{stem}ście|{stem}stu": number for number, stem in enumerate(_POLISH_TEENS.split(), 11)},
    _POLISH_TENS,
    _POLISH_ONES,
    "sto|stu",
)

RUSSIAN_ORDINALS: Final = (
    _RUSSIAN_FIRST
    | {_russian(stem): (day,) for day, stem in enumerate(_RUSSIAN.split(), 1)}
    | {
        _after_tens("двадцать", _russian(stem)): (20 + day,)
        for day, stem in enumerate(_RUSSIAN.split()[:9], 1)
    }
    | {"тридцатого|тридцатое": (30,), _after_tens("тридцать", _russian("перв")): (31,)}
)
"""With the cases of the first few, which parts are counted by: "в первую неделю мая"."""

POLISH_ORDINALS: Final = (
    _POLISH_FIRST
    | {_polish(word): (day,) for day, word in enumerate(_POLISH.split(), 1)}
    | {
        f"dwudziesty {word}|dwudziestego {_polish(word).split('|')[1]}": (20 + day,)
        for day, word in enumerate(_POLISH.split()[:9], 1)
    }
    | {"trzydziesty|trzydziestego": (30,), "trzydziesty pierwszy|trzydziestego pierwszego": (31,)}
)
