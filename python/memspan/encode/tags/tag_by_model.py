"""`TagByModel`: tags and their hierarchy, as a language model sees them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memspan.arguments import as_choice, as_integer
from memspan.encode.cover import turn_text
from memspan.encode.load import Load
from memspan.encode.numbering import by_number
from memspan.encode.stage import Tools
from memspan.encode.together import ask_in_parts, in_batches, split_list, together
from memspan.encode.values import Statement, Turn, Work
from memspan.errors import LLMError, ModelAccessError, invalid
from memspan.limits import MAX_TAGS
from memspan.llm import Prompt
from memspan.llm.prompts import render

from .nearest_tags import nearest_tags
from .tag_names import Hierarchy, tag_name

if TYPE_CHECKING:
    from memspan.encode.replies.tag import Tagged

__all__ = ["TagByModel"]

_TARGETS: Final = ("turns", "statements")
_BETWEEN: Final = re.compile(r"[,;\uff0c\uff1b\u3001]\s*")
"""Tags that a model writes as one."""


class _Item(NamedTuple):
    """What gets tags: an episode of turns, or a statement."""

    line: dict[str, Any]
    """As the model sees it, but for its number."""
    text: str
    """As it is embedded."""


class _Found(NamedTuple):
    tags: tuple[str, ...] = ()
    relations: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TagByModel:
    """Ask a model for three to eight tags of each episode and for what is broader than what (SwiftMem 3.2.1, A.1).

    Tags are brought to the core's normal form; generic ones and phrases of more than three words are left out. The
    user's most used tags are offered to the model, so that it uses the same word again. A relation must be about a tag
    of its own episode, and one that would close a cycle is refused. Where the model fails, the existing tags that are
    nearest by embedding are used, without relations; where nobody answers, or the key is refused, the job waits.
    """

    target: str = "turns"
    """`turns`: episodes of turns, whose own records get the tags; `statements`: what earlier stages made."""
    episode: int = 2
    """Turns in an episode: what one says and the other answers (SwiftMem 3.1.1)."""
    batch: int = 1
    """Episodes or statements in a call. The paper asks about each episode alone."""
    most: int = 8
    """Tags for each, at most."""
    fewest: int = 3
    """Tags for each, as the model is told; fewer are accepted, and none."""
    vocabulary: int = 100
    """Existing tags that are offered."""
    wave: int = 8
    """Calls side by side. The next ones are offered the tags that these gave."""
    nearest: int = 3
    """Tags for each where the model fails."""

    def __post_init__(self) -> None:
        as_choice(self.target, "target", _TARGETS)
        as_integer(self.episode, "episode", 1, 1000)
        as_integer(self.batch, "batch", 1, 1000)
        as_integer(self.most, "most", 1, MAX_TAGS)
        as_integer(self.fewest, "fewest", 0, MAX_TAGS)
        as_integer(self.vocabulary, "vocabulary", 0, 10_000)
        as_integer(self.wave, "wave", 1, 1000)
        as_integer(self.nearest, "nearest", 0, MAX_TAGS)
        if self.fewest > self.most:
            raise invalid("fewest", self.fewest, f"at most `most`, {self.most}")

    @property
    def name(self) -> str:
        """`tag`."""
        return "tag"

    def calls(self, load: Load) -> int:
        """One for each batch of episodes or statements."""
        items = -(-load.turns // self.episode) if self.target == "turns" else load.statements
        return -(-items // self.batch)

    async def run(self, work: Work, tools: Tools) -> Work:
        """The work with tags on its turns or statements, and with relations.

        Raises:
            LLMError: there was no answer in any attempt (`unanswered`), or no access; the answers for others are kept.
        """
        episodes = in_batches(work.turns, self.episode)
        if self.target == "turns":
            found, relations = await self._find([_episode(turns) for turns in episodes], work, tools)
            tags = dict(work.turn_tags)
            for turns, chosen in zip(episodes, found, strict=True):
                for turn in turns:
                    tags[turn.id] = _together(tags.get(turn.id, ()), chosen)
            return replace(work, turn_tags=tags, relations=relations)
        found, relations = await self._find([_statement(one) for one in work.statements], work, tools)
        statements = tuple(
            replace(one, tags=_together(one.tags, chosen))
            for one, chosen in zip(work.statements, found, strict=True)
        )
        return replace(work, statements=statements, relations=relations)

    async def _find(
        self, items: Sequence[_Item], work: Work, tools: Tools
    ) -> tuple[list[tuple[str, ...]], tuple[tuple[str, str], ...]]:
        """The tags of each item, and the relations of the work with those between them."""
        hierarchy = Hierarchy()
        hierarchy.add_all(work.relations)
        known = dict.fromkeys(await tools.tags()) if items else {}
        batches = in_batches(items, self.batch)
        found: list[_Found] = []
        for first in range(0, len(batches), self.wave):
            existing = tuple(known)
            numbered = list(enumerate(batches))[first : first + self.wave]
            wave = await together(
                self._ask(str(number), batch, existing, tools) for number, batch in numbered
            )
            for one in (one for some in wave for one in some):
                found.append(one)
                # What was just used comes first: the talk goes on about it.
                known = dict.fromkeys((*one.tags, *known))
                for parent, child in one.relations:
                    if not hierarchy.add(parent, child):
                        tools.note("dropped", reason="cycle of tags", parent=parent, child=child)
        return [one.tags for one in found], hierarchy.relations

    async def _ask(
        self,
        key: str,
        batch: tuple[_Item, ...],
        existing: Sequence[str],
        tools: Tools,
    ) -> list[_Found]:
        from memspan.encode.replies.tag import TagReply

        def prompt(items: tuple[_Item, ...]) -> Prompt:
            lines = [{"n": number, **item.line} for number, item in enumerate(items, 1)]
            return render(
                "tag",
                settings={"fewest": self.fewest, "most": self.most},
                data={"vocabulary": existing[: self.vocabulary], "items": lines},
            )

        try:
            replies = await ask_in_parts(tools, key, batch, TagReply, prompt, split_list, _texts)
        except LLMError as error:
            if error.unanswered or isinstance(error, ModelAccessError):
                raise  # all would get such tags, and nobody would be asked again
            tools.note("nearest tags instead", key=key, reason=str(error))
            chosen = await nearest_tags([item.text for item in batch], existing, self.nearest, tools)
            return [_Found(tags) for tags in chosen]
        found = []
        for items, reply in replies:
            answers = by_number(reply.items, len(items))
            found += [self._read(answers.get(number), tools) for number in range(1, len(items) + 1)]
        return found

    def _read(self, answer: Tagged | None, tools: Tools) -> _Found:
        """The tags and relations of one item that can be used."""
        if answer is None:
            return _Found()
        given = [part for written in answer.tags for part in _BETWEEN.split(written)]
        names = dict.fromkeys(map(tag_name, given))
        tags = tuple(name for name in names if name is not None)[: self.most]
        refused = [written for written in given if tag_name(written) is None]
        if refused:
            tools.note("dropped", reason="no usable tag", tags=refused)
        relations = []
        for relation in answer.relations:
            parent, child = tag_name(relation.parent), tag_name(relation.child)
            if parent is None or child not in tags or parent == child:
                tools.note(
                    "dropped", reason="no usable relation", parent=relation.parent, child=relation.child
                )
            else:
                relations.append((parent, child))
        return _Found(tags, tuple(relations))


def _texts(items: Sequence[_Item]) -> list[str]:
    return [item.text for item in items]


def _episode(turns: Sequence[Turn]) -> _Item:
    lines = [{"speaker": turn.speaker, "text": turn.text} for turn in turns]
    return _Item({"turns": lines}, "\n".join(turn_text(turn) for turn in turns))


def _statement(statement: Statement) -> _Item:
    return _Item({"statement": statement.text}, statement.text)


def _together(there: Sequence[str], chosen: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*there, *chosen)))[:MAX_TAGS]
