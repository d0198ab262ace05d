"""`memspan tags`: the tags of a user as a tree."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click
from rich.text import Text
from rich.tree import Tree

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.opening import note_unknown, nothing_found, open_memory
from memspan.cli.tables import cell
from memspan.reports.tag_info import TagInfo

__all__ = ["tags", "tree_of"]

_DEEPEST = 100
_LONE_SHOWN = 60


@click.command(
    short_help="Show the tags as a tree, or make them.",
    epilog=options.examples(
        "memspan tags --store chat.memspan --user ana --make",
        "memspan tags --store chat.memspan --user ana --depth 1",
    ),
)
@options.existing_store
@options.one_user
@click.option(
    "--make",
    is_flag=True,
    help="First make the tags anew from what the records say. Tags that were given stay.",
)
@click.option(
    "--depth",
    type=click.IntRange(0, _DEEPEST),
    default=_DEEPEST,
    help="Show so many levels below the broadest tags. Default: all.",
)
@options.as_json
@pass_environment
def tags(env: Environment, store: Path, user: str, make: bool, depth: int, as_json: bool) -> None:
    """Show the tags of a user as a tree, the broadest and most frequent first.

    Each tag stands with the number of its records. A tag with several broader ones is under each of them; from the
    second time on it is marked with ↑, and what is below it is not repeated.
    """
    with open_memory(store) as memory:
        made = memory.tag(user, progress=env.err.is_terminal) if make else None
        known = memory.tags(user=user)
        hint = "" if make else "; `--make` makes some"
        nothing = "" if known else nothing_found(memory, user, f"user '{user}' has no tags{hint}")
        if nothing and as_json:
            note_unknown(env, memory, user)
    if as_json:
        document = {
            "store": str(store),
            "user": user,
            "made": None if made is None else made._asdict(),
            "tags": [tag._asdict() for tag in known],
        }
        env.write_json(document)
        return
    if not known:
        env.note(nothing)
        return
    env.out.print(tree_of(user, known, depth))


def tree_of(title: str, tags: Iterable[TagInfo], depth: int) -> Tree:
    """The hierarchy below a title. Tags without any relation come last, in one line."""
    by_name = {tag.name: tag for tag in tags}
    tree = Tree(cell(title), guide_style="dim")
    shown: set[str] = set()

    def hang(tree: Tree, names: Iterable[str], left: int) -> None:
        for tag in sorted((by_name[name] for name in names), key=lambda tag: (-tag.records, tag.name)):
            again = tag.name in shown
            label = cell(tag.name)
            label.append(f" {tag.records}", style="dim")
            if again:
                label.append(" ↑", style="dim")
            elif tag.children and not left:
                label.append(f" … {len(tag.children)} below", style="dim")
            shown.add(tag.name)
            branch = tree.add(label)
            if left and not again:
                hang(branch, tag.children, left - 1)

    roots = [tag for tag in by_name.values() if not tag.parents]
    hang(tree, [tag.name for tag in roots if tag.children], depth)
    lone = sorted((tag for tag in roots if not tag.children), key=lambda tag: (-tag.records, tag.name))
    if lone:
        line = Text("on their own: ", style="dim")
        line.append(", ".join(f"{cell(tag.name)} {tag.records}" for tag in lone[:_LONE_SHOWN]))
        if len(lone) > _LONE_SHOWN:
            line.append(f" and {len(lone) - _LONE_SHOWN} more")
        tree.add(line)
    return tree
