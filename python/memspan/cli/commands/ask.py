"""`memspan ask`: an answer from a user's memories, by a language model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.opening import note_unknown, open_memory
from memspan.cli.printable import printable
from memspan.cli.usage import usage_line
from memspan.recall.answer import Answer
from memspan.recall.context import MAX_TOKENS
from memspan.recipes import recipe_names
from memspan.recipes.reading import PLANNERS

if TYPE_CHECKING:
    from memspan.llm import OpenAIModel

__all__ = ["ask"]


@click.command(
    cls=options.QuestionCommand,
    short_help="Answer a question, with a language model, naming sources.",
    epilog=options.examples(
        'memspan ask "When did Jonas have his operation?" --store chat.memspan --user demo --llm gpt-4.1-mini',
        'memspan ask "Who is Tiller?" --store chat.memspan --user demo --llm qwen3 --base-url http://localhost:8080/v1',
        'memspan ask "What changed at work?" --store chat.memspan --user demo --llm qwen3 --plan model --explain',
    ),
)
@options.question
@options.existing_store
@options.one_user
@click.option(
    "--llm",
    metavar="MODEL",
    envvar="MEMSPAN_LLM",
    show_envvar=True,
    help="The language model that answers, by its server's name for it.",
)
@options.base_url
@click.option(
    "--tokens",
    type=click.IntRange(1, MAX_TOKENS),
    help="At most so many tokens of memories in the prompt. Default: the recipe's, mostly 600.",
)
@click.option(
    "--plan",
    type=click.Choice(PLANNERS),
    help="Who plans the search: rules, or the model in a call of its own. Default: the recipe's.",
)
@click.option(
    "-k",
    type=click.IntRange(1),
    help="Look so many memories up. Default: what the plan or the tokens ask for.",
)
@options.between
@options.kinds
@click.option("--tag", "tags", multiple=True, help="Only records with this tag; repeat to require several.")
@options.where
@options.now
@options.as_of
@options.valid_at
@click.option(
    "--recipe",
    type=click.Choice(recipe_names()),
    default="verbatim",
    show_default=True,
    help="Whose way of answering, and whose name in the usage, see `memspan recipes show`.",
)
@click.option(
    "--explain", is_flag=True, help="Show the plan with its reasons, and the memories that were read."
)
@options.as_json
@pass_environment
def ask(
    env: Environment,
    question: str,
    store: Path,
    user: str,
    llm: str | None,
    base_url: str | None,
    tokens: int | None,
    plan: str | None,
    k: int | None,
    between: Any,
    kinds: tuple[str, ...],
    tags: tuple[str, ...],
    where: Any,
    now: str | None,
    as_of: str | None,
    valid_at: str | None,
    recipe: str,
    explain: bool,
    as_json: bool,
) -> None:
    """Answer QUESTION from a user's memories, and name the records that the answer comes from.

    The best memories and the question are sent to the model's server. Its key is read from OPENAI_API_KEY.
    """
    asking: dict[str, Any] = {
        "user": user,
        "tokens": tokens,
        "plan": plan,
        "k": k,
        "between": between,
        "kinds": kinds or None,
        "require_tags": tags,
        "where": where,
        "now": now,
        "as_of": as_of,
        "valid_at": valid_at,
    }
    with _model(llm, base_url) as model, open_memory(store, recipe=recipe, llm=model) as memory:
        if as_json:
            answer = memory.ask(question, **asking)
            if not answer.context.text:
                note_unknown(env, memory, user)
            _write(env, store, user, answer, explain)
            return
        stream = memory.stream_answer(question, **asking)
        begun = False
        try:
            for piece in stream:
                env.write(printable(piece))
                env.out.file.flush()
                begun = True
        finally:
            if begun:
                env.write("\n")
        answer = stream.answer
        if not answer.context.text:
            note_unknown(env, memory, user)
    _tell(env, answer, explain)


@contextmanager
def _model(llm: str | None, base_url: str | None) -> Iterator[OpenAIModel]:
    """The model of the options, closed at the end."""
    if not llm:
        raise click.UsageError(
            "no language model to answer: give --llm MODEL or set MEMSPAN_LLM; a server of your own is named by "
            "--base-url URL or OPENAI_BASE_URL (`memspan search --context` needs no model)"
        )
    from memspan.llm import OpenAIModel

    with OpenAIModel(llm, base_url=base_url) as model:
        yield model


def _tell(env: Environment, answer: Answer, explain: bool) -> None:
    """What is known of an answer besides its text: on standard error, so that the text can be piped."""
    env.note("sources: " + (", ".join(answer.sources) or "none"))
    for remark in answer.remarks:
        env.note(f"note: {remark}")
    if not explain:
        return
    for reason in answer.plan.reasons:
        env.note(f"plan: {reason}")
    times = answer.timings
    env.note(usage_line(answer.usage))
    env.note(
        f"planning {times.planning:.3f} s, search {times.search:.3f} s, context {times.context:.3f} s, "
        f"answer {times.answering:.3f} s"
    )
    env.note(f"read, about {answer.context.tokens:,} tokens:")
    for line in answer.context.text.split("\n"):
        env.note(line)


def _write(env: Environment, store: Path, user: str, answer: Answer, explain: bool) -> None:
    document: dict[str, Any] = {
        "store": str(store),
        "user": user,
        "question": answer.plan.question,
        "text": answer.text,
        "enough": answer.enough,
        "sources": list(answer.sources),
        "model": answer.model,
        "remarks": list(answer.remarks),
        "usage": asdict(answer.usage),
        "timings": {**asdict(answer.timings), "total": answer.timings.total},
    }
    if explain:
        read = {"text": answer.context.text, "tokens": answer.context.tokens}
        document |= {
            "plan": answer.plan.to_dict(),
            "context": {**read, "sources": [asdict(source) for source in answer.context.sources]},
        }
    env.write_json(document)
