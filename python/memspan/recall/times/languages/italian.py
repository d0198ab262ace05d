"""Italian."""

from __future__ import annotations

from memspan.recall.times.lexicon import Lexicon

from .numbers_in_words import italian_numbers

LEXICON = Lexicon(
    "it",
    {
        "month": {
            "gennaio": 1,
            "febbraio": 2,
            "marzo": 3,
            "aprile": 4,
            "maggio": 5,
            "giugno": 6,
            "luglio": 7,
            "agosto": 8,
            "settembre": 9,
            "ottobre": 10,
            "novembre": 11,
            "dicembre": 12,
        },
        "weekday": {
            "lunedì": 0,
            "martedì": 1,
            "mercoledì": 2,
            "giovedì": 3,
            "venerdì": 4,
            "sabato": 5,
            "domenica": 6,
        },
        "unit": {
            "minuto|minuti": "minute",
            "ora|ore": "hour",
            "giorno|giorni": "day",
            "settimana|settimane": "week",
            "fine settimana|weekend": "weekend",
            "mese|mesi": "month",
            "trimestre": "quarter",
            "anno|anni": "year",
            "decennio|decenni": "decade",
            "secolo": "century",
        },
        "season": {"primavera": 0, "estate|vacanze estive": 1, "autunno": 2, "inverno": 3},
        "number": {"due|un paio di": 2, "tre": 3, "quattro": 4, "cinque": 5, "sei": 6, "sette": 7, "otto": 8}
        | {
            "nove": 9,
            "dieci": 10,
            "undici": 11,
            "dodici": 12,
            "tredici": 13,
            "quattordici": 14,
            "quindici": 15,
            "prima|primo|prime|primi": (1,),
            "seconda|secondo": (2,),
            "terza|terzo": (3,),
            "quarta|quarto": (4,),
        }
        | italian_numbers(),
        "decimal": {"mezzo|mezza|mezz": 0.5},
        "andhalf": {"e mezzo|e mezza": None},
        "plural": {
            "notti": ("part", 3),
            "sere": ("part", 2),
            "estati": ("season", 1),
            "inverni": ("season", 3),
        }
        | {"sabati": ("weekday", 5), "domeniche": ("weekday", 6)},
        "half": {"semestre": None},
        "few": {"alcuni|alcune|qualche|pochi|poche": (2, 5)},
        "a": {"un|una|uno": None},
        "last": {
            "scorso|scorsa|scorsi|scorse|passato|passata|passati|passate|ultimo|ultima|ultimi|ultime": None,
            "penultimo|penultima": 2,
        },
        "next": {"prossimo|prossima|prossimi|prossime": None, "che viene|entrante": 0},
        "every": {"ogni|tutti i|tutte le": None},
        "part": {
            "mattina|mattino|di mattina|al mattino": 0,
            "pomeriggio|di pomeriggio|nel pomeriggio": 1,
            "sera|di sera": 2,
            "notte|di notte": 3,
        },
        "same": {"in questo periodo|nello stesso periodo|di questi tempi": True},
        "this": {"questo|questa|quest": None},
        "early": {"inizio|inizi|agli inizi": 0},
        "mid": {"metà": 1},
        "late": {"fine": 2},
        "ago": {"fa": None},
        "more": {"più di": None},
        "less": {"meno di": None},
        "before": {"prima di|prima del|prima della|prima dell|prima dei|prima delle": None},
        "after": {"dopo|più tardi di": None},
        "since": {
            "dal|dalla|dall|a partire da|a partire dal|a partire dalla|non prima di|non prima del": None
        },
        "until": {"fino a|fino al|fino alla|fino all|non dopo|non oltre|entro|da qui a": None},
        "from": {"da": "since"},  # alone: "da gennaio"
        "to": {"a|al|alla|all": None},
        "between": {"tra|fra": None},
        "and": {"e": None},
        "or": {"o": None},
        "but": {"ma|bensì": None},
        "recent": {"l altro giorno|altro giorno|l'altro giorno|l'altra sera|altra sera": 7},
        "not": {"non": False, "tranne|eccetto|invece di": True},
        "now": {"adesso": None},
        "in": {"in|nel|nell|nella|negli|nelle|nei|durante": None},
        "on": {"verso|intorno a|intorno al": 3},
        "of": {"di|del|della|dell": None},
        "the": {"il|lo|la|i|gli|le|l": None},
        "offset": {
            "oggi": 0,
            "ieri": -1,
            "l'altro ieri|altro ieri|l'altroieri|altroieri|avantieri": -2,
            "domani": 1,
            "dopodomani": 2,
            "ieri sera|ieri notte": (-1, 3),
            "stasera": (0, 2),
            "stanotte": (0, 3),
            "stamattina": (0, 0),
        },
        "glued": {
            "prima metà|seconda metà": (None, ("half", None)),
            "vigilia di|vigilia del|vigilia della|vigilia dell": (("unit", "day"), ("before", None)),
        },
        "named": {
            "natale": "christmas",
            "vacanze di natale|vacanze natalizie": "christmas break",
            "vacanze di pasqua|vacanze pasquali": "easter break",
            "pasqua|domenica di pasqua": "easter",
            "domenica delle palme": "palm sunday",
            "settimana santa": "holy week",
            "giovedì santo": "maundy thursday",
            "venerdì santo": "good friday",
            "sabato santo": "holy saturday",
            "giorno di santo stefano": "boxing",
            "san valentino": "valentine",
            "carnevale": "carnival",
            "immacolata": "immaculate",
            "capodanno": "new year",
            "san silvestro": "new year eve",
            "ferragosto": "assumption",
            "epifania|befana": "epiphany",
            "festa della liberazione": "liberation",
        }
        | {"vigilia di natale": "christmas eve", "ognissanti": "all saints"}
        | {"pasquetta|lunedì dell'angelo": "easter monday"}
        | {"martedì grasso": "shrove tuesday", "mercoledì delle ceneri": "ash wednesday"},
    },
    past=r"\b(?:ho|hai|ha|abbiamo|avete|hanno|sono|sei|è|siamo|siete)(?: (?:mai|già|poi|anche|proprio|stat[oaie]))? "
    r"(?!(?:previst|programmat)[oaie]\b)\w+(?:at|ut|it|st|rt|tt|elt|int|ess|es|is|rs|us)[oai]\b"
    r"|\b(?:ero|eri|era|eravamo|erano|avevo|avevi|aveva|avevamo|avevano)\b",
    ahead=r"\b(?:previst[oaie]|programm[ai]|programmat[oaie]|agenda|scade|scadono|scadenz[ae]|impegn[oi]|appuntament[oi])\b"
    r"|\b(?:faccio|facciamo|vado|andiamo|viene|vengono|vengo|parto|partiamo|succede)\b"
    r"|\b(?:quando|che #)(?!\w).*\b(?:inizia|iniziano|comincia|cominciano|finisce|apre|chiude|parte|partono)\b"
    r"|\b(?:sono|sei|è|siamo|siete)\b.*\b(?:liber[oaie]|disponibil[ei])\b|\bpiani\b|\bprogetti per\b"
    r"|\b(?:arriva|arrivano|torna|tornano|atterra)\b"
    r"|\b(?:è|sono|c'è|dov'è|quand'è)(?: (?:il|lo|la|i|gli|le|un|una|a|in|mio|mia|nostr[oa]|prossim[oa]|#))*"
    r" (?:l'|un')?(?:dentista|medico|festa|concerto|matrimonio|viaggio"
    r"|esame|riunione|volo|treno|scuola|lezione|partita|cena|colloquio)\b"
    r"|\bentro(?: (?:il|lo|la|l|le))* #"
    r"|\b(?:devo|devi|deve|dobbiamo|dovete|devono)\b(?!.*\b(?:sapere|ricordare)\b)|\bho (?:qualcosa|qualche)\b"
    r"|\b\w{2,}[ei]r(?:ò|à|emo|anno)\b|\b(?:fa|sa|da|sta|av|and|dov|pot|ved|ver|ter|vor|sap)r(?:ò|ai|à|emo|ete|anno)\b"
    r"|\b(?:ho|c'è|abbiamo|ha)(?: (?:il|lo|la|l|a|per|in))* #(?: #)*(?: \W)*$",
    many="giorni settimane mesi anni decenni ore minuti "
    "scorsi scorse passati passate ultimi ultime prossimi prossime",
)
