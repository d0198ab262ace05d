"""From what a user passes as `token_embedder` to an embedder for late interaction."""

from __future__ import annotations

from memspan.base.members import has_members
from memspan.embed.registry import DEFAULT_TOKEN_MODEL, TOKEN_MODELS
from memspan.errors import invalid

from .protocol import TokenEmbedder

__all__ = ["resolve_token_embedder"]

_MEMBERS = ("name", "dim", "checksum", "embed_documents", "embed_query")


def resolve_token_embedder(spec: TokenEmbedder | str | None = None) -> TokenEmbedder:
    """Turn `spec` into an embedder for late interaction. No network access; model files are read at the first use.

    An embedder of one vector a text has the same members and is told apart by what it returns: see
    `validate_document_tokens`.

    Args:
        spec: None for the default model, the name of a known one, or a token embedder (returned as it is).

    Raises:
        InvalidArgumentError: an unknown name, or an object that is none of these.
        ModelNotFoundError: a known model that is not on this machine; names the command that gets it.
        MissingExtraError: a known model, but the packages that run it are not installed.
    """
    if spec is None:
        return _known(DEFAULT_TOKEN_MODEL)
    if isinstance(spec, str):
        if spec in TOKEN_MODELS:
            return _known(spec)
    elif has_members(spec, _MEMBERS):
        return spec
    raise invalid(
        "token_embedder", spec, f"one of {', '.join(sorted(TOKEN_MODELS))}; a token embedder; or None"
    )


def _known(name: str) -> TokenEmbedder:
    from .onnx import OnnxTokenEmbedder

    return OnnxTokenEmbedder.from_registry(name)
