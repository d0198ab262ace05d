"""By what a Spanish or a Portuguese question is known to be of a kind."""

from __future__ import annotations

from typing import Final

from .table import Table

__all__ = ["PORTUGUESE", "SPANISH"]

_DICHO: Final = (
    r"(?:dicho|recomendado|sugerido|aconsejado|propuesto|dado|mencionado|explicado|contado|escrito|"
    r"respondido)"
)
# What "you" did has an ending of its own, which some other words have, too; "did you see" asks for no deed.
_HICISTE: Final = (
    r"(?!(?:\w*siste|existe|triste|chiste|viste|oíste|supiste|despiste|embiste|quiste|contraste|desgaste|conociste|"
    r"fuiste|estuviste|olvidaste|notaste)\b)\w{2,}(?:aste|iste)"
)
_HECHO: Final = r"(?!visto|oído|sabido|estado|olvidado|notado|conocido)\w{2,}(?:ado|ido|echo|rito|esto)"
_FEZ: Final = r"(?!viu|ouviu|esqueceu|percebeu|conheceu|notou|ficou)\w{2,}(?:ou|eu|iu)"
_DITO: Final = (
    r"(?:disse|recomendou|sugeriu|indicou|explicou|deu|mencionou|falou|aconselhou|propôs|escreveu|respondeu)"
)

SPANISH: Final[Table] = (
    ("summary", r"\bresum[eai]|\bresúm|\bpanorama general\b|\bvisión general\b", "asks for a summary"),
    (
        "order",
        r"\b(?:qué|el|en|por) orden\b|cronológic|\blínea de tiempo\b|\bmás antigu[oa] a(?:l| la) más "
        r"(?:reciente|nuev[oa])\b",
        "asks for an order",
    ),
    (
        "order",
        r"\b(?:primero|antes|más tarde|después|último)\b.{0,200}\b[ou]\b",
        "asks which of two came first",
    ),
    (
        "when",
        # Not the clause before the question: "cuando estuve en Roma, ¿dónde dormí?"
        r"\bcuándo\b|^\W*cuando\b(?!.{1,200}(?:¿|, (?:(?:a|en|de|con|por|para) )?(?:qué|quién(?:es)?|cuál(?:es)?|"
        r"dónde|adónde|cómo|cuánt[oa]s?)\b))|\bqué (?:día|fecha|mes|año|semana|hora)\b",
        "asks when",
    ),
    (
        "when",
        r"\bcuánto tiempo\b|\bcuánto (?:\w+ ){0,2}(?:dur(?!ante\b)|tard(?!es?\b))\w+"
        r"|\bhace cuánto\b|\bcuántos años (?:tiene|tienen|tengo|tenía|cumpl\w+)\b|\bqué edad\b",
        "asks how long",
    ),
    (
        "when",
        r"\b(?:hace )?cuánt[oa]s (?:segundos|minutos|horas|días|semanas|meses|años)\b.{0,200}"
        r"\b(?:hace|entre|pasaron|pasado|desde|antes|después|hasta|faltan|duró)\b|\bhace cuánt[oa]s\b",
        "asks for the time between events",
    ),
    ("list", r"\bcu[áa]nt[oa]s\b|\ben total\b", "counts"),
    (
        "list",
        r"\bqué (?!más\b|mes\b|país\b|interés\b)\w{2,}s (?:\w+[éí]|vi|fui|hice|tuve|di|puse|traje)\b|"
        r"\bcuáles\b|\bqué \w+s (?:ha|han|he|hemos|hay|tiene|tienen|tengo|tuvo|le|les|son|leyó|visitó|compró)\b",
        "asks for several things (a plural)",
    ),
    (
        "list",
        r"\b(?:enumera|lista|nombra|dime|menciona) (?:tod|l[oa]s|dos|tres|cuatro|cinco|\d)|"
        r"\btod[oa]s (?:l[oa]s|mis|sus|nuestr[oa]s)\b",
        "asks for all",
    ),
    (
        "assistant",
        r"\b(?:dijiste|recomendaste|sugeriste|aconsejaste|propusiste|diste|mencionaste|explicaste|contaste|"
        rf"escribiste|respondiste|contestaste|{_HICISTE})\b|\b(?:has|habías)\b.{{0,40}}\b{_DICHO}\b|"
        rf"\b(?:has|habías) {_HECHO}\b",
        "asks what the assistant did",
    ),
    (
        "assistant",
        r"\btus? (?:\w+ )?(?:respuesta|sugerencia|recomendaci|consejo|explicaci|propuesta)",
        "refers to the assistant's words",
    ),
    (
        "preference",
        r"\b(?:recomi[eé]nd|recomend|acons[eé]j|sugi[eé]r)(?!ó|ad[oa]s?\b|aron|aba|é\b)|\b(?:alguna|una) idea\b|"
        r"\b(?:ideas|consejos|sugerencias) (?:para|sobre)\b",
        "asks for advice",
    ),
    (
        "preference",
        r"\b(?:qué|dónde|cómo|cuál|a quién|adónde)\b.{0,40}\b(?:debería|debo|puedo|podría|deberíamos|me conviene)\b|"
        r"\bayúdame\b|\bayudarme\b",
        "asks what to do",
    ),
    (
        "preference",
        r"\b(?:me|le|les|nos) (?:gustaría|convendría|encantaría)n?\b",
        "asks what someone would like",
    ),
    (
        "update",
        r"\b(?:actual(?:es)?|actualmente|ahora|todavía|aún|sigue|hoy en día|en este momento|últimamente|"
        r"más reciente)\b",
        "asks for what holds now",
    ),
    (
        "yes_no",
        r"^(?:\W*(?:y|pero|entonces|oye)\b)*\W*(?:es|son|era|eran|fue|fueron|está|están|estaba|estaban|estuvo|ha|han|"
        r"había|he|hemos|hay|hubo|tiene|tienen|tengo|tenía|tuvo|va|van|puede|pueden|podía|quiere|quería|vive|vivía|"
        r"trabaja|sabe|conoce|come|juega|(?:me|le|les|nos|se) \w+)\b",
        "begins with a verb",
    ),
    (
        "yes_no",
        r"^[^¿]{0,200}¿(?!.{0,300}\b(?:qué|quién(?:es)?|cuál(?:es)?|cuándo|dónde|adónde|cómo|cuánt[oa]s?)\b)"
        r"(?!\W*(?:me |nos )?\w{2,}(?:as|es|aste|iste)\b)\W*\w+ \w+",
        "has no question word",
    ),
    ("yes_no", r"\b(?:dime|sabes|decirme|saber)\b.{0,20}\bsi\b|\bo no\W*$", "asks whether"),
)

PORTUGUESE: Final[Table] = (
    ("summary", r"\bresum|\bvisão geral\b|\bsíntese\b", "asks for a summary"),
    (
        "order",
        r"\b(?:que|a|em|por) ordem\b|cronológic|\blinha do tempo\b|"
        r"\bmais antig[oa] (?:ao|à|para [oa]) mais (?:recente|nov[oa])\b",
        "asks for an order",
    ),
    (
        "order",
        r"\b(?:primeiro|antes|mais tarde|depois|por último)\b.{0,200}\bou\b",
        "asks which of two came first",
    ),
    (
        "when",
        # Not the clause before the question: "quando estive em Roma, onde dormi?"
        r"\bquando\b(?![^,?]{1,200}, (?:(?:a|em|de|com|por|para) )?(?:o que|que|quem|onde|como|qual|quais|"
        r"quant[oa]s?)\b[^,]*$)|\b(?:que|qual) (?:dia|data|mês|ano|semana)\b|\b(?:a )?que horas?\b|"
        r"\bqual (?:é|foi) a data\b",
        "asks when",
    ),
    (
        "when",
        r"\bquanto tempo\b|\bquanto (?:\w+ ){0,2}(?:dur(?!ante\b)|demor)\w+|\bquantos anos (?:tem|têm|tinha|tenho)\b",
        "asks how long",
    ),
    (
        "when",
        r"\b(?:há )?quant[oa]s (?:segundos|minutos|horas|dias|semanas|meses|anos)\b.{0,200}"
        r"\b(?:há|atrás|entre|passaram|passados|desde|antes|depois|até|durou)\b|\bhá quant[oa]s\b",
        "asks for the time between events",
    ),
    ("list", r"\bquant[oa]s\b|\bno total\b|\bao todo\b", "counts"),
    (
        "list",
        r"\bquais\b|^\W*(?:(?:em|de|com|por|para|a) )?que (?!(?:horas|vezes|mês|país|mais|nós|vocês|eles|elas|"
        r"ônibus)\b)\w{2,}s \w",
        "asks for several things (a plural)",
    ),
    (
        "list",
        r"\b(?:liste|enumere|cite|nomeie|diga) (?:tod|os|as|dois|duas|três|quatro|cinco|\d)|\btod[oa]s (?:os|as)\b",
        "asks for all",
    ),
    (
        "assistant",
        rf"\b(?:você|tu)\b.{{0,30}}\b{_DITO}\b|\bvocê (?:(?:me|nos|já|não) )*{_FEZ}\b|\b(?:disseste|prometeste|"
        r"perguntaste|enviaste|reservaste|avisaste|recomendaste|sugeriste|aconselhaste|explicaste|"
        r"mencionaste|propuseste)\b",
        "asks what the assistant did",
    ),
    (
        "assistant",
        r"\b(?:tuas?|teus?) (?:\w+ )?(?:resposta|sugest|recomendaç|conselho|explicaç|proposta)",
        "refers to the assistant's words",
    ),
    (
        "preference",
        r"\b(?:recomend|aconselh|suger)(?!ou|ad|ava|aram|iu|id|iram|ia\b)|\bdicas?\b|\balguma ideia\b",
        "asks for advice",
    ),
    (
        "preference",
        r"\b(?:que|onde|como|qual|quem)\b.{0,40}\b(?:devo|deveria|posso|poderia|devemos)\b|\bme ajud|\bajuda-me\b",
        "asks what to do",
    ),
    (
        "update",
        r"\b(?:atual|atuais|atualmente|agora|ainda|hoje em dia|neste momento|ultimamente|mais recentes?)\b",
        "asks for what holds now",
    ),
    (
        "yes_no",
        r"^(?:\W*(?:e|mas|então)\b)*\W*(?:é|são|era|eram|foi|foram|está|estão|estava|estavam|tem|têm|tinha|tinham|há|"
        r"havia|vai|vão|pode|podem|quer|gosta|gostam|mora|morava|vive|trabalha|conhece|sabe|será)(?=\W)",
        "begins with a verb",
    ),
    ("yes_no", r"\b(?:diga|sabe|dizer|saber)(?:-me)?\b.{0,20}\bse\b|\bou não\W*$", "asks whether"),
)
