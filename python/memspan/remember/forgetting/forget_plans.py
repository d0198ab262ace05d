"""Plan what to forget by a question, and agree to it later: nothing is erased that was not shown."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import zlib
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from memspan.errors import PlanChangedError, invalid
from memspan.remember.input.fields import checked_name
from memspan.remember.searching.recall import Recall
from memspan.remember.transfer.export_format import encode_record_line
from memspan.store import StoreReader

from .scope import Scope, scope_of

__all__ = ["Agreed", "ForgetPlan", "opened", "plan_of"]

_ACCEPTED: Final = "the token, or the plan, that `forget_matching` returned"
_LONGEST: Final = 1 << 24
_DIGITS: Final = 32


class ForgetPlan(NamedTuple):
    """What forgetting by a question would erase; nothing is, until `forget(confirm=...)` has it."""

    user: str
    matches: tuple[Recall, ...]
    """What the question found, best first. Look at them."""
    records: int
    """How many records would go: the matches, their older versions, all that was derived from them, and what encode
    jobs made that were shown one of them."""
    held: int
    """How many of these are held, so that the plan will be refused."""
    token: str
    """Stands for exactly these records as they are now. It contains the user's name and ids, readable."""


class Agreed(NamedTuple):
    """A plan that came back."""

    user: str
    ids: tuple[str, ...]
    digest: str

    def scope(self, reader: StoreReader) -> Scope:
        """What the plan erases.

        Raises:
            PlanChangedError: that is not what was shown any more.
        """
        scope = scope_of(reader, self.user, self.ids)
        if not hmac.compare_digest(_digest(reader, self.user, scope), self.digest):
            raise PlanChangedError(
                "confirm: what the plan would erase has changed since it was made, or it is of another store; "
                "nothing was erased, plan it again"
            )
        return scope


def plan_of(reader: StoreReader, user: str, matches: Sequence[Recall]) -> ForgetPlan:
    """The plan to forget these."""
    ids = [match.id for match in matches]
    scope = scope_of(reader, user, ids)
    agreed = Agreed(user, tuple(ids), _digest(reader, user, scope))
    packed = zlib.compress(json.dumps(agreed, separators=(",", ":")).encode(), 9)
    token = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    return ForgetPlan(user, tuple(matches), len(scope.ids), reader.traces.held(user, scope.ids), token)


def opened(plan: ForgetPlan | str, user: str | None) -> Agreed:
    """What a plan or its token says.

    Raises:
        InvalidArgumentError: it is neither, or belongs to another user than this one.
    """
    token = plan.token if isinstance(plan, ForgetPlan) else plan
    if not isinstance(token, str):
        raise invalid("confirm", plan, _ACCEPTED)
    try:
        packed = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj()
        text = unpacking.decompress(packed, _LONGEST)
        if not unpacking.eof or unpacking.unused_data:
            raise ValueError("cut off")
        name, ids, digest = json.loads(text)
        agreed = Agreed(
            checked_name(name, "confirm"), tuple(checked_name(id_, "confirm") for id_ in ids), digest
        )
    except (ValueError, TypeError, RecursionError, zlib.error) as error:
        raise invalid("confirm", token, _ACCEPTED) from error
    if not isinstance(digest, str) or not digest.isascii():
        raise invalid("confirm", token, _ACCEPTED)
    if user is not None and agreed.user != user:
        raise invalid("confirm", token, "a plan for this user's records")
    return agreed


def _digest(reader: StoreReader, user: str, scope: Scope) -> str:
    """Of everything that would go, under the store's own id."""
    content = hmac.new((reader.meta("store_id") or "").encode(), user.encode(), hashlib.sha256)
    records = reader.fetch(user, scope.ids)
    away = reader.cold.fetch(user, [id_ for id_ in scope.ids if id_ not in records])
    for id_ in scope.ids:
        line: dict[str, Any] = {"cold": id_}
        if id_ in records:
            line = encode_record_line(records[id_], embedding=False)
        elif id_ in away:
            line["record"] = encode_record_line(away[id_].record, embedding=False)
        content.update(json.dumps(line, sort_keys=True).encode() + b"\n")
    return content.hexdigest()[:_DIGITS]
