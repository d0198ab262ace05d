"""German."""

from __future__ import annotations

from memspan.recall.times.lexicon import Lexicon

from .numbers_in_words import german_numbers

_DAYS = ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag")
_MONTHS: tuple[str, ...] = (
    "januar",
    "februar",
    "märz",
    "april",
    "mai",
    "juni",
    "juli",
    "august",
    "september",
)
_MONTHS += ("oktober", "november", "dezember")
_HELD: dict[str, tuple[str, str | None]] = {
    **dict.fromkeys(("woche", "wochen"), ("unit", "week")),
    **dict.fromkeys(("wochenende", "wochenenden"), ("unit", "weekend")),
    "hälfte": ("half", None),
}
_PARTS = {"morgen": 0, "vormittag": 0, "mittag": 1, "nachmittag": 1, "abend": 2, "nacht": 3}

_STEMS = (
    "erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft dreizehnt vierzehnt fünfzehnt sechzehnt "
    "siebzehnt achtzehnt neunzehnt zwanzigst"
)
_ONES = ("ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun")
_TWENTIES = [f"{one}undzwanzigst" for one in _ONES]
_TENS = ("zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig")
_THIRTIES = ["dreißigst", "einunddreißigst"]


def _inflected(stem: str) -> str:
    return "|".join(stem + ending for ending in ("e", "en", "er", "es"))


LEXICON = Lexicon(
    "de",
    {
        "month": {
            "januar|jänner|jan": 1,
            "februar|feb": 2,
            "märz": 3,
            "april|apr": 4,
            "mai": 5,
            "juni|jun": 6,
            "juli|jul": 7,
            "august|aug": 8,
            "september|sept": 9,
            "oktober|okt": 10,
            "november|nov": 11,
            "dezember|dez": 12,
        },
        "weekday": {
            "montag": 0,
            "dienstag": 1,
            "mittwoch": 2,
            "donnerstag": 3,
            "freitag": 4,
            "samstag|sonnabend": 5,
            "sonntag": 6,
        }
        | {f"am {day}|am {day} .": number for number, day in enumerate(("mo", "di", "mi", "do", "fr", "sa"))}
        | {"am so .": 6, "am so ,": 6},
        "unit": {
            "minute|minuten": "minute",
            "stunde|stunden": "hour",
            "tag|tage|tagen": "day",
            "woche|wochen": "week",
            "wochenende|wochenenden": "weekend",
            "monat|monate|monaten|monats": "month",
            "quartal": "quarter",
            "jahr|jahre|jahren|jahres": "year",
            "jahrzehnt|jahrzehnte|jahrzehnten": "decade",
            "jahrhundert": "century",
        },
        # "Dienstagabend" is a day and a part of it, "Juniwoche" a month and what it has several of.
        "glued": {
            day + spelling: (len(day), ("weekday", weekday), ("part", part))
            for weekday, day in enumerate(_DAYS)
            for spelling, part in _PARTS.items()
        }
        | {
            month + spelling: (len(month), ("month", number), held)
            for number, month in enumerate(_MONTHS, 1)
            for spelling, held in _HELD.items()
        },
        "season": {"frühling|frühjahr": 0, "sommer|sommerferien": 1, "herbst|herbstferien": 2, "winter": 3},
        "part": {"vormittag|am morgen|jeden morgen": 0, "nachmittag": 1, "abend": 2, "nacht": 3},
        "number": {"zwei|zwo": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8}
        | {
            "neun": 9,
            "zehn": 10,
            "elf": 11,
            "zwölf": 12,
            "dreizehn": 13,
            "vierzehn": 14,
            "fünfzehn": 15,
        }
        | {_inflected(stem): (day,) for day, stem in enumerate((*_STEMS.split(), *_TWENTIES, *_THIRTIES), 1)}
        | {_inflected("siebent"): (7,)}
        | german_numbers(),
        "half": {"halbjahr|hälfte|jahreshälfte": None},
        "decimal": {"anderthalb|eineinhalb": 1.5, "zweieinhalb": 2.5, "dreieinhalb": 3.5, "viereinhalb": 4.5}
        | {"ein halbes|einem halben|einer halben|eine halbe": 0.5},
        "plural": {
            "nächten": ("part", 3),
            "abenden": ("part", 2),
            "sommern": ("season", 1),
            "wintern": ("season", 3),
        }
        | {f"{day}en": ("weekday", weekday) for weekday, day in enumerate(_DAYS)},
        "few": {"ein paar|paar|wenigen|einigen": (2, 5)},
        # Alone "der Fünfziger" is a banknote.
        "decade": {f"{ten}ern|{ten}er jahre|{ten}er jahren": 10 * tens for tens, ten in enumerate(_TENS, 2)},
        "a": {"einem|einer|ein|eine|nem|ner": None},
        "last": {
            "letzte|letzten|letzter|letztes|letztem|vorige|vorigen|voriges|vergangene|vergangenen|vergangenes": None,
            "vorletzte|vorletzten|vorletzter|vorletztes|vorletztem": 2,
        },
        "next": {
            "nächste|nächsten|nächster|nächstes": None,
            "kommende|kommenden|kommendes|kommendem": 0,
            "übernächste|übernächsten|übernächster|übernächstes": 2,
        },
        "earlier": {"bisher in|bislang in": None},
        "more": {"mehr als|länger als|über": None},
        "less": {"weniger als": None},
        "about": {
            "etwa|ungefähr|rund|circa|zirka|ca|ca .|fast|beinahe|knapp|gut|schätzungsweise|genau|exakt": None
        },
        "recent": {"neulich|letztens|kürzlich|unlängst|vor kurzem": 7},
        "not": {"nicht": False, "außer|statt|anstatt": True},
        "isoweek": {"kw|kalenderwoche": None},
        "every": {
            "jeden|jede|jedes|jedem|jeder|alle": None,
            "jeden zweiten|jede zweite|jedes zweite|jeden dritten|jede dritte|jedes dritte": None,
        },
        "word": {"guten morgen": None},
        "same": {"diese zeit|dieser zeit|gleichen zeit|selben zeit": True},
        "this": {"diese|diesen|dieser|dieses|diesem": None},
        "early": {"anfang|beginn": 0},
        "mid": {"mitte": 1},
        "late": {"ende": 2},
        "before": {"vor|früher als": None},
        "after": {"nach|später als": None},
        "since": {"seit|ab|nicht vor|frühestens|nicht früher als": None},
        "until": {
            "bis|bis zum|bis einschließlich|bis inklusive|bis einschließlich zum": None,
            "nicht nach|spätestens|nicht später als": None,
        },
        "from": {"von|vom": None},
        "between": {"zwischen": None},
        "and": {"und": None},
        "or": {"oder": None},
        "but": {"aber|jedoch|sondern": None},
        "now": {"jetzt": None},
        "in": {"in|im|während|übers": None},
        "on": {"am|an|zu|zum": None, "um|rund um": 3},
        "of": {"des": None},
        "the": {"der|die|das|den|dem": None},
        "offset": {
            "heute": 0,
            "gestern": -1,
            "vorgestern": -2,
            "morgen": 1,
            "übermorgen": 2,
            "gestern abend|gestern nacht|letzte nacht": (-1, 3),
            "heute morgen|heute früh": (0, 0),
            "gestern morgen|gestern früh": (-1, 0),
            "heute abend": (0, 2),
            "heute mittag": (0, 1),
            "gestern mittag": (-1, 1),
            "morgen früh|morgen vormittag": (1, 0),
            "morgen mittag": (1, 1),
        },
        "named": {
            "weihnachten|erster weihnachtstag|ersten weihnachtstag|erster weihnachtsfeiertag|ersten weihnachtsfeiertag"
            "|1 . weihnachtstag|1 . weihnachtsfeiertag": "christmas",
            "weihnachtsferien": "christmas break",
            "osterferien": "easter break",
            "heiligabend|heiliger abend|heiligen abend|heilige abend": "christmas eve",
            "silvester|silvesterabend": "new year eve",
            "neujahr|neujahrstag": "new year",
            "dreikönigstag|heilige drei könige|heilig drei könig": "epiphany",
            "valentinstag": "valentine",
            "fasching|karneval": "carnival",
            "palmsonntag": "palm sunday",
            "gründonnerstag": "maundy thursday",
            "karfreitag": "good friday",
            "karwoche": "holy week",
            "karsamstag": "holy saturday",
            "ostern|ostersonntag": "easter",
            "ostermontag": "easter monday",
            "tag der deutschen einheit": "german unity",
            "tag der arbeit": "labour",
            "himmelfahrt|christi himmelfahrt": "ascension",
            "pfingsten|pfingstsonntag": "pentecost",
            "pfingstmontag": "whit monday",
            "rosenmontag": "rose monday",
            "muttertag": "mother",
            "vatertag": "ascension",
            "fronleichnam": "corpus christi",
            "mariä himmelfahrt": "assumption",
            "halloween": "halloween",
            "allerheiligen": "all saints",
            "zweiter weihnachtstag|zweiten weihnachtstag|zweiter weihnachtsfeiertag|zweiten weihnachtsfeiertag"
            "|2 . weihnachtstag|2 . weihnachtsfeiertag|stephanstag": "boxing",
            "fastnacht|faschingsdienstag": "shrove tuesday",
            "aschermittwoch": "ash wednesday",
            "nikolaus|nikolaustag|nikolausabend": "nicholas",
        }
        | {
            f"{which}{ending} {day}": name
            for which, name in (
                ("erst", "first advent"),
                ("zweit", "second advent"),
                ("dritt", "third advent"),
                ("viert", "fourth advent"),
            )
            for ending in ("er", "en")
            for day in ("advent", "adventssonntag")
        }
        | {
            f"{number} . {day}": name
            for number, name in enumerate(
                ("first advent", "second advent", "third advent", "fourth advent"), 1
            )
            for day in ("advent", "adventssonntag")
        },
    },
    # An auxiliary and a participle, in any order, or a verb in the preterite.
    past=r"^(?!.*\b(?:werden?|wirst|wird|geplant)\b)(?:(?=.*\b(?:hab|habe|hast|hat|haben|habt|bin|bist|ist|sind|seid)\b)"
    r".*\b(?:\w*ge\w{2,}|(?:be|ent|er|ver|zer)\w{3,}|\w+ier)(?:t|en)\b"
    r"|.*\b(?:war|warst|waren|hatte|hattest|hatten|gab|kam|kamen|ging|gingen|wurde|wurden|schlief)\b)",
    ahead=r"\b(?:geplant|fällig|fälligkeit\w*|vorhabe|vorhaben|vorhast|vorhat|ansteh(?:t|en|end\w*)|bevorsteh(?:t|en|end\w*))\b"
    r"|\b(?:werde|wirst|wird|werden|werdet|plane|planst|plant|planen|pläne|termine?|kalender|agenda|fristen|frist)\b"
    r"|\b(?:mach(?:e|st|en)|komm(?:e|st|t|en)|fahr(?:e|en)|fähr(?:st|t)|flieg(?:e|st|t|en)|gehe|reise|besuche|schenke)\b"
    r"|\b(?:mach|geh|fahr|komm|flieg) ich\b|\b(?:bin|sind) (?:ich|wir)(?: (?:am|im|an|in))? #"
    r"|^was (?:ist|läuft|passiert|gibt es|gibts)(?: (?:am|im|an))? #"
    r"|\bsteh(?:t|en)\b.*\ban(?: \W)*$|\b(?:habe?|hast|hat|haben|habt)\b.*\b(?:zeit|frei|vor(?: \W)*$)"
    r"|\b(?:wann|uhr)\b.*\b(?:beginn(?:t|en)|fäng(?:t|en)|start(?:et|en)|öffne(?:t|n)|schließ(?:t|en)|ende(?:t|n))\b"
    r"|\b(?:bin|bist|ist|sind|seid)\b.*\b(?:frei|verfügbar|los)\b"
    r"|\b(?:ist|sind|gibt es|habe ich|haben wir)\b(?: (?:am|im|an|der|die|das|eine?|nächste|mein|meine|unsere?|#))*"
    r" (?:\w*(?:zahnarzt|arzt|party|feier|konzert|hochzeit|reise|prüfung|klausur|treffen|flug|unterricht|spiel|fest)"
    r"|urlaub|meeting|besprechung|schule|training|probe|elternabend|zug|kurs|ausflug|wetter)\b"
    r"|\b(?:muss|musst|müssen|müsst|soll|sollst|sollen|sollt)\b(?!.*\b(?:wissen|merken|erinnern|behalten)\b)"
    r"|\b(?:habe?|hast|hat|haben|habt) \w+(?: (?:am|an|im|in|zu|zum|den|der|dem|diese[nrsm]?))* #(?: #)*(?: \W)*$",
    told=r"^(?!.*\b(?:werden?|wirst|wird)\b)(?:(?=.*\b(?:hab|habe|hast|hat|haben|habt|bin|bist|ist|sind|seid)\b)"
    r".*\b(?!geplant\b)(?:\w*ge\w{2,}|(?:be|ent|er|ver|zer)\w{3,}|\w+ier)(?:t|en)\b"
    r"|.*\b(?:war|warst|waren|wurde|wurden|worden|gewesen|gehabt|rief|riefen"
    r"|(?:gab|kam|ging|stand|lag|fiel|fand|sprach|besprach|traf|sah|fuhr|flog|blieb|nahm|schrieb|ließ|lief|hielt)(?:en)?"
    r"|(?:hat|woll|soll|muss|konn|wuss|dach|brach|mach|sag|plan|nann|mein|erzähl|erwähn|frag|zeig|schick|kauf|feier"
    r"|besuch|verpass|vereinbar)te(?:st|n)?)\b)",
    many="tage tagen wochen wochenenden monate monaten jahre jahren jahrzehnte jahrzehnten stunden minuten",
)
