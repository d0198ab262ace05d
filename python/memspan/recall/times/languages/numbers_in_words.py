"""Numbers in words from 16 to 100, in languages that write some of them apart: one spelling after the other, by "|"."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

__all__ = [
    "dutch_numbers",
    "french_numbers",
    "german_numbers",
    "italian_numbers",
    "portuguese_numbers",
    "spanish_numbers",
]

_ONES = ["un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix"]
_TEENS = ["onze", "douze", "treize", "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf"]
_FRENCH: Final = ["zéro", *_ONES, *_TEENS]
_FRENCH_TENS: Final = {
    20: "vingt",
    30: "trente",
    40: "quarante",
    50: "cinquante",
    60: "soixante",
    80: "quatre-vingt",
}


def german_numbers() -> dict[str, Any]:
    ones = ["ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]
    tens = ["zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"]
    teens = {"sechzehn": 16, "siebzehn": 17, "achtzehn": 18, "neunzehn": 19, "hundert|einhundert": 100}
    return teens | _joined(tens, ones, lambda ten, one: f"{one}und{ten}")


def dutch_numbers() -> dict[str, Any]:
    ones = ["een", "twee", "drie", "vier", "vijf", "zes", "zeven", "acht", "negen"]
    tens = ["twintig", "dertig", "veertig", "vijftig", "zestig", "zeventig", "tachtig", "negentig"]
    teens = {"zestien": 16, "zeventien": 17, "achttien": 18, "negentien": 19, "honderd": 100}
    return teens | _joined(tens, ones, lambda ten, one: f"{one}{'ën' if one.endswith('e') else 'en'}{ten}")


def spanish_numbers() -> dict[str, Any]:
    ones = ["uno|un|una", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve"]
    tens = ["treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"]
    teens = {"dieciséis": 16, "diecisiete": 17, "dieciocho": 18, "diecinueve": 19, "cien|ciento": 100}
    words = ["uno|veintiún|veintiuna", "dós", "trés", "cuatro", "cinco", "séis", "siete", "ocho", "nueve"]
    twenties = {f"veinti{word}": number for number, word in enumerate(words, 21)}
    return teens | twenties | _joined(tens, ones, lambda ten, one: f"{ten} y {one}", first=30)


def portuguese_numbers() -> dict[str, Any]:
    ones = ["um|uma", "dois|duas", "três", "quatro", "cinco", "seis", "sete", "oito", "nove"]
    tens = ["vinte", "trinta", "quarenta", "cinquenta", "sessenta", "setenta", "oitenta", "noventa"]
    teens = {
        "dezesseis|dezasseis": 16,
        "dezessete|dezassete": 17,
        "dezoito": 18,
        "dezenove|dezanove": 19,
        "cem|cento": 100,
    }
    return teens | _joined(tens, ones, lambda ten, one: f"{ten} e {one}")


def italian_numbers() -> dict[str, Any]:
    ones = ["uno|un", "due", "tre|tré", "quattro", "cinque", "sei", "sette", "otto", "nove"]
    tens = ["venti", "trenta", "quaranta", "cinquanta", "sessanta", "settanta", "ottanta", "novanta"]
    teens = {"sedici": 16, "diciassette": 17, "diciotto": 18, "diciannove": 19, "cento": 100}
    return teens | _joined(tens, ones, lambda ten, one: (ten[:-1] if one[0] in "uo" else ten) + one)


def french_numbers() -> dict[str, Any]:
    return dict(_in_french()) | {"cent": 100}


def _in_french() -> Iterator[tuple[str, int]]:
    for number in range(16, 100):
        ten = 60 if 60 <= number < 80 else 80 if number >= 80 else number // 10 * 10
        rest = number - ten
        if ten < 20:
            written = _FRENCH[number]
        elif not rest:
            written = _FRENCH_TENS[ten]
        elif rest in (1, 11) and ten < 80:
            written = f"{_FRENCH_TENS[ten]} et {_FRENCH[rest]}"
        else:
            written = f"{_FRENCH_TENS[ten]}-{_FRENCH[rest]}"
        ways = [written, f"{written}s"] if number == 80 else [written]
        yield "|".join(dict.fromkeys(way.replace("-", sign) for way in ways for sign in (" - ", " "))), number


def _joined(
    tens: list[str], ones: list[str], join: Callable[[str, str], str], first: int = 20
) -> dict[str, Any]:
    """The tens, and each with the ones, of which some are written in several ways."""
    numbers: dict[str, Any] = {}
    for ten, word in enumerate(tens):
        numbers[word] = first + 10 * ten
        for one, spellings in enumerate(ones, 1):
            numbers["|".join(join(word, each) for each in spellings.split("|"))] = first + 10 * ten + one
    return numbers
