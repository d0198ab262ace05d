"""What an agent did: tool calls and their results, read from messages and kept in the metadata of turns."""

from .action import Action, Outcome, actions_in, metadata_of, outcomes_in
from .items import chat_message, is_note
from .objects import dumped, dumped_message
from .reading import ToolUse, holds_media, holds_thoughts, is_thought, read_tool_use

__all__ = [
    "Action",
    "Outcome",
    "ToolUse",
    "actions_in",
    "chat_message",
    "dumped",
    "dumped_message",
    "holds_media",
    "holds_thoughts",
    "is_note",
    "is_thought",
    "metadata_of",
    "outcomes_in",
    "read_tool_use",
]
