"""Ingest, ask, score."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from memspan.arguments import as_integer
from memspan.embed.protocol import Embedder
from memspan.embed.resolve import resolve_embedder
from memspan.errors import invalid
from memspan.formats.questions import DATA_SETS, LabelledFile, LabelledQuestion, read_labelled
from memspan.limits import MAX_K
from memspan.memory import Memory
from memspan.recall.context import Budget, checked_budget
from memspan.remember.embedding import EmbedderSpec
from memspan.remember.progress import tracking
from memspan.remember.recall import Recalls

from .answers import Answered, answered
from .contexts import Held, held_by
from .evaluation import Evaluated, Evaluation
from .longmemeval import UserTurns
from .stores import Advance, default_directory, fill, opened_store, pending_users, store_path

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

    Raises:
        InvalidArgumentError: an argument is not acceptable, or no file has a conversation of these users.
        FormatError: a file cannot be read; names file, path inside it and what is accepted.
        ModelNotFoundError, MissingExtraError: the model is not here.
    """
    depths = tuple(sorted({as_integer(k, "ks", 1, MAX_K) for k in ks}))
    if not depths:
        raise invalid("ks", ks, "at least one depth")
    if limit is not None:
        as_integer(limit, "limit", 1, 1 << 31)
    budget = None if _is_zero(tokens) else checked_budget(tokens)
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
    for file in chosen:
        answers = _ask_file(file, directory, resolved, depths[-1], options or {}, ask, track, budget)
        found += answers
        taken.append(_taken(file, store_path(directory, file, resolved)))
    named = {each.question.category for each in found}
    known = DATA_SETS[data_set].categories or sorted(named)
    return Evaluation(
        data_set=data_set,
        unit=DATA_SETS[data_set].unit,
        categories=tuple(name for name in known if name in named),
        ks=depths,
        embedder=resolved.name,
        options={name: _plain(value) for name, value in (options or {}).items()},
        files=tuple(taken),
        questions=tuple(found),
        tokens=0 if budget is None else budget.tokens,
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


def _ask_file(
    file: LabelledFile,
    directory: Path,
    embedder: Embedder,
    k: int,
    options: Mapping[str, Any],
    ask: Ask,
    track: Tracker,
    budget: Budget | None,
) -> list[Answered]:
    store = store_path(directory, file, embedder)
    answers = []
    with opened_store(directory, file, embedder) as memory:

        def in_context(question: LabelledQuestion, recalls: Recalls, budget: Budget) -> Held:
            found = recalls if k >= budget.k else ask(memory, question, budget.k, options)
            return held_by(memory, question.text, question.user, found, budget, file.data_set.unit)

        pending = pending_users(memory, file, _asked_users(file))
        if pending:
            with track(
                f"{_name(file)}: ingesting", sum(len(file.turns[user]) for user in pending)
            ) as advance:
                fill(memory, file, pending, advance)
        with track(f"{_name(file)}: asking", len(file.questions)) as advance:
            ask(
                memory, file.questions[0], k, options
            )  # Loads the model and maps the index, which is no search.
            for question in file.questions:
                recalls = ask(memory, question, k, options)
                user_turns = _user_turns(memory, file, question, options, ask)
                answers.append(
                    answered(
                        question,
                        recalls,
                        unit=file.data_set.unit,
                        store=store,
                        user_turns=user_turns,
                        context=None if budget is None else in_context(question, recalls, budget),
                    )
                )
                advance(1)
    return answers


def _is_zero(tokens: Any) -> bool:
    return not isinstance(tokens, bool) and tokens == 0


def _asked_users(file: LabelledFile) -> list[str]:
    return list(dict.fromkeys(question.user for question in file.questions))


def _name(file: LabelledFile) -> str:
    """For progress bars: the conversation, or the file that holds several."""
    return next(iter(file.turns)) if len(file.turns) == 1 else file.path.name


def _user_turns(
    memory: Memory, file: LabelledFile, question: LabelledQuestion, options: Mapping[str, Any], ask: Ask
) -> UserTurns | None:
    """For LongMemEval, whose metrics rank all user turns: another search, as deep as the haystack."""
    if file.data_set.name != "longmemeval":
        return None
    turns = file.turns[question.user]
    everything = ask(memory, question, min(MAX_K, len(turns)), options)
    return UserTurns(
        tuple(recall.id for recall in everything if recall.record.speaker == "user"),
        frozenset(id_ for id_ in question.evidence if turns[id_].speaker == "user"),
        question.sessions,
    )


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
