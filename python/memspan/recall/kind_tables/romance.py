"""By what a French or an Italian question is known to be of a kind."""

from __future__ import annotations

from typing import Final

from .table import Table

__all__ = ["FRENCH", "ITALIAN"]

_DIT: Final = (
    r"(?:dit|recommandé|conseillé|suggéré|proposé|donné|mentionné|expliqué|répondu|écrit|cité|raconté|"
    r"indiqué|promis|demandé|envoyé|réservé|averti|prévenu|aidé|créé|rédigé|trouvé|choisi)e?s?"
)
# A participle right behind "as-tu": what was done, if it is not "did you see".
_FAIT: Final = (
    r"(?:(?:déjà|aussi|bien|pas|jamais) )?(?!vu|entendu|su|eu|lu|oublié|remarqué|été|aussi|ici)"
    r"\w{2,}(?:é|i|u|is|it|ert)e?s?\b"
)
_LATER_FRENCH: Final = (
    r"(?![^,?]{1,200}, (?:(?:à|de|dans|avec|chez|en|pour|par|sur) )?(?:(?:qu'|que|quoi|quels?|quelles?|comment|"
    r"pourquoi|combien|est-ce)\b[^,]*$|(?:qui |où )?[\w']{1,20}-(?:t-)?(?:ils?|elles?|on|je|tu|nous|vous)\b))"
)
"""Not the clause before the question: "quand j'étais à Rome, où ai-je dormi ?\""""
_DETTO: Final = (
    r"(?:detto|consigliat[oaie]|raccomandat[oaie]|suggerit[oaie]|propost[oaie]|dat[oaie]|spiegat[oaie]|"
    r"scritt[oaie]|menzionat[oaie]|indicat[oaie]|raccontat[oaie]|rispost[oaie]|promess[oaie]|chiest[oaie])"
)
# A participle right behind "hai": what was done, if it is not "did you see".
_FATTO: Final = (
    r"(?:(?:già|mai|anche) )?(?!tutt|molt|quest|vist|sentit|saput|notat|dimenticat|stess|avut|stat|lett)"
    r"\w{2,}(?:[aiu]t|ess|est|ott|itt|att|ett|ost|es|ert)[oaie]\b"
)

FRENCH: Final[Table] = (
    ("summary", r"\brésum|\brécapitul|\bvue d'ensemble\b|\bsynthèse\b", "asks for a summary"),
    (
        "order",
        r"\b(?:quel|dans l'|par|bon) ?ordre\b|chronologi|\bplus ancien(?:ne)? (?:au|à la) plus récente?\b",
        "asks for an order",
    ),
    (
        "order",
        r"\b(?:en premier|d'abord|plus tôt|plus tard|en dernier)\b.{0,200}\bou\b",
        "asks which of two came first",
    ),
    (
        "when",
        rf"\bquand\b{_LATER_FRENCH}|\bquels? (?:jour|mois)\b|\bquelle (?:date|année|semaine|heure)\b",
        "asks when",
    ),
    (
        "when",
        r"\bcombien de temps\b|\bcombien\b[^?]{0,40}\bdur(?:e|é|ent|ait|aient|era)\b|\bquel âge\b",
        "asks how long",
    ),
    (
        "when",
        r"\bcombien (?:de |d')(?:secondes|minutes|heures|jours|semaines|mois|années|ans)\b.{0,200}"
        r"\b(?:entre|depuis|avant|après|passés?|écoulée?s?|il y a|duré)\b|\bil y a combien\b",
        "asks for the time between events",
    ),
    # What one thing costs or weighs is told in one place.
    (
        "list",
        r"\bcombien (?:de |d')|\bcombien\b(?![^?]*\b(?:co[uû]t\w+|vaut|valait|p[eè]s\w+|mesur\w+|dur(?!ant\b)\w+)\b)"
        r"|\bau total\b",
        "counts",
    ),
    ("list", r"\bquel(?:le)?s\b", "asks for several things (a plural)"),
    (
        "list",
        r"\b(?:cite|énumère|liste|nomme)(?:z|-moi)? (?:moi )?(?:tou|les|mes|ses|des|deux|trois|quatre|cinq|\d)|"
        r"\btou(?:s|tes) (?:les|mes|ses|nos|leurs)\b",
        "asks for all",
    ),
    (
        "assistant",
        rf"\b(?:as-tu|avez-vous|aviez-vous|avais-tu|(?:tu|vous) (?:m'|nous |l'|les |me les? )?(?:as|avez|avais|aviez))"
        rf"\b.{{0,80}}\b{_DIT}\b|\b(?:as-tu|avez-vous) {_FAIT}|\b(?:m'|nous )(?:recommandais|conseillais|disais)-tu\b",
        "asks what the assistant did",
    ),
    (
        "assistant",
        r"\b(?:ta|tes|ton|votre|vos) (?:\w+ )?(?:réponse|suggestion|recommandation|conseil|explication|proposition)",
        "refers to the assistant's words",
    ),
    (
        "preference",
        r"\b(?:recommand|conseill)(?!é|ait|a\b|aient|èrent)|"
        r"\bdes (?:idées|conseils|suggestions|astuces)\b|\bune idée\b",
        "asks for advice",
    ),
    (
        "preference",
        r"\b(?:devrais|dois|pourrais|puis)-je\b|\bje (?:devrais|dois|pourrais|peux)\b.{0,200}\?|"
        r"\bqu(?:'est-ce que|oi|elles?|els?|el)\b.{0,40}\bje (?:devrais|dois|pourrais|peux) \w+(?:er|ir|re)\b|"
        r"\bdevrions-nous\b|"
        r"\baide-moi\b|\bm'aider\b",
        "asks what to do",
    ),
    (
        "preference",
        r"\b(?:me|lui|leur|nous) (?:plairai|conviendrai|irai)(?:en)?t\b",
        "asks what someone would like",
    ),
    (
        "update",
        r"\b(?:actuel(?:le)?s?|actuellement|maintenant|toujours|encore|en ce moment|ces temps-ci|plus récente?|"
        r"désormais|dernièrement)\b",
        "asks for what holds now",
    ),
    (
        "yes_no",
        r"^(?:\W*(?:et|mais|alors|dis-moi|dis)\b)*\W*est-ce qu|"
        r"^\W*(?:quand|lorsque|si|après que) [^,?]{1,200}, (?:est-ce qu|[\w']{1,20}-(?:t-)?(?:ils?|elles?|on|je)\b)|"
        r"^(?!\W*(?:qu'|(?:[\w']{1,10} )?(?:qui|que|quoi|où|comment|pourquoi|(?:le|la|les)?quel(?:le)?s?|quand|"
        r"combien)\b|(?:à|de|d'|avec|pour|dans|en|chez|sur|par)\b))"
        r"[\w' -]{0,60}\b\w+(?:-t)?-(?:ils?|elles?|on|ce|je)\b",
        "begins with a verb",
    ),
    (
        "yes_no",
        r"\b(?:sais|dis|dire|savoir|demande)(?:-moi)?\b.{0,20}\bs(?:i |'ils?\b)|\bou non\W*$",
        "asks whether",
    ),
)

ITALIAN: Final[Table] = (
    ("summary", r"\briassu|\briepilog|\bsintesi\b|\bpanoramica\b", "asks for a summary"),
    (
        "order",
        r"\b(?:che|quale|in|di|l') ?ordine\b|cronologic|\bpiù vecchi[oa] al(?:la)? più (?:recente|nuov[oa])\b",
        "asks for an order",
    ),
    (
        "order",
        r"\b(?:prima|per prim[oaie]|più tardi|dopo|per ultim[oaie])\b.{0,200}\bo\b",
        "asks which of two came first",
    ),
    (
        "when",
        # Not the clause before the question: "quando ero a Roma, dove dormivo?"
        r"\bquando\b(?![^,?]{1,200}, (?:(?:a|in|di|con|da|per) )?(?:che|cosa|chi|quale|quali|dove|come|perché|"
        r"quant[oaie])\b[^,]*$)|\b(?:che|quale) (?:giorno|data|mese|anno|settimana)\b|\b(?:a )?che ora\b",
        "asks when",
    ),
    (
        "when",
        r"\bquanto tempo\b|\bquanto (?:\w+ ){0,2}dur(?!ante\b)\w+|\bquanti anni (?:ha|hai|aveva|ho)\b",
        "asks how long",
    ),
    (
        "when",
        r"\bquant[ie] (?:secondi|minuti|ore|giorni|settimane|mesi|anni)\b.{0,200}"
        r"\b(?:fa|tra|fra|passat[ie]|trascors[ie]|da|dopo|prima)\b",
        "asks for the time between events",
    ),
    ("list", r"\bquant[ie]\b|\bquante volte\b|\bin totale\b", "counts"),
    (
        "list",
        r"\bquali\b|^\W*(?:(?:in|di|a|con|per) )?che \w{3,}i (?:ho|hai|ha|abbiamo|hanno|sono|erano)\b",
        "asks for several things (a plural)",
    ),
    (
        "list",
        r"\b(?:elenca|nomina|dimmi|cita)(?:mi)? (?:tutt|i|gli|le|due|tre|quattro|cinque|\d)|\btutt[ie] (?:i|le|gli)\b",
        "asks for all",
    ),
    (
        "assistant",
        rf"\b(?:hai|avevi|ha lei)\b.{{0,40}}\b{_DETTO}\b|\bhai {_FATTO}|"
        r"\b(?:dicesti|consigliasti|suggeristi|proponesti)\b",
        "asks what the assistant did",
    ),
    (
        "assistant",
        r"\b(?:tu[ao]|tue|tuoi) (?:\w+ )?(?:rispost|suggeriment|raccomandazion|consigli|spiegazion|propost)",
        "refers to the assistant's words",
    ),
    (
        "preference",
        r"\bconsigli(?!at|ò|av)|\braccomand(?!at|ò|av)|\bsugger(?!it|ì|iv)|\bqualche idea\b|\bidee per\b",
        "asks for advice",
    ),
    (
        "preference",
        r"\b(?:cosa|che|dove|come|quale|chi)\b.{0,40}\b(?:dovrei|devo|posso|potrei|dovremmo|mi conviene)\b|"
        r"\baiutami\b|\baiutarmi\b",
        "asks what to do",
    ),
    (
        "update",
        r"\b(?:attual[ie]|attualmente|adesso|ora|ancora|tuttora|in questo momento|ultimamente|più recent[ei])\b",
        "asks for what holds now",
    ),
    (
        "yes_no",
        r"^(?:\W*(?:e|ma|allora|quindi)\b)*\W*(?:è|sono|era|erano|ho|ha|hanno|aveva|avevano|abbiamo|sta|stanno|c'è|"
        r"c'era|ci sono|può|possono|deve|vuole|va|fa|vive|viveva|lavora|conosce|sa|gioca|mangia|beve|"
        r"(?:mi|ti|gli|le|ci|a \w+) piac\w+)(?=\W)",
        "begins with a verb",
    ),
    ("yes_no", r"\b(?:dimmi|sai|dirmi|sapere)\b.{0,20}\bse\b|\bo no\W*$", "asks whether"),
)
