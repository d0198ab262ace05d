"""The text of a procedure: what is searched, and what a model reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from memspan.reports.procedure_info import ProcedureStep

__all__ = ["Wording", "wording_of", "written"]

_ASKED_CHARS: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """How a model told a procedure."""

    name: str
    when: str = ""
    """When it is of use."""
    does: tuple[str, ...] = ()
    """What each step does; empty, or one for each step."""
    model: str | None = None
    prompt: str | None = None
    """Name and version."""
    sources: tuple[str, ...] = ()
    """Ids of the turns that the model read it from."""

    def to_dict(self) -> dict[str, Any]:
        """For the metadata of a record."""
        return {**asdict(self), "does": list(self.does), "sources": list(self.sources)}


def wording_of(value: Any) -> Wording | None:
    """What `to_dict` wrote; `None` for anything else."""
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return None
    does, sources = value.get("does"), value.get("sources")
    return Wording(
        name=value["name"],
        when=value["when"] if isinstance(value.get("when"), str) else "",
        does=tuple(str(one) for one in does) if isinstance(does, list) else (),
        model=value.get("model"),
        prompt=value.get("prompt"),
        sources=tuple(str(one) for one in sources) if isinstance(sources, list) else (),
    )


def written(
    name: str,
    steps: Sequence[ProcedureStep],
    preconditions: Sequence[str] = (),
    asked: str | None = None,
    wording: Wording | None = None,
) -> str:
    """A procedure as text. Counts are not in it: it stays the same, with its embedding, while they grow."""
    lines = [f"How to {name if wording is None else wording.name}"]
    if wording is not None and wording.when:
        lines.append(f"When: {wording.when}")
    elif asked:
        shown = " ".join(asked.split())
        lines.append(f'Asked like: "{shown[:_ASKED_CHARS]}{"…" if len(shown) > _ASKED_CHARS else ""}"')
    if preconditions:
        lines.append(f"First: {', '.join(preconditions)}")
    does = wording.does if wording is not None and len(wording.does) == len(steps) else ()
    for place, step in enumerate(steps):
        said = f": {does[place]}" if does and does[place] else ""
        lines.append(f"{place + 1}. {_call(step)}{said}")
    return "\n".join(lines)


def _call(step: ProcedureStep) -> str:
    inside = ", ".join(
        f"{name} {origin}" if origin.startswith("= ") else f"{name}: {origin}"
        for name, origin in step.arguments.items()
    )
    return f"{step.action}({inside})" if inside else step.action
