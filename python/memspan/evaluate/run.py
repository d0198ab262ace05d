"""Ingest, ask, score."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

from memspan.arguments import as_integer
from memspan.embed.resolve import resolve_embedder
from memspan.errors import invalid
from memspan.formats.questions import DATA_SETS, LabelledFile, LabelledQuestion, read_labelled
from memspan.limits import MAX_K
from memspan.llm import LLMSpec, resolve_llm
from memspan.memory import Memory
from memspan.recall.context import Budget, checked_budget
from memspan.recipes import Recipe
from memspan.remember.contexts import context_of
from memspan.remember.embedding import EmbedderSpec
from memspan.remember.jobs.resolving import checked_recipe
from memspan.remember.progress import tracking
from memspan.remember.recall import Recalls

from .answers import Answered, answered
from .construction import Construction, Making, construct, construction_of, summed, timed
from .contexts import Held, held_by
from .evaluation import Evaluated, Evaluation
from .longmemeval import UserTurns
from .stores import Advance, default_directory, fill, opened_store, pending_users, store_path

if TYPE_CHECKING:
    from .reading.asking import AnsweredBy, Reading
    from .reading.report import AnswerReport

__all__ = ["DEFAULT_KS", "Ask", "Tracker", "ask_memory", "evaluate"]

DEFAULT_KS = (1, 5, 10, 20, 50)

StrPath: TypeAlias = "str | os.PathLike[str]"

Ask: TypeAlias = "Callable[[Memory, LabelledQuestion, int, Mapping[str, Any]], Recalls]"
"""How a question is asked: the memory, the question, k, and the options of `evaluate`."""

Tracker: TypeAlias = "Callable[[str, int], AbstractContextManager[Advance]]"
"""Starts a progress bar: what is done and how many steps it has; gives a function to call with steps done."""


def ask_memory(memory: Memory, question: LabelledQuestion, k: int, options: Mapping[str, Any]) -> Recalls:
    """`Memory.search` with the question, its time, and nothing that came after it."""
    between = None if question.until is None else (None, question.until)
    return memory.search(question.text, user=question.user, k=k, now=question.now, between=between, **options)


def evaluate(
    data_set: str,
    files: StrPath | Iterable[StrPath],
    *,
    ks: Sequence[int] = DEFAULT_KS,
    embedder: EmbedderSpec = None,
    store_dir: StrPath | None = None,
    users: Sequence[str] | None = None,
    limit: int | None = None,
    options: Mapping[str, Any] | None = None,
    ask: Ask = ask_memory,
    progress: bool | Tracker = False,
    tokens: int = 0,
    recipe: Recipe | str = "verbatim",
    llm: LLMSpec = None,
    reading: Reading | None = None,
) -> Evaluation:
    """Ask a memory the questions of a data set and score what comes back; see `memspan.evaluate`.

    All files are read and checked before anything is embedded. Conversations are ingested into stores below
    `store_dir`, where they stay: the next evaluation goes on from there.

    Args:
        data_set: one of `DATA_SETS`.
        files: one file or several; for BEAM each chat's `chat.json`.
        ks: the depths to score at; the largest is how many records each question asks for.
        embedder: as for `Memory`; `None` for the default model. What it made is kept, so that it needs a checksum: a
            plain function has none, `CallableEmbedder(function, checksum=...)` has.
        store_dir: by default `eval` below memspan's cache directory.
        users: only questions about these conversations; only these are ingested.
        limit: only the first so many of the questions.
        options: for `Memory.search`, such as `{"views": ["lexical"]}`.
        ask: how a question is asked, for code that tries out other ways.
        progress: show progress bars on standard error, or how to.
        tokens: make a context of so many tokens for every question, as `Memory.context` does, of what `ask` finds;
            0 for none. Questions are asked once more for it when the largest of `ks` is less than such a context
            looks at; no other figure changes, the times neither.
        recipe: what makes memories of the turns before they are asked about, as for `Memory`.
        llm: the model that it asks.
        reading: who answers the questions from the contexts; needs `tokens`. See `memspan.evaluate.reading`.

    Raises:
        InvalidArgumentError: an argument is not acceptable, or no file has a conversation of these users.
        FormatError: a file cannot be read; names file, path inside it and what is accepted.
        ModelNotFoundError, MissingExtraError: the model is not here.
        JobError: the recipe needs a language model and there is none.
    """
    depths = tuple(sorted({as_integer(k, "ks", 1, MAX_K) for k in ks}))
    if not depths:
        raise invalid("ks", ks, "at least one depth")
    if limit is not None:
        as_integer(limit, "limit", 1, 1 << 31)
    budget = None if _is_zero(tokens) else checked_budget(tokens)
    if reading is not None and budget is None:
        raise invalid("tokens", tokens, "the tokens of the contexts that are read, with a reader")
    chosen_recipe = checked_recipe(recipe)
    making = Making(recipe=chosen_recipe, llm=resolve_llm(llm)) if chosen_recipe.write else None
    if isinstance(files, (str, os.PathLike)):
        files = [files]
    if data_set not in DATA_SETS:
        raise invalid("data_set", data_set, ", ".join(DATA_SETS))
    chosen = list(_chosen([read_labelled(file, data_set) for file in files], users, limit))
    if not chosen:
        raise invalid("files", files, "at least one file")
    resolved = resolve_embedder(embedder)
    if not resolved.checksum:
        raise invalid(
            "embedder", resolved, "one with a checksum, as CallableEmbedder(function, checksum=...) is"
        )
    directory = default_directory() if store_dir is None else Path(store_dir)
    track = progress if callable(progress) else _bars(progress)
    found: list[Answered] = []
    taken: list[Evaluated] = []
    made: list[Construction] = []
    said: list[AnsweredBy] = []
    for file in chosen:
        taken.append(_taken(file, store_path(directory, file, resolved, making)))
        with opened_store(directory, file, resolved, making) as memory:
            _fill(memory, file, track, making)
            if making is not None:
                made.append(construction_of(memory, _asked_users(file), taken[-1].turns))
            asker = _Asker(memory, file, options or {}, ask, taken[-1].store)
            found += asker.retrieve(depths[-1], budget, track)
            if reading is not None and budget is not None:
                said += asker.read(reading, budget, track)
    named = {each.question.category for each in found}
    known = DATA_SETS[data_set].categories or sorted(named)
    categories = tuple(name for name in known if name in named)
    construction = summed(made)
    return Evaluation(
        data_set=data_set,
        unit=DATA_SETS[data_set].unit,
        categories=categories,
        ks=depths,
        embedder=resolved.name,
        options={name: _plain(value) for name, value in (options or {}).items()},
        files=tuple(taken),
        questions=tuple(found),
        tokens=0 if budget is None else budget.tokens,
        recipe=chosen_recipe.name,
        construction=construction,
        reading=None
        if reading is None or budget is None
        else _report(reading, data_set, categories, chosen_recipe.name, budget, taken, construction, said),
    )


def _chosen(
    files: Sequence[LabelledFile], users: Sequence[str] | None, limit: int | None
) -> Iterator[LabelledFile]:
    """The files with only those questions that are to be asked, as far as they have any."""
    if users is not None:
        known = dict.fromkeys(user for file in files for user in file.turns)
        unknown = [user for user in users if user not in known]
        if unknown or not users:
            raise invalid(
                "users", unknown[0] if unknown else users, "users of the files: " + ", ".join(known)
            )
    left = limit
    for file in files:
        questions = [each for each in file.questions if users is None or each.user in users][:left]
        if left is not None:
            left -= len(questions)
        if questions:
            yield replace(file, questions=tuple(questions))


def _fill(memory: Memory, file: LabelledFile, track: Tracker, making: Making | None) -> None:
    """Ingest what is not there yet, and make memories of it."""
    users = _asked_users(file)
    if pending := pending_users(memory, file, users):
        total = sum(len(file.turns[user]) for user in pending)
        with track(f"{_name(file)}: ingesting", total) as advance:
            if making is None:
                fill(memory, file, pending, advance)
            else:
                with timed(memory, pending):
                    fill(memory, file, pending, advance)
    if making is not None:
        with track(f"{_name(file)}: processing", len(users)) as advance:
            construct(memory, users, advance)


class _Asker:
    """Asks the questions of a file."""

    def __init__(
        self, memory: Memory, file: LabelledFile, options: Mapping[str, Any], ask: Ask, store: Path
    ) -> None:
        self._memory = memory
        self._file = file
        self._options = options
        self._ask = ask
        self._store = store

    def retrieve(self, k: int, budget: Budget | None, track: Tracker) -> list[Answered]:
        """What comes back for each question."""
        answers = []
        with track(f"{_name(self._file)}: asking", len(self._file.questions)) as advance:
            self._search(
                self._file.questions[0], k
            )  # Loads the model and maps the index, which is no search.
            for question in self._file.questions:
                recalls = self._search(question, k)
                answers.append(
                    answered(
                        question,
                        recalls,
                        unit=self._file.data_set.unit,
                        store=self._store,
                        user_turns=self._user_turns(question),
                        context=None if budget is None else self._held(question, recalls, k, budget),
                    )
                )
                advance(1)
        return answers

    def read(self, reading: Reading, budget: Budget, track: Tracker) -> list[AnsweredBy]:
        """What the reader answers."""
        from .reading.asking import Asked, answer_all

        def asked(question: LabelledQuestion) -> Asked:
            start = perf_counter()
            recalls = self._search(question, budget.k)
            context = context_of(self._memory._engine, question.text, question.user, recalls, budget)
            return Asked(question=question, context=context, seconds=perf_counter() - start)

        with track(f"{_name(self._file)}: answering", len(self._file.questions)) as advance:
            return answer_all(
                [asked(question) for question in self._file.questions],
                reading,
                data_set=self._file.data_set.name,
                store=self._store,
                advance=advance,
            )

    def _search(self, question: LabelledQuestion, k: int) -> Recalls:
        return self._ask(self._memory, question, k, self._options)

    def _held(self, question: LabelledQuestion, recalls: Recalls, k: int, budget: Budget) -> Held:
        found = recalls if k >= budget.k else self._search(question, budget.k)
        unit = self._file.data_set.unit
        return held_by(self._memory, question.text, question.user, found, budget, unit)

    def _user_turns(self, question: LabelledQuestion) -> UserTurns | None:
        """For LongMemEval, whose metrics rank all user turns: another search, as deep as the haystack."""
        if self._file.data_set.name != "longmemeval":
            return None
        turns = self._file.turns[question.user]
        everything = self._search(question, min(MAX_K, len(turns)))
        return UserTurns(
            tuple(recall.id for recall in everything if recall.record.speaker == "user"),
            frozenset(id_ for id_ in question.evidence if turns[id_].speaker == "user"),
            question.sessions,
        )


def _report(
    reading: Reading,
    data_set: str,
    categories: tuple[str, ...],
    recipe: str,
    budget: Budget,
    taken: Sequence[Evaluated],
    construction: Construction | None,
    said: Sequence[AnsweredBy],
) -> AnswerReport:
    from .reading.report import AnswerReport

    return AnswerReport(
        data_set=data_set,
        categories=categories,
        recipe=recipe,
        reader=reading.llm.model,
        judge=None if reading.judge is None else reading.judge.model,
        manner=reading.manner(data_set),
        k=budget.k,
        tokens=budget.tokens,
        users=sum(each.users for each in taken),
        construction=construction,
        answers=tuple(said),
    )


def _is_zero(tokens: Any) -> bool:
    return not isinstance(tokens, bool) and tokens == 0


def _asked_users(file: LabelledFile) -> list[str]:
    return list(dict.fromkeys(question.user for question in file.questions))


def _name(file: LabelledFile) -> str:
    """For progress bars: the conversation, or the file that holds several."""
    return next(iter(file.turns)) if len(file.turns) == 1 else file.path.name


def _taken(file: LabelledFile, store: Path) -> Evaluated:
    users = _asked_users(file)
    return Evaluated(
        path=file.path,
        users=len(users),
        turns=sum(len(file.turns[user]) for user in users),
        questions=len(file.questions),
        store=store,
    )


def _plain(value: Any) -> Any:
    """An option as JSON can have it."""
    return value if isinstance(value, (str, int, float, list, dict, type(None))) else repr(value)


def _bars(show: bool) -> Tracker:
    return lambda description, total: tracking(description, total, show)
