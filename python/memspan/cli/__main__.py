"""`python -m memspan.cli`, for environments where the `memspan` script is not on the path."""

from __future__ import annotations

from .main import main

main()
