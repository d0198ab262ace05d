"""The streams of one command."""

from __future__ import annotations

import io

from rich.console import Console

from memspan.cli.environment import Environment


def test_a_bar_that_nobody_sees_writes_nothing() -> None:
    out, err = io.StringIO(), io.StringIO()
    env = Environment(io.StringIO(), Console(file=out), Console(file=err))

    with env.progress() as progress:
        progress.advance(progress.add_task("reading", total=1))
        progress.console.print()  # as some versions of rich do at the end

    assert (out.getvalue(), err.getvalue()) == ("", "")
