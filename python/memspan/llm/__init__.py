"""Language models behind one small protocol: what is asked, what comes back, and what it cost."""

from .prompt import Prompt
from .protocol import LLM, Reply
from .usage import Usage

__all__ = ["LLM", "Prompt", "Reply", "Usage"]
