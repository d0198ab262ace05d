"""By what a Polish or a Russian question is known to be of a kind."""

from __future__ import annotations

from typing import Final

from .table import Table

__all__ = ["POLISH", "RUSSIAN"]

POLISH: Final[Table] = (
    ("summary", r"\bpodsum|\bstreść|\bstreszcz", "asks for a summary"),
    ("order", r"\bkolejno[śs]|chronologiczn|\boś czasu\b", "asks for an order"),
    (
        "order",
        r"\b(?:najpierw|pierwsz\w+|wcześniej|później)\b.{0,200}\bczy\b",
        "asks which of two came first",
    ),
    (
        "when",
        r"\bkiedy\b|\b(?:którego|jakiego) (?:dnia|roku|miesiąca|czasu)\b"
        r"|\bw (?:którym|jakim) (?:roku|miesiącu|tygodniu)\b|\bo której\b",
        "asks when",
    ),
    (
        "when",
        r"\bjak długo\b|\bile czasu\b|\bile\b[^?]{0,40}\btrwa\w*"
        r"|\bile (?:\w+ )?(?:ma|mam|miał|miała) lat\b|\bile lat ma\b",
        "asks how long",
    ),
    (
        "when",
        r"\bile (?:sekund|minut|godzin|dni|tygodni|miesięcy|lat)\b.{0,200}"
        r"\b(?:temu|minęło|upłynęło|między|pomiędzy|od|przed|po|do|trwał\w*)\b",
        "asks for the time between events",
    ),
    # What one thing costs or weighs is told in one place.
    ("list", r"\bile\b(?![^?]*\b(?:koszt\w+|waży\w*|trwa\w*)\b)|\bjak często\b|\błącznie\b", "counts"),
    # "Które" stands before one thing, too, but then that does not end so.
    (
        "list",
        r"\b(?:jakie|które) (?:\w+e )?\w{2,}[yi]\b|\b(?:jacy|którzy)\b",
        "asks for several things (a plural)",
    ),
    ("list", r"\bwymień\b|\bwszystki(?:e|ch|mi)\b", "asks for all"),
    (
        "assistant",
        r"\b(?!widzia|słysza|wiedzia|zapomnia|zauważy|by|zna)\w{2,}ł[ea]ś\b",
        "asks what the assistant did",
    ),
    (
        "assistant",
        r"\btw(?:oj|ój)\w* (?:\w+ )?(?:odpowied|rad[ayęz]|propozycj|sugesti|poleceni|wyjaśnieni)",
        "refers to the assistant's words",
    ),
    (
        "preference",
        r"\bpolec(?!i[łl]|on|ał)|\bpoleć|\bdorad[źz](?!ił|on)|\bjakieś (?:pomysły|rady|propozycje)\b",
        "asks for advice",
    ),
    (
        "preference",
        r"\b(?:powinienem|powinnam|powinniśmy|mógłbym|mogłabym)\b|\bpomóż mi\b",
        "asks what to do",
    ),
    (
        "update",
        r"\b(?:obecnie|obecn[yaie]|teraz|wciąż|nadal|jeszcze|aktualn[iya]e?|ostatnio)\b",
        "asks for what holds now",
    ),
    ("yes_no", r"^(?:\W*(?:a|i|ale)\b)*\W*czy\b|,\s*czy\b", "asks whether"),
)

RUSSIAN: Final[Table] = (
    ("summary", r"подведи итог|кратко|резюм|обобщи|краткое содержание", "asks for a summary"),
    ("order", r"\bпорядк|хронологи", "asks for an order"),
    (
        "order",
        r"\b(?:сначала|раньше|перв(?:ым|ой|ое|ая|ый)|позже|позднее)\b.{0,200}\bили\b",
        "asks which of two came first",
    ),
    (
        "when",
        r"\bкогда\b|\bкакого (?:числа|времени|года|месяца)\b|\bкаких пор\b"
        r"|\bкакому (?:числу|сроку|времени)\b|\bв как(?:ой|ом) (?:день|году|месяце|неделе)\b|\bво сколько\b",
        "asks when",
    ),
    (
        "when",
        r"\bкак долго\b|\bсколько\b[^?]{0,40}\b(?:дли(?!н)|продолжал)\w+"
        r"|\bсколько (?:времени|ш(?:ёл|ел|ла|ло|ли)\b|\w+ лет\W*$|лет (?!назад))",
        "asks how long",
    ),
    (
        "when",
        r"\bсколько (?:секунд|минут|часов|дней|недель|месяцев|лет)\b.{0,200}"
        r"\b(?:назад|прошло|между|с|до|после|длил\w+)\b",
        "asks for the time between events",
    ),
    (
        "list",
        r"\bсколько\b(?! ш(?:ёл|ел|ла|ло|ли)\b)(?![^?]*\b(?:стои\w+|весит\w*|дли(?!н)\w+)\b)|\bкак часто\b|\bвсего\b",
        "counts",
    ),
    ("list", r"\bкакие\b", "asks for several things (a plural)"),
    ("list", r"\b(?:перечисли|назови)\b|\bвсе (?:мои|твои|его|её|их|наши)\b", "asks for all"),
    (
        "assistant",
        r"\b(?:ты|вы)\b.{0,40}\b(?:посоветовал|рекомендовал|порекомендовал|сказал|говорил|предложил|предлагал|упоминал|"
        r"упомянул|объяснил|дал|написал|назвал|советовал|ответил)[аи]?\b|"
        r"\b(?:ты|вы)(?: (?:мне|нам|меня|нас|уже|не))* (?!виде|слыша|зна|помни|забы|замети|бы|если)\w{2,}л[аи]?\b",
        "asks what the assistant did",
    ),
    (
        "assistant",
        r"\bтво(?:й|я|и|ё|его|ей|их|ю) (?:\w+ )?(?:ответ|совет|предложени|рекомендаци|объяснени)",
        "refers to the assistant's words",
    ),
    (
        "preference",
        r"\b(?:по)?совету[йе]|\b(?:по)?рекоменду[йе]|посовет(?!овал)|порекоменд(?!овал)|\bесть идеи\b",
        "asks for advice",
    ),
    (
        "preference",
        r"\b(?:что|как|куда|где|какой|какую|какое)\b(?: \w+)? (?:мне|нам)\b|\bпомоги\b",
        "asks what to do",
    ),
    (
        "update",
        r"\b(?:сейчас|теперь|ещё|по-прежнему|нынешн\w+|текущ\w+|сегодня)\b",
        "asks for what holds now",
    ),
    ("yes_no", r"\bли\b|^\W*(?:разве|неужели|правда)\b", "asks whether"),
)
