"""Portuguese."""

from __future__ import annotations

from memspan.recall.times.lexicon import Lexicon

from .numbers_in_words import portuguese_numbers

LEXICON = Lexicon(
    "pt",
    {
        "month": {
            "janeiro": 1,
            "fevereiro": 2,
            "março": 3,
            "abril": 4,
            "maio": 5,
            "junho": 6,
            "julho": 7,
            "agosto": 8,
            "setembro": 9,
            "outubro": 10,
            "novembro": 11,
            "dezembro": 12,
        },
        "weekday": {
            "segunda - feira": 0,
            "terça - feira": 1,
            "quarta - feira": 2,
            "quinta - feira": 3,
            "sexta - feira": 4,
            "sábado": 5,
            "domingo": 6,
        },
        # Also words for the so manyth: only where nothing that is counted so follows.
        "shortday": {"segunda": 0, "terça": 1, "quarta": 2, "quinta": 3, "sexta": 4},
        "unit": {
            "minuto|minutos": "minute",
            "hora|horas": "hour",
            "dia|dias": "day",
            "semana|semanas": "week",
            "fim de semana|fins de semana": "weekend",
            "mês|meses": "month",
            "trimestre": "quarter",
            "ano|anos": "year",
            "década|décadas": "decade",
            "século": "century",
        },
        "season": {"primavera": 0, "verão|férias de verão": 1, "outono": 2, "inverno": 3},
        "number": {"dois|duas": 2, "três": 3, "quatro": 4, "cinco": 5, "seis": 6, "sete": 7, "oito": 8}
        | {
            "nove": 9,
            "dez": 10,
            "onze": 11,
            "doze": 12,
            "treze": 13,
            "catorze": 14,
            "quinze": 15,
        }
        | {"primeira|primeiro|primeiras|primeiros": (1,)}
        | {"segundo": (2,), "terceira|terceiro": (3,), "quarto": (4,)}
        | portuguese_numbers(),
        "half": {"semestre|metade": None},
        "decimal": {"meio|meia": 0.5},
        "andhalf": {"e meio|e meia": None},
        "plural": {"noites": ("part", 2), "verões": ("season", 1), "invernos": ("season", 3)}
        | {
            "segundas|segundas - feiras": ("weekday", 0),
            "terças|terças - feiras": ("weekday", 1),
            "quartas|quartas - feiras": ("weekday", 2),
            "quintas|quintas - feiras": ("weekday", 3),
            "sextas|sextas - feiras": ("weekday", 4),
            "sábados": ("weekday", 5),
            "domingos": ("weekday", 6),
        },
        "few": {"uns|umas|alguns|algumas|poucos|poucas": (2, 5)},
        "a": {"um|uma": None},
        "last": {
            "passado|passada|passados|passadas|último|última|últimos|últimas": None,
            "retrasado|retrasada|penúltimo|penúltima": 2,
        },
        "next": {"próximo|próxima|próximos|próximas": None, "que vem": 0},
        "every": {"cada|todo|toda|todos os|todas as": None},
        "part": {
            "manhã|de manhã|da manhã|pela manhã": 0,
            "tarde|à tarde|de tarde|da tarde": 1,
            "noite|à noite|de noite|da noite": 2,
        },
        "same": {"por esta altura|nesta altura|nesta época|por esta época": True},
        "this": {"este|esta|neste|nesta|deste|desta": None},
        "early": {"início|no início|começo|no começo": 0},
        "mid": {"meados|em meados": 1},
        "late": {"final|no final|ao final|fim|finais|em finais": 2},
        "agopre": {"há|faz": None},
        "ago": {"atrás": None},
        "ahead": {"dentro de|daqui a": None},
        "more": {"mais de": None},
        "less": {"menos de": None},
        "about": {"cerca de|quase|mais ou menos|aproximadamente|já|exatamente": None},
        "before": {"antes de|antes do|antes da": None},
        "after": {"depois de|depois do|depois da|após|mais tarde que": None},
        "since": {"desde|desde a|não antes de|a partir de|a partir do|a partir da": None},
        "until": {"até|até a|até à|até ao|até aos|até às|não depois de|o mais tardar": None},
        "to": {"a|ao": None},
        "between": {"entre": None},
        "and": {"e": None},
        "or": {"ou": None},
        "but": {"mas|mas sim": None},
        "recent": {"outro dia": 7},
        "not": {"não": False, "exceto|em vez de|tudo menos|todos menos|todas menos": True},
        "now": {"agora|o presente": None},
        "in": {"em|no|na|nos|nas|durante": None},
        "on": {"por volta de|por volta do|por volta da": 3},
        "of": {"de|do|da|dos|das": None},
        "the": {"o|os|as": None},
        "offset": {
            "hoje": 0,
            "ontem": -1,
            "anteontem": -2,
            "amanhã": 1,
            "depois de amanhã": 2,
            "ontem à noite": (-1, 3),
            "hoje à noite": (0, 3),
        },
        "glued": {
            "véspera de|véspera do|véspera da": (("unit", "day"), ("before", None)),
        },
        "named": {
            "natal": "christmas",
            "férias de natal|férias do natal": "christmas break",
            "carnaval": "carnival",
            "páscoa|domingo de páscoa": "easter",
            "domingo de ramos": "palm sunday",
            "semana santa": "holy week",
            "quinta - feira santa": "maundy thursday",
            "sexta - feira santa": "good friday",
            "sábado santo|sábado de aleluia": "holy saturday",
            "ano novo|ano - novo": "new year",
            "véspera de natal": "christmas eve",
            "véspera de ano novo|véspera do ano novo|véspera de ano - novo|réveillon": "new year eve",
            "terça - feira gorda": "shrove tuesday",
        },
    },
    ahead=r"\b(?:agenda|prazos?|planos|compromissos?|(?:marcad|agendad|planead|planejad|previst|programad)[oa]s?|vencem?)\b"
    r"|\b(?:faço|fazemos|vou|vamos|venho|vem|vêm|viajo|viajamos|acontece)\b"
    r"|\b(?:quando|que #)(?!\w).*\b(?:começam?|iniciam?|terminam?|abrem?|fecham?|sai|saem|partem?)\b"
    r"|\b(?:estou|estás|está|estamos|estão)\b.*\b(?:livres?|disponíve(?:l|is)|ocupad[oa]s?)\b"
    r"|\b(?:chegam?|regressam?|retornam?|viajam?|aterra)\b"
    r"|\b(?:é|são|há|tem)(?: (?:o|a|os|as|um|uma|em|no|na|meu|minha|noss[oa]|próxim[oa]|#))* (?:dentista|médico|festa"
    r"|concerto|casamento|viagem|exame|reunião|voo|trem|comboio|escola|aula|jogo|jantar|espetáculo|entrevista|consulta)\b"
    r"|\b(?:vou|vais|vai|vamos|vão) \w+(?:ar|er|ir|or)\b|\b(?:tenho|temos) (?:que|de|algo|algum|alguma)\b"
    r"|\b(?:tenho|temos|tem)(?: (?:na|no|nas|nos|em|para|a|o|dia|esta|este|nesta|neste))* #"
    r"|\b(?:preciso|devo|deve|devemos|devem)\b(?!.*\b(?:saber|lembrar)\b)|\b(?:serei|irei|terei|estarei|poderei)\b"
    r"|\b\w+[aei]r(?:á|ão|ás|emos)\b|\bfar(?:ei|á|emos|ão)\b",
    told=r"\b(?:foi|foram|fui|fomos|fiz|fez|fizemos|fizeram|tive|teve|tivemos|tiveram|estive|esteve|disse|vi|viu|dei|deu"
    r"|pus|pôs|pude|pôde|vim|veio|trouxe|quis|soube|era|eram|tinha|tinham|tínhamos|havia|houve|estava|estavam)\b"
    r"|\b\w{2,}(?:aram|eram|iram|aste|ava|avam|ia|iam|iu|eu)\b"
    r"|\b(?!(?:estou|(?:se|i|te|esta|pode|fa)rei)\b)\w{2,}(?:ei|ou)\b",
    many="dias fins semanas meses anos décadas horas minutos passados passadas últimos últimas próximos próximas",
    closers="com e ou que eu ele ela nós você vocês eles elas o a os as um uma no na em de do da para por sobre à ao "
    "fui foi fiz fomos não já ainda quando onde como porque mas se me te nos",
)
