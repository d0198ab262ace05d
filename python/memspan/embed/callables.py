"""An embedder made of any function that turns texts into vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memspan.embed.protocol import check_dim, check_text, check_texts, validate_vectors
from memspan.errors import EmbedderError, invalid

__all__ = ["CallableEmbedder"]

_PROBE = "dimension"


class CallableEmbedder:
    """Wraps a function `list[str] -> array of shape (n, dim)`, such as another library's `model.encode`.

    Args:
        function: called with a non-empty list of texts; returns one vector for each, as anything that numpy
            can read. It is called from the thread that adds or searches.
        dim: length of the vectors; None asks the function once, here, with one short text.
        name: recorded in the store; None takes the function's module and qualified name.
        query_function: `str -> array of shape (dim,)` for questions; None embeds them as documents.
        checksum: recorded in the store beside the name. A function cannot tell whether its model changed:
            change this when it did.

    Raises:
        InvalidArgumentError: an argument of the wrong type.
        EmbedderError: the probe failed.
    """

    def __init__(
        self,
        function: Callable[[list[str]], Any],
        *,
        dim: int | None = None,
        name: str | None = None,
        query_function: Callable[[str], Any] | None = None,
        checksum: str = "",
    ) -> None:
        if not callable(function):
            raise invalid("function", function, "a callable taking a list of str")
        if query_function is not None and not callable(query_function):
            raise invalid("query_function", query_function, "a callable taking a str, or None")
        self.name = _name_of(function) if name is None else check_text(name, "name")
        self.checksum = check_text(checksum, "checksum")
        self._function = function
        self._query_function = query_function
        if dim is None:
            self.dim = int(validate_vectors(self._call(function, [_PROBE]), None, 1, self.name).shape[1])
        else:
            self.dim = check_dim(dim)

    def __repr__(self) -> str:
        return f"CallableEmbedder(name={self.name!r}, dim={self.dim})"

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts with one call of the function. See `Embedder.embed_documents`."""
        checked = check_texts(texts)
        if not checked:
            return np.empty((0, self.dim), dtype=np.float32)
        return validate_vectors(self._call(self._function, checked), self.dim, len(checked), self.name)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed one question. See `Embedder.embed_query`."""
        if self._query_function is None:
            rows = self.embed_documents([check_text(text, "text")])
        else:
            vector = self._call(self._query_function, check_text(text, "text"))
            rows = validate_vectors([vector], self.dim, 1, self.name)
        first: NDArray[np.float32] = rows[0]
        return first

    def _call(self, function: Callable[[Any], Any], argument: list[str] | str) -> Any:
        try:
            return function(argument)
        except Exception as error:
            raise EmbedderError(f"embedder {self.name!r}: the function raised {error!r}") from error


def _name_of(function: Callable[..., Any]) -> str:
    described = function if hasattr(function, "__qualname__") else type(function)
    return f"{described.__module__}.{described.__qualname__}"
