"""Point to files and pages, and look after them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Final

from memspan.arguments import as_choice, as_flag, as_number
from memspan.errors import invalid
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_name, checked_text
from memspan.remember.input.messages import to_drafts
from memspan.remember.writing.adding import Advance, add_drafts
from memspan.remember.writing.change import Change
from memspan.reports.resource_info import RESOURCE_STATES, Resource, ResourceReport
from memspan.times import TimeLike, from_micros, now_micros

from .looking import Seen, look, page_client
from .targets import checked_target, file_of, name_of

__all__ = ["add_resource", "check_resources", "resources"]

_LONGEST: Final = 3600.0


def add_resource(
    engine: Engine,
    target: Any,
    *,
    user: str,
    description: str | None,
    id: str | None,
    at: TimeLike | None,
    tags: Sequence[str],
    metadata: Mapping[str, Any] | None,
    fetch: bool,
    seconds: float,
) -> str:
    """See `Memory.add_resource`."""
    checked_name(user, "user")
    uri = checked_target(target)
    if description is not None and not checked_text(description, "description").strip():
        raise invalid("description", description, "a text that is not blank, or None")
    message: dict[str, Any] = {
        "text": description or name_of(uri),
        "kind": "resource",
        "provenance": uri,
        "metadata": {"uri": uri},
    }
    if id is not None:
        message["id"] = checked_name(id, "id")
    drafts = to_drafts(message, user=user, at=at, session=None, metadata=metadata, tags=tags, kind="resource")
    record = drafts[0].record.id
    seen = _first_look(uri, as_flag(fetch, "fetch"), _checked_seconds(seconds))
    if seen.state == "missing":
        raise invalid("target", uri, "a target that is there")
    now = from_micros(now_micros()) if seen.state == "present" else None
    resource = Resource(user, record, uri, seen.checksum, seen.size, now, seen.state)

    def point(change: Change) -> None:
        change.writer.resources.put([resource])

    add_drafts(engine, drafts, within=point)
    return record


def _first_look(uri: str, fetch: bool, seconds: float) -> Seen:
    if file_of(uri) is not None:
        return look(uri, None)
    if not fetch:
        return Seen("unchecked")
    with page_client(seconds) as client:
        return look(uri, client)


def resources(engine: Engine, *, user: str | None, state: str | None) -> list[Resource]:
    """See `Memory.resources`."""
    if user is not None:
        checked_name(user, "user")
    if state is not None:
        as_choice(state, "state", RESOURCE_STATES)
    engine.require_open()
    with engine.store.reading() as reader:
        return reader.resources.all(user, state)


def check_resources(
    engine: Engine, *, user: str | None, fetch: bool, seconds: float, advance: Advance
) -> ResourceReport:
    """See `Memory.check_resources`. Nothing is locked while it looks."""
    known = resources(engine, user=user, state=None)
    asking, limit = as_flag(fetch, "fetch"), _checked_seconds(seconds)
    found: list[Resource] = []
    skipped = 0
    with ExitStack() as stack:
        client = None
        for resource in known:
            page = file_of(resource.uri) is None
            if page and not asking:
                skipped += 1
            else:
                if page and client is None:
                    client = stack.enter_context(page_client(limit))
                found.append(_compared(resource, look(resource.uri, client)))
            advance(1)
    if found:
        with engine.store.writing() as writer:
            writer.resources.settle(found)
    by_state = {
        state: tuple(each for each in found if each.state == state)
        for state in ("present", "changed", "missing", "unreachable")
    }
    return ResourceReport(
        len(by_state["present"]),
        by_state["changed"],
        by_state["missing"],
        by_state["unreachable"],
        skipped,
    )


def _compared(resource: Resource, seen: Seen) -> Resource:
    """The resource as it is now; its checksum and size stay those of when it was added."""
    if seen.state != "present":
        return resource._replace(state=seen.state)
    pairs = ((resource.checksum, seen.checksum), (resource.size, seen.size))
    changed = any(before is not None and now is not None and before != now for before, now in pairs)
    state = "changed" if changed else "present"
    now = from_micros(now_micros())
    if resource.checksum is None and resource.size is None:
        # The first look at a page.
        resource = resource._replace(checksum=seen.checksum, size=seen.size)
    return resource._replace(state=state, seen_at=now)


def _checked_seconds(seconds: Any) -> float:
    checked = as_number(seconds, "seconds", 0, _LONGEST)
    if not checked:
        raise invalid("seconds", seconds, f"a number above 0, up to {_LONGEST:g}")
    return checked
