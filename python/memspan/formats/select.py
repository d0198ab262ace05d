"""Which conversations of a file are read, and whose memory they go into."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ..errors import FormatError
from .place import Place
from .source import Item
from .turns import Turn

__all__ = ["Conversation", "UserChoice", "distinct", "one_chat", "read_selected"]

_LISTED = 20
_ADVICE = "pass the user (user=..., or --user on the command line)"


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation of a file, not read yet."""

    place: Place
    user: str | None
    """The user or sample id that the file gives it; `None` when it gives none."""
    read: Callable[[str], Iterator[Turn]]
    """Reads the turns for the user they go to."""
    whole: bool = True
    """Whether this is a whole conversation; `False` for a record or message that stands alone, as part of
    one.
    """


def distinct(conversations: Iterable[Conversation]) -> Iterator[Conversation]:
    """The conversations of a data set, in which two of one name would replace each other's turns.

    Raises:
        FormatError: a name comes a second time.
    """
    names: set[str | None] = set()
    for conversation in conversations:
        if conversation.user in names:
            raise conversation.place.error(
                conversation.user, "a user or sample id that comes once in the file"
            )
        names.add(conversation.user)
        yield conversation


def one_chat(items: Iterable[Item]) -> Iterator[Item]:
    """The only chat of a file, for formats in which the file's name names the chat.

    Raises:
        FormatError: there is a second one.
    """
    for position, (place, value) in enumerate(items):
        if position > 0:
            raise place.error(value, "one chat a file")
        yield place, value


class UserChoice:
    """The caller's `user` against the users that a file names.

    Without a `user`, the file must name them. With one, it owns what has no owner in the file and selects
    what the file gives to this very user; everything else is passed over.
    """

    def __init__(self, file: str, user: str | None) -> None:
        self._file = file
        self._user = user
        self._selected = False
        self._others: dict[str, None] = {}

    def owner(self, named: str | None, place: Place) -> str | None:
        """The user that takes what the file gives to `named`, or `None` to pass it over.

        Raises:
            FormatError: neither the file nor the caller names a user.
        """
        if self._user is None:
            if named is None:
                raise FormatError(f"{place}: names no user; {_ADVICE}")
            return named
        if named is None or named == self._user:
            self._selected = True
            return self._user
        if len(self._others) <= _LISTED:
            self._others[named] = None
        return None

    def finish(self) -> None:
        """Call at the end of the file.

        Raises:
            FormatError: everything was passed over; lists the users of the file.
        """
        if self._selected or not self._others:
            return
        names = list(self._others)
        listed = ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")
        raise FormatError(f"{self._file}: holds no conversation of user {self._user!r}; its users: {listed}")


def read_selected(conversations: Iterable[Conversation], file: str, user: str | None) -> Iterator[Turn]:
    """The turns of the conversations that `user` selects; a file of one whole conversation goes to `user` in
    any case.

    Raises:
        FormatError: see `UserChoice`; also everything that reading the conversations raises, when it is
        reached.
    """
    choice = UserChoice(file, user)
    only: Conversation | None = None
    for count, conversation in enumerate(conversations):
        owner = choice.owner(conversation.user, conversation.place)
        if owner is not None:
            yield from conversation.read(owner)
        only = conversation if count == 0 and owner is None and conversation.whole else None
    if only is not None and user is not None:
        yield from only.read(user)
    else:
        choice.finish()
