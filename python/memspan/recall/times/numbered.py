"""Numbers that look like years and are none: they count something ("2000 kcal"), or name it ("room 2023")."""

from __future__ import annotations

from typing import Final

from memspan.recall.words import word_set

from .reading import Sentence

__all__ = ["counts", "goes_on", "is_number", "leads_to_count"]

# What is counted in numbers that look like years.
_COUNTED: Final = word_set(
    "calories steps people dollars euros pounds meters metres km kilometers miles words pages points "
    "followers views kg subscribers times hours minutes seconds bucks copies users votes ml mg grams "
    "square feet items books songs kcal yards inches lbs kj kwh watts rpm usd eur gbp "
    "yen yuan rupees rubles roubles pesos francs crowns cents chf jpy inr lines rows tokens requests characters chars "
    "ms milliseconds bytes kb mb gb sq "
    # No year that is looked for.
    "bc bce "
)
# Adjectives and what else has a year before it are left out: in other languages hardly anything has.
_COUNTED_ABROAD: Final = word_set(
    # German
    "euro franken pfund kronen rubel dollar cent schritte schritten kilometer kilometern meter metern kilo gramm liter "
    "kalorien wörter wörtern worte seiten zeichen personen leute leuten menschen gäste gästen teilnehmer mitarbeiter "
    "stück mal punkte punkten stimmen mails nachrichten fotos bilder zeilen aufrufe quadratmeter "
    # French
    "euros francs dollars mots pages personnes gens habitants mètres kilomètres grammes litres points fois lignes "
    "caractères signes abonnés vues exemplaires messages photos "
    # Spanish and Portuguese
    "pesos dólares soles libras yenes pasos palabras páginas personas metros kilómetros calorías gramos litros puntos "
    "veces líneas caracteres seguidores ejemplares mensajes reais passos palavras pessoas quilômetros quilómetros "
    "calorias gramas pontos vezes linhas mensagens "
    # Italian
    "lire dollari franchi passi parole pagine persone metri chilometri calorie grammi litri punti volte righe copie "
    "caratteri messaggi foto "
    # Dutch
    "stappen woorden pagina's mensen gram keer punten regels berichten foto's "
    # Polish
    "złotych złote zł dolarów kroków słów stron osób ludzi metrów kilometrów kalorii gramów litrów punktów razy linii "
    "wiadomości zdjęć "
    # Russian
    "рублей рубля руб р долларов евро гривен тенге шагов слов страниц человек людей метров километров км калорий "
    "граммов грамм кг литров очков баллов раз строк символов подписчиков сообщений фотографий штук"
)
_YEAR_NAMES: Final = word_set("годы годах")
"""Behind the numbers of years, and no count of them: "в 2021-2022 годах"."""
# The same before a noun, where no preposition makes a year of the number: "a 2000 word essay".
_MEASURES: Final = word_set("calorie word page mile meter metre step point watt vision")
_INTO_YEARS: Final = frozenset(["in", "since", "until", "before", "after", "by"])
# What has a number for its name. Most of them stand in the singular then: "invoice 2021", but "invoices 2021" are
# those of a year, as are "ticket sales 2021" and all else that is not in here.
_NUMBERED: Final = word_set(
    "number no nr ref reference serial version model build patch rfc iso isbn sku vin iban error port "
    "pin code codes zip zipcode postcode password passcode passphrase combination id login username user "
    "pr order invoice receipt booking reservation ticket case claim docket policy account card badge plate item "
    "phone telephone tel fax mobile cell cellphone extension ext dial "
    "room apartment suite floor locker seat row table gate bus tram train platform terminal exit lane route highway "
    "flight channel windows office book movie film novel album "
    "chapter chapters page pages paragraph section verse volume article episode level line "
    # As other languages have them.
    "zimmer raum saal nummer rechnung rechnungsnummer bestellung kundennummer flug seite kapitel artikel kennwort "
    "chambre commande facture numéro chapitre habitación pedido factura número vuelo página capítulo "
    "stanza ordine fattura numero volo pagina capitolo quarto fatura voo kamer bestelling factuur vlucht hoofdstuk "
    "salle sala camera pokój numer комната комнате кабинет кабинете номер рейс заказ"
)
# Of these, a sentence gives the amount: "the rent is 2000", though "rent 2021" is that of a year.
_AMOUNTS: Final = word_set(
    "price cost rent salary wage balance sum score amount count population weight height"
)
_PERSONS: Final = word_set("i you we they he she")
"""Before what may be a verb as well."""
_BEING: Final = word_set("is was are were be : =")
_STILL: Final = word_set("now still just only actually probably currently")
_YEARLY: Final = word_set("it year date")
_CLAUSE: Final = 5
"""Tokens before "is" in which its subject is looked for."""
_CLAUSE_ENDS: Final = frozenset(["comma", "dot", "other", "but", "and"])
_JOINTS: Final = frozenset(["to", "and", "or", "comma", "until"])
_COMPARING: Final = word_set("with against compared than")
_MOST_JOINTS: Final = 3
_LONG: Final = 3
"""Digits that a number of several pieces has in each."""
_TAKEN_IN: Final = word_set(
    "read reread reading watch watched watching rewatch rewatched seen saw finish finished borrow borrowed lend lent "
    "recommend recommended"
)
"""Behind these stands what has a title, which may be a number."""
_AUXILIARIES: Final = word_set("did have has had")
_BEFORE_AUXILIARIES: Final = word_set("when where why who and so but ? . , ; ! :")
"""No noun, which would be what they are about: "What did I read 2019?", "How many films have I watched 2022?"."""
_LONGEST_SUBJECT: Final = 4
_DATING: Final = word_set("unit season month weekday")
_DIALLED: Final = word_set("call dial text ring")
_MOST_YEARS: Final = 8


def counts(sentence: Sentence, at: int) -> bool:
    """Whether the word behind a number is what it counts."""
    follows = at + 1
    kind = sentence.kind(follows)
    if kind not in ("word", "unit"):
        return False
    token = sentence.tokens[follows]
    word = token.word
    if word in _COUNTED or (word in _MEASURES and sentence.kind(at - 1) not in _INTO_YEARS):
        return True
    lexicon = sentence.lexicon
    if kind == "unit":  # "2000 years ago", "vor 2000 Jahren", "2000 jaar geleden"
        return (word in lexicon.many or word == "jaar") and word not in _YEAR_NAMES
    if lexicon.language == "de" and sentence.kind(at - 1) == "the" and token.capital:
        return True  # "die 2000 Schrauben"
    return lexicon.language != "en" and word in _COUNTED_ABROAD


def leads_to_count(sentence: Sentence, at: int) -> bool:
    """Whether it is joined with another number that counts something: "between 1990 and 2010 requests"."""
    joint = sentence.kind(at + 1) in ("to", "and", "or", "dash")
    return joint and sentence.kind(at + 2) == "year" and counts(sentence, at + 2)


def goes_on(sentence: Sentence, at: int) -> bool:
    """Whether a year follows that one is listed or compared with, or a range ends in: "2021, 2022 and 2023"."""
    for ahead in range(at + 1, at + 1 + _MOST_JOINTS):
        kind = sentence.kind(ahead)
        if kind not in _JOINTS and not (kind == "word" and sentence.tokens[ahead].word in _COMPARING):
            return False
        if sentence.kind(ahead + 1) == "year":
            return True
    return False


def is_number(sentence: Sentence, at: int) -> bool:
    """Whether what stands before a number that looks like a year tells that it is none: "the PIN is 2019".

    Whatever has no number for its name may have its year behind it: "goals 2024", "What did I earn 2023?".
    """
    if sentence.kind(at - 1) == "dash" and sentence.kind(at - 2) == "year":
        at -= 2  # "pages 2019-2021"
    at, end = _years_around(sentence, at)
    before = sentence.tokens[at - 1] if at else None
    if before is not None and _is_title(sentence, at, end):
        return True
    if before is not None and before.word in _NUMBERED:
        return at < 2 or sentence.tokens[at - 2].word not in _PERSONS  # "Which books did I order 2019?"
    if sentence.lexicon.language != "en":
        return False
    if _digits_follow(sentence, end, 1 if before is None else _LONG):
        return True
    if before is None:
        return False
    if before.word[0].isdigit():
        return before.end < sentence.tokens[at].start  # "call 030 2023"
    last = at - 2 if before.word in _STILL else at - 1
    return last > 0 and sentence.tokens[last].word in _BEING and _names_number(sentence, last)


def _is_title(sentence: Sentence, at: int, end: int) -> bool:
    """As in "Did I read 1984?", "Habe ich 1984 letztes Jahr gelesen?": another time right behind it says when."""
    before = sentence.tokens[at - 1]
    if before.kind != "word" or end > at + 1:
        return False
    if sentence.kind(end) == "offset":
        return True
    if sentence.kind(end) in ("last", "this") and sentence.kind(end + 1) in _DATING:
        return True
    if before.word not in _TAKEN_IN or sentence.lexicon.language != "en":
        return False
    if at == 2 and sentence.tokens[0].word == "who":
        return True
    for place in range(at - 2, max(-1, at - 2 - _LONGEST_SUBJECT), -1):
        if sentence.tokens[place].word in _AUXILIARIES:
            return place == 0 or sentence.tokens[place - 1].word in _BEFORE_AUXILIARIES
    return False


def _years_around(sentence: Sentence, at: int) -> tuple[int, int]:
    """Where years that stand side by side begin and end, from the earliest on: "budget 2021 2022"; else this one."""
    start, end = at, at + 1
    while start > at - _MOST_YEARS and _is_next_year(sentence, start):
        start -= 1
    while end < at + _MOST_YEARS and _is_next_year(sentence, end):
        end += 1
    if start == 0 or sentence.tokens[start - 1].word in _DIALLED:
        return at, at + 1
    return start, end


def _is_next_year(sentence: Sentence, at: int) -> bool:
    """Whether a year stands here, and an earlier one right before it."""
    if sentence.kind(at) != "year" or sentence.kind(at - 1) != "year":
        return False
    earlier: int = sentence.value(at - 1)
    later: int = sentence.value(at)
    return earlier < later


def _digits_follow(sentence: Sentence, at: int, fewest: int) -> bool:
    """Whether a number goes on in another piece: "call 1999 2023"."""
    if sentence.kind(at) not in ("number", "year", "blob"):
        return False
    piece = sentence.tokens[at].word
    return piece[0].isdigit() and len(piece) >= fewest


def _names_number(sentence: Sentence, end: int) -> bool:
    """Whether the words before "is" are about something that has a number: "the code for the house is"."""
    found = False
    for at in range(end - 1, max(-1, end - 1 - _CLAUSE), -1):
        if sentence.kind(at) in _CLAUSE_ENDS:
            break
        word = sentence.tokens[at].word
        if word in _YEARLY:
            return False  # "the date of my flight was 2019"
        found = found or word in _NUMBERED or word in _AMOUNTS
    return found
