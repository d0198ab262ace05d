"""By what a German or a Dutch question is known to be of a kind."""

from __future__ import annotations

from typing import Final

from .table import Table

__all__ = ["DUTCH", "GERMAN"]

_GESAGT: Final = (
    r"(?:gesagt|erzählt|empfohlen|vorgeschlagen|geraten|erwähnt|erklärt|gegeben|genannt|geschrieben|gezeigt|"
    r"geantwortet|aufgelistet|berechnet|entworfen)"
)
_GEZEGD: Final = (
    r"(?:gezegd|verteld|aanbevolen|aangeraden|voorgesteld|genoemd|vermeld|uitgelegd|gegeven|geschreven|"
    r"geantwoord)"
)

# A participle ends its clause, and so do some nouns that look like one; who asks "hast du gesehen" asks for no deed.
_GETAN: Final = (
    r"(?!\w+ungen\b|gesehen|gehört|gewusst|vergessen|bemerkt|(?:ge(?:r|s|w|d)icht|bericht|geschäft|gehalt|gebiet|"
    r"gerät|gebet|geburt|gedanken|bedenken|verlust|beeren|geschenken|getränken|gerichten)\b)"
    r"(?:(?:\w{2,5})?ge\w{2,}(?:t|en)|(?:ver|be|er|ent|emp)\w{2,}(?:t|en)|\w{2,}iert)\W*?(?:$|[,.;?!])"
)
_GEDAAN: Final = (
    r"(?!\w+ingen\b|gezien|gehoord|geweten|vergeten|gemerkt|(?:ge(?:r|z|w|d)[ei]cht|bericht|gebied|gebed|beeld|"
    r"verstand|verband|gedachten|gevoelens|geschenken)\b)"
    r"(?:(?:\w{2,5})?ge\w{2,}(?:d|t|en)|(?:ver|be|ont|her)\w{2,}(?:d|t|en))\W*?(?:$|[,.;?!])"
)
# Both "welche" and "welke" stand before one thing as well: the noun tells. Of the German plurals in -e, which many
# nouns of the singular end in, common ones are known.
_PLURAL_OF_WELCHE: Final = (
    r"(?!(?:mutter|schwester|tochter|\w*nummer|oper|steuer|\w*feier|butter|leiter|dauer|mauer|schulter|kammer|feder|"
    r"ziffer|leber|praxis|basis|maus|über|unter|immer|aber)\b)"
    r"(?:\w{2,}(?:en|er|[a-rt-z]s)|\w*(?:filme|freunde|hunde|orte|projekte|spiele|termine|geschenke|instrumente|"
    r"pläne|tiere|gerichte|getränke|medikamente|konzerte|kurse|ziele|dinge|rezepte|städte|gäste|berufe|vereine|feste|"
    r"werke))\b"
)
_PLURAL_OF_WELKE: Final = (
    r"(?!(?:wagen|keuken|haven|jongen|molen|regen)\b)"
    r"(?:\w{2,}en|\w+'s|\w{2,}(?:ers|els|ies)|\w*(?:films|hotels|restaurants))\b"
)

GERMAN: Final[Table] = (
    ("summary", r"zusammenfass|\bfass\w*\b.{0,200}\bzusammen\b|\büberblick\b", "asks for a summary"),
    (
        "order",
        r"\breihenfolge\b|chronologisch|\bzeitstrahl\b|\bvom ältesten (?:bis )?zum (?:neuesten|jüngsten)\b",
        "asks for an order",
    ),
    (
        "order",
        r"\b(?:zuerst|als erste[rs]?|früher|eher|später|zuletzt)\b.{0,200}\boder\b|"
        r"\boder\b.{1,200}\b(?:zuerst|als erste[rs]?)\b",
        "asks which of two came first",
    ),
    (
        "when",
        r"\bwann\b|\bwelche[mnrs]? (?:tag|datum|monat|jahr|woche)\b|\bum wie ?viel uhr\b",
        "asks when",
    ),
    ("when", r"\bwie (?:lange|alt)\b|\bwie ?viel zeit\b", "asks how long"),
    (
        "when",
        r"\b(?:vor )?wie ?vielen? (?:sekunden|minuten|stunden|tagen?|wochen|monaten?|jahren?)\b.{0,200}"
        r"\b(?:vor|zwischen|vergangen|vergingen|seit|nach|bis|her|gedauert)\b|"
        r"\b(?:vor|seit) wie ?vielen (?:tagen|wochen|monaten|jahren)\b",
        "asks for the time between events",
    ),
    # What one thing costs or weighs is told in one place.
    (
        "list",
        r"\bwie ?viele\b|\bwie ?viel\b(?! uhr\b)(?![^?]*\b(?:kost\w+|gekostet|wert|wieg\w+|wog)\b)|"
        r"\bwie oft\b|\binsgesamt\b",
        "counts",
    ),
    (
        "list",
        rf"\bwelche {_PLURAL_OF_WELCHE}|\b(?:mit|von|aus|bei|zu|seit) welchen \w|"
        r"\bin welchen \w*(?:ern|städten|orten|hotels|restaurants)\b",
        "asks for several things (a plural)",
    ),
    (
        "list",
        r"\b(?:nenne?|liste|zähle?) (?:mir |bitte )*(?:alle|die|zwei|drei|vier|fünf|\d+)\b|"
        r"\balle[nr]? (?:meine|deine|seine|ihre|unsere)[nr]?\b|\bwas (?:sonst )?(?:noch )?alles\b",
        "asks for all",
    ),
    (
        "assistant",
        rf"\b(?:hast|hattest) du\b(?:.{{0,200}}\b{_GESAGT}\b|"
        rf"(?! (?:\w+ ){{0,2}}(?:tipps?|ideen?|vorschl[aä]ge?|empfehlung|ratschl[aä]ge?)\b)[^,.;?!]{{0,200}} {_GETAN})|"
        rf"\bdu (?:mir|uns)\b.{{0,200}}\b{_GESAGT}\b|"
        r"\b(?:sagtest|empfahlst|rietest|nanntest|erwähntest|erklärtest|gabst) du\b",
        "asks what the assistant did",
    ),
    (
        "assistant",
        r"\bdeine?[nmrs]? (?:\w+ )?(?:antwort|vorschlag|vorschläge|empfehlung|rat|ratschl[aä]g|erklärung|auskunft)",
        "refers to the assistant's words",
    ),
    (
        "preference",
        r"\bempfiehl(?:st)?\b|\bempfehl|\b(?:tipps?|ideen|vorschläge)\b.{0,40}\?|\btipps? (?:für|zum|zur|gegen)\b",
        "asks for advice",
    ),
    (
        "preference",
        r"\b(?:soll|sollte|könnte|kann|darf) ich\b|\bsoll(?:t?en) wir\b|\bhilf mir\b|\bmir helfen\b",
        "asks what to do",
    ),
    (
        "preference",
        r"\b(?:würde|könnte)n? (?:mir|uns|ihm|ihr|ihnen|\w+)\b.{0,80}\b(?:gefallen|passen|schmecken|mögen)\b",
        "asks what someone would like",
    ),
    (
        "update",
        r"\b(?:aktuell\w*|derzeit|zurzeit|momentan|mittlerweile|inzwischen|immer noch|noch immer|jetzt|"
        r"heutzutage|neueste[nrs]?)\b|"
        r"^\W*(?:wohnt|lebt|arbeitet|spielt|studiert|raucht|isst|trinkt) .{1,40}\bnoch\b"
        r"(?! (?:nie|nicht|mal|einmal|etwas|was)\b)",
        "asks for what holds now",
    ),
    (
        "yes_no",
        r"^(?:\W*(?:und|aber|also|nun)\b)*\W*(?:ist|sind|war|waren|bin|hat|haben|hatten?|habe?|wird|werden|wurden?|"
        r"würden?|kann|können|konnten?|könnten?|darf|dürfen|durften?|muss|müssen|mussten?|soll|sollen|sollten?|"
        r"will|wollen|wollten?|mag|mögen|mochten?|möchten?|gibt|gab|geht|ging|kennt|kannte|weiß|wohnt|wohnte|"
        r"lebt|lebte|isst|trinkt|spielt|arbeitet|besitzt|kam|kommt|fuhr|macht|machte|stimmt|spricht|liest)\b",
        "begins with a verb",
    ),
    ("yes_no", r"\bob (?:\w+ ){1,12}?\w+|\boder nicht\W*$|\bja oder nein\b", "asks whether"),
)

DUTCH: Final[Table] = (
    ("summary", r"samenvat|\bvat\b.{0,200}\bsamen\b|\boverzicht\b", "asks for a summary"),
    ("order", r"\bvolgorde\b|chronologisch|\btijdlijn\b|\bvan oud naar nieuw\b", "asks for an order"),
    (
        "order",
        r"\b(?:eerst|als eerste|eerder|later|het laatst)\b.{0,200}\bof\b",
        "asks which of two came first",
    ),
    (
        "when",
        # Not the clause before the question: "wanneer ik reis, welk hotel kies ik?"
        r"\bwanneer\b(?![^,?]{1,200}, (?:(?:in|met|bij|naar|van|op) )?(?:wat|welke?|wie|waar|hoe|hoeveel|waarom)\b"
        r"[^,]*$)|\bwelke (?:dag|datum|maand|week)\b|\bwelk jaar\b|\bhoe laat\b",
        "asks when",
    ),
    ("when", r"\bhoe ?(?:lang|oud)\b|\bhoeveel tijd\b", "asks how long"),
    (
        "when",
        r"\bhoeveel (?:seconden|minuten|uur|uren|dagen|weken|maanden|jaar|jaren)\b.{0,200}"
        r"\b(?:geleden|tussen|verstreken|sinds|voor|na|tot|duurde)\b",
        "asks for the time between events",
    ),
    (
        "list",
        r"\bhoeveel\b(?![^?]*\b(?:kost|kostte|gekost|waard|weegt|woog)\b)|\bhoe vaak\b|\bin totaal\b",
        "counts",
    ),
    ("list", rf"\bwelke {_PLURAL_OF_WELKE}", "asks for several things (a plural)"),
    (
        "list",
        r"\bnoem (?:mij |me |eens )*(?:alle|de|het|twee|drie|vier|vijf|\d+)\b|"
        r"\bal(?:le)? (?:mijn|zijn|haar|onze|hun)\b",
        "asks for all",
    ),
    (
        "assistant",
        rf"\b(?:heb|had) (?:je|jij|u)\b(?:.{{0,200}}\b{_GEZEGD}\b|"
        rf"(?! (?:\w+ ){{0,2}}(?:tips?|idee(?:ën)?|suggesties?|advies|aanbeveling)\b)[^,.;?!]{{0,200}} {_GEDAAN})|"
        rf"\b(?:je|jij|u) (?:me|mij|ons)\b.{{0,200}}\b{_GEZEGD}\b|"
        r"\b(?:zei|vertelde|noemde|raadde) (?:je|jij|u)\b",
        "asks what the assistant did",
    ),
    (
        "assistant",
        r"\b(?:je|jouw|uw) (?:vorige |laatste |eerdere )?(?:antwoord|suggestie|advies|aanbeveling|uitleg|voorstel)",
        "refers to the assistant's words",
    ),
    (
        "preference",
        r"\baanbe?v[ae]el|\baanbevelen|\baanra(?:den|ad)\b|\btips?\b"
        r"|\bidee(?:ën)? voor\b|\braad je\b|^\W*(?:raad|beveel)\b.{1,200}\baan\b",
        "asks for advice",
    ),
    (
        "preference",
        r"\b(?:moet|zal|kan|zou) ik\b|\b(?:moeten|zullen|zouden) we\b|\bhelp me\b|\bme helpen\b",
        "asks what to do",
    ),
    (
        "update",
        r"\b(?:momenteel|nu|nog steeds|tegenwoordig|huidige|op dit moment|inmiddels|nieuwste)\b",
        "asks for what holds now",
    ),
    (
        "yes_no",
        r"^(?:\W*(?:en|maar|dus)\b)*\W*(?:is|zijn|was|waren|ben|heeft|hebben|had|hadden|heb|wordt|worden|werd|"
        r"werden|zal|zou|zouden|kan|kunnen|kon|konden|mag|moet|moesten|moest|wil|wilde|gaat|ging|woont|woonde|"
        r"werkt|werkte|houdt|hield|vindt|vond|eet|kent|kende|weet|speelt|kwam|komt)\b(?! (?:je|jij|u)\b)",
        "begins with a verb",
    ),
    ("yes_no", r"\b(?:weet|vertel|zeg|vraag)\b.{0,40}\bof (?!niet)|\bof niet\W*$", "asks whether"),
)
