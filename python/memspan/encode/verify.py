"""`Verify`: a question for each statement, and only what the dialogue answers is kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memspan.arguments import as_integer, as_number
from memspan.llm import Prompt
from memspan.llm.prompts import render

from .clean import clean_text
from .cover import alignment, deviations_of, turn_text
from .dialogue import Asked, Dialogue
from .event_time import SpokenTimes
from .grounding import time_metadata
from .kept_words import names_in
from .load import Load
from .merging import merge_same, united_sources
from .numbering import by_number, pick, scene_of, turn_lines
from .stage import Tools
from .taken import too_long
from .together import Room, ask_in_parts, in_batches, split_list, together
from .values import Statement, Work

if TYPE_CHECKING:
    from .replies.verify import Evidence

__all__ = ["Verify"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify:
    """Question every statement, and look for the answers in the dialogue (ProMem 3.4).

    For each statement the model asks what would show that it holds, without seeing the dialogue; then it answers from
    the dialogue, without seeing the statement. No answer: the statement is dropped, and the job's log keeps it with its
    question. An answer takes the statement's place, since it is closer to what was said; below the threshold it is a
    correction, and the log keeps what was there. A statement that the model passed over stays, marked
    `verified: false`; so does one for which not even its own turn fits into the model's context. Before that, turns far
    from the statement's own are left out until the dialogue fits. In the end the same statements are one; merely
    similar ones are not made one, because facts that exclude each other are as similar as paraphrases.
    """

    threshold: float = 0.8
    """Cosine above which an answer says the same as the statement (tau_sim)."""
    batch: int = 1
    """Statements in a call. The paper asks about each alone; with more, the dialogue is sent fewer times."""
    supported: float | None = None
    """Let statements pass unasked whose cosine with one of their own sources stands out by so many standard deviations
    from those of all of the job's turns and statements. `None`: question all of them, as the paper does."""

    def __post_init__(self) -> None:
        as_number(self.threshold, "threshold", -1, 1)
        as_integer(self.batch, "batch", 1, 1000)
        if self.supported is not None:
            as_number(self.supported, "supported", -100, 100)

    @property
    def name(self) -> str:
        """`verify`."""
        return "verify"

    def calls(self, load: Load) -> int:
        """Two for each batch of statements; fewer where some pass unasked."""
        return 2 * -(-load.statements // self.batch)

    async def run(self, work: Work, tools: Tools) -> Work:
        """The work with the statements that the dialogue supports; batches are asked about side by side.

        Raises:
            LLMError: a batch could not be verified; the answers for the others are kept.
        """
        if not work.statements or not work.turns:
            return work
        passed = await self._passed(work, tools)
        doubtful = tuple(one for place, one in enumerate(work.statements) if place not in passed)
        batches = in_batches(doubtful, self.batch)
        spoken, room = SpokenTimes(), Room(Dialogue.length)
        checked = await together(
            self._check(str(number), batch, work, tools, spoken, room) for number, batch in enumerate(batches)
        )
        pairs = [pair for some in checked for pair in some]
        after = {id(pair[0]): one for pair, one in zip(pairs, await self._merged(pairs, tools), strict=True)}
        if passed:
            tools.note("not questioned", statements=len(passed))
        # In their order: what has one time is to stay as it was said.
        kept = [one if place in passed else after.get(id(one)) for place, one in enumerate(work.statements)]
        held = [one for one in kept if one is not None]
        return replace(work, statements=merge_same(held, work.turns, tools))

    async def _passed(self, work: Work, tools: Tools) -> frozenset[int]:
        """The places of statements that their own sources support by alignment. O(turns x statements x dim)."""
        if self.supported is None:
            return frozenset()
        texts = [*map(turn_text, work.turns), *(one.text for one in work.statements)]
        scores = deviations_of(alignment(work.turns, work.statements, await tools.embed(texts)))
        if scores is None:
            return frozenset()
        rows = {turn.id: row for row, turn in enumerate(work.turns)}
        return frozenset(
            place
            for place, one in enumerate(work.statements)
            if any(scores[rows[id_], place] > self.supported for id_ in one.sources if id_ in rows)
        )

    async def _check(
        self,
        key: str,
        batch: tuple[Statement, ...],
        work: Work,
        tools: Tools,
        spoken: SpokenTimes,
        room: Room[Dialogue],
    ) -> list[tuple[Statement, Statement]]:
        """Statements that hold, each with what the dialogue makes of it."""
        from .replies.verify import EvidenceReply

        def prompt(part: Dialogue) -> Prompt:
            shown = (*part.history, *part.turns)
            lines = [
                {"n": number, "question": question} for number, (_, question) in enumerate(part.asked, 1)
            ]
            data = {
                "scene": scene_of(part.turns),
                "turns": turn_lines(shown, part.turns),
                "questions": lines,
            }
            return render("evidence", data=data)

        asked = await self._questions(f"{key}.question", batch, tools)
        whole = Dialogue(tuple(asked), work.turns, work.history)
        replies = await ask_in_parts(
            tools,
            f"{key}.evidence",
            whole,
            EvidenceReply,
            prompt,
            Dialogue.smaller,
            Dialogue.numbered,
            room,
        )
        found: dict[int, tuple[Evidence | None, Dialogue]] = {}
        for part, reply in replies:
            answers = by_number(reply.answers, len(part.asked))
            found |= {id(one): (answers.get(number), part) for number, one in enumerate(part.asked, 1)}
        held = []
        for one in asked:
            answer, part = found.get(id(one), (None, whole))
            after = self._judged(*one, answer, part, work, tools, spoken)
            if after is not None:
                held.append((one[0], after))
        return held

    async def _questions(self, key: str, batch: tuple[Statement, ...], tools: Tools) -> list[Asked]:
        from .replies.verify import QuestionReply

        def prompt(statements: tuple[Statement, ...]) -> Prompt:
            lines = [{"n": number, "statement": one.text} for number, one in enumerate(statements, 1)]
            return render("question", data={"statements": lines})

        replies = await ask_in_parts(tools, key, batch, QuestionReply, prompt, split_list, _texts)
        asked = []
        for statements, reply in replies:
            given = by_number(reply.questions, len(statements))
            for number, statement in enumerate(statements, 1):
                question = clean_text(given[number].question) if number in given else ""
                if not question:
                    tools.note("no question", statement=statement.text)
                    question = f"What in the conversation shows that this is so: {statement.text}"
                asked.append((statement, question))
        return asked

    def _judged(
        self,
        statement: Statement,
        question: str,
        answer: Evidence | None,
        part: Dialogue,
        work: Work,
        tools: Tools,
        spoken: SpokenTimes,
    ) -> Statement | None:
        """What the dialogue makes of a statement; `None` when it does not support it."""
        sources = list(statement.sources)
        if answer is None:
            tools.note("not verified", statement=statement.text, sources=sources, question=question)
            return replace(statement, metadata={**statement.metadata, "verified": False})
        cited, unknown = pick(part.turns, answer.turns)
        ids = [turn.id for turn in cited]
        if unknown:
            tools.note("unknown turns", statement=statement.text, numbers=unknown)
        text = clean_text(answer.statement)
        if too_long(text, tools):
            return replace(statement, metadata={**statement.metadata, "verified": False})
        if not answer.found or not text:
            tools.note(
                "dropped",
                reason="no evidence",
                statement=statement.text,
                sources=sources,
                question=question,
                evidence=clean_text(answer.reason) or text,
                turns=ids,
            )
            return None
        # What only the old wording names is not what this one is about.
        left_out = names_in(statement.entities, statement.text) - names_in(statement.entities, text)
        verified = replace(
            statement,
            text=text,
            entities=tuple(name for name in statement.entities if name not in left_out),
            sources=united_sources((statement.sources, ids), work.turns),
            stage=self.name,
        )
        if not clean_text(answer.timestamp) or not cited:
            return verified
        shown = (*part.history, *part.turns)
        at, flagged = time_metadata(answer.timestamp, cited, shown, text, tools, spoken)
        if flagged:
            return verified  # the time that it has was checked as well, and by more turns
        kept = {key: value for key, value in statement.metadata.items() if key != "time"}
        return replace(verified, at=at, metadata=kept)

    async def _merged(self, pairs: Sequence[tuple[Statement, Statement]], tools: Tools) -> list[Statement]:
        """What the dialogue says in place of the statements, corrections noted."""
        changed = [(before, after) for before, after in pairs if before.text != after.text]
        if changed:
            texts = [text for before, after in changed for text in (before.text, after.text)]
            vectors = await tools.embed(texts)
            for (before, after), score in zip(
                changed, (vectors[::2] * vectors[1::2]).sum(axis=1), strict=True
            ):
                if score <= self.threshold:
                    tools.note(
                        "corrected",
                        before=before.text,
                        after=after.text,
                        sources=list(after.sources),
                        similarity=round(float(score), 3),
                    )
        return [after for _, after in pairs]


def _texts(statements: Iterable[Statement]) -> list[str]:
    return [statement.text for statement in statements]
