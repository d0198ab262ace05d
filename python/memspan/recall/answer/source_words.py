"""The words of the line of sources in the languages in which models answer: some translate that line, too."""

from __future__ import annotations

from typing import Final

__all__ = ["AND", "LINE", "MEMORIES", "NONE"]

LINE: Final = (
    "source", "sources", "Quelle", "Quellen", "fuente", "fuentes", "fonte", "fonti", "fontes", "bron", "bronnen",
    "źródło", "źródła", "источник", "источники", "来源", "來源", "出典", "情報源", "ソース", "출처",
)  # fmt: skip
"""Before the colon."""
NONE: Final = (
    "none", "keine", "aucune", "aucun", "ninguna", "ninguno", "nessuna", "nessuno", "nenhuma", "nenhum", "geen",
    "brak", "нет", "无", "無", "なし", "없음",
)  # fmt: skip
AND: Final = ("and", "und", "et", "y", "e", "en", "i", "и", "和", "と", "및")
"""Between the last two numbers; a letter alone is none of another word there."""
MEMORIES: Final = (
    "to", "memory", "memories", "summary", "summaries", "Erinnerung", "Erinnerungen", "mémoire", "mémoires",
    "souvenir", "souvenirs", "memoria", "memorias", "memorie", "ricordo", "ricordi", "memória", "memórias",
    "herinnering", "herinneringen", "wspomnienie", "wspomnienia", "воспоминание", "воспоминания", "记忆",
    "記憶", "기억",
)  # fmt: skip
"""What else may stand among the numbers."""
