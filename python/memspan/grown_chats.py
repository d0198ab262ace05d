"""Chats without a name that are loaded again when they have grown: they go on where they were stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from .formats import Turn
from .remember.capacity.cold import in_full
from .remember.engine import Engine

__all__ = ["under_known_names"]


def under_known_names(engine: Engine, turns: Iterable[Turn], commit: Callable[[], object]) -> Iterator[Turn]:
    """The turns; those of a chat with `session_names` under the first of these that it was stored under. Where
    something else was said there under one of its numbers, it is another chat that began alike, and keeps its own name.

    A chat waits until all of it was read, or what was read before an error.

    Args:
        commit: stores the turns that were handed out.
    """
    passed: set[tuple[str, str]] = set()
    chat: list[Turn] = []

    def known() -> Iterator[Turn]:
        if not chat:
            return
        names = {(chat[0].user, name) for name in chat[0].session_names}
        if not names.isdisjoint(passed):
            commit()
        going_on = [*_going_on(engine, chat)]
        passed.update(names.intersection((turn.user, turn.session or "") for turn in going_on))
        chat.clear()
        yield from going_on

    try:
        for turn in turns:
            if chat and turn.session_names is not chat[0].session_names:
                yield from known()
            if turn.session_names:
                chat.append(turn)
            else:
                yield turn
    except (ValueError, OSError):
        yield from known()
        raise
    yield from known()


def _going_on(engine: Engine, chat: Sequence[Turn]) -> Sequence[Turn]:
    """The turns of a chat under the name that it is stored under."""
    user, names = chat[0].user, chat[0].session_names
    own = names[0]
    first = next((turn.id for turn in chat if turn.session == own and _is_numbered(turn, own)), None)
    if first is None:
        return chat
    known = _stored(engine, user, [_under(first, own, name) for name in names])
    for name in names:
        if _under(first, own, name) in known:
            renamed = [_renamed(turn, own, name) for turn in chat]
            said = {turn.id: (turn.speaker, turn.text) for turn in renamed if _is_numbered(turn, name)}
            there = _stored(engine, user, [id_ for id_ in said if id_ is not None])
            if name == own or all(said[id_] == stored for id_, stored in there.items()):
                return renamed
    return chat


def _is_numbered(turn: Turn, name: str) -> bool:
    return turn.id is not None and turn.id.startswith(f"{name}:")


def _renamed(turn: Turn, own: str, name: str) -> Turn:
    if turn.session != own:
        return turn
    return replace(turn, session=name, id=None if turn.id is None else _under(turn.id, own, name))


def _under(id_: str, own: str, name: str) -> str:
    """The id of a message in the chat of another name; one that is no number stays as it is."""
    return f"{name}:{id_.removeprefix(f'{own}:')}" if id_.startswith(f"{own}:") else id_


def _stored(engine: Engine, user: str, ids: Sequence[str]) -> dict[str, tuple[str | None, str]]:
    """Who said what in those of the records that are there, wherever they lie, before any of it was shortened."""
    with engine.store.reading() as reader:
        found = reader.fetch(user, ids)
        missing = [id_ for id_ in ids if id_ not in found]
        found |= {id_: copy.record for id_, copy in reader.cold.fetch(user, missing).items()}
        found |= in_full(reader, user, found)
    return {id_: (record.speaker, record.text) for id_, record in found.items()}
