"""Which records of a user a call is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memspan.arguments import is_listing
from memspan.errors import invalid
from memspan.store.traces import Chosen
from memspan.times import Between, require_likely, to_intervals

from .input.fields import checked_kind, checked_name

__all__ = ["Selection", "checked_selection"]


@dataclass(frozen=True, slots=True)
class Selection:
    """The records that are meant, checked."""

    chosen: Chosen
    roots: tuple[str, ...] = ()
    """Ids that were given. What was derived from them is meant also when they are not there any more."""

    @property
    def everything(self) -> bool:
        """Whether nothing narrows it down."""
        return all(value is None for value in self.chosen)

    @property
    def by(self) -> str:
        """The selectors that were given, for the audit."""
        given = [name for name, value in self.chosen._asdict().items() if value is not None]
        return "+".join(given) or "everything"


def checked_selection(
    *,
    id: str | Sequence[str] | None = None,
    source: str | None = None,
    session: str | None = None,
    between: Between | None = None,
    kinds: Sequence[str] | None = None,
) -> Selection:
    """The selection that selectors make: `id` or `source` alone, the others together.

    Raises:
        InvalidArgumentError, TimeError: one of them is not acceptable, or goes with no other.
    """
    others = {"source": source, "session": session, "between": between, "kinds": kinds}
    given = [name for name, value in others.items() if value is not None]
    if id is not None:
        if given == ["source"]:
            raise invalid("source", source, "either `id` or `source`, not both")
        if given:
            raise invalid(given[0], others[given[0]], "no other selector beside `id`")
        ids = _checked_ids(id)
        return Selection(Chosen(ids=ids), ids)
    if source is not None and len(given) > 1:
        raise invalid("source", source, f"no other selector beside `source`; `{given[1]}` is given")
    roots = () if source is None else (checked_name(source, "source", 4096),)
    require_likely(between)
    chosen = Chosen(
        source=roots[0] if roots else None,
        session=None if session is None else checked_name(session, "session"),
        between=to_intervals(between),
        kinds=None if kinds is None else _checked_kinds(kinds),
    )
    return Selection(chosen)


def _checked_ids(id: str | Sequence[str]) -> tuple[str, ...]:
    if isinstance(id, str):
        return (checked_name(id, "id"),)
    if not is_listing(id):
        raise invalid("id", id, "an id, or a list of ids")
    return tuple(dict.fromkeys(checked_name(each, f"id[{i}]") for i, each in enumerate(id)))


def _checked_kinds(kinds: Sequence[str]) -> tuple[str, ...]:
    if not is_listing(kinds):
        raise invalid("kinds", kinds, "a list of kinds")
    checked = tuple(dict.fromkeys(checked_kind(each, f"kinds[{i}]") for i, each in enumerate(kinds)))
    if not checked:
        raise invalid("kinds", kinds, "at least one kind")
    return checked
