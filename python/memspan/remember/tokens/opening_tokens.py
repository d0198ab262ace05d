"""Which token embedder a store is opened with."""

from __future__ import annotations

from collections.abc import Mapping

from memspan.embed.late.resolve import resolve_token_embedder
from memspan.embed.models import find_model
from memspan.embed.registry import DEFAULT_MODEL, DEFAULT_TOKEN_MODEL, TOKEN_MODELS
from memspan.errors import MissingExtraError, ModelNotFoundError
from memspan.remember.embedding import EmbedderIdentity

from .store_tokens import TOKEN_SETTING, StoreTokens, TokenEmbedderSpec, require_same

__all__ = ["choose_tokens"]


def choose_tokens(
    path: object,
    spec: TokenEmbedderSpec,
    settings: Mapping[str, str],
    embedder: EmbedderIdentity,
    *,
    reembed: bool,
) -> StoreTokens | None:
    """The token embedder that is asked for; by default the store's, or for one that the default model fills the default
    one, if it is here. `None`: searches look at no tokens, and records get none.

    Raises:
        InvalidArgumentError: the argument is none of these.
        EmbedderMismatchError: the store's token vectors are of another one than what is asked for, and they are not to
            be made anew (`reembed`).
        ModelNotFoundError, MissingExtraError: what is asked for by name is not here.
    """
    if spec is False:
        return None
    recorded = settings.get(TOKEN_SETTING)
    identity = None if recorded is None else EmbedderIdentity.parse(recorded, path)
    if spec is not None:
        offered = resolve_token_embedder(spec)
        if identity is None or reembed:
            identity = EmbedderIdentity.of(offered)
        else:
            require_same(path, identity, offered)
        return StoreTokens(path, identity, offered)
    if identity is not None:
        here = identity.name in TOKEN_MODELS and find_model(identity.name) is not None
        return StoreTokens(path, identity) if here else None
    if embedder.name != DEFAULT_MODEL or find_model(DEFAULT_TOKEN_MODEL) is None:
        return None
    try:
        default = resolve_token_embedder(DEFAULT_TOKEN_MODEL)
    except (ModelNotFoundError, MissingExtraError):
        return None
    return StoreTokens(path, EmbedderIdentity.of(default), default)
