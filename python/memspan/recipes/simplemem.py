"""SimpleMem: compress in windows, then synthesise within the session (sections 2.1 to 2.3, tables 7 and A.1)."""

from memspan.encode.extract import Extract
from memspan.encode.synthesise import Synthesise
from memspan.encode.windows import Windows

from .gathering import Gathering
from .reading import Reading
from .recipe import Recipe

RECIPE = Recipe(
    name="simplemem",
    summary="statements from overlapping windows, related ones of a session merged",
    paper="SimpleMem (2026), sections 2.1-2.3, A.1-A.3",
    write=(
        # The table's "5 turns (25% overlap)" is what neighbours share, hence a stride of 15; see `Windows`.
        Windows(size=20, stride=15, history=5),  # the paper names the history H and gives no number for it
        Extract(prompt="extract"),
        # A unit that loses something, which in the paper takes its members' place all the same, is put before them.
        Synthesise(),
    ),
    history=5,
    gather=Gathering(turns=20),  # a window, W; the paper has whole sessions
    # The depth is the paper's, 3 to 20 by complexity. Its prompts had 531 to 583 tokens on average and no limit.
    read=Reading(plan="model", least=3, most=20, tokens=1000),
)
