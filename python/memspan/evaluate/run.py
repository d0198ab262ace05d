"""Ingest, ask, score."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from inspect import signature
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import memspan.evaluate.reading
from memspan.arguments import as_integer, as_path, as_texts, is_listing
from memspan.embed.resolve import resolve_embedder
from memspan.errors import invalid
from memspan.formats.questions import DATA_SETS, LabelledFile, LabelledQuestion, read_labelled
from memspan.limits import MAX_K
from memspan.llm import LLMSpec, resolve_llm
from memspan.memory import Memory
from memspan.recall.context import Budget, checked_budget
from memspan.recipes import Recipe
from memspan.remember.embedding import EmbedderSpec
from memspan.remember.jobs.resolving import checked_recipe
from memspan.remember.progress import tracking
from memspan.remember.searching.recall import Recalls

from .answers import Answered
from .asker import Ask, Asker, Tracker, asked_users, file_name
from .construction import Construction, Making, construct, construction_of, summed, timed
from .evaluation import Evaluated, Evaluation
from .stores import default_directory, fill, opened_store, pending_users, store_path

if TYPE_CHECKING:
    from .reading.asking import AnsweredBy
    from .reading.memories import JudgedMemories
    from .reading.report import AnswerReport

__all__ = ["DEFAULT_KS", "Ask", "Tracker", "ask_memory", "evaluate"]

DEFAULT_KS = (1, 5, 10, 20, 50)
_OF_QUESTIONS: Final = ("self", "question", "user", "k", "now", "between")
"""Parameters of a search that each question has of its own."""
_OPTIONS: Final = tuple(name for name in signature(Memory.search).parameters if name not in _OF_QUESTIONS)

StrPath: TypeAlias = str | os.PathLike[str]


def ask_memory(memory: Memory, question: LabelledQuestion, k: int, options: Mapping[str, Any]) -> Recalls:
    """`Memory.search` with the question, its time, and nothing that came after it. It counts as no use: with
    `staleness`, answers would depend on what was asked before."""
    between = None if question.until is None else (None, question.until)
    told = {"track": False, **options}
    return memory.search(question.text, user=question.user, k=k, now=question.now, between=between, **told)


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
    reading: memspan.evaluate.reading.Reading | None = None,
    consolidate: bool = True,
) -> Evaluation:
    """Ask a memory the questions of a data set and score what comes back; see `memspan.evaluate`.

    All files are read and checked before anything is embedded. Conversations are ingested into stores below
    `store_dir`, where they stay: the next evaluation goes on from there, and asks all questions anew.

    Args:
        data_set: one of `DATA_SETS`.
        files: one file or several, each once; for BEAM each chat's `chat.json`.
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
        reading: who answers the questions. With `reader="read"` from the contexts, which need `tokens`. See
            `memspan.evaluate.reading`.
        consolidate: let the recipe's update in sleep run over the memories before they are asked about, if it has one
            (`lightmem`). The layout of the index is left alone in any case.

    Raises:
        InvalidArgumentError: an argument is not acceptable, or no file has a conversation of these users.
        FormatError: a file cannot be read; names file, path inside it and what is accepted.
        ModelNotFoundError, MissingExtraError: the model is not here.
        JobError: the recipe needs a language model and there is none.
    """
    depths = tuple(sorted({as_integer(k, "ks", 1, MAX_K) for k in ks})) if is_listing(ks) else ()
    if not depths:
        raise invalid("ks", ks, "a list of at least one depth")
    users = None if users is None else as_texts(users, "users")
    _check_options(options or {}, ask)
    if limit is not None:
        as_integer(limit, "limit", 1, 1 << 31)
    budget = None if _is_zero(tokens) else checked_budget(tokens)
    _check_reading(reading, budget, ask, options or {})
    chosen_recipe = checked_recipe(recipe)
    making = None
    if chosen_recipe.write:
        making = Making(recipe=chosen_recipe, llm=resolve_llm(llm), consolidate=consolidate)
    if isinstance(files, (str, os.PathLike)):
        files = [files]
    if data_set not in tuple(DATA_SETS):
        raise invalid("data_set", data_set, ", ".join(DATA_SETS))
    if not is_listing(files):
        raise invalid("files", files, "a path, or a list of paths")
    files = list(files)
    for path in files:
        as_path(path, "files")
    for number, target in enumerate(map(os.path.realpath, files)):
        if target in map(os.path.realpath, files[:number]):
            raise invalid("files", str(files[number]), "each file once, as its questions would count twice")
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
    judged: list[JudgedMemories] = []
    for file in chosen:
        taken.append(_taken(file, store_path(directory, file, resolved, making)))
        with opened_store(directory, file, resolved, making, chosen_recipe) as memory:
            undecided = _fill(memory, file, track, making)
            if making is not None:
                made.append(construction_of(memory, asked_users(file), taken[-1].turns, undecided))
            asker = Asker(memory, file, options or {}, ask, taken[-1].store)
            found += asker.retrieve(depths[-1], budget, track)
            if reading is not None:
                said += asker.read(reading, budget, track)
                if making is not None and (verdicts := asker.judge_memories(reading, track)) is not None:
                    judged.append(verdicts)
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
        if reading is None
        else _report(reading, data_set, categories, chosen_recipe, budget, taken, construction, said, judged),
    )


def _check_options(options: Any, ask: Ask) -> None:
    """Refuse options that the search would refuse after hours of ingesting; what a function of the caller's takes is
    its own affair."""
    if not isinstance(options, Mapping):
        raise invalid("options", options, "a mapping of options of Memory.search to their values")
    for name in options if ask is ask_memory else ():
        if name not in _OPTIONS:
            raise invalid("options", name, ", ".join(_OPTIONS))


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


def _check_reading(
    reading: memspan.evaluate.reading.Reading | None,
    budget: Budget | None,
    ask: Ask,
    options: Mapping[str, Any],
) -> None:
    if reading is None:
        return
    if reading.by_memory:
        from .reading.responding import check_options

        check_options(options)
        if ask is not ask_memory:
            raise invalid("ask", ask, "the default when Memory.ask answers; your own with reader 'read'")
    elif budget is None:
        raise invalid("tokens", 0, "the tokens of the contexts that are read, with reader 'read'")


def _fill(memory: Memory, file: LabelledFile, track: Tracker, making: Making | None) -> int:
    """Ingest what is not there yet, and make memories of it; returns how many of them sleep left undecided."""
    users = asked_users(file)
    if pending := pending_users(memory, file, users):
        total = sum(len(file.turns[user]) for user in pending)
        with track(f"{file_name(file)}: ingesting", total) as advance:
            if making is None:
                fill(memory, file, pending, advance)
            else:
                with timed(memory, pending):
                    fill(memory, file, pending, advance)
    if making is None:
        return 0
    with track(f"{file_name(file)}: processing", len(users)) as advance:
        return construct(memory, users, making, advance)


def _report(
    reading: memspan.evaluate.reading.Reading,
    data_set: str,
    categories: tuple[str, ...],
    recipe: Recipe,
    budget: Budget | None,
    taken: Sequence[Evaluated],
    construction: Construction | None,
    said: Sequence[AnsweredBy],
    judged: Sequence[JudgedMemories],
) -> AnswerReport:
    from .reading.report import AnswerReport

    if reading.by_memory:
        k, tokens = None, reading.tokens or recipe.read.tokens
    else:
        assert budget is not None
        k, tokens = budget.k, budget.tokens
    return AnswerReport(
        data_set=data_set,
        categories=categories,
        recipe=recipe.name,
        reader=reading.llm.model,
        judge=None if reading.judge is None else reading.judge.model,
        manner=reading.manner(data_set),
        asked_by=reading.reader if isinstance(reading.reader, str) else "own",
        plan=recipe.read.plan if reading.by_memory else "evaluate",
        k=k,
        tokens=tokens,
        users=sum(each.users for each in taken),
        construction=construction,
        answers=tuple(said),
        memories=reduce(add, judged) if judged else None,
    )


def _is_zero(tokens: Any) -> bool:
    return not isinstance(tokens, bool) and tokens == 0


def _taken(file: LabelledFile, store: Path) -> Evaluated:
    users = asked_users(file)
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
