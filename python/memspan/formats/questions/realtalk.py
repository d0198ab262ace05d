"""Questions of REALTALK: `qa` of the chat. Categories: 1 multi-hop, 2 temporal, 3 commonsense."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..fields import each_object
from ..format import Request
from ..select import one_chat
from ..source import Item
from .labelled import DataSet, LabelledQuestion, Turns
from .qa import read_qa

__all__ = ["REALTALK"]

_CATEGORIES = ("multi-hop", "temporal", "commonsense")


def _read(items: Iterable[Item], request: Request, turns: Turns) -> Iterator[LabelledQuestion]:
    for place, chat in one_chat(each_object(items)):
        for user in turns:
            yield from read_qa(chat, place, user=user, turns=turns[user], categories=_CATEGORIES)


REALTALK = DataSet("realtalk", "turn", _CATEGORIES, _read)
