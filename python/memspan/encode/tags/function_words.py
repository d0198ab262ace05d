"""Words of other languages than English that are about nothing, by the language that a text seems to be in."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from memspan import _core
from memspan.recall.times.languages import LANGUAGES, lexicon_of

from .words import Word

__all__ = ["FunctionWords"]

_WORDS: Final = {
    "de": "aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist bitte da dabei dafür "
    "damit danach dann daran darauf darf das dass davon dazu dein deine dem den denn der des dich die dies diese "
    "diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einfach er es etwas euch "
    "für gab ganz geht genau gerade gern gerne gibt gut habe haben hast hat hatte hatten hier ich ihm ihn ihnen "
    "ihr ihre im immer in ins irgendwie ist ja jede jetzt kann kannst kein keine können könnte macht machen mal "
    "man mehr mein meine meinem meinen meiner mich mir mit möchte muss müssen nach nein nicht nichts noch nun nur "
    "ob oder ohne schon sehr sein seine seit sich sie sind so soll sollte sollten um und uns unser unsere unter "
    "viel viele vielleicht vom von vor wann war waren warum was weg weil weiß welche wenn wer werde werden wie "
    "wieder will wir wird wirklich wo wollte wurde wurden würde zu zum zur zwischen über",
    "fr": "ai aller alors après as assez au aucun aussi autre autres aux avait avant avec avez avoir avons beaucoup "
    "bien bon c'est ça car ce cela ces cet cette ceux chez comme comment d'accord dans de déjà depuis des deux "
    "donc dont du elle elles en encore est et étais était été être eu eux fait faire fais faut il ils j'ai je "
    "jamais juste la là le les leur leurs lui ma mais me même merci mes moi moins mon ne ni non nos notre nous on "
    "ont ou où oui par parce pas peu peut peux plus pour pourquoi puis qu'il quand que quel quelle quelque "
    "quelques qui quoi rien sa sais sans se sera ses si son sont sous suis sur ta te tes toi ton toujours tous "
    "tout toute toutes très trop tu un une va vais vers veut veux voilà vos votre vous vraiment y",
    "es": "a al algo algún alguna ahora ahí allí así aún aunque aquí bien bueno cada como cómo con cual cuando cuándo "
    "cuánto da de del desde donde dónde dos el él ella ellas ellos en entonces era eran es esa esas ese eso esos "
    "esta está están estar estas este esto estos estoy estaba fue fui gracias ha había hace hacer hago han has "
    "hasta hay he hemos iba ir la las le les lo los luego más me mi mis mientras mucha muchas mucho muchos muy "
    "nada ni no nos nosotros nuestra nuestro nunca o otra otras otro otros para pero poco por porque puede puedo "
    "pues que qué quién quiere quiero se ser si sí sido siempre sin sobre solo sólo son soy su sus también tan "
    "tanto te tener tengo ti tiene tienen toda todas todo todos tu tus un una unas uno unos va vamos voy y ya yo",
    "it": "a ad al alla alle allora anche ancora avere aveva bene c'è che chi ci cioè come con cosa così da dai dal "
    "dalla degli dei del della delle di dopo dove due e è ed era erano essere fa fare faccio fatto fino forse già "
    "gli grazie ha hai hanno ho i il in io la le lei li lo loro lui ma mai me mi mia mie miei mio molta molte "
    "molti molto ne nel nella nelle nessun niente noi non nostra nostro o ogni oggi per perché però più po' poco "
    "poi possiamo può posso prima proprio qualche quale quali quando quanto quasi quella quelle quello questa "
    "queste questi questo qui sarà se sei sempre senza si sia siamo solo sono sopra sta stato sto su sua sue suo "
    "sul sulla te ti tra tu tua tuo tutta tutte tutti tutto un una uno va vado voglio voi vuole",
    "pt": "a agora ah ainda algo alguma algum ali ao aos aqui as assim até bem cada com como da das de dela dele deles "
    "depois dessa desse desta deste do dois dos e é ela elas ele eles em então entre era eram essa esse esta está "
    "estão estar estava estou eu faz fazer faço foi foram fui há isso isto já lá lhe mais mas me mesmo meu meus "
    "minha minhas muita muito muitos na nada não nas nem nenhum no nos nós nossa nosso nunca o obrigado obrigada "
    "onde os ou outra outro outros para pela pelo pode pois por porque posso pouco pra qual quando quanto que "
    "quem quer quero se sem sempre ser seu seus si sim só sobre sou sua suas também tanto te tem têm tenho ter "
    "tinha toda todas todo todos tudo um uma umas uns vai vamos você vocês vou",
    "nl": "aan achter al alle alleen alles als altijd beetje ben bij bijna bent dan dat de deze die dit doe doen dus "
    "een echt en er erg even gaan gaat ga geen goed haar had hadden heb hebben hebt heeft heel hem hen het hier "
    "hij hoe hun iets ik in is ja je jij jouw jullie kan kunnen kunt maar maken mag me mee meer men met mij mijn "
    "misschien moet moeten na naar nee niet niets nog nooit nu of om omdat ons onze ook op over precies te tegen "
    "toch toen tot uit van veel voor waar waarom want waren was wat we weer wel welke werd wie wij wil wilde "
    "worden wordt zal ze zei zeker zelf zich zij zijn zo zonder zou zouden",
    "pl": "a albo ale aż bardzo bez bo by być był była było byli chcę chyba ci co coś czy dla do gdy gdzie go i ich "
    "ile im inne inny ja jak jaki jako jakoś je jego jej jemu jest jestem jeszcze jeśli już każdy kiedy kto która "
    "które który którzy ku lub ma mam mamy mają mi mnie moja moje może mogę można mój mu musi muszę my na nad nam "
    "nas nasz nawet nic nich nie niej niego niż no o od on ona one oni ono oraz pod po ponieważ potem przed przez "
    "przy raczej się siebie są sobie swoje ta tak także tam te tego tej ten teraz też to tobie tu tutaj tych "
    "tylko tym ty u w wam was we więc właśnie wszystkie wszystko z za zawsze ze że",
    "ru": "а без более больше будет будто бы был была были было быть в вам вас ведь весь во вот все всё всего всегда "
    "вы где да даже для до его ее её ей ему если есть еще ещё же за зачем здесь и из или им их к как какая какой "
    "когда конечно кто ли либо лучше между меня мне много может можно мой моя мы на над надо нам нас наш не него "
    "нее нет нибудь никогда ним них ничего но ну нужно о об один он она они оно опять от очень перед по под после "
    "потом потому почему почти при про просто раз разве с сам свою своё себе себя сейчас со совсем так также "
    "такой там тебе тебя тем теперь то тоже только том тот тут ты у уж уже хорошо хочу хоть чего чем через что "
    "чтобы чуть эта эти это этого этой этом этот эту я",
    "hi": "अब अभी आप इस इसे उस उसे एक ऐसा और कब कर करना करने कहा का कि किया की कुछ के को कोई कौन क्या क्यों गई गए गया "
    "जब जा जाना जो तक तब तो था थी थे दिया नहीं ने पर फिर बहुत भी में मुझे मेरा मेरी मेरे मैं मैंने यह यहाँ या रहा "
    "रही रहे लिए वह वहाँ वो सब साथ से ही हुआ हुई हुए हूँ है हैं हो होता होती होना",
}


_TIMES: Final = frozenset(["month", "weekday", "unit", "offset", "number", "last", "next", "this", "ago"])
"""Kinds of words of time that are no topic."""
_LANGUAGES: Final[dict[str, tuple[str, ...]]] = {}
"""The languages that a word is a function word of."""
for _language, _words in _WORDS.items():
    for _word in dict.fromkeys(_words.split()):
        _LANGUAGES[_word] = (*_LANGUAGES.get(_word, ()), _language)


class FunctionWords:
    """Takes them out of the turns of one user. What it has seen goes with it."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[str, ...], bool]] = {}

    def taken_out(
        self, words: Sequence[Word], language: str | None, but: Collection[str] = ()
    ) -> Sequence[Word]:
        """The words of a turn without those of its language that are about nothing or tell a time, with a gap in
        their place. O(words).

        Args:
            language: as `language_of` says; of `None` all words stay.
            but: words that stay.
        """
        if language is None:
            return words
        times = lexicon_of(language).words if language in LANGUAGES else {}
        kept: list[Word] = []
        gap = False
        for word in words:
            time = times.get(word.folded, ("", None))[0]
            empty = language in _LANGUAGES.get(word.folded, ()) or time in _TIMES
            if empty and word.text not in but:
                gap = True
                continue
            kept.append(word._replace(joined=False) if gap and word.joined else word)
            gap = False
        return kept

    def language_of(self, words: Sequence[Word]) -> str | None:
        """The language of most function words; `None` where a turn holds none, or English has as many. O(words)."""
        votes: dict[str, int] = {}
        english = 0
        known = self._known
        for word in words:
            folded = word.folded
            languages, is_english = known.get(folded) or self._read(folded)
            if languages:  # of few words
                for language in languages:
                    votes[language] = votes.get(language, 0) + 1
            english += is_english
        if not votes:
            return None
        language, most = max(votes.items(), key=lambda vote: vote[1])
        return language if most > english else None

    def _read(self, folded: str) -> tuple[tuple[str, ...], bool]:
        """The other languages that a word is a function word of, and whether it is one of English."""
        is_english = folded.isascii() and not _core.analyze(folded, "english")
        found = self._known[folded] = _LANGUAGES.get(folded, ()), is_english
        return found
