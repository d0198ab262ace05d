"""`python -m memspan`, for environments where the `memspan` script is not on the path."""

from __future__ import annotations

from .cli.main import main

main()
