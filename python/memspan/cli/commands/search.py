"""`memspan search`: the records that answer a question best."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from memspan.cli import options
from memspan.cli.contexts import print_context
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.explanations import explanation_json, explanation_table
from memspan.cli.opening import note_unknown, nothing_found, open_memory
from memspan.cli.recalls import print_recalls, recall_json
from memspan.ranking import Ranker
from memspan.recall.context import MAX_TOKENS

__all__ = ["search"]


@click.command(
    cls=options.QuestionCommand,
    short_help="Find the records that answer a question best.",
    epilog=options.examples(
        'memspan search "When did Jonas have his operation?" --store chat.memspan --user demo',
        'memspan search "ferry" --store chat.memspan --user demo --between 2024-06-01 2024-07-01',
        'memspan search "Who is Tiller?" --store chat.memspan --user demo --context --tokens 300',
        "memspan search \"vet\" --store chat.memspan --user demo -k 3 --json | jq '.hits[].id'",
    ),
)
@options.question
@options.existing_store
@options.one_user
@options.depth(10)
@options.between
@options.kinds
@click.option("--tag", "tags", multiple=True, help="Only records with this tag; repeat to require several.")
@options.where
@options.now
@options.as_of
@options.valid_at
@options.fusion
@options.ranker
@options.rerank_ms
@options.staleness
@click.option(
    "--route",
    type=click.IntRange(0, 1000),
    default=0,
    show_default=True,
    help="Let so many of the user's tags nearest to the question lift the records that carry them; see `memspan tags`.",
)
@click.option(
    "--no-track",
    "untracked",
    is_flag=True,
    help="Do not count this search as a use of what it finds: uses keep memories from being evicted.",
)
@click.option(
    "--confidence",
    is_flag=True,
    help="Say how likely it is that there is an answer at all; takes a second search.",
)
@click.option(
    "--explain", is_flag=True, help="Say for each hit where it came from, and what was left out and why."
)
@click.option(
    "--context",
    "as_context",
    is_flag=True,
    help="Instead of a table, a text for a prompt: the best memories within --tokens, in the order of time.",
)
@click.option(
    "--tokens",
    type=click.IntRange(1, MAX_TOKENS),
    default=600,
    show_default=True,
    help="With --context: at most so many tokens.",
)
@options.embedder_of_store
@options.as_json
@pass_environment
def search(
    env: Environment,
    question: str,
    store: Path,
    user: str,
    k: int | None,
    between: list[tuple[str | None, str | None]] | None,
    kinds: tuple[str, ...],
    tags: tuple[str, ...],
    where: dict[str, Any] | None,
    now: str | None,
    as_of: str | None,
    valid_at: str | None,
    fusion: str | None,
    ranker: Ranker | None,
    rerank_ms: int,
    staleness: str,
    route: int,
    untracked: bool,
    confidence: bool,
    explain: bool,
    as_context: bool,
    tokens: int,
    embedder: str | None,
    as_json: bool,
) -> None:
    """Find the records of USER that answer QUESTION best.

    Every hit is shown with its time, its fused score, and its rank and score in each view: semantic
    (embedding) and lexical (words).
    """
    if confidence and fusion not in (None, "learned"):
        raise click.UsageError("--confidence cannot be used with --fusion " + fusion)
    typed = click.get_current_context().get_parameter_source
    if not as_context and typed("tokens") is not ParameterSource.DEFAULT:
        raise click.UsageError("--tokens bounds what --context writes; add --context")
    if as_context:
        if explain or confidence or staleness != "none":
            raise click.UsageError("--explain, --confidence and --staleness cannot be used with --context")
        chosen = typed("k") is not ParameterSource.DEFAULT
        with open_memory(store, embedder) as memory:
            context = memory.context(
                question,
                user=user,
                tokens=tokens,
                k=k if chosen else None,
                between=between,
                kinds=kinds or None,
                require_tags=tags,
                where=where,
                now=now,
                as_of=as_of,
                valid_at=valid_at,
                fusion=fusion,
                ranker=ranker,
                route=route,
                rerank_ms=rerank_ms,
                track=not untracked,
            )
            if not context.text:
                note_unknown(env, memory, user)
        print_context(env, store, user, question, context, as_json=as_json)
        return
    with open_memory(store, embedder) as memory:
        recalls = memory.search(
            question,
            user=user,
            k=k,
            between=between,
            kinds=kinds or None,
            require_tags=tags,
            where=where,
            now=now,
            as_of=as_of,
            valid_at=valid_at,
            fusion=fusion,
            ranker=ranker,
            rerank_ms=rerank_ms,
            confidence=confidence,
            staleness=staleness,
            route=route,
            explain=explain,
            track=not untracked,
        )
        nothing = "" if recalls else nothing_found(memory, user)
        if nothing and as_json:
            note_unknown(env, memory, user)
    if as_json:
        answer: dict[str, Any] = {
            "store": str(store),
            "user": user,
            "question": question,
            "hits": recall_json(recalls, scores=True),
        }
        if staleness != "none":
            answer["moved"] = [asdict(moved) for moved in recalls.moved]
        if confidence:
            answer["confidence"] = recalls.confidence
        env.write_json({**answer, "explanation": explanation_json(recalls)} if explain else answer)
        return
    if recalls:
        print_recalls(env.out, recalls, scores=True)
    else:
        env.note(nothing)
    if recalls.moved:
        moved = ", ".join(f"{one.id} from {one.before} to {one.after}" for one in recalls.moved)
        env.say(f"moved by staleness ({staleness}): {moved}", style="dim")
    if confidence:
        env.say(f"confidence that there is an answer: {recalls.confidence:.2f}")
    if explain:
        env.out.print()
        env.out.print(explanation_table(recalls))
