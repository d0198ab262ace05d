"""Questions that ask for all of a time and for nothing else: "What happened last month?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from .names import FoundName
from .times import FoundTime
from .traditional import simplified
from .words import word_set

__all__ = ["asks_for_all_of_a_time"]

_LONGEST: Final = 500
"""Characters; whoever writes more asks for something in particular."""

_WORD: Final = re.compile(r"[^\W\d_]+")

_SAYS_NOTHING: Final = word_set(
    # English, with what apostrophes leave
    "what which who whom how tell me about show list give remind recap everything anything something all "
    "events event things thing stuff news new did do does doing done happen happened happens happening "
    "occur occurred go went going on up to take took taken place been be was were is are am has have had "
    "there talk talked talking discuss discussed speak spoke say said mention mentioned i we you they he "
    "she it my our your their us a an the of in at during for from and with between since that s t please "
    "can could would happend whats u lets summarise summarize summary sum overview review "
    "message messages chat chats conversation conversations memories entries write wrote written told or whole "
    "entire day "
    # German
    "was wer worüber ist sind war waren los passiert passierte geschehen geschah habe hast hat haben "
    "hatten ich wir du ihr er sie gemacht getan machte machten tat gesprochen geredet über erzähl mir von "
    "nachrichten gespräche geschrieben oder alles im am vom der die das den dem in und fasse fass zusammen "
    "zusammenfassung hab hatte hattest gesagt besprochen erlebt unternommen ging lief gelaufen abging wie "
    "worum es so ab mein meine "
    # French
    "que qu quoi qui est ce s c l a ai as ont avons avez je nous vous tu il elle ils passé passait fait "
    "messages écrit ou faisait parlé raconte moi de du des le la les en au et tout résume résumé "
    "j d y on eu faire étais était étaient comment dit mon ma mes notre nos "
    # Spanish
    "qué ha han hemos he pasó pasado ocurrió ocurrido sucedió hice hizo hicimos hicieron hablamos hablado "
    "mensajes escribí sobre de del el los las en y todo cuéntame yo resume resumen "
    "dije dijo dijimos cómo fue estuvo tal hecho mi mis nuestro nuestra "
    # Italian
    "che cosa cos è sono successo accaduto ho abbiamo hanno fatto parlato di del della il lo gli nel "
    "nella in e tutto raccontami riassumi riassunto com come andata andato detto noi si c mio mia "
    # Portuguese
    "o que aconteceu houve fiz fez fizemos fizeram falamos conversamos no na em os as e tudo resuma resumo "
    "eu nós você disse dissemos falei falou feito como foi teve rolou do da meu minha "
    # Dutch
    "wat is er gebeurd gebeurde heb heeft hebben we wij ik jij zij gedaan deed deden gepraat besproken over "
    "vertel mij alles het de in op van en vat samen samenvatting waarover "
    "waar gehad hoe gezegd zei zeiden allemaal zoal ging mijn "
    # Polish
    "co się stało działo wydarzyło zdarzyło robiłem robiłam robiliśmy robił robiła rozmawialiśmy o w we "
    "na i wszystko podsumuj podsumowanie czym było był była zrobiłem zrobiłam jak minął minęła poszło mówiłem mówiłam "
    "powiedziałem powiedziałam mówiliśmy mój moja "
    # Russian
    "что случилось произошло было происходило делал делала делали мы я ты вы он она они говорили "
    "обсуждали о об чём чем в во на и всё все сделал сделала сделали был была были как прошла прошло прошёл прошел "
    "прошли сказал сказала сказали говорил говорила мой моя мои "
    # Korean, whose particles are left of what a time or a name is written with
    "뭐 뭘 무엇 무엇을 무슨 했어 했지 했나 했나요 했어요 했는지 했더라 하고 있었어 있었지 있었나 있었나요 "
    "있었어요 있었던 있었는지 일 일이 일을 얘기 얘기를 이야기 이야기를 대화 말 말을 말했어 말했지 얘기했어 "
    "얘기했지 이야기했어 이야기했지 나눴어 나눴지 나 나는 난 내가 우리 우리가 우리는 에 에는 엔 의 은 는 이 "
    "가 동안 알려줘 알려 줘 주세요 말해줘 해줘 요약 요약해 요약해줘 정리 정리해 정리해줘 어땠어 어땠지 "
    "어땠나요 전부 모두 다 모든 "
)

# Chinese, then Japanese, whose words are not apart. None is a row of others, so that there is one way to read a text.
_UNSPACED: Final = re.compile(
    "(?:发生|什么|哪些|啥|事情?|情况|我们?|你们?|他们?|她们?|大家|做|干|说|谈|聊|讲|总结|一下|都|在|有|是|了|过|的|吗|呢|到|里|期间|些|嘛|得|怎么样|怎样|如何|"
    "何|なに|なん|が|を|は|に|で|の|も|か|あっ|あり|起き|起こっ|し|話|てい|て|どう|だっ|言い|言っ|まし|た|私(?:たち)?|僕|彼女?|みんな|全部)*"
)


def asks_for_all_of_a_time(question: str, times: Sequence[FoundTime], names: Sequence[FoundName]) -> bool:
    """Whether a question says nothing but a time, and perhaps a name: nothing in it tells one memory of that time from
    another.

    Args:
        times: those found in `question`.
        names: the names of people found there. Tags tell memories apart, so that a question with one asks for more.
    """
    if not times or len(question) > _LONGEST or any(name.source == "tag" for name in names):
        return False
    rest = list(question)
    # A name stands within words in Japanese.
    for start, end in (*(time.span for time in times), *(name.span for name in names)):
        rest[start:end] = " " * (end - start)
    own = {word.casefold() for name in names for word in _WORD.findall(name.text)}
    words = [word.casefold() for word in _WORD.findall(simplified("".join(rest)))]
    return all(word in _SAYS_NOTHING or word in own or _UNSPACED.fullmatch(word) for word in words)
