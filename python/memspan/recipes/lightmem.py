"""LightMem: compress, segment by topic, sum up full buffers; put in order in sleep (sections 3.1-3.3, table 7)."""

from memspan.encode.buffer import Buffer
from memspan.encode.compression.compress import Compress
from memspan.encode.segment import Segment
from memspan.lifecycle.sleep.update import SleepUpdate

from .gathering import Gathering
from .reading import Reading
from .recipe import Recipe

RECIPE = Recipe(
    name="lightmem",
    summary="compressed turns in topic segments, summed up by the buffer, updated in sleep",
    paper="LightMem (arXiv 2510.18866v3), sections 3.1-3.3",
    write=(
        # r = .7 with th = 512 is the paper's best setting for its smaller model (table 7). Its compressor,
        # LLMLingua-2, has weights that cannot come with memspan: by default words are scored by self-information, and
        # names, numbers, dates and negations always stay, which the paper does not ask for.
        # `Compress(scorer=Lingua(...))` is the paper's.
        Compress(rate=0.7, limit=512),
        # The attention is that of the default embedder, not of LLMLingua-2, for the same reason. The paper names no
        # tau.
        Segment(method="both", buffer=512),
        # One call for each full buffer, as tables 1 and 2 count.
        Buffer(tokens=512, calls_by="buffer"),
    ),
    # The buffer spans calls of `add`: 512 tokens after compression are some 731 before. A session that is over sooner
    # makes a smaller one after five minutes, for which the paper has no rule.
    gather=Gathering(tokens=731),
    # The paper only says that all methods are given as many entries; 20 is ProMem's number, for the same benchmarks.
    read=Reading(least=20, most=20, tokens=1500),
    # The paper names neither the length of a queue nor a threshold; see there.
    sleep=SleepUpdate(),
)
