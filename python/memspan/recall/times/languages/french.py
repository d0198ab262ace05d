"""French."""

from __future__ import annotations

from memspan.recall.times.lexicon import Lexicon

from .numbers_in_words import french_numbers

LEXICON = Lexicon(
    "fr",
    {
        "month": {
            "janvier": 1,
            "février": 2,
            "mars": 3,
            "avril": 4,
            "mai": 5,
            "juin": 6,
            "juillet": 7,
            "août": 8,
            "septembre": 9,
            "octobre": 10,
            "novembre": 11,
            "décembre": 12,
        },
        "weekday": {
            "lundi": 0,
            "mardi": 1,
            "mercredi": 2,
            "jeudi": 3,
            "vendredi": 4,
            "samedi": 5,
            "dimanche": 6,
        },
        "unit": {
            "minute|minutes": "minute",
            "heure|heures": "hour",
            "jour|jours": "day",
            "semaine|semaines": "week",
            "weekend|weekends|week - end": "weekend",
            "mois": "month",
            "trimestre": "quarter",
            "an|ans|année|années": "year",
            "décennie|décennies": "decade",
            "siècle": "century",
        },
        "season": {"printemps": 0, "été|vacances d été|grandes vacances": 1, "automne": 2, "hiver": 3},
        "plural": {
            "nuits": ("part", 3),
            "soirs": ("part", 2),
            "étés": ("season", 1),
            "automnes": ("season", 2),
            "hivers": ("season", 3),
        }
        | {
            "lundis": ("weekday", 0),
            "mardis": ("weekday", 1),
            "mercredis": ("weekday", 2),
            "jeudis": ("weekday", 3),
            "vendredis": ("weekday", 4),
            "samedis": ("weekday", 5),
            "dimanches": ("weekday", 6),
        },
        "part": {"matin": 0, "après - midi": 1, "soir": 2, "nuit": 3},
        "number": {"deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8, "neuf": 9}
        | {
            "dix": 10,
            "onze": 11,
            "douze": 12,
            "treize": 13,
            "quatorze": 14,
            "quinze": 15,
            "première|premier|premières|premiers": (1,),
            "deuxième": (2,),
            "troisième": (3,),
        }
        | french_numbers(),
        "half": {"semestre|moitié": None},
        "few": {"quelques": (2, 5)},
        "decimal": {"demi|demie|une demi|une demie|un demi": 0.5},
        "andhalf": {"et demi|et demie": None},
        "a": {"un|une": None},
        "last": {
            "dernier|dernière|derniers|dernières|passé|passée|passés|passées": None,
            "avant - dernier|avant - dernière": 2,
        },
        "word": {"il passé|s'est passé": None},  # happened: "que s'est-il passé jeudi"
        "next": {"prochain|prochaine|prochains|prochaines": None, "qui vient|à venir": 0},
        "every": {"chaque|tous les|toutes les": None},
        "same": {"à la même époque|à la même période|à pareille époque|à cette époque": True},
        "this": {"ce|cet|cette|ces": None},
        "early": {"début|au début|le début|dès le début": 0},
        "mid": {"mi|au milieu|le milieu": 1},
        "late": {"fin|à la fin|la fin": 2},
        "agopre": {"il y a|d'il y a": None},
        "more": {"plus de|plus d": None},
        "less": {"moins de|moins d": None},
        "about": {"environ|presque|à peu près|à peine|près de|près d|plus ou moins|déjà|exactement": None},
        "before": {"avant|plus tôt que": None},
        "after": {"après|plus tard que": None},
        "since": {"depuis|pas avant|à partir de|à partir du|à partir d|au plus tôt": None},
        "until": {"jusqu'à|jusqu'au|jusqu'en|pas après|au plus tard|d'ici|d'ici à|d'ici au": None},
        "from": {"du": None},
        "to": {"à|au": None},
        "between": {"entre": None},
        "and": {"et": None},
        "or": {"ou": None},
        "but": {"mais": None},
        "now": {"maintenant|à présent|présent": None},
        "in": {"en|dans|durant|pendant": None},
        "on": {"vers|autour de|autour du": 3},
        "of": {"de|des|d": None},
        "the": {"le|la|les|l": None},
        "offset": {
            "aujourd'hui|jour pour jour": 0,
            "hier": -1,
            "avant - hier": -2,
            "demain": 1,
            "après - demain": 2,
            "hier soir|la nuit dernière": (-1, 3),
            "ce soir": (0, 2),
            "ce matin": (0, 0),
        },
        "recent": {"l'autre jour|autre jour|l'autre soir|autre soir": 7},
        "not": {"pas": False, "sauf|excepté|au lieu de": True},
        "glued": {
            "veille de|veille du|veille d": (("unit", "day"), ("before", None)),
            "lendemain de|lendemain du|lendemain d": (("unit", "day"), ("after", None)),
        },
        "named": {
            "noël": "christmas",
            "vacances de noël": "christmas break",
            "vacances de pâques": "easter break",
            "veille de noël|réveillon de noël": "christmas eve",
            "veille du nouvel an|saint - sylvestre|saint sylvestre": "new year eve",
            "pâques|dimanche de pâques": "easter",
            "dimanche des rameaux": "palm sunday",
            "semaine sainte": "holy week",
            "jeudi saint": "maundy thursday",
            "samedi saint": "holy saturday",
            "lundi de pâques": "easter monday",
            "vendredi saint": "good friday",
            "ascension": "ascension",
            "lundi de pentecôte": "whit monday",
            "épiphanie": "epiphany",
            "assomption": "assumption",
            "nouvel an|jour de l an": "new year",
            "mardi gras": "shrove tuesday",
            "mercredi des cendres": "ash wednesday",
            "pentecôte": "pentecost",
            "saint - valentin|saint valentin": "valentine",
            "toussaint": "all saints",
        },
    },
    # An auxiliary and, but for a pronoun or an adverb, a participle at once; or a verb in the imperfect.
    past=r"(?:\b(?:ai|as|a|avons|avez|ont|suis|es|est|sommes|sont)"
    r"(?: (?:-|je|tu|t'|il|elle|on|nous|vous|ils|elles|pas|bien|mal))* "
    r"(?!(?:qui|quoi|ici|lui|moi|toi|celui|aussi|prévue?s?)\b)\w+(?:ée?s?|ue?s?|i|is|it|rt|ert)"
    r"|\b(?:étais|était|étaient|avais|avait|avaient|s'est|fut|furent|eut|eurent))\b",
    ahead=r"\boù\b.*\b(?:vais|vas|va|allons|allez|vont)\b|"
    r"\b(?:prévue?s?|prévois|prévoit|prévoyons|échéances?|agenda|planning|rendez - vous)\b"
    r"|\b(?:fais|faisons|pars|partons|viens|viennent|vient(?! de\b))\b|\bfait - on\b|\bon fait\b|\bse passe\b|\bqui #"
    r"|\b(?:quand|quelle #)(?!\w).*\b(?:commence(?:nt)?|débute(?:nt)?|part|partent|ouvre|ferme|finit)\b"
    r"|\b(?:suis|es|est|sommes|êtes|sont)\b.*\b(?:libres?|disponibles?|dispo)\b"
    r"|\b(?:arrive(?:nt)?|rentre(?:nt)?|revient|reviennent|atterrit)\b"
    r"|\b(?:est|sont|y a|a - t - il|ai - je|avons - nous)(?: (?:le|la|les|un|une|mon|ma|mes|notre|nos|prochaine?|#))*"
    r" (?:l')?(?:dentiste|médecin|fête|concert|mariage|voyage|examen|réunion|vol|train|école|cours|match|dîner"
    r"|spectacle|entretien|météo)\b"
    r"|\b(?:dentiste|médecin|fête|concert|mariage|voyage|examen|réunion|vol|train) est(?: (?:le|en|ce))* #"
    r"|\b(?:vais|vas|va|allons|allez|vont)(?: (?:-|t|je|tu|il|elle|on|nous|vous|ils|elles|y))* \w+(?:er|ir|re|oir)\b"
    r"|\b(?:se|au|fe|i|viend|dev|pour|faud|ver)r(?:ai|as|a|ons|ez|ont)\b"
    r"|\b(?:dois|doit|devons|devez|doivent)\b(?!.*\b(?:savoir|retenir)\b)"
    r"|\bmes (?:plans|projets)\b|\b(?:plans|projets|programme) (?:pour|de|du)\b"
    r"|\bd'ici(?: (?:à|au|le|la))* #|\bai - je quelque chose\b|\bj'ai quelque chose\b"
    r"|\b(?:ai - je|j'ai|a - t - (?:il|elle)|avons - nous)(?: (?:le|la|les|à|en|au|ce|cet|cette))* #(?: #)*(?: \W)*$",
    many="jours semaines weekends années ans décennies heures minutes "
    "derniers dernières passés passées prochains prochaines",
)
