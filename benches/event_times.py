"""Are right times believed and wrong ones put aside (`memspan.encode.event_time`)?

    python benches/event_times.py --locomo locomo5.json

LoCoMo's temporal questions have an answer that is a time, and the turns that say it. The answer is written in ISO 8601,
as a model would write it, and checked against those turns; then the same moved by some time.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta

from memspan.encode.event_time import check_time
from memspan.encode.values import Turn
from memspan.formats import read_turns
from memspan.recall.times import find_times
from memspan.times import from_micros

MOVED = {
    "right": 0,
    "a year late": 365,
    "a year early": -365,
    "two months late": 61,
    "ten years early": -3653,
}
_TEMPORAL = 2
_DAY = 86_400_000_000


def answers(path: str) -> Iterator[tuple[datetime, str, list[Turn], list[Turn]]]:
    """Times that can be read, how precise they are as a format, the turns that say them, and their session."""
    turns, sessions = {}, defaultdict(list)
    for read in read_turns(path):
        turn = Turn(id=read.id, text=read.text, at=read.at, speaker=read.speaker, session=read.session)
        turns[read.user, read.id] = turn
        sessions[read.user, read.session].append(turn)
    with open(path) as file:
        conversations = json.load(file)
    for conversation in conversations:
        user = conversation["sample_id"]
        for question in conversation["qa"]:
            if question.get("category") != _TEMPORAL or "answer" not in question:
                continue
            said = [turns[user, id_] for id_ in question["evidence"] if (user, id_) in turns]
            found = find_times(str(question["answer"]), said[0].at) if said else []
            if len(found) == 1 and found[0].start is not None and found[0].end is not None:
                days = (found[0].end - found[0].start) / _DAY
                form = "%Y-%m-%d" if days <= 14 else "%Y-%m" if days <= 31 else "%Y"
                yield from_micros(found[0].start), form, said, sessions[user, said[0].session]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--locomo", required=True)
    cases = list(answers(parser.parse_args().locomo))
    print(f"{len(cases)} times")
    for name, days in MOVED.items():
        flags = Counter(
            check_time((moment + timedelta(days=days)).strftime(form), said, around).flag or "believed"
            for moment, form, said, around in cases
        )
        print(f"{name}: " + ", ".join(f"{flag} {count}" for flag, count in flags.most_common()))


if __name__ == "__main__":
    main()
