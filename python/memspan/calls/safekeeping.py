"""The calls of `Memory` about secrets and about what lies elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import memspan
from memspan.remember.asynchronous import in_thread
from memspan.remember.input.fields import checked_name
from memspan.remember.progress import tracking
from memspan.reports.resource_info import Resource, ResourceReport
from memspan.times import TimeLike

from .base import Calls

__all__ = ["SafekeepingCalls"]


class SafekeepingCalls(Calls):
    """See `Memory`."""

    def vault(
        self, user: str, key: bytes | str | None = None, *, passphrase: str | None = None
    ) -> memspan.Vault:
        """The secrets of a user, under a key that only the caller has.

        A secret is a record of kind `vault`. Its text is the label, in clear: embedded, indexed, and found by searches
        that name the kind. What the label stands for is encrypted with AES-256-GCM before it reaches the disk, bound to
        its user and record, and neither embedded nor indexed nor shown to a model. Each reading is in the audit. The
        key is not stored: who loses it has lost the secrets, though nothing destroys them.

        (`add(..., kind="vault")` keeps its whole text as such a label, in clear.)

        Args:
            key: 32 bytes, or the text that `memspan.vault.new_key()` makes.
            passphrase: instead of a key; it is stretched with scrypt, some tenth of a second and 32 MiB.

        Raises:
            InvalidArgumentError: an argument is not acceptable.
            MissingExtraError: the package `cryptography` is not installed.
        """
        from memspan.vault.keys import KeyRing
        from memspan.vault.sealing import require_cryptography
        from memspan.vault.vault import Vault

        checked_name(user, "user")
        ring = KeyRing(key, passphrase)
        require_cryptography()
        self._engine.require_open()
        return Vault(self._engine, user, ring)

    def add_resource(
        self,
        target: str | PathLike[str],
        *,
        user: str,
        description: str | None = None,
        id: str | None = None,
        at: TimeLike | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        fetch: bool = False,
        seconds: float = 10.0,
    ) -> str:
        """Point to a file or a page; returns the id of the record, of kind `resource`.

        The target stays where it is: kept are its URI, as `provenance` and in `metadata.uri`, and its length and
        SHA-256, by which `check_resources` sees whether it is still what it was. What is searched is the description.

        Args:
            target: the path of a file that exists, or an http or https URL.
            description: what it is; by default the file's name, or the URL.
            id: of the record; a new one by default. A resource with this id is replaced.
            at: when it became known; now by default.
            tags, metadata: of the record.
            fetch: look at the page now. Without this no server is ever asked.
            seconds: how long that may take.

        Raises:
            InvalidArgumentError: an argument is not acceptable, the target is not there, or the environment names
                certificates that cannot be read.
            HeldError, QuotaError, EmbedderError: as in `add`.
            MissingExtraError: a page is to be looked at, and httpx is not installed.
        """
        from memspan.resources.keeping import add_resource

        return add_resource(
            self._engine,
            target,
            user=user,
            description=description,
            id=id,
            at=at,
            tags=tags,
            metadata=metadata,
            fetch=fetch,
            seconds=seconds,
        )

    def resources(self, user: str | None = None, *, state: str | None = None) -> list[Resource]:
        """What a user's records of kind `resource`, or everybody's, point to, as of the last look; with `state`, one of
        `memspan.RESOURCE_STATES`, only those."""
        from memspan.resources.keeping import resources

        return resources(self._engine, user=user, state=state)

    def check_resources(
        self,
        user: str | None = None,
        *,
        fetch: bool = False,
        seconds: float = 10.0,
        progress: bool = False,
    ) -> ResourceReport:
        """Look whether the targets of resources are still there, and still what they were; changes no memory.

        Args:
            user: `None` for every user.
            fetch: also ask servers for pages, one after the other. It tells them that somebody looks.
            seconds: how long a page may take.
            progress: show a progress bar on standard error.

        Returns:
            What has changed, is missing, or could not be looked at, by name.

        Raises:
            InvalidArgumentError: an argument is not acceptable, or the environment names certificates that cannot be
                read.
            MissingExtraError: pages are to be looked at, and httpx is not installed.
        """
        from memspan.resources.keeping import check_resources

        with tracking("looking", None, progress) as advance:
            return check_resources(self._engine, user=user, fetch=fetch, seconds=seconds, advance=advance)

    aadd_resource = in_thread(add_resource)
    aresources = in_thread(resources, reads=True)
    acheck_resources = in_thread(check_resources)
