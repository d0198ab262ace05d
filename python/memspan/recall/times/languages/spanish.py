"""Spanish."""

from __future__ import annotations

from memspan.recall.times.lexicon import Lexicon

from .numbers_in_words import spanish_numbers

LEXICON = Lexicon(
    "es",
    {
        "month": {
            "enero": 1,
            "febrero": 2,
            "marzo": 3,
            "abril": 4,
            "mayo": 5,
            "junio": 6,
            "julio": 7,
            "agosto": 8,
            "septiembre|setiembre": 9,
            "octubre": 10,
            "noviembre": 11,
            "diciembre": 12,
        },
        "weekday": {
            "lunes": 0,
            "martes": 1,
            "miércoles": 2,
            "jueves": 3,
            "viernes": 4,
            "sábado": 5,
            "domingo": 6,
        },
        "unit": {
            "minuto|minutos": "minute",
            "hora|horas": "hour",
            "día|días": "day",
            "semana|semanas": "week",
            "fin de semana|fines de semana|finde|findes": "weekend",
            "mes|meses": "month",
            "trimestre": "quarter",
            "año|años|ano|anos": "year",
            "década|décadas": "decade",
            "siglo": "century",
        },
        "season": {"primavera": 0, "verano|vacaciones de verano": 1, "otoño": 2, "invierno": 3},
        "plural": {
            f"los {day}": ("weekday", weekday)
            for weekday, day in enumerate(("lunes", "martes", "miércoles", "jueves", "viernes"))
        }
        | {
            "noches": ("part", 2),
            "veranos": ("season", 1),
            "inviernos": ("season", 3),
            "navidades": ("named", "christmas"),
        }
        | {"sábados": ("weekday", 5), "domingos": ("weekday", 6)},
        "part": {"por la mañana|en la mañana|de la mañana|la mañana": 0, "tarde|por la tarde": 1}
        | {"por la noche": 2},
        "number": {"dos|un par de": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8}
        | {
            "nueve": 9,
            "diez": 10,
            "once": 11,
            "doce": 12,
            "trece": 13,
            "catorce": 14,
            "quince": 15,
            "veinte": 20,
            "uno": 1,
            "primera|primer|primero|primeras|primeros": (1,),
            "segunda|segundo": (2,),
            "tercera|tercer|tercero": (3,),
            "cuarta|cuarto": (4,),
        }
        | spanish_numbers(),
        "half": {"semestre|mitad": None},
        "few": {"unos|unas|unos pocos|unas pocas|algunos|algunas": (2, 5)},
        "decimal": {"medio|media": 0.5},
        "andhalf": {"y medio|y media": None},
        "a": {"un|una": None},
        "last": {
            "pasado|pasada|pasados|pasadas|último|última|últimos|últimas": None,
            "antepasado|antepasada|penúltimo|penúltima": 2,
        },
        "next": {"próximo|próxima|próximos|próximas": None, "que viene": 0},
        "every": {"cada|todos los|todas las": None},
        "same": {"por estas fechas|por esta época|por estas mismas fechas": True},
        "this": {"este|esta": None},
        "early": {
            "principios|a principios|a primeros|inicios|a inicios|comienzos|a comienzos|al principio|al inicio": 0
        },
        "mid": {"mediados|a mediados|a mitad": 1},
        "late": {"finales|a finales|a últimos|fines|a fines|al final|a final|a fin": 2},
        "agopre": {"hace": None},
        "ago": {"atrás": None},
        "ahead": {"dentro de": None},
        "earlier": {"en lo que va de|lo que va de|en lo que va del|lo que va del": None},
        "more": {"más de": None},
        "less": {"menos de": None},
        "about": {"casi|aproximadamente|más o menos|cerca de|como|apenas|ya|exactamente|justo": None},
        "before": {"antes de|antes del|antes que": None},
        "after": {"después de|después del|más tarde de|más tarde que": None},
        "since": {"desde|a partir de|a partir del|no antes de|no antes del": None},
        "until": {"hasta|no después de|no después del|no más tarde de|a más tardar|de aquí a": None},
        "to": {"a|al": None},
        "between": {"entre": None},
        "and": {"y": None},
        "or": {"o": None},
        "but": {"pero|sino": None},
        "recent": {"el otro día": 7},
        "not": {"no": False, "excepto|salvo|en vez de|todo menos|todos menos|todas menos": True},
        "now": {"ahora|el presente|la actualidad": None},
        "in": {"en|durante": None},
        "on": {"hacia|alrededor de|alrededor del": 3},
        "of": {"de|del": None},
        "the": {"el|la|los|las": None},
        "offset": {
            "hoy": 0,
            "ayer": -1,
            "anteayer|antier|antes de ayer": -2,
            "mañana": 1,
            "pasado mañana": 2,
            "anoche": (-1, 3),
            "anteanoche|antenoche": (-2, 3),
            "esta noche": (0, 3),
            "esta mañana": (0, 0),
        },
        "glued": {
            "víspera de|víspera del": (("unit", "day"), ("before", None)),
        },
        "named": {
            "navidad": "christmas",
            "vacaciones de navidad": "christmas break",
            "nochebuena": "christmas eve",
            "nochevieja": "new year eve",
        }
        | {"año nuevo": "new year", "domingo de pascua": "easter", "viernes santo": "good friday"}
        | {"día de reyes|día de los reyes": "epiphany", "día de los muertos": "all souls"}
        | {"domingo de ramos": "palm sunday", "pascua|domingo de resurrección": "easter"}
        | {"semana santa": "holy week", "jueves santo": "maundy thursday", "sábado santo": "holy saturday"}
        | {"lunes de pascua": "easter monday", "san valentín": "valentine", "carnaval": "carnival"}
        | {"martes de carnaval": "shrove tuesday", "miércoles de ceniza": "ash wednesday"},
    },
    ahead=r"\b(?:planes|agenda|plazos?|vence|vencen|previst[oa]s?|planead[oa]s?|programad[oa]s?|pendientes?|toca)\b"
    r"|\b(?:hago|haces|hacemos|vengo|viene|vienen|viajo|viajamos|voy|vamos|salgo|qu[ée] pasa)\b"
    r"|\b(?:cu[áa]ndo|qu[ée] #)(?!\w).*\b(?:empiezan?|comienzan?|terminan?|abren?|cierran?|sale|salen)\b"
    r"|\b(?:estoy|estás|está|estamos|están)\b.*\b(?:libres?|ocupad[oa]s?|disponibles?)\b"
    r"|\b(?:llegan?|vuelven?|regresan?|aterriza)\b"
    r"|\b(?:es|son|hay|está)(?: (?:el|la|los|las|un|una|en|mi|mis|nuestr[oa]|próxim[oa]|#))* (?:dentista|médico|fiesta"
    r"|concierto|boda|viaje|examen|reunión|vuelo|tren|escuela|clase|partido|cena|espectáculo|entrevista|cita)\b"
    r"|\b(?:voy|vas|va|vamos|vais|van) a \w+(?:ar|er|ir)\w{0,4}\b"
    r"|\b(?:tengo|tienes|tiene|tenemos|tienen) (?:algo|algún|alguna|una? (?:cita|reunión|plan)"
    r"|que (?!.*\b(?:saber|recordar|ver)\b))"
    r"|\b(?:tengo|tienes|tiene|tenemos|tienen)(?: (?:el|la|los|las|este|esta|en|para|a|yo))* #"
    r"|\bhay(?: (?:el|la|este|esta|para))+ #|\b(?:debo|debe|debemos|deben)\b(?!.*\b(?:saber|recordar)\b)"
    r"|\b\w*[aeid]r(?:á|ás|án|emos)\b|\b(?:se|ha|i|tend|esta|ve|pod|debe|di|sald|vend|pond)ré\b",
    told=r"\b(?:he|has|ha|hemos|habéis|han) (?:\w+ )?\w+(?:ado|ido|to|cho)s?\b"
    r"|\b(?:fui|fuiste|fue|fuimos|fueron|hice|hiciste|hizo|hicimos|tuve|tuviste|tuvo|tuvimos|estuve|estuvo|estuvimos"
    r"|era|eras|eran|éramos|hubo|dije|dijo|puse|puso|pude|pudo|vine|vino|vi|vio|di|dio)\b"
    r"|\b(?!todavía\b)\w{2,}(?:aba|abas|aban|ábamos|ía|ías|ían|íamos|aste|iste|aron|ieron|ió)\b"
    r"|\b(?!(?:qué|porqué|(?:se|ha|i|tend|esta|ve|pod|debe|di|sald|vend|pond)ré|aquí|allí|así|ahí)\b)\w{2,}[éíó]\b",
    many="días fines semanas meses años décadas horas minutos pasados pasadas últimos últimas próximos próximas",
)
