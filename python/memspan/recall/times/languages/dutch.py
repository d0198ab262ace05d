"""Dutch."""

from __future__ import annotations

from memspan.recall.times.lexicon import Lexicon

from .numbers_in_words import dutch_numbers

_DAYS = ("maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag")
_MONTHS: tuple[str, ...] = (
    "januari",
    "februari",
    "maart",
    "april",
    "mei",
    "juni",
    "juli",
    "augustus",
    "september",
)
_MONTHS += ("oktober", "november", "december")
_PARTS = {"ochtend": 0, "middag": 1, "avond": 2, "nacht": 3}

LEXICON = Lexicon(
    "nl",
    {
        "month": {
            "januari": 1,
            "februari": 2,
            "maart": 3,
            "april": 4,
            "mei": 5,
            "juni": 6,
            "juli": 7,
            "augustus": 8,
            "september": 9,
            "oktober": 10,
            "november": 11,
            "december": 12,
        },
        "weekday": {
            "maandag": 0,
            "dinsdag": 1,
            "woensdag": 2,
            "donderdag": 3,
            "vrijdag": 4,
            "zaterdag": 5,
            "zondag": 6,
        },
        "unit": {
            "minuut|minuten": "minute",
            "uur|uren": "hour",
            "dag|dagen": "day",
            "week|weken": "week",
            "weekend|weekends|weekeinde": "weekend",
            "maand|maanden": "month",
            "kwartaal": "quarter",
            "jaar|jaren": "year",
            "decennium|decennia": "decade",
            "eeuw": "century",
        },
        # "Dinsdagavond" is a day and a part of it, "juniweek" a month and what it has several of.
        "glued": {
            day + spelling: (len(day), ("weekday", weekday), ("part", part))
            for weekday, day in enumerate(_DAYS)
            for spelling, part in _PARTS.items()
        }
        | {
            month + spelling: (len(month), ("month", number), ("unit", unit))
            for number, month in enumerate(_MONTHS, 1)
            for spelling, unit in {"week": "week", "weken": "week", "weekend": "weekend"}.items()
        }
        # Elsewhere "voor Kerst" is before Christmas.
        | {
            f"{noun} voor": (None, ("on", None)) for noun in ("plannen", "afspraak", "afspraken", "programma")
        },
        "season": {
            "lente|voorjaar": 0,
            "zomer|zomervakantie": 1,
            "herfst|najaar|herfstvakantie": 2,
            "winter": 3,
        },
        "part": {"ochtend|'s morgens": 0, "middag": 1, "avond": 2, "nacht": 3},
        "number": {
            "één": 1,
            "twee": 2,
            "drie": 3,
            "vier": 4,
            "vijf": 5,
            "zes": 6,
            "zeven": 7,
            "acht": 8,
        }
        | {
            "negen": 9,
            "tien": 10,
            "elf": 11,
            "twaalf": 12,
            "dertien": 13,
            "veertien": 14,
            "vijftien": 15,
        }
        | {"eerste": (1,), "tweede": (2,), "derde": (3,)}
        | dutch_numbers(),
        "decimal": {"anderhalf|anderhalve": 1.5, "een half|een halve": 0.5}
        | {"tweeënhalf|tweeënhalve": 2.5, "drieënhalf|drieënhalve": 3.5, "vierenhalf|vierenhalve": 4.5},
        "andhalf": {"en een half|en een halve": None},
        "plural": {
            "nachten": ("part", 3),
            "avonden": ("part", 2),
            "zomers": ("season", 1),
            "winters": ("season", 3),
        }
        | {f"{day}en": ("weekday", weekday) for weekday, day in enumerate(_DAYS)},
        "half": {"helft": None},
        "few": {"enkele|een paar|paar": (2, 5)},
        "a": {"een": None},
        "last": {"vorige|vorig|afgelopen|laatste": None, "voorlaatste|voorvorige": 2},
        "next": {"volgende|volgend": None, "komende|komend|aanstaande|aankomende|aankomend": 0},
        "every": {"elke|elk|iedere|ieder|alle": None},
        "word": {"goede morgen|terug naar|terug in|terug uit|terug van|terug bij": None},
        "same": {"deze tijd|dezelfde tijd": True},
        "this": {"deze|dit": None},
        "early": {"begin": 0},
        "mid": {"half|midden|halverwege|medio": 1},
        "late": {"eind|einde": 2},
        "ago": {"geleden|terug": None},
        "ahead": {"over": None},
        "more": {"meer dan": None},
        "less": {"minder dan": None},
        "about": {"ongeveer|bijna|circa|ca|ca .|zo'n|ruim|krap": None},
        "before": {"voor|vóór|eerder dan": None},
        "after": {"na|later dan": None},
        "since": {"sinds|vanaf|niet voor|niet vóór|niet eerder dan": None},
        "until": {"tot|niet na|niet later dan|uiterlijk": None},
        "from": {"van": None},
        "to": {"tot en met|t/m|à": None},
        "between": {"tussen": None},
        "and": {"en": None},
        "or": {"of": None},
        "but": {"maar": None},
        "not": {"niet": False, "behalve": True},
        "now": {"nu|heden": None},
        "in": {"in|tijdens": None},
        "on": {"op|met": None, "rond|rondom": 3},
        "the": {"de|het": None},
        "offset": {
            "vandaag": 0,
            "gisteren": -1,
            "eergisteren": -2,
            "morgen": 1,
            "overmorgen": 2,
            "gisteravond|gisterenavond|vannacht": (-1, 3),
            "morgenochtend|morgenvroeg": (1, 0),
            "morgenmiddag": (1, 1),
            "morgenavond": (1, 2),
            "vanavond": (0, 2),
            "vanochtend|vanmorgen": (0, 0),
            "vanmiddag": (0, 1),
            "eergisteravond|eergisterenavond": (-2, 2),
            "gisterochtend|gisterenochtend": (-1, 0),
            "gistermiddag|gisterenmiddag": (-1, 1),
        },
        "named": {
            "kerst|kerstmis|eerste kerstdag": "christmas",
            "tweede kerstdag": "boxing",
            "kerstavond": "christmas eve",
            "kerstvakantie": "christmas break",
            "paasvakantie": "easter break",
            "pasen|eerste paasdag": "easter",
            "tweede paasdag": "easter monday",
            "sinterklaas": "nicholas",
            "koningsdag": "king",
            "hemelvaart|hemelvaartsdag": "ascension",
            "goede vrijdag": "good friday",
        }
        | {
            "oudjaar|oudejaarsdag|oudejaarsavond|oud en nieuw": "new year eve",
            "nieuwjaar|nieuwjaarsdag": "new year",
            "pinksteren": "pentecost",
        },
    },
    ahead=r"\b(?:gepland|agenda|programma|planning|deadlines?|plannen|zal|zult|zullen|doe|kom|komt|vlieg|vliegt|gebeurt)\b"
    r"|\b(?:ga|gaat|gaan) (?:ik|je|jij|u|hij|ze|zij|we|wij|jullie)\b"
    r"|\b(?:wanneer|laat)\b.*\b(?:begint|beginnen|start|starten|opent|sluit|eindigt|vertrekt|vertrekken)\b"
    r"|\b(?:moet|moeten)\b(?!.*\b(?:weten|onthouden)\b)"
    r"|\b(?:ben|bent|is|zijn)\b.*\b(?:vrij|beschikbaar|bezet|te doen)\b"
    r"|\b(?:is|zijn|heb ik|hebben we)(?: (?:op|in|er|de|het|een|mijn|onze|ons|volgende|#))*"
    r" (?:tandarts|dokter|feest|feestje|concert|bruiloft|reis|examen"
    r"|vergadering|vlucht|trein|school|les|wedstrijd|etentje|voorstelling|weer)\b"
    r"|\b(?:heb|hebt|heeft|hebben)\b.*\b(?:tijd|vrij|afspraak|afspraken|te doen)\b"
    r"|\b(?:heb|hebt|heeft|hebben) \w+(?: (?:op|in|met|de|het|om|deze|dit))* #(?: #)*(?: \W)*$",
    told=r"\b(?:was|waren|had|hadden|zei|zeiden|zag|zagen|gaf|gaven|nam|namen|schreef|schreven|lag|lagen|at|aten"
    r"|(?:werd|ging|stond|vond|viel|sprak|besprak|liep|hield|riep|moest|kocht|dacht|bracht|wist)(?:en)?|kwam|kwamen"
    r"|(?:belde|vertelde|noemde|plande|meldde|stelde|stuurde|maakte|wilde)n?|deed|deden|kregen|vroegen)\b"
    r"|\b(?:heb|hebt|heeft|hebben|ben|bent|is|zijn)\b.*\b(?:gedaan|gezien|gegaan|(?!gepland\b)(?:\w*ge\w{2,}|(?:be|ver|ont|her)\w{3,})(?:d|t|en))\b",
    many="dagen weken weekends maanden jaren decennia uren minuten",
)
